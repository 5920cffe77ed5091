"""Evaluation: one table of values, explored without computing again; and the curves over every cutoff."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from helpers import mean, random_case, run_of, truth_of

from ragdash import compare, variants
from ragdash.core.errors import InputError
from ragdash.core.records import Conventions, Run
from ragdash.evaluation import curves as module
from ragdash.evaluation.curves import curves
from ragdash.evaluation.evaluate import evaluate, evaluate_match
from ragdash.evaluation.outcomes import ComparisonRules
from ragdash.matching.match import Match
from ragdash.metrics import DEFAULT_SPECS, parse_specs

pytestmark = pytest.mark.filterwarnings("error")

RUN = run_of({"q2": ["a", "b"], "q1": ["x", "a"], "extra": ["a"]}, "bm25")
TRUTH = truth_of({"q1": ["a"], "q2": ["a"], "lacking": ["a"], "none": {"a": 0}})


def test_rows_are_the_queries_of_the_truth_and_columns_the_metrics_as_asked():
    found = evaluate(RUN, TRUTH, "R@1, MRR P@2 MRR")
    assert found.query_ids.to_pylist() == ["q1", "q2", "lacking", "none"]
    assert [str(spec) for spec in found.specs] == ["R@1", "RR", "P@2"]
    np.testing.assert_array_equal(found.values, [[0, 0.5, 0.5], [1, 1, 0.5], [0, 0, 0], [np.nan] * 3])
    assert found.values.dtype == np.float64
    assert dict(found.counts) == {"queries": 4, "missing": 2, "unanswerable": 1, "extra": 1}
    assert (found.name, found.digest, found.truth_digest) == ("bm25", RUN.digest, TRUTH.digest)


def test_without_metrics_the_defaults_are_computed():
    assert evaluate(RUN, TRUTH).specs == DEFAULT_SPECS == parse_specs("nDCG@10 R@10 P@5 RR AP Success@10")


@pytest.mark.parametrize("metrics", ["RR nDCG@10", ["RR", "nDCG@10"], parse_specs("RR nDCG@10"),
                                     ("MRR", "ndcg_cut_10")], ids=str)
def test_metrics_can_be_text_names_or_specs(metrics):
    assert evaluate(RUN, TRUTH, metrics).specs == parse_specs("RR nDCG@10")


def test_evaluate_is_a_match_and_its_evaluation():
    conventions = {"missing": "skip", "unanswerable": "zero", "ties": "file"}
    one = evaluate(RUN, TRUTH, "RR P@2", **conventions)
    other = evaluate_match(Match(RUN, TRUTH, Conventions(**conventions)), parse_specs("RR P@2"))
    np.testing.assert_array_equal(one.values, other.values)
    assert one.settings == other.settings and dict(conventions).items() <= dict(one.settings).items()


def test_a_column_is_found_by_spec_or_by_any_spelling():
    found = evaluate(RUN, TRUTH, "RR R@1")
    for name in ("RR", "MRR", "recip_rank", found.specs[0]):
        np.testing.assert_array_equal(found.column(name), found.values[:, 0])
    with pytest.raises(KeyError):
        found.column("AP")


def test_only_some_queries_are_summarised_as_if_there_were_no_others():
    found = evaluate(RUN, TRUTH, "RR P@2")
    part = found.only(["lacking", "q2"])
    assert part.query_ids.to_pylist() == ["q2", "lacking"] and part.values.tolist() == [[1, 0.5], [0, 0]]
    assert [(summary.mean, summary.n, summary.undefined) for summary in part.summary(resamples=10)] == [
        (0.5, 2, 0), (0.25, 2, 0)]
    assert part.counts["queries"] == 2 and found.counts["queries"] == 4
    with pytest.raises(KeyError, match="nobody"):
        found.only(["q1", "nobody"])


def test_only_some_queries_of_a_value_of_the_corpus():
    rankings = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"x": 2.0, "y": 1.0}, "q3": {"a": 1.0}}
    metric = "AQWV(form='material', corpus_size=100)"
    grades = {query: {"a": 1} for query in rankings}
    whole = evaluate(run_of(rankings), truth_of(grades), metric)
    for queries in (["q1"], ["q1", "q3"], ["q2", "q3"]):
        alone = mean({query: rankings[query] for query in queries}, {query: grades[query] for query in queries}, metric)
        assert whole.only(queries).summary(resamples=10)[0].mean == pytest.approx(alone)


def test_no_queries_at_all_have_no_mean():
    (summary,) = evaluate(RUN, TRUTH, "RR").only([]).summary(resamples=10)
    assert np.isnan(summary.mean) and (summary.n, summary.undefined) == (0, 0)


def test_the_frame_has_a_row_per_query_and_a_column_per_metric():
    pytest.importorskip("pandas")
    found = evaluate(RUN, TRUTH, "RR P@2")
    frame = found.frame()
    np.testing.assert_array_equal(frame[["RR", "P@2"]].to_numpy(), found.values)
    assert list(frame.get("query_id", frame.index)) == found.query_ids.to_pylist()


def test_values_cannot_be_changed():
    found = evaluate(RUN, TRUTH, "RR")
    with pytest.raises(AttributeError):
        found.name = "new"
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1


def test_a_metric_that_cannot_be_computed_here_says_why():
    for metric in ("MQWV(corpus_size=9)", "AQWV(form='material', corpus_size=9, threshold=1.0)"):
        with pytest.raises(InputError) as caught:
            evaluate(RUN, TRUTH, metric)
        assert "score" in str(caught.value), "the run is a list without scores"
    for metric in ("AQWV", "MQWV", "AQWV(form='material')", "AQWV(form='material', corpus_size=1)",
                   "MQWV(corpus_size=1)"):
        with pytest.raises(InputError):
            evaluate(run_of({"q1": {"a": 1.0, "b": 0.5}}), TRUTH, metric)


def test_aqwv_of_the_material_programme_takes_no_cutoff():
    with pytest.raises(InputError):
        evaluate(RUN, TRUTH, "AQWV(form='material', corpus_size=100)@1")


NAMES = ["P", "R", "nDCG", "Success", "RR", "AP", "F1"]


@pytest.mark.parametrize("block", [None, 1, 3], ids=["as shipped", "blocks of one", "blocks of three"])
@pytest.mark.parametrize("seed", range(6))
def test_curves_are_the_means_at_every_cutoff(seed, block, monkeypatch):
    if block:
        monkeypatch.setattr(module, "_CURVE_BLOCK", block)
    case = random_case(seed)
    run, truth = case.run(), case.truth()
    found = curves(Match(run, truth), NAMES, resamples=50)
    assert found.ks.tolist() == list(range(1, run.depth + 1))
    for name in NAMES:
        summaries = evaluate(run, truth, [f"{name}@{k}" for k in found.ks]).summary(resamples=5)
        assert found.mean[name] == pytest.approx([summary.mean for summary in summaries], abs=1e-9, nan_ok=True)
        assert {found.n[name]} == {summary.n for summary in summaries}


def test_curves_at_given_cutoffs_beyond_the_deepest_rank():
    run, truth = run_of({"q1": ["x", "a"], "q2": ["a"]}), truth_of({"q1": ["a", "b"], "q2": ["a"]})
    found = curves(Match(run, truth), ["P", "R"], np.array([1, 2, 5, 100]), resamples=50)
    assert found.ks.tolist() == [1, 2, 5, 100]
    assert found.mean["P"] == pytest.approx([0.5, 0.5, 0.2, 0.01])
    assert found.mean["R"] == pytest.approx([0.5, 0.75, 0.75, 0.75])


def test_intervals_of_curves_are_those_of_summaries_at_up_to_60_cutoffs():
    rng = np.random.default_rng(3)
    docs = [f"d{i}" for i in range(150)]
    run = run_of({f"q{i}": rng.permutation(docs).tolist() for i in range(30)})
    truth = truth_of({f"q{i}": docs[:10] for i in range(30)})
    found = curves(Match(run, truth), ["P", "R"], resamples=2000, seed=4)
    ks = found.interval_ks.tolist()
    assert 20 <= len(ks) <= 60 and ks[0] == 1 and ks[-1] == 150 and sorted(set(ks)) == ks
    assert set(range(1, 6)) <= set(ks), "dense where curves bend"
    for name in ("P", "R"):
        summaries = evaluate(run, truth, [f"{name}@{k}" for k in ks]).summary(resamples=2000, seed=4)
        np.testing.assert_allclose(found.low[name], [summary.low for summary in summaries], atol=1e-5)
        np.testing.assert_allclose(found.high[name], [summary.high for summary in summaries], atol=1e-5)


def test_curves_of_a_run_without_documents_are_empty_or_zero():
    answers = pa.table({"query_id": ["q"], "answer": ["x"]})
    found = curves(Match(Run.build("run", [], [], details=answers), truth_of({"q": ["a"]})), ["P"], resamples=10)
    assert len(found.ks) == len(found.mean["P"]) and np.nansum(found.mean["P"]) == 0


def test_the_micro_average_weighs_queries_by_their_denominators():
    run = run_of({"q1": ["a", "x", "b"], "q2": ["x", "y"], "q3": []})
    truth = truth_of({"q1": ["a", "b", "c", "d"], "q2": ["y"], "q3": ["a"], "none": {"a": 0}})
    found = evaluate(run, truth, "R(average='micro')@2 R(average='micro')@3 R@3 P(average='micro')@2 "
                     "Rprec(average='micro') P(average='micro', denominator='returned')@3 Judged(average='micro')@3 "
                     "F1(average='micro')@2")
    means = {str(one.spec): (one.mean, one.n) for one in found.summary(resamples=200)}
    assert means["R(average='micro')@2"] == (pytest.approx(2 / 6), 3)
    assert means["R(average='micro')@3"] == (pytest.approx(3 / 6), 3)
    assert means["R@3"] == (pytest.approx((2 / 4 + 1 + 0) / 3), 3)
    assert means["P(average='micro')@2"][0] == pytest.approx(2 / 6)
    assert means["P(average='micro', denominator='returned')@3"][0] == pytest.approx(3 / 5)
    assert means["Rprec(average='micro')"][0] == pytest.approx(2 / 6), "q1: a and b in four ranks; q2: none in one"
    assert means["Judged(average='micro')@3"][0] == pytest.approx(3 / 5)
    assert means["F1(average='micro')@2"][0] == pytest.approx(2 * 2 / (2 + 4 + 2 + 1 + 2 + 1))
    for one in found.summary(resamples=200):
        assert one.low <= one.mean <= one.high


def test_the_micro_average_keeps_the_conventions():
    run, truth = run_of({"q1": ["a"]}), truth_of({"q1": ["a"], "gone": ["a", "b", "c"]})
    assert evaluate(run, truth, "R(average='micro')@5").summary(resamples=10)[0].mean == 0.25
    skipped = evaluate(run, truth, "R(average='micro')@5", missing="skip").summary(resamples=10)[0]
    assert (skipped.mean, skipped.n) == (1.0, 1)


@pytest.mark.parametrize("setting", [{"level": 95}, {"level": 1}, {"level": -1}, {"level": float("nan")},
                                     {"resamples": -1}, {"resamples": 2.5}, {"seed": -1}, {"seed": "x"}])
def test_settings_of_intervals_that_are_none_are_refused(setting):
    evaluation = evaluate({"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["a"]}, "RR")
    with pytest.raises(InputError) as raised:
        evaluation.summary(**setting)
    assert [problem.field for problem in raised.value.problems] == list(setting)


def test_too_few_resamples_give_no_interval():
    evaluation = evaluate({"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["a"]}, "RR R(average='micro')@5")
    for level, fewest in ((0.95, 40), (0.9, 20), (0.99, 200)):
        for few in evaluation.summary(level=level, resamples=fewest - 1):
            assert few.mean == 0.5 and np.isnan([few.low, few.high]).all()
        for enough in evaluation.summary(level=level, resamples=fewest):
            assert enough.low <= enough.mean <= enough.high
    for wrong in (39, 0, 2.5, "x"):
        with pytest.raises(InputError, match="from 40 to 1,000,000"):
            ComparisonRules(resamples=wrong)


@pytest.mark.parametrize("metric", ["", "RR AP"])
def test_a_place_for_one_metric_takes_one(metric):
    evaluation = evaluate({"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["a"]}, "RR AP")
    for use in (evaluation.column, lambda one: variants([], {"q": ["a"]}, one)):
        with pytest.raises(InputError, match=f"found '{metric}'; expected"):
            use(metric)


def test_a_picture_of_no_metric_is_refused():
    evaluation = evaluate({"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["a"]}, "RR AP")
    with pytest.raises(InputError, match="found ''; expected"):
        compare(evaluation, [evaluation]).plot(metric="")
