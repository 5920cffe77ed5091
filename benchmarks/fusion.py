"""Fusion next to ranx, its speed, and what the held-out choice of a hybrid promises.

    python benchmarks/fusion.py equality           # every method that ranx has, the same scores (pip install ranx)
    python benchmarks/fusion.py speed [--small]    # RRF of 2 runs x 6,980 x 1,000 against ranx; a sweep of 101 weights
    python benchmarks/fusion.py passes             # what each pass of an RRF costs, per fused document
    python benchmarks/fusion.py choice             # coverage of the held-out interval and optimism, by simulation
    python benchmarks/fusion.py routers            # false alarms of routers, and planted ones that are found

ranx sorts and compares in its own way where pairs disagree in a circle, so Condorcet is left out.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pyarrow as pa

from ragdash import Run, Truth, fuse, parse_specs
from ragdash.experiments.fusion import candidates as candidates_module
from ragdash.experiments.fusion import fuse as fuse_module
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.legs.routing import find_routers
from ragdash.experiments.fusion.recipe import Recipe, make_recipe
from ragdash.experiments.fusion.tuning.choice import choose
from ragdash.experiments.fusion.tuning.held_out import held_out

# our method -> (its name in ranx, our parameters, its parameters)
PEERS = {
    "rrf": ("rrf", {}, {"k": 60}), "combsum": ("sum", {}, {}), "combmnz": ("mnz", {}, {}), "combanz": ("anz", {}, {}),
    "combmed": ("med", {}, {}), "combmin": ("min", {}, {}), "combmax": ("max", {}, {}),
    "combgmnz": ("gmnz", {"gamma": 0.5}, {"gamma": 0.5}), "isr": ("isr", {}, {}), "log_isr": ("log_isr", {}, {}),
    "logn_isr": ("logn_isr", {}, {"sigma": 0.01}), "rbc": ("rbc", {}, {"phi": 0.8}), "borda": ("bordafuse", {}, {}),
    "weighted": ("wsum", {"weights": (0.3, 0.7)}, {"weights": (0.3, 0.7)}),
    "wmnz": ("wmnz", {"weights": (0.3, 0.7)}, {"weights": (0.3, 0.7)}),
    "mixed": ("mixed", {"weights": (0.3, 0.7)}, {"weights": (0.3, 0.7)})}
NORMS = {"ranx-min-max": "min-max", "max": "max", "sum": "sum", "z-score": "zmuv", "rank": "rank", "borda": "borda"}


def made_up_run(name: str, queries: int, depth: int, seed: int, pool: int = 2) -> Run:
    """Rankings of documents from a pool of `pool` times the depth for each query; two of them share half of them."""
    rng = np.random.default_rng(seed)
    docs = np.argsort(rng.random((queries, pool * depth), dtype=np.float32), axis=1)[:, :depth]
    docs = docs + 1_000_003 * (np.arange(queries)[:, None] + 1) % 8_000_000
    codes = pa.array(np.repeat(np.arange(queries, dtype=np.int32), depth))
    ids = pa.DictionaryArray.from_arrays(codes, pa.array([str(query) for query in range(queries)]))
    scores = -np.sort(-rng.random((queries, depth)), axis=1)
    return Run.build(name, ids, pa.array(docs.ravel()).cast(pa.string()), scores.ravel())


def ranx_runs(runs: list[Run]) -> list:
    """The same runs for ranx."""
    from ranx import Run as RanxRun

    out = []
    for run in runs:
        docs, scores, starts = run.docs.to_pylist(), run.scores.tolist(), run.starts.tolist()
        out.append(RanxRun({query: dict(zip(docs[a:b], scores[a:b], strict=True)) for query, a, b in
                            zip(run.query_ids.to_pylist(), starts[:-1], starts[1:], strict=True)}, name=run.name))
    return out


def equality() -> None:
    """Every method with min-max, and every normalization with CombSUM, document by document."""
    from ranx import fuse as ranx_fuse

    runs = [made_up_run("a", 50, 20, 1), made_up_run("b", 50, 20, 2)]
    cases = [(method, "ranx-min-max", ours, peer, theirs) for method, (peer, ours, theirs) in PEERS.items()]
    cases += [("combsum", norm, {}, "sum", {}) for norm in NORMS]
    for method, norm, ours, peer, theirs in cases:
        options = dict(ours) if method in ("rrf", "isr", "log_isr", "logn_isr", "rbc", "borda") else {**ours,
                                                                                                     "norm": norm}
        fused = fuse(runs, method, **options)
        expected = ranx_fuse(ranx_runs(runs), norm=NORMS[norm], method=peer, params=theirs)
        worst = 0.0
        for query in fused.query_ids.to_pylist():
            table = fused.ranking(query)
            mine = dict(zip(table["doc_id"].to_pylist(), table["score"].to_pylist(), strict=True))
            other = {str(doc): value for doc, value in expected.run[query].items()}
            assert mine.keys() == other.keys(), (method, norm, query)
            worst = max(worst, *(abs(mine[doc] - other[doc]) for doc in mine))
        assert worst < 1e-9, (method, norm, worst)
        print(f"{method:10} {norm:14} equal to ranx {peer}, largest difference {worst:.1e}", flush=True)


def fastest(work, times: int = 3) -> tuple[float, float]:
    """(shortest wall time, shortest processor time) of some calls."""
    rows = []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        rows.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(row[0] for row in rows), min(row[1] for row in rows)


def next_to_ranx(runs: list[Run], times: int = 3) -> None:
    """The same span, from loaded runs to the fused run, in turn with ranx: the load of the machine is on both."""
    from ranx import fuse as ranx_fuse

    def peer(given: list) -> None:
        ranx_fuse(given, norm=None, method="rrf", params={"k": 60})

    peer(ranx_runs([made_up_run(name, 12, 10, seed) for name, seed in (("a", 1), ("b", 2))]))  # compiles
    theirs = ranx_runs(runs)
    rows = [(fastest(lambda: fuse(runs), 3), fastest(lambda: peer(theirs), 1)) for _ in range(times)]
    (wall, cpu), (other_wall, other_cpu) = (np.min([row[side] for row in rows], axis=0) for side in (0, 1))
    print(f"  in turn with ranx: {wall:.3f} s (processor {cpu:.3f} s); ranx {other_wall:.2f} s (processor "
          f"{other_cpu:.2f} s): {other_cpu / cpu:.1f} times the processor time, {other_wall / wall:.1f} times the time",
          flush=True)


def speed(*, small: bool, peer: bool) -> None:
    """RRF of two runs, a sweep of 101 weights, and one step of a slider with five runs."""
    queries, depth = (698, 1000) if small else (6980, 1000)
    runs = [made_up_run("a", queries, depth, 1), made_up_run("b", queries, depth, 2)]
    wall, cpu = fastest(lambda: fuse(runs), 5)
    print(f"one RRF of 2 x {queries:,} x {depth:,}, from loaded runs to a fused run: {wall:.2f} s "
          f"(processor {cpu:.2f} s)", flush=True)
    fused = [fuse(runs) for _ in range(3)]
    wall, cpu = fastest(lambda: fused.pop().digest)
    print(f"  its digest, when it is asked for: {wall:.2f} s (processor {cpu:.2f} s)", flush=True)
    if peer:
        next_to_ranx(runs)
    queries = 700 if small else 7000
    runs = [made_up_run(f"run {index}", queries, 100, index) for index in range(5)]
    docs = [runs[0].docs[int(start)].as_py() for start in runs[0].starts[:-1] + np.arange(queries) % 90]
    truth = Truth.build("qrels", runs[0].query_ids, pa.array(docs), np.ones(queries, np.int64))
    specs = parse_specs("nDCG@10")
    two = judged_pool(runs[:2], truth)
    recipes = [make_recipe(runs[:2], "weighted", params={"weights": (1 - share, share)})
               for share in np.linspace(0, 1, 101).tolist()]
    wall, cpu = fastest(lambda: two.values(recipes, specs))
    print(f"a sweep of 101 weights at {queries:,} x 100: {wall:.2f} s (processor {cpu:.2f} s)", flush=True)
    five = judged_pool(runs, truth)
    for method, params in (("rrf", {"k": 33.0}), ("weighted", {"weights": (0.1, 0.2, 0.2, 0.2, 0.3)})):
        one_setting = make_recipe(runs, method, params=params)
        five.values([one_setting], specs)
        wall, cpu = fastest(lambda recipe=one_setting: five.values([recipe], specs))
        print(f"one step of a slider, {method}, 5 x {queries:,} x 100: {wall:.3f} s (processor {cpu:.3f} s)",
              flush=True)


class PassTimes:
    """Processor time of functions of modules while they are watched, each with what it calls: name -> seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def watch(self, owner: object, name: str, title: str) -> None:
        """Count the time of a function under a title; from now on, in this process."""
        function = getattr(owner, name)

        def timed(*arguments, **options):
            began = time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                self.seconds[title] = self.seconds.get(title, 0.0) + time.thread_time() - began

        setattr(owner, name, timed)


