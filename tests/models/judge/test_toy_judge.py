"""The samples' toy judge: its verdicts are what its rules give, are taken in once, and go from ledger to ledger."""

import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from ragdash.cli import main
from ragdash.io import read_runs, read_truth
from ragdash.matching.match import Match
from ragdash.models.judge import Question, VerdictStore, default_verdict_store
from ragdash.models.judge.verdict_store.jsonl import import_verdicts, is_exported, unpacked

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
VERDICTS = SAMPLES / "verdicts.jsonl.gz"


@pytest.fixture(scope="module")
def toy():
    found = importlib.util.spec_from_file_location("toy_judge", SAMPLES / "toy_judge.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def take_in(verdict_store: VerdictStore) -> tuple[int, int]:
    return import_verdicts(verdict_store, unpacked(VERDICTS).splitlines(), str(VERDICTS))


def test_the_file_is_what_the_rules_give(toy):
    assert toy.judged() == gzip.decompress(VERDICTS.read_bytes())
    assert is_exported(unpacked(VERDICTS))


def test_a_claim_is_supported_where_one_context_has_all_its_words(toy):
    verify = Question("Verify", "1", "", "<context id=\"c1\">\nThe probe landed.\n</context>\n\n<context id=\"c2\">\nA "
                      "probe landed on the Moon.\n</context>\n\n<claim id=\"1\">\nThe probe landed on the Moon."
                      "\n</claim>\n\n<claim id=\"2\">\nThe probe burned.\n</claim>", {}, ("1", "2"))
    first, second = toy.say(verify)["verdicts"]
    assert (first["verdict"], first["chunks"]) == ("supported", ["c2"]) and "3 of 3" in first["reason"]
    assert (second["verdict"], second["chunks"]) == ("not stated", []) and "1 of 2" in second["reason"]
    scored = Question("Correctness", "1", "", "<reference>\nred green blue white\n</reference>\n\n<answer>\nred, green"
                      " and blue\n</answer>", {})
    assert toy.say(scored)["score"] == 0.75


def test_its_verdicts_are_those_of_the_sample_runs_and_say_who_gave_them():
    assert take_in(default_verdict_store())[1] == 0
    match = Match(read_runs(SAMPLES / "dense.jsonl")[0], read_truth(SAMPLES / "truth.jsonl"))
    found = match.judged.read("ClaimFaithfulness")
    assert str(found.judge) == "toy-judge at toy" and not np.isnan(found.values).any() and not found.flags["vacuous"]
    rows = found.rows(match.query_ids.to_pylist())
    assert {row["verdict"] for row in rows} == {"supported", "not stated"}  # who declines states what is in no context
    assert all(bool(row["chunks"]) == (row["verdict"] == "supported") for row in rows)


def test_taking_them_in_again_changes_nothing():
    verdict_store = default_verdict_store()
    many = take_in(verdict_store)[0]
    stamp = verdict_store.stamp()
    assert many > 3000 and take_in(verdict_store) == (0, many) and verdict_store.stamp() == stamp


def test_what_a_ledger_holds_on_a_run_goes_to_another(tmp_path, monkeypatch, capsys):
    run, truth = str(SAMPLES / "sparse.jsonl"), ["--truth", str(SAMPLES / "truth.jsonl")]
    take_in(default_verdict_store())
    carried = tmp_path / "carried.jsonl"
    assert main.main(["verdicts", run, *truth, "--format", "ledger", "-o", str(carried)]) == 0
    lines = carried.read_bytes().splitlines()
    assert 500 < len(lines) < 3000  # of this run alone
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "other"))
    assert main.main(["verdicts", run, *truth, "--read", str(carried)]) == 0
    assert f"{len(lines):,} verdicts taken over" in capsys.readouterr().err
    assert main.main(["evaluate", run, *truth, "-m", "Faithfulness RAGAS.ContextRecall"]) == 0
    assert "0.635" in capsys.readouterr().out
    assert main.main(["verdicts", run, *truth, "--format", "ledger", "--judge", "nobody"]) == 2
