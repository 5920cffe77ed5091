"""Plan what semantic metrics and evidence by embedding need of each model. Loads no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.evaluation.scoring.plan import TABLES, Item, ModelSource, ScoringPlan, ScoringTask, characters
from ragdash.matching.evidence import embedded_texts
from ragdash.matching.match import Match
from ragdash.matching.views.judged import RELEVANCY
from ragdash.matching.views.local_models import NEEDS, Scored, needed_inputs
from ragdash.matching.views.nli import NAME, Entailed
from ragdash.metrics import Spec, parse_specs
from ragdash.models.local import (
    ENCODER,
    NLI,
    SCORER,
    Encoder,
    Folder,
    Model,
    PairScorer,
    ScoreCache,
    default_score_cache,
    find_model_folder,
)
from ragdash.models.local.score_cache import pair_key, text_key


@checked
def plan_scoring(runs: Iterable[Run], truth: Truth, metrics: str | Iterable[str | Spec] = "SBERT", *,
         model: str | Encoder | None = None, cross_encoder: str | PairScorer | None = None,
         nli: str | PairScorer | None = None, store: ScoreCache | None = None, hub: bool = False,
         evidence: bool = False) -> ScoringPlan:
    """What `score` would do; nothing is loaded or computed."""
    requested, store, runs = (
        () if evidence and not metrics else _names(metrics),
        store or default_score_cache(),
        list(runs),
    )
    names, scored, problems = _scored(runs, truth, [name for name in requested if name in NEEDS], store)
    spans, span_problems = _spans(runs, truth) if evidence else ({}, [])
    questions, question_problems = _generated_questions(runs, truth, store) if RELEVANCY in requested else ({}, [])
    entailed, lacking = _entailed(runs, truth, store) if NAME in requested else ([], [])
    spans, problems = spans | questions, [*problems, *span_problems, *question_problems, *lacking]
    if not scored and not spans and not entailed:
        raise InputError([replace(problem, severity="error") for problem in dict.fromkeys(problems)])
    texts, pairs = needed_inputs(scored, names)  # a run that lacks references has no pairs with them
    items = {ENCODER: list(dict.fromkeys((*texts, *spans))), SCORER: pairs,
             NLI: list(dict.fromkeys(pair for view in entailed for pair in view.pairs()[2]))}
    kinds = dict.fromkeys((*(NEEDS[name].kind for name in names), *([ENCODER] if spans else []),
                           *([NLI] if entailed else [])))
    sources = _sources(kinds, {ENCODER: model, SCORER: cross_encoder, NLI: nli}, hub)
    names = (*names, NAME) if entailed else names
    tasks = (_task(kind, source, items[kind], store) for kind, source in sources.items())
    return ScoringPlan(names, tuple(tasks), (*scored, *entailed), store, tuple(problems))


def plan_texts(texts: Sequence[str], model: str | Encoder | None = None,
               store: ScoreCache | None = None) -> ScoringPlan:
    """Embedding these texts alone; nothing is loaded or computed. InputError where there is no such model."""
    store = store or default_score_cache()
    return ScoringPlan((), (_task(ENCODER, _source(ENCODER, model, False), texts, store),), (), store)


def _names(metrics: str | Iterable[str | Spec]) -> tuple[str, ...]:
    specs = parse_specs(metrics)
    accepted = (*NEEDS, RELEVANCY, NAME)
    wrong = [Problem("not-a-model-metric", {"spec": str(spec), "metrics": list(accepted)}, field="--metrics")
             for spec in specs if spec.name not in accepted]
    if wrong or not specs:
        raise InputError(wrong or [Problem("no-metric", {"metrics": list(accepted)}, field="--metrics")])
    return tuple(dict.fromkeys(spec.name for spec in specs))


def _scored(runs: Sequence[Run], truth: Truth, names: Sequence[str],
            store: ScoreCache) -> tuple[tuple[str, ...], list[Scored], list[Problem]]:
    """(metrics that some run has the texts for, the views of these runs, what is lacking)."""
    scored, problems, possible = [], [], set()
    for run in runs if names else ():
        available = set()
        for counterpart in dict.fromkeys(NEEDS[name].against for name in names):
            try:
                view = replace(Match(run, truth).scored, store=store)
                view.need(counterpart)
                available.add(counterpart)
            except Unavailable as missing:
                problems.append(missing.problem)
        scored += [view] if available else []
        possible |= available
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


def _entailed(runs: Sequence[Run], truth: Truth, store: ScoreCache) -> tuple[list[Entailed], list[Problem]]:
    """The views of the runs that have answers and contexts, the problems of the others."""
    views, problems = [], []
    for run in runs:
        view = replace(Match(run, truth).entailed, store=store)
        try:
            view.pairs()
            views.append(view)
        except Unavailable as missing:
            problems.append(missing.problem)
    return views, problems


def _generated_questions(runs: Sequence[Run], truth: Truth, store: ScoreCache) -> tuple[dict[str, None], list[Problem]]:
    """The questions that judges made of answers, and their queries; the problems of runs without."""
    texts, problems = {}, []
    for run in runs:
        view = replace(Match(run, truth).judged, store=store)
        embedded = view.embedded_texts()
        texts |= dict.fromkeys(embedded)
        if not embedded:
            problems.append(Problem("nothing-to-embed/questions", {"run": run.name, "metric": RELEVANCY},
                                    field=RELEVANCY, severity="warning"))
    return texts, problems


def _sources(kinds: Iterable[str], choices: dict, hub: bool) -> dict[str, ModelSource]:
    """The model of each kind; InputError with what is wrong with any."""
    sources, wrong = {}, []
    for kind in kinds:
        try:
            sources[kind] = _source(kind, choices[kind], hub)
        except InputError as error:
            wrong += error.problems
    if wrong:
        raise InputError(wrong)
    return sources


def _source(kind: str, choice: str | Encoder | PairScorer | None, hub: bool) -> ModelSource:
    if choice is not None and not isinstance(choice, str):
        return choice
    try:
        return find_model_folder(kind, choice)
    except InputError as error:
        if not (hub and choice and error.problems[0].kind == "no-model"):
            raise
    from ragdash.models.local.sentence_transformers import fetched

    return fetched(kind, choice)


def _task(kind: str, source: ModelSource, items: Sequence[Item], store: ScoreCache) -> ScoringTask:
    weights = source.weights() if isinstance(source, Folder) else source.weights
    name = getattr(source, "name", type(source).__name__)
    length = getattr(source, "max_length", None)  # of a folder it shows when the model is loaded
    models = [model for model in store.models(kind) if model.weights == weights and length in (None, model.max_length)]
    model = models[0] if models else None
    return ScoringTask(kind, name, weights, source, model, tuple(items), items_to_compute(kind, items, store, model))


def items_to_compute(kind: str, items: Sequence[Item], store: ScoreCache, model: Model | None) -> tuple[Item, ...]:
    """The items that the store lacks, longest first: the estimate gets better, and what is too long fails at once."""
    key = text_key if kind == ENCODER else pair_key
    keys = [key(item) for item in items]
    known_keys = store.known_keys(TABLES[kind], model, keys) if model else ()
    new = (item for item, item_key in zip(items, keys, strict=True) if item_key not in known_keys)
    return tuple(sorted(new, key=characters, reverse=True))
