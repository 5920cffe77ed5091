"""Rules about the wording of a question that is otherwise valid: it gives its answer away, is copied, asks two things,
or leaves open what or which time it means; and too many questions of a set that yes or no answers.

| rule | passed where |
|---|---|
| leak | a content word of the answer is not in the question (`answer_in_question`) |
| copied | no RUN words in a row are those of a document, and at most CEILING of its content words are in the evidence |
| compound | it asks one thing (`second_question`) |
| ambiguous | it does not depend on when it is asked, and names what it is about (`ambiguous_words`) |
| yes_no | it asks for more than yes or no, or is one of the first YES_NO of those wanted of its type (`YesNo`) |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from ragdash.core.text import content_words, normalize, number_value, numbers, tokens
from ragdash.core.text.template import percent
from ragdash.experiments.testset.drafts import Check, Document

HOW = "unicode"  # the tokens: any script
RUN = 7  # words in a row
CEILING, FEW = 0.9, 5  # share of the content words in the evidence; questions with fewer content words are not measured
YES_NO = 0.2  # share of a type's wanted questions

_ASKS = r"(?:who|whom|whose|what|which|when|where|why|how)"
_SECOND = re.compile(rf"(?:;|[,;]? (?:and|as well as)(?: also| then)?)\s+"
                     rf"(?:(?:in|on|at|by|to|from|for|of|with|under|during)\s+)?({_ASKS})\b")
_TIME = (r"\b(?:today|nowadays|currently|recently|lately|at present|at the moment|right now|so far|to date|these days|"
         r"(?:this|last|next|past|coming) (?:year|month|week|quarter|decade|season)|"
         r"the (?:current|latest|newest|most recent|upcoming))\b")
_OWN = r"(?:the|his|her|its|their)"
_TWO_THINGS = re.compile(rf"\bwhat (?:is|are|was|were) {_OWN} \w+ (and (?:{_OWN} )?\w+) (?:of|for)\b")
_KINDS = (r"(?:company|firm|organi[sz]ation|person|man|woman|people|team|project|product|device|method|approach|study|"
          r"event|incident|place|city|country|process|system|model|results?|figure|table|value|number|mission|probe|"
          r"spacecraft|vehicle|ship|crew|program(?:me)?|agency|committee|government|president|king|queen|director|"
          r"founder|book|film|report|paper|law|agreement|building|bridge|battle|war|disease|drug|patient|species)")
_NAMED = r"(?:of|that|which|who|whose|where|in|at|on|for|with|behind|called|named|known|from|by|to|between|used|made)"
_VERB = r"(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|should)"
_VAGUE = re.compile(rf"\bthe (?:same )?{_KINDS}(?=\s*(?:[?.,;!]|$))"
                    rf"|\b{_VERB} the (?:same )?{_KINDS}\b(?! {_NAMED}\b)", re.IGNORECASE)
_NAME = re.compile(r"[^\w]*(?:[^\W\d_a-z]|\w*\d)")
_AUXILIARY = frozenset(word for line in ("""
    is are was were am do does did has have had can could will would shall should may might must isn't aren't wasn't
    weren't don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't ist sind war waren hat haben hatte
    kann können wird est-ce est sont était es son fue è sono era
