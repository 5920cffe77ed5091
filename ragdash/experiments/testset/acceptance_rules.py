"""Why a draft is kept or not: the rules, each with what it found in words.

| rule | passed where |
|---|---|
| question | it is not empty, has no more than LONGEST signs, and reads as a question (`reads_as_question`) |
| alone | it points to nothing outside itself (`dangling`) |
| quote | every quote has 3 words or more and is in its document (ragdash.experiments.testset.quote_matching) |
| both | multi_hop: there is a quote of each document |
| answer | it is not empty, not too long, and its content words are in the evidence (`unsupported_words`) |
| subject | no_answer: the question shares a content word with its document |
| outside | out_of_scope: no document holds OUTSIDE of its content words or more |
| new | it is no near duplicate of a question kept before (`near_duplicate`) |
| found | with a round trip: the document is among the first k |

The rules about its wording are in ragdash.experiments.testset.wording_rules, the critique of a judge in
ragdash.experiments.testset.critique.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragdash.analysis.failure_patterns.traits import ENGLISH, OTHERS
from ragdash.core.text import content_words, normalize, tokens
from ragdash.core.text.template import percent
from ragdash.experiments.testset.drafts import Check, Document, Draft, Evidence
from ragdash.experiments.testset.quote_matching import LIKE, place_of
from ragdash.matching.near_questions import NEAR, near_duplicate, question_stems, sorted_stems
from ragdash.matching.supported_words import unsupported_words

HOW = "unicode"  # the tokens: any script
RULES = {"question": "No question", "alone": "Not self-contained", "quote": "Quote not in its document",
         "both": "Not from both documents", "answer": "Answer not in the evidence", "subject": "Off the subject",
         "outside": "The documents speak of it", "new": "Near duplicate", "found": "Document not found",
         "leak": "Answer in the question", "copied": "Copied from its document", "compound": "Two questions in one",
         "ambiguous": "Ambiguous", "yes_no": "Too many yes-or-no questions", "critique": "Rejected by the critique"}
"""Every rule, and what a reject by it is called."""
LONGEST, LONGEST_ANSWER = 400, 1_000  # signs
SHORT_QUOTE = 3  # words at least
OUTSIDE = 0.8  # share of a question's content words in one document

_TEXT = r"(?:text|passage|document|article|excerpt|paragraph|snippet|author|narrator|writer)s?"
_THING = rf"(?:{_TEXT}|(?:extract|context|section|chapter|page|sentence|quote|source|speaker|story)s?)"
_SAYS = r"(?:says?|states?|mentions?|describes?|tells?|argues?|claims?|mean|explains?|gives?|list|discuss(?:es)?)"
_GIVEN = r"(?:above|given|following|provided|present|preceding|aforementioned|previous|supplied|quoted)"
# What points outside of a question: the one home of this list. "The author of Emma", "the text that ..." do not.
DANGLING = (
    rf"\b(?:this|these|that|those) (?:{_GIVEN} )?{_THING}\b",
    rf"\bthe {_GIVEN} (?:\w+ )?(?:{_THING}|information|facts?|statements?|details)\b",
    rf"\bthe {_TEXT}\b(?! (?:of|on|about|by|in|from|that|which|who|whose|to|for|titled|called)\b)",
    rf"\bthe {_THING}(?: {_SAYS}\b|\W*$)",
    rf"\b(?:in|of|by|from|to|on) the {_THING} (?:in|from|to|on|by) (?:the )?(?:above|question)\b",
    r"\baccording to (?:the|this|that) (?:above|following|information|facts?|description)\b",
    r"\b(?:mentioned|described|stated|discussed|listed|shown|given|quoted|referred to|named) "
    r"(?:above|below|earlier|here|previously|before)\b",
    r"\b(?:in|from) the (?:above|foregoing|following)\b|\bthe above\b",
    r"\b(?:dies(?:er|em|es|e) (?:text|abschnitt|dokument|artikel)|(?:im|laut|laut dem|der|dem) (?:text|abschnitt"
    r"|dokument)|laut (?:text|dokument))\b",
    r"\b(?:ce|dans le|selon le|d'après le) (?:texte|document|passage|paragraphe)\b|\bcet article\b",
    r"\b(?:este|el|según el) (?:texto|documento|pasaje)\b|\b(?:questo|il|secondo il) (?:testo|documento|brano)\b",
)
_DANGLING = re.compile("|".join(f"(?:{phrase})" for phrase in DANGLING))
_PRONOUN = re.compile(r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|these|those)\b")
_BEGINS = ENGLISH | OTHERS | frozenset(word for line in ("""
    is are was were am do does did has have had can could will would shall should may might must
    name list explain describe tell give state identify compare define summarise summarize
    ist sind war waren hat haben hatte kann können wird nenne erkläre
    est sont était a ont peut cite nomme es son fue fueron ha puede è sono era
