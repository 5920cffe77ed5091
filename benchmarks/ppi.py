"""How often do prediction-powered intervals hold the true mean, by how good the judge is and how many labels there are?

    python benchmarks/ppi.py [--samples 4000] [--queries 1000] [--seed 1] [--level 0.95] [--only fixed|trained]

Answers are right with probability p; a judge finds a right one right with its sensitivity, a wrong one wrong with its
specificity. Of the queries n are labelled, the others judged alone. Each row draws `samples` such tables and prints the
share of 95 % intervals that hold p, and their mean width: corrected (ragdash.evaluation.stats.prediction_powered),
the same without
pseudo-rectifiers, the labels alone (Wilson), and in brackets where the judge's own mean lies. The last rows are paired
differences: two runs judged by the same judge, p of the first as told and of the second 0.05 less, half of the queries
answered alike. Then the same with a judge that is trained on the labels themselves
(ragdash.analysis.judge_validation.trained_judge): answers have
four features that tell right from wrong, together as well as the judges above, and six that tell nothing; logistic
regression, cross-fitted in five folds, of both runs together for differences. Ends are not cut to the possible range.
Exit code 1 where a corrected interval covers less than asked by more than two standard errors; more than asked is
printed with a +: wider than need be, but no false claim.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from ragdash.analysis.judge_validation import FOLDS, PENALTY
from ragdash.analysis.judge_validation.estimates import wilson
from ragdash.evaluation.stats import LEVEL, cross_fitted, ppi

ASKED = (0.94, 0.99)
JUDGES = {"good": (0.95, 0.95), "middling": (0.85, 0.75), "poor": (0.65, 0.55)}  # sensitivity, specificity
TRUE, LABELS = (0.5, 0.8, 0.95), (20, 50, 150)
LESS, ALIKE = 0.05, 0.5
BATCH = 500  # samples in a call
APART = {"good": 3.3, "middling": 2.0, "poor": 0.8}  # standard deviations between right and wrong: 95, 84, 66 % told
TELLING, SILENT = 4, 6  # features
TRAINED_BATCH = 50


def judged(rng: np.random.Generator, right: np.ndarray, judge: tuple[float, float]) -> np.ndarray:
    """Verdicts on answers, 1 for right: as large as right."""
    return np.where(right == 1, rng.random(right.shape) < judge[0], rng.random(right.shape) >= judge[1]) * 1.0


def means(rng: np.random.Generator, p: float, judge: tuple[float, float], shape: tuple[int, int], n: int):
    """(verdicts, labels of all, true mean); the first n are labelled, of which the judge knows nothing."""
    right = (rng.random(shape) < p) * 1.0
    return judged(rng, right, judge), right, p


def two_runs(rng: np.random.Generator, p: float, shape: tuple[int, int]):
    """(which queries are answered alike, right answers of the first run, of the second)."""
    draws, alike = rng.random(shape), rng.random(shape) < ALIKE
    first = (draws < p) * 1.0
    return alike, first, np.where(alike, first, (rng.random(shape) < p - LESS / (1 - ALIKE)) * 1.0)


def differences(rng: np.random.Generator, p: float, judge: tuple[float, float], shape: tuple[int, int], n: int):
    """The same of differences between two runs; queries answered alike have the same answer and verdict."""
    alike, first, second = two_runs(rng, p, shape)
    verdict = judged(rng, first, judge)
    return np.where(alike, verdict, judged(rng, second, judge)) - verdict, second - first, -LESS


def features(rng: np.random.Generator, right: np.ndarray, apart: float) -> np.ndarray:
    """What a local judge sees of answers (queries, samples): (samples, queries, features)."""
    seen = rng.normal(size=(*right.T.shape, TELLING + SILENT))
    seen[..., :TELLING] += (right.T[..., None] - 0.5) * apart / np.sqrt(TELLING)
    return seen


def learned(rng: np.random.Generator, seen: list[np.ndarray], right: list[np.ndarray], n: int) -> list[np.ndarray]:
    """Verdicts on each run's answers (queries, samples) of the judge trained on the first n queries of all of them."""
    fold = rng.permuted(np.tile(np.arange(n) % FOLDS, (seen[0].shape[0], 1)), axis=1)
    own, models = cross_fitted(np.concatenate([one[:, :n] for one in seen], axis=1),
                               np.concatenate([one[:n].T for one in right], axis=1),
                               np.concatenate([fold] * len(seen), axis=1), penalty=PENALTY, folds=FOLDS)
    shares = (np.bincount(np.arange(n) % FOLDS) / n)[:, None]
    return [np.concatenate([part, (models.predict(one[:, None, n:]) * shares).sum(axis=1)], axis=1).T
            for part, one in zip(np.split(own, len(seen), axis=1), seen, strict=True)]


