"""The Score cutoffs page: the sweep, the operating point and the curves by score."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from page_cases import charts, opened
from speed import quick
from test_bands_page import link, made, said
from test_pages import with_runs

from ragdash.analysis.score_thresholds import Half, OperatingPoint, operating_point, roc, sweep
from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.rankings.score_cutoffs.sentences import MEASURES, operating_point_sentence
from ragdash.matching.match import Match

PAGE = "score-cutoffs"


@pytest.mark.parametrize("many", [1, 3, 10])
def test_runs_with_scores_get_the_sweep_and_the_curve(many):
    at = opened(PAGE, **with_runs(many))
    assert not at.error and set(charts(at)) == {"sweep", "pr_by_score"}
    (points,) = [one.value for one in at.dataframe if "Without cutoff" in one.value]
    assert len(points) == many and points["F1"].is_monotonic_decreasing, "the best first, as the sentences"
    assert said(at).count("only if you accept") <= 1


def test_undefined_measures_are_named_and_what_can_be_drawn_is():
    run, truth = made([1, 2, 0, 3], grades=(0, 0, 0, 0))
    at = opened(PAGE, **link([run], truth))
    assert "No query has a relevant document: no precision-recall curve." in said(at)
    assert "F1 is undefined" in said(at) and "sweep" not in charts(at)
    at.selectbox(key="measure").set_value("empty").run()
    assert not at.exception and "sweep" in charts(at)


def test_one_query_cannot_be_halved():
    run, truth = made([1])
    at = opened(PAGE, **link([run], truth))
    assert any("halves" in card.value for card in at.error) and "sweep" in charts(at)


def test_scores_that_follow_from_the_rank_give_no_advice():
    """1/rank at 20 queries: every cutoff is one by rank. The other run's scores differ from query to query."""
    truth = Truth.build("qrels", [f"q{at}" for at in range(20)], ["a"] * 20, [1] * 20)
    queries, docs = [f"q{at // 3}" for at in range(60)], list("abc") * 20
    ranks = Run.build("by rank", queries, docs, [1, 1 / 2, 1 / 3] * 20)
    scored = Run.build("scored", queries, docs, [score + at / 100 for at in range(20) for score in (3, 2, 1)])
    at = opened(PAGE, **link([ranks, scored], truth))
    (warning,) = at.warning
    assert "The scores of **by rank** follow from the rank alone" in warning.value
    assert "scored: with documents below" in said(at) and "by rank: with" not in said(at)


def test_shares_of_a_table_have_one_format():
    table = next(one for one in opened(PAGE, **with_runs(3)).dataframe if "Cut off" in one.value)
    columns, shares = json.loads(table.proto.columns), table.value["Cut off"]
    assert {columns[name]["type_config"]["format"] for name in ("Cut off", "Left with nothing")} == {"%.1f%%"}
    assert 1 < shares.max() <= 100 and table.value["F1"].max() <= 1


def test_broken_links_fall_back_to_the_defaults():
    for key, value in {"measure": "x", "score": "y", "tuned": "z", "average": "w", "corpus": "t"}.items():
        opened(PAGE, **{**with_runs(2), key: value})


def test_runs_without_scores_are_named_with_the_reason():
    scored, truth = made([1, 2, 3, 0] * 5)
    bare, _ = made([2, 1, 3, 0] * 5, scored=False, name="bare")
    at = opened(PAGE, **link([scored, bare], truth))
    assert "Left out here: bare has no scores" in said(at)
    assert {trace["name"] for trace in charts(at)["sweep"]["data"]} >= {"dense"}
    assert not any(trace["name"] == "bare" for trace in charts(at)["sweep"]["data"])
    at = opened(PAGE, **link([bare], truth))
    assert "No run is ranked by scores" in said(at) and "sweep" not in charts(at)



@pytest.mark.parametrize("measure", ["precision", "recall", "f1", "hit_rate", "aqwv", "empty"])
def test_the_sweep_draws_what_the_library_says(measure):
    run, truth = made([1, 2, 3, 0] * 5)
    at = opened(PAGE, **link([run], truth, measure=measure))
    found = sweep(Match(run, truth))
    line = charts(at)["sweep"]["data"][0]
    assert np.allclose(decoded(line["y"]), getattr(found, measure))
    assert np.allclose(decoded(line["x"]), found.quantiles)
    at.segmented_control(key="score").set_value("score").run()
    assert np.allclose(decoded(charts(at)["sweep"]["data"][0]["x"]), found.thresholds)
    meaning = MEASURES[measure][-1].format(queries=f"{found.n} queries")
    assert at.query_params["score"] == "score" and meaning in said(at)



