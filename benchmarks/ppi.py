"""How often do intervals of a mean and of a paired difference contain the true value, and how wide are they?

    python benchmarks/ppi.py [--samples 2000] [--fresh 20000] [--seed 1] [--quick] [--verdicts]
                             [--only means|sampled|differences|groups|trained]

People label n answers, a judge judges n + N = 200 to 2,000. Answers are right with probability p. A judge calls a right
answer right with its sensitivity, a wrong one wrong with its specificity. For paired differences two runs answer a
share of the queries alike, the others independently. Two of the judges treat the runs differently.

Each cell (judge, p, N, n) draws `samples` tables. Printed for each method (benchmarks/ppi_methods.py): the lowest
coverage of a cell, by n too, how many cells cover less than 94 %, and the mean width relative to that of the labels
alone, in all cells, with good judges and n >= 30, and the largest.

The verdict on the adopted method and on the labels alone has a rule that is fixed before anything is drawn. The lowest
of thousands of cells is low by chance too. So each cell whose first estimate is less than three standard errors above
94 % (95.6 % with 2,000 samples) is drawn again, `fresh` times, with another seed. The fresh estimate alone is its
verdict: together with the first one, which was chosen for being low, it would be too low. The other cells have their
first estimate as verdict. A cell that covers less than 94 % escapes the second draw with a chance of about 1 in 1,000.
`--verdicts` leaves out the methods that get none: the same tables, a sixth of the time.

`sampled`: methods for means that draw random numbers themselves, on the quick grid.
`groups`: answers to questions of one document depend on each other; intervals with and without knowing the documents.
Groups of 3, 5, 10, or 1 to 9 queries; a query shares the right or wrong of its group with probability 0.3, 0.8 or 1;
whole groups or single queries are labeled. Cells with an interval in half of the samples or more count (10 labeled
groups).
`trained`: a judge that is trained on the labels themselves (ragdash.analysis.judge_validation.trained_judge): answers
have four features that show right and wrong, together as well as the judges, and six that show nothing.

Exit code 1 where a verdict is below 94 %.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np
from ppi_methods import DIFFERENCES, MEANS, SAMPLED, draw

from ragdash.analysis.judge_validation import FOLDS, PENALTY
from ragdash.evaluation.stats import cross_fitted, label_interval, ppi

BOUND = 0.94  # of the coverage of every cell
ERRORS = 3  # standard errors above BOUND: a first estimate below that is no verdict
SHOWN = 10  # of the cells drawn again, the lowest
JUDGES = {  # sensitivity, specificity
    "perfect": (1.0, 1.0), "good": (0.95, 0.95), "strict": (0.85, 0.98), "lenient": (0.98, 0.6),
    "middling": (0.85, 0.75), "poor": (0.65, 0.55), "useless": (0.5, 0.5), "always yes": (1.0, 0.0),
    "inverted": (0.3, 0.3)}
GOOD = ("perfect", "good", "strict")
PAIRS = {**{name: (judge, judge) for name, judge in JUDGES.items()},
         "lenient to B": ((0.85, 0.85), (0.98, 0.5)), "strict to B": ((0.95, 0.9), (0.7, 0.98))}
TRUE = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
QUERIES, LABELS = (200, 500, 1000, 2000), (20, 30, 50, 80, 150)
LESS, ALIKE = (0.0, 0.05, -0.05, -0.2), (0.5, 0.9)
QUICK = {"TRUE": (0.5, 0.95), "QUERIES": (200, 1000), "LABELS": (20, 50, 150)}
APART = {"good": 3.3, "middling": 2.0, "poor": 0.8}  # standard deviations between right and wrong
QUERIES_IN_GROUPS, SIZES, SAME = 600, (3, 5, 10, "unequal"), (0.3, 0.8, 1.0)
TELLING, SILENT = 4, 6  # features


def mean_cells(grid: dict) -> Iterator[tuple]:
    """(cell, probability of each kind, label, verdict, true value)."""
    y, f = np.array([1, 1, 0, 0.0]), np.array([1, 0, 1, 0.0])
    for name, (hit, reject) in JUDGES.items():
        for p in grid["TRUE"]:
            kinds = np.array([p * hit, p * (1 - hit), (1 - p) * (1 - reject), (1 - p) * reject])
            yield (name, p), kinds, y, f, p


def difference_cells(grid: dict) -> Iterator[tuple]:
    """The same of paired differences; kinds are pairs of differences of labels and of verdicts."""
    y, f = np.repeat([-1.0, 0, 1], 3), np.tile([-1.0, 0, 1], 3)
    for name, (first, second) in PAIRS.items():
        for p in grid["TRUE"]:
            for less in LESS:
                for alike in ALIKE:
                    if 0 <= p + less / (1 - alike) <= 1:
                        kinds = _pairs(p, p + less / (1 - alike), alike, first, second)
                        yield (name, p, less, alike), kinds, y, f, less


def _pairs(p: float, q: float, alike: float, first: tuple, second: tuple) -> np.ndarray:
    """Probability of each pair (difference of labels, of verdicts): (9,)."""
    kinds = np.zeros((3, 3))
    kinds[1, 1] = alike
    for a in (0, 1):
        for b in (0, 1):
            weight = (1 - alike) * (p if a else 1 - p) * (q if b else 1 - q)
            yes = first[0] if a else 1 - first[1], second[0] if b else 1 - second[1]
            for u in (0, 1):
                for v in (0, 1):
                    share = (yes[0] if u else 1 - yes[0]) * (yes[1] if v else 1 - yes[1])
                    kinds[b - a + 1, v - u + 1] += weight * share
    return kinds.ravel()


METHODS = {"means": (MEANS, mean_cells), "sampled": (SAMPLED, mean_cells),
           "differences": (DIFFERENCES, difference_cells)}


def simulate(kind: str, cell: tuple, samples: int, seed: int, methods: dict) -> dict[str, tuple[float, float]]:
    """{method: (coverage, mean width)} of a cell (case, N, n)."""
    (case, kinds, y, f, true), queries, n = cell
    is_mean = kind != "differences"
    rng = np.random.default_rng([seed, queries, n, is_mean, *"|".join(map(str, case)).encode()])
    table = draw(rng, kinds, y, f, n, queries - n, samples, (0.0, 1.0) if is_mean else (-1.0, 1.0))
    result = {}
    for name, method in methods.items():
        low, high = method(table, rng)
        covered = (low <= true + 1e-12) & (true <= high + 1e-12)
        result[name] = float(covered.mean()), float((high - low).mean())
    return result


def compare(kind: str, options: argparse.Namespace, grid: dict) -> int:
    """Print the methods over the grid; the number of verdicts below the bound."""
    methods, cells = METHODS[kind]
    judged = {name: methods[name] for name in ("adopted", list(methods)[-1])}
    methods = judged if options.verdicts else methods
    every = [(case, queries, n) for case in cells(grid) for queries in grid["QUERIES"] for n in grid["LABELS"]]
    results = [simulate(kind, cell, options.samples, options.seed, methods) for cell in every]
    sizes = np.array([cell[2] for cell in every])
    good = np.array([cell[0][0][0] in GOOD for cell in every]) & (sizes >= 30)
    alone = np.array([result[list(methods)[-1]][1] for result in results])
    print(f"\n{kind}: {len(every):,} cells, {options.samples:,} samples each\n\n{'':27s}{'lowest':>7s}{'< 94 %':>8s}"
          + "".join(f"{f'n = {n}':>9s}" for n in grid["LABELS"]) + f"{'width':>9s}{'good':>7s}{'largest':>9s}")
    for name in methods:
        cover, width = np.array([result[name] for result in results]).T
        lowest = "".join(f"{cover[sizes == n].min():9.1%}" for n in grid["LABELS"])
        ratio = width / alone
        print(f"{name:27s}{cover.min():7.1%}{(cover < 0.94).sum():8,d}{lowest}{ratio.mean():9.2f}"
              f"{ratio[good].mean():7.2f}{ratio[sizes >= 30].max():9.2f}", flush=True)

    def again(index: int) -> np.ndarray:
        return np.array(list(simulate(kind, every[index], options.fresh, options.seed + 1, judged).values()))

    first = np.array([[result[name] for name in judged] for result in results])
    names = [(*case[0], f"N = {queries:,}", f"n = {n}") for case, queries, n in every]
    return verdicts(names, first, again, options)


def verdicts(cells: Sequence[tuple], first: np.ndarray, again: Callable[[int], np.ndarray],
             options: argparse.Namespace) -> int:
    """Print the verdicts on the adopted method and the labels alone; the number of those below the bound.

    first: (cells, 2, 2), coverage and width of both in the first draw; again(index) the same of a cell, drawn anew.
    """
    enough = BOUND + ERRORS * np.sqrt(BOUND * (1 - BOUND) / options.samples)
    chosen = np.flatnonzero(first[:, :, 0].min(axis=1) < enough)
    final = first.copy()
    for index in chosen:
        final[index] = again(int(index))
    cover = final[:, :, 0]
    lowest, below = cover.min(axis=0), (cover < BOUND).sum(axis=0)
    print(f"\nFirst estimate below {enough:.2%}: {len(chosen):,} of {len(cells):,} cells, drawn again "
          f"{options.fresh:,} times each with seed {options.seed + 1}.\nVerdict of every cell: adopted {lowest[0]:.2%} "
          f"or more, labels alone {lowest[1]:.2%} or more; below {BOUND:.0%}: {below[0]} and {below[1]}. The lowest "
          "drawn again:")
    for index in sorted(chosen, key=lambda index: cover[index].min())[:SHOWN]:
        (covers, width), (other, alone) = final[index]
        print(f"  {', '.join(map(str, cells[index])):52s} {covers:.2%} width {width:.3f}; labels alone {other:.2%} "
              f"width {alone:.3f}", flush=True)
    return int((cover < BOUND).sum())


def group_sizes(size: int | str) -> np.ndarray:
    """Sizes of the groups of 600 queries: equal, or from 1 to 9."""
    if size != "unequal":
        return np.full(QUERIES_IN_GROUPS // size, size)
    sizes = [1 + (7 * number) % 9 if number % 3 else 1 for number in range(QUERIES_IN_GROUPS)]
    return np.array(sizes[:int(np.searchsorted(np.cumsum(sizes), QUERIES_IN_GROUPS, side="right"))])


def groups(options: argparse.Namespace, grid: dict) -> int:
    """Questions of one document: coverage of intervals that know the documents and of those that do not."""
    quick = grid is QUICK
    cells = list(product(SIZES[::3] if quick else SIZES, SAME[::2] if quick else SAME, (0.9,) if quick else (0.5, 0.9),
                         (60, 150), ("groups", "queries"), ("middling",), ("mean", "difference")))
    results = [(group_cell(options.seed, options.samples, *cell), cell) for cell in cells]
    shown = [(result, cell) for result, cell in results if result[0, 3] >= 0.5 * options.samples]
    print(f"\ngroups: {QUERIES_IN_GROUPS} queries, {len(cells):,} cells, {options.samples:,} samples each; an interval "
          f"is given in half of the samples or more: {len(shown):,} cells\n\n{'':27s}{'lowest':>8s}{'< 94 %':>8s}"
          f"{'width':>8s}{'largest':>9s}")
    cover, width = np.array([result[:, 0] for result, _ in shown]), np.array([result[:, 1] for result, _ in shown])
    for index, name in enumerate(("adopted, groups known", "labels alone, groups known", "adopted, groups ignored")):
        ratio = width[:, index] / width[:, 1]
        print(f"{name:27s}{cover[:, index].min():8.1%}{(cover[:, index] < 0.94).sum():8d}{ratio.mean():8.2f}"
              f"{ratio.max():9.2f}", flush=True)

    def again(index: int) -> np.ndarray:
        return group_cell(options.seed + 1, options.fresh, *shown[index][1])[:2, :2]

    return verdicts([cell for _, cell in shown], np.array([result[:2, :2] for result, _ in shown]), again, options)


def group_cell(seed: int, samples: int, size: int | str, same: float, p: float, n: int, drawn: str, judge: str,
               kind: str) -> np.ndarray:
    """Of the adopted interval, of the labels alone and of the interval that ignores the groups: (3, 4) coverage, mean
    width, mean number of labeled groups, samples with an interval.
    """
    rng = np.random.default_rng([seed, *"|".join(map(str, (size, same, p, n, drawn, judge, kind))).encode()])
    sizes, batch, totals = group_sizes(size), 250, np.zeros((3, 4))
    for start in range(0, samples, batch):
        totals += _group_batch(rng, sizes, same, p, n, drawn, JUDGES[judge], kind, min(batch, samples - start))
    totals[:, :3] /= np.maximum(totals[:, 3:], 1)
    return totals


def _group_batch(rng: np.random.Generator, sizes: np.ndarray, same: float, p: float, n: int, drawn: str,
                 judge: tuple, kind: str, samples: int) -> np.ndarray:
    codes, shape = np.repeat(np.arange(len(sizes)), sizes), (int(sizes.sum()), samples)
    labeled = _drawn_groups(rng, sizes, n, samples)[codes] if drawn == "groups" else \
        rng.random(shape).argsort(axis=0).argsort(axis=0) < n

    def answers(share: float) -> np.ndarray:
        shared = (rng.random((len(sizes), samples)) < share)[codes]
        return np.where(rng.random(shape) < same, shared, rng.random(shape) < share) * 1.0

    def verdicts(right: np.ndarray) -> np.ndarray:
        return np.where(right == 1, rng.random(shape) < judge[0], rng.random(shape) >= judge[1]) * 1.0

    first = answers(p)
    right, judged, true, bounds = first, verdicts(first), p, (0.0, 1.0)
    if kind == "difference":
        alike = rng.random(shape) < 0.5
        second = np.where(alike, first, answers(p - 0.2))
        right, judged = second - first, np.where(alike, judged, verdicts(second)) - judged
        true, bounds = -0.1, (-1.0, 1.0)
    labels = np.where(labeled, right, np.nan)
    known, ignored = (ppi(judged, labels, bounds=bounds, groups=of) for of in (codes, None))
    alone = np.array([label_interval(right[rows, s], bounds=bounds, groups=codes[rows])
                      for s, rows in enumerate(labeled.T)]).T
    counts = np.array([len(np.unique(codes[rows])) for rows in labeled.T])
    given = np.isfinite(known.low)
    return np.array([[((low <= true + 1e-12) & (true <= high + 1e-12) & given).sum(), (high - low)[given].sum(),
                      counts[given].sum(), given.sum()]
                     for low, high in ((known.low, known.high), alone, (ignored.low, ignored.high))])


def _drawn_groups(rng: np.random.Generator, sizes: np.ndarray, n: int, samples: int) -> np.ndarray:
    """Whole groups in random order, as many as have n queries at most: (groups, samples) bool."""
    order = rng.random((len(sizes), samples)).argsort(axis=0)
    fits = sizes[order].cumsum(axis=0) <= n
    chosen = np.zeros_like(fits)
    np.put_along_axis(chosen, order, fits, axis=0)
    return chosen


def features(rng: np.random.Generator, right: np.ndarray, apart: float) -> np.ndarray:
    """What a local judge sees of answers (queries, samples): (samples, queries, features)."""
    seen = rng.normal(size=(*right.T.shape, TELLING + SILENT))
    seen[..., :TELLING] += (right.T[..., None] - 0.5) * apart / np.sqrt(TELLING)
    return seen


def learned(rng: np.random.Generator, seen: list[np.ndarray], right: list[np.ndarray], n: int) -> list[np.ndarray]:
    """Verdicts on each run's answers (queries, samples) of the judge trained on the first n queries of all of them."""
    fold = rng.permuted(np.tile(np.arange(n) % FOLDS, (seen[0].shape[0], 1)), axis=1)
    on_labeled, models = cross_fitted(np.concatenate([run[:, :n] for run in seen], axis=1),
                                      np.concatenate([run[:n].T for run in right], axis=1),
                                      np.concatenate([fold] * len(seen), axis=1), penalty=PENALTY, folds=FOLDS)
    shares = (np.bincount(np.arange(n) % FOLDS) / n)[:, None]
    return [np.concatenate([part, (models.predict(run[:, None, n:]) * shares).sum(axis=1)], axis=1).T
            for part, run in zip(np.split(on_labeled, len(seen), axis=1), seen, strict=True)]


