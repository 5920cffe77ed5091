"""Runs with answers and no retrieved documents: metrics of rankings are undefined, and answers are compared."""

from __future__ import annotations

import numpy as np
import pytest
from traps import make_qrels, make_run

import ragdash
from ragdash.analysis.comparability import check_comparability
from ragdash.analysis.diagnosis import diagnose
from ragdash.analysis.verdict import find_checks, withheld_checks
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import ANSWER_SPECS, DEFAULT_SPECS, default_specs, parse_spec, parse_specs
from ragdash.reporting.sentences.comparability import finding_text, summary
from ragdash.reporting.sentences.formatting import query_counts
from ragdash.reporting.sentences.verdict import decision_sentence

NDCG, F1 = parse_specs("nDCG@10 TokenF1")
QUERIES = [f"q{number}" for number in range(30)]


def truth(docs: str = "d") -> Truth:
    return Truth.from_records([{"query_id": query, "relevant": [f"{docs}{query}"], "answers": [f"{query} is right"]}
                               for query in QUERIES], "truth")


def answers(name: str, right: int = 30, documents: list[str] | None = None, queries: int = 30) -> Run:
    return Run.from_records([{
        "query_id": query, "answer": f"{query} is right" if number < right else "Something else was asked for",
        "documents": [] if documents is None else [f"{doc}{query}" for doc in documents]}
        for number, query in enumerate(QUERIES[:queries])], name)


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("unanswerable", ["zero", "skip"])
def test_metrics_of_rankings_are_undefined_and_never_0(missing, unanswerable):
    evaluation = ragdash.evaluate(answers("dense"), truth(), "nDCG@10 R@5 RR NumRet TokenF1", missing=missing,
                                  unanswerable=unanswerable)
    assert np.isnan(evaluation.values[:, :4]).all() and (evaluation.values[:, 4] == 1).all()
    reason, = [problem for problem in evaluation.problems if problem.kind == "unavailable"]
    assert "without retrieved documents" in str(reason)


def test_empty_rankings_alone_are_rankings():
    run = Run.from_records([{"query_id": query, "documents": []} for query in QUERIES], "empty")
    assert run.has_rankings and ragdash.evaluate(run, truth(), "nDCG@10").values.tolist() == [[0.0]] * 30


def test_one_ranking_among_answers_is_enough():
    run = Run.from_records([{"query_id": "q0", "answer": "a", "documents": ["dq0"]},
                            {"query_id": "q1", "answer": "b", "documents": []}])
    assert run.has_rankings


def test_the_checks_say_it_and_withhold_nothing():
    checks = find_checks([Match(answers("dense"), truth()), Match(answers("hybrid", 20), truth())], NDCG)
    assert [(check.kind, check.level) for check in checks] == [("no-rankings", "qualified")] * 2
    assert checks[0].found() == "The file of dense has no retrieved documents"


def test_contexts_without_ids_are_a_note_next_to_metrics_of_answers():
    records = [{"query_id": query, "answer": "a", "contexts": ["c"], "documents": []} for query in QUERIES]
    match = Match(Run.from_records(records, "dense"), truth())
    check, = [check for check in find_checks([match], F1) if check.kind == "no-rankings"]
    assert (check.level, check.found()) == ("note", "The file of dense has contexts without document ids")
    assert check.effect() == "Only retrieval metrics are missing."
    check, = [check for check in find_checks([match], NDCG) if check.kind == "no-rankings"]
    assert check.level == "qualified"


@pytest.mark.parametrize(("metric", "documents", "effect"), [
    ("TokenF1", None, "They have no value of Token F1, so the means are over different queries."),
    ("nDCG@10", ["d"], "They count as empty rankings, so the run looks worse than it is.")])
def test_what_missing_queries_do_depends_on_the_metric(metric, documents, effect):
    whole, half = answers("whole", documents=documents), answers("half", documents=documents, queries=15)
    spec = parse_spec(metric)
    check, = [check for check in find_checks([Match(run, truth()) for run in (whole, half)], spec)
              if check.kind == "missing-queries"]
    assert check.effect() == effect and check.option == ("missing", "skip")
    mean = ragdash.evaluate(half, truth(), metric).summary()[0]
    assert (mean.n, mean.mean) == ((15, 1.0) if metric == "TokenF1" else (30, 0.5))


def test_queries_without_an_answer_are_not_called_empty_rankings():
    runs = [answers("whole"), answers("half", queries=15)]
    report = check_comparability(runs, truth(), specs=[NDCG])
    missing, different = report.of("missing-queries", "half"), report.of("different-queries")
    assert missing.count == different.count == 15 and missing.option == ("missing", "skip")
    for entry in (missing, different):
        assert "ranking" not in entry.effect and "No mean changes" not in entry.effect
        assert "the means of answers are over different queries" in entry.effect
    assert "half lacks 15 of 30 queries, which have no answer" in summary(report, ["whole", "half"], Conventions())
    counts = [{"queries": 30, "missing": 15, "unanswerable": 0, "extra": 0}]
    assert query_counts(["half"], counts, Conventions(), rankings=False)[1] == (
        "15 queries missing from half: in no mean of answers.")


