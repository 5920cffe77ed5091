"""Is the answer right? Answers against references, by their words.

With several references the best one counts. Undefined (NaN, never 0): no answer, no reference. Unavailable if no query
has one, except AnswerRelevance, which needs questions, and Refusal, which needs neither. An empty answer is an answer:
it is right if the reference is empty too, as in SQuAD 2.0. Normalization and tokens: ragdash.core.text; language gives
the articles that normalization='unicode' omits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ragdash.core import text as text_rules
from ragdash.core.errors import InputError, Problem
from ragdash.core.text import ARTICLES
from ragdash.matching.views.ranked import Values
from ragdash.matching.views.texts import Answered, TokenCodes
from ragdash.metrics.example_setups import Example
from ragdash.metrics.registry import metric

_NORMAL = {"normalization": ("squad", "unicode"), "language": tuple(ARTICLES)}
_TOKENS = {"tokens": ("squad", "rouge", "unicode"), "stem": ("no", "porter")}
_ROUGE = "rouge-score with the same tokens (tokens='rouge'); RAGAS RougeScore calls rouge-score."
_POLAR = ("yes", "no")  # as references they have to begin the answer
_BLOCK = 1 << 14  # pairs compared together, so that the temporaries stay small


@metric("EM", "Exact match", formula=r"\max_r\, [norm(answer) = norm(r)]", source="SQuAD v1.1 evaluation script",
        relevance=False, aliases=("exact_match",), allowed=_NORMAL,
        when="Short factual answers with one right wording. It is 0 for almost every long answer.",
        differs="SQuAD's script: the same. RAGAS ExactMatch compares the raw strings.",
        example=Example("answer", "EM", 0.0, "after normalization the texts differ"))
def exact_match(answered: Answered, *, normalization: str = "squad", language: str = "en") -> Values:
    """1 if the answer equals a reference after normalization, else 0.

    'squad' deletes punctuation, so 3.5% equals 35 and -5 equals 5. 'unicode' keeps decimal marks and reads any
    script. Two answers without a token are equal. Returns (Q,): 0 or 1.
    """
    _check_language(language, normalization)
    normal = answered.coded(normalization, language=language)
    text_code = answered.cached(("same", normalization, language), lambda _: normal.sequence_ids())
    query, answer, reference = answered.pairs
    return answered.best(query, (text_code[answer] == text_code[reference]).astype(np.float64))


@metric("CoverEM", "Answer holds a reference", formula=r"\max_r\, [norm(r) \subseteq norm(answer)]",
        source="Liu et al. 2023 (Lost in the Middle), best_subspan_em; Mallen et al. 2023", relevance=False,
        aliases=("cover_em", "subspan_em", "contains"), allowed=_NORMAL,
        when="Answers in whole sentences to questions with a short right answer: what most RAG systems write.",
        differs="Lost in the Middle (best_subspan_em) and others search for characters, also within a word.",
        example=Example("answer", "CoverEM", 0.0,
                        "the answer does not contain “paris is capital city of france” in this order"))
def cover_exact_match(answered: Answered, *, normalization: str = "squad", language: str = "en") -> Values:
    """1 if the answer contains the tokens of a reference in sequence, else 0: for answers in sentences.

    Other tools search for characters, so they find "art" in "party" and "no" in every "not". Here whole tokens count,
    and a bare yes or no must begin the answer. The rest of the answer is not checked: "not Paris" contains Paris. At
    least EM. An answer that declines is right where the reference declines in other words or is empty; else only an
    empty answer contains an empty reference. Returns (Q,): 0 or 1.
    """
    _check_language(language, normalization)
    coded = answered.coded(normalization, language=language)
    query, answer, reference = answered.pairs
    declines = answered.cached("declines", lambda texts: [
        not text.strip() or text_rules.is_refusal(text) for text in texts])
    contained = [
        _contains_reference(coded.codes_of(a), coded.codes_of(r), answered.texts[r])
        or bool(declines[r] and declines[a] and answered.texts[a].strip())
        for a, r in zip(answer, reference, strict=True)
    ]
    return answered.best(query, np.array(contained, np.float64))


@metric("NumberMatch", "Numbers of a reference", formula=r"\max_r\, [numbers(r) \subseteq numbers(answer)]",
        source="ragdash; numbers with scales as in TAT-QA (Zhu et al. 2021)", relevance=False,
        aliases=("number_match", "numeric_match", "numeric_accuracy"),
        when="Questions whose right answer is a number, an amount, a percentage, a year, a date or a range.",
        differs="TAT-QA's evaluator: the scale is a field of its own, which has to be equal.",
        example=Example("numbers", "NumberMatch", 1.0,
                        "1.4965 billion rounds to the reference's 1,496.5 million; 2018 is in the question"))
def number_match(answered: Answered) -> Values:
    """1 if the answer states every number of a reference, in value, scale, unit and sign, else 0.

    Numbers, percentages, years, dates, times and ranges, also in words (three). The answer may have more digits than
    the reference, and fewer if three are significant. More than four numbers that are neither in the reference nor in
    the question match only in a sentence or clause that concludes. The rules:
    ragdash.core.text.amounts.stated_quantities. Undefined where no reference has a number. Returns (Q,): 0 or 1.
    """
    query, answer, reference = answered.pairs
    question = answered.question[query]
    texts = answered.texts
    values = [text_rules.states_quantities(texts[a], texts[r], texts[q] if q >= 0 else "")
              for a, r, q in zip(answer.tolist(), reference.tolist(), question.tolist(), strict=True)]
    return answered.best(query, np.array([np.nan if value is None else value for value in values], np.float64))


@metric("TokenF1", "Token F1", formula=r"\max_r \frac{2 |answer \cap r|}{|answer| + |r|}",
        source="SQuAD v1.1 evaluation script; tokens='set': published hybrid RAG study", relevance=False,
        aliases=("token_f1", "answer_f1"), allowed={"tokens": ("squad", "set"), **_NORMAL},
        when="Short answers with varying words. It ignores order and penalizes length.",
        differs="SQuAD's script: the same; tokens='set' is another published form.",
        example=Example("answer", "TokenF1", 10 / 11, "without articles 5 and 6 tokens, 5 in common: 2 · 5 / 11"))
def token_f1(answered: Answered, *, tokens: str = "squad", normalization: str = "squad",
             language: str = "en") -> Values:
    """Overlap of the words of the answer and its best reference, in any order: 1 if all are the same, 0 if none is.

    It is the harmonic mean of precision and recall of the answer's tokens.
    tokens='squad': a token counts as often as it occurs; two texts without a token give 1, one of them 0.
    tokens='set': each token once, lower case, punctuation deleted, articles kept; 0 if either has none. The two differ:
    0.909 and 0.923 for "The capital of France is Paris" and "Paris is the capital city of France".
    Returns (Q,) in [0, 1].
    """
    _check_language(language, normalization)
    if tokens == "set" and normalization != "squad":
        raise InputError([Problem("metric-parameter/tokens", field="metric")])
    query, answer, reference = answered.pairs
    if tokens == "set":
        return answered.best(query, _f1(answered.coded("set").distinct(), answer, reference, both_empty=0.0))
    coded = answered.coded(normalization, language=language)
    return answered.best(query, _f1(coded, answer, reference, both_empty=1.0))


@metric("ROUGE_L", "ROUGE-L", formula=r"\max_r \frac{2\, LCS(answer, r)}{|answer| + |r|}",
        source="Lin 2004; tokens='rouge': rouge-score 0.1.2", relevance=False, aliases=("rougeL", "rouge-l"),
        allowed=_TOKENS,
        when="Longer answers and summaries, where order matters.",
        differs=_ROUGE,
        example=Example("answer", "ROUGE_L", 6 / 11, "longest common subsequence “capital of france”: 2 · 3 / 11"))
def rouge_l(answered: Answered, *, tokens: str = "squad", stem: str = "no") -> Values:
    """Longest common subsequence of the tokens of answer and reference, as F1; 0 if one of them is empty.

    tokens='squad' omits articles. tokens='rouge' is rouge-score's (a-z and 0-9 only, articles kept), and stem='porter'
    its use_stemmer: 0.545 and 0.615 for the example of TokenF1. A reference with letters or digits but no token is
    ignored ('rouge' reads no Chinese); undefined if all are. Returns (Q,) in [0, 1].
    """
    return _rouge(answered, tokens, stem, _longest_common_subsequence, 1)


@metric("ROUGE_1", "ROUGE-1", formula=r"\max_r \frac{2 |answer \cap r|}{|answer| + |r|}",
        source="Lin 2004; rouge-score 0.1.2", relevance=False, aliases=("rouge1", "rouge-1"), allowed=_TOKENS,
        when="For comparison with summarization papers.",
        differs=_ROUGE,
        example=Example("answer", "ROUGE_1", 12 / 13, "with articles 6 and 7 tokens, 6 in common: 2 · 6 / 13"))
def rouge_1(answered: Answered, *, tokens: str = "rouge", stem: str = "no") -> Values:
    """Overlap of the single tokens of answer and reference, as F1; 0 if one of them is empty.

    TokenF1 over rouge-score's tokens: a-z and 0-9, articles kept; undefined as ROUGE_L. Returns (Q,) in [0, 1].
    """
    return _rouge(answered, tokens, stem, _common, 1)


@metric("ROUGE_2", "ROUGE-2", formula=r"\max_r \frac{2 |pairs(answer) \cap pairs(r)|}{|pairs(answer)| + |pairs(r)|}",
        source="Lin 2004; rouge-score 0.1.2", relevance=False, aliases=("rouge2", "rouge-2"), allowed=_TOKENS,
        when="Answers with wording close to the reference; useless for one-word answers.",
        differs=_ROUGE,
        example=Example("answer", "ROUGE_2", 4 / 11,
                        "5 and 6 pairs, “the capital” and “of france” in common: 2 · 2 / 11"))
def rouge_2(answered: Answered, *, tokens: str = "rouge", stem: str = "no") -> Values:
    """Overlap of the pairs of adjacent tokens of answer and reference, as F1; 0 if one of them has no pair.

    So an answer of one word has 0 even if it is right, as in rouge-score; undefined as ROUGE_L.
    Returns (Q,) in [0, 1].
    """
    return _rouge(answered, tokens, stem, _common, 2)


@metric("AnswerRelevance", "Answer relevance", formula=r"\frac{2 |answer \cap question|}{|answer| + |question|}",
        source="published RAG evaluation framework, token overlap with the query", relevance=False,
        aliases=("answer_relevance",), allowed=_NORMAL,
        when="A cheap check that the answer addresses the question. It does not show whether it is right.",
        differs="RAGAS ResponseRelevancy embeds questions that a model writes; DeepEval uses a judge. Both are "
                "different metrics.",
        example=Example("answer", "AnswerRelevance", 0.8, "“is capital of france” of 5 and 5 tokens: 2 · 4 / 10"))
def answer_relevance(answered: Answered, *, normalization: str = "squad", language: str = "en") -> Values:
    """Token F1 of the answer and the question: does the answer address the question?

    A right answer of one word has a low value, and a repeated question the highest. The version by an LLM judge is
    AnswerRelevanceJudged. Undefined without an answer, or without a token in the question. Returns (Q,) in [0, 1].
    """
    _check_language(language, normalization)
    answered.need("questions")
    coded = answered.coded(normalization, language=language)
    query = np.flatnonzero((answered.answer >= 0) & (answered.question >= 0))
    query = query[coded.lengths[answered.question[query]] > 0]
    return answered.best(query, _f1(coded, answered.answer[query], answered.question[query], both_empty=1.0))


@metric("Refusal", "Refusal", formula=r"[\text{the answer declines}]", source="ragdash", better=None, relevance=False,
        aliases=("refusals", "abstention"),
        when="With unanswerable queries: does the system decline for these, and only for these?",
        example=Example("declined", "Refusal", 1.0, "the answer says that it does not know"))
def refusal(answered: Answered) -> Values:
    """1 if the answer declines to answer ("I don't know", "the context does not say"), else 0.

    Detected by lists of phrases and by their place, and by the question: "No, it does not mention a fee" may answer it.
    Neither good nor bad, since some questions have no answer. Undefined without an answer, or for one without a letter
    or a digit. Returns (Q,): 0 or 1.
    """
    pairs = list(zip(answered.answers, answered.questions, strict=True))
    refused = {(text, question): float(text_rules.is_refusal(text, question or ""))
               if _has_letters_or_digits(text) else np.nan
               for text, question in dict.fromkeys(pairs) if text is not None}
    return np.array([refused.get(pair, np.nan) for pair in pairs], np.float64)


def _has_letters_or_digits(text: str) -> bool:
    """Whether it has a letter or a digit of any script."""
    return any(map(str.isalnum, text))


def _rouge(answered: Answered, tokens: str, stem: str, common: Callable, n: int) -> Values:
    """F1 of what `common` counts of n tokens in a row: (Q,)."""
    query, answer, reference = answered.pairs
    single = answered.coded(tokens, stem=stem == "porter")
    coded = single.grams(n)
    total = coded.lengths[answer] + coded.lengths[reference]
    values = np.divide(2 * common(coded, answer, reference), total, out=np.zeros(len(query)), where=total > 0)
    if tokens == "rouge":
        has_letters = np.array(
            answered.cached("says", lambda texts: [_has_letters_or_digits(text) for text in texts]), bool
        )
        values[has_letters[reference] & (single.lengths[reference] == 0)] = np.nan  # in a script that is not read
    return answered.best(query, values)


def _f1(coded: TokenCodes, left: np.ndarray, right: np.ndarray, *, both_empty: float) -> np.ndarray:
    """2 * common / (left + right) of pairs of texts: (P,)."""
    total = coded.lengths[left] + coded.lengths[right]
    return np.divide(2 * _common(coded, left, right), total, out=np.full(len(left), both_empty), where=total > 0)


def _common(coded: TokenCodes, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Tokens that both texts of a pair have, each as often as in the one that has it less: (P,) float64."""
    blocks = [_common_in_block(coded, left[i:i + _BLOCK], right[i:i + _BLOCK]) for i in range(0, len(left), _BLOCK)]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _common_in_block(coded: TokenCodes, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    pairs = len(left)
    text = np.concatenate([left, right])
    sizes = coded.lengths[text]
    owner = np.repeat(np.arange(2 * pairs), sizes)
    positions = np.arange(len(owner)) + np.repeat(coded.starts[text] - np.cumsum(sizes) + sizes, sizes)
    codes, pair, side = coded.codes[positions], owner % max(pairs, 1), owner // max(pairs, 1)
    keys = np.sort((pair * coded.size + codes) * 2 + side)  # below 2^63: a block has 2^14 pairs
    groups, side = keys >> 1, keys & 1
    first = np.ones(len(groups), bool)
    first[1:] = groups[1:] != groups[:-1]
    group = np.cumsum(first) - 1
    of_right = np.bincount(group, side, first.sum())
    of_left = np.bincount(group, minlength=first.sum()) - of_right
    return np.bincount(groups[first] // coded.size, np.minimum(of_left, of_right), pairs).astype(np.float64)


def _longest_common_subsequence(coded: TokenCodes, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Length of the longest common subsequence of the tokens of a pair: (P,) float64."""
    lists: dict[int, list[int]] = {}

    def of(text: int) -> list[int]:
        if text not in lists:
            lists[text] = coded.codes[coded.starts[text]:coded.starts[text + 1]].tolist()
        return lists[text]

    from rapidfuzz.distance import LCSseq

    return np.array([LCSseq.similarity(of(a), of(b)) for a, b in zip(left.tolist(), right.tolist(), strict=True)],
                    np.float64)


def _contains_reference(answer: np.ndarray, reference: np.ndarray, text: str) -> bool:
    """Whether the answer's codes contain those of the reference; text: the reference as written."""
    if not len(reference) or not len(answer):
        return len(reference) == len(answer)
    if text.strip(" .!").lower() in _POLAR:
        return bool(answer[0] == reference[0])
    answer_bytes, reference_bytes = answer.tobytes(), reference.tobytes()
    position = answer_bytes.find(reference_bytes)
    while position % answer.itemsize and position >= 0:
        position = answer_bytes.find(reference_bytes, position + 1)
    return position >= 0


def _check_language(language: str, normalization: str) -> None:
    if language != "en" and normalization != "unicode":
        raise InputError([Problem("metric-parameter/language", {"language": language, "normalization": normalization},
                                  field="metric")])
