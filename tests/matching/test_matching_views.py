"""Views beside the ranking: answers, contexts, evidence; what a run cannot give is undefined, with its reason."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.evaluation.compare import compare
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match, Matching

pytestmark = pytest.mark.filterwarnings("error")

SPAN = "the Eiffel Tower was completed in March of the year 1889"
TRUTH = Truth.build("truth", ["q1", "q2", "q3"], ["a", "b", "c"], [1, 1, 1], details=pa.table({
    "query_id": ["q1", "q2", "q3"], "query": ["When was it built?", "Who?", None],
    "answers": pa.array([["1889", "in 1889"], ["Gustave"], None]),
    "evidence": pa.array([[{"text": SPAN, "source": None}], None, None])}))


def run_with(**columns) -> Run:
    details = pa.table({"query_id": ["q2", "q1"], **columns}) if columns else None
    return Run.build("run", ["q2", "q1", "q1"], ["b", "x", "a"], [1.0, 3.0, 2.0], details=details,
                     texts=pa.array(["Gustave Eiffel", f"We know that {SPAN}, or so.", "other words"]))


def test_answers_stand_in_the_order_of_the_truth():
    run = run_with(answer=["gustave!", "<think>hm</think>In 1889"])
    assert Match(run, TRUTH).answered.answers == ("In 1889", "gustave!", None)
    found = evaluate(run, TRUTH, "EM TokenF1")
    np.testing.assert_array_equal(found.column("EM"), [1, 1, np.nan])


def test_the_texts_of_the_first_documents_stand_in_for_contexts():
    run = run_with(answer=["Gustave Eiffel", "completed in 1889"])
    view = Match(run, TRUTH).grounded
    assert not view.has_contexts and view.contexts[1] == ("Gustave Eiffel",) and len(view.contexts[0]) == 2
    assert view.contexts[2] is None
    given = Match(run_with(answer=["a", "b"], contexts=pa.array([["one"], None])), TRUTH).grounded
    assert given.has_contexts and given.contexts == (None, ("one",), None)


@pytest.mark.parametrize(("metric", "truth", "word"), [
    ("EM", TRUTH, "without answers"), ("SupportDensity", TRUTH, "without answers"), ("SBERT", TRUTH, "without answers"),
    ("EvidenceRecall@5", Truth.build("bare", ["q1"], ["a"], [1]), "evidence")])
def test_what_a_run_cannot_give_is_undefined_with_its_reason(metric, truth, word):
    found = evaluate(run_with(), truth, ["RR", metric])
    assert np.isnan(found.column(metric)).all() and not np.isnan(found.column("RR")).all()
    (problem,) = (one for one in found.problems if one.kind == "unavailable")
    assert word in problem.actual and problem.severity == "warning" and problem.fix


def test_by_evidence_a_document_is_right_where_it_holds_the_span():
    by_id = evaluate(run_with(), TRUTH, "RR R@5")
    found = evaluate(run_with(), TRUTH, "RR R@1 P@5 EvidenceRecall@1 bpref", match="evidence")
    np.testing.assert_array_equal(by_id.column("RR"), [0.5, 1, 0])
    np.testing.assert_array_equal(found.column("RR"), [1, np.nan, np.nan])
    np.testing.assert_array_equal(found.column("R@1"), [1, np.nan, np.nan])
    assert np.isnan(found.column("bpref")).all()
    assert found.summary(resamples=10)[3].mean == 1.0
    assert dict(found.settings).items() >= {"match": "evidence", "match_how": "partial", "match_threshold": 0.7}.items()
    assert by_id.settings["match"] == "id" and "match_how" not in by_id.settings


def test_evaluations_by_id_and_by_evidence_are_not_compared():
    first = evaluate(run_with(), TRUTH, "RR")
    second = evaluate(run_with(), TRUTH, "RR", match="evidence")
    with pytest.raises(InputError, match="match"):
        compare(first, [second])


@pytest.mark.parametrize("wrong", [{"by": "text"}, {"how": "levenshtein"}, {"threshold": 0.0}, {"threshold": 1.1}])
def test_wrong_matching_is_refused(wrong):
    with pytest.raises(InputError):
        Matching(**wrong)


def test_the_command_line_says_how_documents_count(tmp_path, capfdbinary):
    (tmp_path / "run.jsonl").write_text('{"query_id": "q1", "retrieved": [{"doc_id": "x", "text": "' + SPAN + '"}]}\n')
    (tmp_path / "truth.jsonl").write_text('{"query_id": "q1", "evidence": ["' + SPAN + '"], "relevant": ["y"]}\n')
    status = main(["evaluate", str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "truth.jsonl"), "-m", "MRR",
                   "--match", "evidence", "--match-threshold", "0.9"])
    out = capfdbinary.readouterr().out.decode()
    assert status == 0 and "1.000" in out and "similarity 'partial' of at least 0.9" in out
