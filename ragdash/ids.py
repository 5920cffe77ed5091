"""Ids that mean the same and are written differently: blanks, case, lost zeros, paths. And chunks of one document.

Nothing is changed unless it is asked for by name; an id that could stand for two others is left as it is, and what was
changed is counted in the problems of the run. Letters: N returned documents of a run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.columns import hash_text, on_all_cores, take, text_column
from ragdash.errors import InputError, Problem
from ragdash.ranking import duplicate_positions, pair_hashes
from ragdash.records import Run, Truth

SEPARATORS = ("::", "#", "_", "-", ":", "/", "|", ".", "@")
_BLOCK = 1 << 18  # rows spelled together
_PROBED, _LONGEST = 2_000, 200  # ids, and characters of each, looked at for a separator of more than one character
_CUT = re.compile(r"[\W_]{1,9}(?:[^\W\d_]{1,20}[\W_]{0,9})?(?=\d)")


@dataclass(frozen=True)
class Spelling:
    """A common form of ids: its name on the command line, what it does in words, and the function over a column."""

    name: str
    words: str
    apply: Callable


def _without_zeros(ids):
    """007 -> 7, 2506.00500 -> 2506.005, 3.0 -> 3, page-0028_001 -> page-28_1; 2506.005 is not 2506.5."""
    ids = _replaced(ids, "0", r"(^|[^0-9.])0+([0-9])", r"\1\2")
    ids = _replaced(ids, ".", r"^(-?[0-9]+\.[0-9]*?)0+$", r"\1")
    return _replaced(ids, ".", r"^(-?[0-9]+)\.$", r"\1")


def _last_part(ids):
    """https://host/a/b.html?x=1 -> b, corpus/b.txt -> b, b.pdf -> b."""
    ids = _replaced(ids, "?#", r"[?#].*$", "")
    ids = _replaced(ids, "/\\", r"^.*[/\\]([^/\\]+)[/\\]*$", r"\1")
    return _replaced(ids, ".", r"^(.+)\.[A-Za-z][A-Za-z0-9]{1,4}$", r"\1")


def _replaced(ids, marks: str, pattern: str, by: str):
    """The ids with a pattern replaced, which none of them fits without one of these characters."""
    if not any(pc.any(pc.match_substring(ids, mark)).as_py() for mark in marks):
        return ids
    return pc.replace_substring_regex(ids, pattern, by)


SPELLINGS = (
    Spelling("trim", "without the white space around them", pc.utf8_trim_whitespace),
    Spelling("case", "when case is ignored", lambda ids: pc.utf8_lower(pc.utf8_upper(ids))),
    Spelling("zeros", "when lost zeros are ignored", _without_zeros),
    Spelling("path", "by the last part of their path", _last_part),
)


@dataclass(frozen=True)
class CollapseChoice:
    """A way to collapse, the spelling that is needed beside it (or None), and the share of judged documents found."""

    by: str
    ids: str | None
    share: float


def spelling(name: str) -> Spelling:
    """The spelling of this name, or of several such as "path,case"; InputError for one that there is not."""
    found = {one.name: one for one in SPELLINGS}
    parts = [found.get(part.strip()) for part in name.split(",")]
    if None in parts:
        raise InputError([Problem("unknown-spelling", repr(name), " or ".join(found),
                                  "Choose one of these, or several with commas between.", field="ids")])
    return Spelling(name, " and ".join(part.words for part in parts),
                    lambda ids: reduce(lambda held, part: part.apply(held), parts, ids))


