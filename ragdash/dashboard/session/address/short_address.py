"""What keeps addresses short: runs by position, lists as their difference from the default, many choices in one."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from urllib.parse import parse_qs, urlencode

from ragdash.dashboard.session.data_store import LOADED, SHORT
from ragdash.dashboard.session.keys import BASELINE, RUN, SHOWN

REMOVED, ADDED = MARKS = "-", "~"
PACKED, FORMER = "c", "choices"  # the parameter that holds many choices; in addresses of earlier versions
LONGEST_READABLE = 220  # characters of the parameters before the choices are packed, and of the runs before they are
PACKED_RUNS = "~"  # before the digests of many runs, and before what else there is to say of them
_MOST_CHOICES, _MOST_BYTES = 500, 20_000
# What choices look like. Never change these: addresses that were packed with them could not be read any more.
_FORMER_DICTIONARY = (
    b"=zero&=error&=skip&=yes&=no&=mine&=sure&=id&=evidence&=each&=queries&=all&=worst&=best&type=exact&0.45&0.5&0.01"
    b"&missing=&unanswerable=&duplicates=&ties=trec_eval&sort=&picture=&outcome=&by=type&metric=nDCG%40k"
    b"&columns=-Success%40k&candidate=1&margin=0.0&k=&slice=&match=evidence&how=sequence&from=0.&decided=no"
    b"&reviewed=mine&accepted=&detail=&part=&right=moderate&look=1&kind=&query=q0&case=&least=0.0&order=losses&text="
    b"&where=&as=regex&attributes=difficulty%3D&stages=&readings=&marked=&ranks=&doc=&against=&cut_off=0.&coverage=0."
    b"&correct=0.&grounded=0.&baseline=1&shown=-"
)
_DICTIONARY = (
    b"found_rightequal&right_labels=0.&right_judge=0.&read_judge=&tab=Rank&tab=Answers&tab=Read&tab=Query&tab=Documents"
    + _FORMER_DICTIONARY
)


def shorten(values: Sequence[str], default: Sequence[str]) -> list[str]:
    """The list as its difference from the default, where that is shorter; `expand` reads both.

    >>> shorten(["P", "R", "MRR"], ["P", "R", "F1", "MRR"])
    ['-F1']
    >>> shorten(["R"], ["P"])
    ['R']
    """
    remaining = [value for value in default if value in values]
    added = [value for value in values if value not in default]
    difference = [*(REMOVED + value for value in default if value not in values), *(ADDED + value for value in added)]
    if [*remaining, *added] != list(values) or not default:
        return list(values)
    is_shorter = _length(difference) < _length(values)
    return difference if difference and (is_shorter or _is_difference(values)) else list(values)


def expand(values: Sequence[str], default: Sequence[str]) -> list[str]:
    """The list that `shorten` wrote; a list without marks as it is.

    >>> expand(["-F1", "~NDCG"], ["P", "R", "F1", "MRR"])
    ['P', 'R', 'MRR', 'NDCG']
    >>> expand(["P", "R"], ["P"])
    ['P', 'R']
    """
    if not default or not _is_difference(values):
        return list(values)
    removed = {value[1:] for value in values if value.startswith(REMOVED)}
    added = [value[1:] for value in values if value.startswith(ADDED)]
    return [*(value for value in default if value not in removed), *added]


def _is_difference(values: Sequence[str]) -> bool:
    return bool(values) and all(isinstance(value, str) and value[:1] in MARKS and value[1:] for value in values)


def _length(values: Sequence[str]) -> int:
    """Characters of the list in an address, with the same few for each name of the parameter."""
    return sum(len(value) + 8 for value in values)


def pack(parameters: Mapping[str, Sequence[str]], readable: Collection[str]) -> dict[str, list[str]]:
    """The parameters, where they are long with many runs in one text and all but the readable ones in another.

    `unpack` reads both.

    >>> pack({"run": ["a"], "k": ["5"]}, ["run"])
    {'run': ['a'], 'k': ['5']}
    >>> list(pack({"run": ["a"], "text": ["long " * 60]}, ["run"]))
    ['run', 'c']
    """
    plain = {key: list(values) for key, values in parameters.items()}
    if RUN in plain:
        plain[RUN] = pack_runs(plain[RUN], _name_in_file)
    if len(urlencode(plain, doseq=True)) <= LONGEST_READABLE:
        return plain
    choices = {key: plain[key] for key in sorted(plain, key=_place_in_dictionary) if key not in readable}
    packed = {PACKED: [_deflated(urlencode(choices, doseq=True), _DICTIONARY)]}
    is_shorter = len(urlencode(packed, doseq=True)) < len(urlencode(choices, doseq=True))
    return {key: plain[key] for key in plain if key in readable} | packed if is_shorter else plain


def _place_in_dictionary(key: str) -> int:
    """Where the dictionary has a parameter: choices in its order become the shortest text; new ones come last."""
    place = _DICTIONARY.find(f"&{key}=".encode())
    return place if place >= 0 else len(_DICTIONARY)


def unpack(parameters: Mapping[str, Sequence[str]],
           names: Mapping[str, str] | None = None) -> tuple[dict[str, list[str]], list[str]]:
    """The parameters that `pack` wrote, without the packed ones that cannot be read, and the names of these.

    names: of the runs of this session, by short digest.

    >>> unpack(pack({"run": ["a"], "text": ["long " * 60]}, ["run"]))[0]["text"][0][:9]
    'long long'
    >>> unpack({"run": ["a"], "c": ["cut of"]})
    ({'run': ['a']}, ['c'])
    """
    plain = {key: list(values) for key, values in parameters.items() if key not in (PACKED, FORMER)}
    packed = {key: _unpacked(parameters[key][0], dictionary)
              for key, dictionary in ((FORMER, _FORMER_DICTIONARY), (PACKED, _DICTIONARY)) if parameters.get(key)}
    damaged = [key for key, choices in packed.items() if choices is None]
    if RUN in plain:
        damaged += [RUN] if _digests(plain[RUN]) is None or _rest(plain[RUN]) is None else []
        plain[RUN] = unpack_runs(plain[RUN], lambda digest: (names or {}).get(digest) or _name_in_file(digest))
    return {key: values for choices in (*packed.values(), plain) for key, values in (choices or {}).items()}, damaged


def _unpacked(text: str, dictionary: bytes) -> dict[str, list[str]] | None:
    """The packed choices; None where this is not what `pack` writes."""
    choices = _inflated(text, dictionary)
    try:
        return None if choices is None else parse_qs(choices, keep_blank_values=True, max_num_fields=_MOST_CHOICES)
    except ValueError:
        return None


def _deflated(text: str, dictionary: bytes) -> str:
    """A text in few letters."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=dictionary)
    content = compressor.compress(text.encode()) + compressor.flush()
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _inflated(letters: str, dictionary: bytes) -> str | None:
    """The text that `_deflated` wrote; None for others."""
    try:
        content = base64.b64decode(letters.encode() + b"=" * (-len(letters) % 4), b"-_", validate=True)
        decompressor = zlib.decompressobj(-zlib.MAX_WBITS, zdict=dictionary)
        text = decompressor.decompress(content, _MOST_BYTES).decode()
        return text if decompressor.eof else None
    except (zlib.error, ValueError):
        return None


