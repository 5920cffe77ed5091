"""How much of an answer its contexts contain, as a bag of words. Order, negation and paraphrase are not seen, so a
high value is no proof and a low one shows where to look.

Undefined (NaN, never 0): no answer, an answer without a token, a refusal ("I don't know"), which states nothing, and
unknown contexts. An empty list of contexts supports
nothing: coverage and density 0, hallucination 1. Contexts are those given to the generator; if a run has none, the
texts of its first documents are used. Normalization: ragdash.core.text; "squad" reads a sentence of Chinese as one
token, "unicode" character by character.
"""

from __future__ import annotations

import numpy as np

from ragdash.core.text import stop_words
from ragdash.matching.views.ranked import Values
from ragdash.matching.views.texts import Grounded
from ragdash.metrics.example_setups import Example
from ragdash.metrics.registry import metric

_RAGAS_JUDGE = "RAGAS, TruLens and DeepEval ask a language model under similar names; their values are not comparable."
_FACTS = {"relevance": False, "allowed": {"normalization": ("squad", "unicode")}}


def _shares(numerators: list[int], wholes: list[int]) -> Values:
    """parts / wholes, NaN where the whole is 0: (Q,)."""
    wholes = np.array(wholes, np.float64)
    return np.divide(numerators, wholes, out=np.full(len(wholes), np.nan), where=wholes > 0)


def _content_counts(grounded: Grounded, normalization: str) -> tuple[list[int], list[int]]:
    """(distinct content words of the answer that a context holds, all of them): (Q,) each."""
    stops, (answer_tokens, supported_tokens) = stop_words(normalization), grounded.support(normalization)
    return [len(supported - stops) for supported in supported_tokens], [
        len(set(words or ()) - stops) for words in answer_tokens
    ]


def _token_counts(grounded: Grounded, normalization: str) -> tuple[list[int], list[int]]:
    """(tokens of the answer that a context holds, all of them), with repeats: (Q,) each."""
    answer_tokens, supported_tokens = grounded.support(normalization)
    return (
        [
            sum(map(supported.__contains__, words or ()))
            for words, supported in zip(answer_tokens, supported_tokens, strict=True)
        ],
        [len(words or ()) for words in answer_tokens],
    )


@metric("SupportCoverage", "Support coverage",
        formula=r"\frac{|content(answer) \cap content(contexts)|}{|content(answer)|}",
        source="lexical grounding, as in RAG practice", aliases=("support_coverage",), **_FACTS,
        weight=lambda grounded, normalization="squad": np.array(_content_counts(grounded, normalization)[1], float),
        when="A first check of grounding, without a model: do the contexts contain the words of the answer?",
        differs=_RAGAS_JUDGE,
        example=Example("grounded", "SupportCoverage", 0.8,
                        "the context contains paris, capital, france and inhabitants, but not 2200000: 4 / 5"))
def support_coverage(grounded: Grounded, *, normalization: str = "squad") -> Values:
    """Share of the answer's distinct content words that some context contains; numbers are content.

    Content words are those not on the Snowball project's list of English stop words. An answer in another language
    keeps its function words. Undefined for a refusal and for an answer without a content word. Returns (Q,) in [0, 1].
    """
    return _shares(*_content_counts(grounded, normalization))


@metric("SupportDensity", "Support density", formula=r"\frac{|\{t \in answer: t \in contexts\}|}{|answer|}",
        source="lexical grounding, as in RAG practice", aliases=("support_density",), **_FACTS,
        weight=lambda grounded, normalization="squad": np.array(_token_counts(grounded, normalization)[1], float),
        when="SupportCoverage with function words, so always higher; for comparison with other tools.",
        differs=_RAGAS_JUDGE,
        example=Example("grounded", "SupportDensity", 6 / 7, "6 of the 7 tokens, including “of” and “has”"))
def support_density(grounded: Grounded, *, normalization: str = "squad") -> Values:
    """Share of the answer's tokens, with repeats and stop words, that some context contains.

    Nearly every context has stop words, so it is higher than the coverage. Undefined for a refusal. Returns (Q,) in
    [0, 1].
    """
    return _shares(*_token_counts(grounded, normalization))


@metric("HallucinationRate", "Unsupported words", formula=r"1 - SupportDensity",
        source="lexical grounding, as in RAG practice", better="lower", aliases=("hallucination_rate",), **_FACTS,
        weight=lambda grounded, normalization="squad": np.array(_token_counts(grounded, normalization)[1], float),
        when="Unsupported wording is dangerous; read the worst answers, not only the mean.",
        differs=_RAGAS_JUDGE,
        example=Example("grounded", "HallucinationRate", 1 / 7, "1 of the 7 tokens is in no context"))
def hallucination_rate(grounded: Grounded, *, normalization: str = "squad") -> Values:
    """Share of the answer's tokens, with repeats and stop words, that no context contains: 1 - SupportDensity.

    It is word overlap, not a rate of hallucinations: a different word is not always false, and a false statement can
    use the contexts' words. Metrics named hallucination rate that ask a model are different. Undefined for a refusal,
    which states nothing. Lower is better. Returns (Q,) in [0, 1].
    """
    return 1 - support_density(grounded, normalization=normalization)


@metric("UnsupportedNumbers", "Unsupported numbers",
        formula=r"\frac{|\{n \in numbers(answer): n \notin numbers(contexts)\}|}{|numbers(answer)|}",
        source="ragdash", better="lower", relevance=False, aliases=("unsupported_numbers",),
        weight=lambda grounded: np.array([len(numbers or ()) for numbers in grounded.number_support()[0]], float),
        when="Amounts, dates, doses: harmful hallucinations that word overlap does not show.",
        example=Example("grounded", "UnsupportedNumbers", 1.0, "its only number, 2,200,000, is not in the context"))
def unsupported_numbers(grounded: Grounded) -> Values:
    """Share of the answer's numbers, with repeats, that no context contains.

    4,213 equals 4213, and 3.50 equals 3.5. Plus and minus, units, percent, number words, list numbering and citations
    like [2] are ignored. A sum that the answer computed counts as unsupported. Undefined for a refusal and for an
    answer without a number. Lower is better. Returns (Q,) in [0, 1].
    """
    answer_numbers, supported_numbers = grounded.number_support()
    missing = [sum(number not in supported for number in numbers or ())
               for numbers, supported in zip(answer_numbers, supported_numbers, strict=True)]
    return _shares(missing, [len(numbers or ()) for numbers in answer_numbers])
