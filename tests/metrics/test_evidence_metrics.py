"""The evidence metrics and the retrieval metrics by evidence: hand cases, naive re-computation, public data."""

from __future__ import annotations

import json
import math
import os
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from evidence_cases import naive_covers, run_with_texts, truth_with_evidence
from helpers import truth_of

from ragdash.core.errors import Unavailable
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.evidence import match_evidence
from ragdash.matching.views.evidence import Covered
from ragdash.metrics import METRICS, CorpusValue, cutoff_array, parse_spec
from ragdash.metrics.evidence import by_evidence

pytestmark = pytest.mark.filterwarnings("error")

DATA = Path(os.environ.get("RAGDASH_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data") / "s08_tatqa"


def values(covered: Covered, text: str) -> np.ndarray:
    """The values of one spec by evidence: (Q,)."""
    spec = parse_spec(text)
    form = by_evidence(spec.metric, dict(spec.params), spec.k)
    cutoffs = () if spec.metric.cutoff == "none" else (cutoff_array([spec]),)
    params = {name: value for name, value in spec.params if name != "average"}
    found = form.function(covered, *cutoffs, **params)
    found = found[0].values if isinstance(found, tuple) else found
    return found[:, 0] if found.ndim == 2 else found


def corpus_value(value: CorpusValue) -> float:
    return value.constant + sum(c * top.sum() / bottom.sum() for c, top, bottom in value.terms)


def evidence_recall(covered: Covered, *ks: int) -> list[float]:
    return [corpus_value(value) for value in METRICS["EvidenceRecall"].function(covered, np.array(ks))]


@cache
def span(number: int) -> str:
    """A text that no other span is like."""
    letters = random.Random(number)
    return "".join(letters.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(30))


def covered_of(matrix: dict[str, list[list[int]]], spans: dict[str, int]) -> Covered:
    """Covered of {"q": [spans that the chunk of rank 1 covers, ...]} and the number of spans of each query."""
    texts = {query: [f"chunk {rank} says " + " and ".join(map(span, some)) for rank, some in enumerate(chunks, 1)]
             for query, chunks in matrix.items()}
    evidence = {query: [span(i) for i in range(number)] or None for query, number in spans.items()}
    return match_evidence(run_with_texts(texts), truth_with_evidence(evidence)).covered()


def one(chunks: list[list[int]], spans: int, *specs: str) -> list[float]:
    covered = covered_of({"q": chunks}, {"q": spans})
    return [float(values(covered, spec)[0]) for spec in specs]


log2 = math.log2


@pytest.mark.parametrize("about, chunks, spans, expected", [
    ("two chunks cover one span", [[0], [0], []], 1, {
        "P@2": 1, "P@3": 2 / 3, "Success@1": 1, "RR": 1, "R@1": 1, "R": 1, "AP": 1, "nDCG@3": 1, "F1@2": 1,
        "AP(denominator='retrieved')": 1, "PerQueryCoverage@3": 1, "NoiseShare@3": 1 / 3, "n_rel": 1, "n_rel_ret": 1}),
    ("two chunks cover one of two spans", [[], [0], [0]], 2, {
        "P@3": 2 / 3, "R@3": 1 / 2, "RR": 1 / 2, "AP": (1 / 2) / 2, "AP(denominator='retrieved')": (1 / 2 + 2 / 3) / 2,
        "nDCG@3": (1 / log2(3)) / (1 + 1 / log2(3)), "FullCoverageRate@3": 0, "ContextPrecision": (1 / 2 + 2 / 3) / 2,
        "ContextPrecision(form='share')": 2 / 3, "ContextRecall": 1 / 2, "F1@3": 2 * (2 / 3) / 2 / (2 / 3 + 1 / 2)}),
    ("one chunk covers two", [[0, 1]], 2, {
        "P@1": 1, "R@1": 1, "AP": 1, "nDCG@1": 1, "nDCG@2": 1, "RR": 1, "F1@1": 1, "Rprec": 1 / 2, "P@2": 1 / 2,
        "FullCoverageRate@1": 1}),
    ("one chunk covers two of three, further down", [[], [0, 1], [2]], 3, {
        "P@3": 2 / 3, "R@2": 2 / 3, "AP": (2 / 2 + 2 / 2 + 3 / 3) / 3, "AP@2": (1 + 1) / 3,
        "nDCG": (2 / log2(3) + 1 / 2) / (1 + 1 / log2(3) + 1 / 2), "FullCoverageRate@2": 0, "FullCoverageRate@3": 1}),
    ("c is smaller than r", [[], [], [], [0, 1], []], 2, {
        "AP": 2 / 4, "AP@3": 0, "F1@3": 0, "RR": 1 / 4, "MeanRank": 4}),
    ("c is greater than r", [[0, 1, 2], [3]], 4, {"AP": (3 * 3 / 3 + 4 / 4) / 4, "F1@1": 2 * 1 * 0.75 / 1.75}),
    ("nothing is covered", [[], []], 2, {
        "P@2": 0, "R": 0, "AP": 0, "nDCG@2": 0, "RR": 0, "Success@2": 0, "F1@2": 0, "ContextPrecision": 0,
        "NoiseShare@5": 1, "TokensToFullCoverage": math.nan, "FullCoverageRate@2": 0, "AP(denominator='retrieved')": 0,
        "MeanRank": math.nan, "AQWV@2": -40}),
    ("D: three chunks back, two relevant", [[0], [1], []], 3, {"P@5": 0.4, "P(denominator='returned')@5": 2 / 3}),
    ("false alarms are ranks, misses are spans", [[0, 1], []], 3, {"AQWV(beta=0.5)@2": 2 / 3 - 0.5 * 1 / 2}),
    ("a rank that covers several is one hit", [[0, 1], [], [0]], 2, {
        "RBP(p=0.5)": 0.5 * (1 + 0.25), "ERR": 1 / 2 + (1 / 2) * (1 / 2) / 3, "AUC": 1 / 2, "Judged@3": 1,
        "RBPResidual(p=0.5)": 0.125, "n_ret": 3, "n_rel_ret": 2}),
], ids=lambda x: x if isinstance(x, str) else "")
def test_hand_cases(about, chunks, spans, expected):
    assert one(chunks, spans, *expected) == pytest.approx(list(expected.values()), nan_ok=True, abs=1e-12)


def test_micro_and_macro_of_the_worked_example():
    """D: one span of one and one of four are covered."""
    covered = covered_of({"a": [[0]], "b": [[], [2]]}, {"a": 1, "b": 4})
    assert evidence_recall(covered, 3, 10) == pytest.approx([2 / 5, 2 / 5])
    assert evidence_recall(covered, 1) == pytest.approx([1 / 5])
    assert values(covered, "PerQueryCoverage@3").mean() == pytest.approx((1 + 1 / 4) / 2)
    assert values(covered, "FullCoverageRate@3").mean() == pytest.approx(1 / 2)


def test_a_split_span_counts_when_its_last_part_is_there():
    long = " ".join(f"{span(i)} {span(1000 + i)}" for i in range(48))
    middle = long.index(span(24))
    run = run_with_texts({"q": ["so " + long[:middle + 400], "no", "so " + long[middle - 400:]]})
    covered = match_evidence(run, truth_with_evidence({"q": [long, span(5000)]})).covered()
    assert [float(values(covered, spec)[0]) for spec in ("R@2", "R@3", "RR", "P@3", "AP")] == pytest.approx(
        [0, 1 / 2, 1, 2 / 3, (1 / 3) / 2])


def test_queries_without_spans_are_undefined_and_missing_ones_0():
    covered = covered_of({"a": [[0]], "b": [[]], "empty": []}, {"a": 1, "b": 0, "empty": 2, "missing": 1})
    for spec in ("R@5", "P@5", "RR", "AP", "nDCG@5", "F1@5", "Success@5", "PerQueryCoverage@5", "FullCoverageRate@5",
                 "ContextPrecision", "ContextRecall", "EvidenceRecall@5", "AP(denominator='retrieved')"):
        found = values(covered, spec)
        assert found[0] > 0 and np.isnan(found[1]) and found[2:].tolist() == [0, 0], spec
    assert values(covered, "NoiseShare@5") == pytest.approx([0, np.nan, np.nan, np.nan], nan_ok=True)
    assert values(covered, "TokensToFullCoverage") == pytest.approx([4, np.nan, np.nan, np.nan], nan_ok=True)
    assert evidence_recall(covered, 5) == [1 / 4]


def test_tokens_to_full_coverage_by_hand():
    """Words of ranks 1 to 3: 'chunk 1 says X', 'chunk 2 says', 'chunk 3 says Y and X'."""
    assert one([[0], [], [1, 0], [1]], 2, "TokensToFullCoverage") == [4 + 3 + 6]
    truth = truth_with_evidence({"q": [span(0)]})
    unread = match_evidence(run_with_texts({"q": [None, span(0)]}), truth).covered()
    assert np.isnan(values(unread, "TokensToFullCoverage")[0]) and values(unread, "RR")[0] == 0.5
    chinese = match_evidence(run_with_texts({"q": ["天地玄黄 " + span(0)]}), truth).covered()
    assert values(chinese, "TokensToFullCoverage").tolist() == [5]


def naive(chunks: list[list[int]], spans: int, k: int) -> dict[str, float]:
    """Every metric of one query in plain Python."""
    first = {s: min((rank for rank, some in enumerate(chunks, 1) if s in some), default=math.inf) for s in range(spans)}
    hits = [rank for rank, some in enumerate(chunks, 1) if some]
    top = [rank for rank in hits if rank <= k]
    seen = [s for s in first if first[s] <= k]
    returned = min(k, len(chunks))
    p, r = len(top) / k, len(seen) / spans
    precision = {rank: sum(f <= rank for f in first.values()) / max(rank, sum(f <= rank for f in first.values()))
                 for rank in {first[s] for s in seen}}
    ideal = sum(1 / log2(i + 1) for i in range(1, min(spans, k) + 1))
    full = max(first.values())
    return {
        "P": p, "R": r, "Success": float(bool(top)), "RR": 1 / top[0] if top else 0.0,
        "F1": 2 * p * r / (p + r) if p + r else 0.0, "AP": sum(precision[first[s]] for s in seen) / spans,
        "AP(denominator='retrieved')": sum((i + 1) / rank for i, rank in enumerate(top)) / len(top) if top else 0.0,
        "nDCG": min(sum(1 / log2(first[s] + 1) for s in seen) / ideal, 1.0),
        "P(denominator='returned')": len(top) / returned if returned else 0.0,
        "PerQueryCoverage": r, "FullCoverageRate": float(len(seen) == spans), "ContextRecall": r, "EvidenceRecall": r,
        "ContextPrecision": sum((i + 1) / rank for i, rank in enumerate(top)) / len(top) if top else 0.0,
        "ContextPrecision(form='share')": len(top) / returned if returned else 0.0,
        "NoiseShare": 1 - len(top) / returned if returned else math.nan,
        "RBP": sum(0.2 * 0.8 ** (rank - 1) for rank in top),
        "AQWV": r - 40 * ((returned - len(top)) / returned if returned else 0.0),
        "TokensToFullCoverage": sum(3 + max(2 * len(some) - 1, 0) for some in chunks[:full]) if full < math.inf
        else math.nan}


def random_matrix(seed: int) -> tuple[dict, dict]:
    rng = random.Random(seed)
    spans = {f"q{i}": rng.choice([1, 1, 2, 3, 7]) for i in range(8)}
    matrix = {query: [sorted({rng.randrange(number) for _ in range(rng.choice([0, 0, 1, 1, 2, 4]))})
                      for _ in range(rng.choice([0, 1, 3, 8]))] for query, number in spans.items()}
    return matrix, spans


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_every_metric_against_plain_python(k):
    for seed in range(10):
        matrix, spans = random_matrix(seed)
        covered = covered_of(matrix, spans)
        expected = [naive(matrix[query], number, k) for query, number in spans.items()]
        for name in expected[0]:
            spec = name if name == "TokensToFullCoverage" else f"{name}@{k}"
            ours, theirs = values(covered, spec), [row[name] for row in expected]
            assert ours == pytest.approx(theirs, nan_ok=True, abs=1e-12), (seed, spec)
        found = sum(row["R"] * number for row, number in zip(expected, spans.values(), strict=True))
        assert evidence_recall(covered, k) == pytest.approx([found / sum(spans.values())])


def specs_by_evidence() -> list[str]:
    """Every metric that has a meaning by evidence, with its words of parameters and cutoffs."""
    found = []
    for entry in METRICS.values():
        if entry.view not in ("Ranked", "Covered"):
            continue
        words = [{name: word} for name, allowed in entry.allowed.items() for word in allowed if isinstance(word, str)]
        for params in [{}, *words]:
            for k in {"required": [1, 4], "optional": [None, 1, 4], "none": [None]}[entry.cutoff]:
                spec = entry.spec(k, **params)
                try:
                    by_evidence(entry, dict(spec.params), k)
                except Unavailable:
                    continue
                found.append(str(spec))
    return list(dict.fromkeys(found))


@cache
def random_covered(seed: int) -> Covered:
    return covered_of(*random_matrix(seed))


@pytest.mark.parametrize("text", specs_by_evidence())
def test_nothing_leaves_its_range(text):
    low, high = parse_spec(text).range
    for seed in range(20):
        found = values(random_covered(seed), text)
        found = found[~np.isnan(found)]
        assert np.all((found >= low) & (found <= high))


def test_a_weight_is_the_denominator_of_its_metric():
    """Micro: sums of hits over sums of ranks, of covered spans over spans."""
    covered = covered_of({"a": [[0], [0]], "b": [[], [2], []]}, {"a": 1, "b": 4})
    for text, expected in (("P(average='micro')@2", 3 / 4), ("R(average='micro')@2", 2 / 5),
                           ("NoiseShare(average='micro')@3", 2 / 5), ("Rprec(average='micro')", 2 / 5)):
        spec = parse_spec(text)
        form = by_evidence(spec.metric, dict(spec.params), spec.k)
        weight = form.weight(covered, *([cutoff_array([spec])] if spec.k else []))
        weight = weight[:, 0] if weight.ndim == 2 else weight
        assert (values(covered, text) * weight).sum() / weight.sum() == pytest.approx(expected), text


@pytest.mark.parametrize("entry", [entry for entry in METRICS.values() if entry.view == "Ranked"],
                         ids=lambda entry: entry.name)
def test_every_metric_of_rankings_says_what_it_is_by_evidence(entry):
    k = 3 if entry.cutoff != "none" else None
    assert entry.by_evidence in ("ranks", "spans", None) or callable(entry.by_evidence)
    if entry.by_evidence is None:
        with pytest.raises(Unavailable):
            by_evidence(entry, {}, k)
    else:
        assert by_evidence(entry, {}, k).unit == (entry.by_evidence if isinstance(entry.by_evidence, str)
                                                 else "ranks and spans")


@pytest.mark.parametrize("text", ["bpref", "MQWV", "AQWV(form='material', corpus_size=100)", "P(rel=2)@5", "R(rel=2)@5",
                                  "F1(average='micro')@5", "AUC(unretrieved='last')"])
def test_what_has_no_meaning_by_evidence_is_unavailable(text):
    spec = parse_spec(text)
    with pytest.raises(Unavailable, match="by evidence"):
        by_evidence(spec.metric, dict(spec.params), spec.k)


def test_where_every_span_has_a_chunk_of_its_own_it_is_as_by_id():
    """A chunk covers at most one span and no span has two chunks: then spans are documents."""
    rng = random.Random(7)
    matrix, spans, rankings, grades = {}, {}, {}, {}
    for query in map(str, range(30)):
        spans[query] = rng.randint(1, 5)
        order = rng.sample(range(12), 8)  # those below the number of spans cover that span
        matrix[query] = [[i] if i < spans[query] else [] for i in order]
        rankings[query] = [f"chunk {rank} says " + " and ".join(map(span, some))
                           for rank, some in enumerate(matrix[query], 1)]
        grades[query] = [f"d{order.index(i) + 1}" if i in order else f"not returned {i}" for i in range(spans[query])]
    names = ["P@3", "P@10", "R@3", "R", "F1@3", "AP", "AP@3", "nDCG@5", "nDCG", "RR", "Success@3", "Rprec", "ERR",
             "RBP", "MeanRank", "AQWV@5", "n_rel", "n_rel_ret", "n_ret", "AP(denominator='retrieved')@5"]
    by_id = evaluate(run_with_texts(rankings), truth_of(grades), names)
    covered = covered_of(matrix, spans)
    for name in names:
        assert values(covered, name) == pytest.approx(by_id.column(name), nan_ok=True, abs=1e-12), name


# ---- TAT-QA: gold paragraphs as evidence, a small BM25 over all paragraphs as the run

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"SKIPPED: no shared data at {DATA} (set RAGDASH_TEST_DATA)")
DEPTH = 10