def trained_means(rng: np.random.Generator, p: float, apart: float, shape: tuple[int, int], n: int):
    """As means, by a judge that is trained on the labels."""
    right = (rng.random(shape) < p) * 1.0
    return learned(rng, [features(rng, right, apart)], [right], n)[0], right, p


def trained_differences(rng: np.random.Generator, p: float, apart: float, shape: tuple[int, int], n: int):
    """As differences, by a judge that is trained on the labels of both runs."""
    alike, first, second = two_runs(rng, p, shape)
    seen = features(rng, first, apart)
    other = np.where(alike.T[..., None], seen, features(rng, second, apart))
    one, two = learned(rng, [seen, other], [first, second], n)
    return two - one, second - first, -LESS


def coverage(kind, p: float, judge: tuple[float, float] | float, n: int,
             options: argparse.Namespace) -> dict[str, np.ndarray]:
    """{method: (share that holds the mean, mean width)}, and "judge": (its mean,)."""
    is_trained, is_mean = kind in TRAINED, kind in (means, trained_means)
    quality = judge if is_trained else judge[0]
    rng = np.random.default_rng((options.seed, n, round(100 * p), round(100 * quality), not is_mean))
    totals = {method: np.zeros(2) for method in ("corrected", "plain", "labels")}
    mean, batch = 0.0, TRAINED_BATCH if is_trained else BATCH
    for start in range(0, options.samples, batch):
        verdicts, right, true = kind(rng, p, judge, (options.queries, min(batch, options.samples - start)), n)
        labels = np.where(np.arange(options.queries)[:, None] < n, right, np.nan)
        mean += verdicts.mean(axis=0).sum()
        for method, pseudo in (("corrected", True), ("plain", False)):
            found = ppi(verdicts, labels, level=options.level, pseudo=pseudo)
            totals[method] += held(found.low, found.high, true)
        if is_mean:
            ends = {share: wilson(share, n, options.level) for share in set(np.unique(right[:n].mean(axis=0)))}
            totals["labels"] += held(*np.array([ends[share] for share in right[:n].mean(axis=0)]).T, true)
    return {**{method: total / options.samples for method, total in totals.items()},
            "judge": np.array([mean / options.samples])}


TRAINED = (trained_means, trained_differences)
NAMES = {means: "mean", differences: "difference", trained_means: "trained", trained_differences: "tr. diff."}


def held(low: np.ndarray, high: np.ndarray, true: float) -> list[float]:
    return [float(((low <= true) & (true <= high)).sum()), float((high - low).sum())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--level", type=float, default=LEVEL)
    parser.add_argument("--only", choices=("fixed", "trained"))
    options = parser.parse_args()
    error = np.sqrt(options.level * (1 - options.level) / options.samples)
    print(f"coverage of {options.level:.0%} intervals, {options.samples:,} samples of {options.queries:,} queries "
          f"(standard error {error:.2%}), asked: {ASKED[0]:.0%} to {ASKED[1]:.0%}; ! below, + above\n")
    print(f"{'':11s}{'judge':10s}{'p':>5s}{'(says)':>9s}{'n':>5s}{'corrected':>12s}{'width':>7s}"
          f"{'no pseudo':>12s}{'width':>7s}{'labels':>10s}{'width':>7s}")
    missed = 0
    for kind in NAMES:
        if options.only and (kind in TRAINED) != (options.only == "trained"):
            continue
        for name, judge in (APART if kind in TRAINED else JUDGES).items():
            for p in TRUE:
                for n in LABELS:
                    cells = coverage(kind, p, judge, n, options)
                    (share, width), (plain, narrow) = cells["corrected"], cells["plain"]
                    says = f"({cells['judge'][0]:.3f})"
                    mark = "!" if share < ASKED[0] else "+" if share > ASKED[1] else " "
                    missed += share < ASKED[0] - 2 * error
                    alone = "".join(f"{cells['labels'][i]:{form}}" for i, form in ((0, "10.1%"), (1, "7.3f")))
                    print(f"{NAMES[kind]:11s}{name:10s}{p:5.2f}"
                          f"{says:>9s}{n:5d}{share:11.1%}{mark}{width:7.3f}{plain:12.1%}{narrow:7.3f}"
                          f"{alone if kind in (means, trained_means) else ''}", flush=True)
    print(f"\nbelow what is asked by more than two standard errors: {int(missed)}")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