def trained(options: argparse.Namespace, grid: dict) -> int:
    """Coverage with a judge that is trained on the labels; 1,000 queries."""
    cells = list(product(("mean", "difference"), APART, (0.5, 0.8, 0.95), (20, 50, 150)))
    first = np.array([trained_cell(options.seed, options.samples, *cell) for cell in cells])
    print(f"\ntrained: 1,000 queries, {options.samples:,} samples each\n\n{'':11s}{'judge':10s}{'p':>5s}{'n':>5s}"
          f"{'covers':>9s}{'width':>7s}{'labels':>9s}{'width':>7s}")
    for (kind, name, p, n), ((cover, width), (other, alone)) in zip(cells, first, strict=True):
        print(f"{kind:11s}{name:10s}{p:5.2f}{n:5d}{cover:9.1%}{width:7.3f}{other:9.1%}{alone:7.3f}", flush=True)
    return verdicts(cells, first, lambda index: trained_cell(options.seed + 1, options.fresh, *cells[index]), options)


def trained_cell(seed: int, samples: int, kind: str, judge: str, p: float, n: int) -> np.ndarray:
    """Of the adopted interval and of the labels alone: (2, 2) coverage and mean width."""
    rng = np.random.default_rng((seed, n, round(100 * p), round(100 * APART[judge]), kind == "mean"))
    totals, batch = np.zeros(4), 50
    for start in range(0, samples, batch):
        totals += _trained_batch(rng, kind, APART[judge], p, n, (1000, min(batch, samples - start)))
    return (totals / samples).reshape(2, 2)


