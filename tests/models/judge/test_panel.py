"""Several judges and several votes put together: cases worked by hand, what is missing and whose it is, ties."""

from __future__ import annotations

import numpy as np
import pytest
from models.judge.scripted import Scripted, case

from ragdash.analysis.judge_validation import judged_verdicts, validate_judge
from ragdash.analysis.judge_validation.model_families import same_family
from ragdash.core.errors import InputError, Unavailable
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.scoring.verdict_export import export
from ragdash.matching.match import Match
from ragdash.matching.views.panel_verdicts import aggregate
from ragdash.metrics import parse_spec, parse_specs
from ragdash.metrics.judged import judge_request
from ragdash.models.judge import Reply, default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.panel import panel_label, parse_choice
from ragdash.models.judge.task_runner import first_round
from ragdash.reporting.sentences import judge as said

NAN = float("nan")
ONE, TWO, THREE = (Judge(f"{word}.org", word) for word in ("one", "two", "three"))
TOY = Judge("toy", "toy-judge")
ALL = "one + two + three"
IDS = ["apart", "most", "same", "lacks"]
TEXTS = {query: {"question": "What?", "answer": f"Stone {query}.", "contexts": [f"Stone {query}."]} for query in IDS}


def say(match: Match, judge: Judge, scores: dict[str, float], vote: int = 0, failed: dict[str, str] | None = None):
    """Keep a Faithfulness verdict for each query, and failures."""
    first_questions = first_round(match.judged.askings("Faithfulness", vote=vote), vote)
    asked = dict(zip(match.query_ids.to_pylist(), first_questions, strict=True))
    default_verdict_store().save(judge, [
        *((asked[query], Reply({"reason": f"says {judge.model}", "score": score}, attempts=1))
          for query, score in scores.items()),
        *((asked[query], Reply(None, why, attempts=1)) for query, why in (failed or {}).items())])


@pytest.fixture
def match() -> Match:
    """Three judges: of three minds, two of one mind, all of one mind; the third has failed on the last query."""
    found = Match(*case(TEXTS))
    say(found, ONE, {"apart": 1, "most": 1, "same": 0.5, "lacks": 1})
    say(found, TWO, {"apart": 0.5, "most": 1, "same": 0.5, "lacks": 1})
    say(found, THREE, {"apart": 0, "most": 0, "same": 0.5}, failed={"lacks": "not-json"})
    return found


def by_id(match: Match, values) -> dict[str, float]:
    return dict(zip(match.query_ids.to_pylist(), np.asarray(values).tolist(), strict=True))


def close(**wanted):
    return pytest.approx(wanted, nan_ok=True)


def test_the_mean_of_three_judges_by_hand(match):
    found = match.judged.read("Faithfulness", ALL)
    assert by_id(match, found.values) == close(apart=0.5, most=2 / 3, same=0.5, lacks=NAN)
    assert by_id(match, found.agreement) == close(apart=1 / 3, most=2 / 3, same=1, lacks=NAN)
    assert str(found.judge) == "mean of 3 judges: one at one.org + two at two.org + three at three.org"
    assert [one.judge for one in found.members] == [ONE, TWO, THREE]


def test_a_missing_verdict_of_one_is_missing_with_the_reason_and_whose_it_is(match):
    found = evaluate(match.run, match.truth, f"Faithfulness(judge='{ALL}')")
    problem, = (one for one in found.problems if one.kind == "missing-verdicts")
    assert "1 of 4 queries without a verdict (three at three.org: no JSON in the reply)" in problem.actual
    assert "To ask again: " in problem.fix
    assert found.settings[f"Faithfulness of '{ALL}'"].startswith("mean of 3 judges: one at one.org + ")
    nobody = match.judged.read("Faithfulness", "one + two")
    assert not np.isnan(nobody.values).any(), "nobody else's failure counts"


def test_the_majority_of_three_and_a_tie_that_nobody_breaks(match):
    found = match.judged.read("Faithfulness", f"majority of {ALL}")
    assert by_id(match, found.values) == close(apart=NAN, most=1, same=0.5, lacks=NAN)
    assert by_id(match, found.agreement) == close(apart=NAN, most=2 / 3, same=1, lacks=NAN)
    evaluated = evaluate(match.run, match.truth, f"Faithfulness(judge='majority of {ALL}')")
    told = {one.kind: one for one in evaluated.problems}
    assert "1 of 4 queries undefined (a tie of the most frequent values)" in told["undefined-verdicts"].actual
    assert "To ask again" not in told["undefined-verdicts"].fix
    assert "three at three.org" in told["missing-verdicts"].actual