class Wanted:
    """The ids to be matched, each once, and their common forms, found and sorted by hash once for each spelling.

    A hash only sieves: of a million ids those few are compared that may be among the ones looked for.
    """

    def __init__(self, ids: pa.StringArray):
        self.ids = pc.unique(ids)
        self._forms: dict[str, tuple[pa.StringArray, np.ndarray, np.ndarray]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def among(self, ids, how: Spelling | None = None) -> tuple[pa.StringArray, pa.StringArray]:
        """(common form, wanted id) where exactly one wanted id has that form; of those at least that are in ids.

        Without a spelling the form is the id as it is written.
        """
        forms, order, hashes = self._sorted(how)
        sought = np.sort(hash_text(text_column(ids)))
        sought = sought[np.diff(sought, prepend=~sought[:1]) != 0]
        first = np.searchsorted(hashes, sought)
        many = np.searchsorted(hashes, sought, "right") - first
        rows = np.repeat(first - np.cumsum(many) + many, many) + np.arange(many.sum())
        rows = pa.array(np.sort(order[rows]))
        forms, wanted = forms.take(rows), self.ids.take(rows)
        counts = pc.value_counts(forms)
        single = pc.is_in(forms, value_set=counts.field("values").filter(pc.equal(counts.field("counts"), 1)))
        return forms.filter(single), wanted.filter(single)

    def share(self, ids, how: Spelling | None = None) -> float:
        """How many of the wanted are among ids (common forms, where there is a spelling), as a share."""
        found = pc.is_in(self.among(ids, how)[0], value_set=ids)
        return (pc.sum(found).as_py() or 0) / len(self) if len(self) else 0.0

    def _sorted(self, how: Spelling | None) -> tuple[pa.StringArray, np.ndarray, np.ndarray]:
        """(the common forms of the ids, their order by hash, the hashes in that order)."""
        name = how.name if how else ""
        if name not in self._forms:
            parts = on_all_cores(how.apply, _parts([self.ids])) if how else [self.ids]
            forms = pa.concat_arrays([pa.array([], pa.string()), *parts])
            order = np.argsort(hashes := hash_text(text_column(forms)))
            self._forms[name] = forms, order, hashes[order]
        return self._forms[name]


def respelled(ids: pa.ChunkedArray, wanted: Wanted, how: Spelling) -> pa.ChunkedArray:
    """The ids, each replaced by the one wanted id of the same common form if there is exactly one; others as they are.

    An id that is wanted as it stands is kept: it is the one of its form, or one of several.
    """
    parts = _parts(ids.chunks)
    common = pa.chunked_array(on_all_cores(how.apply, parts), pa.string())
    forms, texts = wanted.among(common, how)
    if not len(forms):
        return ids

    def work(at: int) -> pa.StringArray:
        return pc.coalesce(texts.take(pc.index_in(common.chunk(at), value_set=forms)), parts[at])

    return pa.chunked_array(on_all_cores(work, range(len(parts))), pa.string())


def with_ids_of(run: Run, truth: Truth, name: str, wanted: tuple[Wanted, Wanted] | None = None) -> Run:
    """The run with query and document ids written as the truth writes them, where a common form joins exactly two.

    name: trim, case, zeros, path, or several with commas. Queries that would become one stay as they are and are
    reported; documents that become one in a ranking are repeats of it. Settings and problems tell what was done.
    wanted: of the truth's queries and documents.
    """
    how = spelling(name)
    known, judged = wanted or (Wanted(truth.query_ids), Wanted(truth.docs))
    queries, merged = _apart(run.query_ids, respelled(text_column(run.query_ids), known, how))
    docs = respelled(run.docs, judged, how)
    changed = [pc.sum(pc.not_equal(a, b)).as_py() or 0
               for a, b in ((text_column(queries), text_column(run.query_ids)), (docs, run.docs))]
    problems = [Problem("merged-queries", f"{len(merged):,} queries of run {run.name!r} that would become another one, "
                        f"such as {merged[0].as_py()!r}", "one query for each id of the truth",
                        "They are left as they are; remove or rename one of each.", None, None, "query_id",
                        "warning")] if len(merged) else []
    problems.append(Problem("respelled-ids", f"{changed[0]:,} of {len(run):,} query ids and {changed[1]:,} of "
                            f"{len(run.docs):,} document ids of run {run.name!r} written as in the truth",
                            f"ids that are equal {how.words}", "Write them the same way in both files to do without "
                            f"--ids {name}.", None, None, "ids", "note"))
    note = {"ids": ",".join(filter(None, [run.settings.get("ids"), name]))}
    if not any(changed):
        return replace(run, settings={**run.settings, **note}, problems=(*run.problems, *problems))
    return rebuilt(run, queries=queries, docs=docs, note=note, problems=problems)


def collapsed(run: Run, by: str) -> Run:
    """The run on the level of documents: chunks of one document become one, the first keeps its rank, ranks close up.

    by: "source" (the column of that name), or "prefix:SEPARATOR" (the document id up to the last separator).
    Raises InputError where the run has no such column.
    """
    again = _become_repeats(run, docs := collapsed_ids(run, by))
    keep = np.ones(len(docs), bool)
    keep[run.rows(again)] = False
    changed = pc.sum(pc.not_equal(docs, run.docs)).as_py() or 0
    facts = ("document ids that can be collapsed", "Check the separator, or leave --collapse out.", "warning") \
        if not changed else ("one line for a document", "The first chunk of a document keeps its rank and the ranks "
                             "close up.", "note")
    lacking = run.sources.null_count if by == "source" else 0
    rest = f"; {lacking:,} have no source and keep their ids" if lacking else ""
    note = Problem("collapsed-chunks", f"{len(again):,} of {len(docs):,} chunks of run {run.name!r} whose document "
                   f"stands higher up in the ranking ({by}){rest}", *facts[:2], None, None, "collapse", facts[2])
    return rebuilt(run, docs=docs, keep=keep, note={"collapse": by}, problems=[note])


def collapsed_ids(run: Run, by: str) -> pa.ChunkedArray:
    """The document that each returned chunk belongs to: (N,) in file order."""
    if by.startswith("prefix:") and len(by) > len("prefix:"):
        return before(run.docs, by.removeprefix("prefix:"))
    if by == "source" and run.sources is not None:
        return text_column(pc.coalesce(run.sources, run.docs))
    column = "source or " if run.sources is not None else ""
    raise InputError([Problem("unknown-collapse", f"{by!r} for run {run.name!r}", f"{column}prefix: and a separator, "
                              "such as prefix:#", "Choose one that the run has.", field="collapse")])


def before(ids, separator: str):
    """Each id up to the last separator; whole where it has none, or nothing stands before it."""
    pattern = f"(?s)^(.+){re.escape(separator)}.*$"
    return pc.replace_substring_regex(ids, pattern, r"\1")


def rebuilt(run: Run, *, queries: pa.StringArray | None = None, docs: pa.ChunkedArray | None = None,
            keep: np.ndarray | None = None, note: Mapping | None = None, problems: list[Problem] | tuple = ()) -> Run:
    """The run with other ids: queries in place of query_ids (no two of them alike), docs (N,) in file order.

    keep (N,) bool: the rows that stay. Scores, the order among ties, texts, sources and details stay with them; note
    joins the settings; what was said of repeated documents is said anew.
    """
    queries, docs = run.query_ids if queries is None else queries, run.docs if docs is None else docs
    codes = np.repeat(np.arange(len(run), dtype=np.int32), np.diff(run.starts))
    place = np.arange(len(codes))
    codes, place, scores = (_in_file_order(values, run.order) for values in (codes, place, run.scores))
    rows = np.ones(len(docs), bool) if keep is None else keep
    mask = pa.array(rows)
    columns = [None if column is None else column if rows.all() else column.filter(mask)
               for column in (docs, run.texts, run.sources)]
    details = None if run.details is None else run.details.append_column("query_id", queries)
    others = [problem for problem in run.problems if problem.kind != "duplicate-document"]
    file = next((problem.file for problem in run.problems if problem.file), None)
    return Run.build(run.name, pa.DictionaryArray.from_arrays(pa.array(codes[rows]), queries), columns[0],
                     None if scores is None else scores[rows], place[rows] if run.ranked_by == "rank" else None,
                     texts=columns[1], sources=columns[2], details=details, problems=[*others, *problems], file=file,
                     settings={**run.settings, **(note or {})})


def collapse_choices(run: Run, truth: Truth, judged: Wanted | None = None) -> list[CollapseChoice]:
    """Ways to collapse by which more of the judged documents are among the returned than as they stand, best first.

    A spelling is added where a way finds none of them without it. judged: of truth.docs, where it is there already.
    """
    judged = judged or Wanted(truth.docs)
    returned = pc.unique(run.docs)
    base = judged.share(returned)
    ways = [] if run.sources is None else [("source", pc.unique(collapsed_ids(run, "source")))]
    separators = dict.fromkeys((*SEPARATORS, *_longer_separators(returned, judged)))
    ways += [(f"prefix:{separator}", pc.unique(before(returned, separator))) for separator in separators]
    found = []
    for by, docs in ways:
        if docs.equals(returned):
            continue
        share, name = judged.share(docs), None
        if not share:
            share, name = max((judged.share(pc.unique(one.apply(docs)), one), one.name) for one in SPELLINGS)
        if share > base:
            found.append(CollapseChoice(by, name, share))
    return sorted(found, key=lambda choice: (-choice.share, choice.ids is not None, len(choice.by), choice.by))


def _parts(chunks: Iterable[pa.StringArray]) -> list[pa.StringArray]:
    return [chunk.slice(at, _BLOCK) for chunk in chunks for at in range(0, len(chunk), _BLOCK)]


def _apart(old: pa.StringArray, new: pa.ChunkedArray) -> tuple[pa.StringArray, pa.StringArray]:
    """(new query ids, the old ones where two would be alike; those that were kept so)."""
    new = pa.concat_arrays(new.chunks) if new.num_chunks else old
    counts = pc.value_counts(new)
    twice = pc.is_in(new, value_set=counts.field("values").filter(pc.greater(counts.field("counts"), 1)))
    merged = pc.and_(twice, pc.not_equal(new, old))
    return pc.if_else(merged, old, new), old.filter(merged)


def _become_repeats(run: Run, docs: pa.ChunkedArray) -> np.ndarray:
    """Positions that repeat a document under the new ids and did not before."""
    codes = np.repeat(np.arange(len(run)), np.diff(run.starts))
    pairs = pair_hashes(hash_text(text_column(run.query_ids), seed=1), _in_file_order(codes, run.order), docs)
    pairs = pairs if run.order is None else pairs[run.order]
    return np.setdiff1d(duplicate_positions(pairs, run.starts, docs, run.order), run.repeated)


def _in_file_order(values: np.ndarray | None, order: np.ndarray | None) -> np.ndarray | None:
    if values is None or order is None:
        return values
    out = np.empty_like(values)
    out[order] = values
    return out


def _longer_separators(returned: pa.Array, judged: Wanted) -> list[str]:
    """What stands between a judged id and a number in the returned ids: "_chunk_", "_p"; the three commonest."""
    step = max(len(returned) // _PROBED, 1)
    probed = [doc[:_LONGEST] for doc in take(text_column(returned), np.arange(0, len(returned), step)).to_pylist()]
    cuts = [[(doc[:found.start()], found.group()) for found in _CUT.finditer(doc)] for doc in probed]
    wanted = set(judged.among([before for found in cuts for before, _ in found])[1].to_pylist())
    seen: Counter[str] = Counter()
    for found in cuts:
        seen.update([separator for before, separator in found if before in wanted][-1:])
    return [separator for separator, _ in seen.most_common(3)]
