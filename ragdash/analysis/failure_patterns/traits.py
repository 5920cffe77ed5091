"""Properties of queries that may explain why some fail: read from the truth alone, whatever any run returned.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.core.errors import Unavailable
from ragdash.core.records import Truth
from ragdash.core.records.arguments import checked
from ragdash.core.slices import Slice, attributes, by_value, slices
from ragdash.core.text import stop_words, tokens
from ragdash.core.text.metric_names import are_verdicts, is_measured, is_metric_name, may_hold_scores, words_of
from ragdash.matching.evidence.spans import spans
from ragdash.matching.question_types import kinds

HOW = "unicode"  # the tokens: any script
_ENGLISH = "who whom whose what which when where why how"
_OTHERS = """
    wer wen wem wessen was welche welcher welches welchen wann wo wohin woher warum wieso weshalb wie
    qui que quoi quel quelle quels quelles quand où pourquoi comment combien
    quién quiénes qué cuál cuáles cuándo dónde cómo cuánto cuántos cuánta cuántas
    chi cosa quale quali quando dove perché come quanto quanti quanta quante
"""
_AMOUNTS = "many much long often far old high deep fast big large tall wide heavy"  # how many ...
_OUTCOMES = """
    failure failures failed fail error errors hit hits miss missed outcome correct incorrect leakage
    retrieved predicted generated extracted
