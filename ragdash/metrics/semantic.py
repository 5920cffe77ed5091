"""Answers compared with references and questions by local models; the values come from the cache
(ragdash.evaluation.scoring).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragdash.matching.views.ranked import Values
from ragdash.metrics.registry import metric

if TYPE_CHECKING:  # the view needs what models say; a list of the metrics does not
    from ragdash.matching.views.local_models import Scored

_SBERT = "Reimers and Gurevych 2019 (Sentence-BERT); sentence-transformers"


@metric("SBERT", "SBERT similarity", formula=r"\max_{g \in references} \cos(e(answer), e(g))", source=_SBERT,
        range=(-1.0, 1.0), relevance=False, aliases=("sbert_similarity", "semantic_similarity"),
        when="Right answers in very different words. Use one model for all compared runs.",
        differs="RAGAS SemanticSimilarity: the same idea with its own model.")
def sbert(scored: Scored, *, model: str = "") -> Values:
    """Cosine of the sentence embeddings of answer and reference; with several references the best.

    Texts go to the model unchanged. Unrelated texts have about 0, with some models much more. So compare values of one
    model only; the settings name it. Texts longer than the model reads are cut, counted and reported. Other tools map
    the cosine to (1 + cos) / 2; here it stays as it is. Undefined without answer or reference, if either is empty, and
    if it was not computed. model: which model's values; '' is the one used last. Returns (Q,) in [-1, 1].
    """
    return scored.values("SBERT", model)


@metric("CrossEncoder", "Cross-encoder similarity", formula=r"\max_{g \in references} \sigma(f(g, answer))",
        source="Nogueira and Cho 2019; sentence-transformers CrossEncoder", relevance=False,
        aliases=("cross_encoder", "cross_encoder_similarity"),
        when="Like SBERT, slower and more precise; its training decides what it measures.")
def cross_encoder(scored: Scored, *, model: str = "") -> Values:
    """Score of a cross-encoder that reads reference and answer together; with several references the best.

    The raw score goes through a sigmoid, whatever the model's folder says. The order is (reference, answer), and it
    matters. The model's training decides what the number means: an ms-marco model predicts whether the answer is a
    relevant passage for the reference as query, an STS model how similar they are. Undefined as SBERT. Returns (Q,) in
    [0, 1].
    """
    return scored.values("CrossEncoder", model)


@metric("SemanticRelevance", "Semantic answer relevance", formula=r"\cos(e(query), e(answer))", source=_SBERT,
        range=(-1.0, 1.0), relevance=False, aliases=("semantic_relevance", "semantic_answer_relevance"),
        when="Does the answer address the question, in any words?",
        differs="RAGAS ResponseRelevancy embeds questions that a model writes from the answer.")
def semantic_relevance(scored: Scored, *, model: str = "") -> Values:
    """Cosine of the sentence embeddings of query and answer: does the answer address the question?

    It does not show whether the answer is right. RAGAS embeds questions that a language model writes from the answer;
    here it is the answer itself. Undefined without query or answer, if either is empty, and if it was not computed.
    Returns (Q,) in [-1, 1].
    """
    return scored.values("SemanticRelevance", model)
