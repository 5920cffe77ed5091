"""BLEU and chrF of answers, computed by sacrebleu (the extra `text`). Unavailable where it is not installed.

Undefined (NaN, never 0) for a query without an answer or a reference. All references of a query count together, as
sacrebleu has them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ragdash.core.errors import Unavailable
from ragdash.core.text import listed
from ragdash.matching.views.ranked import Values
from ragdash.matching.views.texts import Answered
from ragdash.metrics.registry import metric

_TOKENIZERS = ("13a", "intl", "char", "none")


@metric("BLEU", "BLEU", formula=r"BP \cdot \exp\left(\tfrac{1}{4} \sum_{n=1}^{4} \ln p_n\right)",
        source="Papineni et al. 2002; sacrebleu", relevance=False, aliases=("bleu", "sacrebleu", "sentence_bleu"),
        allowed={"tokenize": _TOKENIZERS},
        when="To compare with papers that report it. For short answers token F1 says more.",
        differs="sacrebleu sentence_bleu: the same, over 100. Its corpus BLEU is no mean of queries. NLTK smooths "
                "in another way.")
def bleu(answered: Answered, *, tokenize: str = "13a") -> Values:
    """Precision of word sequences up to four, with a penalty for answers that are too short.

    Exponential smoothing, as in sacrebleu. Returns (Q,) in [0, 1].
    """
    score = _sacrebleu().BLEU(effective_order=True, tokenize=tokenize).sentence_score
    return _scores(answered, score)


@metric("chrF", "chrF", formula=r"\frac{(1 + \beta^2) \cdot chrP \cdot chrR}{\beta^2 \cdot chrP + chrR}",
        source="Popović 2015; sacrebleu", relevance=False, aliases=("chrf", "chr_f"),
        allowed={"words": (0, 4), "beta": (1, 9)},
        when="Languages with rich endings, and names: parts of words count.",
        differs="sacrebleu sentence_chrf: the same, over 100. words=2 is chrF++.")
def chrf(answered: Answered, *, words: int = 0, beta: int = 2) -> Values:
    """F-score of sequences of up to six characters, recall counting beta times as much as precision.

    With several references the best one counts. Returns (Q,) in [0, 1].
    """
    return _scores(answered, _sacrebleu().CHRF(word_order=words, beta=beta).sentence_score)


def _sacrebleu():
    """The metrics of sacrebleu; Unavailable where it is not installed."""
    try:
        from sacrebleu import metrics
    except ImportError:
        raise Unavailable("no-sacrebleu", {}, "metric") from None
    return metrics


def _scores(answered: Answered, score: Callable) -> Values:
    """score(answer, references) of each query as a share: (Q,)."""
    answered.need("references")
    values = np.full(answered.queries, np.nan)
    for query, (answer, texts) in enumerate(zip(answered.answers, answered.references, strict=True)):
        references = list(listed(texts))
        if answer is not None and references:
            values[query] = min(score(answer, references).score / 100, 1.0)
    return values
