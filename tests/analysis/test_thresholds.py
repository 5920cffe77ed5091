"""A threshold cuts a run: every value is that of the metric for the run cut by hand."""

import math

import numpy as np
import pytest
from helpers import over, random_case, run_of, truth_of
from naive import corpus_aqwv, relevant_docs
from scipy.stats import mannwhitneyu
from speed import quick

from ragdash.analysis.score_thresholds import MEASURES, operating_point, pr_by_score, roc, scored, sweep, why_unscored
from ragdash.analysis.score_thresholds import retained_counts as kept_module
from ragdash.analysis.score_thresholds import roc_pr as curves_module
from ragdash.analysis.score_thresholds.order_changes import order_changes
from ragdash.core.errors import InputError
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match

RUN = {"q1": {"d1": 0.9, "d2": 0.8, "d3": 0.5}, "q2": {"e1": 0.7, "e2": 0.4}, "q3": {"f1": 0.6}}
TRUTH = {"q1": ["d1", "d3", "d9"], "q2": ["e2"], "q3": {"f1": 0}}
DEEP = 10**6
SPECS = f"P(denominator='returned')@{DEEP} R Success@{DEEP} AQWV@{DEEP} n_ret n_rel n_rel_ret"
CONVENTIONS = [{}, {"unanswerable": "zero"}, {"missing": "skip"}, {"missing": "skip", "unanswerable": "zero"}]

same = pytest.approx


def match_of(rankings=RUN, grades=TRUTH, **conventions) -> Match:
    return Match(run_of(rankings), truth_of(grades), Conventions(**conventions))


def cut(rankings: dict, threshold: float) -> dict:
    """The run that is left, by hand."""
    return {query: {doc: score for doc, score in docs.items() if score >= threshold}
            for query, docs in rankings.items()}


def test_the_case_worked_by_hand():
    """At 0.6, q1 keeps d1 and d2 (one of three relevant), q2 keeps e1 (none of one), q3 has no relevant document."""
    found = sweep(match_of(), [0.6, 0.75, 0.95], corpus_size=100)
    assert found.quantiles == same([2 / 6, 4 / 6, 1])
    assert found.precision == same([(1 / 2 + 0) / 2, (1 / 2 + 0) / 2, 0])
    assert found.recall == same([1 / 6, 1 / 6, 0])
    assert found.f1 == same([(2 / 5 + 0) / 2, (2 / 5 + 0) / 2, 0])
    assert found.hit_rate == same([1 / 2, 1 / 2, 0])
    assert found.empty == same([0, 2 / 3, 1])
    assert found.aqwv == same([(1 / 3 - 40 / 2 + 0 - 40) / 2, (1 / 3 - 40 / 2 + 0) / 2, 0])
    assert found.aqwv_material == same([1 - 5 / 6 - 40 / 3 * (1 / 97 + 1 / 99 + 1 / 100),
                                        1 - 5 / 6 - 40 / 3 * (1 / 97), 0])
    assert found.pooled_precision == same([1 / 3, 1 / 2, math.nan], nan_ok=True)
    assert found.pooled_recall == same([1 / 4, 1 / 4, 0])
    assert found.pooled_f1 == same([2 / 7, 2 / 6, 0])
    assert (found.n, found.queries) == (2, 3)


