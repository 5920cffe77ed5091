"""Judge against people: agreement by hand, votes, families, sheets out and back, labels kept."""

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers import problems_of, run_of, truth_of
from models.judge.scripted import case
from scipy.stats import binomtest

from ragdash.analysis.judge_validation import (
    LabelStore,
    RunVerdicts,
    agreement,
    assign_labels,
    corrected_difference,
    families,
    labeling_sheet,
    read_labels,
    read_verdicts,
    same_family,
    sample_queries,
    validate_judge,
    verdicts_of,
    vote_spread,
)
from ragdash.analysis.judge_validation.estimates import HardlyChecked
from ragdash.core.errors import InputError
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match
from ragdash.reporting.tables.judge_validation import label_sheet_bytes, render_judge_validation, shown_mean


def judged(values, name="run", **facts) -> RunVerdicts:
    return RunVerdicts(name, pa.array([f"q{i}" for i in range(len(values))]), np.array(values, float), "Faithfulness",
                    **facts)


def problems(call) -> list:
    return [(problem.kind, problem.line) for problem in problems_of(call)]


def test_kappa_by_hand():
    """Cohen's textbook case: 20 both yes, 15 both no, 5 yes by the person alone, 10 by the judge alone: 0.4."""
    labels, verdicts = np.array([1.0] * 25 + [0.0] * 25), np.array([1.0] * 20 + [0.0] * 5 + [1.0] * 10 + [0.0] * 15)
    found = agreement(verdicts, labels)
    assert (found.n, found.accuracy, found.classes) == (50, 0.7, ("no", "yes"))
    assert found.kappa == pytest.approx((0.7 - (25 * 30 + 25 * 20) / 2500) / (1 - 0.5)) == pytest.approx(0.4)
    assert found.confusion.tolist() == [[15, 10], [5, 20]]
    assert found.bias == pytest.approx(0.1) and found.apart == pytest.approx(0.3)


def test_kappa_of_grades():
    """7 of 10 agree, 0.33 are expected to by the margins (3, 3, 4) and (3, 4, 3): 37 / 67."""
    labels, verdicts = np.array([0, 0, 1, 2, 2, 2, 1, 0, 1, 2]) / 2, np.array([0, 1, 1, 2, 2, 1, 1, 0, 0, 2]) / 2
    found = agreement(verdicts, labels, cut=None)
    assert found.classes == ("0", "0.5", "1") and found.confusion.tolist() == [[2, 1, 0], [1, 2, 0], [0, 1, 3]]
    assert found.kappa == pytest.approx(37 / 67)
    ends = binomtest(7, 10).proportion_ci(0.95, "exact")
    assert (found.kappa_low, found.kappa_high) == pytest.approx([(end - 0.33) / 0.67 for end in ends])


@pytest.mark.parametrize("n", [5, 20, 100])
@pytest.mark.parametrize("shares", [(0.45, 0.05, 0.05, 0.45), (0.80, 0.05, 0.05, 0.10), (0.60, 0.01, 0.01, 0.38),
                                    (0.64, 0.16, 0.16, 0.04)])
def test_the_interval_of_kappa_covers_it(shares, n):
    """Labels and verdicts are drawn from (both no, only the verdict yes, only the label yes, both yes)."""
    none, verdict, label, both = shares
    expected = (none + verdict) * (none + label) + (both + verdict) * (both + label)
    kappa = (none + both - expected) / (1 - expected)
    drawn = np.random.default_rng(n).choice(4, (600, n), p=shares)
    found = [agreement(cells % 2 * 1.0, (cells >= 2) * 1.0) for cells in drawn]
    covered = [one.kappa_low <= kappa <= one.kappa_high for one in found if not math.isnan(one.kappa)]
    assert np.mean(covered) >= 0.93


@pytest.mark.parametrize(("agreed", "n"), [(20, 20), (53, 60), (0, 5)])
def test_the_share_of_agreement_has_an_exact_interval_at_its_edges_too(agreed, n):
    labels = np.array([1.0] * agreed + [0.0] * (n - agreed))
    found = agreement(np.ones(n), labels)
    wanted = binomtest(agreed, n).proportion_ci(0.95, "exact")
    assert (found.accuracy_low, found.accuracy_high) == pytest.approx((wanted.low, wanted.high))
    few_groups = agreement(np.ones(n), labels, groups=np.arange(n) % 3)
    assert math.isnan(few_groups.accuracy_low), "three groups of queries are too few"


