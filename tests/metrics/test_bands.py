"""Bands are half-open and tile the range; an interval says where a run stands; files say what is wrong with them."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdash.core.errors import InputError
from ragdash.evaluation.bands.toml_file import read_bands, write_bands
from ragdash.metrics import METRICS, parse_spec
from ragdash.metrics.bands import (
    BANDS,
    Band,
    Bands,
    Target,
    bands_of,
    missing_bands_reason,
    place_in_bands,
    tables_for,
    target_outcome,
    unseen_share,
)

DOCUMENT = Path(__file__).parents[2] / "docs" / "guide" / "threshold-bands.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
EXAMPLES = [block for block in BLOCKS if "bands" in block]  # the others are prices
NAN = math.nan
(RR,) = bands_of("RR")


def read(text: str) -> tuple[Bands, ...]:
    return read_bands(("bands.toml", text.encode()))


def table(bands: str, metric: str = "R@10", source: str = "us") -> str:
    return f'[[table]]\nmetric = "{metric}"\nsource = "{source}"\nbands = [{bands}]\n'


def kinds(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text)
    return sorted(problem.kind for problem in caught.value.problems)


@pytest.mark.parametrize("table", BANDS, ids=lambda table: f"{table.spec}: {table.source}")
def test_every_value_of_the_range_has_one_label(table):
    for value in [i / 1000 for i in range(1001)]:
        assert table.label(value) is not None


@pytest.mark.parametrize("value, label", [(0, "poor"), (0.2999, "poor"), (0.3, "fair"), (0.4392, "fair"),
                                          (0.5, "moderate"), (0.895, "good"), (0.9, "excellent"), (1.0, "excellent")])
def test_the_published_mrr_bands_without_their_holes(value, label):
    assert RR.label(value) == label


@pytest.mark.parametrize("metric, k, edges", [
    ("RR", None, (0, 0.3, 0.5, 0.7, 0.9, 1)), ("R", 10, (0, 0.3, 0.5, 0.7, 0.9, 1)), ("R", 10, (0, 0.7, 0.85, 0.95, 1)),
    ("TokenF1", None, (0, 0.2, 0.4, 0.6, 0.8, 1)), ("Faithfulness", None, (0, 0.8, 0.9, 0.98, 1)),
    ("AnswerRelevanceJudged", None, (0, 0.7, 0.85, 0.95, 1)), ("ContextRelevance", None, (0, 0.6, 0.8, 0.9, 1))])
def test_the_published_edges(metric, k, edges):
    assert edges in [table.edges for table in bands_of(metric) if table.k == k]


def test_two_sources_disagree_and_both_are_kept():
    assert {table.label(0.6) for table in bands_of("R")} == {"moderate", "below the minimum"}


def test_undefined_and_impossible_values_have_no_label():
    assert RR.label(NAN) is None
    assert RR.label(1.1) is None
    assert RR.label(-0.1) is None


def test_an_edge_missed_by_rounding_is_reached():
    assert sum([0.1] * 9) < 0.9
    assert RR.label(sum([0.1] * 9)) == "excellent"
    assert RR.label(1.0000000000000002) == "excellent"
    assert RR.label(0.69999) == "moderate"


def test_bands_that_are_none_say_everything_that_is_wrong():
    with pytest.raises(InputError) as caught:
        Bands("RR", None, " ", (Band("good", 0.5), Band("poor", 0.0), Band("poor", NAN)))
    kinds = sorted(problem.kind for problem in caught.value.problems)
    assert kinds == ["nan-edge", "no-source", "not-ascending", "repeated-label"]
    for bands, high, kind in (((), 1.0, "no-band"), ((Band("a", 0.0),), NAN, "top-edge"),
                              ((Band("a", 0.0), Band("b", 1.0)), 1.0, "top-edge"), ((Band("", 0),), 1.0, "no-label"),
                              ((Band("a", 0.2), Band("b", 0.2)), 1.0, "not-ascending")):
        with pytest.raises(InputError) as caught:
            Bands("RR", None, "nobody", bands, high)
        assert [problem.kind for problem in caught.value.problems] == [kind]


@pytest.mark.parametrize("spec, count", [("R@10", 2), ("R@5", 0), ("R", 0), ("R(rel=2)@10", 0), ("RR", 1), ("RR@10", 1),
                                         ("RR(rel=2)", 0), ("P@10", 0)])
def test_a_table_holds_for_its_metric_cutoff_and_parameters_alone(spec, count):
    assert len(tables_for(parse_spec(spec))) == count
    assert (missing_bands_reason(parse_spec(spec)) is None) == (count > 0)


def test_what_is_stated_for_another_cutoff_is_said_and_not_applied():
    assert missing_bands_reason(parse_spec("R@5")) == "Bands are stated for Recall@10, not for Recall@5."
    assert missing_bands_reason(parse_spec("P@5")) == "", "the page says so once, above all such metrics"


@pytest.mark.parametrize("mean, low, high, words, straddles", [
    (0.6, 0.55, 0.65, "moderate", False),
    (0.6, 0.45, 0.65, "between fair and moderate", True),
    (0.6, 0.45, 0.75, "between fair and good", True),
    (0.6, 0.55, 0.7, "between moderate and good", True),
    (0.7, 0.7, 0.7, "good", False),
    (0.95, 0.91, 1.04, "excellent", False),
    (0.02, -0.01, 0.05, "poor", False),
    (0.6, NAN, NAN, "moderate (no interval)", False),
    (NAN, NAN, NAN, None, False),
    (NAN, 0.1, 0.2, None, False),
    (1.2, 0.1, 0.2, None, False),
])
def test_the_interval_says_where_a_mean_stands(mean, low, high, words, straddles):
    placement = place_in_bands(RR, mean, low, high)
    assert placement.words() == words
    assert placement.straddles is straddles
    assert placement.label == RR.label(mean)


@pytest.mark.parametrize("mean, n, words", [
    (1.0, 6, "between moderate and excellent"),  # 6 of 6 cannot exclude 0.541
    (1.0, 110, "excellent"),
    (0.0, 3, "between poor and good"),  # 0 of 3 cannot exclude 0.708
    (0.6, 200, "moderate"),
    (1.0, 0, "excellent"),
])
def test_equal_values_of_few_queries_do_not_settle_a_band(mean, n, words):
    assert place_in_bands(RR, mean, mean, mean, n).words() == words


def test_the_share_that_can_differ_is_the_exact_binomial_bound():
    for n in (1, 6, 50):
        assert math.isclose((1 - unseen_share(n)) ** n, 0.025)


@given(st.tuples(*[st.floats(-0.2, 1.2)] * 3).map(sorted))
def test_an_interval_straddles_just_if_an_edge_lies_in_it(ends):
    low, mean, high = ends
    if not 0 <= mean <= 1 or min(abs(end - edge) for end in ends for edge in RR.edges) < 1e-6:
        return
    assert place_in_bands(RR, mean, low, high).straddles == any(low < edge < high for edge in RR.edges[1:-1])


@pytest.mark.parametrize("metric, value, mean, low, high, verdict", [
    ("RR", 0.5, 0.6, 0.55, 0.65, "pass"),
    ("RR", 0.5, 0.6, 0.5, 0.65, "pass"),
    ("RR", 0.5, 0.6, 0.45, 0.65, "undecided"),
    ("RR", 0.5, 0.4, 0.35, 0.5, "undecided"),
    ("RR", 0.5, 0.4, 0.35, 0.45, "fail"),
    ("MeanRank", 3, 2, 1.5, 2.5, "pass"),
    ("MeanRank", 3, 2, 1.5, 3, "pass"),
    ("MeanRank", 3, 2, 1.5, 3.5, "undecided"),
    ("MeanRank", 3, 4, 3.5, 4.5, "fail"),
    ("RR", 0.5, NAN, NAN, NAN, "undecided"),
    ("RR", 0.5, 0.9, NAN, NAN, "undecided"),
    ("RR", 0.9, sum([0.1] * 9), sum([0.1] * 9), 0.9, "pass"),
])
def test_a_target_is_judged_by_the_interval(metric, value, mean, low, high, verdict):
    target = Target(parse_spec(metric), value)
    assert target_outcome(target, mean, low, high, METRICS[metric].better) == verdict


@pytest.mark.parametrize(("metric", "value", "mean", "n", "verdict"), [
    ("RR", 0.9, 1.0, 6, "undecided"), ("RR", 0.5, 1.0, 6, "pass"), ("RR", 0.9, 1.0, 60, "pass"),
    ("RR", 0.3, 0.0, 6, "undecided"), ("RR", 0.3, 0.0, 60, "fail"), ("MeanRank", 1.5, 1.0, 6, "pass")])
def test_a_target_allows_for_unseen_queries_where_all_have_one_value(metric, value, mean, n, verdict):
    target = Target(parse_spec(metric), value)
    assert target_outcome(target, mean, mean, mean, METRICS[metric].better, n) == verdict


@pytest.mark.parametrize("value", [NAN, 45, -0.1, math.inf])
def test_a_target_outside_the_range_is_refused(value):
    with pytest.raises(InputError, match="from 0 to 1"):
        Target(parse_spec("RR"), value)


def test_a_target_without_a_better_direction_is_refused():
    with pytest.raises(InputError, match="neither direction"):
        target_outcome(Target(parse_spec("n_ret"), 5), 4, 3, 5, METRICS["n_ret"].better)


def test_the_examples_of_the_document_are_read():
    example, built_in = map(read, EXAMPLES)
    assert built_in == BANDS
    assert [(table.spec, len(table.bands), table.high) for table in example] == [
        ("nDCG@10", 3, 1), ("P", 2, 1), ("MeanRank", 3, math.inf)]


def test_what_is_written_is_read_back():
    odd = Bands("AQWV", 5, 'a "quoted" \\ source\n\x7f\t', (Band("küche ☕", -20.0), Band("b", 1e-7)), 1.0,
                (("beta", 20.0),))
    tables = (*BANDS, odd, Bands("MeanRank", None, "us", (Band("good", 1), Band("bad", 4.5)), math.inf))
    assert read(write_bands(tables)) == tables


def test_a_file_is_read_by_its_path(tmp_path):
    path = tmp_path / "bands.toml"
    path.write_text(table('{label = "a", low = 0, high = 0.5}, {label = "b", low = 0.5}', "Recall@10"))
    assert read_bands(path) == read_bands(str(path)) == (Bands("R", 10, "us", (Band("a", 0), Band("b", 0.5))),)
    with pytest.raises(InputError, match=r"elsewhere\.toml"):
        read_bands(tmp_path / "elsewhere.toml")


A, B = '{label = "a", low = 0}', '{label = "b", low = 0.5}'
WRONG = [
    ("nan edge", table('{label = "a", low = 0}, {label = "b", low = nan}'), ["nan-edge"]),
    ("nan upper edge", table('{label = "a", low = 0, high = nan}, {label = "b", low = 0.5}'), ["nan-edge"]),
    ("infinite edge", table('{label = "a", low = 0}, {label = "b", low = inf}'),
     ["band-range", "nan-edge", "top-edge"]),
    ("overlap", table('{label = "a", low = 0, high = 0.6}, {label = "b", low = 0.5}'), ["band-overlap"]),
    ("gap", table('{label = "a", low = 0, high = 0.49}, {label = "b", low = 0.5}'), ["band-gap"]),
    ("gap below", table('{label = "a", low = 0.1}, {label = "b", low = 0.5}'), ["band-gap"]),
    ("gap above", table('{label = "a", low = 0}, {label = "b", low = 0.5, high = 0.99}'), ["band-gap"]),
    ("gap above, open range", table('{label = "a", low = 1, high = 50}', "MeanRank"), ["band-gap"]),
    ("not ascending", table(f"{B}, {A}"), ["band-gap", "not-ascending"]),
    ("equal", table(f'{A}, {{label = "b", low = 0}}'), ["not-ascending"]),
    ("percentages", table('{label = "a", low = 0}, {label = "b", low = 70}'), ["band-range", "top-edge"]),
    ("top below the last", table('{label = "a", low = 0}, {label = "b", low = 0.5, high = 0.4}'),
     ["band-gap", "top-edge"]),
    ("unknown metric", table(A, "Recal@10"), ["unknown-metric"]),
    ("unknown cutoff", table(A, "R@0"), ["metric-cutoff"]),
    ("unknown parameter", table(A, "R(x=1)@5"), ["metric-parameter"]),
    ("a cutoff where there is none", table(A, "Faithfulness@3"), ["metric-cutoff"]),
    ("no source", f'[[table]]\nmetric = "RR"\nbands = [{A}]', ["no-source"]),
    ("empty source", table(A, source="  "), ["no-source"]),
    ("no metric", f'[[table]]\nsource = "us"\nbands = [{A}]', ["missing-field"]),
    ("no bands", '[[table]]\nmetric = "RR"\nsource = "us"', ["missing-field"]),
    ("empty bands", table(""), ["no-band"]),
    ("more bands than a picture shows", table(", ".join(
        f'{{label = "b{i}", low = {i / 51}}}' for i in range(51))), ["many-bands"]),
    ("bands of another kind", table("0.1, 0.5"), ["bad-field", "bad-field"]),
    ("texts for numbers", table('{label = "a", low = "0"}, {label = "b", low = true}'), ["bad-field", "bad-field"]),
    ("numbers for texts", "[[table]]\nmetric = 1\nsource = 2\nbands = [{label = 3, low = 0}]", ["bad-field"] * 3),
    ("without low and label", table('{label = "a"}, {low = 0.5}'), ["missing-field", "missing-field"]),
    ("misspelt fields", f'[[table]]\nmetric = "RR"\nsorce = "us"\nbands = [{A[:-1]}, hihg = 1}}]',
     ["no-source", "unknown-field", "unknown-field"]),
    ("label twice", table(f'{A}, {{label = "a", low = 0.5}}'), ["repeated-label"]),
    ("no label", table('{label = "", low = 0}'), ["no-label"]),
    ("table twice", table(A) + table(B.replace("0.5", "0")), ["repeated-table"]),
    ("two tables, all told", table('{label = "a", low = nan}', "Recal@10", " ") + table('{label = "a", low = 0.1}'),
     ["band-gap", "nan-edge", "no-source", "unknown-metric"]),
    ("no table", 'title = "x"', ["no-table"]),
    ("a single table", '[table]\nmetric = "RR"', ["no-table"]),
    ("more than tables", 'title = "x"\n' + table(A), ["unknown-field"]),
    ("not TOML", "[[table]]\nmetric = R@10", ["not-toml"]),
    ("longer than any", table(A) + "#" * 2_000_000, ["not-toml"]),
    ("empty", "", ["empty-file"]),
]


@pytest.mark.parametrize("text, expected", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_file_that_is_wrong_says_all_that_is(text, expected):
    assert kinds(text) == expected


def test_a_problem_names_the_file_the_line_the_field_and_the_fix():
    with pytest.raises(InputError) as caught:
        read("# ours\n\n" + table(A) + "\n" + table('{label = "a", low = 0, high = 0.4}, ' + B, "RR"))
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.field, problem.kind) == ("bands.toml", 8, "high", "band-gap")
    assert "'a' up to 0.4 and 'b' from 0.5" in problem.actual
    assert problem.expected and problem.fix
    with pytest.raises(InputError) as caught:
        read("[[table]]\nmetric = R@10")
    assert caught.value.problems[0].line == 2


def test_bytes_that_are_not_text_are_told():
    with pytest.raises(InputError, match="UTF-8"):
        read_bands(("bands.toml", b'title = "caf\xe9"'))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    for source in (text, table(A, text), table(A, source=text), table(text)):
        try:
            read_bands(("bands.toml", source.encode(errors="replace")))
        except InputError as error:
            assert error.problems
