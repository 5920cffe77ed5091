"""Whether a sentence is about what a question asks for, and other sentences are not."""

from __future__ import annotations

import re

_PREFIX = 5  # letters that two forms of a word share: costs and cost, depth and deep do not
_ASKED_BY = ((r"\bwho\b", ("who", "name")), (r"\bwhen\b", ("when", "date", "year")),
             (r"\bwhere\b", ("where", "place", "location")), (r"\bwhy\b", ("why", "reason", "cause")),
             (r"\bhow much\b", ("price", "cost", "amount", "how much")),
             (r"\bhow long\b", ("how long", "length", "duration")),
             (r"\bhow old\b", ("age", "how old")), (r"\bhow many\b", ("how many", "the number", "number of")),
             (r"\bwer\b", ("wer", "name")), (r"\bwann\b", ("wann", "datum")), (r"\bwarum\b", ("grund", "ursache")),
             (r"\bqui\b", ("qui", "nom")), (r"\bquand\b", ("quand", "date")), (r"\bcuándo\b", ("fecha",)),
             (r"\bquando\b", ("data",)))
_QUESTION_WORDS = """
what which when where whom whose does have been were that this these those with from into about many much long
there their they them will would could should your welche welcher welches wann wieviel viele hoch lange wurde haben
quel quelle quels quelles combien quand dans pour avec cuál cuáles cuánto cuánta cuántos cuándo dónde quién qué
para como quanto quanti quale quali quando dove dell della delle nella qual quantos onde hoeveel wanneer waar welke
kiedy gdzie jaki jaka jakie сколько когда какой какая какие
"""
_EMPTY = frozenset(_QUESTION_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}|[\u30a0-\u30ff]{2,}|[\u3400-\u9fff](?=[さいく]|的|有多)|[\uac00-\ud7af]{2,}")


def is_about(sentence: str, question: str, before: list[str]) -> bool:
    """Whether the sentence names what the question asks for, which none before it does.

    What is asked for: the first two words with content of the question, its numbers, and what "who", "when", "why" and
    their like ask for ("reason"). Words are the same if their first letters are.

    Examples
    --------
    >>> is_about("its depth is not known.", "What is the depth of the lake?", ["the lake covers 14 km²."])
    True
    >>> is_about("no bonds are named.", "What was the reaction of the market?", ["shares fell."])
    False
    """
    asked = question.lower()
    known = " ".join(before)
    words = [word for word in _WORD.findall(asked) if (len(word) > 3 or word.isdigit()) and word not in _EMPTY]
    focus = {word[:_PREFIX] for word in words[:2]} | {word for word in words if word.isdigit()}
    focus |= set(_HAN.findall(asked)[:2])
    focus |= {word for pattern, asked_for in _ASKED_BY if re.search(pattern, asked) for word in asked_for}
    return any(_holds(sentence, word) and not _holds(known, word) for word in focus)


def _holds(text: str, beginning: str) -> bool:
    """Whether a word of the text begins so; a part of a text without spaces."""
    if beginning[0] > "\u2fff":
        return beginning in text
    return re.search(rf"\b{re.escape(beginning)}", text) is not None