def test_kappa_is_undefined_where_nothing_differs():
    assert math.isnan(agreement(np.ones(30), np.ones(30)).kappa)
    assert agreement(np.ones(30), np.array([1.0, 0.0] * 15)).kappa == 0
    assert math.isnan(agreement(np.zeros(0), np.zeros(0)).accuracy)


def test_votes_by_hand():
    """(3 yes), (2 yes, 1 no), (3 no), one vote alone: P = (1 + 1/3 + 1) / 3, P_e = (25 + 16) / 81, kappa = 0.55."""
    found = vote_spread(np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, np.nan, np.nan]]))
    assert (found.n, found.unanimous, found.alike) == (3, pytest.approx(2 / 3), pytest.approx(7 / 9))
    assert found.kappa == pytest.approx(0.55) and found.spread == pytest.approx(math.sqrt(1 / 3) / 3)
    assert vote_spread(np.ones((4, 1))).n == 0 and math.isnan(vote_spread(np.ones((4, 2))).kappa)


@pytest.mark.parametrize(("model", "wanted"), [
    ("openai/gpt-4o-mini", {"OpenAI"}), ("DeepSeek-R1-Distill-Qwen-7B", {"DeepSeek", "Qwen"}), ("o3-mini", {"OpenAI"}),
    ("ollama/mistral", {"Mistral"}), ("meta.llama3-70b", {"Meta Llama"}), ("eleutherai/gpt-neo", set()), ("", set())])
def test_families(model, wanted):
    assert families(model) == wanted


def test_a_model_is_of_its_own_family():
    assert same_family("House-1", "house-1") == {"House-1"} and not same_family("", "") and not same_family(
        "claude-3", "gpt-4o")


def test_trust_says_what_stands_behind_a_mean():
    values = [1.0] * 60 + [0.0] * 39 + [np.nan]
    labels = {f"q{i}": float(i % 3 > 0) for i in (*range(0, 30), 99, 1000)}
    found = validate_judge(
        judged(values, reasons={"q99": "truncated"}, judge="gpt-4o", generator="gpt-4.1-mini"), labels
    )
    assert (found.judge.n, found.labels.n, found.corrected.n, found.rest) == (99, 31, 30, 69)
    assert found.judge.mean == pytest.approx(60 / 99) and math.isnan(found.judge.low)
    assert found.labels.low == pytest.approx(binomtest(20, 31).proportion_ci(0.95, method="exact").low)
    assert found.corrected.low < found.corrected.mean < found.corrected.high
    assert found.corrected.weight == 0 and found.headline == "labels"
    assert found.missing == {"truncated": 1} and found.without_verdict == 1
    assert [one.query_id for one in found.disagreements] == [f"q{i}" for i in range(0, 30, 3)]
    assert found.agreement.accuracy == pytest.approx(2 / 3)
    assert [one.kind for one in found.problems] == ["extra-labels", "labels-without-verdict", "judge-of-chance",
                                                    "same-family", "no-gain"]


def test_a_corrected_difference_of_one_label_is_a_dash_and_not_0():
    """From one query labeled in both runs nothing is known, and 0.000 would look like a result."""
    one, two = judged([1.0, 0.0] * 20), judged([1.0, 0.0] * 20, name="other")
    labels = {"q0": 1.0}
    difference = corrected_difference(one, two, labels, labels)
    assert difference.corrected.mean == 0 and math.isnan(difference.corrected.low)
    header, _, *rows = render_judge_validation([validate_judge(one, labels)], [difference], "table").decode(
        ).splitlines()[:4]
    at = header.index("corrected")
    assert [row[at:].split()[0] for row in rows] == ["–", "–"]
    assert math.isnan(shown_mean(difference.corrected)) and shown_mean(replace(difference.corrected, low=-1.0)) == 0


def test_a_kappa_below_0_has_a_true_minus_sign():
    found = validate_judge(judged([1.0, 0.0] * 20), {f"q{i}": float(i % 2) for i in range(30)}).problems
    assert [one.actual.partition(" on ")[0] for one in found if one.kind == "judge-of-chance"] == [
        "agreement beyond chance (kappa) of −1.00"]


