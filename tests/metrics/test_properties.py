"""What holds for every metric in the registry, with its defaults and with each word that a parameter may be.

A new metric is tested here from the moment it is registered.
"""

from __future__ import annotations

import warnings
from functools import cache, lru_cache

import numpy as np
import pytest
from helpers import over, random_case, run_of, truth_of, value

from ragdash.core.errors import InputError
from ragdash.evaluation.evaluate import Evaluation, evaluate
from ragdash.metrics import METRICS, Spec, parse_spec

pytestmark = pytest.mark.filterwarnings("error")

K = 4
RANKED = [metric for metric in METRICS.values() if metric.view == "Ranked"]
OF_THE_CORPUS = {"corpus_size": 10_000}  # what some metrics cannot do without
# A relevant document that moves into the first k also adds to this denominator: [rel, -, -] has 1, [rel, -, rel] 5/6.
# BPM stops once it has gained T: a better document further up may end the reading before another one is gained. G
# discounts by the gain so far, so a document that moves up may worsen the discount of the one it passes.
NOT_MONOTONE = {f"AP(denominator='retrieved')@{K}", f"BPM@{K}", "G"}
COUNTS = {"Judged", "RBPResidual", "n_ret", "n_rel", "n_rel_ret", "NumQ", "NumRet", "NumRel", "NumNonRelRet",
          "Utility"}  # do not ask for a relevant document
ZERO_HERE: frozenset[str] = frozenset()  # metrics whose value is 0 where the only relevant document is first


def variants() -> list[Spec]:
    """Every metric of rankings: its defaults, each word of each parameter, rel=2; with and without a cutoff."""
    specs = []
    for metric in RANKED:
        words = [{name: word} for name, allowed in metric.allowed.items() for word in allowed if isinstance(word, str)]
        for params in [{}, *words, *([{"rel": 2}] if "rel" in metric.params else [])]:
            cutoffs = {"required": [K], "optional": [None, K], "none": [None]}[metric.cutoff]
            if "corpus_size" in metric.params:
                material = metric.name == "MQWV" or params.get("form") == "material"
                params, cutoffs = (params | OF_THE_CORPUS, [None]) if material else (params, [K])
            specs += [metric.spec(k, **params) for k in cutoffs]
    return list(dict.fromkeys(specs))


SPECS = variants()
EXTREMES = ["ERR(max_grade=1)", "ERR(max_grade=60)@3", "ERR(probabilities=(0.0, 1.0, 1.0))", "RBP(p=0.0)",
            "RBP(p=0.9999)", "RBPResidual(p=0.0)", "RBPResidual(p=0.9999)", "AQWV(beta=0.0)@3", "AQWV(beta=1000.0)@3",
            "P@1", "P@1000000000", "nDCG@1000000000", "nDCG(gain='exp')@1", "R(rel=2147483648)@5"]
WITH_EXTREMES = [*SPECS, *map(parse_spec, EXTREMES)]
every_spec = pytest.mark.parametrize("spec", SPECS, ids=str)
with_cutoff = pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.k], ids=str)
directed = pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.metric.better], ids=str)
by_name = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS.keys())


@lru_cache(maxsize=1)
def corpus() -> tuple[dict, dict]:
    """Rankings as lists, and grades, of some 150 queries."""
    rankings, grades = {}, {}
    for seed in range(40):
        case = random_case(seed, "distinct", queries=6, depth=14)
        for query in case.grades:
            docs = case.rankings.get(query, {})
            rankings[f"{seed}/{query}"] = sorted(docs, key=docs.get, reverse=True)
            grades[f"{seed}/{query}"] = case.grades[query]
    return rankings, grades


def scored(ranking: list[str]) -> dict[str, float]:
    """The list with scores that fall by one a rank."""
    return {doc: float(1000 - rank) for rank, doc in enumerate(ranking)}


def measure(rankings: dict, grades: dict, specs=SPECS) -> dict[Spec, np.ndarray]:
    """The values of each query in the order of their ids; of a value of the corpus that alone."""
    found = evaluate(run_of({query: scored(docs) for query, docs in rankings.items()}), truth_of(grades), specs)
    return columns(found)