"""
ENGLISH, OTHERS, AMOUNTS, OUTCOMES = (frozenset(text.split()) for text in (_ENGLISH, _OTHERS, _AMOUNTS, _OUTCOMES))


def questions(truth: Truth) -> list[str | None]:
    """The text of each query, None where the truth does not have it: Q values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ragdash import Truth
    >>> details = pa.table({"query_id": ["q1", "q2"], "query": ["Who?", None]})
    >>> questions(Truth.build("qrels", ["q1"], ["a"], [1], details=details))
    ['Who?', None]
    """
    has_questions = truth.details is not None and "query" in truth.details.column_names
    return truth.details["query"].to_pylist() if has_questions else [None] * len(truth)


def outcome_attributes(truth: Truth) -> list[str]:
    """The attributes that say how a run did on a query: a failure explains no failure.

    These are scores, labels of right and wrong, and what a name such as failure_type or retrieved_pages says.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ragdash import Truth
    >>> texts = ['{"type": "fact", "failure_type": "FP2", "year": 2020}', '{"type": "list", "mrr": 0.5}']
    >>> details = pa.table({"query_id": ["q1", "q2"], "attributes": texts})
    >>> outcome_attributes(Truth.build("qrels", ["q1"], ["a"], [1], details=details))
    ['failure_type', 'mrr']
    """
    return [name for name, values in attributes(truth).items() if _is_outcome(name, values)]


def _is_outcome(name: str, values: Sequence[object]) -> bool:
    known = [value for value in values if value is not None]
    if words_of(name) & OUTCOMES or is_metric_name(name):
        return True
    if all(isinstance(value, str) for value in known):
        return are_verdicts(sorted({str(value) for value in known}))
    numbers = [float(value) for value in known if isinstance(value, (int, float))]
    return may_hold_scores(name) and len(numbers) == len(known) and is_measured(name, numbers)


@checked
def traits(truth: Truth, texts: Mapping[str, str] | None = None, *, rel: int = 1) -> list[Slice]:
    """Slices by everything that may explain a failure; a trait that all queries or none have is left out.

    The truth's attributes but for `outcome_attributes`, edge cases (ragdash.matching.question_types), and
    `properties`. Numbers of many different values are put in quarters. Of slices with the same queries the first
    stays. texts, rel: as for `properties`.
    """
    outcomes = outcome_attributes(truth)
    candidates = [trait for name, group in slices(truth).items() if name not in outcomes for trait in group]
    candidates += [Slice("edge case", kind, queries) for kind, queries in kinds(truth).items()]
    for name, values in properties(truth, texts, rel=rel).items():
        candidates += by_value(name, values)
    return _distinct(candidates)


def properties(truth: Truth, texts: Mapping[str, str] | None = None, *, rel: int = 1) -> dict[str, list]:
    """What the truth has of each query in addition to its attributes: {name: Q values, None where not known}.

    Its relevant documents (of grade rel or more) and evidence spans; of the question: its words, its question word,
    whether it has a number, in how many of all questions with their gold texts its rarest word occurs (1: in none but
    its own), the share of its content words that are in its gold texts. Gold texts are the evidence or, where a
    corpus is given (texts: {doc_id: text}) or there is no evidence, the gold documents in the truth's corpus. Stop
    words are known for English only. A property that is not known of any query is left out.
    """
    question_texts = questions(truth)
    words = [None if text is None else tokens(text, HOW) for text in question_texts]
    content = [None if query_words is None else frozenset(query_words) - stop_words(HOW) for query_words in words]
    gold = _gold_words(truth, texts, rel)
    columns = {
        "relevant documents": np.bincount(truth.queries[truth.grades >= rel], minlength=len(truth)).tolist(),
        "evidence spans": _spans_of(truth),
        "words of the question": [None if query_words is None else len(query_words) for query_words in words],
        "question word": list(map(_question_word, words)),
        "number in the question": [None if text is None else any(map(str.isdigit, text)) for text in question_texts],
        "queries with its rarest word": _rarest(content, gold),
        "words in relevant text": [
            None
            if not question_words or not gold_words
            else round(len(question_words & gold_words) / len(question_words), 3)
            for question_words, gold_words in zip(content, gold, strict=True)
        ],
    }
    return {name: values for name, values in columns.items() if any(value is not None for value in values)}


def _distinct(candidates: Sequence[Slice]) -> list[Slice]:
    """Those that some queries have and some have not, each set of queries once."""
    distinct: dict[bytes, Slice] = {}
    for trait in candidates:
        if trait.queries.any() and not trait.queries.all():
            distinct.setdefault(trait.queries.tobytes(), trait)
    return list(distinct.values())


def _spans_of(truth: Truth) -> list[int | None]:
    """Gold spans of each query; None throughout where the truth has none."""
    try:
        return np.bincount(spans(truth, split=False).query, minlength=len(truth)).tolist()
    except Unavailable:
        return [None] * len(truth)


def _gold_words(truth: Truth, texts: Mapping[str, str] | None, rel: int) -> list[frozenset[str]]:
    """The words of the gold texts of each query; none where it has none."""
    gold_words: list[set[str]] = [set() for _ in range(len(truth))]
    if texts is None and truth.corpus is not None and not any(_spans_of(truth)):
        ids = truth.docs.filter(truth.grades >= rel).unique()
        texts = dict(zip(ids.to_pylist(), truth.corpus.texts_of(ids).to_pylist(), strict=True))
    if texts is not None:
        keep = truth.grades >= rel
        docs = truth.docs.filter(keep).to_pylist()
        doc_words = {
            doc: frozenset(tokens(texts[doc], HOW)) for doc in dict.fromkeys(docs) if texts.get(doc) is not None
        }
        for query, doc in zip(truth.queries[keep].tolist(), docs, strict=True):
            gold_words[query] |= doc_words.get(doc, frozenset())
        return list(map(frozenset, gold_words))
    try:
        gold_spans = spans(truth, split=False)
    except Unavailable:
        return list(map(frozenset, gold_words))
    for query, text in zip(gold_spans.query.tolist(), gold_spans.texts, strict=True):
        gold_words[query].update(tokens(text, HOW))
    return list(map(frozenset, gold_words))


def _rarest(content: Sequence[frozenset[str] | None], gold: Sequence[frozenset[str]]) -> list[int | None]:
    """In how many queries, questions and gold texts together, the rarest content word of a question occurs."""
    spread: Counter[str] = Counter()
    for question_words, gold_words in zip(content, gold, strict=True):
        spread.update((question_words or frozenset()) | gold_words)
    return [
        min((spread[word] for word in question_words), default=None) if question_words else None
        for question_words in content
    ]


def _question_word(words: Sequence[str] | None) -> str | None:
    """The first word that asks, "how many" and the like whole: in English anywhere, else at the start; "none"."""
    if words is None:
        return None
    position = next(
        (index for index, word in enumerate(words) if word in ENGLISH or (not index and word in OTHERS)), None
    )
    if position is None:
        return "none"
    following = words[position + 1] if position + 1 < len(words) else ""
    return f"how {following}" if words[position] == "how" and following in AMOUNTS else words[position]
