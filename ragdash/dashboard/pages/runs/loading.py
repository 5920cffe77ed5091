"""From files to the session: uploads, samples, the command line. A wrong file never loses what is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ragdash import io
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import SAMPLE_TRUTH, SAMPLE_VERDICTS, SAMPLES, home, named
from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.runs import corpus_upload, workspace_list
from ragdash.dashboard.session import data_store, read_progress, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.verdict_store.jsonl import import_verdicts, unpacked
from ragdash.reporting.sentences import fmt

FILES, TRUTHS = "RAGDASH_FILES", "RAGDASH_TRUTH"  # set by `ragdash dashboard FILE...`
KINDS = {Run: "run", Truth: "truth", Corpus: "corpus"}
KEPT = 64 << 20  # bytes of an upload kept so that its role can be changed


@dataclass(frozen=True)
class Given:
    """A file of the command line that is still to be read."""

    path: Path
    label: str | None
    role: str | None

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def size(self) -> int:
        """Bytes, 0 where there is no such file (reading it says so)."""
        return self.path.stat().st_size if self.path.is_file() else 0


@dataclass(frozen=True)
class FileRecord:
    """What became of one file: how it was read and why, what it gave (digests), what was wrong.

    content is None where the file was not uploaded or is too large to keep; its role then stays as it is. columns: the
    columns that were seen; guess, mapping: (our field, their column) as found by content and as chosen by hand; key:
    its content in a few letters.
    """

    name: str
    format: str
    role: str
    reason: str
    digests: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    content: bytes | None = None
    columns: tuple[str, ...] = ()
    guess: tuple[tuple[str, str], ...] = ()
    mapping: tuple[tuple[str, str], ...] = ()
    key: str = ""

    @property
    def failed(self) -> bool:
        """Nothing could be read from it."""
        return not self.digests


def take_uploads() -> None:
    """Note the files of the upload field and empty the field; the field calls it when it changes."""
    state.set_pending_files((*state.pending_files(), *(state.get(state.uploads_key()) or ())))
    state.next_uploads()


def read_waiting() -> None:
    """Read the files noted, one after another, telling how far it is; one not begun yet is read at the next run."""
    place = st.empty()  # there in every run, so that nothing moves when the bar has gone
    if not state.pending_files():
        return
    state.set_files(replace(record, content=None) for record in state.files())
    fresh = 0
    while state.pending_files():
        file, *rest = state.pending_files()
        after = f"; {fmt.count(len(rest), 'more file')} after it" if rest else ""
        with read_progress.show_progress(place, file.name, file.size, after):
            state.set_pending_files(rest)  # in here nothing interrupts: a file is read and recorded, or still waits
            record, known = _taken(file), state.files()
            if record.failed or not isinstance(file, Given):
                state.set_files((*known[:fresh], record, *known[fresh:]))
                fresh += 1
            _let_go(file)


def _taken(file) -> FileRecord:
    """What became of a file that waited: of the command line, or uploaded."""
    if isinstance(file, Given):
        return _path(file.path, file.label, file.role)
    return _upload(file.name, file.getvalue(), None)


def _let_go(file) -> None:
    """Free the bytes of an upload, which Streamlit would keep for as long as the session lasts."""
    context = get_script_run_ctx(suppress_warning=True)
    if not isinstance(file, Given) and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file.file_id)


def change_role(index: int, role: str) -> None:
    """Read a file again as a run or as a truth; what it gave before leaves the session."""
    _again(index, role, dict(state.files()[index].mapping))


def map_columns(index: int, mapping: Mapping[str, str]) -> None:
    """Read a file again with columns named by hand; what it gave before leaves the session."""
    _again(index, None, mapping)


def _again(index: int, role: str | None, mapping: Mapping[str, str]) -> None:
    record = state.files()[index]
    for digest in record.digests:
        drop(digest)
    again = _upload(record.name, record.content, role, mapping)
    state.set_files(again if at == index else other for at, other in enumerate(state.files()))


def drop(digest: str) -> None:
    """Take a run, the truth or its documents out of the session."""
    state.remove_run(digest)
    corpus_upload.drop(digest)


def forget_files() -> None:
    """Clear the list of files; what they gave stays."""
    state.set_files(())


def samples_folder() -> Path | None:
    """Where the ready runs are, None in an installation without them."""
    folder = home() / "sample_runs"
    return folder if (folder / SAMPLE_TRUTH).is_file() else None


def open_samples() -> None:
    """Load the ready runs of dense, sparse and hybrid retrieval with their truth."""
    folder = samples_folder()
    records = [_path(folder / name, None, "run") for name in SAMPLES if (folder / name).is_file()]
    records.append(_path(folder / SAMPLE_TRUTH, None, "truth"))
    state.set_files((*(record for record in records if record.failed), *state.files()))
    _keep_verdicts(folder / SAMPLE_VERDICTS)


def _keep_verdicts(path: Path) -> None:
    """Take the toy judge's verdicts on the samples into the ledger; where it cannot be written, it goes without."""
    if data_store.read_only() or not path.is_file():
        return
    try:
        import_verdicts(default_verdict_store(), unpacked(path).splitlines(), str(path))
    except InputError as error:
        state.set_notice(error.problems)


