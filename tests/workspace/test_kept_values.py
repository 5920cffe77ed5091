"""Values per query that a workspace keeps: whole, bounded, gone with their run; a damaged one is no value."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.core.storage.folder_blobs import FolderBlobs
from ragdash.workspace import Workspace, kept_values
from ragdash.workspace.kept_values import KeptValues, value_key


@pytest.fixture
def values(tmp_path):
    return KeptValues(FolderBlobs(tmp_path))


def test_arrays_come_back_bit_for_bit_in_another_process(values, tmp_path):
    arrays = {"a": np.array([0.1, np.nan, -np.inf, 1e-320, -0.0]), "b": np.zeros(0),
              "c": np.random.default_rng(0).random(999)}
    values.keep("run", arrays)
    values.keep("run", {"a": np.ones(2)})
    read = KeptValues(FolderBlobs(tmp_path)).read("run", [*arrays, "d"])
    assert {key: array.tobytes() for key, array in read.items()} == {key: a.tobytes() for key, a in arrays.items()}
    assert not read["a"].flags.writeable and values.read("other", ["a"]) == {} and values.problems() == ()


def test_another_truth_convention_or_metric_is_another_array():
    parts = [("t", "mean", "nDCG@10"), ("t", "mean", "nDCG@1"), ("t", "skip", "nDCG@10"), ("t", "mean", "nDCG", "10")]
    assert len({value_key(*one) for one in parts}) == len(parts) and value_key(*parts[0]) == value_key(*parts[0])


@pytest.mark.parametrize("damage", [lambda c: c[:10], lambda c: c[:-1], lambda c: b"", lambda c: c[:-3] + b"abc",
                                    lambda c: c[:44] + b"\x09" + c[45:], lambda c: b"RAGDVAL1" + c[8:]])
def test_a_damaged_array_is_removed_and_said(values, tmp_path, damage):
    values.keep("run", {"a": np.arange(50.0), "b": np.arange(5.0)})
    path = tmp_path / "values" / "run" / "a"
    path.write_bytes(damage(path.read_bytes()))
    assert list(values.read("run", ["a", "b"])) == ["b"] and not path.exists()
    [problem] = values.problems()
    assert problem.message == "broken-values" and str(path) in str(problem) and "computed again" in str(problem)
    values.keep("run", {"a": np.arange(50.0)})
    assert values.read("run", ["a"])["a"][49] == 49


def test_an_array_under_the_name_of_another_is_no_value(values, tmp_path):
    values.keep("run", {"a": np.arange(50.0), "b": np.zeros(50)})
    folder = tmp_path / "values" / "run"
    (folder / "a").replace(folder / "b")
    assert values.read("run", ["b"]) == {} and len(values.problems()) == 1


def test_a_run_has_a_bounded_number_of_arrays_and_bytes(values, tmp_path, monkeypatch):
    monkeypatch.setattr(kept_values, "MOST", 3)
    for number in range(7):
        values.keep("run", {f"k{number}": np.zeros(1)})
    values.keep("other", {"k": np.zeros(1)})
    assert list(values.read("run", [f"k{number}" for number in range(7)])) == ["k6"]
    monkeypatch.setattr(kept_values, "MOST_BYTES", 1000)
    for number in range(3):
        values.keep("run", {f"large{number}": np.zeros(60)})
    assert len(list((tmp_path / "values" / "run").iterdir())) <= 2 and values.read("other", ["k"])


def test_a_store_that_is_away_is_not_asked_again_for_a_while(tmp_path, monkeypatch):
    asked = []

    class Away(FolderBlobs):
        def names(self, folder):
            asked.append(folder)
            raise InputError([Problem("unusable-blobs", {"reason": "no route"}, "s3://bucket")])

    values = KeptValues(Away(tmp_path))
    assert [values.read(run, ["k"]) for run in ("a", "b", "a")] == [{}] * 3 and len(asked) == 1
    monkeypatch.setattr(kept_values.time, "monotonic", lambda: 1e12)
    assert values.read("a", ["k"]) == {} and len(asked) == 2


def test_a_store_that_answers_slowly_is_not_waited_for_again_and_again(tmp_path, monkeypatch):
    """Reading 20 arrays at two seconds each took a page of a fresh server 48 seconds; computing them takes one."""
    KeptValues(FolderBlobs(tmp_path)).keep("run", {"a": np.ones(1), "b": np.ones(1)})
    clock, asked = [0.0], []

    class Slow(FolderBlobs):
        def names(self, folder):
            asked.append(folder)
            clock[0] += seconds
            return super().names(folder)

        def get(self, name):
            asked.append(name)
            clock[0] += seconds
            return super().get(name)

    monkeypatch.setattr(kept_values.time, "monotonic", lambda: clock[0])
    seconds, values = 0.9, KeptValues(Slow(tmp_path))
    assert list(values.read("run", ["a", "b"])) == ["a", "b"] and len(asked) == 3
    seconds = 2.0
    assert list(values.read("run", ["a"])) == ["a"], "what was waited for is used"
    assert [values.read("run", ["b"], newest=newest) for newest in (False, True)] == [{}, {}] and len(asked) == 4
    clock[0] += 61
    assert values.read("run", ["a", "b"]) == {} and len(asked) == 5, "the list was slow again"
    seconds = 0.01
    clock[0] += 61
    assert list(values.read("run", ["a", "b"])) == ["a", "b"]


def test_a_folder_is_read_on_however_busy_the_machine_is(tmp_path, monkeypatch):
    values, clock = KeptValues(FolderBlobs(tmp_path)), iter(range(0, 10_000, 2))
    values.keep("run", {"a": np.ones(1)})
    monkeypatch.setattr(kept_values.time, "monotonic", lambda: next(clock))
    assert [list(values.read("run", ["a"])) for _ in range(3)] == [["a"]] * 3


def test_a_deleted_run_takes_its_values_along(tmp_path):
    home = Workspace(tmp_path)
    runs = [Run.build(name, ["q"], [name], [1.0]) for name in ("a", "b")]
    for run in runs:
        home.add_run(run)
        home.values.keep(run.digest, {"k": np.ones(1)})
    assert Workspace(tmp_path).values is home.values, "one list of what is there, and of what was damaged"
    home.delete(runs[0].digest)
    assert home.values.read(runs[0].digest, ["k"]) == {} and home.values.read(runs[1].digest, ["k"])
    assert [path.name for path in (tmp_path / "values").iterdir()] == [runs[1].digest]
