"""The check of the loaded test set on the Test set page: what it can show, its tables, judging again without labels."""

from __future__ import annotations

import pyarrow as pa
from page_cases import ROOT, address, opened, shown, texts, widget

from ragdash import Run, Truth, read_run, read_truth
from ragdash.analysis.test_set.check import check_test_set
from ragdash.analysis.test_set.relabel import RelabelStore, all_items
from ragdash.core.corpus import Corpus
from ragdash.workspace.reviews import ReviewStore


def samples() -> tuple[Truth, list[Run]]:
    folder = ROOT / "sample_runs"
    return read_truth(folder / "truth.jsonl"), [read_run(folder / f"{name}.jsonl") for name in ("sparse", "dense")]


def test_the_check_says_what_the_test_set_can_show_and_lists_queries_and_findings():
    truth, runs = samples()
    at = opened("test-set", **address(truth, runs))
    check = check_test_set(runs, truth)
    assert f"differ by about {check.detectable[0]:.3f}" in texts(at) and "(q053)" in texts(at)
    assert "load at least 3 runs, better ten" in texts(at)
    queries, findings = at.dataframe[0].value, at.dataframe[1].value
    assert len(queries) == 122 and "Discrimination" not in queries.columns
    assert abs(queries["Part of the difference"].sum() - check.carriers[0].comparison.mean_difference) < 1e-9
    assert len(findings) == len(check.labels.findings) > 0
    alone = opened("test-set", **address(truth, runs[:1])).dataframe[0].value
    assert "NDCG@10" in alone.columns, "a value is of a metric"


def small() -> tuple[Truth, list[Run]]:
    details = pa.table({"query_id": ["q1", "q2"], "query": ["Who walked first?", "Who stayed behind?"],
                        "answers": [["Neil Armstrong"], ["Michael Collins"]]})
    truth = Truth.build("qrels", ["q1", "q2"], ["secret-1", "secret-2"], [1, 1], details=details)
    texts_of = ["Nobody knows who it was.", "Michael Collins stayed in orbit."]
    runs = [Run.build(name, ["q1", "q2"], ["secret-1", "x"]) for name in ("a", "b")]
    return truth.with_corpus(Corpus.build("docs", ["secret-1", "secret-2"], texts_of)), runs


def test_judgments_are_given_again_blind_and_can_be_taken_over():
    truth, runs = small()
    at = opened("test-set", state={"relabel": True}, **address(truth, runs))
    panel = [block.value for block in (*at.markdown, *at.html, *at.caption)]
    item = next(value for value in panel if value.startswith("**Who"))
    answers = {"**Who walked first?**": "Nobody knows", "**Who stayed behind?**": "Michael Collins stayed"}
    assert any(answers[item] in value for value in panel) and "0 of 2 judged" in texts(at)
    assert at.button(key="relabel_before").disabled and not at.button(key="relabel_next").disabled
    shown(at.button(key="relabel_next").click().run())
    assert at.button(key="relabel_next").disabled
    shown(at.button(key="relabel_before").click().run())
    grades = []
    for _ in range(2):
        question = next(block.value for block in at.markdown if block.value.startswith("**Who"))
        grades.append(int("stayed" in question))
        shown(widget(at, "button", f"relabel_{grades[-1]}").click().run())
    assert sorted(RelabelStore().read(truth.judged_digest).values()) == [0, 1]
    assert "0 of 1" in texts(at) and "of the judgments in doubt" in texts(at) and "1 of 1" in texts(at)
    shown(widget(at, "button", "relabel_take").click().run())
    assert ReviewStore().read(truth.judged_digest).judgments == {("q1", "secret-1"): 0}
    shown(at.button(key="relabel_again").click().run())
    assert at.button(key="relabel_compare").label == "Compare with the old labels"


def test_a_grade_that_somebody_else_gave_meanwhile_is_shown_before_it_is_replaced():
    truth, runs = small()
    at = opened("test-set", state={"relabel": True}, **address(truth, runs))
    item = next(item for item in all_items(truth, []) if truth_text(at, item))
    RelabelStore().add(truth.judged_digest, item, 1)  # by another person
    shown(widget(at, "button", "relabel_0").click().run())
    assert RelabelStore().read(truth.judged_digest) == {item.key: 1}
    assert "somebody else has changed the grade of" in " ".join(message.value for message in at.error)
    shown(widget(at, "button", "relabel_0").click().run())
    assert RelabelStore().read(truth.judged_digest) == {item.key: 0}, "what is shown by now is replaced"


def truth_text(at, item) -> bool:
    """Whether the question of a judgment is the one on the page."""
    questions = {"q1": "**Who walked first?**", "q2": "**Who stayed behind?**"}
    return questions[item.query] in [block.value for block in at.markdown]


def test_a_test_set_is_checked_without_runs_and_questions_can_still_be_made():
    truth, _ = small()
    at = opened("test-set", **address(truth, []))
    assert "Not known without runs" in texts(at) and len(at.dataframe) == 1
    at = opened("test-set", **address(truth, [], test_set_part="drafts"))
    assert any("No drafts of questions yet" in header.value for header in at.header)


def test_reference_answers_alone_are_not_called_nothing_and_what_is_missing_is_named():
    details = pa.table({"query_id": ["q1", "q2"], "answers": [["Neil Armstrong"], ["Michael Collins"]]})
    at = opened("test-set", **address(Truth.build("references", [], [], [], details=details), []))
    assert not any("No test set loaded yet" in header.value for header in at.header)
    assert "**references** is loaded and has no relevance judgments (qrels)" in texts(at)
