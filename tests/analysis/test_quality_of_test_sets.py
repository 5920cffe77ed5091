"""Is the test set any good? By hand, against brute force, and against independent formulas."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import pearsonr

from ragdash import ComparisonTable, InputError, Run, Truth, compare
from ragdash.analysis.test_set.check import check_labels, check_test_set
from ragdash.analysis.test_set.label_lint import KINDS, documents_asked_for
from ragdash.analysis.test_set.query_quality import alpha_interval, query_quality
from ragdash.analysis.test_set.relabel import RelabelItem, RelabelStore, all_items, relabel_agreement
from ragdash.analysis.test_set.sheets import relabel_sheet, relabeled
from ragdash.analysis.test_set.verdict_carriers import removal_order, reversing_queries
from ragdash.core.corpus import Corpus
from ragdash.reporting.tables.escaping import table_bytes
from ragdash.reporting.test_set import check_dict, check_sentences, query_rows, relabel_sentence


def run_of(name: str, ranks: list[int | None], depth: int = 5) -> Run:
    """A run that has the one relevant document "r" of each query at this rank, None: not at all."""
    rows = [(f"q{q}", "r" if rank == position else f"x{position}") for q, rank in enumerate(ranks)
            for position in range(1, depth + 1)]
    return Run.build(name, [query for query, _ in rows], [doc for _, doc in rows])


def truth_of(queries: int) -> Truth:
    return Truth.build("qrels", [f"q{q}" for q in range(queries)], ["r"] * queries, [1] * queries)


def test_what_each_query_contributes_by_hand():
    # Reciprocal ranks of three runs at five queries; the fourth has one run without a value.
    values = np.array([[1.0, 0.0, 1.0, 0.5, 0.5], [1.0, 0.0, 0.5, np.nan, 0.5], [1.0, 0.0, 0.25, 1.0, 1.0]])
    quality = query_quality(values, np.ones(5), 0.0)
    assert quality.defined.tolist() == [True, True, True, False, True]
    assert quality.solved.tolist() == [True, False, False, False, False]
    assert quality.failed.tolist() == [False, True, False, False, False]
    assert quality.equal.tolist() == [True, True, False, False, False]
    assert quality.spread[2] == pytest.approx(np.std([1, 0.5, 0.25], ddof=1)) and np.isnan(quality.spread[3])
    # The rest of query 2 is that of query 4 but for constants, and the other way round.
    expected = pearsonr([1.0, 0.5, 0.25], [0.5, 0.5, 1.0]).statistic
    assert quality.discrimination[[2, 4]] == pytest.approx([expected, expected])
    assert np.isnan(quality.discrimination[[0, 1, 3]]).all()
    two, single = query_quality(values[:2], np.ones(5), 0.0), query_quality(values[:1], np.ones(5), 0.0)
    assert np.isnan(two.discrimination).all() and np.isnan(two.reliability).all()
    assert np.isnan(single.spread).all() and not single.equal.any() and single.solved[[0, 2]].all()


def test_two_queries_are_enough_for_discrimination_and_one_is_not():
    values = np.array([[1.0, 0.2], [0.5, 0.4], [0.2, 0.9]])
    quality = query_quality(values, np.ones(2), 0.0)
    assert quality.discrimination == pytest.approx([pearsonr(*values.T).statistic] * 2)
    variances, total = values.var(axis=0, ddof=1).sum(), values.sum(axis=1).var(ddof=1)
    assert quality.reliability[0] == pytest.approx(2 * (1 - variances / total))
    single = query_quality(values[:, :1], np.ones(1), 0.0)
    assert np.isnan(single.discrimination).all() and np.isnan(single.reliability).all()


def test_discrimination_is_the_correlation_with_the_other_queries():
    rng = np.random.default_rng(4)
    values = rng.random((6, 9))
    quality = query_quality(values, np.full(9, np.nan), 0.0)
    for q in range(9):
        others = np.delete(values, q, axis=1).mean(axis=1)
        assert quality.discrimination[q] == pytest.approx(pearsonr(values[:, q], others).statistic)
    assert not quality.solved.any()  # the best value is not known


def test_reliability_is_that_of_the_analysis_of_variance_and_its_interval_covers():
    rng = np.random.default_rng(7)
    values = rng.normal(size=(8, 30)) + rng.normal(size=(8, 1)) * 0.5
    value, low, high = alpha_interval(values)
    rows, columns, grand = values.mean(axis=1), values.mean(axis=0), values.mean()
    between = 30 * ((rows - grand) ** 2).sum() / 7
    error = ((values - rows[:, None] - columns + grand) ** 2).sum() / (7 * 29)
    assert value == pytest.approx(1 - error / between)  # Hoyt 1941
    assert low < value < high < 1
    truth, inside = 30 * 0.25 / (30 * 0.25 + 1), 0
    for _ in range(400):
        sample = rng.normal(size=(8, 30)) + rng.normal(size=(8, 1)) * 0.5 + rng.normal(size=30)
        _, low, high = alpha_interval(sample)
        inside += low <= truth <= high
    assert 0.92 < inside / 400 < 0.98


def test_the_smallest_reversing_set_is_that_of_every_subset():
    rng = np.random.default_rng(5)
    for _ in range(30):
        values = np.round(rng.normal(0.15, 0.4, 9), 1)
        values[rng.random(9) < 0.1] = np.nan
        plain = np.nan_to_num(values)
        sizes = [size for size in range(10) for rows in combinations(range(9), size)
                 if plain.sum() - plain[list(rows)].sum() < -1e-9]
        reversing = reversing_queries(values)
        assert (reversing is None) == (not sizes)
        if reversing is not None:
            assert len(reversing) == min(sizes)
            assert plain.sum() - plain[list(reversing)].sum() < -1e-9 or not reversing


def test_queries_are_removed_in_the_order_that_lowers_the_t_statistic_most():
    # Without one of the 0.4: 0.5 / sqrt(0.21 - 0.25 / 4) = 1.30; without the 0.2: 0.7 / sqrt(0.33 - 0.49 / 4) = 1.54.
    assert removal_order(np.array([0.4, 0.4, 0.0, -0.1, 0.2])) == [0, 1, 4]
    values = np.random.default_rng(2).normal(0.3, 0.5, 12)

    def t(rows: list[int]) -> float:
        left = np.delete(values, rows)
        return left.mean() / (left.std(ddof=1) / np.sqrt(len(left)))

    order = removal_order(values)
    for step in range(4):
        options = [i for i in np.flatnonzero(values > 0) if i not in order[:step]]
        assert order[step] == min(options, key=lambda i: t([*order[:step], i]))


def test_a_verdict_rests_on_queries_without_which_it_is_not_significant():
    rng = np.random.default_rng(11)
    good = [int(rank) for rank in rng.integers(1, 4, 40)]
    bad = [min(rank + int(step), 5) for rank, step in zip(good, rng.random(40) < 0.45, strict=True)]
    good[0], bad[0] = 3, 1
    runs, truth = [run_of("good", good), run_of("bad", bad), run_of("worst", [5] * 40)], truth_of(40)
    check = check_test_set(runs, truth, "RR")
    assert [(pair.leader, pair.other) for pair in check.carriers] == [("good", "bad"), ("good", "worst")]
    pair = check.carriers[0]
    table = compare(runs[1], [runs[0], runs[2]], "RR", truth=truth)
    assert isinstance(table, ComparisonTable) and table[0][0].outcome == "better" == pair.comparison.outcome
    assert pair.comparison.p_corrected == pytest.approx(table[0][0].p_corrected)
    assert check.detectable[0] == pytest.approx(min(row.comparison.detectable for row in check.carriers))

    def outcome(rows: tuple[int, ...]) -> str:
        left = {f"q{q}": ["r"] for q in range(40) if q not in rows}
        return compare(runs[1], [runs[0], runs[2]], "RR", truth=Truth.from_dict(left))[0][0].outcome

    assert outcome(pair.dissolving) != "better" and outcome(pair.dissolving[:-1]) == "better"
    gap = pair.differences
    assert np.delete(gap, list(pair.reversing)).sum() < 0 <= np.delete(gap, list(pair.reversing[:-1])).sum() + 1e-9
    assert pair.without[3] == pytest.approx(np.delete(gap, 3).mean())
    assert check.carriers[1].reversing is None  # the worst run is better nowhere
    texts = " ".join(check_sentences(check))
    assert "You can distinguish runs that differ by about" in texts and "rests on" in texts
    assert "80% power, corrected for 3 pairs of runs)" in texts
    two = " ".join(check_sentences(check_test_set(runs[:2], truth, "RR")))
    assert "(40 queries, 80% power)" in two, "one pair needs no correction"
    rows = query_rows(check)
    assert abs(rows[0]["advantage"]) == pytest.approx(np.nanmax(np.abs(gap)) / 40)
    assert check_dict(check)["pairs"][0]["dissolving"] == [f"q{q}" for q in pair.dissolving]


def test_what_few_runs_cannot_show_is_said():
    truth, runs = truth_of(12), [run_of("a", [1] * 6 + [None] * 6), run_of("b", [1] * 6 + [2] * 6)]
    none = check_sentences(check_test_set([], truth))
    assert none[0].startswith("**Not known without runs**")
    single = check_test_set(runs[:1], truth, "RR")
    assert single.quality.solved.sum() == 6 and single.quality.failed.sum() == 6 and not single.carriers
    assert "One run alone does not show" in check_sentences(single)[0] and np.isnan(single.detectable).all()
    two = check_test_set(runs, truth, "RR")
    text = " ".join(check_sentences(two))
    assert text.startswith("**Yes: it shows that b is the best of these 2 runs**, better than all others.")
    assert "**b** is better than **a**" in text
    nearly = check_test_set([runs[0], run_of("b", [1] * 6 + [2, 2] + [None] * 4)], truth, "RR")
    assert check_sentences(nearly)[0].startswith(
        "**Not for these 2 runs: it does not show which is best.** **b** is 0.083 ahead of **a**; ")
    assert "load at least 3 runs, better ten" in text and "6 queries give all runs the same value" in text
    equal = check_test_set([runs[0], run_of("c", [1] * 6 + [None] * 6)], truth, "RR")
    assert "the same mean" in " ".join(check_sentences(equal)) and equal.quality.equal.all()
    three = " ".join(check_sentences(check_test_set([*runs, run_of("c", [3] * 12)], truth, "RR")))
    assert "a hint at most" in three


def test_the_best_value_that_counts_is_that_of_the_judgments():
    # Two relevant documents for q0, one for q1: at k = 1 recall of q0 is 0.5 at best, and that is solved.
    truth = Truth.build("qrels", ["q0", "q0", "q1"], ["a", "b", "c"], [1, 1, 1])
    run = Run.build("run", ["q0", "q1"], ["a", "x"])
    quality = check_test_set([run, run.renamed("same")], truth, "R@1").quality
    assert quality.solved.tolist() == [True, False] and quality.failed.tolist() == [False, True]


QUESTIONS = {
    "arity": "Which two probes landed in the Sea of Crises?", "fine": "Which probe returned soil in 1976?",
    "hop": "Which later probe went there?", "none": "Who paid?", "with": "Who walked first?",
    "copies": "When did it land?", "same 1": "What did Luna 24 bring home?", "same 2": "what does LUNA 24 bring home",
    "near": "What did Luna 16 bring home?"}
TEXTS = {
    "luna-24": "Luna 24 landed in 1976 and returned a core of soil.", "luna-15": "It crashed in July 1969.",
    "armstrong": "Neil Armstrong set foot on it first.", "copy": "LUNA 24  landed in 1976 and returned a core of soil.",
    "moon": "The Moon is far away.", "empty": ""}


def linted() -> tuple[Truth, list[Run]]:
    judged = [("arity", "luna-24", 1), ("fine", "luna-24", 1), ("fine", "luna-15", 0), ("hop", "luna-15", 1),
              ("hop", "empty", 1), ("none", "moon", 1), ("with", "moon", 1), ("with", "armstrong", 0),
              ("copies", "luna-24", 1), ("copies", "copy", 0), ("same 1", "luna-24", 1), ("same 2", "luna-24", 0),
              ("same 2", "moon", 1), ("near", "moon", 1)]
    details = pa.table({
        "query_id": list(QUESTIONS), "query": list(QUESTIONS.values()),
        "answers": [["Luna 24"], ["Luna 24"], None, None, ["Neil Armstrong"], None, None, None, ["a vacuum pump"]],
        "attributes": [None, '{"Annotator": "ada"}', '{"type": "multi_hop", "annotator": "ada"}',
                       '{"type": "no_answer"}', None, None, None, None, None]})
    truth = Truth.build("qrels", *([row[i] for row in judged] for i in range(3)), details=details)
    corpus = Corpus.build("docs", list(TEXTS), list(TEXTS.values()))
    runs = [Run.build(name, ["with", "with"], ["armstrong", "moon"]) for name in ("a", "b")]
    return truth.with_corpus(corpus), runs


def test_judgments_that_look_wrong_are_found_and_others_are_not():
    truth, runs = linted()
    check = check_test_set(runs, truth, "RR").labels
    seen = {(finding.kind, finding.query): finding.docs for finding in check.findings}
    assert seen == {
        ("arity", "arity"): ("luna-24",),
        ("unanswerable-relevant", "none"): ("moon",),
        ("no-text", "hop"): ("empty",),
        ("answer-missing", "with"): ("moon",),
        ("answer-missing", "near"): ("moon",),
        ("answer-elsewhere", "with"): ("armstrong",),
        ("copies-differ", "copies"): ("luna-24", "copy"),
        ("copy-unjudged", "arity"): ("copy",), ("copy-unjudged", "fine"): ("copy",),
        ("copy-unjudged", "same 1"): ("copy",),
        ("questions-differ", "same 1"): ("luna-24", "moon"),
        ("ranked-first", "with"): ("armstrong",)}
    assert [finding.kind for finding in check.findings] == sorted((finding.kind for finding in check.findings),
                                                                  key=list(KINDS).index)
    assert check.copies.question_pairs == ((6, 7),) and check.copies.document_groups == (("luna-24", "copy"),)
    assert check.authors == {"ada": 2}
    sentences = " ".join(check_sentences(check_test_set(runs, truth, "RR")))
    assert "by ada alone" in sentences and "1 question is nearly the same" in sentences
    bare = check_labels(Truth.build("qrels", ["q1", "q2"], ["a", "a"], [1, 0]))
    assert [(finding.kind, finding.query) for finding in bare.findings] == [("no-relevant", "q2")]


@pytest.mark.parametrize(("question", "documents"), [
    ("Which two probes landed there?", 2), ("Name three craters on the far side.", 3), ("What are the 4 phases?", 4),
    ("Compare Luna 15 and Luna 24.", 2), ("What is the difference between mare and highland?", 2),
    ("Which two-stage rocket flew?", 1), ("How many of the two probes landed?", 1), ("What 2 percent of it is ice?", 1),
    ("Which probe landed on day two?", 1), ("In which two documents is the fee named?", 2)])
def test_how_many_documents_a_question_asks_for(question, documents):
    assert documents_asked_for(question) == documents


def test_a_document_that_is_relevant_for_very_many_queries_is_a_hub():
    queries = [f"q{i}" for i in range(40)]
    docs = ["hub" if i < 6 else f"d{i}" for i in range(40)]
    [finding] = check_labels(Truth.build("qrels", queries, docs, [1] * 40)).findings
    assert (finding.kind, finding.docs, finding.facts["queries"]) == ("hub", ("hub",), 6)


def test_labels_are_given_again_without_seeing_the_old_ones():
    truth, runs = linted()
    check = check_test_set(runs, truth, "RR").labels
    items = check.items(4)
    assert len(items) == len({item.key for item in items}) == 8
    assert Counter(item.suspicious for item in items) == {True: 4, False: 4}
    assert all(item.doc != "empty" for item in items) and items == check.items(4) != check.items(4, seed=3)
    sheet = table_bytes(relabel_sheet(items, truth, check.texts), "csv").decode()
    assert sheet.splitlines()[0] == "item,question,text,grade"
    assert not any(f"{name}," in sheet for name in (*TEXTS, "same 1"))
    filled = "item,question,text,grade\n" + "".join(f"{item.key},,,{item.grade ^ item.suspicious}\n" for item in items)
    grades = relabeled(filled.encode(), "sheet.csv", all_items(truth, check.findings))
    result = relabel_agreement(all_items(truth, check.findings), grades)
    assert (result.suspicious.agreed, result.others.agreed, result.all.labeled) == (0, 4, 8)
    assert set(result.suspicious.changed) == {item.key for item in items if item.suspicious}
    # Clopper and Pearson: 0 of 4 has the upper end 1 - 0.025^(1/4).
    assert result.suspicious.high == pytest.approx(1 - 0.025 ** 0.25) and result.suspicious.low == 0
    assert "4 of 4 (100% [40%, 100%]) of the others" in relabel_sentence(result)
    for text, kind in (("item,grade\nnone,1\n", "sheet-item"), ("item,label\nx,1\n", "sheet-column"),
                       (f"item,grade\n{items[0].key},1\n{items[0].key},0\n", "sheet-grades"),
                       (f"item,grade\n{items[0].key},{'1' * 5_000}\n", "sheet-grade"),
                       (f"item,grade\n{items[0].key},good\n", "sheet-grade")):
        with pytest.raises(InputError) as error:
            relabeled(text.encode(), "sheet.csv", items)
        assert error.value.problems[0].kind == kind


def test_kappa_of_labels_given_again_by_hand(tmp_path):
    # 10 items, old: 5 relevant; agreed on 4 + 3: observed 0.7, expected 0.6 x 0.5 + 0.4 x 0.5 = 0.5, kappa 0.4.
    old, new = [1] * 5 + [0] * 5, [1, 1, 1, 1, 0, 0, 0, 0, 1, 1]
    items = [RelabelItem(f"k{i}", f"q{i}", "d", grade, i % 2 == 0) for i, grade in enumerate(old)]
    result = relabel_agreement(items, {f"k{i}": grade for i, grade in enumerate(new)})
    assert result.all.agreed == 7 and result.all.kappa == pytest.approx(0.4)
    store = RelabelStore(tmp_path)
    item = all_items(Truth.build("qrels", ["q1"], ["a"], [2]), [])[0]
    store.add("truth", item, 0, when="2026-01-01", by="ada")
    assert store.read("truth") == {item.key: 0} and store.read("other") == {}
    store.add("truth", item, None)
    assert store.read("truth") == {}
