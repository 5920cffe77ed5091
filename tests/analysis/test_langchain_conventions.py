"""LangChain next to what is said of it, with the real package where it is installed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ragdash import Run, Truth, fuse, parse_specs
from ragdash.analysis.comparability.other_tools import METRICS, TOOLS, show_as

REASON = "langchain-classic is not installed: its conventions are not tried"


def test_it_has_no_metric_of_rankings():
    evaluation = pytest.importorskip("langchain_classic.evaluation", reason=REASON)
    kinds = {kind.value for kind in evaluation.EvaluatorType}
    assert "qa" in kinds and "exact_match" in kinds, "its evaluators judge answers and texts"
    words = ("recall", "precision", "ndcg", "mrr", "hit", "rank", "retriev")
    assert not [kind for kind in kinds if any(word in kind for word in words)]
    assert not TOOLS["langchain"].metrics
    run, truth = Run.build("r", ["q"], ["d"]), Truth.build("t", ["q"], ["d"], [1])
    assert show_as(run, truth, "langchain", parse_specs(" ".join(f"{name}@5" for name in METRICS))) == []


@pytest.mark.parametrize(("weights", "c"), [((0.5, 0.5), 60), ((0.2, 0.8), 60), ((0.6, 0.4), 1)])
def test_its_ensemble_fuses_as_the_preset_does(weights, c):
    ensemble = pytest.importorskip("langchain_classic.retrievers.ensemble", reason=REASON)
    document = pytest.importorskip("langchain_core.documents", reason=REASON).Document
    runnables = pytest.importorskip("langchain_core.runnables", reason=REASON)
    lists = {"sparse": ["a", "b", "c", "d"], "dense": ["c", "e", "a"]}
    found = [[document(page_content=name) for name in names] for names in lists.values()]
    retrievers = [runnables.RunnableLambda(lambda question, documents=documents: documents) for documents in found]
    there = ensemble.EnsembleRetriever(retrievers=retrievers, weights=list(weights), c=c).invoke("q")
    runs = [Run.build(name, ["q"] * len(names), names) for name, names in lists.items()]
    here = fuse(runs, preset="langchain-ensemble", weights=weights, k=c).ranking("q")
    assert here["doc_id"].to_pylist() == [document.page_content for document in there]
    assert all(first >= second for first, second in pairwise(here["score"].to_pylist()))