def passes(queries: int) -> None:
    """What each pass of one RRF costs, and what the same passes cost at least: nanoseconds per fused document."""
    runs = [made_up_run("a", queries, 1000, 1), made_up_run("b", queries, 1000, 2)]
    times = PassTimes()
    for owner, name, title in (
            (candidates_module, "matches_of_lists", "find documents of both runs by hash"),
            (candidates_module, "_of_same_text", "compare the ids of those"),
            (candidates_module, "_numbered", "number the documents"), (Recipe, "scores", "scores"),
            (fuse_module, "falling_order", "sort"),
            (fuse_module, "_chunks", "collect the ids"), (fuse_module, "_sources", "rows of the documents")):
        times.watch(owner, name, title)
    rows = []
    for _ in range(9):
        times.seconds.clear()
        began = time.process_time()
        fused = fuse(runs)
        rows.append({"in all": time.process_time() - began, **times.seconds})
    size = len(fused.docs)
    best = min(rows, key=lambda row: row["in all"])
    print(f"2 runs x {queries:,} x 1,000, {size:,} fused documents; nanoseconds of processor time per fused document")
    for title, seconds in sorted(best.items(), key=lambda item: -item[1]):
        print(f"  {title:38} {1e9 * seconds / size:5.1f}", flush=True)
    words = np.random.default_rng(0).integers(0, 1 << 32, 1500, np.uint32)
    rounds = max(queries, 1)
    _, cpu = fastest(lambda: [words.copy().sort() for _ in range(rounds)])
    print(f"  NumPy's sort of 1,500 words of 32 bits   {1e9 * cpu / rounds / 1500:5.1f}")
    print(f"0.5 s of processor time for 6,980 queries are {0.5e9 / (6980 * size / queries):.0f} of these")


