"""Names made short by what they share: in tables, lists and pictures the part in which they differ stays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from ragdash.core.text.quoted import cut_middle

WORD_ENDS = r"([-_./ ()]+)"  # of a name
NUMBER_END = r"(?<=\D)\d{1,3}\Z"  # the digits at the end of a cut name, where it begins otherwise
LONGEST_NUMBER = 3  # digits that are put back before the rest of their number
FRAGMENT = 3  # letters that say too little of a word, or that are put back before the rest of it
PAGE_NAME = 32  # characters of a name that is whole in sentences, cards, choices and tables
NARROW_NAME = 18  # characters of a short name, the same in pictures, narrow columns and wherever it is not whole


def short_names(names: Sequence[str], limit: int) -> list[str]:
    """Each name shortened by what it shares with the others: the words in which they differ stay, and what fits around.

    Names without such words are shortened in the middle, so that names that differ there still differ. Those that are
    the same at this limit are shortened less, where there is room for a row of text. From PAGE_NAME on a name is whole,
    or as short as at NARROW_NAME where the names differ there: a page has no two short forms of a name.

    Examples
    --------
    >>> short_names(["a-long-name-chunk-256-with-more", "a-long-name-chunk-512-with-more"], 16)
    ['chunk-256-with', 'chunk-512-with']
    >>> short_names(["chatbot-v1-dense-small", "chatbot-v2-hybrid-large", "bm25"], 18)
    ['v1-dense-small', 'v2-hybrid-large', 'bm25']
    >>> [short_names(["one-long-shared-beginning-of-dense", "one-long-shared-beginning-of-bm25"], k) for k in (18, 32)]
    [['beginning-of-dense', 'beginning-of-bm25'], ['beginning-of-dense', 'beginning-of-bm25']]
    >>> short_names(["colbert-v2.1-chunk1024-overlap128-top10", "e5-large-v2-chunk512-top30"], 18)
    ['colbert…128-top10', 'e5-large…512-top30']
    >>> short_names(["colbert-v2.1-chunk1024-overlap128-top10", "e5-large-v2-chunk512-top30"], 32)
    ['colbert…128-top10', 'e5-large-v2-chunk512-top30']
    >>> short_names(["dense (embedding-large_256d)", "dense (embedding-large_int8)", "bm25"], 18)
    ['dense…large_256d', 'dense…large_int8', 'bm25']
    """
    return list(_short_names(tuple(names), limit))


@lru_cache(256)
def _short_names(given: tuple[str, ...], limit: int) -> Sequence[str]:
    if limit >= PAGE_NAME:
        narrow = _short_names(given, NARROW_NAME)
        whole_or_narrow = [name if len(name) <= limit else text for name, text in zip(given, narrow, strict=True)]
        if len(set(given)) == len(set(narrow)) == len(set(whole_or_narrow)):
            return whole_or_narrow
    names = _differing_words(given, limit)
    short = _shortened(names, limit)
    for longer in range(limit + 4, 2 * limit + 1, 4) if limit >= NARROW_NAME else ():
        called: dict[str, set[str]] = {}
        for name, text in zip(names, short, strict=True):
            called.setdefault(text, set()).add(name)
        if max(map(len, called.values()), default=1) == 1:
            break
        short = [text if len(called[text]) == 1 else again
                 for text, again in zip(short, _shortened(names, longer), strict=True)]
    return _without_half_pairs(given, _without_islands(_by_their_words(names, short, limit)))


def _without_half_pairs(names: Sequence[str], short: list[str]) -> list[str]:
    """The short names without a parenthesis whose other half is cut off."""
    whole = [text if text == name else _paired(text) for name, text in zip(names, short, strict=True)]
    return whole if len(set(whole)) == len(set(short)) else short


def _paired(text: str) -> str:
    """A text without the parentheses that have no other half."""
    opened: list[int] = []
    halves = set()
    for place, char in enumerate(text):
        if char == "(":
            opened.append(place)
        elif char == ")" and opened:
            opened.pop()
        elif char == ")":
            halves.add(place)
    halves.update(opened)
    return "".join(char for place, char in enumerate(text) if place not in halves).strip()


def _without_islands(short: list[str]) -> list[str]:
    """The names with one ellipsis in place of several with nothing, or one or two characters, between them."""
    joined = [re.sub("…(.{0,2}…)+", "…", text) for text in short]
    return joined if len(set(joined)) == len(set(short)) else [re.sub("…+", "…", text) for text in short]


def _differing_words(names: Sequence[str], limit: int) -> list[str]:
    """The names, those longer than limit without words that all of these share; unchanged where that makes two alike.

    Shared words next to the others stay where they fit in every name, and no more of them where there is more room.
    """
    long = {name: re.split(WORD_ENDS, name) for name in names if len(name) > limit}
    shared = set.intersection(*(set(parts[::2]) for parts in long.values())) if len(long) > 1 else set()
    if not shared or any(shared.issuperset(parts[::2]) for parts in long.values()):
        return list(names)
    first, room = next(iter(long.values())), min(limit, NARROW_NAME)
    for word in _nearest_first(first, shared):
        if _touches(word, first, shared) and all(len(_with_gaps(parts, shared - {word})) <= room
                                                 for parts in long.values()):
            shared -= {word}
    if len(long) < len(set(names)):  # the others lack these words: the first one keeps the two kinds apart
        with_first = shared - {first[0]}
        if all(parts[0] == first[0] and len(_with_gaps(parts, with_first)) <= limit for parts in long.values()):
            shared = with_first
    short = {name: _with_gaps(parts, shared) for name, parts in long.items()}
    is_distinct = len({short.get(name, name) for name in names}) == len(set(names))
    return [short.get(name, name) for name in names] if is_distinct else list(names)


def _nearest_first(parts: Sequence[str], shared: set[str]) -> list[str]:
    """The shared words of a name, those next to other words first."""
    distinct = [place for place in range(0, len(parts), 2) if parts[place] not in shared]
    rest = sorted(set(range(0, len(parts), 2)) - set(distinct),
                  key=lambda place: min(abs(place - other) for other in distinct))
    return list(dict.fromkeys(parts[place] for place in rest))


def _touches(word: str, parts: Sequence[str], left_out: set[str]) -> bool:
    """Whether a word of a name is next to one that is not left out."""
    return any(parts[place] == word and any(other not in left_out for other in (*parts[:place][-2:-1],
                                                                               *parts[place + 2:place + 3]))
               for place in range(0, len(parts), 2))


def _with_gaps(parts: Sequence[str], left_out: set[str]) -> str:
    """A name, in words and what is between them, with an ellipsis between others for the words that are left out."""
    places = [place for place in range(0, len(parts), 2) if parts[place] and parts[place] not in left_out]
    text = parts[places[0]] if any(parts[:places[0]:2]) else "".join(parts[:places[0] + 1])
    for before, place in pairwise(places):
        text += (parts[place - 1] if place == before + 2 else "…") + parts[place]
    return text if any(parts[places[-1] + 2::2]) else text + "".join(parts[places[-1] + 1:])


def _by_their_words(names: Sequence[str], short: list[str], limit: int) -> list[str]:
    """Names that are the same when shortened: the words that not all of these have, if that makes them differ."""
    called = Counter(short)
    alike = {name for name, text in zip(names, short, strict=True) if called[text] > 1 and text != name}
    common = set.intersection(*(set(re.split(WORD_ENDS, name)) for name in alike)) if alike else set()
    words = {name: re.sub(r"[-_./ ]*(…[-_./ ]*)+", "…", "".join(
        "…" if part in common and not re.fullmatch(WORD_ENDS, part) else part
        for part in re.split(WORD_ENDS, name))).strip("…") for name in alike}
    distinct = [cut_middle(words[name] or name, limit, "…") if name in alike else text
                for name, text in zip(names, short, strict=True)]
    return distinct if len(set(distinct)) > len(set(short)) else short


def _shortened(names: Sequence[str], limit: int) -> list[str]:
    """Each name shortened to a limit; of those that would be the same, what is around their first difference stays.

    It is looked for again in those that are the same even so, while that helps. Whole words stay where that is enough.
    """
    for around in (_words_around, _around):
        short = [_cut(name, limit) for name in names]
        again = _with_differences(names, short, limit, around)
        while len(set(again)) > len(set(short)):
            short, again = again, _with_differences(names, again, limit, around)
        if len(set(short)) == len(set(names)):
            break
    return short


def _with_differences(names: Sequence[str], short: Sequence[str], limit: int,
                      around: Callable[[str, int, int], str]) -> list[str]:
    """The short names; of those that are the same, what is around the first difference of their names."""
    called: dict[str, list[int]] = {}
    for index, text in enumerate(short):
        called.setdefault(text, []).append(index)
    result = list(short)
    for group in called.values():
        if len({names[index] for index in group}) > 1 and limit >= 12:
            columns = zip(*(names[index] for index in group), strict=False)
            start = next((place for place, chars in enumerate(columns) if len(set(chars)) > 1), 0)
            for index in group:
                result[index] = around(names[index], start, limit)
    return result


def _cut(name: str, limit: int) -> str:
    """A name cut in its middle, but not within a number: 128 is not shortened to 28."""
    text = cut_middle(name, limit, "…")
    head, _, tail = text.rpartition("…")
    if text == name or not name.startswith(head) or not name.endswith(tail):
        return text
    digits = re.search(r"\d*\Z", name[:len(name) - len(tail)])[0] if tail[:1].isdigit() else ""
    tail = digits + tail if len(digits) <= LONGEST_NUMBER else tail
    tail = _from_word(name, tail, limit)
    head = name[:limit - 1 - len(tail)]
    whole = re.sub(NUMBER_END, "", head) if name[len(head)].isdigit() else head
    return f"{_to_word(whole or head)}…{tail}"


def _from_word(name: str, tail: str, limit: int) -> str:
    """The end of a name with its first word whole if few letters lack, or without the last letters of a word.

    >>> _from_word("all-MiniLM-L6-v2_chunk1024_overlap128", "erlap128", 18), _from_word("bm25_rerank-bge", "k-bge", 12)
    ('overlap128', 'bge')
    """
    start = len(name) - len(tail)
    ends = [0, *(place.end() for place in re.finditer(WORD_ENDS, name)), len(name)]
    first = max(end for end in ends if end <= start)
    if start - first <= FRAGMENT and limit - 1 - len(name) + first >= limit // 3:
        return name[first:]
    following = min(end for end in ends if end > start)
    rest = re.split(WORD_ENDS, name[start:following])[0]
    is_fragment = len(rest) <= FRAGMENT and not rest.isdigit()
    return name[following:] if is_fragment and following < len(name) else tail


def _to_word(head: str) -> str:
    """The beginning of a cut name without what only begins a word there.

    >>> _to_word("rrf-bm25-bg"), _to_word("bm25_chu"), _to_word("e5-large-"), _to_word("all-Min")
    ('rrf-bm25', 'bm25', 'e5-large', 'all-Min')
    """
    whole = re.sub(rf"{WORD_ENDS}[^-_./ ()]{{0,{FRAGMENT}}}\Z", "", head)
    return whole if len(whole) > FRAGMENT else head.rstrip("-_./ (")


def _words_around(name: str, start: int, limit: int) -> str:
    """The whole word at a position of a name, and what fits of the words at both ends.

    >>> _words_around("e5-large-v2_chunk256_overlap32_rerank-bge-v2", 17, 18)
    'e5…chunk256…v2'
    """
    ends = [0, *(place.end() for place in re.finditer(WORD_ENDS, name)), len(name)]
    first = max(end for end in ends if end <= start)
    word = re.split(WORD_ENDS, name[first:])[0]
    room = limit - len(word) - 2
    if first == 0 or first + len(word) == len(name) or room < 4:
        return _around(name, start, limit)
    tail = _last_words(name[first + len(word):], room // 2)
    return f"{_last_words(name[:first][::-1], room - len(tail))[::-1]}…{word}…{tail}"


def _last_words(text: str, room: int) -> str:
    """The last words of a text as far as they fit, or the end of its last word."""
    fitting = [place.end() for place in re.finditer(WORD_ENDS, text) if len(text) - place.end() <= room]
    return text[fitting[0]:] if fitting and fitting[0] < len(text) else text[-room:]


def _around(name: str, start: int, limit: int) -> str:
    """Both ends of a name and what is around a position in its middle."""
    end = limit // 4
    width = limit - 2 * end - 1
    window = min(max(start - width // 2, end), len(name) - end - width)
    return f"{name[:end - 1]}…{name[window:window + width]}…{name[len(name) - end:]}"