class Bm25:
    """Okapi BM25, k1 = 1.2, b = 0.75."""

    def __init__(self, texts: list[str]):
        self.docs = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
        self.lengths = [sum(doc.values()) for doc in self.docs]
        self.mean = sum(self.lengths) / len(texts)
        self.postings: dict[str, list[int]] = {}
        for i, doc in enumerate(self.docs):
            for word in doc:
                self.postings.setdefault(word, []).append(i)

    def best(self, question: str, k: int) -> list[int]:
        scores: Counter = Counter()
        for word in set(re.findall(r"\w+", question.lower())):
            found = self.postings.get(word, [])
            idf = math.log(1 + (len(self.docs) - len(found) + 0.5) / (len(found) + 0.5))
            for i in found:
                tf = self.docs[i][word]
                scores[i] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * self.lengths[i] / self.mean))
        return [i for i, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]]


@pytest.fixture(scope="module")
def tatqa() -> tuple[list[str], list[str], dict, dict, dict]:
    """(ids, texts) of the paragraphs; {question: gold texts}, {question: gold ids}, {question: returned places}."""
    documents = json.loads((DATA / "tatqa_dataset_dev.json").read_text(encoding="utf-8"))
    ids = [p["uid"] for doc in documents for p in doc["paragraphs"]]
    texts = [p["text"] for doc in documents for p in doc["paragraphs"]]
    engine, gold, gold_ids, returned = Bm25(texts), {}, {}, {}
    for doc in documents[:60]:
        of_order = {str(p["order"]): p for p in doc["paragraphs"]}
        for question in doc["questions"]:
            if question["answer_from"] == "text" and question["rel_paragraphs"]:
                paragraphs = [of_order[order] for order in question["rel_paragraphs"]]
                gold[question["uid"]] = [p["text"] for p in paragraphs]
                gold_ids[question["uid"]] = [p["uid"] for p in paragraphs]
                returned[question["uid"]] = engine.best(question["question"], DEPTH)
    return ids, texts, gold, gold_ids, returned


