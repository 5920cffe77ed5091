"""Letting models speak: which texts a semantic metric needs, how long that takes, and the work itself.

Run in a process of its own (`python -m ragdash score`); whoever evaluates or draws reads the cache. Each distinct text
goes to the model once, longest first, in blocks that are kept as soon as they are done: what is stopped goes on there.

Letters: N texts or pairs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeAlias

from ragdash.errors import InputError, Problem, Unavailable
from ragdash.matching import Match
from ragdash.metrics import Spec, parse_specs
from ragdash.models import ENCODER, SCORER, Encoder, Folder, Model, PairScorer, Store, default_store, found
from ragdash.models.cache import pair_key, text_key
from ragdash.records import Run, Truth
from ragdash.view_scored import NEEDS, Scored, wanted

FIRST_BLOCK, LAST_BLOCK, QUICK = 64, 4096, 0.5  # items at a time: twice as many while they take less than this, seconds
SIGNS_A_PIECE, LONGEST_PIECES = 4, 512  # of a text, before a model tells
SIZE_OF_GUESS, RATE_OF_GUESS = 90_868_376, 3_800.0  # bytes of a model, word pieces a second on a processor core
LOADING = 10.0  # seconds
TABLES = {ENCODER: "vectors", SCORER: "scores"}

Item: TypeAlias = str | tuple[str, str]
Source: TypeAlias = Folder | Encoder | PairScorer


@dataclass(frozen=True)
class Progress:
    """Where the work stands. stage: "loading" or "computing"; done, total: texts or pairs of this model; rate: of them
    a second, left: seconds, both None before the first block.
    """

    kind: str
    model: str
    stage: str
    done: int
    total: int
    rate: float | None = None
    left: float | None = None

    def as_dict(self) -> dict:
        return asdict(self)

    def __str__(self) -> str:
        if self.stage == "loading":
            return f"{self.model}: loading"
        what = "texts" if self.kind == ENCODER else "pairs"
        pace = "" if self.rate is None else f", {self.rate:,.1f} a second, {duration(self.left)} left"
        return f"{self.model}: {self.done:,} of {self.total:,} {what}{pace}"


Listener: TypeAlias = Callable[[Progress], bool | None]
"""Told of progress; an answer of False stops the work after the block."""


@dataclass(frozen=True)
class Task:
    """What one model has to do. items: all that the metrics need; todo: those the store lacks, longest first; model:
    what the store knows of it, None where it is new.
    """

    kind: str
    name: str
    weights: str
    source: Source
    model: Model | None
    items: tuple[Item, ...]
    todo: tuple[Item, ...]

    @property
    def seconds(self) -> float | None:
        """How long that takes, about: at the pace of the last time, or by the size of the model; None: no idea."""
        if not self.todo:
            return 0.0
        rate = self.model.rate if self.model else None
        if rate is None and isinstance(self.source, Folder) and self.source.bytes:
            rate = RATE_OF_GUESS * SIZE_OF_GUESS / self.source.bytes
        longest = self.model.max_length if self.model else LONGEST_PIECES
        return None if not rate else LOADING + sum(_pieces(item, longest) for item in self.todo) / rate


@dataclass(frozen=True)
class Plan:
    """The work before it is done; problems: of runs that have nothing to score."""

    names: tuple[str, ...]
    tasks: tuple[Task, ...]
    scored: tuple[Scored, ...]
    store: Store
    problems: tuple[Problem, ...] = ()

    def __str__(self) -> str:
        return "\n".join(f"{task.name}: {len(task.todo):,} {'texts' if task.kind == ENCODER else 'pairs'} to compute, "
                         f"{len(task.items) - len(task.todo):,} known" + (
                             "" if not task.todo else ", it is not known how long that takes" if task.seconds is None
                             else f", about {duration(task.seconds)}") for task in self.tasks)


@dataclass(frozen=True)
class Report:
    """What was done. computed, reused: texts and pairs; cancelled: stopped before the end, what is done is kept;
    problems: runs without answers, texts that were cut, metrics computed in part.
    """

    computed: int
    reused: int
    seconds: float
    cancelled: bool
    models: tuple[str, ...]
    problems: tuple[Problem, ...]

    def as_dict(self) -> dict:
        return {**asdict(self), "problems": [problem.as_dict() for problem in self.problems]}

    def __str__(self) -> str:
        end = "stopped; the same command goes on from here" if self.cancelled else "done"
        return f"{self.computed:,} computed, {self.reused:,} known before, {duration(self.seconds)}: {end}"


def score(runs: Iterable[Run], truth: Truth, metrics: str | Iterable[str | Spec] = "SBERT", *,
          model: str | Encoder | None = None, cross_encoder: str | PairScorer | None = None,
          store: Store | None = None, progress: Listener | None = None, device: str | None = None,
          hub: bool = False) -> Report:
    """Compute what semantic metrics need and keep it; what is kept already is not computed again.

    model, cross_encoder: a folder, NAME=folder, a name that is in the hub's cache, or any Encoder and PairScorer;
    None: as the environment says. hub: fetch the models if they are not here. Raises InputError where a metric is not
    of this kind, a model cannot be used, or no run has answers.
    """
    return work(plan(runs, truth, metrics, model=model, cross_encoder=cross_encoder, store=store, hub=hub),
                progress=progress, device=device)


def plan(runs: Iterable[Run], truth: Truth, metrics: str | Iterable[str | Spec] = "SBERT", *,
         model: str | Encoder | None = None, cross_encoder: str | PairScorer | None = None,
         store: Store | None = None, hub: bool = False) -> Plan:
    """What `score` would do; nothing is loaded or computed."""
    names, store = _names(metrics), store or default_store()
    scored, problems = _scored(runs, truth, store)
    given = {ENCODER: model, SCORER: cross_encoder}
    sources, wrong = {}, []
    for kind in dict.fromkeys(NEEDS[name].kind for name in names):
        try:
            sources[kind] = _source(kind, given[kind], hub)
        except InputError as error:
            wrong += error.problems
    if wrong:
        raise InputError(wrong)
    texts, pairs = wanted(scored, names)
    tasks = (_task(kind, source, texts if kind == ENCODER else pairs, store) for kind, source in sources.items())
    return Plan(names, tuple(tasks), tuple(scored), store, tuple(problems))


def work(plan: Plan, *, progress: Listener | None = None, device: str | None = None) -> Report:
    """Do what is planned. Ctrl+C, or a listener that answers False, stops it; what is done is kept."""
    start, computed, cancelled = time.monotonic(), 0, False
    try:
        for task in plan.tasks:
            for done in _computed(task, plan.store, device, progress or (lambda _: None)):
                computed += done
    except (KeyboardInterrupt, _Stopped):
        cancelled = True
    models = [plan.store.named(task.kind, task.name) for task in plan.tasks]
    problems = [*plan.problems, *(problem for one in plan.scored for name in plan.names
                                  for problem in one.problems(name))]
    return Report(computed, sum(len(task.items) - len(task.todo) for task in plan.tasks), time.monotonic() - start,
                  cancelled, tuple(str(model) for model in models if model), tuple(dict.fromkeys(problems)))


def duration(seconds: float) -> str:
    """12 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


