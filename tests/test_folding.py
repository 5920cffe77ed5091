"""Problems of several runs, said once: which are alike, whose numbers are listed, which stay apart."""

from dataclasses import replace
from types import SimpleNamespace

from ragdash.core.errors import Problem
from ragdash.metrics import parse_specs
from ragdash.reporting.sentences import judge
from ragdash.reporting.sentences.merge_problems import folded

CLAIMS = "ClaimFaithfulness"


def problem(found: str, kind: str = "missing-verdicts", fix: str = "They do not count.", **more) -> Problem:
    return Problem(kind, found, "a verdict on each", fix, field=CLAIMS, severity="warning", **more)


def runs(**problems: Problem | list[Problem]) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=name, problems=one if isinstance(one, list) else [one])
            for name, one in problems.items()]


def of(run: str, rest: str, **more) -> Problem:
    return problem(f"{CLAIMS} of run {run!r}{rest}", **more)


def test_the_same_of_several_runs_is_one_with_its_runs():
    found = folded(runs(a=of("a", ", not judged yet", kind="unavailable"), b=of("b", ", not judged yet",
                                                                                kind="unavailable")))
    assert [one.found for one in found] == [f"{CLAIMS} of runs 'a' and 'b', not judged yet"]
    assert found[0].kind == "unavailable" and found[0].fix == "They do not count."


def test_numbers_that_differ_are_listed_in_the_order_of_the_runs():
    found = folded(runs(a=of("a", ": 1 of 1 query without a verdict (no reply in time)"),
                        b=of("b", ": 1,200 of 1,300 queries without a verdict (no reply in time)"),
                        c=of("c", ": 2 of 1,300 queries without a verdict (an empty reply)")))
    assert [one.found for one in found] == [
        f"{CLAIMS} of runs 'a' and 'b': 1 and 1,200 of 1 and 1,300 queries without a verdict (no reply in time)",
        f"{CLAIMS} of run 'c': 2 of 1,300 queries without a verdict (an empty reply)"]


def test_what_differs_in_more_stays_apart_and_what_names_no_run_is_said_once():
    bare = problem("a file")
    other = [of("b", ": 5 places", kind="place"), of("b", ": 6 of it"), bare]
    found = folded(runs(a=[of("a", ": 4 places", kind="place"), of("a", ": 6 of it", fix="Other."), bare], b=other))
    assert len(found) == 5 and found.count(bare) == 1
    assert folded(runs(**{"it's": of("it's", ", x")}))[0].found == f"""{CLAIMS} of run "it's", x"""


def test_the_lines_of_pages_have_titles_and_names_of_the_session():
    one = of("a", ": 3 of 9 queries undefined (the text makes no claim)", kind="undefined-verdicts",
             fix="They do not count. To ask again: command")
    two = replace(one, found=one.found.replace("'a'", "'b'"))
    lines = judge.told(["first", "second"], runs(a=one, b=two), parse_specs(CLAIMS))
    assert [line.replace("\\", "") for line in lines] == [
        "Claim faithfulness of **first and second**: 3 of 9 queries undefined (the text makes no claim). "
        "They do not count."]