def test_votes_are_put_together_first_then_the_judges(match):
    """One votes 1, 0, 0 and two 0.5, 0.5, 1: means 1/3 and 2/3, majorities 0 and 0.5."""
    for vote, pair in enumerate(((0, 0.5), (0, 1)), 1):
        for judge, score in zip((ONE, TWO), pair, strict=True):
            say(match, judge, {"apart": score, "same": 0.5, "most": score}, vote=vote)
    found = match.judged.read("Faithfulness", "one + two", votes=3)
    assert by_id(match, found.values) == close(apart=0.5, most=(1 / 3 + 5 / 6) / 2, same=0.5, lacks=NAN)
    assert by_id(match, found.agreement) == close(apart=0.5, most=0.5, same=1, lacks=NAN)
    assert {one.missing for one in found.judgments if one.value != one.value} == {
        "no-vote|one at one.org, two at two.org"}
    most = match.judged.read("Faithfulness", "majority of one + two", votes=3)
    assert by_id(match, most.values) == close(apart=NAN, most=NAN, same=0.5, lacks=NAN)
    alone = match.judged.read("Faithfulness", "majority of two", votes=3)
    assert by_id(match, alone.values) == close(apart=0.5, most=1, same=0.5, lacks=NAN)
    assert str(alone.judge) == "majority of votes: two at two.org" and not alone.members
    named = match.judged.read("Faithfulness", "majority", votes=3)  # of the one last asked that has three
    assert str(named.judge) in ("majority of votes: two at two.org", "majority of votes: one at one.org")


def test_a_tie_of_one_judges_votes_is_told_as_that_judges(match):
    say(match, ONE, dict.fromkeys(IDS, 0), vote=1)
    say(match, TWO, dict.fromkeys(IDS, 1), vote=1)
    found = match.judged.read("Faithfulness", "majority of one + two", votes=2)
    said_of = by_id(match, [one.missing or "" for one in found.judgments])
    assert said_of == {"apart": "tied|one at one.org, two at two.org", "most": "tied|one at one.org",
                       "same": "tied|one at one.org, two at two.org", "lacks": "tied|one at one.org"}


def test_values_that_differ_by_rounding_are_the_same():
    value, agreement, tied = aggregate(np.array([[0.1 + 0.2], [0.3], [1.0]]), "majority")
    assert value == pytest.approx([0.3]) and agreement == pytest.approx([2 / 3]) and not tied


def test_a_judge_that_has_not_spoken_or_is_named_twice_makes_it_unavailable(match):
    with pytest.raises(Unavailable, match="not judged yet by 'four'"):
        match.judged.read("Faithfulness", "one + four")
    with pytest.raises(Unavailable, match="names one judge twice"):
        match.judged.read("Faithfulness", "one + one at one.org")


def test_a_name_that_a_judge_bears_is_that_judge(match):
    odd = Judge("imports", "one + two")
    say(match, odd, {"apart": 0})
    assert match.judged.read("Faithfulness", "one + two").judge == odd


def test_several_judges_may_be_written_without_blanks(match):
    assert match.judged.read("Faithfulness", "one+two+three").source == match.judged.read("Faithfulness", ALL).source
    assert match.judged.read("Faithfulness", "majority of one +two").judge.pool == "majority"
    say(match, Judge("code.org", "coder++"), {"apart": 0})
    assert match.judged.read("Faithfulness", "coder++").judge.model == "coder++"
    assert match.judged.read("Faithfulness", "one + coder++").members[1].judge.model == "coder++"
    with pytest.raises(Unavailable, match=r"not judged yet by 'c\+\+'"):
        match.judged.read("Faithfulness", "c++")