@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
@over(seed=range(25))
def test_a_sweep_is_the_evaluation_of_the_run_cut_by_hand(seed, conventions):
    case = random_case(seed)
    truth, rel, beta = case.truth(), 1 + seed % 2, (40.0, 2.5)[seed % 2]
    scores = sorted({score for docs in case.rankings.values() for score in docs.values()})
    thresholds = [-math.inf, *scores[:: max(1, len(scores) // 4)], scores[-1] + 1, math.inf]
    found = sweep(Match(case.run(), truth, Conventions(**conventions)), thresholds, rel, beta, corpus_size=500)
    specs = SPECS.replace("AQWV@", f"AQWV(beta={beta}, rel={rel})@").replace(" R ", f" R(rel={rel}) ")
    specs = specs.replace("'returned')", f"'returned', rel={rel})").replace("Success@", f"Success(rel={rel})@")
    specs = specs.replace("n_rel n_rel_ret", f"n_rel(rel={rel}) n_rel_ret(rel={rel})")
    for t, threshold in enumerate(found.thresholds):
        left = evaluate(run_of(cut(case.rankings, threshold)), truth,
                        f"{specs} AQWV(form='material', corpus_size=500, beta={beta}, rel={rel})", **conventions)
        p, r, hit, aqwv, kept, relevant, hits = left.values[:, :7].T
        say = ~np.isnan(r)
        assert found.n == say.sum()
        assert found.queries == (~np.isnan(kept)).sum()
        if not say.any():
            assert np.isnan([found.precision[t], found.f1[t], found.aqwv[t], found.pooled_recall[t]]).all()
            continue
        f1 = np.divide(2 * p * r, p + r, out=np.zeros(len(p)), where=p + r > 0)
        assert found.precision[t] == same(p[say].mean(), abs=1e-12)
        assert found.recall[t] == same(r[say].mean(), abs=1e-12)
        assert found.f1[t] == same(f1[say].mean(), abs=1e-12)
        assert found.hit_rate[t] == same(hit[say].mean(), abs=1e-12)
        assert found.aqwv[t] == same(aqwv[say].mean(), abs=1e-12)
        assert found.empty[t] == same(np.mean(kept[~np.isnan(kept)] == 0), abs=1e-12)
        assert found.aqwv_material[t] == same(left.summary(resamples=10)[7].mean, abs=1e-12, nan_ok=True)
        hits, kept, relevant = (part[say].sum() for part in (hits, kept, relevant))
        assert found.pooled_precision[t] == same(hits / kept if kept else math.nan, nan_ok=True)
        assert found.pooled_recall[t] == same(hits / relevant if relevant else math.nan, nan_ok=True)
        assert found.pooled_f1[t] == same(2 * hits / (kept + relevant) if kept + relevant else math.nan, nan_ok=True)


@over(seed=range(10))
def test_quantiles_are_shares_of_the_returned_documents_below(seed):
    case = random_case(seed)
    found = sweep(Match(case.run(), case.truth()))
    scores = np.array([score for query in case.grades for score in case.rankings.get(query, {}).values()])
    assert found.quantiles == same([np.mean(scores < t) for t in found.thresholds])
    assert set(found.thresholds) <= set(scores)
    assert (found.thresholds[0], found.thresholds[-1]) == (scores.min(), scores.max())
    assert found.quantiles[0] == 0
    assert found.aqwv_material is None


def test_at_most_200_thresholds_are_tried_and_they_are_quantiles():
    rng = np.random.default_rng(0)
    rankings = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.lognormal(size=50))} for q in range(20)}
    found = sweep(match_of(rankings, {query: ["d1"] for query in rankings}))
    assert len(found.thresholds) == 200
    assert np.abs(found.quantiles - np.linspace(0, 1, 200)).max() < 0.002


def test_thresholds_are_sorted_and_each_once():
    assert sweep(match_of(), [0.75, 0.6, 0.75]).thresholds.tolist() == [0.6, 0.75]


def test_queries_in_blocks_give_the_same(monkeypatch):
    case = random_case(3, queries=40)
    match = Match(case.run(), case.truth())
    whole, curve = sweep(match, corpus_size=500), operating_point(match, resamples=50)
    monkeypatch.setattr(kept_module, "_CELLS", 400)
    pieces = sweep(match, corpus_size=500)
    for name in (*MEASURES, "empty", "pooled_f1"):
        assert getattr(pieces, name) == same(getattr(whole, name), rel=1e-12, nan_ok=True), name
    again = operating_point(match, resamples=50)
    assert (again.threshold, again.selected.n, again.checked.n) == (curve.threshold, curve.selected.n, curve.checked.n)
    assert (again.selected.value, again.checked.value) == same((curve.selected.value, curve.checked.value), rel=1e-12)


def judged_scores(rankings: dict, grades: dict, rel: int = 1) -> tuple[list, list]:
    """Scores of the judged documents that were returned: relevant ones, others."""
    pairs = [(score, grades[query][doc] >= rel) for query in grades
             for doc, score in rankings.get(query, {}).items() if doc in grades[query]]
    return [score for score, good in pairs if good], [score for score, good in pairs if not good]


