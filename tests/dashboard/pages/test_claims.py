"""Judged metrics on the pages: claims of the query in view, links to chunks, values that appear, reasons."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import page_cases
import pyarrow as pa
import pytest
from judged_cases import TOY, judge
from models.judge.scripted import JUDGE
from page_cases import address, drawn
from streamlit.testing.v1 import AppTest

from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.queries import claims_html
from ragdash.dashboard.pages.queries.ranking_html import RankingColumn
from ragdash.evaluation.scoring.claims import ChunkVerdict, Claim, ClaimVerdict, JudgedValue, JudgeFindings
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks import Case
from ragdash.reporting.plots.common.theme import THEMES, run_look

PARIS = "Paris stands beside Seine."
TOWER = "Gustave built tower."
NASTY = "<script>alert(1)</script> <img src=x onerror=alert(1)> **bold** Rhine."
IDS = ["q0", "q1", "q2", "q3"]


def the_truth() -> Truth:
    details = pa.table({"query_id": IDS, "query": ["What stands?", "What is hurt?", "Who knows?", "None?"],
                        "answers": [[PARIS], [NASTY], [PARIS], [PARIS]]})
    return Truth.build("truth", IDS, ["d1"] * 4, [1] * 4, details=details)


def built(name: str, answers: list[str | None]) -> Run:
    """A run that returns d1 (of Paris), d2 (of what is hurtful), d3 for each query."""
    rows = [(query, doc, 3.0 - at) for query in IDS for at, doc in enumerate(("d1", "d2", "d3"))]
    queries, docs, scores = map(list, zip(*rows, strict=True))
    texts = {"d1": f"Surely {PARIS}", "d2": NASTY, "d3": "Cheese smells strong."}
    return Run.build(name, queries, docs, scores, texts=[texts[doc] for doc in docs],
                     details=pa.table({"query_id": IDS, "answer": pa.array(answers, pa.string())}))


def runs() -> dict[str, Run]:
    return {"old": built("old", [f"{PARIS} {TOWER}", NASTY, "I do not know.", PARIS]),
            "new": built("new", [PARIS, NASTY, PARIS, None]),
            "odd": built("odd", ["It is old.", "It is new.", "It is both.", "It is none."])}


def opened(*names: str, page: str = "queries", **more) -> AppTest:
    return page_cases.opened(page, **address(the_truth(), [runs()[name] for name in names or ("old", "new")], **more))


def words(at: AppTest) -> str:
    return "\n".join(one.value for one in (*at.markdown, *at.caption, *at.header))


def judged(*names: str, **more) -> None:
    for run in runs().values():
        judge(run, the_truth(), *names, **more)


def card(page: str, at: int) -> str:
    """The claims of one run."""
    return re.split(r'<div style="flex:1 0 ', page.partition('aria-label="Claims of each run')[2])[at + 1]


def test_claims_have_verdict_reason_and_a_link_to_their_chunk():
    judged()
    page = drawn(opened(query="q0"))
    old = card(page, 0)
    assert "1 of 2 supported by the contexts" in old and PARIS in old and TOWER in old
    assert '<a href="#chunk-1-1"' in old and ">d1</a>" in old
    for said in ("✓ supported", "✗ not stated", "✓ right", "✗ wrong: the reference does not say it", "✗ in no chunk"):
        assert said in old, said
    assert '<a href="#chunk-2-1"' in card(page, 1)
    for place in re.findall(r'href="#([^"]+)"', page):
        assert page.count(f'id="{place}"') == 1, "a link leads to one place"


def test_chunks_bear_their_verdicts_in_the_ranking():
    judged()
    page = drawn(opened("old", query="q0"))
    ranking = page.partition('aria-label="Rankings side by side"')[2].partition("</table>")[0]
    cells = re.findall(r"<td.*?</td>", ranking)
    assert "✓ judge: useful" in cells[0] and "supports 2 claims" in cells[0] and 'id="chunk-1-1"' in cells[0]
    assert "✗ judge: not useful" in cells[2] and "supports" not in cells[2]


def test_a_chunk_below_the_ranks_shown_stands_below_the_claims():
    judged()
    page = drawn(opened("old", query="q0", ranks="1", k="1", metric="nDCG@k"))
    below = card(page, 0)
    assert "2 contexts not among the ranks shown" in below and 'id="chunk-1-3"' in below
    assert 'id="chunk-1-1"' not in below


def test_judged_text_is_never_markup():
    judged()
    at = opened(query="q1")
    assert "<script>" not in drawn(at) and "<img" not in drawn(at)
    assert "alert(1)" in card(drawn(at), 0)


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_whatever_a_judge_writes_stays_text(theme):
    evil = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>"
    held = ClaimVerdict(evil, evil, False)
    one = JudgeFindings(
        (JudgedValue(evil, 1.0, evil, evil, (evil,)), JudgedValue("Correctness", 1.0, evil, evil, (evil,))),
        (Claim(evil, held, held, (evil,), (evil,)), Claim(evil * 2, missing=evil)),
        (Claim(evil, held, held),),
        {evil: ChunkVerdict(held, 0.5, evil)},
        ((evil, True),),
    )
    case = Case("q", contexts=((evil, evil),))
    column = RankingColumn(evil, run_look(0, theme), None, anchors=claims_html.chunk_anchors(case, 0))
    page = claims_html.values_table([column], [one], theme) + claims_html.claim_cards([column], [case], [one], theme)
    assert "<script" not in page and "<img" not in page and "onerror='" not in page
    assert {name for name, _ in re.findall(r'<(\w+)([^>]*)>', page)} <= {
        "div", "table", "thead", "tbody", "tr", "th", "td", "b", "span", "small", "details", "summary", "ol", "ul",
        "li", "a"}
    assert page.count("alert(1)") > 10


def test_flags_and_missing_values_are_words():
    judged()
    page = drawn(opened(query="q2"))
    assert "no claim, counts as faithful" in page and "The judge found no claim in the answer." in card(page, 0)
    assert "undefined: the text makes no claim" in page, "RAGChecker's shares are undefined, with the reason"
    bare = drawn(opened(query="q3"))
    assert "not judged" in bare, "new has no answer to this query"


def test_claims_whose_verdict_failed_are_missing_with_the_reason():
    judged("ClaimFaithfulness", fails={"Verify": "timeout"})
    page = drawn(opened(query="q0"))
    assert "? no verdict: no reply in time" in card(page, 0) and "missing: no reply in time" in page


def test_a_toy_is_called_one_and_the_judge_can_be_chosen():
    judged("Correctness", judge=JUDGE)
    judged("Faithfulness", judge=TOY)
    at = opened(query="q0")
    box = next(one for one in at.selectbox if one.key == "heard")
    assert len(box.options) == 2 and "(a script)" in box.options[0] and box.value == str(TOY)
    assert "no model that reads" in words(at)
    assert "Faithfulness" in drawn(at) and "Correctness" not in drawn(at)
    box.select(str(JUDGE)).run()
    assert "Correctness" in drawn(at) and "Judged metric" in drawn(at)
    alone = opened("old", query="q0", heard=str(JUDGE))
    assert "Correctness" in drawn(alone), "the link opens the judge chosen"


def name_versions(**versions: str) -> None:
    """Give the stored verdicts on a task a version of the judge."""
    with closing(sqlite3.connect(default_verdict_store().path)) as db, db:
        db.executemany("update verdicts set model = ? where task = ?", [(name, of) for of, name in versions.items()])


def test_the_version_of_the_judge_is_named():
    judged("Correctness", judge=JUDGE)
    name_versions(Correctness="scripted-05")
    at = opened(query="q0")
    assert "scripted at localhost\\:1. Version scripted\\-05." in words(at) and "by version" not in drawn(at)


def test_a_version_that_says_no_more_than_the_name_is_not_repeated():
    judged("Correctness", judge=JUDGE)
    assert "Version" not in words(opened(query="q0"))


def test_values_of_several_versions_are_told_apart():
    judged("Correctness", "ClaimFaithfulness", judge=JUDGE)
    name_versions(Correctness="scripted-05", Claims="scripted-05", Verify="scripted-08")
    at = opened(query="q0")
    assert "Version scripted" not in words(at)
    assert "by version scripted-05" in drawn(at)
    assert "by the versions scripted-05 and scripted-08: left out of the mean" in drawn(at)


def test_without_verdicts_the_way_to_them_is_told_and_they_appear_without_a_restart():
    at = opened(query="q0")
    assert "No judge scores for this query yet" in words(at) and "Judge verdicts" not in words(at)
    judged("ClaimFaithfulness")
    at.run()
    assert "Judge verdicts" in words(at) and "1 of 2 supported by the contexts" in drawn(at)
    judged("RAGAS.ContextPrecision")
    at.run()
    assert "✓ judge: useful" in drawn(at)


def test_a_ledger_that_cannot_be_read_is_a_problem_on_the_page():
    path = default_verdict_store().path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"no database" * 100)
    at = opened(query="q0")
    assert any("verdicts that cannot be read" in one.value for one in at.error)


METRICS = ["Faithfulness", "ClaimFaithfulness"]


@pytest.mark.parametrize(("page", "key"), [("compare", "columns"), ("compare/queries", "columns"),
                                           ("threshold-bands", "columns"), ("answers", "answers")])
def test_a_judged_metric_tells_why_it_has_no_value_and_has_one_once_it_is_judged(page, key):
    at = opened(page=page, **{key: METRICS})
    said = words(at)
    assert "Faithfulness and Claim faithfulness: not judged yet." in said
    assert "Ask a judge on the Answers page" in said and "--metrics" not in said
    assert any(link.proto.page_script_hash for link in at.get("page_link") if "judge" in link.proto.label.lower())
    assert "verdicts of" not in said
    judged()
    at.run()
    assert not at.exception
    said = words(at)
    assert "not judged yet" not in said
    assert "Faithfulness and Claim faithfulness: verdicts of **toy" in said and "no model that reads" in said
    assert "1 query without a claim" in said, "vacuous"


def test_values_are_never_stale():
    at = opened(page="compare", metric="ClaimFaithfulness")
    assert page_cases.leaderboard(at)["Claim faithfulness"].tolist() == ["–", "–"]
    judged("ClaimFaithfulness", fails={"Verify": "timeout"})
    at.run()
    assert "no reply in time" in words(at)
    judged("ClaimFaithfulness")
    at.run()
    board = page_cases.leaderboard(at)["Claim faithfulness"]
    first = board.str.extract(r"^([\d.]+)")[0].tolist()
    assert first == ["1.000", "0.875"], "of new (1, 1, 1), and of old (1/2, 1, 1 vacuous, 1)"
    assert "no reply in time" not in words(at)


def test_runs_by_different_judges_are_warned_of():
    judge(runs()["new"], the_truth(), "Correctness", judge=TOY)
    judge(runs()["odd"], the_truth(), "Correctness", judge=JUDGE)
    said = words(opened("new", "odd", page="compare", columns=["Correctness"]))
    assert "is by different judges, whose values do not compare" in said


def test_bands_of_judged_metrics_are_drawn_with_their_source():
    judged()
    at = opened(page="threshold-bands", metric="Faithfulness", columns=["Faithfulness"])
    said = words(at)
    assert "published RAG evaluation guide, minimum thresholds" in said
    assert at.get("plotly_chart"), "the picture of the bands"


def test_a_metric_of_one_run_alone_says_which_run_lacks_it():
    judge(runs()["new"], the_truth(), "Faithfulness")
    said = words(opened("new", "odd", page="compare", columns=["Faithfulness"]))
    assert "Faithfulness of **odd**: not judged yet." in said
