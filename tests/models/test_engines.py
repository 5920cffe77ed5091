"""Both engines: the same results in the same order, only a few shards at a time, and clear ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest

from ragdash.core.errors import InputError, Problem
from ragdash.models.engines import LOCAL, Task, WorkerLost, open_engine
from ragdash.models.engines.opening import cluster_address

ROOT = Path(__file__).parents[2]


def slower_first(shard: tuple[int, float]) -> int:
    time.sleep(shard[1])
    return shard[0]


def normal(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=300)


def refuse(name: str) -> None:
    raise InputError([Problem("duplicate-run", {"run": name})])


def kill_once(path: str) -> str:
    """Ends its process without a word the first time."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), 9)
    return path


def kill(_: int) -> None:
    os.kill(os.getpid(), 9)


class Loads:
    """Work that loads something large with its first shard."""

    def __init__(self):
        self.loaded = 0

    def __call__(self, shard: int) -> tuple[int, int]:
        self.loaded += shard
        return os.getpid(), self.loaded


def test_results_come_in_the_order_of_the_shards(engine):
    assert list(engine.map(Task(slower_first), [(1, 0.2), (2, 0.0), (3, 0.0)])) == [1, 2, 3]
    assert list(engine.map(Task(slower_first), [])) == []


def test_numbers_are_equal_bit_for_bit(engine):
    results = engine.map(Task(normal), range(8))
    assert b"".join(result.tobytes() for result in results) == b"".join(normal(i).tobytes() for i in range(8))


def test_only_a_few_shards_are_taken_before_their_results_are(engine):
    taken = []
    shards = (taken.append(number) or (number, 0.0) for number in count())
    results = engine.map(Task(slower_first), shards)
    assert list(islice(results, 20)) == list(range(20))
    results.close()
    assert len(taken) <= 20 + 2 * 2


def test_what_a_user_can_fix_comes_as_it_is(engine):
    with pytest.raises(InputError) as caught:
        list(engine.map(Task(refuse), ["bm25"]))
    assert caught.value.problems == (Problem("duplicate-run", {"run": "bm25"}),)
    assert "'bm25'" in str(caught.value)


def test_work_stays_with_its_worker_from_shard_to_shard(engine):
    by_process: dict[int, list[int]] = {}
    for process, loaded in engine.map(Task(Loads()), [1] * 6):
        by_process.setdefault(process, []).append(loaded)
    assert len(by_process) <= 2
    assert all(loaded == list(range(1, len(loaded) + 1)) for loaded in map(sorted, by_process.values()))


@pytest.mark.slow
def test_a_shard_whose_worker_is_killed_is_done_again_until_a_limit(cluster, tmp_path):
    from ragdash.models.engines.ray_engine import RayEngine

    engine = RayEngine("auto", retries=1)
    assert list(engine.map(Task(kill_once), [str(tmp_path / "killed")])) == [str(tmp_path / "killed")]
    with pytest.raises(WorkerLost, match="killed 2 times"):
        list(engine.map(Task(kill), [0]))
    with pytest.raises(WorkerLost, match="killed 1 time:"):
        list(engine.map(Task(kill_once, repeatable=False), [str(tmp_path / "other")]))


@pytest.mark.slow
def test_what_ray_says_of_a_killed_worker_is_not_in_the_output(cluster, tmp_path):
    import ray

    code = ("import sys, time, test_engines\nfrom ragdash.models.engines import Task\n"
            "from ragdash.models.engines.ray_engine import RayEngine\n"
            "print(*RayEngine(sys.argv[1]).map(Task(test_engines.kill_once), sys.argv[2:]))\ntime.sleep(1)")
    address, mark = ray.get_runtime_context().gcs_address, str(tmp_path / "killed")
    done = subprocess.run([sys.executable, "-c", code, address, mark], capture_output=True, text=True, check=True,
                          timeout=120)
    assert done.stdout == f"{mark}\n"


def lack(_: int) -> None:
    raise ModuleNotFoundError("No module named 'torch'")


@pytest.mark.slow
def test_a_package_that_workers_lack_is_said(cluster):
    with pytest.raises(InputError, match="lacks: ModuleNotFoundError: No module named 'torch'"):
        list(open_engine("ray").map(Task(lack), [1]))


@pytest.mark.slow
def test_a_worker_with_another_version_of_ragdash_says_so(cluster):
    from ragdash.models.engines.ray_engine import RayEngine

    with pytest.raises(InputError, match=r"expected 9\.9, as here"):
        list(RayEngine("auto", version="9.9").map(Task(normal), [1]))


@pytest.mark.slow
def test_a_machine_that_nobody_has_is_said(cluster, monkeypatch):
    from ragdash.models.engines import ray_engine

    monkeypatch.setattr(ray_engine, "NO_ROOM", 0.0)
    with pytest.raises(InputError, match="no machine of the Ray cluster with 64 cores"):
        list(open_engine("ray").map(Task(normal, cores=64), [1]))


@pytest.mark.slow
def test_a_cluster_that_is_gone_is_said_in_one_sentence(cluster, monkeypatch):
    from ragdash.models.engines import ray_engine

    monkeypatch.setattr(ray_engine, "GONE", 0.0)
    monkeypatch.setattr(ray_engine, "_answers", lambda host, port: False)
    with pytest.raises(InputError, match="no answer of the Ray cluster") as caught:
        list(open_engine("ray").map(Task(slower_first), [(1, 3.0)]))
    assert len(caught.value.problems) == 1 and "goes on from there" in str(caught.value)


def test_an_unknown_engine_and_ray_that_is_not_installed(monkeypatch):
    with pytest.raises(InputError, match="expected local or ray"):
        open_engine("spark")
    monkeypatch.setattr("ragdash.models.engines.opening.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'pip install "ragdash\[ray\]"'):
        open_engine("ray")


@pytest.mark.parametrize(("address", "says"), [
    ("", "no address of a Ray cluster;"), ("local", "but 'local'"), ("ray://head:10001", "the address of a Ray client"),
    ("http://head:8265", "ray job submit --address http://head:8265 --")])
def test_addresses_that_are_not_the_cluster_are_refused_with_a_way_out(address, says):
    with pytest.raises(InputError, match="ray job submit") as caught:
        cluster_address({"RAY_ADDRESS": address})
    assert says in str(caught.value)


def test_addresses_of_a_cluster():
    assert [cluster_address({"RAY_ADDRESS": f" {address} "}) for address in ("auto", "10.0.0.1:6379")] == [
        "auto", "10.0.0.1:6379"]


def test_the_default_engine_needs_no_new_import():
    code = ("import sys, ragdash.cli.main, ragdash.models.engines, ragdash.evaluation.scoring\n"
            "print('ray' in sys.modules)")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False" and LOCAL is open_engine("local")