def columns(found: Evaluation) -> dict[Spec, np.ndarray]:
    order = np.argsort(found.query_ids.to_pylist(), kind="stable")
    means = {summary.spec: summary.mean for summary in found.summary(resamples=2)}
    return {spec: np.array([means[spec]]) if spec in found.corpus else found.column(spec)[order]
            for spec in found.specs}


@cache
def measured(change: str) -> dict[Spec, np.ndarray]:
    """The corpus after a change that is to be compared with the one before."""
    rankings, grades = corpus()
    rng = np.random.default_rng(7)
    return measure(*CHANGES[change](rng, dict(rankings), dict(grades)))


def first_k_only(rng, rankings, grades):
    return {query: docs[:K] for query, docs in rankings.items()}, grades


def unjudged_below_k(rng, rankings, grades):
    return {query: docs[:K] + [f"new-{i}" for i in range(max(len(docs) - K, 0))]
            for query, docs in rankings.items()}, grades


def others_below_k(rng, rankings, grades):
    """Below rank k every judged document that was not returned, and the rest upside down."""
    return {query: docs[:K] + [doc for doc in grades[query] if doc not in docs] * (len(docs) >= K) + docs[:K - 1:-1]
            for query, docs in rankings.items()}, grades


def queries_shuffled(rng, rankings, grades):
    def shuffled(side):
        return {query: side[query] for query in rng.permutation(list(side)).tolist()}
    return shuffled(rankings), shuffled(grades)


def docs_renamed(rng, rankings, grades):
    names = list({doc for side in (rankings, grades) for docs in side.values() for doc in docs})
    new = dict(zip(names, (f"é{i}" for i in rng.permutation(len(names))), strict=True))
    return ({query: [new[doc] for doc in docs] for query, docs in rankings.items()},
            {query: {new[doc]: grade for doc, grade in docs.items()} for query, docs in grades.items()})


def judgments_shuffled(rng, rankings, grades):
    return rankings, {query: {doc: docs[doc] for doc in rng.permutation(list(docs)).tolist()}
                      for query, docs in grades.items()}


def ideal(rng, rankings, grades):
    """The returned documents by grade; unjudged ones last."""
    return {query: sorted(docs, key=lambda doc: grades[query].get(doc, -9), reverse=True)
            for query, docs in rankings.items()}, grades


def better_moved_up(rng, rankings, grades):
    """In each ranking a document changes places with a worse one just above it (unjudged: as judged not relevant)."""
    moved = {}
    for query, docs in rankings.items():
        docs, grade = list(docs), [max(grades[query].get(doc, 0), 0) for doc in docs]
        places = [i for i in range(1, len(docs)) if grade[i] > grade[i - 1]]
        if places:
            i = int(rng.choice(places))
            docs[i - 1], docs[i] = docs[i], docs[i - 1]
        moved[query] = docs
    return moved, grades


def better_moved_up_often(rng, rankings, grades):
    for _ in range(5):
        rankings, _ = better_moved_up(rng, rankings, grades)
    return rankings, grades


CHANGES = {function.__name__: function for function in (
    first_k_only, unjudged_below_k, others_below_k, queries_shuffled, docs_renamed, judgments_shuffled, ideal,
    better_moved_up, better_moved_up_often)} | {"none": lambda rng, rankings, grades: (rankings, grades)}


def test_the_corpus_of_these_tests_says_something():
    assert len(corpus()[0]) > 100
    silent = [str(spec) for spec, values in measured("none").items()
              if len(values) > 1 and len(np.unique(values[~np.isnan(values)])) < 2 and spec.name != "NumQ"]
    assert not silent
    for change in CHANGES.keys() - {"none", "queries_shuffled", "docs_renamed", "judgments_shuffled"}:
        assert any(not np.array_equal(values, measured(change)[spec], equal_nan=True)
                   for spec, values in measured("none").items()), change


@lru_cache(maxsize=1)
def all_values() -> dict[Spec, np.ndarray]:
    """What every spec, extreme parameters too, gives on many cases under the conventions and their opposites."""
    found = []
    for seed in range(30):
        case = random_case(seed)
        for conventions in ({}, {"unanswerable": "zero", "missing": "skip", "ties": "file"}):
            evaluation = evaluate(case.run(), case.truth(), WITH_EXTREMES, **conventions)
            with warnings.catch_warnings(action="ignore"):  # of intervals, which are no matter here
                found.append(columns(evaluation))
    return {spec: np.concatenate([values[spec] for values in found]) for spec in WITH_EXTREMES}


