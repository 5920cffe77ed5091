"""Documents with one text under several ids: equal texts, and near copies.

Letters: T texts, S shingles of all texts, X pairs of texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.matching.relink.shared_shingles import shingles, words

NEAR = 0.8  # resemblance from which two texts are near copies


def text_keys(texts: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """A number for each text: (T,) int64. Equal texts have the same one; -1: no text, or an empty one.

    Texts are equal if they are so without case, compatibility forms (NFKC) and the amount of white space.

    Examples
    --------
    >>> text_keys(pa.array(["The  Moon", "the moon ", "Mars", None])).tolist()
    [0, 0, 1, -1]
    """
    plain = pc.utf8_lower(pc.utf8_normalize(texts, "NFKC"))
    plain = pc.utf8_trim_whitespace(pc.replace_substring_regex(plain, r"\s+", " "))
    if isinstance(plain, pa.ChunkedArray):
        plain = plain.combine_chunks()
    codes = plain.dictionary_encode()
    if isinstance(codes, pa.ChunkedArray):
        codes = codes.combine_chunks()
    keys = pc.fill_null(codes.indices, -1).to_numpy().astype(np.int64)
    empty = pc.index(codes.dictionary, pa.scalar("", codes.dictionary.type)).as_py()
    return np.where(keys == empty, -1, keys)


def near_pairs(texts: Sequence[str], least: float = NEAR) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of texts that are nearly the same: (first (X,), second (X,), resemblance (X,)); first < second.

    Resemblance is the share of common runs of three words among those of either text (Broder 1997). Texts with
    different numbers are never near copies: a report of 2023 is not that of 2024.

    Notes
    -----
    Only pairs that can reach `least` are compared: two such texts have one of the rarest shingles of both in common,
    among the first n - ceil(least n) + 1 of each (Chaudhuri, Ganti and Kaushik 2006). None is missed.

    Examples
    --------
    >>> long = "the probe fell into the sea of crises on the moon while the crew slept"
    >>> first, second, share = near_pairs([long, long + " well", "mars has two small moons"])
    >>> first.tolist(), second.tolist(), share.round(2).tolist()
    ([0], [1], [0.93])
    """
    codes: dict[str, int] = {}
    split = [words(text) for text in texts]
    owner, hashes = shingles([[codes.setdefault(word, len(codes) + 1) for word in row] for row in split])
    _, place, spread = np.unique(hashes, return_inverse=True, return_counts=True)
    sizes = np.bincount(owner, minlength=len(split))
    order = np.lexsort((place, spread[place], owner))
    ranked = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rare = order[ranked < (sizes - np.ceil(least * sizes - 1e-9) + 1)[owner[order]]]
    first, second = _pairs_of_groups(owner[rare], place[rare])
    near_size = np.minimum(sizes[first], sizes[second]) >= least * np.maximum(sizes[first], sizes[second]) - 1e-9
    first, second = first[near_size], second[near_size]
    common = _common(first, second, owner, place, sizes)
    share = common / (sizes[first] + sizes[second] - common) if len(first) else np.zeros(0)
    numbers = {row: frozenset(word for word in split[row] if any(map(str.isdigit, word)))
               for row in np.union1d(first, second).tolist()}
    same_numbers = np.array([numbers[a] == numbers[b] for a, b in zip(first.tolist(), second.tolist(), strict=True)],
                            bool)
    near = (share >= least - 1e-9) & same_numbers
    return first[near], second[near], share[near]


def _pairs_of_groups(owner: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of owners that are in one group, each once: (first, second), first < second."""
    order = np.lexsort((owner, group))
    owner, group = owner[order], group[order]
    ends = np.searchsorted(group, group, "right")
    later = ends - np.arange(len(group)) - 1  # members behind a row in its group
    first = np.repeat(owner, later)
    second = owner[np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later)
                   + np.repeat(np.arange(len(group)) + 1, later)]
    pairs = np.unique(np.stack([first, second]), axis=1)
    return pairs[0], pairs[1]


def _common(first: np.ndarray, second: np.ndarray, owner: np.ndarray, place: np.ndarray,
            sizes: np.ndarray) -> np.ndarray:
    """How many shingles the texts of each pair have in common: (X,) int64."""
    width = int(place.max(initial=0)) + 1
    keys = np.sort(owner * width + place)
    starts = np.cumsum(sizes) - sizes
    lengths = sizes[first]
    pair = np.repeat(np.arange(len(first)), lengths)
    rows = np.arange(len(pair)) + np.repeat(starts[first] - np.cumsum(lengths) + lengths, lengths)
    wanted = second[pair] * width + keys[rows] % width
    position = np.searchsorted(keys, wanted)
    hit = keys[np.minimum(position, len(keys) - 1)] == wanted
    return np.bincount(pair, hit, len(first)).astype(np.int64)


def first_copies(texts: pa.Array | pa.ChunkedArray, group: np.ndarray, place: np.ndarray, *,
                 near: bool = False) -> np.ndarray:
    """Which documents are the first of their text in their group: (T,) bool. A document without text is.

    Parameters
    ----------
    texts : (T,) strings
        Null where a document has none.
    group : (T,) int64
        The query of each document: copies count within it alone.
    place : (T,)
        The order within a group; of copies the one with the lowest place stays.
    near
        Near copies of a document that stays are left out too. A near copy of one that is left out may stay.

    Examples
    --------
    >>> first_copies(pa.array(["one", "One", "two"]), np.zeros(3, int), np.array([2, 1, 0])).tolist()
    [False, True, True]
    """
    keys = text_keys(texts)
    stays = np.ones(len(keys), bool)
    order = np.lexsort((place, keys, group))
    order = order[keys[order] >= 0]
    again = (keys[order][1:] == keys[order][:-1]) & (group[order][1:] == group[order][:-1])
    stays[order[1:][again]] = False
    if near:
        _drop_near_copies(stays, texts, keys, group, place)
    return stays


def _drop_near_copies(stays: np.ndarray, texts: pa.Array | pa.ChunkedArray, keys: np.ndarray, group: np.ndarray,
                      place: np.ndarray) -> None:
    """Set `stays` to False for near copies of documents that stay, in the order of their places."""
    distinct, rows = np.unique(keys[keys >= 0], return_index=True)
    rows = np.flatnonzero(keys >= 0)[rows]
    first, second, _ = near_pairs(texts.take(pa.array(rows)).to_pylist())
    alike: dict[int, set[int]] = {}
    for a, b in zip(distinct[first].tolist(), distinct[second].tolist(), strict=True):
        alike.setdefault(a, set()).add(b)
        alike.setdefault(b, set()).add(a)
    candidates = np.flatnonzero(stays & np.isin(keys, list(alike)))
    shown: dict[int, set[int]] = {}
    for row in candidates[np.lexsort((place[candidates], group[candidates]))].tolist():
        before = shown.setdefault(int(group[row]), set())
        if before & alike[int(keys[row])]:
            stays[row] = False
        else:
            before.add(int(keys[row]))
