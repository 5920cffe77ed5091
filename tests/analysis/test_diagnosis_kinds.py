"""Edge cases of questions are understood however a truth writes them."""

import pytest
from diagnosis_cases import known
from helpers import run_of, truth_of

from ragdash.analysis.diagnosis import KINDS, diagnose, kinds
from ragdash.matching.match import Match


@pytest.mark.parametrize(("attributes", "kind"), [
    ({"type": "no_answer"}, "no_answer"), ({"question_type": "Unanswerable"}, "no_answer"),
    ({"tags": ["hard", "No answer"]}, "no_answer"), ({"answerable": False}, "no_answer"),
    ({"is_answerable": "no"}, "no_answer"), ({"is_impossible": True}, "no_answer"), ({"no_answer": 1}, "no_answer"),
    ({"answerability": ["UNANSWERABLE"]}, "no_answer"), ({"metadata": {"answerable": "False"}}, "no_answer"),
    ({"category": "out-of-scope"}, "out_of_scope"), ({"OutOfScope": "yes"}, "out_of_scope"),
    ({"kind": "multi-hop"}, "multi_hop"), ({"multi_hop": True}, "multi_hop"),
    ({"type": "contradictory"}, "contradictory"), ({"Conflicting": "true"}, "contradictory"),
    ({"type": "answerable"}, None), ({"answerable": True}, None), ({"no_answer": False}, None),
    ({"topic": "no_answer"}, None), ({"answerable": "perhaps"}, None), ({"no_answer": 2}, None),
])
def test_edge_cases_are_understood_however_they_are_written(attributes, kind):
    found = kinds(truth_of({"q": ["a"]}, details=known({"q": None}, {"q": attributes})))
    assert [name for name in KINDS if found[name][0]] == ([kind] if kind else [])


def test_a_question_that_is_both_answerable_and_not_is_told():
    truth = truth_of({"q": ["a"]}, details=known({"q": None}, {"q": {"answerable": True, "type": "no_answer"}}))
    found = diagnose(Match(run_of({"q": ["a"]}), truth))
    assert [problem.kind for problem in found.problems] == ["unclear-answerable"]
