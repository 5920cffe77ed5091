"""Other packages themselves, next to ragdash's interval: how often they contain the true mean, and how wide they are.

    pip install truescore judgy cje-eval
    python benchmarks/ppi_peers.py [--samples 200] [--seed 1]

benchmarks/ppi.py compares formulas on thousands of cells; here the packages are called as their documentation shows,
on few cells, because some take long: 200 and 1,000 queries, 20 to 150 labels, means of 0.5, 0.8 and 0.95, four judges.
Packages that are not installed are left out. Each is called with its defaults; judgy with 1,000 resamples. An error
of a package counts as an interval of all values, and is counted.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import warnings
from collections.abc import Callable

import numpy as np
from ppi import JUDGES

from ragdash.evaluation.stats import label_interval, ppi

NAMES = ("perfect", "good", "middling", "poor")
SIZES = ((200, 20), (200, 50), (1000, 50), (1000, 150))
TRUE = (0.5, 0.8, 0.95)


def truescore(verdicts: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    from truescore import ppi_estimate

    labeled = np.flatnonzero(~np.isnan(labels))
    result = ppi_estimate(verdicts, labels[labeled], labeled)
    return float(result.low), float(result.high)


def judgy(verdicts: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    from judgy import estimate_success_rate

    labeled = ~np.isnan(labels)
    return estimate_success_rate(labels[labeled], verdicts[labeled], verdicts[~labeled], bootstrap_iterations=1000)[1:]


def cje(verdicts: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    from cje import calibrated_mean_ci

    return tuple(calibrated_mean_ci(verdicts, labels).ci)


def cje_tuned(verdicts: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    from cje import calibrated_mean_ci

    return tuple(calibrated_mean_ci(verdicts, labels, correction_weight="tuned").ci)


def adopted(verdicts: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    result = ppi(verdicts[:, None], labels[:, None])
    return float(result.low[0]), float(result.high[0])


def alone(verdicts: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    return label_interval(labels[~np.isnan(labels)])


METHODS: dict[str, tuple[str, Callable]] = {
    "ragdash": ("ragdash", adopted), "truescore ppi_estimate": ("truescore", truescore), "judgy": ("judgy", judgy),
    "cje-eval calibrated_mean_ci": ("cje", cje), "cje-eval, tuned weight": ("cje", cje_tuned),
    "labels alone, exact": ("ragdash", alone)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    methods = {name: call for name, (package, call) in METHODS.items() if importlib.util.find_spec(package)}
    cells = [(name, p, queries, n) for name in NAMES for p in TRUE for queries, n in SIZES]
    cover, width = np.zeros((2, len(methods), len(cells)))
    errors = dict.fromkeys(methods, 0)
    for place, (name, p, queries, n) in enumerate(cells):
        rng = np.random.default_rng((options.seed, place))
        for _ in range(options.samples):
            right = (rng.random(queries) < p) * 1.0
            hit, reject = JUDGES[name]
            verdicts = np.where(right == 1, rng.random(queries) < hit, rng.random(queries) >= reject) * 1.0
            labels = np.where(np.arange(queries) < n, right, np.nan)
            for row, (method, call) in enumerate(methods.items()):
                try:
                    low, high = call(verdicts, labels)
                except (ValueError, RuntimeError, ArithmeticError):
                    low, high = 0.0, 1.0
                    errors[method] += 1
                cover[row, place] += low - 1e-12 <= p <= high + 1e-12
                width[row, place] += high - low
    cover, width = cover / options.samples, width / width[-1]
    print(f"{len(cells)} cells, {options.samples:,} samples each (standard error of a cell "
          f"{np.sqrt(0.95 * 0.05 / options.samples):.1%})\n\n{'':30s}{'mean':>7s}{'lowest':>8s}{'< 90 %':>8s}"
          f"{'width':>7s}{'errors':>8s}")
    for row, method in enumerate(methods):
        print(f"{method:30s}{cover[row].mean():7.1%}{cover[row].min():8.1%}{(cover[row] < 0.9).sum():8d}"
              f"{width[row].mean():7.2f}{errors[method]:8,d}")


if __name__ == "__main__":
    main()
