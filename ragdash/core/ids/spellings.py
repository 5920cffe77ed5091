"""Ids that mean the same and are written differently: their common forms, and the ids that are looked for by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import hash_text, on_all_cores, text_column
from ragdash.core.errors import InputError, Problem
from ragdash.core.ids.id_bytes import contains_any, is_visible_ascii, without_leading_zeros

_BLOCK = 1 << 18  # rows spelled together


@dataclass(frozen=True)
class Spelling:
    """A common form of ids: its name on the command line, what it does in words, and the function over a column.

    parts: the spellings it is made of, in the order in which they are applied; () for one of ALL_SPELLINGS.
    """

    name: str
    words: str
    apply: Callable
    parts: tuple[Spelling, ...] = ()


def _without_zeros(ids):
    """007 -> 7, 2506.00500 -> 2506.005, 3.0 -> 3, page-0028_001 -> page-28_1; 2506.005 is not 2506.5."""
    ids = without_leading_zeros(ids)
    ids = _replaced(ids, ".", r"^(-?[0-9]+\.[0-9]*?)0+$", r"\1")
    return _replaced(ids, ".", r"^(-?[0-9]+)\.$", r"\1")


def _last_part(ids):
    """https://host/a/b.html?x=1 -> b, corpus/b.txt -> b, b.pdf -> b."""
    ids = _replaced(ids, "?#", r"[?#].*$", "")
    ids = _replaced(ids, "/\\", r"^.*[/\\]([^/\\]+)[/\\]*$", r"\1")
    return _replaced(ids, ".", r"^(.+)\.[A-Za-z][A-Za-z0-9]{1,4}$", r"\1")


def _replaced(ids, marks: str, pattern: str, by: str):
    """The ids with a pattern replaced, which none of them fits without one of these characters."""
    if not contains_any(ids, marks):
        return ids
    return pc.replace_substring_regex(ids, pattern, by)


def _composed(ids):
    """The letters with their accents as one character each, e + U+0301 -> U+00E9; as web pages write them (NFC)."""
    return ids if is_visible_ascii(ids) or pc.all(pc.string_is_ascii(ids)).as_py() else \
        pc.utf8_normalize(ids, form="NFC")


def _trimmed(ids):
    return ids if is_visible_ascii(ids) else pc.utf8_trim_whitespace(ids)


def _with_marks_alike(ids):
    """a::1, a<::>1, a_1 and "a 1" -> a-1; a mark at an end stays one, so that -1 is not 1."""
    return ids if pc.all(pc.utf8_is_alnum(ids)).as_py() else pc.replace_substring_regex(
        ids, r"[^\pL\pM\pN]+", "-")


SPELLINGS = (
    Spelling("trim", "without the white space around them", _trimmed),
    Spelling("nfc", "when accented letters are composed (Unicode NFC)", _composed),
    Spelling("case", "when case is ignored", lambda ids: pc.utf8_lower(pc.utf8_upper(ids))),
    Spelling("zeros", "after leading zeros are restored", _without_zeros),
    Spelling("path", "by the last part of their path", _last_part),
)
MARKS = Spelling("marks", "when all punctuation is read alike", _with_marks_alike)  # looked for where no id is shared
ALL_SPELLINGS = (*SPELLINGS, MARKS)


def spelling(name: str) -> Spelling:
    """The spelling of this name, or of several such as "path,case"; InputError for one that there is not.

    In which order several are named does not matter: paths are cut before zeros are looked for.
    """
    by_name = {entry.name: entry for entry in ALL_SPELLINGS}
    forms = [by_name.get(form.strip()) for form in name.split(",")]
    if None in forms:
        raise InputError([Problem("unknown-spelling", {"name": name, "choices": list(by_name)}, field="ids")])
    turns = tuple(sorted(forms, key=_turn))
    return Spelling(name, " and ".join(form.words for form in forms),
                    lambda ids: reduce(lambda values, form: form.apply(values), turns, ids), turns)


def _turn(form: Spelling) -> int:
    return ("trim", "nfc", "path", "case", "zeros", "marks").index(form.name)