@pytest.mark.parametrize("spec", WITH_EXTREMES, ids=str)
def test_values_stay_in_the_range_of_the_metric(spec):
    low, high = spec.range
    found = all_values()[spec]
    found = found[~np.isnan(found)]
    assert len(found) > 30 and low <= found.min() and found.max() <= high


@over(change=["first_k_only", "unjudged_below_k", "others_below_k"])
@with_cutoff
def test_a_cutoff_looks_at_the_first_k_only(spec, change):
    same(measured(change)[spec], measured("none")[spec])


@over(change=["queries_shuffled", "docs_renamed", "judgments_shuffled"])
@every_spec
def test_names_and_orders_that_mean_nothing_change_nothing(spec, change):
    same(measured(change)[spec], measured("none")[spec])


@over(seed=range(12))
def test_names_that_sort_alike_change_nothing_where_scores_are_equal(seed):
    case = random_case(seed, "ties")
    renamed = [{query: {f"ab{doc}": number for doc, number in docs.items()} for query, docs in side.items()}
               for side in (case.rankings, case.grades)]
    after = columns(evaluate(run_of(renamed[0]), truth_of(renamed[1]), SPECS))
    for spec, values in columns(evaluate(run_of(case.rankings), truth_of(case.grades), SPECS)).items():
        same(after[spec], values)


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal up to the last digits, which depend on the order of additions."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@directed
def test_no_order_of_the_returned_documents_is_better_than_the_ideal_one(spec):
    assert_not_worse(spec, measured("ideal")[spec], measured("none")[spec])


@over(change=["better_moved_up", "better_moved_up_often"])
@directed
def test_moving_a_better_document_up_never_makes_it_worse(spec, change):
    if str(spec) not in NOT_MONOTONE:
        assert_not_worse(spec, measured(change)[spec], measured("none")[spec])


def assert_not_worse(spec: Spec, after: np.ndarray, before: np.ndarray) -> None:
    np.testing.assert_array_equal(np.isnan(after), np.isnan(before))
    gain = (after - before) * (1 if spec.metric.better == "higher" else -1)
    assert (gain[~np.isnan(gain)] >= -1e-12).all()


@pytest.mark.parametrize("rel", ["", "(rel=2)"])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_success_precision_and_recall_tell_the_same_hits(k, rel):
    for seed in range(30):
        case = random_case(seed)
        found = evaluate(case.run(), case.truth(), f"Success{rel}@{k} P{rel}@{k} R{rel}@{k} n_rel{rel}")
        success, p, r, relevant = found.values[~np.isnan(found.values).any(axis=1)].T
        assert set(success) <= {0.0, 1.0}
        assert ((success == 1) == (p > 0)).all() and ((success == 1) == (r > 0)).all()
        np.testing.assert_allclose(p * k, r * relevant, rtol=0, atol=1e-9)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.name not in COUNTS
                                  and "corpus_size" not in dict(spec.params)], ids=str)
def test_a_query_without_a_relevant_document_is_undefined_and_not_0(spec):
    grades = {"answerable": {"a": 4}, "judged 0": {"a": 0, "b": 0}, "negative": {"a": -1}, "not judged": {},
              "not returned": {"x": 0}}
    rankings = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in grades if query != "not returned"}
    found = evaluate(run_of(rankings), truth_of(grades), [spec])
    values = dict(zip(found.query_ids.to_pylist(), found.values[:, 0], strict=True))
    assert np.isnan([values[query] for query in grades if query != "answerable"]).all()
    assert spec.name in ZERO_HERE or values["answerable"] != 0, \
        f"if 0 is right where the only relevant document is first, add {spec.name} to ZERO_HERE of this file"


@pytest.mark.parametrize("spec", [spec for spec in SPECS if ("rel", 2) in spec.params and spec.name not in COUNTS],
                         ids=str)
