"""Evidence by embedding: cosines out of the cache, never computed where only an evaluation was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from evidence_cases import run_with_texts, truth_with_evidence
from fakes import Letters, case

from ragdash.cli.main import parse
from ragdash.core.errors import InputError, Unavailable
from ragdash.evaluation.compare import compare
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.scoring.required_scores import plan_scoring
from ragdash.evaluation.scoring.run_local_models import score
from ragdash.matching.evidence import embedded_texts, match_evidence
from ragdash.matching.views.evidence import NEVER

A, B = "aaaa bbbb " * 4, "a b a b " * 5  # the fake counts a, b and c of the first 40 characters
C = "cccc cccc cccc cccc cccc"
MIXED = "aaaa aaaa bbbb cccc cccc cc"


def run():
    return run_with_texts({"q": [C + " and more", B, MIXED, "12", A.upper()], "p": [None, "   "]})


def truth():
    return truth_with_evidence({"q": [A.strip(), "12"], "p": [C + " c"]})


def spoken(store=None, **changes):
    encoder = Letters(max_length=40)
    vars(encoder).update(changes)
    report = score([run()], truth(), "", model=encoder, store=store, evidence=True)
    return encoder, report


def test_values_are_the_cosines_of_the_compared_texts(store):
    encoder, report = spoken(store)
    assert report.computed == len(encoder.given) == len(set(encoder.given)) == len(embedded_texts(run(), truth()))
    assert "12" not in encoder.given and A.strip() in encoder.given  # a short one matches only exactly
    scores = match_evidence(run(), truth(), "embedding", floor=0.01, store=store)
    by_rank = {int(scores.rank[c]): float(s) for c, p, s in zip(scores.row_chunk, scores.row_part, scores.score,
                                                                strict=True) if scores.spans.plain[p] == A.strip()}
    mixed = (8 + 4) / (2**0.5 * (8**2 + 4**2 + 10**2)**0.5)  # (1, 1, 0) and (8, 4, 10)
    assert by_rank == pytest.approx({1: by_rank[1], 2: 1.0, 3: mixed, 5: 1.0}, abs=1e-3)
    assert by_rank[1] < 0.1
    assert scores.covered(0.7).span_rank.tolist() == [2, 4, NEVER]
    assert scores.table(0.7)["start"].to_pylist()[0] is None  # a cosine has no place


def test_evaluating_computes_nothing_and_says_what_fixes_it():
    found = evaluate(run(), truth(), "R@5 EvidenceRecall@5 P@5", match="evidence", match_how="embedding")
    assert np.isnan(found.values).all()
    problems = [one for one in found.problems if one.kind == "unavailable"]
    assert problems and all("not computed yet" in one.actual and "--match-how embedding --model FOLDER" in one.fix
                            for one in problems)
    spoken()
    found = evaluate(run(), truth(), "R@5 EvidenceRecall@5 P@5", match="evidence", match_how="embedding")
    assert found.column("R@5").tolist() == [1.0, 0.0]
    assert found.settings["match_model"] == "letters (letters-, 40 word pieces)"


def test_what_was_computed_in_part_is_unavailable_and_not_0(store):
    spoken(store)
    more = run_with_texts({"q": ["bbbb bbbb bbbb bbbb bbbb bbbb", B]})
    with pytest.raises(Unavailable, match="1 of 2 pairs"):
        match_evidence(more, truth(), "embedding", store=store)


def test_values_of_two_models_are_not_compared():
    spoken()
    spoken(weights="other-22", name="other")
    one, two = (evaluate(run(), truth(), "R@5", match="evidence", match_how="embedding", match_model=name)
                for name in ("letters", "other"))
    with pytest.raises(InputError, match="matched"):
        compare(one, [two])
    with pytest.raises(Unavailable, match="with nobody"):
        match_evidence(run(), truth(), "embedding", model="nobody")


def test_texts_that_were_cut_are_told_and_a_vector_without_direction_covers_nothing(store):
    spoken(store, max_length=5)
    assert [one.kind for one in match_evidence(run(), truth(), "embedding", store=store).problems] == [
        "chunk-without-text", "cut-texts"]
    other = run_with_texts({"q": ["xxxx yyyy xxxx yyyy xxxx yyyy"]})
    score([other], truth(), "", model=Letters(max_length=5), store=store, evidence=True)
    assert not len(match_evidence(other, truth(), "embedding", store=store).score)


def test_no_model_is_needed_where_texts_stand_in_each_other(store):
    inside = run_with_texts({"q": [f"so {A} there"]})
    only = truth_with_evidence({"q": [A]})
    assert match_evidence(inside, only, "embedding", store=store).covered().hit.tolist() == [True]
    with pytest.raises(InputError, match="needs a model"):
        plan_scoring([inside], only, "", model=Letters(), store=store, evidence=True)


def test_metrics_and_evidence_go_together_and_each_says_what_it_lacks(store):
    answers, references = case({"q": "ab"}, {"q": ["a"]})
    encoder = Letters()
    report = score([answers], references, "SBERT", model=encoder, store=store, evidence=True)
    assert report.computed == 2 and ["evidence" in one.actual for one in report.problems] == [True]
    with pytest.raises(InputError, match="without answers"):
        score([run()], truth(), "SBERT", model=encoder, store=store)


def test_semantic_relevance_needs_no_references(store):
    answered, asked = case({"q": "ab", "p": "b"}, {"q": None, "p": None}, {"q": "a", "p": "b"})
    report = score([answered], asked, "SBERT SemanticRelevance", model=Letters(), store=store)
    assert report.computed == 3 and [one.field for one in report.problems] == ["answers"]
    with pytest.raises(InputError, match="right answers"):
        score([answered], asked, "SBERT", model=Letters(), store=store)
    assert (
        plan_scoring([answered], asked, "CrossEncoder SemanticRelevance", model=Letters(), store=store).tasks[0].todo
        == ()
    )


def test_the_command_line_takes_it():
    options = parse(["score", "run", "--truth", "truth", "--match-how", "embedding"])
    assert options.match_how == "embedding" and options.metrics is None
    options = parse(["evaluate", "run", "--match-how", "embedding", "--match-model", "m"])
    assert (options.match_how, options.match_model) == ("embedding", "m")
