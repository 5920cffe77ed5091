"""What follows or precedes a number: scales (million), per cent, currencies and units of measure."""

from __future__ import annotations

import re
from decimal import Decimal

SCALES = {word: exponent for exponent, words in (
    (2, "hundred"), (3, "thousand thousands k tsd tausend milliers mille mil"), (5, "lakh lakhs"),
    (6, "million millions mn mm mln m mio millionen millones milioni milhões"), (7, "crore crores"),
    (9, "billion billions bn b mrd milliarde milliarden milliard milliards miliardi"), (12, "trillion trillions tn"),
    (4, "万 萬 만"), (8, "亿 億 억"),
) for word in words.split()}
_LETTERS = "kmb"  # one letter is a scale only where it touches the number, or behind a currency
_EAST_ASIAN = "万萬만亿億억"
_WORDS = "|".join(sorted((word for word in SCALES if word not in _LETTERS + _EAST_ASIAN), key=len, reverse=True))
_SCALE = re.compile(rf"[ \u00a0-]?({_WORDS})\b\.?|([{_LETTERS}])\b|\s?([{_EAST_ASIAN}])", re.IGNORECASE)
_SPACED_LETTER = re.compile(rf"[ \u00a0]([{_LETTERS}])\b", re.IGNORECASE)
_PERCENT = re.compile(r"[ \u00a0-]?(?:[%\uff05]|(?:percent(?:age)?(?: points?)?|per cent|prozent(?:punkte)?"
                      r"|pour ?cent"
                      r"|por ?ciento|per ?cento|pp)\b)", re.IGNORECASE)
_BASIS_POINTS = re.compile(r"[ -]?(?:basis points?|bps?)\b", re.IGNORECASE)
CENT = "cent"  # a hundredth of whatever currency the other side has
_CURRENCIES = {"$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR",
               "£": "GBP", "gbp": "GBP", "pound": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "₹": "INR",
               "inr": "INR", "rupee": "INR", "chf": "CHF", "franc": "CHF", "円": "JPY", "元": "CNY", "cny": "CNY",
               "yuan": "CNY", "원": "KRW", "krw": "KRW", "won": "KRW", "₩": "KRW", "zł": "PLN", "pln": "PLN",
               "złotych": "PLN", "r$": "BRL", "brl": "BRL", "reais": "BRL", "real": "BRL", "cent": CENT, "¢": CENT,
               "pence": CENT, "céntimo": CENT, "centime": CENT}
_BEFORE = re.compile(r"(us\$|r\$|[$€£¥₹₩]|\b(?:usd|eur|gbp|jpy|inr|chf|cny|krw|pln|brl))\s?$", re.IGNORECASE)
_AFTER = re.compile(r"\s?(?:([€£$円元원¢])|(usd|eur|gbp|jpy|inr|chf|cny|krw|pln|brl|zł|złotych|reais)\b"
                    r"|(dollar|euro|pound|yen|rupee|franc|yuan|real|cent|pence|céntimo|centime)s?\b)", re.IGNORECASE)
