"""What a text says of itself: its sentences, its reasoning aside, whether it declines to answer."""

from __future__ import annotations

import re
from functools import cache

_END = re.compile("[.!?\u2026\u061f\u06d4\u0964]+[\"')\\]\u201d\u2019\u00bb*_]*(?=\\s)"
                  "|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\uff09]*|\n+")
_ABBREVIATION = re.compile(r"(?:^|[\s(\[\"'])(?:[^\W\d_]|(?:[^\W\d_]\.)+[^\W\d_]?|mr|mrs|ms|dr|prof|sr|jr|st|vs|etc|cf"
                           r"|no|nos|vol|figs?|eq|pp|approx|inc|ltd|co|corp|dept|est|al|ca|bzw|nr|jan|feb|mar|apr|jun"
                           r"|jul|aug|sept?|oct|nov|dec)\.$", re.IGNORECASE)
_NUMBERING = re.compile(r"[*#>\-\s]*\d{1,3}\.")
_THINK = re.compile(r"(</?think(?:ing)?>)", re.IGNORECASE)

_KNOWN = r"(?:answer|information|knowledge|details|data|context|evidence|access|mention)"
_TELL = (r"(?:answer|find|determine|provide|tell|give|say|locate|help|assist|confirm|verify|identify|comply|contain"
         r"|mention|include|specify|state|have|address|discuss|offer|indicate|cover)")
_SOURCE = r"(?:contexts?|documents?|passages?|texts?|sources?|information|excerpts?|articles?|materials?)"
_NOT = r"(?:does not|doesn't|do not|don't|did not|didn't)"
_UP_TO_3 = r"(?:\w+ ){0,3}"
# What an answer that declines says, in lower case with straight apostrophes. The one home of this list.
REFUSALS = (
    r"\bi(?: am|'m) (?:\w+ )?(?:not able to|unable to|not sure|not certain)\b",
    rf"\bi (?:\w+ )?(?:do not|don't) (?:\w+ )?(?:know|have {_UP_TO_3}{_KNOWN})\b",
    rf"\b(?:i|we) (?:\w+ )?(?:cannot|can't|can not|could not|couldn't|was unable to|were unable to) (?:\w+ )?{_TELL}\b",
    rf"\b(?:unable|not possible|impossible) to (?:\w+ )?{_TELL}\b",
    rf"\b{_SOURCE} {_UP_TO_3}{_NOT} (?:\w+ )?{_TELL}\b",
    rf"\b{_SOURCE} {_UP_TO_3}(?:provides?|contains?|gives?|offers?|includes?|has|have) no {_UP_TO_3}{_KNOWN}\b",
    rf"\b(?:there is|there's|there was|i have|i found) (?:no|not enough|insufficient) {_UP_TO_3}"
    r"(?:information|answer|mention|details|context)\b",
    r"\b(?:no|not enough|insufficient) (?:\w+ )?(?:information|context|details)(?: is| was)? "
    r"(?:available|provided|given|found|to )",
    r"\b(?:cannot|can't|can not|could not) be (?:answered|determined|inferred|found)\b",
    r"\b(?:is|are|was|were) not (?:\w+ )?(?:provided|mentioned|specified|stated|available|given|found|included)"
    rf" in (?:the|this|these|any|my) (?:\w+ )?{_SOURCE}\b",
    r"\bich (?:weiß (?:es|das|dies) nicht|kann (?:\w+ ){0,4}nicht (?:beantworten|sagen|finden))\b",
    r"\bkeine (?:\w+ )?(?:informationen|angaben|antwort)\b",
    r"\bje ne (?:sais pas|peux pas|dispose pas|trouve pas|connais pas)\b",
    r"\bne (?:contien(?:nen)?t|mentionne(?:nt)?|fourni(?:ssen)?t|précise(?:nt)?) (?:pas|aucune)\b",
    r"\bno (?:lo )?sé\b|\bno puedo (?:responder|contestar|determinar|encontrar)\b",
    r"\bno (?:hay|tengo) (?:\w+ )?información\b",
    r"\bnon lo so\b|\bnon posso rispondere\b|\bnon (?:ho|ci sono) (?:\w+ )?informazioni\b",
    r"\bnão sei\b|\bnão posso responder\b|\bnão há (?:\w+ )?informaç(?:ão|ões)\b",
    r"我不知道|不知道答案|无法(?:回答|确定|提供)|無法(?:回答|確定|提供)|没有(?:相关|足够的?)?信息|沒有(?:相關|足夠的?)?資訊",
    r"わかりません|分かりません|お答えできません|情報(?:が|は)ありません|لا أعرف|لا أعلم|لا يمكنني الإجابة",
)
# What declines only where it is the whole answer.
ALONE = frozenset(("unknown", "unanswerable", "not answerable", "no answer", "n/a", "not available", "not found", "idk",
                   "no information", "insufficient information", "not enough information", "cannot answer",
                   "not mentioned", "not specified", "not provided"))
