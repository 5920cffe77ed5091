"""The table that compare returns: from dicts and evaluations, as a frame and text, and as assertions."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from speed import quick

import ragdash
from ragdash import Evaluation, InputError, Run, compare, evaluate, read_run, read_truth
from ragdash.core.errors import Unavailable
from ragdash.core.file_scores import FileScores
from ragdash.core.paths import numbered
from ragdash.core.slices import slices
from ragdash.evaluation.compare import compare_slices
from ragdash.evaluation.repeats import mean_over_repeats
from ragdash.reporting import named_pictures

SAMPLES = Path(ragdash.__file__).parents[1] / "sample_runs"
TRUTH = {f"q{i}": ["a"] for i in range(12)}
GOOD, POOR = ({query: documents for query in TRUTH} for documents in (["a", "b"], ["b", "a"]))
MIXED = {query: (["a", "b"] if i % 2 else ["b", "a"]) for i, query in enumerate(TRUTH)}


def test_dicts_give_what_evaluations_give():
    table = compare(POOR, {"good": GOOD, "mixed": MIXED}, "RR P@1", truth=TRUTH)
    evaluations = [evaluate(Run.from_dict(run, name), TRUTH, "RR P@1")
                   for name, run in (("baseline", POOR), ("good", GOOD), ("mixed", MIXED))]
    assert table == compare(evaluations[0], evaluations[1:])
    assert [[comparison.candidate for comparison in row] for row in table] == [["good"] * 2, ["mixed"] * 2]


def test_thousands_of_equal_names_are_numbered_as_quickly_as_others():
    names = quick(lambda: numbered(["sweep", "night (2)", *["night"] * 8_000]), 0.5)
    assert names[:5] == ["sweep", "night (2)", "night", "night (3)", "night (4)"] and len(set(names)) == 8_002


def test_a_list_of_candidates_is_numbered():
    assert [row[0].candidate for row in compare(POOR, [GOOD, MIXED], "RR", truth=TRUTH)] == [
        "candidate 1", "candidate 2"]
    assert compare(POOR, [GOOD], "RR", truth=TRUTH)[0][0].candidate == "candidate"


def test_the_names_of_a_dict_name_its_runs_and_equal_names_get_a_number():
    runs = [Run.from_dict(run, "bm25") for run in (POOR, GOOD, MIXED)]
    for given in (runs, [evaluate(run, TRUTH, "RR") for run in runs]):
        named = compare(given[0], {"best": given[1], "second": given[2]}, "RR", truth=TRUTH)
        assert [(row[0].candidate, row[0].baseline) for row in named] == [("best", "bm25"), ("second", "bm25")]
        assert [evaluation.name for evaluation in named.inputs.evaluations] == ["bm25", "best", "second"]
        numbers = compare(given[0], given[1:], "RR", truth=TRUTH)
        assert [row[0].candidate for row in numbers] == ["bm25 (2)", "bm25 (3)"]
        assert "bm25 (2) - bm25" in numbers.summary() and [run.name for run in given] == ["bm25"] * 3
        assert [row[0].candidate for row in compare(given[0], {"baseline": given[1], "bm25": given[2]}, "RR",
                                                    truth=TRUTH)] == ["baseline", "bm25 (2)"]


def test_notebooks_show_intervals_and_pictures():
    poor, good = (evaluate(Run.from_dict(run, name), TRUTH, "P@1 RR") for name, run in (("<poor>", POOR), ("g", GOOD)))
    html = poor._repr_html_()
    assert "<caption>&lt;poor&gt;</caption>" in html and "<td>MRR</td><td>0.500</td><td>[0.368, 0.632]</td>" in html
    figure = good.plot(poor, metric="RR")
    assert sorted(float(trace.x[0]) for trace in figure.data) == [0.5, 1.0]
    assert {len(poor.plot().data), len(compare(poor, [good], "RR").plot().data)} == {1}
    drawn = compare(poor, [good], "RR P@1").plot()
    assert sorted(float(value) for trace in drawn.data for value in trace.x if np.isfinite(value)) == [0.5, 1.0]
    with pytest.raises(KeyError):
        good.plot(metric="AP")
    with pytest.raises(ValueError, match="nothing"):
        compare(poor, [], "RR").plot()


@pytest.mark.parametrize("picture", sorted({*named_pictures.IN_REPORT, *named_pictures.MAKERS} - {"means"}))
def test_evaluations_over_other_queries_are_not_drawn_in_one_picture(picture):
    mine, other, fewer = (evaluate({query: ["a"] for query in queries}, {query: ["a"] for query in queries}, "RR")
                          for queries in (("q1", "q2"), ("z1", "z2"), ("q1",)))
    for second in (other, fewer):
        with pytest.raises(InputError, match="on other queries"):
            mine.plot(second, picture=picture)


def test_what_was_evaluated_is_pickled_also_with_what_cannot_be_computed(tmp_path):
    """A report asks for metrics that this run cannot have, and what was said of them is kept."""
    evaluation = evaluate(Run.from_dict(POOR, "run"), TRUTH, "RR")
    evaluation.report(tmp_path / "report.html")
    for again in (pickle.loads(pickle.dumps(evaluation)), copy.deepcopy(evaluation)):
        assert again.frame().equals(evaluation.frame())
    error = Unavailable("no-file-metric", {"run": "run", "column": "sas", "names": []}, "file:sas")
    assert pickle.loads(pickle.dumps(error)).problem == copy.copy(error).problem == error.problem


def test_frame_and_summary_hold_the_outcomes():
    table = compare(POOR, {"good": GOOD}, "RR", truth=TRUTH)
    row = table.frame().iloc[0]
    assert (row.candidate, row.baseline, row.metric, row.n, row.outcome, row.wins) == (
        "good", "baseline", "RR", 12, "better", 12)
    assert "RR: good - baseline = +0.5000" in table.summary() and "n = 12" in table.summary()


def test_a_notebook_shows_names_as_text():
    html = compare(POOR, {"<b>good</b>": GOOD}, "RR", truth=TRUTH)._repr_html_()
    assert "&lt;b&gt;good" in html and "0.5000" in html and "<b>good" not in html


def test_a_notebook_shows_a_single_comparison():
    pair = compare(POOR, {"<b>good</b>": GOOD}, "RR", truth=TRUTH)[0][0]
    html = pair._repr_html_()
    assert "<caption>RR: &lt;b&gt;good&lt;/b&gt; - baseline</caption>" in html
    cells = dict(re.findall("<th>(.*?)</th><td>(.*?)</td>", html))
    assert cells == {"difference": "+0.5000", "interval, corrected": f"[{pair.low:+.4f}, {pair.high:+.4f}]",
                     "p, corrected": f"{pair.p_corrected:.3g}", "outcome": "better", "n": "12"}
    nothing = compare({"q0": ["b"]}, [{"q0": ["a"]}], "RR", truth={"q0": []})[0][0]
    assert "<th>difference</th><td>undefined</td>" in nothing._repr_html_()


def test_a_single_comparison_reports_all_runs_with_its_metric_first(tmp_path):
    table = compare(POOR, {"good": GOOD, "mixed": MIXED}, "P@1 RR", truth=TRUTH)
    pair = table[0][1]
    assert str(pair.spec) == "RR"
    page = pair.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "good" in page and "mixed" in page and page.index("MRR") < page.index("Precision@1")
    shown = page.replace("\N{NO-BREAK SPACE}", " ")
    assert f"({pair.mean_difference:+.3f} [{pair.low:+.3f}, {pair.high:+.3f}])" in shown
    with pytest.raises(ValueError, match="nothing was compared"):
        replace(pair, inputs=None).report(tmp_path / "other.html")


def test_an_improvement_is_asserted():
    table = compare(POOR, {"good": GOOD}, "RR", truth=TRUTH)
    table.assert_improved()
    table.assert_improved("RR", margin=0.4)
    with pytest.raises(AssertionError, match=r"good is not significantly better, margin 0\.6"):
        table.assert_improved(margin=0.6)
    with pytest.raises(AssertionError, match="RR: same"):
        compare(POOR, {"same": POOR}, "RR", truth=TRUTH).assert_improved()


def test_a_regression_is_asserted():
    worse = compare(GOOD, {"poor": POOR}, "RR", truth=TRUTH)
    with pytest.raises(AssertionError, match="poor is worse"):
        worse.assert_no_regression()
    worse.assert_no_regression(margin=0.6)
    worse.assert_no_regression(margin=np.float32(0.6))  # as a warning would be an error here
    compare(GOOD, {"same": GOOD}, "RR", truth=TRUTH).assert_no_regression(margin=0.01)
    unclear = compare(GOOD, {"one": GOOD | {"q0": ["b", "a"]}}, "RR", truth=TRUTH)
    unclear.assert_no_regression()
    with pytest.raises(AssertionError, match=r"may be worse, margin 0\.01"):
        unclear.assert_no_regression(margin=0.01)


def test_a_regression_on_one_of_several_metrics_is_corrected_over_them():
    lost = GOOD | {query: ["b", "a"] for query in list(GOOD)[:6]}  # p = 2 / 64 on MRR, none on the others
    table = compare(GOOD, {"lost": lost}, "RR R@2 P@2 Success@2", truth=TRUTH)
    assert table[0][0].outcome == "worse" and table[0][0].p_corrected == pytest.approx(2 / 64)
    with pytest.raises(AssertionError, match="RR: lost"):
        table.assert_no_regression("RR")
    table.assert_no_regression()  # 4 * 2 / 64 is not below 0.05
    with pytest.raises(AssertionError, match="is worse"):
        compare(GOOD, {"poor": POOR}, "RR R@2 P@2 Success@2", truth=TRUTH).assert_no_regression()


def test_too_few_queries_and_unknown_metrics_do_not_pass():
    few = {"q0": ["a"]}
    table = compare({"q0": ["b", "a"]}, {"good": {"q0": ["a"]}}, "RR", truth=few)
    with pytest.raises(AssertionError):
        table.assert_improved()
    with pytest.raises(AssertionError):
        table.assert_no_regression(margin=0.1)
    with pytest.raises(InputError):
        table.assert_improved("nDCG@10")
    with pytest.raises(InputError):
        table.assert_no_regression(margin=-1)
    with pytest.raises(InputError, match="truth"):
        compare(POOR, [GOOD], "RR")


def test_runs_that_are_not_comparable_pass_no_assertion():
    nothing, strangers = {}, {query: ["Z"] for query in TRUTH}
    for run, kind in ((nothing, "missing-queries"), (strangers, "no-common-document"),
                      ({query: [] for query in TRUTH}, "no-common-document")):
        evaluation = evaluate(Run.from_dict(run, "n"), TRUTH, "RR")
        tables = [compare(run, {"n": run}, "RR", truth=TRUTH), compare(evaluation, [evaluation])]
        for table in tables if run in (nothing, strangers) else tables[:1]:  # values do not say that rankings are empty
            assert table.verdict.state == "not-comparable" and kind in {check.kind for check in table.verdict.withheld}
            for check in (lambda table=table: table.assert_no_regression(margin=0.02), table.assert_no_regression,
                          table.assert_improved):
                with pytest.raises(AssertionError, match=rf"not comparable: n .*\({kind}\)"):
                    check()
            assert f"({kind})" in table.summary() and repr(table) == table.summary()
    half = {query: GOOD[query] for query in list(TRUTH)[:6]}
    accepted = compare(half, {"same": half}, "RR", truth=TRUTH, accept=["missing-queries"])
    accepted.assert_no_regression(margin=0.02)
    assert not accepted.verdict.withheld and "not comparable" not in accepted.summary()
    with pytest.raises(AssertionError, match=r"\(missing-queries\)"):
        compare(half, {"same": half}, "RR", truth=TRUTH).assert_no_regression(margin=0.02)
    shallow = compare(GOOD, {"cut": {query: ["a"] for query in TRUTH}}, "RR P@2", truth=TRUTH)
    with pytest.raises(AssertionError, match=r"\(shallow-run\)"):
        shallow.assert_no_regression("P@2", margin=0.6)


def test_the_verdict_names_the_best_run_and_the_baseline():
    verdict = compare(POOR, {"good": GOOD}, "RR", truth=TRUTH).verdict
    assert (verdict.state, verdict.best, verdict.baseline) == ("clear-winner", "good", "baseline")
    assert compare(POOR, [], "RR", truth=TRUTH).verdict.state == "one-run"
    assert repr(compare(POOR, [], "RR", truth=TRUTH)) == "<ComparisonTable: nothing was compared>"


def test_arguments_of_compare_are_explained():
    good, poor = Run.from_dict(GOOD, "good"), Run.from_dict(POOR, "poor")
    assert [row[0].candidate for row in compare(good, poor, "RR", truth=TRUTH)] == ["poor"]
    scores = {query: {"a": 1.0} for query in TRUTH}
    for rankings in (POOR, scores, [{"query_id": "q0", "documents": ["a"]}]):
        with pytest.raises(InputError, match=r'Pass \{"name": rankings\}'):
            compare(GOOD, rankings, "RR", truth=TRUTH)
    with pytest.raises(InputError, match=r"'margn'.*rules=ComparisonRules\(margin=\.\.\.\)"):
        compare(GOOD, [POOR], "RR", truth=TRUTH, margn=0.02)
    with pytest.raises(InputError, match=r"'mising'.*ties"):
        evaluate(GOOD, TRUTH, "RR", mising="skip")
    with pytest.raises(InputError, match="accept"):
        compare(GOOD, [POOR], "RR", truth=TRUTH, accept=["everything"])


def test_every_picture_of_the_pages_and_the_report_can_be_drawn(tmp_path):
    truth = read_truth(SAMPLES / "truth.jsonl")
    runs = [read_run(SAMPLES / f"{name}.jsonl") for name in ("dense", "hybrid")]
    table = compare(runs[0], runs[1:], "RR", truth=truth)
    for name in (*named_pictures.IN_REPORT, *named_pictures.MAKERS):
        assert len(table.plot(name).data), name
    parameters = Evaluation.plot.__doc__.partition("Returns")[0]
    assert set(re.findall(r'"([a-z-]+)"', parameters)) == {*named_pictures.IN_REPORT, *named_pictures.MAKERS}
    alone = evaluate(runs[0], truth, "RR")
    some = alone.only(alone.query_ids.to_pylist()[:30])
    assert some.plot(picture="first-rank").data[0].y.sum() == pytest.approx(1.0)
    html = some.report(tmp_path / "some.html").read_text(encoding="utf-8")
    assert "30 queries" in html and "<title>dense</title>" in html
    text = table.report(tmp_path / "both.html", title="Two <runs>").read_text(encoding="utf-8")
    assert "<title>Two &lt;runs&gt;</title>" in text and "hybrid" in text


def test_a_picture_that_cannot_be_drawn_says_why():
    alone = evaluate(GOOD, TRUTH, "RR")
    for picture, reason in (("scatter", "there is one"), ("latency", "latency_ms"), ("pie", "expected one of answers")):
        with pytest.raises(InputError, match=reason):
            alone.plot(picture=picture)
    repeats = mean_over_repeats([alone, evaluate(POOR, TRUTH, "RR")])
    with pytest.raises(InputError, match="Pass the runs and the ground truth"):
        repeats.report("never.html")
    with pytest.raises(ValueError, match="nothing"):
        compare(POOR, [], "RR", truth=TRUTH).report("never.html")


def test_slices_by_attribute_and_by_the_labels_of_a_run():
    rows = b"query_id,relevant,kind\n" + b"".join(b"q%d,a,%s\n" % (i, b"hard" if i < 5 else b"easy") for i in range(12))
    truth = read_truth(("truth.csv", rows))
    labels = FileScores.build([(f"q{i}", "poor", "verdict", "Correct" if i < 3 else "Refusal") for i in range(12)])
    runs = [Run.from_dict(POOR, "poor").with_file_scores(labels), Run.from_dict(MIXED, "mixed")]
    table = compare(runs[0], [runs[1]], "RR P@1", truth=truth)
    expected = compare_slices(evaluate(runs[0], truth, "P@1"), [evaluate(runs[1], truth, "P@1")],
                              table.inputs.specs[1], slices(truth)["kind"])
    frame = table.by_slice("kind", "P@1")
    assert frame["slice"].tolist() == ["easy", "hard"] and frame["n"].tolist() == [7, 5]
    assert frame["difference"].tolist() == [row[0].mean_difference for row in expected] == [4 / 7, 2 / 5]
    assert frame["low"].tolist() == [row[0].low for row in expected]
    by_label = table.by_slice("verdict of poor")
    assert by_label["slice"].tolist() == ["Refusal", "Correct"] and by_label["n"].tolist() == [9, 3]
    assert by_label["difference"].tolist() == pytest.approx([5 / 9 * 0.5, 1 / 3 * 0.5])
    with pytest.raises(InputError, match=r"label 'kinds' with several values; expected one of kind, verdict of poor"):
        table.by_slice("kinds")
    with pytest.raises(ValueError, match="nothing was compared with a ground truth"):
        compare(evaluate(runs[0], truth, "RR"), [evaluate(runs[1], truth, "RR")]).by_slice("kind")