@pytest.mark.parametrize(("values", "labels", "kind"), [
    ([1.0, 0.0] * 30, {}, "no-labels"), ([1.0, 0.0] * 30, {f"q{i}": 1.0 for i in range(19)}, "few-labels"),
    ([1.0, 0.0] * 15, {f"q{i}": 1.0 for i in range(30)}, "all-labeled"), ([1.0] * 60, {}, "constant-judge")])
def test_what_keeps_an_interval_from_being(values, labels, kind):
    found = validate_judge(judged(values), labels)
    assert kind in [one.kind for one in found.problems] and math.isnan(found.corrected.low)


def test_the_difference_of_two_runs_is_of_pairs():
    rng = np.random.default_rng(2)
    first, second = (rng.random((2, 200)) < 0.6) * 1.0
    second[7] = np.nan
    a, b = judged(first, "a"), judged(second[::-1], "b")
    b = RunVerdicts("b", b.query_ids.take(pa.array(range(199, -1, -1))), b.values, b.what)  # another order
    labels = [{f"q{i}": float(rng.random() < 0.6) for i in range(n)} for n in (40, 50)]
    found = corrected_difference(a, b, *labels)
    assert (found.judge.n, found.labels.n, found.corrected.n, found.rest, found.left_out) == (199, 40, 39, 160, 1)
    keep = ~np.isnan(second)
    assert found.judge.mean == pytest.approx((second - first)[keep].mean())
    assert found.labels.mean == pytest.approx(np.mean([labels[1][f"q{i}"] - labels[0][f"q{i}"] for i in range(40)]))
    assert found.corrected.low < found.corrected.mean < found.corrected.high


def test_labels_that_do_not_differ_have_an_interval_all_the_same():
    """20 pairs labeled alike do not show that all others are: the interval is not of no width."""
    rng = np.random.default_rng(1)
    base, other = judged(rng.random(200), "base"), judged(rng.random(200), "other")
    same = {f"q{i}": float(i % 2) for i in range(20)}
    found = corrected_difference(base, other, same, same)
    assert (found.labels.mean, found.labels.n) == (0, 20) and found.labels.low < -0.05 < 0.05 < found.labels.high
    assert [one.kind for one in found.problems] == ["no-gain"] and found.headline == "labels"
    graded = validate_judge(base, dict.fromkeys(same, 0.75))
    assert graded.labels.mean == 0.75 and graded.labels.low < 0.75 < graded.labels.high
    shares = validate_judge(base, dict.fromkeys(same, 1.0))
    assert shares.labels.low == pytest.approx(0.025**(1 / 20)) and shares.labels.high == 1  # Clopper and Pearson's


def test_a_judge_is_compared_with_a_constant_answer():
    """Of 40 labels 32 are yes; the judge agrees on 30 of them and on 1 of the others."""
    labels = {f"q{i}": float(i < 32) for i in range(40)}
    found = validate_judge(judged([1.0] * 30 + [0.0] * 2 + [0.0] * 1 + [1.0] * 7 + [1.0, 0.0] * 30), labels)
    agreed = found.agreement
    assert (agreed.accuracy, agreed.constant, agreed.constant_class) == (31 / 40, 32 / 40, "yes")
    assert agreed.adds_nothing
    problem, = (problem for problem in found.problems if problem.kind == "judge-below-constant")
    assert problem.actual == "78% agreement on 40 labels of 'run'; always “yes” would agree in 80%"
    better = validate_judge(judged([1.0] * 32 + [0.0] * 8 + [1.0, 0.0] * 30), labels)
    assert not better.agreement.adds_nothing and better.headline == "corrected" and not better.problems