@over(seed=range(40))
def test_the_pooled_area_is_mann_whitneys_and_the_macro_one_the_metrics(seed):
    case, rel = random_case(seed), 1 + seed % 2
    found = roc(Match(case.run(), case.truth()), rel)
    good, bad = judged_scores(case.rankings, case.grades, rel)
    assert (found.relevant, found.other) == (len(good), len(bad))
    if good and bad:
        assert found.auc == same(mannwhitneyu(good, bad).statistic / len(good) / len(bad), abs=1e-12)
        assert found.auc == same(np.trapezoid(found.tpr, found.fpr), abs=1e-12)
        assert (found.fpr[0], found.tpr[0], found.fpr[-1], found.tpr[-1]) == (0, 0, 1, 1)
        assert found.fpr == same([np.mean(np.array(bad) >= t) for t in found.threshold])
        assert found.tpr == same([np.mean(np.array(good) >= t) for t in found.threshold])
    else:
        assert math.isnan(found.auc) and not len(found.fpr)
    values = evaluate(case.run(), case.truth(), f"AUC(rel={rel})").values[:, 0]
    assert found.n == (~np.isnan(values)).sum()
    assert found.macro_auc == same(np.nanmean(values) if found.n else math.nan, abs=1e-12, nan_ok=True)


def test_one_query_without_ties_is_pooled_as_it_is():
    found = roc(match_of({"q": {"a": 4, "b": 3, "c": 2, "d": 1}}, {"q": {"a": 1, "b": 0, "c": 2, "d": 0}}))
    assert found.auc == found.macro_auc == 0.75
    assert found.fpr.tolist() == [0, 0, 0.5, 0.5, 1]
    assert found.tpr.tolist() == [0, 0.5, 0.5, 1, 1]
    assert found.threshold.tolist() == [math.inf, 4, 3, 2, 1]
    assert set(found.mean_tpr[:50]) == {0.5} and set(found.mean_tpr[50:]) == {1.0}


def test_the_mean_curve_has_the_mean_area():
    """With a number of non-relevant documents that divides the grid, the staircases are exact on it."""
    rng = np.random.default_rng(1)
    rankings, grades = {}, {}
    for q, others in enumerate([1, 2, 4, 5, 10, 20, 25, 50]):
        docs = [f"d{i}" for i in range(others + 1 + q)]
        rankings[f"q{q}"] = dict(zip(docs, rng.permutation(len(docs)).tolist(), strict=True))
        grades[f"q{q}"] = {doc: int(i >= others) for i, doc in enumerate(docs)}
    found = roc(match_of(rankings, grades))
    assert found.n == 8
    assert found.mean_tpr[:-1].mean() == same(found.macro_auc, abs=1e-12)
    assert np.all(np.diff(found.mean_tpr) >= 0) and found.mean_tpr[-1] == 1


@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
@over(seed=range(15))
def test_precision_and_recall_by_score_are_those_of_the_pooled_cut(seed, conventions):
    case, rel = random_case(seed), 1 + seed % 2
    found = pr_by_score(Match(case.run(), case.truth(), Conventions(**conventions)), rel)
    grades = case.truth()
    names = grades.query_ids.to_pylist()
    counted = [query for query in names if (query in case.rankings or conventions.get("missing") != "skip") and
               (relevant_docs(case.grades.get(query, {}), rel) or conventions.get("unanswerable") == "zero")]
    relevant = {(query, doc) for query in counted for doc in relevant_docs(case.grades.get(query, {}), rel)}
    returned = {(query, doc): s for query in counted for doc, s in case.rankings.get(query, {}).items()}
    assert (found.relevant, found.n) == (len(relevant), len(counted))
    if not relevant:
        assert math.isnan(found.average_precision) and not len(found.recall)
        return
    average, before = 0.0, 0.0
    levels = sorted(set(returned.values()), reverse=True)
    assert found.threshold.tolist() == levels
    for at, level in enumerate(levels):
        kept = {pair for pair, score in returned.items() if score >= level}
        precision, recall = len(kept & relevant) / len(kept), len(kept & relevant) / len(relevant)
        assert (found.precision[at], found.recall[at]) == same((precision, recall))
        average += (recall - before) * precision
        before = recall
    assert found.average_precision == same(average, abs=1e-12)


def test_long_curves_are_thinned_and_their_areas_are_not(monkeypatch):
    rng = np.random.default_rng(2)
    rankings = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.normal(size=80))} for q in range(40)}
    match = match_of(rankings, {query: {f"d{d}": d % 2 for d in range(80)} for query in rankings})
    thin, thin_pr = roc(match), pr_by_score(match)
    monkeypatch.setattr(curves_module, "POINTS", 10**6)
    full, full_pr = roc(match), pr_by_score(match)
    assert len(full.fpr) == 3201 and len(full_pr.recall) == 3200
    assert len(thin.fpr) <= 1000 and len(thin_pr.recall) <= 1000
    assert (thin.auc, thin_pr.average_precision) == (full.auc, full_pr.average_precision)
    assert np.trapezoid(thin.tpr, thin.fpr) == same(full.auc, abs=1e-3)
    assert (thin_pr.threshold[0], thin_pr.threshold[-1]) == (full_pr.threshold[0], full_pr.threshold[-1])