def pack_runs(tokens: Sequence[str], name_of: Callable[[str], str]) -> list[str]:
    """The runs of an address: of many, their digests in one text, and in another what else their tokens say.

    name_of: the name that a run has in its file, by its short digest; empty where it is not loaded. A token with this
    name and the color of its place says nothing else.

    >>> tokens = [f"{position:012x}.{position}.run{position}" for position in range(20)]
    >>> packed = pack_runs(tokens, lambda digest: f"run{int(digest, 16)}")
    >>> len(packed), len(packed[0]), unpack_runs(packed, lambda digest: f"run{int(digest, 16)}") == tokens
    (1, 161, True)
    >>> renamed = pack_runs(tokens, lambda digest: "run")
    >>> len("".join(tokens)), list(map(len, renamed)), unpack_runs(renamed, lambda digest: "run") == tokens
    (400, [161, 116], True)
    """
    digests = [token[:SHORT] for token in tokens]
    if (len(urlencode({"run": tokens}, doseq=True)) <= LONGEST_READABLE
            or not all(re.fullmatch(f"[0-9a-f]{{{SHORT}}}", digest) for digest in digests)):
        return list(tokens)
    rest = ["" if token == _plain_token(digest, position, name_of) else token[SHORT:]
            for position, (token, digest) in enumerate(zip(tokens, digests, strict=True))]
    content, text = base64.urlsafe_b64encode(bytes.fromhex("".join(digests))).decode(), "\n".join(rest)
    if len(text.encode()) > _MOST_BYTES:
        return list(tokens)
    return [PACKED_RUNS + content, *([PACKED_RUNS + _deflated(text, b"")] if any(rest) else [])]


