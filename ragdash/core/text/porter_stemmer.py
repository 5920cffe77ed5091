"""Porter's stemmer (1980) with the departures of NLTK's, which rouge-score uses: news, dying, -bli, -logi ..."""

from __future__ import annotations

import re
from functools import lru_cache

# Words whose stem the rules would spoil.
_KNOWN = {"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
          **dict.fromkeys(("inning", "innings"), "inning"), **dict.fromkeys(("outing", "outings"), "outing"),
          **dict.fromkeys(("canning", "cannings"), "canning"), "howe": "howe", "proceed": "proceed",
          "exceed": "exceed", "succeed": "succeed"}
_STEP_2 = (("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
           ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
           ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
           ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"), ("logi", "log"))
_STEP_3 = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_STEP_4 = ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
           "iti", "ous", "ive", "ize")


@lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """The stem of a word in lower case; words of one or two letters stay as they are."""
    if word in _KNOWN or len(word) <= 2:
        return _KNOWN.get(word, word)
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and len(word) > 2 and _shape(word[:-1])[-1] == "c":
        word = word[:-1] + "i"
    return _final(_step_4(_rule(_step_2(word), _STEP_3)))


def _shape(word: str) -> str:
    """c for a consonant and v for a vowel, letter by letter; y is a vowel behind a consonant."""
    shape = ""
    for i, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and i > 0 and shape[i - 1] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a consonant follows a vowel."""
    return len(re.findall("vc", _shape(word)))


def _short_end(word: str) -> bool:
    """Whether it ends consonant, vowel, consonant other than w, x and y (or is a vowel and a consonant alone)."""
    shape = _shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word if word.endswith("ss") or not word.endswith("s") else word[:-1]


def _past(word: str) -> str:
    """Without -eed, -ed and -ing."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    root = next((word[:-len(end)] for end in ("ed", "ing") if word.endswith(end)), None)
    if root is None or "v" not in _shape(root):
        return word
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if len(root) > 1 and root[-1] == root[-2] and _shape(root)[-1] == "c":
        return root if root[-1] in "lsz" else root[:-1]
    return root + "e" if _measure(root) == 1 and _short_end(root) else root


def _rule(word: str, rules: tuple) -> str:
    """The first ending that fits is replaced where a measure is left before it; otherwise the word stays."""
    for end, new in rules:
        if word.endswith(end):
            return word[:-len(end)] + new if _measure(word[:-len(end)]) else word
    return word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _step_2(word[:-2])
    if word.endswith("logi"):  # the measure is that of the word with its l
        return word[:-1] if _measure(word[:-3]) else word
    return _rule(word, _STEP_2)


def _step_4(word: str) -> str:
    for end in _STEP_4:
        if word.endswith(end):
            root = word[:-len(end)]
            fits = _measure(root) > 1 and (end != "ion" or root[-1] in "st")
            return root if fits else word
    return word


def _final(word: str) -> str:
    """Without a last e, and with one l for two, where enough is left."""
    if word.endswith("e"):
        root = word[:-1]
        measure = _measure(root)
        if measure > 1 or (measure == 1 and not _short_end(root)):
            word = root
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
