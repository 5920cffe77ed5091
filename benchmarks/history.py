"""How often does a history without a true change raise an alarm, and how many nights until a true one is found?

    python benchmarks/history.py [--samples 1000] [--nights 200] [--seed 1]

Nights run on the same queries, so they are not independent. The model of a value is

    quality of the query + effect of the version on the query + noise of the night,

clipped to [0, 1]. The qualities are NDCG@10 of a sample run; each sample draws 110 of them anew. A harmless version
changes single queries but not the mean of all queries: its effects on a sample of queries have a mean that is not 0,
and it stays for as long as the version does. The accepted run is night 0, whose noise all differences share. Without a
true change: "noise" has one version; "versions" has a new harmless version every tenth night; "one version" has a
single harmless version from night 1 on, which is the hardest case for methods that treat nights as independent; in
"rare" each query loses 0.3 in one of twenty nights, and is the same in the others.

Methods: "spent" is what the package uses (evaluation/stats/sequential.py). "bernstein": an empirical-Bernstein interval
of the same single nights at the same levels (Maurer and Pontil 2009). "bernstein over nights": a confidence sequence
over the means of the nights, as if nights were independent samples (Howard et al. 2021, Waudby-Smith and Ramdas 2024,
predictable plug-in). "holm": Holm over all nights up to now, looked at every night. "naive": p < 0.05 every night.
With truescore installed (`pip install truescore`): "truescore" is its `confidence_sequence` over the differences of all
queries, night after night, and "truescore windows" its `windowed_exclusion` with a window for each night. The width is
half the length of the interval of a difference without a true change, on average over samples.
Delays count nights from the change until the alarm, for samples that had no earlier alarm; the detectable difference is
that of a single comparison of two nights with 80 % power.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

import ragdash
from ragdash.evaluation.stats import detectable_difference
from ragdash.evaluation.stats.sequential import bounded_p, look_level, sequential_tests

SAMPLE_RUNS = Path(__file__).parents[1] / "sample_runs"
QUERIES, ALPHA = 110, 0.05
CHANGED, EFFECT, NOISE = 0.2, 0.25, 0.08  # share of queries that a version changes, by how much; noise of a night


def qualities() -> np.ndarray:
    """NDCG@10 of the queries of a sample run."""
    run, truth = (ragdash.read_run(SAMPLE_RUNS / "dense.jsonl"), ragdash.read_truth(SAMPLE_RUNS / "truth.jsonl"))
    values = ragdash.evaluate(run, truth, "nDCG@10").column("nDCG@10")
    return values[~np.isnan(values)]


def harmless(rng: np.random.Generator) -> np.ndarray:
    """Effects of a version on the queries: as often up as down."""
    return np.where(rng.random(QUERIES) < CHANGED, EFFECT * rng.choice([-1, 1], QUERIES), 0)


def series(rng: np.random.Generator, quality: np.ndarray, nights: int, scenario: str, step: float) -> np.ndarray:
    """Differences to night 0: (nights, Q). step: the true change; from night 20 on, or per week in "drift"."""
    base = np.clip(rng.choice(quality, QUERIES), 0.3, 0.7)  # effects that hit the ends would be a true change
    effects, current = np.zeros((nights + 1, QUERIES)), np.zeros(QUERIES)
    for night in range(1, nights + 1):
        if (scenario == "versions" and night % 10 == 0) or (scenario == "one version" and night == 1):
            current = harmless(rng)
        effects[night] = current
    time = np.arange(nights + 1)
    true = step * time / 7 if scenario == "drift" else np.where(time > 20, step, 0.0)
    noise = NOISE * rng.standard_normal((nights + 1, QUERIES))
    if scenario == "rare":  # most queries are the same every night, and one in twenty loses
        noise = np.where(rng.random((nights + 1, QUERIES)) < 0.05, -0.3, 0)
    values = base + effects + true[:, None] + noise
    values = np.clip(values, 0, 1)
    return values[1:] - values[0]


def spent(differences: np.ndarray) -> np.ndarray:
    return sequential_tests(differences, ALPHA).flagged > 0


def bernstein(differences: np.ndarray) -> np.ndarray:
    n, variance = differences.shape[1], differences.var(axis=1, ddof=1)
    log = np.log(4 / np.array([2 * look_level(k, 0, ALPHA) for k in range(1, len(differences) + 1)]))
    return np.abs(differences.mean(axis=1)) > np.sqrt(2 * variance * log / n) + 2 * 7 * log / (3 * (n - 1))


def bernstein_over_nights(differences: np.ndarray) -> np.ndarray:
    """Predictable plug-in empirical Bernstein over nights; the values are means of nights, scaled from [-1, 1]."""
    means = (differences.mean(axis=1) + 1) / 2
    t = np.arange(1, len(means) + 1)
    running = (0.5 + np.cumsum(means)) / (t + 1)
    variance = (0.25 + np.cumsum((means - running) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    rate = np.minimum(np.sqrt(2 * np.log(2 / ALPHA) / (before * t * np.log(1 + t))), 0.5)
    last = np.concatenate([[0.5], running[:-1]])
    cost = 4 * (means - last) ** 2 * (-np.log(1 - rate) - rate) / 4
    center = np.cumsum(rate * means) / np.cumsum(rate)
    return np.abs(center - 0.5) > (np.log(2 / ALPHA) + np.cumsum(cost)) / np.cumsum(rate)


def holm(differences: np.ndarray) -> np.ndarray:
    """The smallest p up to now against alpha over the number of nights: the first step of Holm."""
    p = np.minimum.accumulate(bounded_p(differences.T))
    return p < ALPHA / np.arange(1, len(p) + 1)


def naive(differences: np.ndarray) -> np.ndarray:
    return bounded_p(differences.T) < ALPHA


def truescore(differences: np.ndarray) -> np.ndarray:
    """Its confidence sequence takes one observation after the other; a look is after the queries of a night."""
    low, high = truescore_bounds(differences)
    return (low > 0) | (high < 0)


def truescore_bounds(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from truescore.sequential import confidence_sequence

    sequence = confidence_sequence(differences.ravel(), alpha=ALPHA, bounds=(-1.0, 1.0))
    ends = np.arange(1, len(differences) + 1) * differences.shape[1] - 1
    return sequence.lower_bounds[ends], sequence.upper_bounds[ends]


def truescore_windows(differences: np.ndarray) -> np.ndarray:
    from truescore.sequential import windowed_exclusion

    hit = windowed_exclusion(differences.ravel(), 0.0, window=differences.shape[1], alpha=ALPHA, direction="two-sided",
                             bounds=(-1.0, 1.0))
    return np.arange(len(differences)) == (-1 if hit is None else (hit - 1) // differences.shape[1])


METHODS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "spent": spent, "bernstein": bernstein, "bernstein over nights": bernstein_over_nights, "holm": holm,
    "naive": naive}
HAS_TRUESCORE = importlib.util.find_spec("truescore") is not None
if HAS_TRUESCORE:
    METHODS |= {"truescore": truescore, "truescore windows": truescore_windows}


def half_widths(differences: np.ndarray) -> dict[str, np.ndarray]:
    """Half the length of each night's interval of the difference, by method; of windows at the end of the night."""
    tests, n = sequential_tests(differences, ALPHA), differences.shape[1]
    looks = np.arange(1, len(differences) + 1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(n)
    log = np.log(4 / np.array([2 * look_level(k, 0, ALPHA) for k in looks]))
    widths = {"spent": np.where(tests.flagged <= 1, (tests.high - tests.low) / 2, np.nan),
              "bernstein": np.sqrt(2 * differences.var(axis=1, ddof=1) * log / n) + 2 * 7 * log / (3 * (n - 1)),
              "holm": -stdtrit(n - 1, ALPHA / looks / 2) * error, "naive": -stdtrit(n - 1, ALPHA / 2) * error}
    if HAS_TRUESCORE:
        from truescore.sequential import confidence_sequence

        low, high = truescore_bounds(differences)
        widths["truescore"] = (high - low) / 2
        widths["truescore windows"] = np.array([confidence_sequence(
            night, alpha=ALPHA / len(differences), bounds=(-1.0, 1.0)).half_width for night in differences])
    return widths


def widths(scenario: str, samples: int, nights: int, seed: int = 1) -> dict[str, list[float]]:
    """The mean over samples of half the length, at nights 1, 20 and the last one."""
    quality = qualities()
    rows = [half_widths(series(np.random.default_rng((seed, sample)), quality, nights, scenario, 0.0))
            for sample in range(samples)]
    return {name: [float(np.nanmean([row[name][night - 1] for row in rows])) for night in (1, 20, nights)]
            for name in rows[0]}


def first_alarms(scenario: str, samples: int, nights: int, step: float, seed: int) -> Iterator[dict[str, int]]:
    """{method: night of the first alarm, counted from 1; 0 for none} of each sample."""
    quality = qualities()
    for sample in range(samples):
        differences = series(np.random.default_rng((seed, sample)), quality, nights, scenario, step)
        yield {name: int(np.argmax(alarms)) + 1 if (alarms := method(differences)).any() else 0
               for name, method in METHODS.items()}


def false_alarms(scenario: str, samples: int, nights: int, seed: int = 1) -> dict[str, float]:
    """Share of samples with any alarm, without a true change."""
    rows = list(first_alarms(scenario, samples, nights, 0.0, seed))
    return {name: float(np.mean([row[name] > 0 for row in rows])) for name in METHODS}


def detectable(versions: bool) -> float:
    """The difference of two nights that a single comparison detects; versions: a harmless version in between."""
    variance = 2 * NOISE ** 2 + (CHANGED * EFFECT ** 2 if versions else 0)
    return float(detectable_difference(np.sqrt(variance), QUERIES, alpha=ALPHA))


def delays(scenario: str, samples: int, nights: int, step: float, start: int, seed: int = 1) -> dict[str, str]:
    """Median delay with its 90th percentile, and the share that is found at all."""
    rows = list(first_alarms(scenario, samples, nights, step, seed))
    texts = {}
    for name in METHODS:
        late = np.array([row[name] - start if row[name] else np.inf for row in rows if not 0 < row[name] <= start])
        detected = np.isfinite(late)
        median, most = (np.percentile(np.where(detected, late, nights * 10), q, method="higher") for q in (50, 90))
        texts[name] = f"{_nights(median, nights)} / {_nights(most, nights)} ({detected.mean():.0%})"
    return texts


def _nights(value: float, nights: int) -> str:
    return "–" if value > nights else f"{value:.0f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--nights", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"False alarms within {options.nights} nights, {options.samples} samples, {QUERIES} queries (target 5 %)")
    for scenario in ("noise", "versions", "one version", "rare"):
        shares = false_alarms(scenario, options.samples, options.nights, options.seed)
        print(f"  {scenario:12}", "  ".join(f"{name} {share:.1%}" for name, share in shares.items()), flush=True)
    if not HAS_TRUESCORE:
        print("truescore is not installed and is left out: pip install truescore")
    print(f"Half the length of the interval of a difference at nights 1, 20 and {options.nights}")
    for scenario in ("noise", "one version"):
        lengths = widths(scenario, min(options.samples, 100), options.nights, options.seed)
        print(f"  {scenario:12}", "  ".join(f"{name} {' / '.join(f'{width:.3f}' for width in values)}"
                                            for name, values in lengths.items()), flush=True)
    print("Nights until a change at night 21 is found: median / 90th percentile (share found)")
    for versions, scenario in ((False, "noise"), (True, "one version")):
        for count in (1, 2):
            texts = delays(scenario, options.samples, options.nights, -count * detectable(versions), 20, options.seed)
            print(f"  {scenario:12} {count} detectable", "  ".join(f"{name} {text}" for name, text in texts.items()),
                  flush=True)
    for span, weeks in (("week", 1), ("night", 7)):
        texts = delays("drift", options.samples, options.nights, -weeks * detectable(False) / 10, 0, options.seed)
        print(f"  drift, a tenth of the detectable difference per {span}",
              "  ".join(f"{name} {text}" for name, text in texts.items()))


if __name__ == "__main__":
    main()