def test_judgments_that_are_loaded_and_not_in_use_need_not_be_added_again():
    checks = find_checks([Match(answers("dense", documents=["d"]), Truth.build("other", ["x"], ["d"], [1]))], NDCG)
    check, = [check for check in checks if check.kind == "no-common-query"]
    assert check.fix("page").endswith("or use them on the Data page where they are loaded.")


def test_a_choice_of_counting_is_called_as_on_the_page():
    runs = [answers("whole", documents=["d"]), answers("half", documents=["d"], queries=15)]
    report = check_comparability(runs, truth(), specs=[NDCG])
    text = finding_text(report.of("missing-queries", "half")).replace("\\", "")
    assert "Under “Left out”: nDCG@10 0.5000 to 1.0000" in text


def test_common_queries_do_not_explain_a_difference():
    result = ragdash.compare(answers("whole", 5), [answers("half", 24, queries=25)], "TokenF1", truth=truth(),
                             missing="skip").verdict
    check, = result.qualified
    assert (result.state, check.message, check.option) == ("clear-winner", "missing-queries/skipped", None)
    assert result.explaining == () and decision_sentence(result, markdown=False).startswith("If Token F1 decides")
    assert "common queries" not in check.fix() + check.fix("page")


def test_failures_has_no_step_of_retrieval():
    diagnosis = diagnose(Match(answers("dense", 20), truth()))
    assert diagnosis.reasons["not-retrieved"] == "the file has no retrieved documents"
    assert [diagnosis.stage_of(query).name for query in ("q0", "q29")] == ["fine", "wrong-answer"]
    assert np.isnan(diagnosis.numbers["found"]).all()


def test_documents_of_another_test_set_do_not_withhold_a_verdict_on_answers():
    matches = [Match(answers(name, right, ["x"]), truth()) for name, right in (("dense", 30), ("hybrid", 10))]
    checks = find_checks(matches, NDCG)
    assert {check.kind for check in withheld_checks(checks, NDCG)} == {"no-common-document"}
    assert not withheld_checks(checks, F1)
    states = [ragdash.compare(matches[0].run, [matches[1].run], spec, truth=truth()).verdict.state
              for spec in ("nDCG@10", "TokenF1")]
    assert states == ["not-comparable", "clear-winner"]


def test_queries_that_are_spelled_otherwise_withhold_a_verdict_on_answers_too():
    run = Run.from_records([{"query_id": f"{query} ", "answer": "a", "documents": ["x"]} for query in QUERIES[:20]] + [
        {"query_id": query, "answer": "a", "documents": ["x"]} for query in QUERIES[20:]], "dense")
    checks = find_checks([Match(run, truth())], F1)
    assert "other-ids" in {check.kind for check in withheld_checks(checks, F1)}


def test_what_is_computed_unless_chosen():
    judged = Truth.from_records([{"query_id": "q0", "relevant": ["d"]}], "qrels")
    assert default_specs([answers("dense")], truth()) == ANSWER_SPECS
    assert default_specs([answers("dense"), answers("hybrid", documents=["d"])], truth()) == DEFAULT_SPECS
    assert default_specs([answers("dense")], judged) == DEFAULT_SPECS
    assert default_specs([], truth()) == DEFAULT_SPECS
    references = Truth.from_records([{"query_id": "q0", "relevant": [], "answers": ["a"]}], "references")
    assert default_specs([answers("dense", documents=["d"])], references) == ANSWER_SPECS


@pytest.mark.parametrize("metric, suspicion", [
    ("nDCG@10", "made from the judgments"), ("TokenF1", "copied from the texts"),
    ("file:quality", "cannot separate good answers")])
def test_the_words_for_a_perfect_value_fit_its_kind(metric, suspicion):
    run = Run.from_records([{"query_id": query, "answer": f"{query} is right", "documents": [f"d{query}"],
                             "quality": 1.0} for query in QUERIES], "dense")
    scores = ragdash.core.file_scores.FileScores.build([(query, "dense", "quality", 1.0) for query in QUERIES])
    match = Match(run.with_file_scores(scores), truth())
    check, = [check for check in find_checks([match], parse_spec(metric)) if check.kind == "perfect-score"]
    assert suspicion in check.effect()


def test_shallow_runs_do_not_withhold_answers():
    qrels = make_qrels(30)
    deep, shallow = make_run(qrels, 2.0, 1), {query: row[:2] for query, row in make_run(qrels, 2.0, 2).items()}
    runs = [Run.from_dict({query: dict(row) for query, row in rows.items()}, name)
            for name, rows in (("deep", deep), ("shallow", shallow))]
    checks = find_checks([Match(run, Truth.from_dict(qrels)) for run in runs], NDCG)
    assert "shallow-run" in {check.kind for check in withheld_checks(checks, NDCG)} and not withheld_checks(checks, F1)


def test_values_of_rankings_stay_as_they_are():
    match = Match(answers("dense", documents=["d"]), truth())
    assert (evaluate_match(match, [NDCG]).values == 1).all()


def test_queries_without_an_answer_are_no_empty_rankings_whichever_way_they_count():
    runs = [answers("dense"), answers("half", queries=15)]
    for missing, said in (("zero", "They have no answer"), ("skip", "They are left out in every run")):
        report = check_comparability(runs, truth(), Conventions(missing=missing))
        lines = [finding_text(entry) for entry in report.findings if entry.kind == "missing-queries"]
        assert len(lines) == 1 and said in lines[0] and "mpty ranking" not in lines[0], missing