def test_a_threshold_that_tells_all_apart_is_found_and_holds_on_the_other_half():
    rng = np.random.default_rng(3)
    rankings = {f"q{q}": {"good": 5 + rng.random(), **{f"bad{d}": 4 * rng.random() for d in range(5)}}
                for q in range(60)}
    point = operating_point(match_of(rankings, {query: ["good"] for query in rankings}))
    assert 4 <= point.threshold <= 5.2
    assert point.selected.value == 1
    assert point.checked.value >= 0.9
    assert point.unfiltered.value == same(2 / 7)
    assert point.quantile == same(np.mean([s < point.threshold for d in rankings.values() for s in d.values()]))
    assert point.selected.n == point.checked.n == 30
    assert point.unfiltered.high < point.checked.low


@pytest.mark.parametrize("measure", MEASURES)
def test_the_halves_make_up_the_whole(measure):
    """The values of the halves, weighted by their queries, are the sweep's."""
    rng = np.random.default_rng(4)
    rankings = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.normal(size=9))} for q in range(31)}
    match = match_of(rankings, {query: ["d1", "d2"] for query in rankings})
    point = operating_point(match, measure, corpus_size=50, resamples=200)
    assert (point.selected.n, point.checked.n) == (16, 15)
    whole = sweep(match, [point.threshold], corpus_size=50)
    assert (16 * point.selected.value + 15 * point.checked.value) / 31 == same(getattr(whole, measure)[0], abs=1e-12)
    for half in (point.selected, point.checked, point.unfiltered):
        assert half.low - 1e-6 <= half.value <= half.high + 1e-6


@over(seed=range(12))
@pytest.mark.parametrize("measure", MEASURES)
def test_no_other_threshold_is_better_on_the_half_that_chose(measure, seed):
    """Two queries: each half is one of them, so the best can be looked for by hand."""
    rng = np.random.default_rng(seed)
    rankings = {query: dict(zip("abcdef", rng.permutation(6).tolist(), strict=True)) for query in ("x", "y")}
    grades = {"x": ["a", "b", "z"], "y": ["c"]}
    point = operating_point(match_of(rankings, grades), measure, seed, beta=1.5, corpus_size=9)

    def best(query: str) -> list[tuple[float, float]]:
        one = match_of({query: rankings[query]}, {query: grades[query]})
        found = sweep(one, [*range(6), math.inf], beta=1.5, corpus_size=9)
        values = getattr(found, measure)
        return [(values.max(), t) for t, v in zip(found.thresholds, values, strict=True) if v > values.max() - 1e-12]

    assert (same(point.selected.value, abs=1e-12), point.threshold) in [best("x")[0], best("y")[0]]
    assert math.isnan(point.selected.low)


def test_the_halves_hang_on_the_ids_and_the_seed_alone():
    rng = np.random.default_rng(5)
    rankings = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.normal(size=9))} for q in range(40)}
    grades = {query: ["d1", "d2"] for query in rankings}
    turned = match_of(rankings, dict(reversed(grades.items())))
    first, again = (operating_point(match, resamples=100) for match in (match_of(rankings, grades), turned))
    assert (first.threshold, first.quantile) == (again.threshold, again.quantile)
    assert first.selected.value == same(again.selected.value, abs=1e-12)
    assert first.checked.value == same(again.checked.value, abs=1e-12)
    assert len({operating_point(match_of(rankings, grades), 'aqwv', s, 1, 0.5, resamples=9).checked.value
                for s in range(5)}) > 1


def test_where_nothing_is_worth_its_false_alarms_the_best_is_to_keep_nothing():
    rankings = {f"q{q}": {"bad": 2.0, "good": 1.0} for q in range(4)}
    point = operating_point(match_of(rankings, {query: ["good"] for query in rankings}), "aqwv")
    assert point.threshold == math.inf
    assert (point.quantile, point.selected.value, point.checked.value) == (1, 0, 0)


