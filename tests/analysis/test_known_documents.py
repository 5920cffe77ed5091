"""Unknown documents are seen in a sample of a large run as in the whole of it."""

from __future__ import annotations

import pytest
from traps import make_qrels, make_run

from ragdash.analysis.verdict import find_checks, known_documents
from ragdash.core.messages import render
from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec


@pytest.fixture(scope="module")
def matches() -> list[Match]:
    """One run that names half of its documents in a way that nothing else does, next to one that does not."""
    qrels = make_qrels()
    good = {query: [(doc if index % 2 else f"page-{doc[1:]}-v2", score) for index, (doc, score) in enumerate(row)]
            for query, row in make_run(qrels, 2.5, 1).items()}
    truth = Truth.from_dict(qrels)
    return [Match(Run.from_dict({query: dict(row) for query, row in ranking.items()}, name), truth)
            for name, ranking in (("good", good), ("poor", make_run(qrels, 1.0, 2)))]


def _facts(matches: list[Match]) -> dict:
    check, = (check for check in find_checks(matches, parse_spec("nDCG@10")) if check.kind == "unknown-ids")
    return check.facts


def test_a_sample_of_the_queries_shows_unknown_documents(matches, monkeypatch):
    whole = _facts(matches)
    documents = len(matches[0].run.docs)
    assert whole["looked"] == 0 and "looked at" not in render("check-unknown-ids", whole).actual
    monkeypatch.setattr(known_documents, "SAMPLE", documents // 4)
    part = _facts(matches)
    assert part["looked"] == documents // 4 and part["returned"] == documents
    assert part["share"] == pytest.approx(whole["share"], abs=0.1)
    assert f"{part['looked']:,} of {documents:,} looked at" in render("check-unknown-ids", part).actual


def test_the_sample_is_every_nth_query(matches):
    run = matches[0].run
    rows = known_documents.sampled_rows(run, len(run.docs) // 2)
    lengths = run.starts[1:] - run.starts[:-1]
    assert rows.sum() == lengths[::2].sum() < len(rows)
    assert known_documents.sampled_rows(run, len(run.docs)) is None