def scores_of(tatqa, how: str, cut=lambda text: text):
    _, texts, gold, _, returned = tatqa
    run = run_with_texts({query: [texts[i] for i in places] for query, places in returned.items()})
    truth = truth_with_evidence({query: [cut(text) for text in spans] for query, spans in gold.items()})
    return match_evidence(run, truth, how)


@needs_data
@pytest.mark.parametrize("how", ["exact", "partial"])
def test_tatqa_by_hand(tatqa, how):
    """Spans are whole paragraphs here, so that coverage is read off the texts with the rule written out."""
    from rapidfuzz import fuzz

    _, texts, gold, _, returned = tatqa
    like = (lambda a, b: fuzz.partial_ratio(a, b) / 100) if how == "partial" else (lambda a, b: 0.0)
    chosen = {query: spans for query, spans in gold.items() if max(map(len, spans)) <= 1500}
    assert len(chosen) > 80
    covered = scores_of((None, texts, chosen, None, {q: returned[q] for q in chosen}), how).covered()
    expected = []
    for query, spans in chosen.items():
        chunks = [[s for s, text in enumerate(spans) if naive_covers(texts[i], text, like, 0.7)]
                  for i in returned[query]]
        expected.append((naive(chunks, len(spans), 5), naive(chunks, len(spans), DEPTH), len(spans)))
    for name in ("P", "R", "F1", "AP", "nDCG", "RR", "Success", "PerQueryCoverage", "FullCoverageRate",
                 "ContextPrecision", "NoiseShare"):
        assert values(covered, f"{name}@5") == pytest.approx([row[0][name] for row in expected], abs=1e-12), name
        assert values(covered, f"{name}@10") == pytest.approx([row[1][name] for row in expected], abs=1e-12), name
    micro = sum(row[0]["R"] * row[2] for row in expected) / sum(row[2] for row in expected)
    assert evidence_recall(covered, 5) == pytest.approx([micro]) and 0.5 < micro < 1


