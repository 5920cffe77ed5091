"""Copies a workspace: from a folder into a database, or back. A copy that was interrupted can be run again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.protocols import EventLog, Files, LogRow, LogWriter
from ragdash.models.judge import VerdictStore
from ragdash.models.judge.batch_files.open_batches import copy_open_batches
from ragdash.workspace.catalogue import REBUILT
from ragdash.workspace.protocols import CatalogueEntry
from ragdash.workspace.store import Workspace

CHECKED = "checked"  # a text that only says that the list can be written
_OWN = (REBUILT, CHECKED)


@dataclass(frozen=True)
class CopyResult:
    """What a copy has.

    Parameters
    ----------
    counts
        How much of what the target has now: {"runs": 12, "truths": 1, ...}.
    problems
        What could not be copied, such as runs whose files are broken.
    """

    counts: Mapping[str, int]
    problems: tuple[Problem, ...] = field(default=())


def copy_workspace(source: Workspace, target: Workspace, logs: Mapping[str, tuple[EventLog, EventLog]],
                   verdicts: tuple[VerdictStore, VerdictStore],
               files: Mapping[str, tuple[Files, Files, Sequence[str]]]) -> CopyResult:
    """Copy a workspace with its logs and verdicts. What the target has already of the source stays.

    Every run and truth is read back from the target, and its digest compared. The source is only read.

    Parameters
    ----------
    source, target
        The workspaces.
    logs
        {name: (log of the source, log of the target)}. The events of the target must be the first ones of the source.
    verdicts
        The verdict stores of source and target, with the open batches of judges. Failures are not copied: they are
        asked again.
    files
        {what they are called: (files of the source, files of the target, names of the source)}: sets of drafts,
        rubrics, the labeling policy, examples for judges. One that is newer in the target stays.

    Raises
    ------
    InputError
        If the target has events that the source does not have; then nothing was changed. If either cannot be used.
    """
    for name, (log, copied) in logs.items():
        _check_start(name, log.rows(), copied.rows(), copied.location)
    counts, problems, order = dict[str, int](), list[Problem](), list[str]()
    for kind in ("truth", "run"):
        copies = [entry.digest for entry in _copied_entries(source, target, kind, problems)]
        counts[f"{kind}s"] = len(copies)
        order += copies
    target.order(order)
    counts["mappings"], counts["texts"] = _copy_texts(source, target)
    for name, (log, copied) in logs.items():
        counts[name] = _copy_log(name, log, copied)
    counts["verdicts"] = _copy_verdicts(*verdicts)
    counts["open batches"] = copy_open_batches(*verdicts)
    for title, (written, copies, names) in files.items():
        counts[title] = _copy_files(title, written, copies, names)
    return CopyResult(counts, tuple(problems))


def _copied_entries(source: Workspace, target: Workspace, kind: str,
                    problems: list[Problem]) -> Iterator[CatalogueEntry]:
    """The entries of a kind, each once it is in the target with all that people said of it."""
    for entry in source.runs(None) if kind == "run" else source.truths(None):
        try:
            record = source.load_run(entry.digest) if kind == "run" else source.load_truth(entry.digest)
        except InputError as error:
            if not all(problem.kind == "broken-workspace-file" for problem in error.problems):
                raise
            problems += error.problems
            continue
        target.add_record(record, entry.name, added=entry.facts.get("added"))
        copied = target.load_run(entry.digest) if kind == "run" else target.load_truth(entry.digest)
        if copied.digest != entry.digest:
            raise InputError([Problem("copy-digest", {"type": kind, "name": entry.name}, target.location)])
        _copy_words(entry, target)
        yield entry


def _copy_words(entry: CatalogueEntry, target: Workspace) -> None:
    """Name, description, tags and archive of an entry, where they differ."""
    copied = target.find(entry.digest, entry.kind)
    if copied is None or copied.name != entry.name:
        target.rename(entry.digest, entry.name, entry.kind)
    if copied is None or copied.description != entry.description:
        target.describe(entry.digest, entry.description, entry.kind)
    if copied is None or copied.tags != entry.tags:
        target.tag(entry.digest, entry.tags, entry.kind)
    if copied is None or copied.archived != entry.archived:
        target.archive(entry.digest, entry.archived, entry.kind)


def _copy_texts(source: Workspace, target: Workspace) -> tuple[int, int]:
    """Mappings, and prices, typed settings and versions of truths; how many of each there are."""
    mappings, present = source.catalogue.all_mappings(), {
        (columns, name): mapping for columns, name, mapping in target.catalogue.all_mappings()}
    for columns, name, mapping in mappings:
        if present.get((columns, name)) != mapping:
            target.catalogue.keep_mapping(columns, name, mapping)
    texts, known = source.catalogue.values(""), target.catalogue.values("")
    texts = {key: text for key, text in texts.items() if key not in _OWN}
    for key, text in texts.items():
        if known.get(key) != text:
            target.catalogue.keep(key, text)
    return len(mappings), len(texts)


def _copy_log(name: str, source: EventLog, target: EventLog) -> int:
    rows = source.rows()

    def add_missing(writer: LogWriter) -> None:
        present = writer.rows()
        _check_start(name, rows, present, target.location)
        for row in rows[len(present):]:
            writer.add(row.key, row.values, row.id)

    if len(target.rows()) < len(rows):
        target.write(add_missing)
    copied = target.rows()
    _check_start(name, rows, copied[:len(rows)], target.location)
    return len(copied)


def _check_start(name: str, rows: Iterable[LogRow], present: Iterable[LogRow], location: str) -> None:
    """Raise InputError unless the events that are there are the first ones of the source."""
    expected = iter(rows)
    for row in present:
        other = next(expected, None)
        same = other is not None and (other.key, _known(other)) == (row.key, _known(row))
        if not same or (other is not None and other.id and row.id and other.id != row.id):
            raise InputError([Problem("copy-differs", {"what": json.dumps(name)}, location)])


def _known(row: LogRow) -> tuple[str | None, ...]:
    """The values without those at the end that an earlier version did not have."""
    end = len(row.values)
    while end and row.values[end - 1] is None:
        end -= 1
    return row.values[:end]


def _copy_verdicts(source: VerdictStore, target: VerdictStore) -> int:
    rows = source.all_verdicts()
    known = target.known_keys([row[1] for row in rows])
    if new := [row for row in rows if row[1] not in known]:
        target.import_rows(new)
    return len(target.known_keys([row[1] for row in rows]))


def _copy_files(title: str, source: Files, target: Files, names: Sequence[str]) -> int:
    """The oldest first, so that their order stays."""
    written, present = source.names(), target.names()
    written = {name: when for name, when in written.items() if name in names}
    for name, when in reversed(written.items()):
        content = source.get(name)
        if name not in present or (present[name] < when and target.get(name) != content):
            target.put(name, content)
            if target.get(name) != content:
                raise InputError([Problem("copy-digest", {"type": title, "name": name}, target.location)])
    return len(written)
