"""Run local models: longest texts first, in blocks that are stored as soon as they are done.

Letters: N texts or pairs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from ragdash.core.records import Run, Truth
from ragdash.evaluation.scoring.plan import (
    TABLES,
    Item,
    ModelSource,
    ScoringListener,
    ScoringPlan,
    ScoringProgress,
    ScoringReport,
    ScoringTask,
    word_pieces,
)
from ragdash.evaluation.scoring.required_scores import items_to_compute, plan_scoring
from ragdash.metrics import Spec
from ragdash.models.local import ENCODER, Encoder, Folder, Model, PairScorer, ScoreCache
from ragdash.models.local.score_cache import pair_key, text_key

FIRST_BLOCK, LAST_BLOCK, QUICK = 64, 4096, 0.5  # items at a time: twice as many while they take less than this, seconds


def score(runs: Iterable[Run], truth: Truth, metrics: str | Iterable[str | Spec] = "SBERT", *,
          model: str | Encoder | None = None, cross_encoder: str | PairScorer | None = None,
          nli: str | PairScorer | None = None, store: ScoreCache | None = None, progress: ScoringListener | None = None,
          device: str | None = None, hub: bool = False, evidence: bool = False) -> ScoringReport:
    """Compute what semantic metrics need and keep it; what is kept already is not computed again.

    model, cross_encoder, nli: a folder, NAME=folder, a name that is in the hub's cache, or any Encoder and PairScorer;
    None: as the environment says. hub: fetch the models if they are not here. evidence: also what how="embedding"
    needs of chunks and gold spans (metrics may then be empty). Raises InputError where a metric is not of this kind, a
    model cannot be used, or no run has what is needed.
    """
    return run_plan(
        plan_scoring(
            runs,
            truth,
            metrics,
            model=model,
            cross_encoder=cross_encoder,
            nli=nli,
            store=store,
            hub=hub,
            evidence=evidence,
        ),
        progress=progress,
        device=device,
    )


def run_plan(plan: ScoringPlan, *, progress: ScoringListener | None = None, device: str | None = None) -> ScoringReport:
    """Do what is planned. Ctrl+C, or a listener that answers False, stops it; what is done is kept."""
    start, computed, cancelled = time.monotonic(), 0, False
    try:
        for task in plan.tasks:
            for block_size in _compute_task(task, plan.store, device, progress or (lambda _: None)):
                computed += block_size
    except (KeyboardInterrupt, _Stopped):
        cancelled = True
    models = [plan.store.find_model(task.kind, task.name) for task in plan.tasks]
    problems = [*plan.problems, *(problem for view in plan.scored for name in plan.names
                                  for problem in view.problems(name))]
    return ScoringReport(
        computed,
        sum(len(task.items) - len(task.todo) for task in plan.tasks),
        time.monotonic() - start,
        cancelled,
        tuple(str(model) for model in models if model),
        tuple(dict.fromkeys(problems)),
    )


class _Stopped(Exception):
    """The listener said so."""


def _compute_task(task: ScoringTask, store: ScoreCache, device: str | None, tell: ScoringListener) -> Iterator[int]:
    """Compute and keep what is to do, and say after each block how many items it had."""
    if not task.todo:
        if task.model:
            store.use(task.kind, task.name, task.weights, task.model.max_length, task.model.activation)
        return
    _report_progress(
        tell, ScoringProgress(kind=task.kind, model=task.name, stage="loading", done=0, total=len(task.todo))
    )
    source = _load_source(task.source, device)
    model = store.use(task.kind, task.name, task.weights, source.max_length, getattr(source, "activation", ""))
    todo = items_to_compute(task.kind, task.items, store, model)  # another process may have been at it
    weight = [word_pieces(item, model.max_length) for item in todo]
    ahead, size, position, begin, done_weight = sum(weight), FIRST_BLOCK, 0, time.monotonic(), 0.0
    while position < len(todo):
        block_start, block = time.monotonic(), todo[position:position + size]
        _store_values(task.kind, source, store, model, block)
        done_weight += sum(weight[position:position + size])
        position += len(block)
        elapsed = max(time.monotonic() - begin, 1e-6)
        size = min(size * 2, LAST_BLOCK) if time.monotonic() - block_start < QUICK else size
        yield len(block)
        if position == len(todo):
            store.save_rate(model, done_weight / elapsed)
        _report_progress(
            tell,
            ScoringProgress(
                kind=task.kind,
                model=task.name,
                stage="computing",
                done=position,
                total=len(todo),
                rate=position / elapsed,
                left=elapsed * (ahead - done_weight) / done_weight,
            ),
        )


def _load_source(source: ModelSource, device: str | None) -> Encoder | PairScorer:
    if not isinstance(source, Folder):
        return source
    from ragdash.models.local.sentence_transformers import load

    return load(source, device)


def _store_values(
    kind: str, source: Encoder | PairScorer, store: ScoreCache, model: Model, block: Sequence[Item]
) -> None:
    values = source.encode(block) if kind == ENCODER else source.score(block)
    key = text_key if kind == ENCODER else pair_key
    store.save(TABLES[kind], model, [key(item) for item in block], source.cut(block), values)


def _report_progress(tell: ScoringListener, progress: ScoringProgress) -> None:
    if tell(progress) is False:
        raise _Stopped
