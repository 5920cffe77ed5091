"""What fools a judge: a planted dependence is found, and chance is not."""

import numpy as np
import pyarrow as pa
import pytest

from ragdash.analysis.judge_validation import RunVerdicts, error_sources
from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match

IDS = [f"q{i:03}" for i in range(120)]


def judged(values, name="run"):
    return RunVerdicts(name, pa.array(IDS), np.array(values, float))


def match_of(lengths, refusals):
    answers = ["I don't know." if refuses else "x " * int(length // 2)
               for length, refuses in zip(lengths, refusals, strict=True)]
    details = pa.table({"query_id": IDS, "answer": answers, "contexts": [["a"] * (1 + i % 4) for i in range(120)]})
    run = Run.build("run", np.repeat(IDS, 2), ["d0", "d1"] * 120, [2.0, 1.0] * 120, details=details)
    return Match(run, Truth.build("truth", IDS, [f"d{i % 2}" for i in range(120)], [1] * 120))


def test_errors_on_long_answers_are_found_and_nothing_else():
    """The judge errs on 40 % of the long answers and on 5 % of the short ones, whatever else there is."""
    rng = np.random.default_rng(4)
    lengths = rng.permutation(np.arange(120)) * 10 + 40
    wrong = rng.random(120) < np.where(lengths > 635, 0.4, 0.05)
    labels = (rng.random(120) < 0.7) * 1.0
    match = match_of(lengths, rng.random(120) < 0.1)
    lengths = np.array([len(text) for text in match.answered.answers])
    found = error_sources([judged(np.where(wrong, 1 - labels, labels))], [dict(zip(IDS, labels, strict=True))], [match])
    by_factor = {source.factor: source for source in found}
    assert next(iter(by_factor)) == "answer length (characters)" and set(by_factor) == {
        "answer length (characters)", "number of contexts", "rank of the first relevant document", "refusal"}
    first = found[0]
    assert first.corrected == pytest.approx(min(4 * first.p, 1)) and first.corrected < 0.01 and first.queries == 120
    (short, low, few), (long, high, many) = first.groups
    middle = np.median(lengths)
    assert (low, high) == pytest.approx((wrong[lengths <= middle].mean(), wrong[lengths > middle].mean()))
    assert (short, long) == (f"up to {middle:,.0f}", f"above {middle:,.0f}") and few + many == 120
    assert all(source.corrected > 0.05 for source in found[1:])


def test_a_judge_that_errs_on_one_run_alone():
    rng = np.random.default_rng(2)
    labels = (rng.random((2, 120)) < 0.7) * 1.0
    wrong = rng.random((2, 120)) < np.array([[0.05], [0.4]])
    runs = [judged(row, name) for row, name in zip(np.where(wrong, 1 - labels, labels), "ab", strict=True)]
    source, = error_sources(runs, [dict(zip(IDS, row, strict=True)) for row in labels])
    assert source.factor == "run" and source.corrected == source.p < 0.01 and source.queries == 120
    assert [(name, n) for name, _, n in source.groups] == [("a", 120), ("b", 120)]
    assert [error for _, error, _ in source.groups] == pytest.approx(wrong.mean(axis=1))


@pytest.mark.slow
def test_p_values_are_those_of_chance_where_nothing_depends():
    """200 judges that err anywhere: about 5 % of the p-values are below 0.05."""
    rng = np.random.default_rng(9)
    small = 0
    for seed in range(60):
        labels = (rng.random((2, 120)) < 0.7) * 1.0
        wrong = rng.random(120) < 0.3  # of the query, in both runs
        runs = [judged(row, name) for row, name in zip(np.where(wrong, 1 - labels, labels), "ab", strict=True)]
        source, = error_sources(runs, [dict(zip(IDS, row, strict=True)) for row in labels], seed=seed)
        small += source.p < 0.05
    assert small <= 8


def test_few_labels_show_nothing():
    assert error_sources([judged([1.0] * 120)], [dict.fromkeys(IDS[:19], 1.0)]) == ()


@pytest.mark.parametrize("refusals, tested", [(1, False), (4, False), (5, True)])
def test_a_few_answers_of_another_kind_show_no_effect(refusals, tested):
    """The judge is right on these alone: one answer would pass the test among 40, and shows nothing."""
    refuses = np.arange(120) < refusals
    match = match_of(np.full(120, 40), refuses)
    wrong = ~refuses
    found = error_sources([judged(np.where(wrong, 0.0, 1.0))], [dict.fromkeys(IDS, 1.0)], [match])
    assert ("refusal" in {source.factor for source in found}) == tested