CURRENCY_WORD = re.compile(r"\s?(?:dollar|euro|pound|yen|rupee|franc|yuan)s?$", re.IGNORECASE)
# (dimension, factor to its base unit) by the unit's spellings; degrees are units of their own, without conversion
MEASURES = {word: (dimension, Decimal(factor)) for dimension, factor, words in (
    ("m", "1", "m metre metres meter meters mètre mètres"),
    ("m", "1000", "km kilometre kilometres kilometer kilometers"),
    ("m", "0.01", "cm centimetre centimetres centimeter centimeters"), ("m", "0.001", "mm millimetre millimetres"),
    ("m", "1609.344", "mile miles mi"), ("m", "0.3048", "foot feet ft"), ("m", "0.0254", "inch inches"),
    ("g", "1", "g gram grams gramm gramme grammes"), ("g", "1000", "kg kilogram kilograms kilo kilos"),
    ("g", "0.001", "mg milligram milligrams"), ("g", "0.000001", "µg μg mcg microgram micrograms"),
    ("g", "453.59237", "lb lbs"), ("g", "28.349523125", "oz ounce ounces"), ("g", "1000000", "tonne tonnes"),
    ("g", "1000000000", "kt kilotonne kilotonnes"),
    ("m²", "1", "m² m2 sqm"), ("m²", "1000000", "km² km2"), ("m²", "10000", "ha hectare hectares hektar"),
    ("l", "1000", "m³ m3"), ("bit/s", "1000", "kbit/s kbps"), ("bit/s", "1000000", "mbit/s mbps"),
    ("bit/s", "1000000000", "gbit/s gbps"),
    ("l", "1", "l litre litres liter liters"), ("l", "0.001", "ml millilitre millilitres milliliter milliliters"),
    ("s", "1", "s sec second seconds sekunden secondes"), ("s", "0.001", "ms millisecond milliseconds"),
    ("s", "60", "min minute minutes minuten"), ("s", "3600", "h hour hours hr hrs stunden heures"),
    ("s", "86400", "day days tage tagen jours"), ("s", "604800", "week weeks wochen semaines"),
    ("month", "1", "month months monate monaten mois"), ("month", "12", "year years yr yrs jahre jahren ans années"),
    ("°C", "1", "°c"), ("°F", "1", "°f"), ("B", "1", "byte bytes"), ("B", "1000", "kb"), ("B", "1000000", "mb"),
    ("B", "1000000000", "gb"), ("B", "1000000000000", "tb"), ("Hz", "1", "hz"), ("Hz", "1000", "khz"),
    ("Hz", "1000000", "mhz"), ("Hz", "1000000000", "ghz"), ("W", "1", "w watt watts"), ("W", "1000", "kw"),
    ("W", "1000000", "mw"), ("Wh", "1000", "kwh"), ("Wh", "1000000", "mwh"),
) for word in words.split()}
_POWERS = {"square": "²", "cubic": "³"}
_SHORT = {"meter": "m", "metre": "m", "kilometer": "km", "kilometre": "km"}
_POWERED = re.compile(r"[ \u00a0-]?(square|cubic)[ -](kilomet(?:er|re)|met(?:er|re))s?\b", re.IGNORECASE)
_MEASURE = re.compile(rf"[ \u00a0-]?(?:({'|'.join(sorted(MEASURES, key=len, reverse=True))})(?![^\W\d_]))",
                      re.IGNORECASE)


def currency_before(text: str, start: int) -> tuple[str, int]:
    """(code of the currency written before this place or "", where it begins)."""
    match = _BEFORE.search(text[max(start - 12, 0):start])
    return (_CURRENCIES[match[1].lower()], start - len(match[0])) if match else ("", start)


def units_after(text: str, stop: int, currency: bool) -> tuple[int | None, str, int]:
    """(scale, unit, stop) of what follows a number. currency: one is written before it."""
    rest = text[stop:stop + 40]
    if match := _PERCENT.match(rest):
        return None, "%", stop + match.end()
    if match := _BASIS_POINTS.match(rest):
        return -2, "%", stop + match.end()
    scale, match = None, _SCALE.match(rest) or (_SPACED_LETTER.match(rest) if currency else None)
    if match:
        scale = SCALES[next(group for group in match.groups() if group).lower()]
        stop, rest = stop + match.end(), rest[match.end():]
    if match := _AFTER.match(rest):
        return scale, _CURRENCIES[(match[1] or match[2] or match[3]).lower()], stop + match.end()
    if not currency and (match := _POWERED.match(rest)):
        unit = _SHORT[match[2].lower()] + _POWERS[match[1].lower()]
        return (scale, unit, stop + match.end()) if unit in MEASURES else (scale, "", stop)
    if not currency and (match := _MEASURE.match(rest)):
        return scale, match[1].lower(), stop + match.end()
    return scale, "", stop