@needs_data
def test_tatqa_by_evidence_beside_by_id(tatqa):
    """A paragraph that was returned by its id is covered by its text; another text may cover it, too."""
    ids, _, _, gold_ids, returned = tatqa
    covered = scores_of(tatqa, "exact").covered()
    run_ids = {query: [ids[i] for i in places] for query, places in returned.items()}
    from helpers import run_of

    by_id = evaluate(run_of(run_ids), truth_of(gold_ids), ["R@10", "P@10", "RR", "Success@5"])
    for name in ("R@10", "P@10", "RR", "Success@5"):
        ours, theirs = values(covered, name), by_id.column(name)
        assert np.all(ours >= theirs - 1e-12), name
        assert np.mean(ours == theirs) > 0.9, name


@needs_data
def test_tatqa_the_middle_of_a_paragraph_is_found_in_it(tatqa):
    """A span of 120 characters with every tenth letter wrong: the full string rule sees none of them."""
    def wrong(text: str) -> str:
        middle = text[len(text) // 3:][:120]
        return "".join("#" if i % 10 == 5 and c != " " else c for i, c in enumerate(middle))

    long = {query: [text for text in spans if len(text) > 400] for query, spans in tatqa[2].items()}
    cut = (tatqa[0], tatqa[1], {query: spans or ["nothing to be found here at all, friends"] for query, spans
                                in long.items()}, tatqa[3], tatqa[4])
    whole, partial, sequence = (scores_of(cut, how, form).covered().span_rank for how, form in (
        ("exact", str), ("partial", wrong), ("sequence", wrong)))
    kept = np.array([len(text) > 400 for spans in cut[2].values() for text in dict.fromkeys(spans)])
    found = whole[kept] <= DEPTH
    assert found.sum() > 30 and np.all(partial[kept][found] <= DEPTH)
    assert not np.any(sequence[kept] <= DEPTH)


@needs_data
def test_tatqa_gold_answers_through_evaluate_by_hand():
    """All questions answered from text: spans are the gold answers, most of them short: only whole tokens count."""
    documents = json.loads((DATA / "tatqa_dataset_dev.json").read_text(encoding="utf-8"))
    texts = [p["text"] for doc in documents for p in doc["paragraphs"]]
    engine, spans, returned = Bm25(texts), {}, {}
    for question in (question for doc in documents for question in doc["questions"]):
        answers = question["answer"] if isinstance(question["answer"], list) else [question["answer"]]
        plain = {" ".join(str(answer).lower().split()) for answer in answers}
        if question["answer_from"] == "text" and all(text.isascii() and text[0].isalnum() for text in plain):
            spans[question["uid"]] = sorted(plain)
            returned[question["uid"]] = engine.best(question["question"], DEPTH)
    run = run_with_texts({query: [texts[i] for i in places] for query, places in returned.items()})
    found = evaluate(run, truth_with_evidence(spans), "EvidenceRecall@3 EvidenceRecall@10 PerQueryCoverage@10 "
                     "FullCoverageRate@10 P@5 AP@10 RR Success@10", match="evidence", match_how="exact")
    rows = []
    for query, some in spans.items():
        chunks = [[s for s, text in enumerate(some) if naive_covers(texts[i], text, lambda a, b: 0.0, 0.7)]
                  for i in returned[query]]
        rows.append((naive(chunks, len(some), 3), naive(chunks, len(some), 5), naive(chunks, len(some), DEPTH),
                     len(some)))
    assert len(rows) > 250
    for name, k in (("PerQueryCoverage@10", 2), ("FullCoverageRate@10", 2), ("P@5", 1), ("AP@10", 2),
                    ("Success@10", 2)):
        assert found.column(name) == pytest.approx([row[k][name.partition("@")[0]] for row in rows]), name
    assert found.column("RR") == pytest.approx([row[2]["RR"] for row in rows])
    summary = {str(one.spec): one.mean for one in found.summary(resamples=10)}
    for name, k in (("EvidenceRecall@3", 0), ("EvidenceRecall@10", 2)):
        micro = sum(row[k]["R"] * row[3] for row in rows) / sum(row[3] for row in rows)
        assert summary[name] == pytest.approx(micro) and 0.3 < micro < 1