# Every phrase holds one of these, which are found faster.
_HINT = re.compile(r"n't|no(?:t|n)?\b|unable|impossible|insufficient|nicht|keine|ne\b|não|[^\x00-\u0250]")
_APOLOGY = re.compile(r"\W*(?:(?:i am|i'm|we are|we're)?\s*(?:\w+ )?sorry|my apologies|i apologi[sz]e|apologies"
                      r"|unfortunately)\b[^.]{0,30}[.!]?")
_QUOTED = re.compile("\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|„[^“\n]{0,300}“")


@cache
def _refusals() -> re.Pattern[str]:
    """Compiled when first used, because that takes long."""
    return re.compile("|".join(f"(?:{phrase})" for phrase in REFUSALS))


def without_reasoning(text: str) -> str:
    """The text without <think>...</think> (or thinking) blocks.

    A block that is never closed takes all the rest with it: there is no answer yet. One that is never opened (some
    templates open it in the prompt) takes all before it.
    """
    pieces = _THINK.split(text)
    if len(pieces) == 1:
        return text
    visible, depth = [], 0
    for i, piece in enumerate(pieces):
        if i % 2 == 0:
            visible.append("" if depth else piece)
        elif not piece.startswith("</"):
            depth += 1
        elif depth:
            depth -= 1
        else:
            visible = []
    return "".join(visible).strip()


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, stop) of every sentence, white space at its edges left out.

    One ends at . ! ? and their like before white space, at the full stops of Chinese and Japanese, at a line's end;
    not behind an initial or a common abbreviation, nor where the next word is in lower case.
    """
    spans, start = [], 0
    for match in _END.finditer(text):
        stop = match.end()
        if match[0] == "." and _goes_on(text, start, stop):
            continue
        spans.append((start, stop))
        start = stop
    spans.append((start, len(text)))
    return [(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
            for start, piece in ((start, text[start:stop]) for start, stop in spans) if piece.strip()]


def _goes_on(text: str, start: int, stop: int) -> bool:
    """Whether the point before `stop` ends a list's number or an abbreviation, or the next word is in lower case."""
    rest = text[stop:stop + 40].lstrip()
    if _NUMBERING.fullmatch(text[start:stop].strip()):
        return True
    return rest[:1].islower() or bool(_ABBREVIATION.search(text[max(start, stop - 24):stop]))


def is_refusal(answer: str) -> bool:
    """Whether the answer declines: its first sentence holds one of REFUSALS, or all of it is one of ALONE.

    Quotations and a sentence that only apologises are passed over. Found by phrases: an unusual way to decline is
    missed, and a first sentence that declines in part counts.
    """
    head = _QUOTED.sub(" ", answer[:2000].replace("\u2019", "'"))
    if " ".join(re.sub(r"[^\w/]+", " ", head.lower()).split()) in ALONE:
        return True
    for start, stop in sentences(head):
        sentence = " ".join(head[start:stop].replace("*", "").lower().split())
        if _HINT.search(sentence) and _refusals().search(sentence):
            return True
        if not _APOLOGY.fullmatch(sentence):
            return False
    return False
