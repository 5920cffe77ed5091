"""The digest is of the content: of all of it, and of nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers import over, random_case, run_of, truth_of
from speed import quick

from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("error")

QUERIES, DOCS, SCORES = ["q1", "q1", "q2", "q2", "q2"], ["a", "b", "a", "c", "d"], [3.0, 2.0, 1.5, 1.25, 0.5]
TEXTS = ["one", "two", None, "", "five"]
DETAILS = pa.table({"query_id": ["q1", "q2", "q3"], "answer": ["yes", None, "no"], "cost_usd": [0.1, 0.2, None],
                    "contexts": pa.array([["one", "two"], [], None], pa.list_(pa.string()))})


def run(order=slice(None), name="run", scores=SCORES, details=DETAILS, **facts) -> Run:
    def rows(values):
        return np.array(values, object)[order].tolist()
    columns = {"texts": TEXTS, "sources": ["s1", "s2", "s1", None, "s2"]} | facts
    return Run.build(name, rows(facts.pop("queries", QUERIES)), rows(facts.pop("docs", DOCS)), np.array(scores)[order],
                     texts=pa.array(rows(columns["texts"]), pa.string()),
                     sources=pa.array(rows(columns["sources"]), pa.string()), details=details)


def replaced(values: list, at: int, new) -> list:
    return [*values[:at], new, *values[at + 1:]]


def detail(column: str, values, kind=None) -> pa.Table:
    at = DETAILS.column_names.index(column)
    return DETAILS.set_column(at, column, pa.array(values, kind or DETAILS.schema.field(column).type))


SAME = {
    "another name": lambda: run(name="another"),
    "another order of rows": lambda: run([3, 0, 4, 1, 2]),
    "queries the other way round": lambda: run([2, 3, 4, 0, 1]),
    "another order of details": lambda: run(details=DETAILS.take([2, 0, 1])),
    "another order of columns": lambda: run(details=DETAILS.select(["answer", "contexts", "cost_usd", "query_id"])),
}
OTHER = {
    "a query id": lambda: run(queries=replaced(QUERIES, 0, "q1 ")),
    "a document id": lambda: run(docs=replaced(DOCS, 2, "A")),
    "documents of two queries swapped": lambda: run(docs=["a", "c", "a", "b", "d"]),
    "a score in its last bit": lambda: run(scores=replaced(SCORES, 1, np.nextafter(2.0, 3))),
    "scores swapped": lambda: run(scores=[2.0, 3.0, *SCORES[2:]]),
    "a text": lambda: run(texts=replaced(TEXTS, 4, "Five")),
    "a text swapped with another": lambda: run(texts=["two", "one", *TEXTS[2:]]),
    "no text for an empty one": lambda: run(texts=replaced(TEXTS, 3, None)),
    "a source": lambda: run(sources=["s1", "s2", "s1", None, "s1"]),
    "an answer": lambda: run(details=detail("answer", ["yes", None, "yes"])),
    "an answer for none": lambda: run(details=detail("answer", ["yes", "", "no"])),
    "answers of two queries swapped": lambda: run(details=detail("answer", ["no", None, "yes"])),
    "a cost": lambda: run(details=detail("cost_usd", [0.1, 0.3, None])),
    "a context": lambda: run(details=detail("contexts", [["one", "too"], [], None])),
    "contexts cut elsewhere": lambda: run(details=detail("contexts", [["onetwo"], [], None])),
    "an empty list for none": lambda: run(details=detail("contexts", [["one", "two"], [], []])),
    "no details": lambda: run(details=None),
    "a query without rows": lambda: run(details=DETAILS.slice(0, 2)),
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME.keys())
def test_the_digest_of_a_run_does_not_see(change):
    assert change().digest == run().digest


@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER.keys())
def test_the_digest_of_a_run_sees(change):
    assert change().digest != run().digest


def test_all_changes_of_a_run_have_digests_of_their_own():
    digests = [change().digest for change in OTHER.values()]
    assert len(set(digests)) == len(digests)


def test_the_digests_that_links_and_workspaces_hold_stay_the_same():
    """A change here breaks every link and every stored run: it needs a new version of what is stored."""
    assert run().digest == "60f6933ccebdbec16430e24cb62c6eb5"
    assert run(details=None).digest == "2ad72e1247a7ee250f259948e0d01f9b"


def test_a_digest_is_128_bits_in_hexadecimal():
    assert all(re.fullmatch("[0-9a-f]{32}", digest) for digest in (run().digest, truth_of({"q": ["a"]}).digest))
    assert run().renamed("new").digest == run().digest and run().renamed("new").name == "new"


@pytest.mark.parametrize("one, other", [
    ({}, {"scores": [2.0, 1.0]}),
    ({"scores": [2.0, 1.0]}, {"scores": [2.0, 1.0], "ranks": [2, 1]}),
    ({"scores": [2.0, 2.0]}, {"scores": [2.0, 2.0], "ranks": [1, 2]}),
    ({"ranks": [1, 2]}, {"ranks": [2, 1]}),
    ({"ranks": [2, 1]}, {"scores": [2.0, 1.0], "ranks": [2, 1]}),
    ({"scores": [2.0, 1.0], "ranks": [2, 1]}, {"scores": [3.0, 1.0], "ranks": [2, 1]}),
], ids=["scores for a list", "ranks against the scores", "ranks that settle a tie", "ranks swapped",
        "scores beside ranks", "a score beside ranks"])
def test_the_digest_of_a_run_sees_what_orders_it_and_its_scores(one, other):
    one, other = ({name: np.array(values) for name, values in facts.items()} for facts in (one, other))
    rows = (["q", "q"], ["a", "b"])
    assert Run.build("run", *rows, **one).digest != Run.build("run", *rows, **other).digest


def test_the_digest_of_a_list_sees_its_order():
    assert run_of({"q": ["a", "b"]}).digest != run_of({"q": ["b", "a"]}).digest


def test_the_order_of_rows_is_seen_where_scores_are_equal_and_only_there():
    rows = [("q", "a", 1.0), ("p", "x", 5.0), ("q", "b", 1.0), ("q", "c", 2.0)]
    digests = []
    for order in ([0, 1, 2, 3], [3, 0, 2, 1], [2, 1, 0, 3]):
        queries, docs, scores = zip(*(rows[i] for i in order), strict=True)
        digests.append(Run.build("run", queries, docs, np.array(scores)).digest)
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("ties", ["docid", "file"])
def test_runs_of_one_digest_have_the_same_values(ties):
    """What is kept by digest must not depend on what the digest does not see."""
    one, other = (Run.build("run", ["q", "q"], docs, np.array([1.0, 1.0])) for docs in (["a", "b"], ["b", "a"]))
    values = [evaluate(run, truth_of({"q": ["a"]}), "RR", ties=ties).values[0, 0] for run in (one, other)]
    assert one.digest != other.digest or values[0] == values[1]


@over(seed=range(40))
def test_the_digest_of_a_random_case_is_that_of_its_dictionaries(seed):
    """Whatever the order of the rows and the kind of the columns; without rows that stand twice or tie."""
    case = random_case(seed, "distinct")
    assert truth_of(case.grades).digest == case.truth().digest
    if len(case.columns["docs"]) == sum(map(len, case.rankings.values())):
        assert run_of(dict(reversed(case.rankings.items()))).digest == case.run().digest


GRADES = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": -1}, "q3": {}}


@pytest.mark.parametrize("grades", [
    {"q2": {"c": -1, "a": 2}, "q3": {}, "q1": {"b": 0, "a": 1}},
], ids=["another order"])
def test_the_digest_of_a_truth_does_not_see(grades):
    assert truth_of(grades, "another name").digest == truth_of(GRADES).digest


@pytest.mark.parametrize("change", [
    {"q1": {"a": 2, "b": 0}}, {"q1": {"a": 1, "b": -1}}, {"q1": {"a": 1}}, {"q1": {"a": 0, "b": 1}},
    {"q1": {"a": 1, "B": 0}}, {"q3": {"a": 0}}, {"q4": {}}, {"q2": {"a": 1, "b": 0}, "q1": {"a": 2, "c": -1}},
], ids=["a grade", "a sign", "one less", "grades swapped", "an id", "one more", "a query", "queries swapped"])
def test_the_digest_of_a_truth_sees(change):
    assert truth_of(GRADES | change).digest != truth_of(GRADES).digest


@pytest.mark.parametrize("changed", [
    {"query": ["Who?", "When?"]}, {"query": ["What?", "Who?"]}, {"answers": [["x"], []]},
    {"answers": [["x", "y"], None]}, {"evidence": [[{"text": "t", "source": "u"}], []]},
    {"attributes": ['{"type": "b"}', None]},
], ids=str)
def test_the_digest_of_a_truth_sees_its_details(changed):
    before = {"query_id": ["q1", "q2"], "query": ["Who?", "What?"], "answers": [["x"], None],
              "evidence": [[{"text": "t", "source": "s"}], []], "attributes": ['{"type": "a"}', None]}
    one, other = (truth_of(GRADES, details=pa.table(facts)) for facts in (before, before | changed))
    assert one.digest != other.digest


def test_a_judgment_given_twice_alike_is_no_other_content():
    one = Truth.build("t", ["q", "q"], ["a", "b"], np.array([1, 0]))
    two = Truth.build("t", ["q", "q", "q"], ["a", "b", "a"], np.array([1, 0, 1]))
    assert one.digest == two.digest


def test_the_digest_is_the_same_in_another_process():
    code = ("import sys; sys.path.insert(0, 'tests')\nfrom helpers import run_of, truth_of\n"
            "print(run_of({'q': {'é': 1.5, 'b': 2.0}}).digest, truth_of({'q': {'é': 1}}).digest)")
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True,
                          check=True, env={"PYTHONHASHSEED": "7"})
    assert done.stdout.split() == [run_of({"q": {"é": 1.5, "b": 2.0}}).digest, truth_of({"q": {"é": 1}}).digest]


def test_long_ids_and_texts_are_hashed_whole_and_quickly():
    long = "x" * 5_000_000
    one, other = quick(lambda: [run_of({"q": {long + end: 2.0, "b" * 300: 1.0}}) for end in ("a", "b")], 2)
    assert one.digest != other.digest
    assert evaluate(one, truth_of({"q": [long + "a"]}), "RR").values[0, 0] == 1
    assert evaluate(other, truth_of({"q": [long + "a"]}), "RR").values[0, 0] == 0


def test_the_queries_of_runs_are_not_mistaken_for_a_file_with_the_same_questions():
    run = Run.from_dict({"q1": {"d1": 1.0}, "q2": {"d2": 1.0}})
    questions = Truth.from_dict({"q1": {}, "q2": {}}, "questions.csv")
    of_runs = Truth.of_queries([run])
    assert of_runs.queries_only and not questions.queries_only
    assert of_runs.query_ids.equals(questions.query_ids) and of_runs.digest != questions.digest
    assert of_runs.digest == Truth.of_queries([run]).digest