class _Stopped(Exception):
    """The listener said so."""


def _names(metrics: str | Iterable[str | Spec]) -> tuple[str, ...]:
    specs = parse_specs(metrics)
    wrong = [Problem("not-a-model-metric", repr(str(spec)), f"one of {', '.join(NEEDS)}",
                     "Leave it out here; it needs no model.", field="--metrics") for spec in specs
             if spec.name not in NEEDS]
    if wrong or not specs:
        raise InputError(wrong or [Problem("no-metric", "no metric", f"one of {', '.join(NEEDS)}", "Name one.",
                                           field="--metrics")])
    return tuple(dict.fromkeys(spec.name for spec in specs))


def _scored(runs: Iterable[Run], truth: Truth, store: Store) -> tuple[list[Scored], list[Problem]]:
    """The views of the runs that have answers, and the problems of the others; InputError where none has."""
    scored, problems = [], []
    for run in runs:
        try:
            answered = Match(run, truth).answered
        except Unavailable as missing:
            problems.append(missing.problem)
            continue
        scored.append(Scored(answered.answers, answered.references, answered.questions, store, run.name))
    if not scored:
        raise InputError([replace(problem, severity="error") for problem in dict.fromkeys(problems)])
    return scored, problems


def _source(kind: str, given: str | Encoder | PairScorer | None, hub: bool) -> Source:
    if given is not None and not isinstance(given, str):
        return given
    try:
        return found(kind, given)
    except InputError as error:
        if not (hub and given and error.problems[0].kind == "no-model"):
            raise
    from ragdash.models.sentence import fetched

    return fetched(kind, given)


