"""What the semantic metrics, and evidence by embedding, need of which model: a plan. Nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.evaluation.scoring.plan import TABLES, Item, Plan, Source, Task, signs
from ragdash.matching.evidence import embedded_texts
from ragdash.matching.match import Match
from ragdash.matching.views.judged import RELEVANCY
from ragdash.matching.views.local_models import NEEDS, Scored, wanted
from ragdash.matching.views.nli import NAME, Entailed
from ragdash.metrics import Spec, parse_specs
from ragdash.models.local import ENCODER, NLI, SCORER, Encoder, Folder, Model, PairScorer, Store, default_store, found
from ragdash.models.local.score_cache import pair_key, text_key


def plan(runs: Iterable[Run], truth: Truth, metrics: str | Iterable[str | Spec] = "SBERT", *,
         model: str | Encoder | None = None, cross_encoder: str | PairScorer | None = None,
         nli: str | PairScorer | None = None, store: Store | None = None, hub: bool = False,
         evidence: bool = False) -> Plan:
    """What `score` would do; nothing is loaded or computed."""
    asked, store, runs = () if evidence and not metrics else _names(metrics), store or default_store(), list(runs)
    names, scored, problems = _scored(runs, truth, [name for name in asked if name in NEEDS], store)
    spans, more = _spans(runs, truth) if evidence else ({}, [])
    back, told = _asked_back(runs, truth, store) if RELEVANCY in asked else ({}, [])
    entailed, lacking = _entailed(runs, truth, store) if NAME in asked else ([], [])
    spans, problems = spans | back, [*problems, *more, *told, *lacking]
    if not scored and not spans and not entailed:
        raise InputError([replace(problem, severity="error") for problem in dict.fromkeys(problems)])
    texts, pairs = wanted(scored, names)  # a run that lacks references has no pairs with them
    items = {ENCODER: list(dict.fromkeys((*texts, *spans))), SCORER: pairs,
             NLI: list(dict.fromkeys(pair for one in entailed for pair in one.pairs()[2]))}
    kinds = dict.fromkeys((*(NEEDS[name].kind for name in names), *([ENCODER] if spans else []),
                           *([NLI] if entailed else [])))
    sources = _sources(kinds, {ENCODER: model, SCORER: cross_encoder, NLI: nli}, hub)
    names = (*names, NAME) if entailed else names
    tasks = (_task(kind, source, items[kind], store) for kind, source in sources.items())
    return Plan(names, tuple(tasks), (*scored, *entailed), store, tuple(problems))


def _names(metrics: str | Iterable[str | Spec]) -> tuple[str, ...]:
    specs = parse_specs(metrics)
    others = (*NEEDS, RELEVANCY, NAME)
    wrong = [Problem("not-a-model-metric", {"spec": str(spec), "metrics": list(others)}, field="--metrics")
             for spec in specs if spec.name not in others]
    if wrong or not specs:
        raise InputError(wrong or [Problem("no-metric", {"metrics": list(others)}, field="--metrics")])
    return tuple(dict.fromkeys(spec.name for spec in specs))


def _scored(runs: Sequence[Run], truth: Truth, names: Sequence[str],
            store: Store) -> tuple[tuple[str, ...], list[Scored], list[Problem]]:
    """(metrics that some run has the texts for, the views of these runs, what is lacking)."""
    scored, problems, possible = [], [], set()
    for run in runs if names else ():
        held = set()
        for against in dict.fromkeys(NEEDS[name].against for name in names):
            try:
                one = replace(Match(run, truth).scored, store=store)
                one.need(against)
                held.add(against)
            except Unavailable as missing:
                problems.append(missing.problem)
        scored += [one] if held else []
        possible |= held
    return tuple(name for name in names if NEEDS[name].against in possible), scored, list(dict.fromkeys(problems))


def _spans(runs: Sequence[Run], truth: Truth) -> tuple[dict[str, None], list[Problem]]:
    """The texts of chunks and gold spans that are compared by embedding, and the problems of runs without."""
    texts, problems = {}, []
    for run in runs:
        try:
            texts |= dict.fromkeys(embedded_texts(run, truth))
        except Unavailable as missing:
            problems.append(missing.problem)
    if not texts and not problems:
        problems.append(Problem("nothing-to-embed", field="--match-how"))
    return texts, list(dict.fromkeys(problems))


def _entailed(runs: Sequence[Run], truth: Truth, store: Store) -> tuple[list[Entailed], list[Problem]]:
    """The views of the runs that have answers beside contexts, the problems of the others."""
    found, problems = [], []
    for run in runs:
        view = replace(Match(run, truth).entailed, store=store)
        try:
            view.pairs()
            found.append(view)
        except Unavailable as missing:
            problems.append(missing.problem)
    return found, problems


def _asked_back(runs: Sequence[Run], truth: Truth, store: Store) -> tuple[dict[str, None], list[Problem]]:
    """The questions that judges made of answers, and the queries beside them; the problems of runs without."""
    texts, problems = {}, []
    for run in runs:
        view = replace(Match(run, truth).judged, store=store)
        found = view.embedded_texts()
        texts |= dict.fromkeys(found)
        if not found:
            problems.append(Problem("nothing-to-embed/questions", {"run": run.name, "metric": RELEVANCY},
                                    field=RELEVANCY, severity="warning"))
    return texts, problems


def _sources(kinds: Iterable[str], given: dict, hub: bool) -> dict[str, Source]:
    """The model of each kind; InputError with what is wrong with any."""
    sources, wrong = {}, []
    for kind in kinds:
        try:
            sources[kind] = _source(kind, given[kind], hub)
        except InputError as error:
            wrong += error.problems
    if wrong:
        raise InputError(wrong)
    return sources


def _source(kind: str, given: str | Encoder | PairScorer | None, hub: bool) -> Source:
    if given is not None and not isinstance(given, str):
        return given
    try:
        return found(kind, given)
    except InputError as error:
        if not (hub and given and error.problems[0].kind == "no-model"):
            raise
    from ragdash.models.local.sentence_transformers import fetched

    return fetched(kind, given)


def _task(kind: str, source: Source, items: Sequence[Item], store: Store) -> Task:
    weights = source.weights() if isinstance(source, Folder) else source.weights
    name = getattr(source, "name", type(source).__name__)
    length = getattr(source, "max_length", None)  # of a folder it shows when the model is loaded
    known = [model for model in store.models(kind) if model.weights == weights and length in (None, model.max_length)]
    model = known[0] if known else None
    return Task(kind, name, weights, source, model, tuple(items), left(kind, items, store, model))


def left(kind: str, items: Sequence[Item], store: Store, model: Model | None) -> tuple[Item, ...]:
    """The items that the store lacks, longest first: the estimate gets better, and what is too long fails at once."""
    key = text_key if kind == ENCODER else pair_key
    keys = [key(item) for item in items]
    known = store.known(TABLES[kind], model, keys) if model else ()
    new = (item for item, one in zip(items, keys, strict=True) if one not in known)
    return tuple(sorted(new, key=signs, reverse=True))
