"""What judges said of one query: that of the whole run for this query, claims put together, what is missing told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from models.judge.scripted import JUDGE, Scripted, case

from ragdash.core.corpus import Corpus
from ragdash.core.records import Run
from ragdash.evaluation.scoring.claims import (
    ChunkVerdict,
    Claim,
    ClaimVerdict,
    JudgeFindings,
    count_supported_claims,
    query_case,
    read_query_verdicts,
)
from ragdash.evaluation.scoring.verdict_import import import_verdicts
from ragdash.matching.match import Match
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import Judge, judge_names
from ragdash.models.judge.tasks import TASKS
from ragdash.models.judge.verdict_store.store import VerdictStore
from ragdash.models.local import default_score_cache
from ragdash.reporting.sentences import judge as said

PARIS = "Paris stands beside Seine."
TOWER = "Gustave built tower."
CHEESE = "Cheese smells strong."
ROWS = {
    "both": {"question": "What?", "answer": f"{PARIS} {TOWER}", "references": [PARIS, "unread"],
             "contexts": [f"Surely {PARIS}", CHEESE, f"Often {PARIS}"],
             "docs": {"d1": f"Surely {PARIS}", "d2": CHEESE}},
    "silent": {"question": "What?", "answer": "I do not know.", "references": [PARIS], "contexts": [PARIS]},
    "bare": {"question": "What?", "answer": PARIS, "references": [PARIS], "contexts": None},
    "none": {},
}


@pytest.fixture(autouse=True)
def own_workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path))


def match(rows=None) -> Match:
    return Match(*case(rows or ROWS))


def heard(found: Match, query: int, judge: Judge = JUDGE) -> JudgeFindings:
    return read_query_verdicts([query_case(found, query)], default_verdict_store(), default_score_cache())[judge][0]


def valued(one: JudgeFindings, name: str) -> float:
    return next((value.value for value in one.values if value.metric == name), float("nan"))


def test_a_case_is_that_of_the_whole_run():
    assert [query_case(match(), at) for at in range(len(ROWS))] == list(match().judged.cases)
    lone = match({"q": {"docs": {"d": "text"}}})
    assert query_case(lone, 0) == lone.judged.cases[0]


def test_a_case_has_the_texts_of_the_corpus_and_lacks_what_a_missing_query_lacks():
    _, truth = case(ROWS)
    truth = truth.with_corpus(Corpus.build("corpus", ["d", "e"], ["text of d", "text of e"]))
    found = Match(Run.build("run", ["both", "both"], ["e", "d"]), truth)
    assert [query_case(found, at) for at in range(len(ROWS))] == list(found.judged.cases)
    assert query_case(found, 0).contexts == (("e", "text of e"), ("d", "text of d"))
    assert query_case(found, 1).contexts is None


def test_values_are_those_of_the_whole_run():
    found = match()
    Scripted(default_verdict_store()).judge_all(found.judged, *TASKS)
    for name in TASKS.keys() - {"CitationPrecision", "CitationRecall"}:  # nothing is cited here
        if name != "RAGAS.AnswerRelevancy":
            whole = found.judged.read(name).values
            np.testing.assert_array_equal([valued(heard(found, at), name) for at in range(2)], whole[:2], name)


def test_claims_of_all_metrics_are_put_together_each_once():
    found = match()
    Scripted(default_verdict_store()).judge_all(
        found.judged, "ClaimFaithfulness", "RAGChecker.F1", "RAGAS.ContextRecall", "RAGChecker.NoiseSensitivityRelevant"
    )
    one = heard(found, 0)
    assert one.answer == (
        Claim(
            PARIS,
            ClaimVerdict("supported", "words", True),
            ClaimVerdict("entailed", "words", True),
            ("d1", "context 3"),
            ("d1", "context 3"),
        ),
        Claim(TOWER, ClaimVerdict("not stated", "words", False), ClaimVerdict("neutral", "words", False), (), ()),
    )
    assert [claim.text for claim in one.reference] == [PARIS]
    assert count_supported_claims(one.answer) == {"d1": 1, "context 3": 1}
    assert count_supported_claims(one.claims) == {"d1": 2, "context 3": 2}
    assert [words for words, _, _ in said.claim_verdicts(one.answer[1], "answer")] == [
        "✗ not stated", "✗ wrong: the reference does not say it", "✗ in no chunk"]
    assert [words for words, _, _ in said.claim_verdicts(one.reference[0], "reference")] == [
        "✓ supported", "✓ said in the answer", "✓ in 2 chunks"]


def test_a_chunk_bears_its_own_verdict():
    found = match()
    Scripted(default_verdict_store()).judge_all(found.judged, "RAGAS.ContextPrecision", "ContextRelevance(per='chunk')")
    chunks = heard(found, 0).chunks
    assert chunks["d2"] == ChunkVerdict(ClaimVerdict("useless", "words", False), 0.5, "as always")
    assert [words for words, _, _ in said.chunk_verdicts(chunks["d1"], 1)] == [
        "✓ judge: useful", "judged relevance 0.5", "supports 1 claim"]
    assert said.chunk_verdicts(None, 0) == []


def test_claims_without_a_verdict_are_missing_with_the_reason():
    found = match()
    Scripted(default_verdict_store(), {"Verify": "timeout"}).judge_all(found.judged, "ClaimFaithfulness")
    one = heard(found, 0)
    assert one.answer == tuple(Claim(text, missing="no reply in time") for text in (PARIS, TOWER))
    assert said.claim_verdicts(one.answer[0], "answer") == [("? no verdict: no reply in time", False, "")]
    assert one.values[0].missing == "no reply in time"
    assert count_supported_claims(one.answer) == {}


def test_claims_that_were_only_taken_out_say_that_nobody_was_asked():
    found = match()
    Scripted(default_verdict_store()).judge_all(found.judged, "RAGChecker.Precision")
    own = heard(found, 2)
    assert own.answer == (Claim(PARIS, other_text=ClaimVerdict("entailed", "words", True)),)
    kept = default_verdict_store()
    entailment = [row for row in kept.all_verdicts() if row[2] == "Claims"]
    other = VerdictStore(kept.path.with_name("claims only") / "judge.sqlite")
    other.import_rows(entailment)
    assert read_query_verdicts([query_case(found, 2)], other, default_score_cache())[JUDGE][0].answer == (
        Claim(PARIS, missing="no verdict of the judge yet"),)


def test_flags_are_words():
    found = match()
    Scripted(default_verdict_store()).judge_all(found.judged, "ClaimFaithfulness")
    one = heard(found, 1)
    assert one.answer == () and (one.values[0].value, one.values[0].flags) == (1.0, ("vacuous",))
    assert said.flag_counts({"vacuous": 1, "cut": 2}) == (
        "1 query: no claim, counts as faithful; 2 queries: a chunk was cut before it was shown to the judge")
    long = match({"q": {"answer": PARIS, "contexts": [f"{PARIS} {'word ' * 3_000}"]}})
    Scripted(default_verdict_store()).judge_all(long.judged, "Faithfulness")
    assert "cut" in heard(long, 0).values[0].flags


def test_each_judge_is_told_apart_and_the_last_asked_comes_first():
    found, toy = match(), Judge("127.0.0.1:1", said.TOY)
    Scripted(default_verdict_store()).judge_all(found.judged, "Faithfulness")
    Scripted(default_verdict_store(), judge=toy).judge_all(found.judged, "Correctness")
    both = read_query_verdicts(
        [query_case(found, at) for at in range(2)], default_verdict_store(), default_score_cache()
    )
    assert list(both) == [toy, JUDGE]
    assert [[one.metric for one in row.values] for row in both[toy]] == [["Correctness"]] * 2
    assert said.judge_name(toy) == f"{toy} ({said.TOY_DESCRIPTION})" == said.judge_name(str(toy)) and said.judge_name(
        JUDGE
    ) == str(JUDGE)
    assert said.judge_name(Judge("host", "toy-judge-2")) == "toy-judge-2 at host"
    warm = replace(JUDGE, parameters='{"temperature":1}')
    assert list(judge_names([JUDGE, toy, warm]).values()) == [
        f"{JUDGE} (no parameters)", str(toy), f"{JUDGE} (temperature 1)"]


def test_nothing_is_told_where_no_judge_was_asked():
    assert read_query_verdicts([query_case(match(), 0)], default_verdict_store(), default_score_cache()) == {}
    found = match()
    Scripted(default_verdict_store()).judge_all(found.judged, "Faithfulness")
    changed = {**ROWS, "both": {**ROWS["both"], "answer": "Another answer."}}
    assert read_query_verdicts([query_case(match(changed), 0)], default_verdict_store(), default_score_cache()) == {}, (
        "other texts, other verdicts"
    )


def test_a_contradicting_chunk_supports_nothing():
    claim = Claim("a", ClaimVerdict("contradicted", "so", False), chunks=("c",))
    assert claim.supported_by == () and said.claim_verdicts(claim, "answer")[0][0] == "✗ contradicted"


def test_verdicts_of_a_file_are_told_too(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"query_id": "both", "response_claims": [PARIS, TOWER], "gt_answer_claims": [PARIS],
                                "answer2response": ["Entailment", "Contradiction"], "response2answer": ["Entailment"],
                                "retrieved2response": [["Entailment", "Neutral", "Neutral"], ["Neutral"] * 3]}))
    found = match()
    import_verdicts(path, found.judged)
    judge = default_verdict_store().judges()[0]
    one = heard(found, 0, judge)
    assert [(claim.text, claim.other_text.verdict, claim.entailed_by) for claim in one.answer] == [
        (PARIS, "entailed", ("d1",)), (TOWER, "not entailed", ())]
    assert said.claim_verdicts(one.answer[1], "answer")[0][0] == "✗ wrong, by the reference"
    assert valued(one, "RAGChecker.Precision") == 0.5
    assert "imported from a file" in said.judge_name(judge)
    assert read_query_verdicts([query_case(found, 1)], default_verdict_store(), default_score_cache()) == {}
