"""Judgments that look wrong, found from questions, reference answers, documents and the runs; no model is asked.

Letters: Q queries, R judgments.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragdash.analysis.test_set.copies import Copies
from ragdash.core.text import content_words, tokens
from ragdash.matching.near_questions import HOW
from ragdash.matching.supported_words import unsupported_words

KINDS: Mapping[str, str] = {
    "arity": "The question asks for more than the judged documents give",
    "unanswerable-relevant": "Marked as unanswerable, but has a relevant document",
    "no-relevant": "No relevant document",
    "no-text": "Relevant document without text",
    "answer-missing": "No relevant document contains the reference answer",
    "answer-elsewhere": "Judged not relevant, but contains the reference answer",
    "copies-differ": "Copies of one text are judged differently",
    "copy-unjudged": "A copy of a relevant document has no judgment",
    "questions-differ": "The same question, judged differently",
    "ranked-first": "Judged not relevant, but every run returns it among its first three",
    "hub": "Relevant for very many queries",
}
"""Every kind of finding, and what it is called; in the order of the report."""
LONGEST_REFERENCE = 3  # content words of a reference answer whose words a document should have
TOP = 3  # ranks of every run among which a document that is judged not relevant is worth a second look
HUB_SHARE, HUB_LEAST = 0.05, 5  # share of the queries, and number of them, from which a document is a hub
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
            "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "10": 10}
_COUNT = "|".join(_NUMBERS)
_ASKS_FOR = re.compile(
    rf"^(?:which|what|name|list|give|state|identify|find)\s+(?:are\s+|were\s+|the\s+|all\s+)*({_COUNT})\s+(?!percent\b|"
    rf"%|years?\b|days?\b|months?\b|hours?\b|minutes?\b|times\b|[a-z]+\s+(?:old|long|tall|wide|high)\b)(?:\w+)", re.I)
_SOURCES = r"(?:documents|articles|papers|reports|sources|passages|pages|files|policies|studies|books|chapters)"
_DOCUMENTS = re.compile(rf"\b(?:which|what|name|list|give)\s+(?:are\s+|the\s+|all\s+)*({_COUNT})\s+(?:\w+\s+)?"
                        rf"{_SOURCES}\b", re.I)
_BOTH = re.compile(r"\b(?:compare|contrast)\b.+\b(?:and|with|to)\b|\bdifferences? between\b.+\band\b|"
                   r"\bwhat do\b.+\band\b.+\bhave in common\b", re.I)


@dataclass(frozen=True)
class LabelFinding:
    """One judgment, or one query, that a person should look at.

    kind: one of KINDS. query, docs: ids, docs () where it is about the query alone. facts: what was seen.
    """

    kind: str
    query: str
    docs: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class LabeledSet:
    """What the lint reads: columns by query and texts by document.

    query_ids, questions, references, unanswerable, multi_hop (Q,); judged (Q,): {document: grade} of each;
    texts: of documents, None where one has none. has_texts: whether texts are known at all. ranked_first (Q,): the
    documents of each that every run returns among its first TOP, () where there are fewer than two runs.
    """

    query_ids: Sequence[str]
    questions: Sequence[str | None]
    references: Sequence[tuple[str, ...]]
    unanswerable: np.ndarray
    multi_hop: np.ndarray
    judged: Sequence[Mapping[str, int]]
    texts: Mapping[str, str | None]
    has_texts: bool
    ranked_first: Sequence[tuple[str, ...]] = ()

    def relevant(self, query: int) -> list[str]:
        """The relevant documents of a query."""
        return [doc for doc, grade in self.judged[query].items() if grade >= 1]


def lint_labels(labeled: LabeledSet, copies: Copies) -> tuple[LabelFinding, ...]:
    """Find judgments that look wrong, in the order of `KINDS` and then of the queries.

    Notes
    -----
    arity: "Which two ..." asks for two things; a question that compares two things, or that is marked multi_hop, needs
    two documents. One document can contain both: that is why it is a finding and no error. Numbers from two to ten that
    follow which, what, name or list count; English only. Answers are looked up by the stems of their content
    words, numbers by their value, and only if they have at most LONGEST_REFERENCE content words; a reference of yes or
    no has none. A hub is relevant for HUB_LEAST queries or more and for HUB_SHARE of all.

    Examples
    --------
    >>> labeled = LabeledSet(["q1"], ["Which two probes landed?"], [("Luna 24",)], np.array([False]),
    ...                      np.array([False]), [{"d1": 1}], {"d1": "A text about soil."}, True)
    >>> [finding.kind for finding in lint_labels(labeled, Copies())]
    ['arity', 'answer-missing']
    """
    findings = [*_by_query(labeled), *_copy_findings(labeled, copies), *_hubs(labeled)]
    order = list(KINDS)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.kind)))


def documents_asked_for(question: str) -> int:
    """How many documents a question needs at least by its words: 1 unless it names or implies more.

    Examples
    --------
    >>> documents_asked_for("Which two probes landed in the Sea of Crises?"), documents_asked_for("Name three moons.")
    (2, 3)
    >>> documents_asked_for("Compare Luna 15 with Luna 24."), documents_asked_for("Which two-way radio was used?")
    (2, 1)
    """
    text = " ".join(question.split())
    for pattern in (_DOCUMENTS, _ASKS_FOR):
        match = pattern.search(text)
        if match:
            return _NUMBERS[match[1].lower()]
    return 2 if _BOTH.search(text) else 1


def _by_query(labeled: LabeledSet) -> Iterator[LabelFinding]:
    for q, query in enumerate(labeled.query_ids):
        relevant = labeled.relevant(q)
        if labeled.unanswerable[q]:
            if relevant:
                yield LabelFinding("unanswerable-relevant", query, tuple(relevant))
            continue
        if not relevant:
            yield LabelFinding("no-relevant", query)
            continue
        wanted = documents_asked_for(labeled.questions[q] or "")
        wanted = max(wanted, 2 if labeled.multi_hop[q] else 1)
        if len(relevant) < wanted:
            yield LabelFinding("arity", query, tuple(relevant), {"wanted": wanted, "relevant": len(relevant)})
        if labeled.has_texts:
            lacking = [doc for doc in relevant if not labeled.texts.get(doc)]
            if lacking:
                yield LabelFinding("no-text", query, tuple(lacking))
            yield from _answers(labeled, q, relevant)
        if labeled.ranked_first:
            high = tuple(doc for doc in labeled.ranked_first[q] if labeled.judged[q].get(doc, 1) < 1)
            if high:
                yield LabelFinding("ranked-first", query, high)


def _answers(labeled: LabeledSet, q: int, relevant: Sequence[str]) -> Iterator[LabelFinding]:
    """Findings about the reference answers of a query."""
    short = [text for text in labeled.references[q] if 0 < len(_content(text)) <= LONGEST_REFERENCE]
    if not short:
        return
    query, texts = labeled.query_ids[q], [labeled.texts.get(doc) for doc in relevant]
    known = [text for text in texts if text]
    if len(known) == len(texts) and all(unsupported_words(answer, known) for answer in short):
        yield LabelFinding("answer-missing", query, tuple(relevant), {"answer": short[0]})
    clear = [text for text in short if len(_content(text) - _content(labeled.questions[q] or "")) >= 2]
    elsewhere = [doc for doc, grade in labeled.judged[q].items() if grade < 1 and clear and _holds(
        labeled.texts.get(doc), clear)]
    if elsewhere:
        yield LabelFinding("answer-elsewhere", query, tuple(elsewhere), {"answer": clear[0]})


def _content(text: str) -> frozenset[str]:
    return content_words(text, HOW) - {"yes", "no"}


def _holds(text: str | None, answers: Sequence[str]) -> bool:
    """Whether a text has all words of an answer one after another."""
    if not text:
        return False
    words = f" {' '.join(tokens(text, HOW))} "
    return any(f" {' '.join(tokens(answer, HOW))} " in words for answer in answers)


def _copy_findings(labeled: LabeledSet, copies: Copies) -> Iterator[LabelFinding]:
    """Copies of a document, or of a question, that are not judged alike."""
    for q, query in enumerate(labeled.query_ids):
        judged = labeled.judged[q]
        groups: dict[int, list[str]] = defaultdict(list)
        for doc in judged:
            if doc in copies.group_of:
                groups[copies.group_of[doc]].append(doc)
        for group, docs in groups.items():
            grades = {doc: judged[doc] for doc in docs}
            if len({grade >= 1 for grade in grades.values()}) > 1:
                yield LabelFinding("copies-differ", query, tuple(docs), {"grades": list(grades.values())})
            unjudged = tuple(doc for doc in copies.document_groups[group] if doc not in judged)
            if unjudged and any(grade >= 1 for grade in grades.values()):
                yield LabelFinding("copy-unjudged", query, unjudged, {"of": docs[0]})
    for first, second in copies.question_pairs:
        here, there = labeled.judged[first], labeled.judged[second]
        apart = tuple(doc for doc in here.keys() & there.keys() if (here[doc] >= 1) != (there[doc] >= 1))
        lacking = tuple(doc for doc in sorted({*labeled.relevant(first)} ^ {*labeled.relevant(second)})
                        if doc not in apart)
        if apart or lacking:
            yield LabelFinding("questions-differ", labeled.query_ids[first], (*sorted(apart), *lacking),
                               {"other": labeled.query_ids[second]})


def _hubs(labeled: LabeledSet) -> Iterator[LabelFinding]:
    """Documents that are relevant for very many queries; named at the first of them."""
    queries: dict[str, list[int]] = defaultdict(list)
    for q in range(len(labeled.query_ids)):
        for doc in labeled.relevant(q):
            queries[doc].append(q)
    least = max(HUB_LEAST, HUB_SHARE * len(labeled.query_ids))
    for doc, rows in sorted(queries.items(), key=lambda item: -len(item[1])):
        if len(rows) >= least:
            yield LabelFinding("hub", labeled.query_ids[rows[0]], (doc,), {"queries": len(rows)})
