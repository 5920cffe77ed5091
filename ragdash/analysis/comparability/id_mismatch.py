"""Ids that would match if they were written alike, and truths on another level than the run ranks.

Query ids are all looked at; documents in an even sample of the queries, which the entries tell.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.comparability.findings import SHOWN, Entry
from ragdash.core.arrow_columns import text_column
from ragdash.core.id_normalization import (
    SEPARATORS,
    CollapseChoice,
    before,
    collapse_choices,
    collapsed,
    collapsed_ids,
    rebuilt,
    with_ids_of,
)
from ragdash.core.id_spellings import SPELLINGS, Spelling, Wanted, every_spelling, respelled, spelling
from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match

SAMPLE, FEW = 200_000, 20_000  # documents looked at for spellings, and for ways to collapse


def id_entries(match: Match, queries: Wanted, docs: Wanted) -> list[Entry]:
    """Only what would match more: nothing where all is well. queries, docs: the ids of the truth."""
    run, truth, wanted = match.run, match.truth, (queries, docs)
    if not len(run.docs) or not len(truth):
        return []
    part = _sample(run, SAMPLE)
    found = {how: _respelled(run, part, queries, docs, how) for how in SPELLINGS}
    found = {how: changed for how, changed in found.items() if changed}
    now = _hits(part, truth) if found else 0
    then = {how.name: _hits(with_ids_of(part, truth, how.name, wanted), truth) for how in found}
    if len(then) > 1:
        together = _hits(with_ids_of(part, truth, ",".join(then), wanted), truth)
        then = {",".join(then): together} if together > max(then.values()) else then
    joint = _joint(part, truth, wanted)
    if joint and set(joint.name.split(",")) - {name for one in then for name in one.split(",")}:
        changed, hits = _respelled(run, part, queries, docs, joint), _hits(with_ids_of(part, truth, joint.name, wanted),
                                                                          truth)
        if hits > max((now, *then.values())) or _joined_queries(changed) > max(map(_joined_queries, found.values()),
                                                                               default=0):
            found, then, now = {joint: changed}, {joint.name: hits}, now if found else _hits(part, truth)
    spelled = [_entry(run, part, how, changed, now, then) for how, several in found.items() for changed in several]
    level = _level(run, truth, wanted)
    return [*(_joined(one, level) for one in spelled), *level]


def _joint(part: Run, truth: Truth, wanted: tuple[Wanted, Wanted]) -> Spelling | None:
    """The spellings that only together make more ids match, as few as will do; None where no two change anything."""
    ids = text_column(part.query_ids), text_column(pc.unique(part.docs))
    live = {how for own, known in zip(ids, wanted, strict=True) for how in every_spelling(own, known)}
    if len(live) < 2:
        return None

    def matched(names: list[str]) -> list[int]:
        how = spelling(",".join(names))
        return [pc.sum(pc.is_in(respelled(own, known, how), value_set=known.ids)).as_py() or 0
                for own, known in zip(ids, wanted, strict=True)]

    names = [how.name for how in SPELLINGS if how in live]
    most = matched(names)
    for name in names[::-1]:
        fewer = [other for other in names if other != name]
        if fewer and matched(fewer) == most:
            names = fewer
    return spelling(",".join(names)) if len(names) > 1 else None


def _joined_queries(changed: list[tuple]) -> int:
    return sum(count for field, count, *_ in changed if field == "queries")


def _joined(entry: Entry, level: list[Entry]) -> Entry:
    """An entry about spelling that fixes nothing until chunks are collapsed as well gets the fix that does both."""
    for one in level:
        names = set(dict(one.also).get("ids", "").split(","))
        names |= {"path"} if one.option == ("collapse", "prefix:#") else set()  # both cut off what follows #
        if one.severity == "warning" and set(entry.option[1].split(",")) <= names:
            return replace(entry, effect=one.effect, fix=one.fix, option=one.option, also=one.also)
    return entry


def _respelled(run: Run, part: Run, queries: Wanted, docs: Wanted,
               how: Spelling) -> list[tuple[str, int, int, tuple[str, ...]]]:
    """(queries or documents, ids that one spelling would join, of how many, examples), where there are any."""
    found = []
    for field, ids, wanted in (("queries", text_column(run.query_ids), queries),
                               ("documents", text_column(pc.unique(part.docs)), docs)):
        other = respelled(ids, wanted, how)
        changed = pc.not_equal(ids, other)
        if count := pc.sum(changed).as_py() or 0:
            pairs = zip(*(column.filter(changed).slice(0, SHOWN).to_pylist() for column in (ids, other)), strict=True)
            found.append((field, count, len(ids), tuple(f"{ours!r} for {theirs!r}" for ours, theirs in pairs)))
    return found


def _entry(run: Run, part: Run, how: Spelling, changed: tuple, now: int, then: dict[str, int]) -> Entry:
    field, count, total, examples = changed
    name = how.name if how.name in then else next(iter(then))
    what = "queries of the run" if field == "queries" else f"different documents{_of(part, run)}"
    return Entry(f"respelled-{field}", "warning" if field == "queries" or then[name] > now else "note", run.name,
                 f"{count:,} of {total:,} {what} match the truth only {how.words} ({', '.join(examples)}).", count,
                 total, examples, f"Judged documents among those returned{_of(part, run)}: {now:,} now, "
                 f"{then[name]:,} then.", f"Read the runs with --ids {name}, or write the ids the same way in both "
                 "files.", ("ids", name))


def _level(run: Run, truth: Truth, wanted: tuple[Wanted, Wanted]) -> list[Entry]:
    """Chunks against documents: the way to collapse that finds most, or the other way round a truth that is finer."""
    part = _sample(run, FEW)
    hits = _hits(part, truth)
    ways = collapse_choices(part, truth, wanted[1])[:SHOWN]
    least = _best_spelling(part, truth, wanted)[1] if ways else hits
    whole = _best_spelling(part, truth, wanted, paths=False)[1] if any(way.by == "prefix:#" for way in ways) else least
    best = None
    for way in ways:
        ids, fixed = _best_spelling(collapsed(part, way.by), truth, wanted)
        bar = whole if way.by == "prefix:#" else least  # what stands behind # is cut off with paths too: it is a chunk
        if fixed > (best[1] if best else bar if ids else hits):
            best = CollapseChoice(way.by, ids, way.share), fixed
    if best is None:
        return [] if hits else _finer(part, run, wanted[1])
    choice, fixed = best
    also = (("ids", choice.ids),) if choice.ids else ()
    examples = _parts(part, wanted[1], choice)
    alone = (whole if choice.by == "prefix:#" else least) if choice.ids else hits  # what is found without collapsing
    entry = Entry("another-level", "note" if alone else "warning", run.name, "The run ranks parts of what the truth "
                  f"judges, such as {examples[0]!r} where the truth has {examples[1]!r}.", len(part.docs) - hits,
                  len(part.docs), examples, f"Judged documents among those returned{_of(part, run)}: {hits:,} now, "
                  f"{fixed:,} then.", "", ("collapse", choice.by), also)
    both = "Both are needed: the ids are written in another way too. " if choice.ids else ""
    return [replace(entry, fix=f"Read the runs with {entry.flags}. {both}The first part of a document keeps its "
                    "rank.")]


def _best_spelling(run: Run, truth: Truth, wanted: tuple[Wanted, Wanted],
                   paths: bool = True) -> tuple[str | None, int]:
    """(the spelling under which most judged documents are found, None where none is needed; how many).

    paths: with spellings that cut paths.
    """
    found: dict[str | None, int] = {None: _hits(run, truth)}
    for how in (one for one in SPELLINGS if paths or one.name != "path"):
        other = with_ids_of(run, truth, how.name, wanted)
        if other.docs is not run.docs or other.query_ids is not run.query_ids:  # something was respelled
            found[how.name] = _hits(other, truth)
    names = [name for name in found if name]
    names = [name for name in names if found[name] > found[None]] or names
    joint = _joint(run, truth, wanted)
    for several in (",".join(names), joint.name if joint else ""):
        if several and several not in found and (paths or "path" not in several.split(",")):
            found[several] = _hits(with_ids_of(run, truth, several, wanted), truth)
    best = max(found, key=found.get)  # the first of equals: none before any, one before several
    return best, found[best]


def _parts(part: Run, judged: Wanted, choice: CollapseChoice) -> tuple[str, str]:
    """A chunk of the run and the document of the truth that it belongs to."""
    docs = collapsed_ids(part, choice.by)
    docs = respelled(docs, judged, spelling(choice.ids)) if choice.ids else docs
    found = pc.and_(pc.is_in(docs, value_set=judged.ids), pc.not_equal(docs, part.docs))
    return part.docs.filter(found)[0].as_py(), docs.filter(found)[0].as_py()


def _finer(part: Run, run: Run, wanted: Wanted) -> list[Entry]:
    docs = pc.unique(part.docs)
    judged = wanted.ids.take(pa.array(np.arange(0, len(wanted), -(-len(wanted) // FEW) or 1)))
    looked = _of(part, run) if len(judged) == len(wanted) else f" (in {len(part.docs):,} of {len(run.docs):,} " \
        f"returned and {len(judged):,} of {len(wanted):,} judged documents looked at)"
    for separator in SEPARATORS:
        whole = before(judged, separator)
        found = pc.and_(pc.is_in(whole, value_set=docs), pc.not_equal(whole, judged))
        count = pc.sum(found).as_py() or 0
        if count:
            examples = (whole.filter(found)[0].as_py(), judged.filter(found)[0].as_py())
            return [Entry("finer-truth", "warning", run.name, f"The truth judges parts of what the run ranks, such as "
                          f"{examples[1]!r} where the run has {examples[0]!r}{looked}.", count, len(judged), examples,
                          "None of these is found.", "Rank the parts, or judge what is ranked.")]
    return []


def _sample(run: Run, rows: int) -> Run:
    """The rankings of every n-th query, so that at most about this many documents are left; the others are empty."""
    step = -(-len(run.docs) // rows)
    if step < 2:
        return run
    kept = np.arange(len(run)) % step == 0
    if not kept.any() or len(run) < step:
        kept[0] = True
    keep = np.zeros(len(run.docs), bool)
    keep[run.rows(np.flatnonzero(np.repeat(kept, np.diff(run.starts))))] = True
    return rebuilt(run, keep=keep)


def _hits(run: Run, truth: Truth) -> int:
    """Judged documents among those returned."""
    return len(Match(run, truth).ranked.rank)


def _of(part: Run, run: Run) -> str:
    """Which part was looked at, if it was not all."""
    return "" if part is run else f" (in {len(part.docs):,} of {len(run.docs):,} looked at)"