""",) for word in line.split())
_MARKS = "?\uff1f\u061f\u037e\u2047\u2048\u2049"


def asked(question: str) -> list[Check]:
    """The rules of the question alone: question, alone."""
    text = question.strip()
    if not re.search(r"[^\W_]", text):
        return [Check("question", False, "the question is empty")]
    if len(text) > LONGEST:
        return [Check("question", False, f"the question has {len(text):,} characters, more than {LONGEST}")]
    reads = Check("question", True, "it reads as a question") if reads_as_question(text) else \
        Check("question", False, "it does not read as a question")
    points = dangling(text)
    return [reads, Check("alone", not points, f"it points to something outside of it: “{points}”" if points else
                         "it is self-contained")]


def reads_as_question(text: str) -> bool:
    """It ends with a question mark (of any script), or begins with a word that questions begin with."""
    first = next(iter(tokens(text, HOW)), "")
    return text.rstrip("\"'”’»)*_ ").endswith(tuple(_MARKS)) or first in _BEGINS


def dangling(text: str) -> str:
    """The words that point outside of a question, "" for none.

    One of DANGLING, or a pronoun in a question with fewer than two other content words ("When was it built?").
    A pronoun with more of them may have its noun in the question, and passes.
    """
    lower = " ".join(text.lower().replace("’", "'").split())
    match = _DANGLING.search(lower)
    if match:
        return match[0].strip()
    pronoun = _PRONOUN.search(lower)
    return pronoun[0] if pronoun and len(content_words(text, HOW)) < 2 else ""


def located(quotes: Sequence[dict], documents: Sequence[Document]) -> tuple[list[Evidence], list[Check]]:
    """(the spans that the documents hold, the rule quote for each quote). quotes: {"document": d1 ..., "quote"}.

    A span that occurs twice is taken once.
    """
    evidence_of: dict[tuple[str, int, int], Evidence] = {}
    checks: list[Check] = []
    by_name = {f"d{number}": document for number, document in enumerate(documents, 1)}
    for source_document in quotes:
        document, quote = by_name.get(source_document["document"]), source_document["quote"].strip()
        if document is None:
            checks.append(
                Check("quote", False, f"a quote of a document that was not shown: {source_document['document'][:40]!r}")
            )
        elif not quote:
            checks.append(Check("quote", False, "a quote is empty"))
        elif len(tokens(quote, HOW)) < SHORT_QUOTE:
            checks.append(Check("quote", False, f"a quote has fewer than {SHORT_QUOTE} words: “{quote}”"))
        else:
            checks.append(_located(quote, document, evidence_of))
    return list(evidence_of.values()), checks or [Check("quote", False, "there is no quote")]


def _located(quote: str, document: Document, evidence_of: dict) -> Check:
    start, stop, similarity = place_of(quote, document.text)
    if start < 0:
        return Check("quote", False, f"a quote is not in {document.doc_id} (at most {similarity:.0f}% alike, "
                                     f"{LIKE:.0f} are needed)")
    evidence_of[document.doc_id, start, stop] = Evidence(document.doc_id, document.text[start:stop], start, stop)
    return Check(
        "quote",
        True,
        f"its quote is in {document.doc_id}" + (f" ({similarity:.0f}% alike)" if similarity < 100 else ""),
    )


def of_both(evidence: Iterable[Evidence], documents: Sequence[Document]) -> Check:
    """The rule both: evidence of every document."""
    quoted_ids = {item.doc_id for item in evidence}
    lacking = [item.doc_id for item in documents if item.doc_id not in quoted_ids]
    return Check("both", not lacking, f"no quote of {', '.join(lacking)}" if lacking else "it needs both documents")


def answered(answer: str, evidence: Iterable[Evidence], besides: str = "") -> Check:
    """The rule answer. besides: a text whose words may be in the answer too (of a false premise)."""
    text = answer.strip()
    if not re.search(r"[^\W_]", text):
        return Check("answer", False, "the answer is empty")
    if len(text) > LONGEST_ANSWER:
        return Check("answer", False, f"the answer has {len(text):,} characters, more than {LONGEST_ANSWER:,}")
    evidence_texts = [item.text for item in evidence]
    lacking = unsupported_words(text, [*evidence_texts, besides] if besides else evidence_texts)
    if lacking:
        return Check("answer", False, f"words of the answer that are not in the evidence: {', '.join(lacking[:8])}")
    if not content_words(text, HOW) and normalize(text, HOW) not in ("yes", "no"):
        return Check("answer", False, "the answer says nothing")
    return Check("answer", True, "the answer's words are in the evidence")


def on_subject(question: str, document: Document) -> Check:
    """The rule subject."""
    shared = question_stems(question) & question_stems(f"{document.title} {document.text}")
    return Check("subject", bool(shared), f"it is on the subject of {document.doc_id}" if shared else
                 f"it shares no content word with {document.doc_id}")


def outside(share: float, doc_id: str) -> Check:
    """The rule outside. share: the largest of the question's content words in one document, that of doc_id."""
    return Check("outside", share < OUTSIDE, f"no document holds {percent(OUTSIDE)} of its words"
                 if share < OUTSIDE else f"{doc_id} holds {percent(share)} of its words")


class Earlier:
    """The questions kept so far, each known by a draft's id."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._words: list[str] = []
        self._texts: list[str] = []

    def check(self, question: str) -> Check:
        """The rule new."""
        from rapidfuzz import fuzz, process

        words, text = sorted_stems(question), normalize(question, HOW)
        like = process.extract(words, self._words, scorer=fuzz.ratio, score_cutoff=NEAR, limit=None) if words else ()
        nearest = next((index for _, _, index in sorted(like, key=lambda candidate: candidate[2])
                     if near_duplicate(text, self._texts[index])), None)
        if nearest is None and text in self._texts:
            nearest = self._texts.index(text)
        return Check("new", True, "no question before it is alike") if nearest is None else \
            Check("new", False, f"nearly the same as {self._ids[nearest]}")

    def add(self, draft: Draft) -> None:
        """A question that is kept."""
        self._ids.append(draft.id)
        self._words.append(sorted_stems(draft.question))
        self._texts.append(normalize(draft.question, HOW))


def overlap(question: str, evidence: Iterable[str]) -> float | None:
    """Share of the question's content words (by their stems) that are in the evidence, in [0, 1]; None where the
    question has none or there is no evidence.
    """
    stems, evidence_stems = (
        question_stems(question),
        {stem for text in evidence for stem in tokens(text, HOW, stem=True)},
    )
    return len(stems & evidence_stems) / len(stems) if stems and evidence_stems else None
