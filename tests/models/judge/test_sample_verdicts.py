"""The samples' verdicts of a language model: they cover all answers, are taken in once, go from ledger to ledger."""

import re
import shlex
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ragdash.cli import main
from ragdash.io import read_runs, read_truth
from ragdash.matching.match import Match
from ragdash.models.judge import VerdictStore, default_verdict_store
from ragdash.models.judge.verdict_store.jsonl import import_verdicts, is_exported, unpacked

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
VERDICTS = SAMPLES / "verdicts.jsonl.gz"
RUNS = ("dense", "sparse", "hybrid")
METRICS = ("Faithfulness", "ClaimFaithfulness", "RAGAS.Faithfulness", "AnswerRelevanceJudged", "ContextRelevance",
           "Correctness", "RAGAS.ContextRecall", "RAGAS.ContextPrecision", "ContextPrecisionRatio")
NEEDS_REFERENCE = {"RAGAS.ContextRecall", "RAGAS.ContextPrecision", "ContextPrecisionRatio"}


def take_in(verdict_store: VerdictStore) -> tuple[int, int]:
    return import_verdicts(verdict_store, unpacked(VERDICTS).splitlines(), str(VERDICTS))


def test_every_metric_has_a_verdict_of_the_same_judge_on_every_answer_under_the_prompts_of_today():
    """If this fails after a change of a prompt: its verdicts have to be made again (sample_runs/README.md)."""
    assert is_exported(unpacked(VERDICTS)) and take_in(default_verdict_store())[1] == 0
    truth, means = read_truth(SAMPLES / "truth.jsonl"), {}
    for name in RUNS:
        match = Match(read_runs(SAMPLES / f"{name}.jsonl")[0], truth)
        for metric in METRICS:
            judged = match.judged.read(metric)
            assert str(judged.judge) == "language-model at batch-files"
            values = judged.values[~np.isnan(judged.values)]
            expected = {"RAGAS.Faithfulness": len(values)}.get(metric, 110 if metric in NEEDS_REFERENCE else 122)
            assert len(values) == expected > 70, (name, metric)
            means[name, metric] = round(float(values.mean()), 3)
    assert [means[name, "Correctness"] for name in RUNS] == [0.781, 0.766, 0.76]
    assert [means[name, "ClaimFaithfulness"] for name in RUNS] == pytest.approx([1, 0.997, 1], abs=0.001)


def test_declining_makes_no_claim_and_a_supported_claim_names_its_contexts():
    take_in(default_verdict_store())
    match = Match(read_runs(SAMPLES / "sparse.jsonl")[0], read_truth(SAMPLES / "truth.jsonl"))
    judged = match.judged.read("ClaimFaithfulness")
    assert 30 < judged.flags["vacuous"] < 50
    rows = judged.rows(match.query_ids.to_pylist())
    assert Counter(row["verdict"] for row in rows)["not stated"] == 1
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
    assert main.main(["evaluate", run, *truth, "-m", "Correctness RAGAS.ContextRecall"]) == 0
    out = capsys.readouterr().out
    assert "0.766" in out and "0.732" in out
    assert main.main(["verdicts", run, *truth, "--format", "ledger", "--judge", "nobody"]) == 2


def test_labels_of_runs_that_nobody_has_judged_are_not_called_absent(capfd):
    runs = [str(SAMPLES / f"{name}.jsonl") for name in RUNS]
    assert main.main(["trust", *runs, "--truth", str(SAMPLES / "truth.jsonl"), "-m", "Correctness", "--labels",
                      str(SAMPLES / "labels.jsonl")]) == 0
    said = capfd.readouterr().err
    assert "not judged yet" in said and "22 of 22 labels of 'dense' are on queries without a verdict" in said
    assert "no label for the verdicts" not in said


def test_the_commands_of_the_readme_correct_the_verdicts_by_the_labels(monkeypatch, capfd):
    monkeypatch.chdir(SAMPLES.parent)
    text = (SAMPLES / "README.md").read_text().replace("\\\n", " ")
    commands = re.findall(r"^    python -m ragdash (verdicts .*|trust .*)", text, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["verdicts", "trust"]
    assert [main.main(shlex.split(command)) for command in commands] == [0, 0]
    said = capfd.readouterr()
    assert "3,842 verdicts taken over" in said.err and "not judged yet" not in said.err
    means = dict(re.findall(r"^(dense|sparse|hybrid) +(0\.\d{3}) ", said.out, re.MULTILINE))
    assert means == {"dense": "0.781", "sparse": "0.766", "hybrid": "0.760"}
    assert said.out.count("Report: the interval of the corrected mean.") == 3
    assert said.out.count("Not settled: the true value can be anywhere in this range") == 1, "of hybrid alone"
    assert "of which 1 has a label. Label 15 more answers, chosen at random" in said.out
