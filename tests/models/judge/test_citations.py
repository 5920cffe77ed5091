"""Citations: which are read in an answer, the three shares worked by hand; RAGAS's names are here or say why not."""

from __future__ import annotations

import numpy as np
import pytest
from models.judge.scripted import Scripted, case

from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match
from ragdash.metrics.docs.ragas_names import NOT_HERE
from ragdash.metrics.spelling import spellings
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks.citations import statements
from ragdash.models.judge.tasks.ragas import factual_correctness
from ragdash.models.judge.tasks.ragchecker_scores import Checked

IDS = ["guide.pdf", "d7", "Annual Report"]
RAGAS_NAMES = (
    "Faithfulness", "AnswerRelevancy", "ResponseRelevancy", "ContextPrecision", "ContextPrecisionWithReference",
    "ContextPrecisionWithoutReference", "ContextUtilization", "ContextRecall", "ContextEntityRecall",
    "NoiseSensitivity", "FactualCorrectness", "ContextRelevance", "ResponseGroundedness", "AnswerAccuracy",
    "AnswerCorrectness", "SemanticSimilarity", "ExactMatch", "StringPresence", "RougeScore", "BleuScore",
    "CHRFScore", "NonLLMStringSimilarity", "IDBasedContextPrecision", "IDBasedContextRecall",
    "NonLLMContextPrecisionWithReference", "NonLLMContextRecall", "FaithfulnesswithHHEM", "QuotedSpansAlignment",
    "SummaryScore", "DomainSpecificRubrics", "InstanceSpecificRubrics", "RubricsScoreWithReference",
    "RubricsScoreWithoutReference", "AspectCritic", "SimpleCriteriaScore", "DiscreteMetric", "NumericMetric",
    "RankingMetric", "AgentGoalAccuracyWithReference", "ToolCallAccuracy", "ToolCallF1", "TopicAdherence",
    "SQLSemanticEquivalence", "DataCompyScore", "MultiModalFaithfulness", "MultiModalRelevance")


@pytest.mark.parametrize("answer, cited", [
    ("It landed [2].", [(1,)]), ("It landed. [2] It stayed [1, 3].", [(1,), (0, 2)]),
    ("All of it [1-3].", [(0, 1, 2)]), ("It landed [9].", [(None,)]), ("It landed (d7).", [(1,)]),
    ("It landed [annual report].", [(2,)]), ("It landed (source: guide.pdf).", [(0,)]),
    ("It landed (other.pdf).", [(None,)]), ("It landed² in May¹.", [(1, 0)]), ("It landed [source 3].", [(2,)]),
    ("It landed [^1] and stayed [^a].\n\n[^1]: d7, page 3\n[^a]: guide.pdf", [(1, 0)]),
    ("It landed (in May) [sic] in (2019) and 5 (of 7).", [()]), ("It landed (3).", [()]),
    ("First [1][2]. Then nothing.", [(0, 1), ()]), ("See [the guide](guide.html).", [()]),
])
def test_what_is_a_citation(answer, cited):
    found = statements(answer, IDS)
    assert [statement.cited for statement in found] == cited
    assert not any("[1" in statement.text or "²" in statement.text for statement in found)


def test_numbers_that_are_ids_mean_places_first():
    assert statements("So [2].", ["2", "1"])[0].cited == (1,) and statements("So [7].", ["7", "1"])[0].cited == (0,)
    assert statements("So [①].", ["7", "①"])[0].cited == (1,)


def test_precision_recall_and_fabricated_citations_by_hand():
    paris, tower = "Paris stands beside Seine.", "Gustave built tower."
    rows = {"mixed": {"question": "What?", "answer": f"{paris[:-1]} [1][2]. {tower[:-1]} [2][7].",
                      "contexts": [paris, "Cheese smells strong."]},
            "right": {"question": "What?", "answer": f"{paris[:-1]} [1].", "contexts": [paris]},
            "none": {"question": "What?", "answer": paris, "contexts": [paris]},
            "silent": {"question": "What?", "answer": "", "contexts": [paris]}}
    run, truth = case(rows)
    Scripted(default_verdict_store()).judge_all(Match(run, truth).judged, "CitationPrecision")
    found = evaluate(run, truth, "CitationPrecision CitationRecall FabricatedCitations")
    order = [found.query_ids.to_pylist().index(query) for query in rows]
    expected = [[1 / 4, 1 / 2, 1 / 4], [1, 1, 0], [np.nan] * 3, [np.nan] * 3]
    assert found.values[order] == pytest.approx(np.array(expected), nan_ok=True)


def test_ragas_factual_correctness_has_another_recall_than_ragchecker():
    checked = Checked(correct=(True, True, True, False), found=(True, False, False))
    assert factual_correctness(checked, "precision") == 3 / 4
    assert factual_correctness(checked, "recall") == 3 / 5  # RAGChecker: 1 / 3
    assert factual_correctness(checked) == pytest.approx(2 * 0.75 * 0.6 / 1.35)


def test_every_ragas_name_is_here_or_says_why_not():
    known = spellings()
    for name in RAGAS_NAMES:
        assert (f"ragas.{name}".casefold() in known) != (name in NOT_HERE), name
    assert all(instead and because for instead, because in NOT_HERE.values())
