"""Judged documents with an error in their id, and scores that are distances."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ragdash.analysis.comparability import check_comparability
from ragdash.analysis.comparability.near_ids import near_ids
from ragdash.analysis.comparability.run_coverage import look_like_distances, rising_queries
from ragdash.analysis.verdict import find_checks
from ragdash.core.records import Run, Truth
from ragdash.io import read_runs, read_truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec

NDCG = parse_spec("nDCG@10")


def near(judged: str, *returned: str) -> list[tuple[str, str]]:
    return near_ids([Run.from_dict({"q": list(returned)})], Truth.from_dict({"q": {judged: 1}}))


@pytest.mark.parametrize("judged, returned", [
    ("travel_polcy.pdf", "travel_policy.pdf"), ("handbok.pdf", "handbook.pdf"),
    ("docs/contarct.md", "docs/contract.md"), ("kündigung.pdf", "kündigug.pdf"), ("polici/a.md", "policy/a.md")])
def test_one_word_with_an_error_is_found(judged, returned):
    assert near(judged, "other.pdf", returned) == [(judged, returned)]


@pytest.mark.parametrize("judged, returned", [
    ("doc_12.pdf", "doc_13.pdf"), ("appendix_a.pdf", "appendix_b.pdf"), ("chapter2.pdf", "chapter3.pdf"),
    ("a1b2c3d4", "a1b2c3d5"), ("Handbook.pdf", "handbook.pdf"), ("travel.pdf", "contract.pdf"), ("cat", "car")])
def test_numbers_single_letters_case_and_other_words_are_no_errors(judged, returned):
    assert not near(judged, returned)


def test_two_candidates_and_returned_documents_are_left_alone():
    assert not near("travel_polcy.pdf", "travel_policy.pdf", "travel_polly.pdf")
    assert not near("travel_policy.pdf", "travel_policy.pdf", "travel_polcy.pdf")


def test_the_checks_and_the_data_page_say_it():
    runs = [Run.from_dict({"q": ["travel_policy.pdf", "it_guide.pdf"]}, name) for name in ("dense", "hybrid")]
    truth = Truth.from_dict({"q": {"travel_polcy.pdf": 1, "it_guide.pdf": 1}})
    check, = [check for check in find_checks([Match(run, truth) for run in runs], NDCG) if check.kind == "near-ids"]
    assert check.level == "qualified" and check.found() == "'travel_polcy.pdf' is judged relevant and never returned"
    assert check.effect().startswith("Did you mean 'travel_policy.pdf'?")
    entry = check_comparability(runs, truth).of("near-ids")
    assert entry.severity == "warning" and "'travel_polcy.pdf'" in entry.found and "travel_policy" in entry.effect


def test_large_sets_take_little_time():
    rng = np.random.default_rng(0)
    names = ["".join(word) for word in rng.choice(list("abcdefgh"), (150_000, 7))]
    run = Run.build("run", ["q"] * len(names), names)
    truth = Truth.build("truth", ["q"] * 20_000, [f"{name}x" for name in names[:20_000]], [1] * 20_000)
    started = time.process_time()
    near_ids([run], truth)
    assert time.process_time() - started < 10


def test_scores_that_rise_by_chance_are_no_distances():
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(200):
        queries = np.repeat([f"q{number}" for number in range(6)], 2)
        run = Run.build("run", queries.tolist(), [f"d{row}" for row in range(12)], rng.random(12))
        wrong += look_like_distances(run, *rising_queries(run)[:2])
    assert wrong <= 0.05 * 200


@pytest.mark.parametrize("queries, documents, sure", [(1, 3, False), (1, 5, True), (2, 3, True), (3, 2, False),
                                                      (5, 2, True)])
def test_scores_that_rise_in_every_query_are_distances_where_chance_is_unlikely(queries, documents, sure):
    ids = np.repeat([f"q{number}" for number in range(queries)], documents).tolist()
    run = Run.build("run", ids, [f"d{row}" for row in range(len(ids))],
                    np.tile(np.arange(documents, dtype=float), queries))
    assert look_like_distances(run, *rising_queries(run)[:2]) == sure


def test_a_column_of_distances_is_reversed_once_and_said():
    rows = ["question,system,chunk_id,distance,expected_source"]
    rows += [f"What is number {number}?,{system},{doc}.pdf,{distance},far.pdf" for number in range(6)
             for system in ("dense", "hybrid") for doc, distance in (("near", 0.1), ("middle", 0.4), ("far", 0.9))]
    source = ("long.csv", "\n".join(rows).encode())
    mapping = {"role": "both", "query": "question", "config": "system", "doc_id": "chunk_id", "score": "distance",
               "relevant": "expected_source"}
    runs, truth = read_runs(source, mapping=mapping), read_truth(source, mapping=mapping)
    assert runs[0].ranking("What is number 0?").column("doc_id").to_pylist() == ["near.pdf", "middle.pdf", "far.pdf"]
    checks = find_checks([Match(run, truth) for run in runs], NDCG)
    assert [check.message for check in checks if "scores" in check.kind] == ["reversed-scores/distances"] * 2
    assert check_comparability(runs, truth).of("rising-scores", "dense").severity == "ok"
