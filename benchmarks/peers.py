"""One evaluation tool on one pair of files, in a process of its own; prints one line of JSON.

    python benchmarks/peers.py TOOL RUN QRELS [--save VALUES.npz] [--repeat N]

load + evaluate is timed once, from the files to per-query values, after a warm-up on a tiny pair of files (imports,
just-in-time compilation); evaluate is then timed N times more on what is loaded. Metrics: {P, R, nDCG, Success} at
1, 3, 5, 10, 20, and RR and AP.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

KS = (1, 3, 5, 10, 20)
NAMES = [f"{name}@{k}" for name in ("P", "R", "nDCG", "Success") for k in KS] + ["RR", "AP"]
Tool = tuple[Callable, Callable, Callable]  # load(run, qrels), evaluate(loaded), values(evaluated) -> {query: [22]}


def ragdash_tool() -> Tool:
    import ragdash

    specs = ragdash.parse_specs(NAMES)

    def load(run: str, qrels: str):
        return ragdash.read_run(run), ragdash.read_truth(qrels)

    def values(evaluation) -> dict:
        return dict(zip(evaluation.query_ids.to_pylist(), evaluation.values.tolist(), strict=True))

    return load, lambda state: ragdash.evaluate(*state, specs, unanswerable="zero"), values


def pytrec_eval_tool() -> Tool:
    import pytrec_eval

    cuts = ",".join(map(str, KS))
    measures = {f"P.{cuts}", f"recall.{cuts}", f"ndcg_cut.{cuts}", f"success.{cuts}", "recip_rank", "map"}
    theirs = {"P": "P", "R": "recall", "nDCG": "ndcg_cut", "Success": "success", "RR": "recip_rank", "AP": "map"}
    keys = [theirs[name.split("@")[0]] + ("_" + name.split("@")[1] if "@" in name else "") for name in NAMES]

    def load(run: str, qrels: str):
        with open(run) as r, open(qrels) as q:
            return pytrec_eval.parse_run(r), pytrec_eval.parse_qrel(q)

    def evaluate(state):
        run, qrels = state
        return pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)

    return load, evaluate, lambda raw: {query: [row[key] for key in keys] for query, row in raw.items()}


def ir_measures_tool() -> Tool:
    import ir_measures

    measures = {name: ir_measures.parse_measure(name) for name in NAMES}

    def load(run: str, qrels: str):
        return list(ir_measures.read_trec_run(run)), list(ir_measures.read_trec_qrels(qrels))

    def values(raw) -> dict:
        place = {str(measure): i for i, measure in enumerate(measures.values())}
        table: dict[str, list[float]] = {}
        for value in raw:
            table.setdefault(value.query_id, [0.0] * len(place))[place[str(value.measure)]] = value.value
        return table

    return load, lambda state: list(ir_measures.iter_calc(measures.values(), state[1], state[0])), values


def ranx_tool() -> Tool:
    import ranx

    theirs = {"P": "precision", "R": "recall", "nDCG": "ndcg", "Success": "hit_rate", "RR": "mrr", "AP": "map"}
    names = [theirs[name.split("@")[0]] + ("@" + name.split("@")[1] if "@" in name else "") for name in NAMES]

    def load(run: str, qrels: str):
        return ranx.Run.from_file(run, kind="trec"), ranx.Qrels.from_file(qrels, kind="trec")

    def evaluate(state):
        return ranx.evaluate(state[1], state[0], names, return_mean=False, make_comparable=True), list(state[1].keys())

    def values(raw) -> dict:
        scores, queries = raw
        return {query: [scores[name][i] for name in names] for i, query in enumerate(queries)}

    return load, evaluate, values


TOOLS = {"ragdash": ragdash_tool, "pytrec_eval": pytrec_eval_tool, "ir_measures": ir_measures_tool, "ranx": ranx_tool}


def warm_up(load: Callable, evaluate: Callable) -> None:
    """Twelve queries: ranx stays on one thread for ever once it has evaluated fewer than ten."""
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = Path(folder, "tiny.trec"), Path(folder, "tiny.qrels.trec")
        run.write_text("".join(f"q{i} Q0 {d} {r} {3.0 - r} t\n" for i in range(12) for r, d in enumerate("abc", 1)))
        qrels.write_text("".join(f"q{i} 0 b 1\n" for i in range(12)))
        evaluate(load(str(run), str(qrels)))


def timed(call: Callable, *arguments) -> tuple[object, float, float]:
    """(what it returns, wall seconds, processor seconds)."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = call(*arguments)
    return value, time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("run")
    parser.add_argument("qrels")
    parser.add_argument("--save")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    load, evaluate, values = TOOLS[options.tool]()
    warm_up(load, evaluate)
    state, load_wall, load_cpu = timed(load, options.run, options.qrels)
    raw, wall, cpu = timed(evaluate, state)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    again = [timed(evaluate, state)[1:] for _ in range(options.repeat)]
    if options.save:
        table = values(raw)
        queries = sorted(table)
        np.savez(options.save, queries=np.array(queries), values=np.array([table[query] for query in queries]))
    print(json.dumps({"wall": load_wall + wall, "cpu": load_cpu + cpu, "load": load_wall, "peak": peak,
                      "loaded": statistics.median(wall for wall, _ in again),
                      "loaded_cpu": statistics.median(cpu for _, cpu in again)}))


if __name__ == "__main__":
    main()
