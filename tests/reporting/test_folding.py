"""Problems of several runs, said once: which are alike, whose numbers are listed, which stay apart."""

from dataclasses import replace
from types import SimpleNamespace

from ragdash.core.errors import Problem
from ragdash.metrics import parse_specs
from ragdash.reporting.sentences import judge
from ragdash.reporting.sentences.merge_problems import merged_problems

CLAIMS = "ClaimFaithfulness"


def problem(message: str = "missing-verdicts", run: str = "a", **facts) -> Problem:
    reasons = {"reasons": {"no reply in time": 1}, "again": False, "embed": False} if "missing" in facts else {}
    return Problem(message, {"metric": CLAIMS, "run": run, **reasons, **facts}, field=CLAIMS, severity="warning")


def runs(**problems: Problem | list[Problem]) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=name, problems=one if isinstance(one, list) else [one])
            for name, one in problems.items()]


def test_the_same_of_several_runs_is_one_with_its_runs():
    facts = {"judge": "", "reason": ""}
    found = merged_problems(runs(a=problem("unavailable/not-judged", "a", **facts),
                        b=problem("unavailable/not-judged", "b", **facts)))
    assert [one.actual for one in found] == [f"{CLAIMS} of runs 'a' and 'b', not judged yet"]
    assert found[0].kind == "unavailable" and found[0].facts["run"] == ["a", "b"]


def test_numbers_that_differ_are_listed_in_the_order_of_the_runs():
    found = merged_problems(
        runs(
            a=problem(run="a", missing=1, queries=1),
            b=problem(run="b", missing=1200, queries=1300),
            c=problem(run="c", missing=2, queries=1300, reasons={"an empty reply": 2}),
        )
    )
    assert [one.actual for one in found] == [
        f"{CLAIMS} of runs 'a' and 'b': 1 and 1,200 of 1 and 1,300 queries without a verdict (no reply in time)",
        f"{CLAIMS} of run 'c': 2 of 1,300 queries without a verdict (an empty reply)"]


def test_counts_by_reason_are_listed_reason_by_reason():
    found = merged_problems(
        runs(
            a=problem(run="a", missing=5, queries=9, reasons={"no reply in time": 3, "refused": 2}),
            b=problem(run="b", missing=6, queries=9, reasons={"no reply in time": 4, "refused": 2}),
        )
    )
    assert [one.actual for one in found] == [
        f"{CLAIMS} of runs 'a' and 'b': 5 and 6 of 9 queries without a verdict "
        "(3 and 4 no reply in time, 2 refused)"]


def test_what_differs_in_more_stays_apart_and_what_names_no_run_is_said_once():
    bare = Problem("empty-file")
    other = [problem("duplicate-verdict/query", "b", query="q5", vote=""), problem(run="b", missing=6, queries=9), bare]
    found = merged_problems(runs(a=[problem("duplicate-verdict/query", "a", query="q4", vote=""),
                           problem("undefined-verdicts", "a", missing=6, queries=9), bare], b=other))
    assert len(found) == 5 and found.count(bare) == 1
    assert merged_problems(runs(**{"it's": problem(run="it's", missing=1, queries=1)}))[0].actual.startswith(
        f"""{CLAIMS} of run "it's": 1 of 1 query""")


def test_the_lines_of_pages_have_titles_and_names_of_the_session():
    one = problem("undefined-verdicts", "a", missing=3, queries=9, reasons={"the text makes no claim": 3})
    one = replace(one, facts={**one.facts, "again": True})
    two = replace(one, facts={**one.facts, "run": "b"})
    lines = judge.verdict_problems(["first", "second"], runs(a=one, b=two), parse_specs(CLAIMS))
    assert [line.replace("\\", "") for line in lines] == [
        "Claim faithfulness of **first and second**: 3 of 9 queries undefined (the text makes no claim). "
        "They do not count."]


def test_of_many_runs_without_verdicts_the_first_are_named():
    names = [f"run{number}" for number in range(30)]
    lacking = runs(**{name: problem("unavailable/judge-no-answer", name, judge="") for name in names[:-1]}, last=[])
    line, = judge.unavailable_judged(names, lacking, parse_specs(CLAIMS))
    assert line.startswith("Claim faithfulness of **run0, run1, run2 and 26 more**: no answer for any query.")