def test_queries_of_one_document_count_as_a_group():
    """Each of 20 documents has 3 questions that share label and verdict: 60 labels say as much as 20."""
    values = [float(i % 30 < 20) for i in range(300)]
    verdicts, labels = judged(values), {f"q{i}": float(values[i] if i % 7 else 1 - values[i]) for i in range(60)}
    groups = {f"q{i}": f"d{i // 3}" for i in range(300)}
    free, grouped = validate_judge(verdicts, labels), validate_judge(verdicts, labels, groups=groups)
    assert (free.groups, grouped.groups) == (None, 20) and grouped.corrected.mean == free.corrected.mean
    assert grouped.corrected.low < free.corrected.low and grouped.labels.low < free.labels.low
    few = validate_judge(verdicts, labels, groups={f"q{i}": f"d{i // 10}" for i in range(300)})
    assert [problem.kind for problem in few.problems] == ["few-groups"] and math.isnan(few.corrected.low)
    pair = corrected_difference(verdicts, judged(values[::-1], "b"), labels, labels, groups=groups)
    assert pair.groups == 20


def test_verdicts_of_a_metric_and_of_nothing_else():
    truth = truth_of({"q1": {"a": 1}, "q2": {"b": 1}})
    found = evaluate(run_of({"q1": ["a"], "q2": ["x"]}), truth, "RR MeanRank n_rel")
    assert verdicts_of(found, "RR").values.tolist() == [1, 0] and verdicts_of(found, "RR").run == found.digest
    assert problems(lambda: judged([0.5, 1.5])) == [("verdict-range", None)]
    with pytest.raises(InputError):
        verdicts_of(evaluate(run_of({"q1": ["a"]}), truth, "R(average='micro')@1"), "R(average='micro')@1")


def test_a_draw_is_seeded_and_a_larger_one_adds():
    every = judged([1.0] * 50 + [np.nan] * 50)
    small, large = sample_queries([every], 10), sample_queries([every], 20)
    assert (
        large[:10] == small
        and sample_queries([every], 10, seed=1) != small
        and len(set(sample_queries([every], 99))) == 50
    )
    assert all(int(query[1:]) < 50 for query in large) and large != sorted(large)
    assert problems(lambda: sample_queries([judged([np.nan])], 5)) == [("nothing-to-label", None)]


def test_the_order_of_a_sheet_stays_when_verdicts_come_in():
    values = np.ones(50)
    values[::3] = np.nan
    early, late = sample_queries([judged(values)], 99), sample_queries([judged(np.ones(50))], 99)
    assert [query for query in late if query in early] == early and len(early) == 33
    assert sample_queries([judged(np.ones(50)), judged(values)], 99) == early


def test_every_query_is_drawn_as_often():
    every = judged([1.0] * 20)
    times = np.bincount([int(query[1:]) for seed in range(2000) for query in sample_queries([every], 5, seed=seed)])
    assert abs(times - 500).max() < 100  # five standard deviations


def test_a_sheet_goes_out_and_comes_back():
    ids = ["=1+1", "b,c", 'd"e', "007"]
    one = RunVerdicts("run", pa.array(ids), np.ones(4))
    table = labeling_sheet([one], ids)
    assert table.column_names[:3] == ["query_id", "run", "label"] and "value" not in table.column_names
    rows = list(csv.DictReader(io.StringIO(label_sheet_bytes(table, "csv").decode())))
    assert rows[0]["query_id"] == "'=1+1"
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], delimiter=";")
    writer.writeheader()
    writer.writerows({**row, "label": label} for row, label in zip(rows, ("1", "0,5", "yes", ""), strict=True))
    found, told = read_labels(b"\xef\xbb\xbf" + out.getvalue().encode(), "sheet.csv", {"run": ids})
    assert found == {"run": {"=1+1": 1.0, "b,c": 0.5, 'd"e': 1.0}} and [one.kind for one in told] == ["open-rows"]


def test_a_sheet_shows_references_where_the_judge_sees_them_and_that_there_is_no_answer():
    rows = {"q1": {"question": "Who?", "answer": "Ada", "references": ["Ada L."], "contexts": ["Ada"]},
            "q2": {"question": "When?", "answer": "No idea.", "references": [""], "contexts": ["Ada"]}}
    run, truth = case(rows)
    sheets = [labeling_sheet([RunVerdicts("run", pa.array(["q1", "q2"]), np.ones(2), what=name)], ["q1", "q2"],
                              [Match(run, truth)]) for name in ("Correctness", "Faithfulness", "SupportCoverage")]
    assert [sheet["references"].to_pylist() for sheet in sheets] == [
        [["Ada L."], ["The question has no answer in the documents."]], [None, None], [None, None]]
    assert all(sheet["contexts"].to_pylist() == [["Ada"], ["Ada"]] for sheet in sheets)