""",) for word in line.split())
_REPLIES = ("yes", "no", "ja", "nein", "oui", "non")


def worded(question: str, answer: str | None, evidence: Iterable[str], documents: Iterable[Document]) -> list[Check]:
    """The rules leak, copied, compound and ambiguous of a question; answer None: there is nothing to give away."""
    checks = [_compound(question), _ambiguous(question), _copied(question, list(evidence), documents)]
    if answer is not None:
        leaks = answer_in_question(question, answer)
        checks.append(Check("leak", not leaks, "the answer is in the question" if leaks else
                            "the question does not give the answer away"))
    return checks


def answer_in_question(question: str, answer: str) -> bool:
    """Whether the question has all content words of the answer: by their stems, numbers by their value.

    A choice ("Is it A or B?") gives its answer away too. An answer of yes or no has no such words.

    Examples
    --------
    >>> answer_in_question("Did Luna 24 land in the Sea of Crises?", "in the Sea of Crises")
    True
    >>> answer_in_question("Where did Luna 24 land?", "in the Sea of Crises")
    False
    """
    stems = set(tokens(question, HOW, stem=True))
    values = {number_value(question[start:stop]) for start, stop in numbers(question)}
    given = {token for start, stop in numbers(answer) if number_value(answer[start:stop]) in values
             for token in tokens(answer[start:stop], HOW)}
    wanted = content_words(answer, HOW) - {"yes", "no"}
    stem_of = dict(zip(tokens(answer, HOW), tokens(answer, HOW, stem=True), strict=True))
    return bool(wanted) and all(word in given or stem_of.get(word, word) in stems for word in wanted)


def second_question(question: str) -> str:
    """The words with which a second question begins, "" where only one thing is asked.

    Examples
    --------
    >>> second_question("When did it open, and who built the bridge?"), second_question("Who knew what happened?")
    (', and who', '')
    >>> second_question("What were the date and the place of the landing?")
    'and the place'
    """
    text = " ".join(question.split())
    marks = [match.start() for match in re.finditer(r"[?？؟]", text)]
    if len(marks) > 1 and text[marks[0] + 1:].strip("?？؟ \"'”’)"):
        return text[marks[0] + 1:].strip().split(" ")[0]
    for match in _SECOND.finditer(text.lower()):
        before = text.lower()[:match.start()].split()
        if before and match[1] not in before[2:]:  # "the crew who flew and who walked": two clauses of one question
            return match[0].strip()
    both = _TWO_THINGS.search(text.lower())
    return both[1] if both else ""


def ambiguous_words(question: str) -> str:
    """The words that leave open which time or which thing is meant, "" where there are none.

    Examples
    --------
    >>> ambiguous_words("Who leads the agency today?"), ambiguous_words("What did the company sell?")
    ('today', 'the company')
    >>> ambiguous_words("What did the company that built Beresheet sell in 2019?")
    ''
    """
    text = " ".join(question.split())
    time = re.search(_TIME, text.lower())
    if time:
        return time[0]
    vague = _VAGUE.search(text)
    if vague is None or any(_NAME.match(word) for word in text.split()[1:]):
        return ""
    return vague[0][vague[0].lower().index("the "):]


def longest_copy(question: str, text: str) -> list[str]:
    """The longest run of consecutive words of the question that the text has too; a, an and the do not count.

    Examples
    --------
    >>> longest_copy("Which probe landed in the Sea of Crises?", "It landed in the Sea of Crises in 1976.")
    ['landed', 'in', 'sea', 'of', 'crises']
    """
    words, others = tokens(question, HOW), tokens(text, HOW)
    best, length, before = 0, 0, [0] * (len(others) + 1)
    for i, word in enumerate(words, 1):
        row = [0] * (len(others) + 1)
        for j, other in enumerate(others, 1):
            if word == other:
                row[j] = before[j - 1] + 1
                if row[j] > length:
                    best, length = i, row[j]
        before = row
    return list(words[best - length:best])


def is_yes_no(question: str, answer: str | None) -> bool:
    """Whether yes or no answers a question: it begins with a verb such as "did", or its answer with yes or no."""
    first = question.strip().lower().replace("’", "'").split(" ", 1)[0]
    reply = normalize(answer or "", HOW).split(" ", 1)[0]
    return (first in _AUXILIARY and " or " not in question.lower()) or reply in _REPLIES


class YesNo:
    """How many questions of yes and no each type has; of those wanted, {type: drafts}."""

    def __init__(self, wanted: Mapping[str, int]) -> None:
        self._most = {type: max(int(YES_NO * n), 1) for type, n in wanted.items()}
        self._kept: Counter[str] = Counter()

    def check(self, type: str, question: str, answer: str | None) -> Check | None:
        """The rule yes_no; None for a question that asks for more."""
        if not is_yes_no(question, answer):
            return None
        full = self._kept[type] >= self._most[type]
        return Check("yes_no", not full, f"yes or no answers it, and the set has {self._most[type]:,} such already"
                     if full else "yes or no answers it; few of the set are such")

    def add(self, type: str, question: str, answer: str | None) -> None:
        """A question that is kept."""
        self._kept[type] += is_yes_no(question, answer)


def _compound(question: str) -> Check:
    second = second_question(question)
    return Check("compound", not second, f"it asks a second thing: “{second}”" if second else "it asks one thing")


def _ambiguous(question: str) -> Check:
    words = ambiguous_words(question)
    return Check("ambiguous", not words, f"it leaves open what is meant: “{words}”" if words else
                 "what it is about is named")


def _copied(question: str, evidence: list[str], documents: Iterable[Document]) -> Check:
    copy = max((longest_copy(question, document.text) for document in documents), key=len, default=[])
    if len(copy) >= RUN:
        return Check("copied", False, f"{len(copy)} words in a row are copied: “{' '.join(copy)}”")
    words = content_words(question, HOW)
    stems = {stem for text in evidence for stem in tokens(text, HOW, stem=True)}
    stem_of = dict(zip(tokens(question, HOW), tokens(question, HOW, stem=True), strict=True))
    share = sum(stem_of.get(word, word) in stems for word in words) / len(words) if words else 0.0
    if len(words) >= FEW and share > CEILING:
        return Check("copied", False, f"{percent(share)} of its content words are in the evidence, more than "
                     f"{percent(CEILING)}")
    return Check("copied", True, "its words are its own")