def test_repeats_count_once_and_ties_stay_together():
    run = Run.build("r", ["q"] * 5, ["a", "b", "a", "c", "d"], [3.0, 2.0, 2.0, 2.0, 1.0])
    match = Match(run, truth_of({"q": {"b": 1, "c": 0}}))
    found = sweep(match)
    assert found.thresholds.tolist() == [1, 2, 3]
    assert found.quantiles.tolist() == [0, 0.25, 0.75]
    assert found.precision == same([1 / 4, 1 / 3, 0])
    assert roc(match).auc == 0.5
    assert pr_by_score(match).precision == same([0, 1 / 3, 1 / 4])


@pytest.mark.parametrize("run, reason", [
    (run_of({"q1": ["d1"]}), "has no scores"),
    (Run.build("run", ["q1", "q1"], ["d1", "d2"], [1.0, 2.0], [1, 2]), "ranked by its rank"),
    (run_of({"q1": {}, "q9": {"d1": 1.0}}), "returns no document for a query of the ground truth"),
])
def test_a_run_without_scores_says_why(run, reason):
    match = Match(run, truth_of(TRUTH))
    assert not scored(match)
    assert reason in why_unscored(match)
    for ask in (sweep, roc, pr_by_score, operating_point):
        with pytest.raises(InputError, match=reason):
            ask(match)


def test_a_run_with_scores_is_scored():
    assert scored(match_of())
    assert why_unscored(match_of()) is None
    assert scored(Match(Run.build("run", ["q1", "q1"], ["d1", "d2"], [2.0, 1.0], [1, 2]), truth_of(TRUTH)))


@pytest.mark.parametrize("ask, words", [
    (lambda match: sweep(match, [0.5, math.nan]), "NaN among the thresholds"),
    (lambda match: sweep(match, []), "no threshold"),
    (lambda match: sweep(match, rel=0), "rel=0"),
    (lambda match: sweep(match, beta=math.nan), "beta"),
    (lambda match: sweep(match, beta=-1), "beta"),
    (lambda match: sweep(match, corpus_size=3), "corpus_size=3"),
    (lambda match: roc(match, rel=0), "rel=0"),
    (lambda match: operating_point(match, "F1"), "one of precision, recall, f1"),
    (lambda match: operating_point(match, "aqwv_material"), "Give corpus_size"),
    (lambda match: operating_point(match, rel=2), "halves with 0 and 0 queries"),
])
def test_what_cannot_be_asked_is_told(ask, words):
    with pytest.raises(InputError) as caught:
        ask(match_of())
    assert words in str(caught.value)


def test_without_a_relevant_document_values_are_undefined():
    match = match_of(RUN, {query: dict.fromkeys(docs, 0) for query, docs in RUN.items()})
    found = sweep(match, corpus_size=100)
    for name in (*MEASURES, "pooled_precision", "pooled_recall", "pooled_f1"):
        assert np.isnan(getattr(found, name)).all(), name
    assert found.n == 0
    assert found.empty[0] == 0
    assert math.isnan(roc(match).auc) and np.isnan(roc(match).mean_tpr).all()
    assert math.isnan(pr_by_score(match).average_precision)


@over(seed=range(8))
def test_the_material_form_is_the_naive_one(seed):
    case = random_case(seed)
    found = sweep(Match(case.run(), case.truth()), corpus_size=500)
    expected = [corpus_aqwv(case.rankings, case.grades, 500, threshold=t) for t in found.thresholds]
    assert found.aqwv_material == same(expected, abs=1e-12, nan_ok=True)


def test_thousands_of_queries_are_swept_in_a_moment():
    queries, depth = 7000, 100
    ids = [f"q{q}" for q in range(queries)]
    docs = [f"d{d}" for d in range(depth)] * queries
    names = np.repeat(ids, depth).tolist()
    run = Run.build("big", names, docs, np.random.default_rng(6).normal(size=queries * depth))
    truth = Truth.build("big", np.repeat(ids, 3).tolist(), ["d1", "d2", "e"] * queries, np.ones(3 * queries, int))
    match = Match(run, truth)
    sweep(match)  # views are built
    found = quick(lambda: sweep(match, corpus_size=10**6), 2)
    assert len(found.thresholds) == 200


def test_the_order_of_two_runs_can_change_at_the_last_of_many_thresholds():
    first, changes = order_changes(np.array([[0.6, 0.6, 0.6, 0.2], [0.5, 0.5, 0.5, 0.5]]), np.arange(4) / 4)
    assert first == (0, 1) and [(change.threshold, change.order) for change in changes] == [(0.75, (1, 0))]