def test_every_problem_of_a_sheet_is_named():
    content = (b"query_id,run,label\nq1,run,1\nq2,run,maybe\nq3,run,2\nq9,run,1\nq1,other,1\nq1,run,0\n"
               b'q2,run,"-0.1\n"\nq3,run,\nq3,run,1\n')
    assert problems(lambda: read_labels(content, "s.csv", {"run": {"q1", "q2", "q3"}})) == [
        ("bad-value", 3), ("bad-value", 4), ("bad-value", 8), ("unknown-query", 5), ("unknown-run", 6),
        ("two-labels", 7), ("skipped-rows", None)]
    assert problems(lambda: read_labels(b"a,b\n1,2\n", "s.csv")) == [("missing-column", None)] * 2
    assert problems(lambda: read_labels(b"query_id,label\nq1,\n", "s.csv")) == [
        ("no-labels", None), ("open-rows", None)]
    assert problems(lambda: read_labels(b"\xff\xfe", "s.csv")) == [("bad-encoding", None)]
    assert problems(lambda: read_labels(b'{"query_id": "a", "label": 1}\n{"query\n[1]\n', "s.jsonl")) == [
        ("bad-json", 2), ("bad-json", 3)]


def test_rows_with_a_run_and_rows_without_one_are_put_together():
    """Rows without a run are those of the only run; none of its labels is lost, and two that differ are told."""
    content = b"run,query_id,label\nrun,q0,1\n,q1,0\nrun,q2,1\n"
    found, _ = read_labels(content, "sheet.csv")
    assert assign_labels(found, [judged([1, 1, 1])]) == {"run": {"q0": 1, "q1": 0, "q2": 1}}
    again, _ = read_labels(content + b",q0,0\n", "sheet.csv")
    assert problems(lambda: assign_labels(again, [judged([1, 1, 1])])) == [("two-labels", None)]


def test_cells_without_a_column_are_an_error():
    """A comma outside of quotes moves all that follows, labels too."""
    content = b"query_id,question,label\nq0,what,1\nq1,what, or who,1\nq2,what,1,,\n"
    assert problems(lambda: read_labels(content, "sheet.csv")) == [("extra-cells", 3)]


def test_verdicts_from_a_file():
    content = (b'{"query_id": "q1", "value": 1, "vote": 1, "judge": "m"}\n{"query_id": "q1", "value": 0, "vote": 2}\n'
               b'{"query_id": "q2", "value": null, "vote": 1, "missing": "refused"}\n'
               b'{"query_id": "q1", "value": true, "run": "b"}\n')
    one, two = read_verdicts(content, "v.jsonl", "a")
    assert (one.name, one.query_ids.to_pylist(), one.judge, one.missing) == ("a", ["q1", "q2"], "m", {"refused": 1})
    assert one.values[0] == 0.5 and one.votes.shape == (2, 2) and (two.name, two.values.tolist()) == ("b", [1.0])
    assert problems(lambda: read_verdicts(b"query_id,value\nq1,1\nq1,1\n,1\n", "v.csv", "a")) == [
        ("duplicate-verdict", 3), ("no-query", 4)]


ROWS = "".join(f"q{i},1,\n" for i in range(2, 6))
BROKEN = {  # a CSV with wrong quotes on line 4, which begins there
    "open quote": "q0,1,\nq1,0,\nq2,1,\"refused\n" + ROWS,
    "open quote in the last row": "q0,1,\nq1,0,\nq2,1,\"refused",
    "open quote behind a cell of two lines": "q0,1,\"two\nlines\"\nq2,1,\"refused\n" + ROWS,
    "text behind a quote": "q0,1,\nq1,0,\n\"q2\"x,1,\n" + ROWS}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("read", [read_labels, lambda content, file: read_verdicts(content, file, "a")])
def test_a_broken_csv_is_an_error_with_its_line_and_no_row_is_lost_silently(case, read):
    with pytest.raises(InputError) as raised:
        read(f"query_id,value,missing\n{BROKEN[case]}".encode(), "v.csv")
    broken = next(one for one in raised.value.problems if one.kind == "bad-quotes")
    assert (broken.file, broken.line) == ("v.csv", 4) and broken.actual
    assert "quotes" in broken.expected and "Close the quotes" in broken.fix


