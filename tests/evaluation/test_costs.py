"""Speed and cost: formulas by hand, percentiles by numpy and scipy, the front by brute force, price tables."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as some

from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.threshold_bands.speed_cost.data import SpeedCostData
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.latency_cost import (
    Price,
    PriceTable,
    cost_steps,
    pareto_front,
    read_prices,
    resampled_means,
    run_cost,
    stage_latencies,
    write_prices,
)
from ragdash.evaluation.stats import resample_weights
from ragdash.evaluation.stats.percentiles import percentiles
from ragdash.matching.views.cost import timed

pytestmark = pytest.mark.filterwarnings("error")

LATENCY = pa.struct([(stage, pa.float64()) for stage in ("retrieval", "rerank", "generation", "total")])
DETAILS = {
    "query_id": ["q1", "q2", "q3"],
    "latency_ms": pa.array([{"retrieval": 10.0, "generation": 100.0}, {"retrieval": 20.0, "generation": None},
                            {"retrieval": 30.0, "generation": 300.0, "total": 400.0}], LATENCY),
    "prompt_tokens": pa.array([1000, 2000, None]), "completion_tokens": pa.array([100, 300, 50]),
    "cost_usd": pa.array([0.5, None, 0.1])}


def run(name: str = "run", leave: tuple[str, ...] = (), **facts) -> Run:
    details = pa.table({key: value for key, value in DETAILS.items() if key not in leave})
    return Run.build(name, ["q1", "q2", "q3"], ["a", "b", "c"], details=details, **facts)


TRUTH = Truth.build("truth", ["q1", "q2", "q3", "q4"], ["a", "b", "x", "y"], [1, 1, 1, 1])


def view(leave: tuple[str, ...] = (), name: str = "run"):
    one = run(name, leave)
    return timed(one.name, one.details, np.array([0, 1, 2, -1]))


def column(metric: str, one: Run | None = None) -> list[float]:
    return evaluate(one or run(), TRUTH, metric).values[:, 0].tolist()


nan = math.nan


@pytest.mark.parametrize(("metric", "expected"), [
    ("Latency", [110.0, nan, 400.0, nan]), ("Latency(stage='retrieval')", [10.0, 20.0, 30.0, nan]),
    ("Latency(stage='generation')", [100.0, nan, 300.0, nan]), ("PromptTokens", [1000.0, 2000.0, nan, nan]),
    ("CompletionTokens", [100.0, 300.0, 50.0, nan]), ("Cost", [0.5, nan, 0.1, nan]),
    ("Cost(prompt=0.01, completion=0.03)", [0.013, 0.029, nan, nan]),
    ("Cost(completion=0.03, call=0.002)", [0.005, 0.011, 0.0035, nan]), ("Cost(call=0.002)", [0.002] * 3 + [nan])])
def test_values_by_hand(metric, expected):
    assert column(metric) == pytest.approx(expected, nan_ok=True)
    skipped = evaluate(run(), TRUTH, metric, missing="skip", unanswerable="zero").values[:, 0].tolist()
    assert skipped == pytest.approx(expected, nan_ok=True)


def test_what_is_not_told_is_undefined_with_its_reason():
    for metric in ("Latency", "PromptTokens", "CompletionTokens", "Cost", "Latency(stage='rerank')"):
        evaluation = evaluate(Run.build("bare", ["q1"], ["a"]), TRUTH, metric)
        assert np.isnan(evaluation.values).all()
        assert any(problem.kind == "unavailable" for problem in evaluation.problems)
    assert math.isnan(evaluate(Run.build("bare", ["q1"], ["a"]), TRUTH, "Cost(prompt=1.0)").summary()[0].mean)


def test_a_negative_time_is_refused():
    one = Run.build("r", ["q1"], ["a"], details=pa.table({"query_id": ["q1"], "latency_ms": [-3.0]}))
    with pytest.raises(Unavailable, match="-3 in latency_ms"):
        timed("r", one.details, np.array([0]))
    problem = next(one for one in evaluate(one, TRUTH, "Latency").problems if one.kind == "unavailable")
    assert "-3" in problem.actual


def test_a_plain_number_is_the_total():
    one = Run.build("r", ["q1"], ["a"], details=pa.table({"query_id": ["q1"], "latency_ms": [7.0]}))
    assert column("Latency", one)[0] == 7.0


SOME = np.random.default_rng(3).lognormal(3, 1, 57)


def test_percentiles_are_numpys():
    at, low, high = percentiles(np.append(SOME, np.nan), (50, 90, 99))
    assert at == pytest.approx(np.percentile(SOME, (50, 90, 99)), abs=0)
    assert (low <= at).all() and (at <= high).all() and high[2] == SOME.max()


def test_each_resample_has_numpys_percentile():
    """The draws, row by row: the percentile of the values repeated by their weights."""
    weights = resample_weights(len(SOME), resamples=200)
    drawn = np.array([np.percentile(np.repeat(np.sort(SOME), row), (10, 50, 99)) for row in weights])
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    found = percentiles(SOME, (10, 50, 99), resamples=200)
    assert found[1] == pytest.approx(low) and found[2] == pytest.approx(high)


def test_the_interval_agrees_with_scipys_bootstrap():
    from scipy import stats

    expected = stats.bootstrap((SOME,), lambda x, axis: np.percentile(x, 90, axis=axis), method="percentile",
                               n_resamples=9_999, rng=np.random.default_rng(1)).confidence_interval
    _, low, high = percentiles(SOME, (90,), resamples=9_999)
    spread = expected.high - expected.low
    assert (low[0], high[0]) == pytest.approx(expected, abs=0.06 * spread)


@pytest.mark.parametrize(("values", "expected"), [([], nan), ([5.0], 5.0), ([nan], nan)])
def test_few_values_have_no_interval(values, expected):
    at, low, high = percentiles(np.array(values), (50, 99))
    assert at == pytest.approx([expected] * 2, nan_ok=True) and np.isnan([low, high]).all()


def test_speeds_of_the_stages():
    found = {one.stage: one for one in stage_latencies(view())}
    assert list(found) == ["retrieval", "generation", "total"]
    assert found["retrieval"].n == 3 and found["retrieval"].mean == 20.0 and found["retrieval"].percentiles[0] == 20.0
    assert found["total"].n == 2 and found["total"].percentiles == pytest.approx(
        np.percentile([110, 400], (50, 90, 99))
    )
    (only,) = (one for one in stage_latencies(view(), np.array([True, False, False, False])) if one.stage == "total")
    assert only.n == 1 and only.mean == 110.0 and math.isnan(only.low)


TABLE = PriceTable((Price("GPT-x", 0.01, 0.03), Price("rerank", call=0.002), Price("other", 1.0, 1.0), Price("free")))


def test_recorded_costs_count_unless_prices_are_named_by_hand():
    assert run_cost(view(), {"model": "gpt-X"}, TABLE).basis == "recorded"
    by_hand = PriceTable(TABLE.prices, {"run": ("gpt-x", "rerank")})
    found = run_cost(view(), {}, by_hand)
    assert found.basis == "priced" and found.price_names == ("GPT-x", "rerank")
    assert found.values == pytest.approx([0.015, 0.031, nan, nan], nan_ok=True)


def test_prices_are_found_by_the_settings():
    bare = view(("cost_usd",))
    found = run_cost(bare, {"generator": {"model": "gpt-x"}, "steps": ["rerank"], "k": 5}, TABLE)
    assert found.basis == "priced" and found.values[0] == pytest.approx(0.015)
    assert run_cost(bare, {"model": "free"}, TABLE).values.tolist() == pytest.approx([0, 0, 0, nan], nan_ok=True)
    assert run_cost(bare, {"model": "unknown"}, TABLE).basis == "" and "cost_usd" in run_cost(bare, {}, TABLE).reason
    assert "several" in run_cost(bare, {"a": "other", "b": "gpt-x"}, TABLE).reason
    without = run_cost(view(("cost_usd", "prompt_tokens")), {"model": "gpt-x"}, TABLE)
    assert without.basis == "" and np.isnan(without.values).all() and "prompt tokens" in without.reason


NUMBERS = some.one_of(some.just(nan), some.integers(0, 4).map(float))


@given(some.lists(some.tuples(NUMBERS, NUMBERS), max_size=7), some.sampled_from(["higher", "lower"]))
def test_the_front_is_what_no_other_run_beats(points, better):
    quality, cost = (np.array([point[at] for point in points]) for at in (0, 1))
    sign = -1 if better == "lower" else 1
    for at, held in enumerate(pareto_front(quality, cost, better)):
        q, c = sign * quality[at], cost[at]
        beaten = any(sign * oq >= q and oc <= c and (sign * oq > q or oc < c) for oq, oc in points)
        assert held == (not beaten and not math.isnan(q) and not math.isnan(c))


def test_what_one_more_point_costs_by_hand():
    quality, cost = np.array([0.5, 0.7, 0.6, 0.8, 0.8, nan]), np.array([1.0, 2.0, 3.0, 6.0, 6.0, 0.5])
    assert pareto_front(quality, cost).tolist() == [True, True, False, True, True, False]
    first, second, equal = cost_steps(quality, cost)
    assert (first.cheaper, first.dearer, second.dearer) == (0, 1, 3)
    assert first.per_point == pytest.approx(0.05) and second.per_point == pytest.approx(0.4)
    assert equal.gain == 0 and math.isnan(equal.per_point) and math.isnan(first.low)
    lower = cost_steps(1 - quality, cost, "lower")
    assert [one.per_point for one in lower] == pytest.approx([one.per_point for one in (first, second, equal)],
                                                             nan_ok=True)


def test_the_cost_of_a_point_has_an_interval_where_there_is_a_gain():
    rng = np.random.default_rng(0)
    base = rng.random(400)
    noise = rng.normal(0, 0.3, 400)
    better, same = base + rng.normal(0.2, 0.05, 400), base + noise - noise.mean() + 0.001
    prices = [np.full(400, 1.0), rng.normal(2, 0.1, 400), rng.normal(2, 0.1, 400)]
    for other, defined in ((better, True), (same, False)):
        values, costs = [base, other], [prices[0], prices[1 if defined else 2]]
        quality, cost = (np.array([one.mean() for one in rows]) for rows in (values, costs))
        (step,) = cost_steps(quality, cost, draws=(resampled_means(values), resampled_means(costs)))
        assert math.isfinite(step.low) == defined
        assert not defined or step.low < step.per_point < step.high


def test_resampled_means_leave_out_what_is_undefined():
    values = np.array([1.0, nan, 3.0])
    drawn = resampled_means([values, np.ones(3)], resamples=50)
    weights = resample_weights(3, resamples=50)
    expected = [np.nan if not w[[0, 2]].sum() else (w[0] + 3 * w[2]) / (w[0] + w[2]) for w in weights.astype(float)]
    assert drawn[0] == pytest.approx(expected, nan_ok=True)


NAMES = some.text(some.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1, max_size=8)


@given(some.dictionaries(NAMES, some.tuples(*[some.floats(0, 10)] * 3), max_size=4), some.data())
def test_a_price_table_comes_back(entries, data):
    known = list(entries)
    uses = data.draw(some.dictionaries(NAMES, some.lists(some.sampled_from(known), unique=True).map(tuple), max_size=3)
                     ) if known else {}
    table = PriceTable(tuple(Price(name, *numbers) for name, numbers in entries.items()), uses)
    assert read_prices(("prices.toml", write_prices(table).encode())) == table


@pytest.mark.parametrize(("text", "kind"), [
    ("price = 1", "bad-field"), ("[price.a]\nprompt = -1", "bad-price"), ("[price.a]\nprompt = 'x'", "bad-price"),
    ("[price.a]\ncall = nan", "bad-price"), ("[price.a]\ninput = 1", "unknown-field"), ("[prices.a]", "unknown-field"),
    ("[price]\na = 1", "bad-field"), ("[uses]\nr = ['a']", "unknown-price"), ("[uses]\nr = 'a'", "bad-field"),
    ("[price.a", "not-toml"), ("[price.a]\ncall = true", "bad-price"),
    (f"[price.a]\ncall = {10**400}", "not-toml"), (f"uses = [{{a = [-{2**64}]}}]", "not-toml")])
def test_a_wrong_price_table_is_explained(text, kind):
    with pytest.raises(InputError) as error:
        read_prices(("prices.toml", text.encode()))
    assert error.value.problems[0].kind == kind


@pytest.mark.parametrize(("stages", "is_alone"), [
    ([{"retrieval": 5.0}, {"retrieval": 7.0}], True), ([{"retrieval": 5.0, "rerank": 2.0}, {"retrieval": 7.0}], True),
    ([{"retrieval": 5.0, "total": 5.0}, {"retrieval": 7.0, "total": 7.0}], True),
    ([{"retrieval": 5.0, "total": 90.0}, {"retrieval": 7.0, "total": 7.0}], False),
    ([{"retrieval": 5.0, "generation": 1.0}, {"retrieval": 7.0}], False), ([{"total": 5.0}, {"total": 7.0}], False)])
def test_times_of_retrieval_alone_are_called_so(stages, is_alone):
    names = ("retrieval", "rerank", "generation", "total")
    column = pa.array([{name: row.get(name) for name in names} for row in stages],
                      pa.struct([(name, pa.float64()) for name in names]))
    view = timed("a", pa.table({"query_id": ["q1", "q2"], "latency_ms": column}), np.array([0, 1]))
    assert view.is_search_alone == is_alone
    whole = timed("b", pa.table({"query_id": ["q1", "q2"], "latency_ms": [5.0, 7.0]}), np.array([0, 1]))
    searches = "Retrieval and reranking" if "rerank" in view.stages else "Retrieval only"
    for views, title, note in (([view, None], searches if is_alone else "Whole", ""), (
            [view, whole], "Whole", "Retrieval only: a. No time of answers was recorded." if is_alone else "")):
        data = SpeedCostData(SimpleNamespace(names=["a", "b"]), views,
                             [{} if one is None else dict.fromkeys(one.stages) for one in views], [], np.ones(2, bool),
                             [], PriceTable())
        assert (data.stage_titles["total"], data.search_note) == (title, note)


def test_each_run_is_called_by_the_stages_that_it_was_timed_in():
    """A run that was not re-ranked is retrieval only next to one that was."""
    data = SpeedCostData(SimpleNamespace(names=["a", "b"]), [None, None], [dict.fromkeys(["retrieval", "total"]),
                         dict.fromkeys(["retrieval", "rerank", "total"])], [], np.ones(2, bool), [], PriceTable())
    assert [data.search_title([0]), data.search_title([1]), data.search_title()] == [
        "Retrieval only", "Retrieval and reranking", "Retrieval and reranking"]