def open_given_files() -> None:
    """Note what the command line named, unless the address already says what to show."""
    if not (state.runs() or state.missing_runs()):
        state.set_pending_files([*(_given(text, None) for text in _listed(FILES)),
                           *(_given(text, "truth") for text in _listed(TRUTHS))])


def _listed(variable: str) -> list[str]:
    return [part for part in os.environ.get(variable, "").split(os.pathsep) if part]


def _given(text: str, role: str | None) -> Given:
    """A file of the command line, PATH or NAME=PATH."""
    label, path = named(text)
    return Given(Path(path), label, role)


def _upload(name: str, content: bytes, role: str | None, mapping: Mapping[str, str] | None = None) -> FileRecord:
    record = _read(name, lambda: data_store.read_upload(name, content, role, mapping), None, role)
    record = replace(record, mapping=tuple((mapping or {}).items()))
    workspace_list.keep(record.digests, name)
    if len(content) > KEPT:
        return record
    record = replace(record, key=data_store.content_key(content)[:8])
    try:
        seen = io.detect((name, content))
    except InputError:
        return replace(record, content=content)  # told already: reading it found the same
    return replace(record, content=content, columns=seen.columns, guess=tuple(seen.guess.items()))


def _path(path: Path, name: str | None, role: str | None) -> FileRecord:
    return _read(path.name, lambda: data_store.read_path(path, role), name, role)


def _read(file: str, load: Callable, name: str | None, role: str | None) -> FileRecord:
    """Load one file and add what it holds to the session; its problems stay with the record."""
    try:
        sniffed, things = load()
    except InputError as error:
        return FileRecord(file, "", role or "unknown", "", problems=error.problems)
    except OSError as error:
        problem = Problem("unreadable-file", {"reason": error.strerror or type(error).__name__}, file)
        return FileRecord(file, "", role or "unknown", "", problems=(problem,))
    again = [entry.name for entry in state.runs() if entry.digest in {thing.digest for thing in things}]
    for thing in things:
        if isinstance(thing, Run):
            LOADED.put(thing)
            state.add_run(thing.digest, name if name and len(things) == 1 else thing.name)
        elif isinstance(thing, Corpus):
            corpus_upload.add(thing)
        else:
            corpus_upload.add_truth(thing)
    kinds = {KINDS[type(thing)] for thing in things}
    found = "both" if len(kinds) > 1 else kinds.pop() if kinds else "unknown"
    reason = f"chosen by hand; {sniffed.reason}" if role and role != sniffed.role else sniffed.reason
    reason += f"; the same content is loaded already as {', '.join(again)}" if again else ""
    problems = tuple(problem for thing in things for problem in thing.problems)
    return FileRecord(file, sniffed.format, found, reason, tuple(thing.digest for thing in things), problems)