def unpack_runs(values: Sequence[str], name_of: Callable[[str], str]) -> list[str]:
    """The runs that `pack_runs` wrote; others as they are, and none where the digests cannot be read."""
    if not values or not values[0].startswith(PACKED_RUNS):
        return list(values)
    digests = _digests(values) or []
    if values[1:] and values[1].startswith(PACKED_RUNS):
        rest = (_rest(values) or [])[:len(digests)]
        return [digest + text if text else _loaded_token(digest, position, name_of)
                for position, (digest, text) in enumerate(zip_longest(digests, rest, fillvalue=""))]
    return _unpack_former_runs(iter(digests), values[1:], name_of)


def _unpack_former_runs(digests: Iterator[str], values: Sequence[str], name_of: Callable[[str], str]) -> list[str]:
    """The runs as earlier versions packed them: those that say something else follow as "position:token"."""
    rest = dict(value.split(":", 1) for value in values if _is_position(value.partition(":")[0], range(1_000)))
    tokens: list[str] = []
    while True:
        position = len(tokens)
        token = rest.pop(str(position), None) or next(
            (_loaded_token(digest, position, name_of) for digest in digests), None)
        if token is None:
            return [*tokens, *rest.values()]
        tokens.append(token)


def _digests(values: Sequence[str]) -> list[str] | None:
    """The short digests of packed runs, none where runs are not packed; None where they cannot be read."""
    if not values or not values[0].startswith(PACKED_RUNS):
        return []
    try:
        content = base64.b64decode(values[0].removeprefix(PACKED_RUNS).encode(), b"-_", validate=True)
    except ValueError:
        return None
    digests = [content[start:start + SHORT // 2].hex() for start in range(0, len(content), SHORT // 2)]
    return digests if digests and len(digests[-1]) == SHORT else None


def _rest(values: Sequence[str]) -> list[str] | None:
    """What packed runs say besides their digests, "" for nothing; None where that cannot be read."""
    if [value[:1] for value in values[:2]] != [PACKED_RUNS, PACKED_RUNS]:
        return []
    text = _inflated(values[1].removeprefix(PACKED_RUNS), b"")
    return None if text is None else text.split("\n")


def _name_in_file(digest: str) -> str:
    run = LOADED.run(digest)
    return " ".join(run.name.split()) if run is not None else ""


def _plain_token(digest: str, position: int, name_of: Callable[[str], str]) -> str:
    """How an address names a run with the name of its file and the color of its place; empty where it is not loaded."""
    name = name_of(digest)
    return f"{digest}.{position}.{name}" if name else ""


def _loaded_token(digest: str, position: int, name_of: Callable[[str], str]) -> str:
    """The same, without a name where the run is not loaded."""
    return _plain_token(digest, position, name_of) or f"{digest}.{position}."


def run_digest(text: str, tokens: Sequence[str], digests: Mapping[str, str]) -> str:
    """The digest of a run that an address names by its position or its short digest, with the mark before it.

    tokens: the runs of the address; digests: {short digest: digest} of the runs that are loaded.
    """
    mark, name = (text[:1], text[1:]) if text[:1] in MARKS else ("", text)
    short_digest = tokens[int(name)][:SHORT] if _is_position(name, tokens) else name
    return mark + digests.get(short_digest, short_digest)


def baseline_digest(address: Mapping[str, Sequence[str]], digests: Sequence[str]) -> str:
    """The short digest of an address's baseline: the one it names, else the first of the runs that it shows.

    digests: the short digests of its runs, loaded or not.
    """
    named = address.get(BASELINE, [""])[0]
    if not named:
        positions = [str(position) for position in range(len(digests))]
        shown = expand(address.get(SHOWN, positions), positions)
        named = next((text for text in [*positions, *digests] if text in shown), positions[0] if positions else "")
    return digests[int(named)] if _is_position(named, digests) else named


def _is_position(text: str, sequence: Sequence) -> bool:
    return text.isdecimal() and len(text) < 4 and int(text) < len(sequence)
