"""Numbers that are not plain digits: in words, as fractions, ordinals, quarters of a year, and powers of ten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

ENGLISH_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
TENS = {word: 10 * number for number, word in
        enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)}
# Words of other languages that are no word of English as well: neither "once" nor "due" nor "sei".
_ABROAD = {word: number for number, words in (
    (2, "zwei deux dos dois duas twee"), (3, "drei trois tres três drie"), (4, "vier quatre cuatro quattro quatro"),
    (5, "fünf cinq cinco cinque vijf"), (6, "sechs seis zes"), (7, "sieben siete sette sete zeven"),
    (8, "acht huit ocho otto oito"), (9, "neun neuf nueve negen"), (10, "zehn diez dieci dez tien"),
    (11, "elf undici"), (12, "zwölf douze doce dodici doze twaalf"), (13, "dreizehn treize trece tredici dertien"),
    (14, "vierzehn quatorze catorce veertien"), (15, "fünfzehn quinze quince quindici vijftien"),
    (16, "sechzehn seize dieciséis sedici zestien"), (17, "siebzehn dix-sept diecisiete diciassette zeventien"),
    (18, "achtzehn dix-huit dieciocho diciotto achttien"), (19, "neunzehn dix-neuf diecinueve diciannove"),
    (20, "zwanzig vingt veinte venti vinte twintig"), (30, "dreißig trente treinta trenta trinta dertig"),
    (40, "vierzig quarante cuarenta quaranta quarenta veertig"), (50, "fünfzig cinquante cincuenta cinquanta vijftig"),
    (60, "sechzig soixante sesenta sessanta zestig")) for word in words.split()}
WORDS = {word: number for number, word in enumerate(ENGLISH_UNITS)} | TENS | _ABROAD
NUMBER_WORD = re.compile(rf"\b(?:({'|'.join(TENS)})-({'|'.join(ENGLISH_UNITS[1:10])})"
                         rf"|({'|'.join(sorted(WORDS, key=len, reverse=True))}))\b", re.IGNORECASE)
_ORDINALS = {word: number for number, word in enumerate((
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"), 1)}
_ORDINAL = re.compile(rf"(?<![\d.,/])(?P<digits>\d{{1,3}})(?:st|nd|rd|th)\b|\b(?P<word>{'|'.join(_ORDINALS)})\b"
                      r"(?![ -](?:part(?:y|ies)|class|hand|time|world|name))", re.IGNORECASE)
_QUARTER = re.compile(r"\bq(?P<number>[1-4])\b|\b(?P<word>first|second|third|fourth|1st|2nd|3rd|4th)[ -]quarter\b",
                      re.IGNORECASE)
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
          "eighth": 8, "ninth": 9, "tenth": 10}
_PART = "|".join(part for part in _PARTS if part != "halves")
_SIGNS = {sign: Decimal(number) for sign, number in
          {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.33", "⅔": "0.67", "⅛": "0.125", "⅕": "0.2"}.items()}
_FRACTIONS = re.compile(
    r"(?<![\d/.,-])(?:(?P<whole>\d{1,3})[ -])?(?P<over>\d{1,2})/(?P<under>[2-9]|1[0-9]|[2-9]\d|100)(?![\d/.]\d|\d)"
    rf"|(?:(?<![\d.,])(?P<before>\d{{1,3}}) ?)?(?P<sign>[{''.join(_SIGNS)}])"
    rf"|\b(?P<count>{'|'.join(ENGLISH_UNITS[2:10])})[ -](?P<parts>{_PART})s\b"
    rf"|\b(?:an?|one)[ -](?P<part>{_PART})(?= of\b|\W*$)"
    r"|\b(?:one|1) in (?P<among>\d{1,3}|" + "|".join(ENGLISH_UNITS[2:11]) + r")\b(?![.,/-]?\d)", re.IGNORECASE)
_POWER = re.compile(r"(?<![\w.])(?P<mantissa>\d+(?:\.\d+)?)(?:\s?[×x*·]\s?10\s?(?:\^|\*\*)?\s?\{?(?P<sign>[-−–+⁻]?)"
                    r"(?P<exponent>[\d⁰¹²³⁴-⁹]{1,3})\}?|[eE](?P<written>[-+]?\d{1,3})\b)")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def fractions(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, stop, value) of "1/2", "1 ½", "two thirds", "a fifth of", "1 in 4"; two digits behind the point."""
    for match in _FRACTIONS.finditer(text):
        fields = match.groupdict()
        if fields["sign"]:
            value = _SIGNS[fields["sign"]] + int(fields["before"] or 0)
        elif fields["over"]:
            value = _share(int(fields["over"]), int(fields["under"])) + int(fields["whole"] or 0)
        elif fields["count"]:
            value = _share(WORDS[fields["count"].lower()], _PARTS[fields["parts"].lower()])
        elif fields["part"]:
            value = _share(1, _PARTS[fields["part"].lower()])
        else:
            among = fields["among"].lower()
            value = _share(1, int(among) if among.isdigit() else WORDS[among])
        if value:
            yield *match.span(), value


def _share(over: int, under: int) -> Decimal:
    return Decimal(0) if not under else (Decimal(over) / under).quantize(Decimal("0.01" if under != 8 else "0.001"))


def ordinals(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, stop, number) of "3rd" and "third"; "second" only where no amount of time is meant."""
    for match in _ORDINAL.finditer(text):
        if match["digits"]:
            yield *match.span(), int(match["digits"])
        elif match["word"].lower() != "second" or not re.search(r"\b(?:a|per|each|every|one)\s$|/\s?$",
                                                              text[max(match.start() - 7, 0):match.start()]):
            yield *match.span(), _ORDINALS[match["word"].lower()]


def quarters(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, stop, number) of "Q3" and "third quarter"."""
    for match in _QUARTER.finditer(text):
        word = (match["word"] or "").lower()
        yield *match.span(), int(match["number"]) if match["number"] else _ORDINALS.get(word) or int(word[0])


def powers(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, stop, value) of "1 × 10^-6" and "1e-6"."""
    for match in _POWER.finditer(text):
        if match["written"]:
            exponent = int(match["written"])
        else:
            exponent = int(match["exponent"].translate(_RAISED)) * (-1 if match["sign"] in ("-", "−", "–", "⁻") else 1)
        yield *match.span(), Decimal(match["mantissa"]).scaleb(exponent)
