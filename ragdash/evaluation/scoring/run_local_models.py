"""Run local models: longest texts first, in shards that are stored as soon as they are done.

Letters: N texts or pairs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

import numpy as np

from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.evaluation.scoring.plan import (
    LONGEST_PIECES,
    TABLES,
    Item,
    ScoringListener,
    ScoringPlan,
    ScoringProgress,
    ScoringReport,
    ScoringTask,
    word_pieces,
)
from ragdash.evaluation.scoring.required_scores import items_to_compute, plan_scoring
from ragdash.metrics import Spec
from ragdash.models.engines import LOCAL, Engine, Task
from ragdash.models.local import ENCODER, Encoder, PairScorer, ScoreCache
from ragdash.models.local.model_work import ModelWork
from ragdash.models.local.score_cache import pair_key, text_key
from ragdash.models.local.sentence_transformers import BATCH, thread_count

FIRST_BLOCK, LAST_BLOCK = 64, 512  # items of the first shard, and at most; each has twice as many as the one before
MOST_PIECES = 16_384  # word pieces of a shard, about: some seconds of one core with a small model


def score(runs: Iterable[Run], truth: Truth, metrics: str | Iterable[str | Spec] = "SBERT", *,
          model: str | Encoder | None = None, cross_encoder: str | PairScorer | None = None,
          nli: str | PairScorer | None = None, store: ScoreCache | None = None, progress: ScoringListener | None = None,
          device: str | None = None, hub: bool = False, evidence: bool = False,
          engine: Engine = LOCAL) -> ScoringReport:
    """Compute what semantic metrics need and keep it; what is kept already is not computed again.

    model, cross_encoder, nli: a folder, NAME=folder, a name that is in the hub's cache, or any Encoder and PairScorer;
    None: as the environment says. hub: fetch the models if they are not here. evidence: also what how="embedding"
    needs of chunks and gold spans (metrics may then be empty). engine: where the models run.
    Raises InputError where a metric is not of this kind, a model cannot be used, or no run has what is needed.
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
        engine=engine,
    )


@checked
def run_plan(plan: ScoringPlan, *, progress: ScoringListener | None = None, device: str | None = None,
             engine: Engine = LOCAL) -> ScoringReport:
    """Do what is planned. Ctrl+C, or a listener that answers False, stops it; what is done is kept."""
    start, computed, cancelled = time.monotonic(), 0, False
    try:
        for task in plan.tasks:
            for block_size in _compute_task(task, plan.store, device, engine, progress or (lambda _: None)):
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


def _compute_task(task: ScoringTask, store: ScoreCache, device: str | None, engine: Engine,
                  tell: ScoringListener) -> Iterator[int]:
    """Compute and keep what is to do, and say after each shard how many items it had."""
    todo = task.todo and items_to_compute(task.kind, task.items, store, task.model)  # another process may have been
    if not todo:  # at it
        if task.model:
            store.use(task.kind, task.name, task.weights, task.model.max_length, task.model.activation)
        return
    of_task = {"kind": task.kind, "model": task.name}
    _report_progress(tell, ScoringProgress(**of_task, stage="loading", done=0, total=len(todo)))
    work = ModelWork(task.kind, task.source, task.weights, device, thread_count())
    if engine.name == LOCAL.name:
        work.load()
    key = text_key if task.kind == ENCODER else pair_key
    model, pieces, done, begin = task.model, np.zeros(0), 0, time.monotonic()
    shards = list(shards_of(todo))
    needs = Task(work, cores=work.threads, gpus=float(str(device).startswith("cuda")))
    with closing(engine.map(needs, shards)) as results:
        for shard, values in zip(shards, results, strict=True):
            if not done:
                model = store.use(task.kind, task.name, task.weights, values.max_length, values.activation)
                pieces = np.array([word_pieces(item, model.max_length) for item in todo])
            store.save(TABLES[task.kind], model, list(map(key, shard)), values.cut, values.values)
            done += len(shard)
            elapsed, share = max(time.monotonic() - begin, 1e-6), float(pieces[:done].sum() / pieces.sum())
            yield len(shard)
            if done == len(todo) and engine.name == LOCAL.name:
                store.save_rate(model, float(pieces.sum()) / elapsed)
            _report_progress(tell, ScoringProgress(**of_task, stage="computing", done=done, total=len(todo),
                                                   rate=done / elapsed, left=elapsed * (1 / share - 1)))


def shards_of(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The items in shards of whole batches, small ones first, which show soon how long it takes. The cut depends on the
    texts alone: not on the engine, its workers or how fast they are.
    """
    position, size = 0, FIRST_BLOCK
    while position < len(items):
        end, pieces = position, 0.0
        while end < min(position + size, len(items)) and pieces < MOST_PIECES:
            batch = items[end:end + BATCH]
            pieces += sum(word_pieces(item, LONGEST_PIECES) for item in batch)
            end += len(batch)
        yield items[position:end]
        position, size = end, min(size * 2, LAST_BLOCK)


def _report_progress(tell: ScoringListener, progress: ScoringProgress) -> None:
    if tell(progress) is False:
        raise _Stopped