def population(kind: str, settings: int, queries: int, rng: np.random.Generator) -> np.ndarray:
    """Values (S, Q) around means of 0: hard and easy queries; settings alone or like their neighbors."""
    difficulty = rng.normal(size=queries) * 0.25
    if kind == "alone":
        return difficulty + rng.normal(size=(settings, queries)) * 0.15
    waves = np.array([np.cos(np.pi * k * np.linspace(0, 1, settings)) for k in range(6)]).T
    return difficulty + waves @ rng.normal(size=(6, queries)) * 0.15 / np.sqrt(3)


def means_of(kind: str, settings: int) -> np.ndarray:
    """True means of the settings: all equal, one better, or a hill."""
    x = np.linspace(0, 1, settings)
    if kind == "hill":
        return 0.05 * (1 - ((x - 0.5) / 0.5) ** 2)
    return np.where(np.arange(settings) == settings // 3, 0.04, 0.0) if kind == "one better" else np.zeros(settings)


def choice(repetitions: int) -> None:
    """How often the interval covers what the chosen setting is worth, for its value and its gain over the default."""
    print("settings     truth       S    Q  value  gain  optimism  bias    false gain")
    covered = []
    for kind in ("alone", "like neighbors"):
        for truth in ("all equal", "one better", "hill"):
            for settings in (3, 200):
                for queries in (50, 300):
                    rows = [_one_choice(kind, truth, settings, queries, seed) for seed in range(repetitions)]
                    value, gain, optimism, bias, false = np.mean(rows, axis=0)
                    covered.append((value, gain))
                    print(f"{kind:14} {truth:10} {settings:4} {queries:4}  {value:.3f}  {gain:.3f}  {optimism:.4f}   "
                          f"{bias:+.4f} {false:.3f}", flush=True)
    print("mean coverage: value {:.3f}, gain {:.3f}".format(*np.mean(covered, axis=0)))


def _one_choice(kind: str, truth: str, settings: int, queries: int, seed: int) -> tuple[float, ...]:
    means = means_of(truth, settings)
    values = means[:, None] + population(kind, settings, queries, np.random.default_rng([seed, settings, queries]))
    result = held_out(values, repeats=5, resamples=200, seed=seed)
    gain = held_out(values, values[0], repeats=5, resamples=200, seed=seed)
    worth = means[result.chosen]
    low, high = result.interval()
    gain_low, gain_high = gain.interval()
    return (low <= worth <= high, gain_low <= worth - means[0] <= gain_high, result.optimism, result.value - worth,
            truth == "all equal" and gain_low > 0)


def routed_runs(queries: int, gain: float, rng: np.random.Generator) -> tuple[Truth, list[Run]]:
    """Two runs, one of which returns the relevant document of a query, and questions with random features.

    gain: the share of queries for which a digit in the question decides which run that is; 0: nothing does.
    """
    digit, obeys, coin = rng.random(queries) < 0.5, rng.random(queries) < gain, rng.random(queries) < 0.5
    first = np.where(obeys, digit, coin)
    ids = [f"q{number:04}" for number in range(queries)]
    asked = [f"{'Why' if rng.random() < 0.5 else 'the'} {'Pump' if rng.random() < 0.5 else 'pump'} stops"
             f"{' at 7' if has else ''}{' again and again' if rng.random() < 0.5 else ''}" for has in digit]
    truth = Truth.build("qrels", ids, [f"{name}-g" for name in ids], [1] * queries,
                        details=pa.table({"query_id": ids, "query": asked}))
    runs = []
    for name, mine in (("sparse", first), ("dense", ~first)):
        docs = [[f"{query}-{name}-{place}" for place in range(8)] for query in ids]
        for row, query, good in zip(docs, ids, mine, strict=True):
            if good:
                row[rng.integers(0, 3)] = f"{query}-g"
        runs.append(Run.build(name, np.repeat(ids, 8).tolist(), [doc for row in docs for doc in row],
                              (-np.sort(-rng.random((queries, 8)), axis=1)).ravel()))
    return truth, runs


def routers(repetitions: int) -> None:
    """How often a router is said to beat one weight where none can, and how often a planted one is found."""
    print("queries  planted   P(before)  P(after)  P(any)  right rule")
    spec = parse_specs("RR")[0]
    for queries in (60, 200):
        for gain in (0.0, 0.5, 0.8):
            rows = []
            for seed in range(repetitions):
                truth, runs = routed_runs(queries, gain, np.random.default_rng([seed, queries, int(10 * gain)]))
                pool = judged_pool(runs, truth)
                before, after = find_routers(pool, choose(runs, truth, spec, pool=pool, family="weighted"))
                rows.append((before.beats_one_weight, after.beats_one_weight,
                             before.beats_one_weight or after.beats_one_weight,
                             any(condition.feature == "digits" for condition in before.rule.conditions)))
            print(f"{queries:7}  {gain:7.1f}   {'  '.join(f'{share:9.3f}' for share in np.mean(rows, axis=0))}",
                  flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("equality", "speed", "passes", "choice", "routers"))
    parser.add_argument("--small", action="store_true", help="a tenth of the queries")
    parser.add_argument("--no-ranx", action="store_true", help="ragdash alone")
    parser.add_argument("--repetitions", type=int, default=200)
    options = parser.parse_args()
    if options.part == "equality":
        equality()
    elif options.part == "speed":
        speed(small=options.small, peer=not options.no_ranx)
    elif options.part == "passes":
        passes(698)
    elif options.part == "routers":
        routers(options.repetitions)
    else:
        choice(options.repetitions)


if __name__ == "__main__":
    main()