def test_evaluate_says_on_how_many_queries_judges_or_votes_differ(match):
    problem, = (one for one in evaluate(match.run, match.truth, f"Faithfulness(judge='{ALL}')").problems
                if one.kind == "judges-differ")
    assert "the judges give different values to 2 of 3 queries" in problem.actual
    assert not any(one.kind == "judges-differ" for one in match.judged.warnings("Faithfulness", "one"))
    say(match, ONE, {"apart": 0, "most": 1, "same": 0.5, "lacks": 1}, vote=1)
    problem, = (one for one in match.judged.warnings("Faithfulness", "one", 2) if one.kind == "judges-differ")
    assert "the votes give different values to 1 of 4 queries" in problem.actual


def test_claims_of_all_are_kept_under_their_names_and_flags_once():
    match = Match(*case({"q": {"question": "What?", "answer": "Paris stands.", "references": ["Paris stands."],
                               "contexts": ["Paris stands."]}}))
    for judge in (ONE, TWO):
        Scripted(default_verdict_store(), judge=judge).judge_all(match.judged, "ClaimFaithfulness", "RAGChecker.F1",
                                                          "RAGChecker.NoiseSensitivityRelevant")
    one, = match.judged.read("ClaimFaithfulness", "one + two").judgments
    assert [row["judge"] for row in one.rows] == ["one at one.org", "two at two.org"] and one.value == 1
    with pytest.raises(InputError, match="claims of several judges"):
        export(match.judged, "ragchecker", judge="one + two")


def test_the_choice_is_written_as_a_parameter_and_read_back():
    spec, = parse_specs(f"Faithfulness(judge='majority of {ALL}', votes=3)")
    assert parse_spec(str(spec)) == spec and judge_request(spec) == ("Faithfulness", f"majority of {ALL}", 3)
    for label, wanted in {
            "": ("mean", [""]), "meanwhile": ("mean", ["meanwhile"]), "A at h:1": ("mean", ["A at h:1"]),
            "A + B": ("mean", ["A", "B"]), "mean of A + B": ("mean", ["A", "B"]), "majority": ("majority", [""]),
            "c++ coder": ("mean", ["c++ coder"]), panel_label(["A", "B", "C"]): ("mean", ["A", "B", "C"]),
            panel_label(["A"], "majority"): ("majority", ["A"])}.items():
        assert parse_choice(label) == wanted


def test_it_is_said_that_it_is_a_mean_and_of_whom_and_that_one_is_a_script(match):
    say(match, TOY, dict.fromkeys(IDS, 1))
    spec = parse_spec("Faithfulness(judge='one + toy-judge')")
    lines = said.judge_sources(["run"], [evaluate(match.run, match.truth, [spec])], [spec])
    assert lines[-1] == said.SAMPLING_ONLY and "sampling only" in said.SAMPLING_ONLY
    line = lines[0].replace("\\", "")
    assert "mean of 2 judges: one at one.org + toy-judge at toy (a script that compares content words" in line
    assert said.is_toy("one at one.org + toy-judge at toy") and not said.is_toy("one at one.org + two at two.org")
    assert said.judge_name("one at one.org + toy-judge at toy", short=True) == "Mean of 2 judges, one of them a script"
    assert said.judge_name("majority of one at one.org + two at two.org", short=True) == "Majority of 2 judges"


def test_a_panel_is_held_against_labels_as_a_judge_is(match):
    spec = parse_spec(f"Faithfulness(judge='{ALL}')")
    found = judged_verdicts(evaluate(match.run, match.truth, [spec]), match, spec)
    assert found.judge == "one + two + three" and found.what == "Faithfulness"
    assert found.missing == {"three at three.org: no JSON in the reply": 1}
    held = validate_judge(found, {"apart": 1, "most": 0})
    assert held.judge.mean == pytest.approx((0.5 + 2 / 3 + 0.5) / 3) and held.judge.n == 3
    assert held.corrected.mean == 0.5  # the labels alone: the judge is higher where people are lower, so lambda is 0
    assert held.agreement.accuracy == 1 / 2  # yes from 0.5 on
    assert held.votes.n == 4 and held.votes.unanimous == pytest.approx(2 / 4)  # classes: 1 1 0, 1 1 0, 1 1 1, 1 1
    assert same_family("mixtral + gpt-4o", "gpt-4.1") == {"OpenAI"} and not same_family("one + two", "three")
    assert same_family("mine + yours", "yours") == {"yours"}
