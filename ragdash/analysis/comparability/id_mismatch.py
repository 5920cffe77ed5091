"""Ids that would match if they were written alike, and truths on another level than the run ranks.

Query ids are all looked at; documents in an even sample of the queries, which the entries name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.comparability.findings import SHOWN, ComparabilityEntry
from ragdash.analysis.comparability.query_sample import sampled_rows
from ragdash.core.arrow_columns import text_column
from ragdash.core.ids.collapse_choices import SEPARATORS, CollapseChoice, collapse_choices
from ragdash.core.ids.normalization import (
    CHUNK_RANKS,
    NUMBER,
    PREFIX,
    before,
    collapsed,
    collapsed_ids,
    rebuilt,
    with_ids_of,
)
from ragdash.core.ids.spellings import ALL_SPELLINGS, SPELLINGS, Spelling, Wanted, every_spelling, respelled, spelling
from ragdash.core.records import Run, Truth
from ragdash.core.text.quoted import quoted
from ragdash.matching.match import Match

TOP = 10  # the rank up to which both ways to count are compared
FRAGMENT = (f"{PREFIX}#", f"{NUMBER}#")  # ways to collapse that cut off what a spelling by paths cuts off too
SAMPLE, FEW = 50_000, 20_000  # documents looked at for spellings, and for ways to collapse


def id_entries(match: Match, queries: Wanted, docs: Wanted) -> list[ComparabilityEntry]:
    """Only what would match more: nothing where all is well. queries, docs: the ids of the truth."""
    run, truth, wanted = match.run, match.truth, (queries, docs)
    if not len(run.docs) or not len(truth):
        return []
    sample = _sample(run, SAMPLE)
    returned = text_column(pc.unique(sample.docs))
    columns = ("queries", text_column(run.query_ids), queries), ("documents", returned, docs)
    rules = SPELLINGS if all(theirs.share(ours) for _, ours, theirs in columns) else ALL_SPELLINGS
    changes_by_rule = {rule: _respellings(columns, rule) for rule in rules}
    changes_by_rule = {rule: changed for rule, changed in changes_by_rule.items() if changed}
    hits_before = _hits(sample, truth) if changes_by_rule else 0
    hits_after = {rule.name: _hits(with_ids_of(sample, truth, rule.name, wanted), truth) for rule in changes_by_rule}
    if len(hits_after) > 1:
        hits_together = _hits(with_ids_of(sample, truth, ",".join(hits_after), wanted), truth)
        hits_after = {",".join(hits_after): hits_together} if hits_together > max(hits_after.values()) else hits_after
    joint = _joint_spelling(sample, returned, wanted, rules)
    if joint and set(joint.name.split(",")) - {name for names in hits_after for name in names.split(",")}:
        changed = _respellings(columns, joint)
        hits = _hits(with_ids_of(sample, truth, joint.name, wanted), truth)
        if hits > max((hits_before, *hits_after.values())) or _joined_queries(changed) > max(
            map(_joined_queries, changes_by_rule.values()), default=0
        ):
            hits_before = hits_before if changes_by_rule else _hits(sample, truth)
            changes_by_rule, hits_after = {joint: changed}, {joint.name: hits}
    spelled = [
        _entry(run, sample, rule, changed, hits_before, hits_after)
        for rule, changes in changes_by_rule.items()
        for changed in changes
    ]
    level = _level(run, truth, wanted)
    spelled += _allowed(run, sample, returned, docs, Wanted(truth.other_docs), rules)
    return [*(_with_collapse_fix(entry, level) for entry in spelled), *level]


def _allowed(run: Run, sample: Run, returned: pa.ChunkedArray, docs: Wanted, other: Wanted,
             rules: Sequence[Spelling]) -> list[ComparabilityEntry]:
    """Returned documents that only under a spelling are those that details of the truth name without a judgment."""
    live = [rule for rule in rules if len(other) and rule in every_spelling(returned, other, rules)]
    together = [spelling(",".join(rule.name for rule in live))] if len(live) > 1 else []
    best: tuple[int, Spelling, pa.ChunkedArray, pa.ChunkedArray] | None = None
    for rule in (*live, *together):
        ids = respelled(returned, docs, rule, other)
        changed = pc.and_(pc.not_equal(returned, ids), pc.is_in(ids, value_set=other.ids))
        count = pc.sum(changed).as_py() or 0
        if count > (best[0] if best else 0):
            best = count, rule, returned.filter(changed), ids.filter(changed)
    if best is None:
        return []
    count, rule, ours, theirs = best
    pairs = zip(*(column.slice(0, SHOWN).to_pylist() for column in (ours, theirs)), strict=True)
    return [ComparabilityEntry(
        "respelled-allowed", "warning", run.name, count, len(returned),
        tuple(f"{quoted(one)} for {quoted(other_id)}" for one, other_id in pairs),
        {"way": rule.words, **_sample_facts(sample, run)}, ("ids", rule.name))]


def _joint_spelling(sample: Run, returned: pa.ChunkedArray, wanted: tuple[Wanted, Wanted],
                    rules: Sequence[Spelling] = SPELLINGS) -> Spelling | None:
    """The rules that only together make more ids match, as few as will do; None where no two change anything.

    returned: the documents of the sample, each once.
    """
    ids = text_column(sample.query_ids), returned
    live = {rule for run_ids, truth_ids in zip(ids, wanted, strict=True)
            for rule in every_spelling(run_ids, truth_ids, rules)}
    if len(live) < 2:
        return None

    def matched(names: list[str]) -> list[int]:
        rule = spelling(",".join(names))
        return [pc.sum(pc.is_in(respelled(run_ids, truth_ids, rule), value_set=truth_ids.ids)).as_py() or 0
                for run_ids, truth_ids in zip(ids, wanted, strict=True)]

    names = [rule.name for rule in rules if rule in live]
    all_matched = matched(names)
    for name in names[::-1]:
        fewer = [candidate for candidate in names if candidate != name]
        if fewer and matched(fewer) == all_matched:
            names = fewer
    return spelling(",".join(names)) if len(names) > 1 else None


def _joined_queries(changed: list[tuple]) -> int:
    return sum(count for field, count, *_ in changed if field == "queries")


def _with_collapse_fix(entry: ComparabilityEntry, level: list[ComparabilityEntry]) -> ComparabilityEntry:
    """An entry about spelling that fixes nothing until chunks are collapsed as well gets the fix that does both."""
    for collapse_entry in level:
        names = set(dict(collapse_entry.also).get("ids", "").split(","))
        names |= {"path"} if collapse_entry.option in [("collapse", way) for way in FRAGMENT] else set()
        if collapse_entry.severity == "warning" and set(entry.option[1].split(",")) <= names:
            return replace(entry, message=f"{entry.message}/collapsed", facts={**collapse_entry.facts, **entry.facts},
                           option=collapse_entry.option, also=collapse_entry.also)
    return entry


def _respellings(columns: Sequence[tuple[str, pa.ChunkedArray, Wanted]],
                 rule: Spelling) -> list[tuple[str, int, int, tuple[str, ...]]]:
    """(queries or documents, ids that one spelling would join, of how many, examples), where there are any.

    columns: (queries or documents, those of the run, each once; those of the truth).
    """
    changes = []
    for field, ids, wanted in columns:
        respelled_ids = respelled(ids, wanted, rule)
        if respelled_ids is ids:
            continue
        is_wanted = pc.is_in(respelled_ids, value_set=wanted.forms_of(respelled_ids)[0])
        changed = pc.and_(pc.not_equal(ids, respelled_ids), is_wanted)
        if count := pc.sum(changed).as_py() or 0:
            pairs = zip(
                *(column.filter(changed).slice(0, SHOWN).to_pylist() for column in (ids, respelled_ids)), strict=True
            )
            changes.append(
                (field, count, len(ids), tuple(f"{quoted(ours)} for {quoted(theirs)}" for ours, theirs in pairs))
            )
    return changes


def _entry(
    run: Run, sample: Run, rule: Spelling, changed: tuple, hits_before: int, hits_after: dict[str, int]
) -> ComparabilityEntry:
    field, count, total, examples = changed
    name = rule.name if rule.name in hits_after else next(iter(hits_after))
    return ComparabilityEntry(
        f"respelled-{field}",
        "warning" if field == "queries" or hits_after[name] > hits_before else "note",
        run.name,
        count,
        total,
        examples,
        {"way": rule.words, "before": hits_before, "after": hits_after[name], **_sample_facts(sample, run)},
        ("ids", name),
    )


def _level(run: Run, truth: Truth, wanted: tuple[Wanted, Wanted]) -> list[ComparabilityEntry]:
    """Chunks against documents: the way to collapse that finds most, or the other way round a truth that is finer."""
    sample = _sample(run, FEW)
    hits = _hits(sample, truth)
    candidates = [choice for choice in collapse_choices(sample, truth, wanted[1]) if not choice.merged][:SHOWN]
    hits_with_ids = _best_spelling(sample, truth, wanted)[1] if candidates else hits
    hits_without_paths = (
        _best_spelling(sample, truth, wanted, paths=False)[1]
        if any(candidate.by in FRAGMENT for candidate in candidates)
        else hits_with_ids
    )
    best = None
    for candidate in candidates:
        if best and not candidate.is_supported:
            break
        ids, fixed = _best_spelling(collapsed(sample, candidate.by), truth, wanted)
        # Spellings that cut paths also cut off what follows "#", which is a chunk.
        bar = hits_without_paths if candidate.by in FRAGMENT else hits_with_ids
        if fixed > (best[1] if best else bar if ids else hits):
            best = replace(candidate, ids=ids), fixed
    if best is None:
        return [] if hits else _finer(sample, run, wanted[1])
    choice, fixed = best
    also = (("ids", choice.ids),) if choice.ids else ()
    examples = _part_example(sample, wanted[1], choice)
    hits_uncollapsed = hits
    if choice.ids:
        hits_uncollapsed = hits_without_paths if choice.by in FRAGMENT else hits_with_ids
    closed, kept = _top_hits(sample, truth, choice, wanted)
    sampled = _sample_facts(sample, run)
    return [ComparabilityEntry(
        "another-level",
        "note" if hits_uncollapsed else "warning",
        run.name,
        len(sample.docs) - hits,
        len(sample.docs),
        examples,
        {"ours": examples[0], "theirs": examples[1], "level_before": hits, "level_after": fixed, "top": TOP,
         "closed": closed, "kept": kept, "by": choice.by, "level_looked": sampled["looked"], **sampled,
         "changed": choice.changed, "documents": choice.documents, "unknown": choice.unknown,
         "unknown_example": choice.example, **_left_as_they_are(sample, choice)},
        ("collapse", choice.by),
        also,
    )]


def _left_as_they_are(sample: Run, choice: CollapseChoice) -> dict[str, object]:
    """How many different ids a way to collapse leaves, and one of them."""
    left = pc.unique(sample.docs.filter(pc.equal(sample.docs, collapsed_ids(sample, choice.by))))
    return {"unchanged": len(left), "unchanged_example": left[0].as_py() if len(left) else ""}


def _top_hits(sample: Run, truth: Truth, choice: CollapseChoice, wanted: tuple[Wanted, Wanted]) -> tuple[int, int]:
    """Judged documents in the top 10 where ranks close up, and where chunks keep their ranks."""
    counts = []
    for by in (choice.by, f"{CHUNK_RANKS}{choice.by}"):
        run = collapsed(sample, by)
        run = with_ids_of(run, truth, choice.ids, wanted) if choice.ids else run
        counts.append(int((Match(run, truth).ranked.rank <= TOP).sum()))
    return counts[0], counts[1]


def _best_spelling(run: Run, truth: Truth, wanted: tuple[Wanted, Wanted],
                   paths: bool = True) -> tuple[str | None, int]:
    """(the spelling under which most judged documents are found, None where none is needed; how many).

    paths: with spellings that cut paths.
    """
    hits: dict[str | None, int] = {None: _hits(run, truth)}
    for rule in SPELLINGS:
        if rule.name == "path" and not paths:
            continue
        respelled_run = with_ids_of(run, truth, rule.name, wanted)
        if respelled_run.docs is not run.docs or respelled_run.query_ids is not run.query_ids:
            hits[rule.name] = _hits(respelled_run, truth)
    names = [name for name in hits if name]
    names = [name for name in names if hits[name] > hits[None]] or names
    joint = _joint_spelling(run, text_column(pc.unique(run.docs)), wanted)
    for combined in (",".join(names), joint.name if joint else ""):
        if combined and combined not in hits and (paths or "path" not in combined.split(",")):
            hits[combined] = _hits(with_ids_of(run, truth, combined, wanted), truth)
    best = max(hits, key=hits.get)  # the first of equals: none before any, one before several
    return best, hits[best]


def _part_example(sample: Run, judged: Wanted, choice: CollapseChoice) -> tuple[str, str]:
    """A chunk of the run and the document of the truth that it belongs to."""
    docs = collapsed_ids(sample, choice.by)
    docs = respelled(docs, judged, spelling(choice.ids)) if choice.ids else docs
    is_part = pc.and_(pc.is_in(docs, value_set=judged.ids), pc.not_equal(docs, sample.docs))
    return sample.docs.filter(is_part)[0].as_py(), docs.filter(is_part)[0].as_py()


def _finer(sample: Run, run: Run, wanted: Wanted) -> list[ComparabilityEntry]:
    docs = pc.unique(sample.docs)
    judged = wanted.ids.take(pa.array(np.arange(0, len(wanted), -(-len(wanted) // FEW) or 1)))
    scope = {**_sample_facts(sample, run), "judged": 0, "rows": len(sample.docs), "wanted": len(wanted)}
    if len(judged) < len(wanted):
        scope |= {"looked": 0, "judged": len(judged)}
    for separator in SEPARATORS:
        documents = before(judged, separator)
        is_finer = pc.and_(pc.is_in(documents, value_set=docs), pc.not_equal(documents, judged))
        count = pc.sum(is_finer).as_py() or 0
        if count:
            examples = (documents.filter(is_finer)[0].as_py(), judged.filter(is_finer)[0].as_py())
            return [ComparabilityEntry("finer-truth", "warning", run.name, count, len(judged), examples,
                                       {"ours": examples[0], "theirs": examples[1], **scope})]
    return []


def _sample(run: Run, documents: int) -> Run:
    """The rankings of every n-th query, so that at most about this many documents are left; the others are empty."""
    rows = sampled_rows(run, documents)
    return run if rows is None else rebuilt(run, keep=rows)


def _hits(run: Run, truth: Truth) -> int:
    """Judged documents among those returned."""
    return len(Match(run, truth).ranked.rank)


def _sample_facts(sample: Run, run: Run) -> dict[str, int]:
    """Which part was looked at (0 where it was all), and how many documents there are."""
    return {"looked": 0 if sample is run else len(sample.docs), "returned": len(run.docs)}