def decoded(values) -> np.ndarray:
    """Numbers of a figure, which plotly writes as base64."""
    import base64

    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), np.dtype(values["dtype"]))
    return np.array(values, float)



def test_material_aqwv_asks_for_the_size_of_the_corpus():
    run, truth = made([1, 2, 3, 0] * 5)
    at = opened(PAGE, **link([run], truth, measure="aqwv_material", tuned="aqwv_material"))
    assert "needs the size of the corpus" in said(at) and "sweep" not in charts(at) and "pr_by_score" in charts(at)
    at.text_input(key="corpus").set_value("1,000").run()
    assert np.allclose(decoded(charts(at)["sweep"]["data"][0]["y"]),
                       sweep(Match(run, truth), corpus_size=1000).aqwv_material)
    assert at.query_params["corpus"] == "1,000"
    for typed, word in (("2", "corpus_size=2"), ("many", "whole number"), ("0", "whole number")):
        at.text_input(key="corpus").set_value(typed).run()
        assert not at.exception and any(word in card.value.replace("\\", "") for card in at.error), typed
        assert "pr_by_score" in charts(at)



def test_the_best_cutoff_is_checked_on_the_other_half_and_says_so():
    rng = np.random.default_rng(3)
    run, truth = made(rng.choice([1, 1, 2, 3, 0], 60).tolist())
    at = opened(PAGE, **link([run], truth))
    text = said(at)
    assert re.search(r"F1 goes from 0\.\d{3} to 0\.\d{3} \[0\.\d{3},\s0\.\d{3}\] on 30 queries held out", text)
    table = next(one.value for one in at.dataframe if "Score cutoff" in one.value and "F1, choosing half" in one.value)
    assert len(table) == 1 and table["n"][0] == table["n, choosing half"][0] == 30
    assert any(trace["name"] == "operating point" for trace in charts(at)["sweep"]["data"])
    at.selectbox(key="tuned").set_value("recall").run()
    assert "no cutoff helps: Recall is highest with every document kept" in said(at)
    at.selectbox(key="tuned").set_value("aqwv").run()
    assert not at.exception and "AQWV" in said(at)



def test_roc_is_drawn_where_documents_are_judged_as_not_relevant():
    run, truth = made([1, 2, 3, 0] * 5)
    at = opened(PAGE, **link([run], truth))
    found = roc(Match(run, truth))
    assert f"AUC {found.auc:.3f}" in charts(at)["roc"]["data"][0]["name"]
    at.segmented_control(key="average").set_value("queries").run()
    assert f"AUC {found.macro_auc:.3f}" in charts(at)["roc"]["data"][0]["name"]
    assert "roc" not in charts(opened(PAGE, **with_runs(1)))



def test_the_queries_of_the_sidebar_hold_for_score_cutoffs_too():
    run, truth = made([1, 2, 3, 0] * 5, attributes=True)
    at = opened(PAGE, **link([run], truth, slice="type=easy"))
    assert "mean over 10 queries" in said(at) and not at.error
    part = sweep(Match(run, made([1, 2, 3, 0] * 5)[1]))
    assert not np.array_equal(decoded(charts(at)["sweep"]["data"][0]["y"]), part.f1)



@pytest.mark.slow
def test_a_widget_change_redraws_quickly():
    """5 runs x 2,000 queries x 100 ranks; the limit is generous: on a quiet machine it takes a tenth of that."""
    at = opened(PAGE, **with_runs(5, queries=2_000, depth=100))
    others = iter(("recall", "precision", "recall"))
    quick(lambda: at.selectbox(key="measure").set_value(next(others)).run(), 1.0)
    assert not at.exception


def test_the_advice_says_what_the_cutoff_costs():
    halves = Half(0.367, 0.3, 0.4, 55), Half(0.258, 0.161, 0.363, 55), Half(0.085, 0.075, 0.096, 55)
    costly = operating_point_sentence(
        "dense", OperatingPoint("f1", 0.5, 0.97, *halves, (0.902, 0.365), (0.0, 0.52), 61))
    assert ("recall over all ranks goes from 0.902 to 0.365. Of the 61 queries held out, with or without a relevant "
            "document, 52% keep no document (0% without the cutoff).") in costly
    assert costly.endswith("without the cutoff)."), "that the reader must accept it is said once, below all runs"
    free = operating_point_sentence("dense", OperatingPoint("f1", 0.5, 0.97, *halves, (0.9, 0.9), (0.0, 0.0), 55))
    assert free.endswith("Use it: no relevant document is lost.")
    run, truth = made([1, 2, 3, 0] * 5)
    match = Match(run, truth)
    point = operating_point(match)
    assert point.queries == 10, "half of 20"
    assert 0 <= point.recall[1] <= point.recall[0] <= 1 and point.empty[0] <= point.empty[1] <= 1
