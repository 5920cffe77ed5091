"""Why a query fails: each stage by a case worked by hand, edge cases, and that the stages part the queries."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from diagnosis_cases import answers, known, random_diagnosis
from evidence_cases import run_with_texts, truth_with_evidence
from helpers import run_of, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st
from models.judge.scripted import Scripted

from ragdash.analysis.diagnosis import (
    FINE,
    NAMES,
    STAGES,
    Declined,
    DiagnosisRules,
    RightAnswers,
    diagnose,
    explain,
    text_specs,
)
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.records import Conventions
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match, Matching
from ragdash.metrics.bands import STAGE_THRESHOLDS
from ragdash.models.judge import default_verdict_store
from ragdash.reporting.sentences.failures.answer_rules import declined_sentence, right_sentence

DOCUMENT = (Path(__file__).parents[2] / "docs" / "reference" / "diagnosis.md").read_text(encoding="utf-8")
SPAN = pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())]))


def beside(truth, ids):
    """The truth with a corpus of these ids, without one where None."""
    return truth if ids is None else truth.with_corpus(Corpus.build("c", ids))


def stage_of(run, truth, query="q", corpus=None, by="id", **rules) -> str:
    return (
        diagnose(Match(run, beside(truth, corpus), matching=Matching(by)), DiagnosisRules(**rules)).stage_of(query).name
    )


@pytest.mark.parametrize(("ranking", "gold", "corpus", "rules", "stage", "rule"), [
    (["x"], [], None, {}, "no-gold",
     "No relevant document (grade 1 or more) is known, and the run gives no answer."),
    (["x"], ["a", "b"], ["x", "z"], {}, "not-in-corpus", "0 of 2 relevant documents in the corpus."),
    (["x", "y"], ["a"], ["x", "a"], {}, "not-retrieved", "0 of 1 relevant document among the 2 documents returned."),
    (["x", "y", "a"], ["a"], None, {"k": 2}, "below-k", "The relevant document is at rank 3; the first 2 count."),
    (["x", "y", "a"], ["a", "b"], None, {"k": 2}, "below-k",
     "The first of 2 relevant documents is at rank 3; the first 2 count."),
    (["a", "x", "b"], ["a", "b"], None, {"k": 2}, "partly-covered",
     "1 of 2 relevant documents in the first 2, 2 needed; 2 returned at any rank."),
    (["a", "x", "b"], ["a", "b"], None, {"k": 2, "coverage": 0.5}, "fine",
     "1 of 2 relevant documents in the first 2, 1 needed."),
    (["a", "x"], ["a", "b", "c"], None, {"k": 2}, "fine",
     "1 of 3 relevant documents in the first 2, 1 needed, as more is relevant than 2 ranks can hold."),
    (["a", "x"], ["a", "b", "c", "d"], None, {"k": 2, "coverage": 0.5}, "partly-covered",
     "1 of 4 relevant documents in the first 2, 2 needed; 1 returned at any rank."),
    (["a", "b"], ["a", "b"], None, {"k": 2, "rel": 2}, "no-gold",
     "No relevant document (grade 2 or more) is known, and the run gives no answer."),
    ({"a": 3.0, "b": 2.0}, ["a", "b"], None, {"score": 2.5}, "below-threshold",
     "2 of 2 relevant documents in the first 10, 2 needed, but 1 with a score of 2.5 or more."),
    ({"a": 3.0, "b": 2.0}, ["a", "b"], None, {"score": 2.0}, "fine",
     "2 of 2 relevant documents in the first 10, 2 needed; 2 with a score of 2 or more."),
])
def test_each_stage_of_retrieval(ranking, gold, corpus, rules, stage, rule):
    truth, other = truth_of({"q": gold, "other": ["z"]}), {"z": 1.0} if isinstance(ranking, dict) else ["z"]
    found = diagnose(Match(run_of({"q": ranking, "other": other}), beside(truth, corpus)), DiagnosisRules(**rules))
    assert (found.stage_of("q").name, explain(found, "q").rule) == (stage, rule)


REFERENCES = ["the Sea of Crises"]
GROUNDS = ["It fell into the Sea of Crises."]


@pytest.mark.parametrize(("answer", "contexts", "stage", "rule"), [
    ("the Sea of Crises", GROUNDS, "fine", "it contains a reference answer"),
    ("the Ocean of Storms", GROUNDS, "wrong-answer", "Token F1 (each word once) is 0.500 (0.6 is needed), and the"),
    ("", GROUNDS, "wrong-answer", "The answer is empty."),
    ("the Sea of Crises", ["Nothing like it."], "not-grounded", "Support coverage is 0.000 (0.8 is needed)."),
    ("I don't know.", GROUNDS, "refused",
     "The answer declines, with 1 of 1 relevant document in the first 10, 1 needed."),
    (None, GROUNDS, "fine", "1 of 1 relevant document in the first 10, 1 needed."),
])
def test_each_stage_of_the_answer(answer, contexts, stage, rule):
    """F1 of {the, ocean, of, storms} and {the, sea, of, crises} is 2 * 2 / 8."""
    run = run_of({"q": ["a"]}, details=answers({"q": answer, "p": "x"}, {"q": contexts}))
    truth = truth_of({"q": ["a"]}, details=known({"q": REFERENCES}))
    found = diagnose(Match(run, truth))
    assert found.stage_of("q").name == stage and rule in explain(found, "q").rule


@pytest.mark.parametrize(("answer", "references", "stage", "rule"), [
    ("I don't know.", None, "fine", "The ground truth marks the question as no_answer, and the answer: declines."),
    ("", None, "fine", "The ground truth marks the question as no_answer, and the answer: is empty."),
    ("There is none in the archive", ["none there in the archive"], "fine", "and the answer: Token F1"),
    ("There is none in the archive", ["none in the archive"], "fine", "and the answer: it contains a reference"),
    ("the Sea of Crises", None, "answered-unanswerable",
     "The ground truth marks the question as no_answer, and the answer does not decline."),
    (None, None, "no-gold", "The ground truth marks the question as one without an answer, and the run gives no "
                            "answer"),
])
def test_where_there_is_no_answer_refusing_is_right(answer, references, stage, rule):
    """Whatever was retrieved: gold of such a question does not count."""
    run = run_of({"q": ["x"]}, details=answers({"q": answer, "p": "x"}))
    truth = truth_of({"q": ["a"]}, details=known({"q": references}, {"q": {"type": "no_answer"}}))
    found = diagnose(Match(run, truth))
    assert found.stage_of("q").name == stage and rule in explain(found, "q").rule


def test_declining_is_right_where_a_reference_declines_or_the_question_is_out_of_scope():
    run = run_of({"q": ["a"]}, details=answers({"q": "I do not know", "p": "x"}))
    assert stage_of(run, truth_of({"q": ["a"]}, details=known({"q": ["I do not know"]}))) == "fine"
    outside = truth_of({"q": ["a"]}, details=known({"q": None}, {"q": {"type": "out_of_scope"}}))
    assert stage_of(run, outside) == "fine"
    told = explain(diagnose(Match(run_of({"q": ["a"]}, details=answers({"q": "Yes"})), outside)), "q")
    assert told.rule == "The ground truth marks the question as out_of_scope, and the answer does not decline."


def test_answers_that_decline_are_counted_once_and_add_up():
    """q: rightly; r: documents found; s: none found; t: nothing shows whether there is an answer; u: no refusal."""
    decline = dict.fromkeys("qrst", "I don't know.")
    run = run_of({"q": ["x"], "r": ["a"], "s": ["x"], "t": ["x"], "u": ["a"]}, details=answers(decline | {"u": "One"}))
    truth = truth_of({"r": ["a"], "s": ["a"], "t": [], "u": ["a"]}, details=known(
        {"q": None, "r": ["One"], "s": ["One"], "t": None, "u": ["One"]}, {"q": {"type": "no_answer"}}))
    found = diagnose(Match(run, truth))
    declined = found.declined()
    assert declined == Declined(total=4, rightly=1, at_stage=1, earlier=1, unknown=1, answers=5)
    assert declined.wrongly == 2 and sum(declined[1:5]) == declined.total
    assert found.declined(np.array([query == "s" for query in found.query_ids.to_pylist()]))[:5] == (1, 0, 0, 1, 0)
    assert declined_sentence("bm25", declined) == (
        "bm25 declines in 4 of 5 answers: 1 rightly, 2 wrongly (1 at **Declined needlessly**, 1 at an earlier stage), "
        "1 unknown.")


def test_right_and_wrong_answers_add_up_and_say_at_which_stage_they_are():
    """q: rightly declines; r: right, found; s: right, none found; t: wrong; u: declines; v: no reference; w: wrong,
    none found."""
    texts = {"q": "I don't know.", "r": "One", "s": "One", "t": "Two", "u": "I don't know.", "v": "I don't know.",
             "w": "Two"}
    run = run_of({"q": ["x"], "r": ["a"], "s": ["x"], "t": ["a"], "u": ["a"], "v": ["a"], "w": ["x"]},
                 details=answers(texts))
    truth = truth_of({query: ["a"] for query in "rstuvw"}, details=known(
        {"q": None, **{query: ["One"] for query in "rstuw"}, "v": None}, {"q": {"type": "no_answer"}}))
    found = diagnose(Match(run, truth))
    right = dict(zip(found.query_ids.to_pylist(), found.right_answers.tolist(), strict=True))
    assert right.pop("v") != right.get("v"), "nothing says what is right for v: not known"
    assert right == {"q": 1, "r": 1, "s": 1, "t": 0, "u": 0, "w": 0}
    counts = found.count_right()
    assert counts == RightAnswers(3, 3, 1, {"Wrong answer": 1, "Declined needlessly": 1}, 1)
    assert right_sentence("bm25", counts) == (
        "bm25 has 3 of 6 answers right (1 of them where another step fails), 3 wrong: 1 at **Wrong answer**, 1 at "
        "**Declined needlessly**, 1 at an earlier stage.")
    one_wrong = RightAnswers(2, 1, 0, {"Wrong answer": 1}, 0)
    assert right_sentence("bm25", one_wrong).endswith("1 wrong: 1 at **Wrong answer**.")
    assert right_sentence("bm25", RightAnswers(2, 3, 0, {}, 3)).endswith("3 wrong, all at an earlier stage.")
    assert right_sentence("bm25", found.count_right(np.zeros(len(found.stage), bool))) == ""


def test_the_first_stage_counts_and_a_right_answer_is_told_nevertheless():
    run = run_of({"q": ["x"]}, details=answers({"q": "Sea of Crises"}, {"q": ["nothing"]}))
    told = explain(diagnose(Match(run, truth_of({"q": ["a"]}, details=known({"q": ["Sea of Crises"]})))), "q")
    assert told.stage.name == "not-retrieved"
    assert told.rule.endswith("The answer is right nevertheless: it contains a reference answer.")


def test_a_refusal_of_a_question_that_may_have_no_answer_is_not_judged():
    """Neither gold nor a reference is known: the run may be right to decline."""
    run = run_of({"q": ["x"]}, details=answers({"q": "I don't know."}, {"q": ["some text"]}))
    assert stage_of(run, truth_of({"q": [], "p": ["x"]})) == "no-gold"


def test_without_gold_the_answer_is_looked_at_alone():
    truth = truth_of({"q": []}, details=known({"q": ["42"]}))
    run = run_of({"q": ["x"]}, details=answers({"q": "43"}))
    found = diagnose(Match(run, truth))
    told = explain(found, "q")
    assert told.stage.name == "wrong-answer"
    assert told.not_assessed["Relevant document found"] == "no relevant document is known"
    assert stage_of(run_of({"q": ["x"]}, details=answers({"q": "I don't know."})), truth) == "refused"


def test_what_cannot_be_assessed_is_told_for_a_fine_query():
    told = explain(diagnose(Match(run_of({"q": ["a"]}), truth_of({"q": ["a"]}))), "q")
    assert told.stage.name == "fine"
    assert told.not_assessed == {
        "Relevant document in corpus": "no corpus is given", "Enough above the threshold": "no score threshold is set",
        "Answered": "no answers", "Answered right": "no answers",
        "Right and grounded": "no answers"}
    assert str(told).endswith("Right and grounded (no answers).")


def test_a_threshold_without_scores_is_not_guessed():
    found = diagnose(Match(run_of({"q": ["a"]}), truth_of({"q": ["a"]})), DiagnosisRules(score=0.5))
    assert found.reasons["below-threshold"] == "no scores" and found.stage[0] == FINE


def test_a_query_that_the_run_lacks_was_not_retrieved():
    for missing in ("zero", "skip"):
        found = diagnose(Match(run_of({"p": ["a"]}), truth_of({"p": ["a"], "q": ["a"]}), Conventions(missing=missing)))
        assert explain(found, "q").rule == "The run does not name the query, which has 1 relevant document."
        assert found.stage_of("q").name == "not-retrieved"


def test_a_multi_hop_question_needs_all_whatever_the_coverage():
    truth = truth_of({"q": ["a", "b"], "p": ["a", "b"]},
                     details=known({"q": None, "p": None}, {"q": {"multi-hop": True}}))
    found = diagnose(Match(run_of({"q": ["a"], "p": ["a"]}), truth), DiagnosisRules(coverage=0))
    assert [found.stage_of(query).name for query in "qp"] == ["partly-covered", "fine"]
    assert "2 needed, as a multi-hop question needs all" in explain(found, "q").rule


def test_coverage_asks_for_no_more_than_the_first_k_can_hold():
    """67 relevant documents, k = 10: no ranking returns all, so 8 relevant ones among the first 10 are enough."""
    gold = [f"g{at}" for at in range(67)]
    truth = truth_of({"many": gold, "ten": gold[:10], "hops": gold[:12]},
                     details=known(dict.fromkeys(("many", "ten", "hops")), {"hops": {"multi-hop": True}}))
    ranking = [*gold[:8], "x", "y", *gold[8:]]
    found = diagnose(Match(run_of(dict.fromkeys(("many", "ten", "hops"), ranking)), truth))
    assert found.numbers["needed"].tolist() == [1, 10, 10]
    assert [found.stage_of(query).name for query in ("many", "ten", "hops")] == [
        "fine", "partly-covered", "partly-covered"]
    assert explain(found, "many").rule == ("8 of 67 relevant documents in the first 10, 1 needed, as more is relevant "
                                           "than 10 ranks can hold.")
    none = diagnose(Match(run_of({"many": ["x"] * 1 + gold[:1], "ten": ["x"]}), truth), DiagnosisRules(k=1))
    assert [none.stage_of(query).name for query in ("many", "ten")] == ["below-k", "not-retrieved"]


def test_a_corpus_of_other_ids_is_told_and_decides_nothing():
    found = diagnose(Match(run_of({"q": ["x"]}), beside(truth_of({"q": ["a"]}), ["A", "B"])))
    assert found.stage_of("q").name == "not-retrieved"
    assert [problem.kind for problem in found.problems] == ["no-common-document"]
    assert found.reasons["not-in-corpus"] == "no relevant document is in the corpus that is given"


def test_what_was_returned_is_in_the_corpus_whatever_its_file_says():
    truth = truth_of({"q": ["a"], "p": ["b"]})
    assert stage_of(run_of({"q": ["a"]}), truth, corpus=["b"]) == "fine"
    assert stage_of(run_of({"q": ["x"]}), truth, corpus=["b"]) == "not-in-corpus"


def test_answers_of_something_else_are_refused():
    truth = truth_of({"q": ["a"]})
    with pytest.raises(InputError, match="the same run and ground truth"):
        diagnose(Match(run_of({"q": ["a"]}), truth), answers=evaluate(run_of({"q": ["b"]}), truth, text_specs()))


LONG = ["the first long span that the gold marks here", "a second stretch of evidence that is needed too"]


@pytest.mark.parametrize(("texts", "rules", "stage"), [
    ([LONG[0] + " " + LONG[1]], {}, "fine"), (["nothing of it whatsoever is told"], {}, "not-retrieved"),
    (["nothing at all", LONG[0]], {"k": 1}, "below-k"), (["nothing at all", LONG[0]], {"k": 2}, "partly-covered"),
    ([LONG[0], None], {"k": 2}, "fine"), ([None, LONG[0]], {"k": 1}, "fine"),
    ([LONG[0], None], {"k": 1}, "partly-covered"),
])
def test_by_evidence(texts, rules, stage):
    """A chunk without a text may hold anything: what it may hold is not denied."""
    run = run_with_texts({"q": texts, "p": [LONG[0]]})
    truth = truth_with_evidence({"q": LONG, "p": [LONG[0]]})
    assert stage_of(run, truth, by="evidence", **rules) == stage


def test_by_evidence_with_a_score_threshold():
    from ragdash.core.records import Run

    truth = truth_with_evidence({"q": LONG})
    run = Run.build("r", ["q", "q"], ["a", "b"], np.array([0.9, 0.4]), texts=pa.array(LONG))
    assert stage_of(run, truth, by="evidence", score=0.5) == "below-threshold"
    assert stage_of(run, truth, by="evidence", score=0.4) == "fine"
    other = Run.build("r", ["q", "q"], ["a", "b"], np.array([0.4, 0.9]), [1, 2], texts=pa.array(LONG))
    found = diagnose(Match(other, truth, matching=Matching("evidence")), DiagnosisRules(score=0.5))
    assert found.reasons["below-threshold"] == "no scores that fall with the rank"


def test_by_evidence_without_texts_nothing_is_said_of_retrieval():
    found = diagnose(Match(run_of({"q": ["a"]}), truth_with_evidence({"q": LONG}), matching=Matching("evidence")))
    assert found.stage_of("q").name == "no-gold"
    assert "which cannot be looked for" in explain(found, "q").rule
    assert "text" in found.reasons["not-retrieved"]


def test_by_evidence_the_corpus_is_asked_for_the_documents_of_the_spans():
    cells = [[{"text": text, "source": source}] for text, source in ((LONG[0], "a"), (LONG[1], "b"), (LONG[1], None))]
    truth = truth_of({"q": [], "p": [], "o": []}, details=pa.table({"query_id": ["q", "p", "o"],
                                                                   "evidence": pa.array(cells, SPAN)}))
    run = run_with_texts({"q": ["nothing of it"], "p": ["nothing of it"], "o": ["nothing of it"]})
    found = diagnose(Match(run, beside(truth, ["b"]), matching=Matching("evidence")))
    assert [found.stage_of(query).name for query in "qpo"] == ["not-in-corpus", "not-retrieved", "not-retrieved"]
    assert explain(found, "o").not_assessed == {"Relevant document in corpus": "not every gold span names its document"}


def naive_stage(found, match, q: int) -> str:
    """The stage read off the rules, one query at a time, from the numbers of the verdict."""
    n, rules = explain(found, q).numbers, found.rules
    if found.kinds["no_answer"][q]:
        if not n["answered"]:
            return "no-gold"
        return "answered-unanswerable" if n["declines"] == 0 and n["right"] != 1 else "fine"
    judged = not np.isnan(n["right"])
    if not n["gold"] and not judged:
        return "no-gold"
    if n["gold"]:
        if n["in_corpus"] == 0 and n["found"] == 0:
            return "not-in-corpus"
        if n["found"] == 0:
            return "not-retrieved"
        if n["best_rank"] > rules.k:
            return "below-k"
        several = found.kinds["multi_hop"][q]
        asked = max(1, np.ceil((1 if several else rules.coverage) * n["gold"]))
        if n["in_k"] < (asked if asked <= rules.k else rules.k if several else 1):
            return "partly-covered"
        if not np.isnan(n["above"]) and n["above"] < n["needed"]:
            return "below-threshold"
    if n["declines"] == 1 and n["right"] != 1:
        return "refused"
    if judged and n["right"] != 1:
        return "wrong-answer"
    return "not-grounded" if n["support"] < rules.grounded else "fine"


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.booleans())
def test_stages_part_the_queries_and_agree_with_the_rules_read_slowly(seed, texts):
    found, match = random_diagnosis(seed, texts)
    q = len(match.query_ids)
    assert found.counts().sum() == q and len(found.stage) == q
    assert [NAMES[s] for s in found.stage] == [naive_stage(found, match, i) for i in range(q)]
    first_half = np.arange(q) < q // 2
    assert (found.counts(first_half) + found.counts(~first_half) == found.counts()).all()
    for i in range(q):
        assert str(explain(found, i)) and not re.search(r"\bnan\b", str(explain(found, i)))


@pytest.mark.parametrize("wrong", [{"k": 0}, {"rel": 0}, {"coverage": 1.5}, {"score": float("nan")}, {"right": 2},
                                   {"grounded": -0.1}, {"right_by": "nDCG@10"}, {"grounded_by": "EM"},
                                   {"right_by": "Refusal"}, {"grounded_by": "Correctness"},
                                   {"right_by": "Faithfulness"}])
def test_rules_out_of_range_are_refused(wrong):
    with pytest.raises(InputError):
        DiagnosisRules(**wrong)


def test_another_metric_may_tell_what_is_right_and_lower_may_be_better():
    run = run_of({"q": ["a"]}, details=answers({"q": "the sea"}, {"q": ["the sea floor"]}))
    truth = truth_of({"q": ["a"]}, details=known({"q": ["sea floor there"]}))
    assert stage_of(run, truth, right_by="ROUGE_1", right=0.9) == "wrong-answer"
    assert stage_of(run, truth, right_by="ROUGE_1", right=0.3) == "fine"
    rules = {"right_by": "ROUGE_1", "right": 0.3, "grounded_by": "HallucinationRate"}
    assert stage_of(run, truth, **rules, grounded=0.0) == "fine"
    bad = run_of({"q": ["a"]}, details=answers({"q": "the sea"}, {"q": ["the floor"]}))
    assert stage_of(bad, truth, **rules, grounded=0.1) == "not-grounded"


def test_verdicts_of_a_judge_may_tell_what_is_grounded(tmp_path, monkeypatch):
    """Claims of four-letter words by a scripted judge: all of them in the contexts, one of two, not judged."""
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path))
    said = {"q": "Paris stands. Rome fell.", "r": "Paris stands. Rome fell."}
    contexts = {"q": ["Paris stands. Rome fell."], "r": ["Paris stands."]}
    run = run_of({"q": ["a"], "r": ["a"]}, details=answers(said, contexts))
    truth = truth_of({"q": ["a"], "r": ["a"]}, details=known({one: [text] for one, text in said.items()}))
    rules = {"grounded_by": "ClaimFaithfulness", "grounded": 0.8}
    before = diagnose(Match(run, truth), DiagnosisRules(**rules))
    assert before.stage_of("r").name == "fine" and "not judged yet" in str(before.reasons)
    match = Match(run, truth)
    Scripted(default_verdict_store()).judge_all(match.judged, "ClaimFaithfulness")
    found = diagnose(match, DiagnosisRules(**rules))
    assert [found.stage_of(query).name for query in "qr"] == ["fine", "not-grounded"]
    assert explain(found, "r").rule.startswith("Claim faithfulness is 0.500 (0.8 is needed).")


def test_the_document_has_every_stage_and_every_number_of_the_rules():
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", DOCUMENT.split("## Thresholds")[0],
                           re.MULTILINE))
    assert list(rows) == list(NAMES)
    assert [rows[stage.name].strip() for stage in STAGES] == [stage.title for stage in STAGES]
    for stage in STAGES:
        assert f"{stage.meaning} |" in DOCUMENT
    for name, cut in STAGE_THRESHOLDS.items():
        assert f"| `{name}` | {cut.value:g} | {cut.metric} | {cut.source} |" in DOCUMENT