def test_rel_2_asks_for_a_document_of_grade_2(spec):
    """A document of grade 1 is then judged not relevant, and a query that has no better one is undefined."""
    ranking = {"a": 3.0, "b": 2.0, "c": 1.0}
    strict = evaluate(run_of({"q": ranking, "none": ranking}), truth_of({"q": {"a": 1, "b": 2, "c": 0},
                                                                         "none": {"a": 1}}), [spec])
    plain = Spec(spec.name, tuple(pair for pair in spec.params if pair[0] != "rel"), spec.k)
    binary = evaluate(run_of({"q": ranking, "none": ranking}), truth_of({"q": {"a": 0, "b": 1, "c": 0},
                                                                         "none": {"a": 0}}), [plain])
    np.testing.assert_array_equal(strict.values, binary.values)
    assert spec in strict.corpus or np.isnan(strict.values[strict.query_ids.to_pylist().index("none")]).all()


@pytest.mark.parametrize("metric", ["nDCG(gain='exp')", "ERR", "RBP(gain='graded')", "nDCG"])
@pytest.mark.parametrize("grade", [60, 100, 1023, 1024, 5000])
def test_great_grades_are_scored_or_refused_but_do_not_overflow(metric, grade):
    try:
        found = evaluate(run_of({"q": ["a", "b"]}), truth_of({"q": {"a": grade, "b": 1}}), metric)
    except InputError:
        return
    assert 0 < found.values[0, 0] <= 1


def test_the_grades_of_one_query_do_not_matter_to_another():
    truth = truth_of({"clicks": {"a": 1000, "b": 2000}, "plain": {"a": 1}})
    found = evaluate(run_of({"clicks": ["a", "b"], "plain": ["a"]}), truth, "nDCG(gain='exp')@10 nDCG@10")
    assert found.column("nDCG(gain='exp')@10").tolist() == pytest.approx([1 / np.log2(3), 1.0])
    alone = evaluate(run_of({"plain": ["a"]}), truth_of({"plain": {"a": 1}}), "nDCG(gain='exp')@10")
    assert alone.values.tolist() == [[1.0]]


@pytest.mark.parametrize("k", [10**6, 2**31, 2**63 - 1, 2**63, 10**30])
def test_a_great_cutoff_is_taken_or_refused(k):
    try:
        found = evaluate(run_of({"q": ["a", "b"]}), truth_of({"q": ["a"]}), f"R@{k} P@{k}")
    except InputError:
        return
    assert found.values[0].tolist() == pytest.approx([1.0, 1 / k])


@by_name
def test_a_metric_explains_itself(metric):
    assert METRICS[metric.name] is metric
    for fact in ("title", "family", "formula", "source", "doc", "summary_line"):
        text = getattr(metric, fact)
        assert text and text == text.strip(), f"{metric.name} has no {fact}"
    assert metric.doc.startswith(metric.summary_line) and "\n" not in metric.summary_line
    assert metric.summary_line[0].isupper() or not metric.summary_line[0].isalpha()
    assert metric.better in ("higher", "lower", None)
    assert metric.aggregate in ("mean", "geometric", "sum", "median", "corpus")
    assert metric.cutoff in ("required", "optional", "none")
    assert "k" not in metric.params, "the cutoff is not a parameter"
    assert "Returns" in metric.doc or "returns" in metric.doc, "the docstring says shape and range"


@by_name
def test_the_range_of_a_metric_is_a_pair_in_order(metric):
    low, high = metric.spec(5 if metric.cutoff == "required" else None).range
    assert low < high


@pytest.mark.parametrize("spec", WITH_EXTREMES, ids=str)
def test_a_spec_reads_back_from_its_spelling(spec):
    again = parse_spec(str(spec))
    assert again == spec and hash(again) == hash(spec) and str(again) == str(spec) == repr(spec)
    assert spec.metric.title in spec.title and spec.title.count("@") == bool(spec.k)


@every_spec
def test_a_value_does_not_depend_on_what_else_is_asked(spec):
    same(measure(*corpus(), specs=[spec])[spec], measured("none")[spec])


def test_a_grade_of_1_is_relevant_unless_a_metric_is_told_otherwise():
    bounds = {name: metric.params["rel"] for name, metric in METRICS.items()
              if metric.params.get("rel") is not None}
    assert len(bounds) > 9 and set(bounds.values()) == {1}, bounds
    ranking, grades = ["a", "b", "c"], {"a": 0, "b": 1, "c": 2}
    assert [value(ranking, grades, name) for name in ("FirstRank", "FirstRank(rel=2)", "RR")] == [2, 3, 0.5]