class Wanted:
    """The ids to be matched, each once, and their common forms, found and sorted by hash once for each spelling.

    A hash only sieves: of a million ids those few are compared that may be among the ones looked for.
    """

    def __init__(self, ids: pa.StringArray):
        self.ids = pc.unique(ids)
        self._forms: dict[str, tuple[pa.StringArray, np.ndarray, np.ndarray]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def forms_of(self, ids, form: Spelling | None = None) -> tuple[pa.StringArray, pa.StringArray]:
        """(common form, wanted id) where exactly one wanted id has that form; of those at least that are in ids.

        Without a spelling the form is the id as it is written.
        """
        forms, wanted_ids = self.candidates(ids, form)
        single = pc.invert(pc.is_in(forms, value_set=_repeated(forms)))
        return forms.filter(single), wanted_ids.filter(single)

    def candidates(self, ids, form: Spelling | None = None) -> tuple[pa.StringArray, pa.StringArray]:
        """(common form, wanted id) of those at least whose form is in ids, also where several have one form."""
        forms, order, hashes = self._sorted(form)
        sought = np.sort(hash_text(text_column(ids)))
        sought = sought[np.diff(sought, prepend=~sought[:1]) != 0]
        first = np.searchsorted(hashes, sought)
        many = np.searchsorted(hashes, sought, "right") - first
        rows = np.repeat(first - np.cumsum(many) + many, many) + np.arange(many.sum())
        rows = pa.array(np.sort(order[rows]))
        return forms.take(rows), self.ids.take(rows)

    def form(self, how: Spelling) -> pa.StringArray:
        """The ids in this form, in their order: the very same array where none is written otherwise."""
        return self._sorted(how)[0]

    def share(self, ids, form: Spelling | None = None) -> float:
        """How many of the wanted are among ids (common forms, where there is a spelling), as a share."""
        known = pc.is_in(self.forms_of(ids, form)[0], value_set=ids)
        return (pc.sum(known).as_py() or 0) / len(self) if len(self) else 0.0

    def _sorted(self, how: Spelling | None) -> tuple[pa.StringArray, np.ndarray, np.ndarray]:
        """(the common forms of the ids, their order by hash, the hashes in that order)."""
        name = how.name if how else ""
        if name not in self._forms:
            if how and how.parts and all(self.form(form) is self.ids for form in how.parts):
                return self._forms.setdefault(name, self._sorted(None))
            blocks = on_all_cores(how.apply, _parts([self.ids])) if how else [self.ids]
            forms = pa.concat_arrays([pa.array([], pa.string()), *blocks])
            if how and forms.equals(self.ids):
                return self._forms.setdefault(name, self._sorted(None))
            forms = forms if how else self.ids
            order = np.argsort(hashes := hash_text(text_column(forms)))
            self._forms[name] = forms, order, hashes[order]
        return self._forms[name]


def every_spelling(ids: pa.StringArray, wanted_ids: Wanted,
                   rules: Sequence[Spelling] = SPELLINGS) -> list[Spelling]:
    """The rules that change any of these ids or of the wanted ones when all are applied, each after the others."""
    run_ids, truth_ids, live = ids, wanted_ids.ids, []
    for form in spelling(",".join(rule.name for rule in rules)).parts:
        respelled_ids = (
            form.apply(run_ids),
            wanted_ids.form(form) if truth_ids is wanted_ids.ids else form.apply(truth_ids),
        )
        if not (respelled_ids[0].equals(run_ids) and respelled_ids[1].equals(truth_ids)):
            live.append(form)
            run_ids, truth_ids = respelled_ids
    return live


def matching_spelling(ids: pa.StringArray, wanted_ids: Wanted) -> str | None:
    """The spelling, or the several together, under which most of these ids are wanted ones; None where none helps.

    Examples
    --------
    >>> matching_spelling(pa.array(["q::01", "q::02"]), Wanted(pa.array(["q<::>1", "q<::>2"])))
    'zeros,marks'
    """
    names = [rule.name for rule in every_spelling(ids, wanted_ids, ALL_SPELLINGS)]
    rules = [spelling(name) for name in dict.fromkeys([*names, ",".join(names)]) if name]
    shares = {rule.name: wanted_ids.share(pc.unique(rule.apply(ids)), rule) for rule in rules}
    best = max(shares, key=shares.get, default=None)  # the first of equals: one alone before all together
    return best if best and shares[best] > wanted_ids.share(ids) else None


def respelled(ids: pa.ChunkedArray, wanted: Wanted, how: Spelling, *known: Wanted) -> pa.ChunkedArray:
    """The ids in one spelling, the same for an id whichever run returned it.

    Ids of the same common form become the one wanted id of that form, else the one known id, else the form itself.
    An id stays as it is where several wanted or known ids have its form, or where its form is another of them.

    known: further ids of different documents, such as those of a corpus, those that come first before the others.

    Examples
    --------
    >>> zeros = spelling("zeros")
    >>> respelled(text_column(["p01", "p02", "p3"]), Wanted(pa.array(["p1", "p002"])), zeros).to_pylist()
    ['p1', 'p002', 'p3']
    """
    targets = [wanted, *known]
    blocks = _parts(ids.chunks)
    common = pa.chunked_array(on_all_cores(how.apply, blocks), pa.string())
    if common.equals(ids) and all(target.form(how) is target.ids for target in targets):
        return ids
    clear = [target.forms_of(common, how) for target in targets]
    unclear = [pa.concat_arrays([_repeated(target.candidates(common, how)[0]), target.forms_of(common)[0],
                                 pa.array([""], pa.string())]) for target in targets]

    def work(index: int) -> pa.StringArray:
        forms, choices = common.chunk(index), []
        for (names, texts), several in zip(clear, unclear, strict=True):
            as_written = pc.if_else(pc.is_in(forms, value_set=several), blocks[index], pa.scalar(None, pa.string()))
            choices += [texts.take(pc.index_in(forms, value_set=names)), as_written]
        return pc.coalesce(*choices, forms)

    return pa.chunked_array(on_all_cores(work, range(len(blocks))), pa.string())


def _repeated(forms: pa.StringArray) -> pa.StringArray:
    """Those that occur several times, each once."""
    counts = pc.value_counts(forms)
    return counts.field("values").filter(pc.greater(counts.field("counts"), 1))


def _parts(chunks: Iterable[pa.StringArray]) -> list[pa.StringArray]:
    return [chunk.slice(start, _BLOCK) for chunk in chunks for start in range(0, len(chunk), _BLOCK)]