def _trained_batch(rng: np.random.Generator, kind: str, apart: float, p: float, n: int, shape: tuple) -> np.ndarray:
    """Sums of: covered, width, covered by the labels alone, their width."""
    right = (rng.random(shape) < p) * 1.0
    seen = features(rng, right, apart)
    true, bounds = p, (0.0, 1.0)
    if kind == "mean":
        verdicts, values = learned(rng, [seen], [right], n)[0], right
    else:
        alike = rng.random(shape) < 0.5
        other = np.where(alike, right, (rng.random(shape) < p - 0.1) * 1.0)
        unlike = np.where(alike.T[..., None], seen, features(rng, other, apart))
        first, second = learned(rng, [seen, unlike], [right, other], n)
        verdicts, values, true, bounds = second - first, other - right, -0.05, (-1.0, 1.0)
    labels = np.where(np.arange(shape[0])[:, None] < n, values, np.nan)
    result = ppi(verdicts, labels, bounds=bounds)
    alone = np.array([label_interval(values[:n, s], bounds=bounds) for s in range(shape[1])])
    return np.array([((result.low <= true) & (true <= result.high)).sum(), (result.high - result.low).sum(),
                     ((alone[:, 0] <= true) & (true <= alone[:, 1])).sum(), (alone[:, 1] - alone[:, 0]).sum()])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--fresh", type=int, default=20_000, help="samples of a cell that is drawn again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer true means, N and n")
    parser.add_argument("--verdicts", action="store_true", help="only the methods that have a verdict")
    parser.add_argument("--only", choices=("means", "sampled", "differences", "groups", "trained"))
    options = parser.parse_args(arguments)
    grid = QUICK if options.quick else {"TRUE": TRUE, "QUERIES": QUERIES, "LABELS": LABELS}
    below = 0
    for kind in METHODS:
        if options.only in (None, kind):
            below += compare(kind, options, QUICK if kind == "sampled" else grid)
    for kind, simulation in (("groups", groups), ("trained", trained)):
        if options.only in (None, kind):
            below += simulation(options, grid)
    print(f"\nverdicts below {BOUND:.0%}: {below}")
    return int(below > 0)


if __name__ == "__main__":
    sys.exit(main())
