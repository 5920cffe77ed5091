"""Whether an answer declines: which of its sentences decline, and whether another part of it answers.

Rules, each with its reason:

- Quotations are left out: who quotes a refusal does not decline. So are apologies, thanks and introductions.
- The first sentence that is left decides, as people answer first and add reservations later.
- "They give no year, but it was built about 1210" answers, and so does "about 8,000, although they give no figure":
  what comes after "but" counts more than what comes before it, a main clause more than one that concedes, and a next
  sentence with "however" more than the one before it. Advice ("but you may ask support") and what the sources hold
  instead ("but they describe the pump") answer nothing.
- "No, the document does not mention it" answers a question that is asked with yes or no.
- A later sentence declines for the whole answer where it says so of the question ("this cannot be answered"), where all
  before it says only what the sources hold ("The brochure describes the colors"), or where it is about what is asked
  for, which no sentence before it has mentioned.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ragdash.core.text.refusals.english import ENGLISH
from ragdash.core.text.refusals.languages import GROUPS
from ragdash.core.text.refusals.positions import (
    ADVICE,
    ALONE,
    ASIDE,
    CONCEDED_AFTER,
    CONCEDED_BEFORE,
    CONTRAST,
    ENGLISH_HINT,
    NEGATIVE_ANSWER,
    NOT_FOR_THE_WHOLE,
    NOT_THAT,
    NULL_ANSWER,
    OF_THE_QUESTION,
    OTHERS,
    QUOTED,
    REPORTS,
    SOURCE_NOUN,
    TURNS,
    YES_OR_NO,
)
from ragdash.core.text.refusals.question_focus import is_about
from ragdash.core.text.sentences import sentences

_LONGEST = 2000  # characters that are read


@cache
def _phrases(number: int) -> re.Pattern[str]:
    """The phrases of a group of languages, compiled when first used, because that takes long; -1: English."""
    phrases = ENGLISH if number < 0 else GROUPS[number][1]
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases))


@cache
def _hints() -> tuple[tuple[int, re.Pattern[str]], ...]:
    """(number of a group, what all its phrases hold one of, which is found faster)."""
    return (-1, re.compile(ENGLISH_HINT)), *((i, re.compile(hint)) for i, (hint, _) in enumerate(GROUPS))


@lru_cache(maxsize=1 << 13)
def is_refusal(answer: str, question: str = "") -> bool:
    """Whether the answer declines, by the rules above.

    Parameters
    ----------
    answer
        The text.
    question
        What was asked; with it, negative answers to yes-or-no questions are no refusals, and more refusals behind
        other sentences are recognized.

    Returns
    -------
    bool
        Found by phrases: an unusual way to decline is missed.

    Examples
    --------
    >>> is_refusal("The documents do not mention a price.")
    True
    >>> is_refusal("The documents give no exact year, but it was built about 1210.")
    False
    >>> is_refusal("It covers 14 square kilometers. I have no information on its depth.", "What is the lake's depth?")
    True
    """
    if NULL_ANSWER.search(answer[:_LONGEST]):
        return True
    head = QUOTED.sub(" ", answer[:_LONGEST].replace("\u2019", "'"))
    if " ".join(re.sub(r"[^\w/]+", " ", head.lower()).split()) in ALONE:
        return True
    before: list[str] = []
    texts = [" ".join(head[start:stop].replace("*", "").lower().split()) for start, stop in sentences(head)]
    for i, sentence in enumerate(texts):
        if declines(sentence, question):
            if not before or _for_the_whole(sentence, before, question):
                return not _turns(texts[i + 1:i + 2])
        elif not ASIDE.fullmatch(sentence):
            before.append(sentence)
    return False


def _for_the_whole(sentence: str, before: list[str], question: str) -> bool:
    """Whether a sentence that declines after others does so for all of the answer."""
    if OF_THE_QUESTION.search(sentence):
        return True
    if NOT_FOR_THE_WHOLE.search(sentence):
        return False
    if all(REPORTS.search(text) for text in before):
        return True
    return is_about(sentence, question, before)


def declines(sentence: str, question: str = "") -> bool:
    """Whether a sentence, in lower case, declines and no part of it answers."""
    if match := CONCEDED_BEFORE.match(sentence):
        rest = sentence[match.end():]
        if SOURCE_NOUN.search(match[0]):
            rest = re.sub(r"^\W*(?:it|they)\b", "the context", rest)
        return _holds_phrase(rest)
    if not _holds_phrase(sentence) or OTHERS.search(sentence):
        return False
    if NEGATIVE_ANSWER.match(sentence) and not OF_THE_QUESTION.search(sentence):
        return False
    if YES_OR_NO.match(question) and _answers_no(sentence, question):
        return False
    main = CONCEDED_AFTER.split(sentence, maxsplit=1)[0]
    if len(main) < len(sentence) and not _holds_phrase(main) and not CONTRAST.search(main):
        return False
    clauses = [clause for clause in CONTRAST.split(sentence) if clause.strip()]
    declining = [_holds_phrase(clause) for clause in clauses]
    if not any(declining):
        return True
    after = clauses[len(clauses) - declining[::-1].index(True):]
    return all(ADVICE.match(clause) or REPORTS.search(clause) or NOT_THAT.match(clause) for clause in after)


def _turns(after: list[str]) -> bool:
    """Whether the sentence after one that declines takes it back: "However, it was built about 1210."."""
    match = TURNS.match(after[0]) if after else None
    if match is None:
        return False
    rest = after[0][match.end():]
    return not (_holds_phrase(rest) or ADVICE.match(rest) or REPORTS.search(rest))


def _answers_no(sentence: str, question: str) -> bool:
    """Whether it is the negative answer to a yes-or-no question: no source is in it but one that is asked about."""
    sources = SOURCE_NOUN.findall(sentence)
    asked = question.lower()
    by_writer = re.search(r"\b(?:i|we|whether|ob|si|se)\b", sentence) or OF_THE_QUESTION.search(sentence)
    return not by_writer and all(source in asked for source in sources)


def _holds_phrase(text: str) -> bool:
    """Whether a phrase of some language is in it."""
    return any(hint.search(text) and _phrases(number).search(text) for number, hint in _hints())
