"""How often do intervals of a mean and of a paired difference contain the true value, and how wide are they?

    python benchmarks/ppi.py [--samples 2000] [--seed 1] [--quick] [--only means|sampled|differences|groups|trained]

People label n answers, a judge judges n + N = 200 to 2,000. Answers are right with probability p. A judge calls a right
answer right with its sensitivity, a wrong one wrong with its specificity. For paired differences two runs answer a
share of the queries alike, the others independently. Two of the judges treat the runs differently.

Each cell (judge, p, N, n) draws `samples` tables. Printed for each method (benchmarks/ppi_methods.py): the lowest
coverage of a cell, by n too, how many cells cover less than 94 %, and the mean width relative to that of the labels
alone, in all cells, with good judges and n >= 30, and the largest. The lowest of thousands of cells is low by chance
too, so the 40 lowest cells of the adopted method are drawn again, 20 times as often, with another seed.

`sampled`: methods for means that draw random numbers themselves, on the quick grid.
`groups`: answers to questions of one document depend on each other; intervals with and without knowing the documents.
Groups of 3, 5, 10, or 1 to 9 queries; a query shares the right or wrong of its group with probability 0.3, 0.8 or 1;
whole groups or single queries are labeled. Cells with an interval in half of the samples or more count (10 labeled
groups).
`trained`: a judge that is trained on the labels themselves (ragdash.analysis.judge_validation.trained_judge): answers
have four features that show right and wrong, together as well as the judges, and six that show nothing.

Exit code 1 where a redrawn cell of the adopted method is below its bound by more than two standard errors.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
from ppi_methods import DIFFERENCES, MEANS, SAMPLED, draw

from ragdash.analysis.judge_validation import FOLDS, PENALTY
from ragdash.evaluation.stats import cross_fitted, label_interval, ppi

LEVEL = 0.95
BOUNDS = {"means": 0.94, "sampled": 0.94, "differences": 0.94, "groups": 0.94, "trained": 0.94}  # of every cell
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
REDRAWN, TIMES = 40, 20
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
    """Print the methods over the grid and the lowest cells; the number of redrawn cells below the bound."""
    methods, cells = METHODS[kind]
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
    order = np.argsort([result["adopted"][0] for result in results], kind="stable")[:REDRAWN]
    return redraw(kind, [every[i] for i in order], options, {name: methods[name] for name in (
        "adopted", list(methods)[-1])})


def redraw(kind: str, cells: list, options: argparse.Namespace, methods: dict) -> int:
    """Draw the lowest cells again and print the ten lowest."""
    samples = TIMES * options.samples
    error = np.sqrt(LEVEL * (1 - LEVEL) / samples)
    results = [(simulate(kind, cell, samples, options.seed + 1, methods), cell) for cell in cells]
    results.sort(key=lambda result: result[0]["adopted"][0])
    below = [result for result in results if result[0]["adopted"][0] < BOUNDS[kind] - 2 * error]
    print(f"\nThe lowest {len(cells)} cells of the adopted method drawn again, {samples:,} samples each; below 94 %: "
          f"{sum(result['adopted'][0] < 0.94 for result, _ in results)}, below {BOUNDS[kind]:.0%} by more than two "
          f"standard errors: {len(below)}")
    for result, (case, queries, n) in results[:10]:
        (cover, width), (other, alone) = result.values()
        print(f"  {', '.join(map(str, case[0])):32s} N = {queries:5,d}  n = {n:3d}  {cover:.1%} width {width:.3f}; "
              f"labels alone {other:.1%} width {alone:.3f}")
    return len(below)


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
    order = np.argsort(cover[:, :2].min(axis=1), kind="stable")[:REDRAWN // 4]
    again = [(group_cell(options.seed + 1, 5 * options.samples, *shown[i][1]), shown[i][1]) for i in order]
    error = np.sqrt(LEVEL * (1 - LEVEL) / (5 * options.samples))
    again.sort(key=lambda row: row[0][:2, 0].min())
    print(f"\nThe lowest {len(again)} cells drawn again, {5 * options.samples:,} samples each:")
    for result, cell in again[:10]:
        print(f"  {', '.join(map(str, cell)):45s} {result[0, 0]:.1%} width {result[0, 1]:.3f}; labels alone "
              f"{result[1, 0]:.1%} width {result[1, 1]:.3f}; groups ignored {result[2, 0]:.1%}")
    return sum(result[:2, 0].min() < BOUNDS["groups"] - 2 * error for result, _ in again)


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
    samples, queries, batch, below = options.samples, 1000, 50, 0
    error = np.sqrt(LEVEL * (1 - LEVEL) / samples)
    print(f"\ntrained: {queries:,} queries, {samples:,} samples each\n\n{'':11s}{'judge':10s}{'p':>5s}{'n':>5s}"
          f"{'covers':>9s}{'width':>7s}{'labels':>9s}{'width':>7s}")
    for kind in ("mean", "difference"):
        for name, apart in APART.items():
            for p in (0.5, 0.8, 0.95):
                for n in (20, 50, 150):
                    rng = np.random.default_rng((options.seed, n, round(100 * p), round(100 * apart), kind == "mean"))
                    totals = np.zeros(4)
                    for start in range(0, samples, batch):
                        shape = queries, min(batch, samples - start)
                        totals += _trained_batch(rng, kind, apart, p, n, shape)
                    cover, width, other, alone = totals / samples
                    below += cover < BOUNDS["trained"] - 2 * error
                    print(f"{kind:11s}{name:10s}{p:5.2f}{n:5d}{cover:9.1%}{width:7.3f}{other:9.1%}{alone:7.3f}",
                          flush=True)
    return below


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
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer true means, N and n")
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
    print(f"\nadopted method below its bound by more than two standard errors: {below}")
    return int(below > 0)


if __name__ == "__main__":
    sys.exit(main())
