"""The corpus seen from its failures, by hand: planted hubs and copies are found, random lists have none."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ragdash import Run, Truth
from ragdash.analysis.failure_patterns.corpus import corpus_view
from ragdash.cli.main import main
from ragdash.core.corpus import Corpus
from ragdash.matching.match import Match
from ragdash.reporting.sentences.failures.corpus import corpus_sentences

LONG = "the probe fell into the sea of crises on the moon while the crew of the other ship slept in orbit"


def run_of(name: str, lists: dict[str, list[str]], texts: dict[str, str] | None = None) -> Run:
    rows = [(query, doc, -float(rank)) for query, docs in lists.items() for rank, doc in enumerate(docs)]
    queries, docs, scores = map(list, zip(*rows, strict=True))
    return Run.build(name, queries, docs, scores, texts=None if texts is None else [texts.get(doc) for doc in docs])


def random_lists(seed: int, queries: int = 60, k: int = 10, documents: int = 300) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    return {f"q{query:03}": [f"d{doc}" for doc in rng.permutation(documents)[:k]] for query in range(queries)}


def test_a_view_worked_by_hand():
    texts = {"a": LONG, "b": f"{LONG} well", "c": LONG.upper(), "d": "mars", "e": "mars 2023"}
    run = run_of("bm25", {"q1": ["a", "b", "d"], "q2": ["c", "a", "b"], "q3": ["d", "e", "x"]}, texts)
    other = run_of("dense", {"q1": ["g1"], "q4": ["z"]})
    truth = Truth.build("qrels", ["q1", "q1", "q1", "q2", "q3", "q4"], ["a", "g1", "g2", "c", "e", "g9"],
                        [1, 1, 2, 1, 0, 1])
    corpus = Corpus.build("docs", [*"abcdexz", "g1", "g2", "g9", "n1", "n2"], [texts.get(doc, "text") for doc in (
        *"abcdexz", "g1", "g2", "g9", "n1", "n2")])
    truth = replace(truth, corpus=corpus)
    view = corpus_view([Match(run, truth), Match(other, truth)], 0, k=2)
    assert view.unfound.relevant == 5 and view.unfound.documents == ("g2", "g9") and view.unfound.queries.tolist() == [
        0, 3]
    assert sorted(view.never.to_pylist()) == ["g2", "g9", "n1", "n2"] and view.never_relevant == 2
    # in the top 2: q1 a, b (near a); q2 c, a (equal to c); q3 d, e (other numbers)
    assert [(copy.document, copy.original, copy.queries.tolist()) for copy in view.copies.copies] == [
        ("a", "c", [False, True, False, False]), ("b", "a", [True, False, False, False])]
    assert view.copies.places == 2 and view.copies.queries.tolist() == [True, True, False, False]
    counts = np.array([2, 1, 1, 1, 1] + [0] * 7)  # a, b, c, d, e and the rest of the corpus
    skew = ((counts - counts.mean()) ** 3).mean() / counts.std() ** 3
    assert view.hubs.skew == pytest.approx(skew) and view.hubs.documents == 12 and not view.hubs.hubs
    text = " ".join(corpus_sentences(view))
    assert "**2 of 5 relevant documents** (40%), of 2 queries, are returned by no run shown" in text
    assert "**4 of 12 documents** of the corpus (33%)" in text and "2 of them are relevant for a query" in text
    assert "In **2 of 4 queries**, equal or nearly equal texts take 2 ranks in the top 2 of bm25" in text
    scope = np.array([False, True, True, False])
    part = corpus_view([Match(run, truth), Match(other, truth)], 0, k=3, queries=scope)
    assert part.unfound.relevant == 1 and not part.unfound.documents and part.copies.queries.tolist() == [
        False, True, False, False]
    bare = corpus_view([Match(other, replace(truth, corpus=None))])
    assert bare.never is None and not bare.copies.texts and not bare.hubs.of_corpus
    assert "dense has no texts of its documents" in " ".join(corpus_sentences(bare))


def test_a_planted_hub_is_found_with_its_judgments_and_random_lists_have_none():
    lists = random_lists(1)
    for query in list(lists)[:30]:
        lists[query][4] = "hub"
    truth = Truth.build("qrels", ["q000", "q001", "q040"], ["hub", "hub", "d1"], [1, 0, 1])
    truth = Truth.build("qrels", [*(f"q{query:03}" for query in range(60)), "q001"], ["hub", *["none"] * 59, "hub"],
                        [1, *[0] * 59, 0])
    view = corpus_view([Match(run_of("bm25", lists), truth)])
    [hub] = view.hubs.hubs
    assert (hub.document, hub.n, hub.relevant, hub.not_relevant, hub.unjudged) == ("hub", 30, 1, 1, 28)
    assert hub.queries[:30].all() and not hub.queries[30:].any() and view.hubs.places == pytest.approx(30 / 600)
    assert "**1 hub** among 255 returned documents takes 5% of the places" in corpus_sentences(view)[2]
    alarms = sum(bool(corpus_view([Match(run_of("bm25", random_lists(seed)), truth)]).hubs.hubs)
                 for seed in range(2, 62))
    assert alarms <= 8  # 3 expected at most; 9 or more has a probability below 0.004


def test_what_no_run_finds_is_told_by_source_and_length_with_intervals_over_queries():
    queries = [f"q{query:02}" for query in range(40)]
    docs = [f"{'scan.pdf' if query % 2 else 'guide.md'}#{query}" for query in range(40)]
    truth = Truth.build("qrels", queries, docs, [1] * 40)
    lengths = [2_000 if query % 2 else 10 + query for query in range(40)]
    truth = replace(truth, corpus=Corpus.build("docs", docs, ["x" * length for length in lengths]))
    result = run_of("bm25", {query: [doc] if place % 2 == 0 or place < 10 else ["other"]
                            for place, (query, doc) in enumerate(zip(queries, docs, strict=True))})
    unfound = corpus_view([Match(result, truth)]).unfound
    assert len(unfound.queries) == 15
    scans, guides = unfound.by_source
    assert (scans.name, scans.relevant, scans.unfound, scans.share) == ("scan.pdf", 20, 15, 0.75)
    assert 0.4 < scans.low < 0.75 < scans.high <= 1 and (guides.name, guides.unfound) == ("guide.md", 0)
    assert scans.queries.sum() == 15 and unfound.by_length[-1].unfound == 15
    assert corpus_view([Match(result, replace(truth, corpus=None))]).unfound.by_length == ()


def test_the_command_prints_the_documents_and_json_has_their_queries(tmp_path, capsys):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 g 1\nq2 0 b 1\n")
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps({"query_id": query, "retrieved": [
        {"doc_id": "a", "score": 2.0, "text": LONG}, {"doc_id": "b", "score": 1.0, "text": LONG}]})
        for query in ("q1", "q2")))
    command = ["diagnose", str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "qrels.txt"), "--documents"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "1 of 3 relevant documents (33%), of 1 query, is returned by no run shown" in out and "Copy" in out
    assert main([*command, "--format", "json"]) == 0
    documents = json.loads(capsys.readouterr().out)["runs"][0]["documents"]
    assert documents["unfound"]["rows"] == [{"document": "g", "query": "q1"}]
    assert documents["copies"]["rows"] == [{"document": "b", "original": "a", "queries": ["q1", "q2"]}]
    assert documents["never_returned"] is None and documents["unfound"]["by_source"] == []
