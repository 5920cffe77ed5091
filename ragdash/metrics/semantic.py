"""Answers held against references and questions by local models; the values come from the cache
(ragdash.evaluation.scoring).
"""

from __future__ import annotations

from ragdash.matching.views.local_models import Scored
from ragdash.matching.views.ranked import Values
from ragdash.metrics.registry import metric

_SBERT = "Reimers and Gurevych 2019 (Sentence-BERT); sentence-transformers"


@metric("SBERT", "SBERT similarity", formula=r"\max_{g \in references} \cos(e(answer), e(g))", source=_SBERT,
        range=(-1.0, 1.0), relevance=False, aliases=("sbert_similarity", "semantic_similarity"))
def sbert(scored: Scored, *, model: str = "") -> Values:
    """Cosine of the sentence embeddings of answer and reference, of several references the best.

    Texts go to the model as they are (no lower case, no words taken off). Unrelated texts have about 0, with some
    models much more: compare values of one model only, it stands in the settings. A text longer than the model reads
    is cut, which is counted and told. Others map the cosine to (1 + cos) / 2; here it stays as it is. Undefined
    without answer or reference, where either is empty, and where it was not computed. model: which model's values;
    '' is the one last used. Returns (Q,) in [-1, 1].
    """
    return scored.values("SBERT", model)


@metric("CrossEncoder", "Cross-encoder similarity", formula=r"\max_{g \in references} \sigma(f(g, answer))",
        source="Nogueira and Cho 2019; sentence-transformers CrossEncoder", relevance=False,
        aliases=("cross_encoder", "cross_encoder_similarity"))
def cross_encoder(scored: Scored, *, model: str = "") -> Values:
    """Score of a cross-encoder that reads reference and answer together, of several references the best.

    The raw score goes through a sigmoid, whatever the model's folder says; the order is (reference, answer) and
    matters. What the model was trained for decides what the number means: an ms-marco model tells whether the answer
    is a relevant passage for the reference as query, an STS model how alike they are. Undefined as SBERT. Returns
    (Q,) in [0, 1].
    """
    return scored.values("CrossEncoder", model)


@metric("SemanticRelevance", "Semantic answer relevance", formula=r"\cos(e(query), e(answer))", source=_SBERT,
        range=(-1.0, 1.0), relevance=False, aliases=("semantic_relevance", "semantic_answer_relevance"))
def semantic_relevance(scored: Scored, *, model: str = "") -> Values:
    """Cosine of the sentence embeddings of query and answer: does the answer speak of what was asked?

    It says nothing of whether the answer is right. RAGAS embeds questions that a language model makes of the answer;
    here it is the answer itself. Undefined without query or answer, where either is empty, and where it was not
    computed. Returns (Q,) in [-1, 1].
    """
    return scored.values("SemanticRelevance", model)
