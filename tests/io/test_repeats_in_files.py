"""Repeats of one configuration in a file, by a column such as trial: rows of queries, rows of documents, lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragdash.core.errors import InputError
from ragdash.core.records import Repetition, Run
from ragdash.evaluation.repeats import group_names, repeat_groups
from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source
from ragdash.workspace.parquet import pack, unpack

SHAPES = Path(__file__).parent / "collected_shapes"
QUERIES = [f"Which bridge crosses the river at mile {number}?" for number in range(8)]


def table(header: str, rows: list) -> tuple[str, bytes]:
    return "results.csv", "\n".join([header, *(",".join(map(str, row)) for row in rows)]).encode()


def proposed_runs(file) -> list[Run]:
    """The runs by the first reading."""
    return read_runs(file, mapping=dict(propose(Source(file))[0].mapping))


def rows_of_queries(*columns: str) -> tuple[str, bytes]:
    return table(f"{','.join(columns)},question,retrieved_docs,gold_docs", [
        (*[value for value, column in ((system, "system"), (trial, columns[-1])) if column in columns], question,
         f"d{number + trial};d{number}", f"d{number}")
        for system in ("bm25", "dense") for trial in (1, 2, 3) for number, question in enumerate(QUERIES)
        if "system" in columns or system == "dense"])


def rows_of_documents(*columns: str, marks=(1, 2, 3)) -> tuple[str, bytes]:
    return table(f"{','.join(columns)},query_id,rank,doc_id", [
        (*[value for value, column in ((system, "system"), (mark, columns[-1])) if column in columns], f"q{number}",
         rank, f"d{(number + rank * place) % 11}")
        for system in ("bm25", "dense") for place, mark in enumerate(marks, 1) for number in range(8)
        for rank in (1, 2, 3) if "system" in columns or system == "dense"])


@pytest.mark.parametrize("file", [rows_of_queries("system", "trial"), rows_of_documents("system", "trial"),
                                  rows_of_documents("system", "seed")])
def test_trials_of_two_systems_are_repeats_of_two_configurations(file):
    runs = proposed_runs(file)
    assert [run.name for run in runs] == [f"{system} / {trial}" for system in ("bm25", "dense") for trial in (1, 2, 3)]
    groups = repeat_groups(runs)
    assert groups == [[0, 1, 2], [3, 4, 5]] and group_names(runs, groups) == ["bm25", "dense"]
    assert all(run.duplicates == 0 and run.depth <= 3 for run in runs)


@pytest.mark.parametrize("file", [rows_of_queries("trial"), rows_of_documents("trial")])
def test_trials_alone_are_repeats_of_the_file(file):
    runs = proposed_runs(file)
    assert len(runs) == 3 and repeat_groups(runs) == [[0, 1, 2]]
    assert group_names(runs, [[0, 1, 2]]) == ["results"]


@pytest.mark.parametrize("column", ["epoch", "iteration", "temperature"])
def test_what_changes_from_run_to_run_is_no_repeat(column):
    runs = proposed_runs(rows_of_queries("system", column))
    assert len(runs) == 6 and repeat_groups(runs) == [[index] for index in range(6)]


def test_a_trial_of_each_system_is_no_repeat():
    runs = proposed_runs(table("system,trial,question,retrieved_docs,gold_docs", [
        (system, trial, question, f"d{number};d{number + trial}", f"d{number}")
        for trial, system in enumerate(("bm25", "dense"), 1) for number, question in enumerate(QUERIES)]))
    assert len(runs) == 2 and repeat_groups(runs) == [[0], [1]]


def test_a_list_of_trials_in_each_record_is_repeats():
    content = (SHAPES / "trials_of_a_question.json").read_bytes()
    assert repeat_groups(proposed_runs(("trials.json", content))) == [[0, 1]]


@pytest.mark.parametrize("file", [rows_of_documents("system", "trial"), rows_of_documents("trial")])
def test_rows_of_several_trials_are_not_read_as_one_ranking(file):
    with pytest.raises(InputError) as error:
        read_runs(file)
    assert [problem.kind for problem in error.value.problems] == ["proposed-reading"]


def test_rankings_that_the_format_separates_are_read_as_they_are():
    file = table("system,query_id,rank,doc_id,search_mode", [
        (system, f"q{number}", rank, f"d{number + rank}", ("exact", "fuzzy")[rank % 2]) for system in ("bm25", "dense")
        for number in range(8) for rank in (1, 2, 3, 4)])
    assert [(run.name, run.depth, run.duplicates) for run in read_runs(file)] == [("bm25", 4, 0), ("dense", 4, 0)]


def test_two_files_with_the_same_names_are_no_repeats_of_each_other():
    others = json.dumps([{"system": system, "trial": trial, "question": question, "gold_docs": ["x"],
                          "retrieved_docs": [f"x{trial}", system, "x"]}
                         for system in ("bm25", "splade") for trial in (1, 2) for question in QUERIES]).encode()
    runs = proposed_runs(rows_of_queries("system", "trial")) + proposed_runs(("results.json", others))
    assert repeat_groups(runs) == [[0, 1, 2], [3, 4, 5], [6, 7], [8, 9]]
    assert group_names(runs, repeat_groups(runs)) == ["bm25", "dense", "bm25 (2)", "splade"]


def test_repeats_that_returned_the_same_are_two_runs_and_are_kept_as_repeats():
    same = table("system,trial,question,retrieved_docs,gold_docs", [
        (system, trial, question, f"d{number};{system}", f"d{number}")
        for system in ("bm25", "dense") for trial in (1, 2) for number, question in enumerate(QUERIES)])
    first, second, *_ = proposed_runs(same)
    assert first.digest != second.digest and (first.rows_digest == second.rows_digest).all()
    kept = [unpack(pack(run)) for run in (first, second)]
    file = first.repetition.file
    assert [run.repetition for run in kept] == [Repetition("bm25", label, file) for label in ("1", "2")]
    assert [run.digest for run in kept] == [first.digest, second.digest]