def _task(kind: str, source: Source, items: Sequence[Item], store: Store) -> Task:
    weights = source.weights() if isinstance(source, Folder) else source.weights
    name = getattr(source, "name", type(source).__name__)
    length = getattr(source, "max_length", None)  # of a folder it shows when the model is loaded
    known = [model for model in store.models(kind) if model.weights == weights and length in (None, model.max_length)]
    model = known[0] if known else None
    return Task(kind, name, weights, source, model, tuple(items), _todo(kind, items, store, model))


def _todo(kind: str, items: Sequence[Item], store: Store, model: Model | None) -> tuple[Item, ...]:
    """The items that the store lacks, longest first: the estimate gets better, and what is too long fails at once."""
    key = text_key if kind == ENCODER else pair_key
    keys = [key(item) for item in items]
    known = store.known(TABLES[kind], model, keys) if model else ()
    left = (item for item, one in zip(items, keys, strict=True) if one not in known)
    return tuple(sorted(left, key=_signs, reverse=True))


def _computed(task: Task, store: Store, device: str | None, tell: Listener) -> Iterator[int]:
    """Compute and keep what is to do, and say after each block how many items it had."""
    if not task.todo:
        if task.model:
            store.use(task.kind, task.name, task.weights, task.model.max_length, task.model.activation)
        return
    _tell(tell, Progress(task.kind, task.name, "loading", 0, len(task.todo)))
    source = _loaded(task.source, device)
    model = store.use(task.kind, task.name, task.weights, source.max_length, getattr(source, "activation", ""))
    todo = _todo(task.kind, task.items, store, model)  # another process may have been at it
    weight = [_pieces(item, model.max_length) for item in todo]
    ahead, size, at, begin, done_weight = sum(weight), FIRST_BLOCK, 0, time.monotonic(), 0.0
    while at < len(todo):
        started, block = time.monotonic(), todo[at:at + size]
        _keep(task.kind, source, store, model, block)
        done_weight += sum(weight[at:at + size])
        at += len(block)
        spent = max(time.monotonic() - begin, 1e-6)
        size = min(size * 2, LAST_BLOCK) if time.monotonic() - started < QUICK else size
        yield len(block)
        if at == len(todo):
            store.timed(model, done_weight / spent)
        _tell(tell, Progress(task.kind, task.name, "computing", at, len(todo), at / spent,
                             spent * (ahead - done_weight) / done_weight))


def _loaded(source: Source, device: str | None) -> Encoder | PairScorer:
    if not isinstance(source, Folder):
        return source
    from ragdash.models.sentence import load

    return load(source, device)


def _keep(kind: str, source: Encoder | PairScorer, store: Store, model: Model, block: Sequence[Item]) -> None:
    values = source.encode(block) if kind == ENCODER else source.score(block)
    key = text_key if kind == ENCODER else pair_key
    store.put(TABLES[kind], model, [key(item) for item in block], source.cut(block), values)


def _tell(tell: Listener, progress: Progress) -> None:
    if tell(progress) is False:
        raise _Stopped


def _signs(item: Item) -> int:
    return len(item) if isinstance(item, str) else sum(map(len, item))


def _pieces(item: Item, longest: int) -> float:
    """Word pieces that a model reads of a text or pair, about."""
    pieces = _signs(item) / SIGNS_A_PIECE + 2
    return min(pieces, longest) if longest else pieces