def test_a_cell_may_be_longer_than_128_kib():
    """A sheet holds the contexts of a query."""
    long = "word, " * 50_000
    content = f'query_id,contexts,value\nq0,"{long}",1\nq1,"{long}",0\n'.encode()
    assert read_labels(content, "s.csv")[0] == {"": {"q0": 1.0, "q1": 0.0}}
    assert read_verdicts(content, "v.csv", "a")[0].values.tolist() == [1.0, 0.0]


FIVE = [1.0, 1.0, 1.0, 0.0, 0.0]
TELLS = {  # (verdicts or votes, labels): what the text says, what it does not
    "kinder": (
        FIVE,
        [1, 1, 0, 0, 0],
        ("On 5 labeled queries the judge is kinder than the labels: +0.200",),
        "stricter",
    ),
    "stricter": (FIVE, [1, 1, 1, 1, 0], ("the judge is stricter than the labels: −0.200",), "kinder than"),
    "alike": (FIVE, [1, 1, 0, 1, 0], ("the judge is neither kinder nor stricter than the labels: 0.000",), "+0"),
    "no votes": (FIVE, FIVE, (), "Several verdicts"),
    "votes": (
        [[1, 1], [1, 0], [0, 0], [0, 0], [1, np.nan]],
        FIVE,
        ("Several verdicts on 4 queries: unanimous on 0.750 of them; beyond chance, Fleiss' kappa: 0.467; spread "
         "0.177.",),
        "No ",
    ),
    "missing": ([1.0, np.nan, np.nan, 0.0, 0.0], FIVE, ("No verdict: 1 undefined, 1 refused.",), "Several"),
    "no labels": (FIVE, [], ("No labels.",), "On 0"),
}


@pytest.mark.parametrize("case", TELLS)
def test_the_text_says_what_there_is_to_say_and_nothing_else(case):
    values, labels, sentences, absent = TELLS[case]
    votes = np.array(values, float) if isinstance(values[0], list) else None
    one = judged(values if votes is None else np.nanmean(votes, axis=1), votes=votes, reasons={"q2": "refused"})
    found = validate_judge(one, {f"q{i}": float(label) for i, label in enumerate(labels)})
    text = render_judge_validation([found], [], "table").decode()
    assert all(sentence in text for sentence in sentences) and absent not in text, text


def test_labels_are_kept(tmp_path):
    store = LabelStore(tmp_path)
    assert store.read("r", "F") == {} and store.stamp() == ""
    assert store.add("r", "F", {"q1": 1.0, "q2": 0.5}) == 2 and store.add("r", "F", {"q1": 1, "q2": 0.25}) == 1
    store.add("r", "G", {"q1": 0.0})
    store.add("s", "F", {"q1": 0.0})
    assert store.read("r", "F") == {"q1": 1.0, "q2": 0.25} and store.label_counts("r") == {"F": 2, "G": 1}
    store.add("r", "F", {"q1": None})
    assert LabelStore(tmp_path).read("r", "F") == {"q2": 0.25}
    with pytest.raises(InputError):
        store.add("r", "F", {"q3": 1.0, "q4": 2.0})
    assert store.read("r", "F") == {"q2": 0.25}


def test_labels_that_met_few_verdicts_of_a_class_are_unlike_the_rest():
    """22 of 122 labeled; the judge says no to 28, and to 1 of the labeled."""
    ids = [f"q{at}" for at in range(122)]
    values = np.ones(122)
    values[[0, *range(95, 122)]] = 0.0
    labels = dict(zip(ids[:22], values.tolist(), strict=False))
    validation = validate_judge(RunVerdicts("run", pa.array(ids), values, "Correctness"), labels)
    assert validation.unlike and validation.hardly_checked == HardlyChecked("no", 1, 28, 15)  # 4 of 27 among 100
    fair = np.ones(122)
    fair[[*range(5), *range(99, 122)]] = 0.0
    labels = dict(zip(ids[:22], fair.tolist(), strict=False))
    validation = validate_judge(RunVerdicts("run", pa.array(ids), fair, "Correctness"), labels)
    assert not validation.unlike and validation.hardly_checked is None
