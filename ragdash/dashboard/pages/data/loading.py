"""From files to the session: uploads, samples, the command line. A wrong file never loses what is loaded."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ragdash import io
from ragdash.analysis.judge_validation import LabelStore, read_labels
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import SAMPLE_LABELS, SAMPLE_TRUTH, SAMPLE_VERDICTS, SAMPLES, home, split_name
from ragdash.core.records import Run, Truth
from ragdash.dashboard.auth import rights
from ragdash.dashboard.jobs import ahead
from ragdash.dashboard.monitoring import warm_up
from ragdash.dashboard.pages.data import corpus_upload, workspace_list
from ragdash.dashboard.session import data_store, file_metrics, read_progress, state
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.widgets import browser_modules
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks.policy import current_policy
from ragdash.models.judge.verdict_store.jsonl import import_verdicts, unpacked
from ragdash.reporting.sentences import formatting as fmt

SAMPLE_READER = "a language model (samples)"
FILES_VARIABLE, TRUTHS_VARIABLE = "RAGDASH_FILES", "RAGDASH_TRUTH"  # set by `ragdash dashboard FILE...`
ROLE_OF_TYPE = {Run: "run", Truth: "truth", Corpus: "corpus"}
PROPOSED = "proposed-reading"  # kind of the problem with readings to choose from
MAX_KEPT_UPLOAD = 64 << 20  # bytes of an upload kept so that its role can be changed


@dataclass(frozen=True)
class CommandLineFile:
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
    its content in a few letters; loaded_as: runs of the session with the same content; is_put_off: whether its proposed
    reading is shown on the Data page alone.
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
    loaded_as: tuple[str, ...] = ()
    is_put_off: bool = False

    @property
    def failed(self) -> bool:
        """Nothing could be read from it."""
        return not self.digests

    @property
    def proposal(self) -> Problem | None:
        """The problem with the readings that are proposed; None where there is none, or one was applied."""
        if self.mapping or self.content is None:
            return None
        return next((problem for problem in self.problems if problem.kind == PROPOSED), None)

    def without_content(self) -> FileRecord:
        """The record without the bytes of the file, unless its columns still have to be given a meaning."""
        waits = self.proposal is not None or (self.failed and self.columns)
        return self if waits else replace(self, content=None)


def take_uploads() -> None:
    """Note the files of the upload field and empty the field; the field calls it when it changes."""
    if not rights.may("upload"):
        return
    if state.lost_uploads(state.uploads_key()):
        state.set_notice([Problem("lost-upload")])
    state.set_pending_files((*state.pending_files(), *state.uploaded_files(state.uploads_key())))
    state.next_uploads()


def read_all() -> None:
    """Read the files noted; runs of a link, or of removed judgments, are measured by what they have themselves."""
    read_waiting()
    if state.truth() is None:
        file_metrics.use_queries_of_runs()


def read_waiting() -> None:
    """Read the files noted, one after another, telling how far it is; one not begun yet is read at the next run."""
    placeholder = st.empty()  # there in every run, so that nothing moves when the bar has gone
    if not state.pending_files():
        return
    browser_modules.fetch_ahead()
    warm_up.import_statistics()
    state.set_files(record.without_content() for record in state.files())
    fresh = 0
    while state.pending_files():
        file, *queue = state.pending_files()
        suffix = f"; {fmt.count(len(queue), 'more file')} after it" if queue else ""
        with read_progress.show_progress(placeholder, file.name, file.size, suffix):
            state.set_pending_files(queue)  # in here nothing interrupts: a file is read and recorded, or still waits
            record, earlier = _read_file(file), state.files()
            if record.failed or record.proposal is not None or not isinstance(file, CommandLineFile):
                state.set_files((*earlier[:fresh], record, *earlier[fresh:]))
                fresh += 1
            _release_upload(file)


def _read_file(file) -> FileRecord:
    """What became of a file that waited: of the command line, or uploaded."""
    if isinstance(file, CommandLineFile):
        return _read_path(file.path, file.label, file.role)
    return _read_upload(file.name, file.getvalue(), None)


def _release_upload(file) -> None:
    """Free the bytes of an upload, which Streamlit would keep for as long as the session lasts."""
    context = get_script_run_ctx(suppress_warning=True)
    if not isinstance(file, CommandLineFile) and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file.file_id)


def change_role(record: FileRecord, role: str) -> None:
    """Read a file again as a run or as a truth; what it gave before leaves the session."""
    _reread(record, role, dict(record.mapping))


def map_columns(record: FileRecord, mapping: Mapping[str, str]) -> None:
    """Read a file again with columns named by hand; what it gave before leaves the session."""
    _reread(record, None, mapping)


def put_off(records: Sequence[FileRecord]) -> None:
    """Show the proposed readings of these files on the Data page alone."""
    positions = {_position(record) for record in records}
    state.set_files(replace(record, is_put_off=record.is_put_off or position in positions)
                    for position, record in enumerate(state.files()))


def _position(record: FileRecord) -> int | None:
    """Where a file that the page showed is now in the list; None where it was taken off since."""
    files = state.files()
    if record in files:
        return files.index(record)
    return next((position for position, other in enumerate(files)
                 if (other.name, other.key) == (record.name, record.key)), None)


def _reread(record: FileRecord, role: str | None, mapping: Mapping[str, str]) -> None:
    index = _position(record)
    if index is None:
        return
    record, baseline = state.files()[index], state.entry(state.get(state.BASELINE) or "")
    for digest in record.digests:
        replace_run(digest)
        corpus_upload.remove(digest)
    reread = _read_upload(record.name, record.content, role, mapping)
    if baseline is not None and (again := [entry for entry in state.runs() if entry.name == baseline.name]):
        st.session_state[state.BASELINE] = again[0].digest  # the same run, read in another way
    state.set_files(reread if position == index else earlier for position, earlier in enumerate(state.files()))


def remove(digest: str) -> None:
    """Take a run, the truth or its documents out of the session."""
    remove_run(digest)
    corpus_upload.remove(digest)


def clear_files() -> None:
    """Clear the list of files; what they gave stays."""
    state.set_files(())


def samples_folder() -> Path | None:
    """Where the ready runs are, None in an installation without them."""
    folder = home() / "sample_runs"
    return folder if (folder / SAMPLE_TRUTH).is_file() else None


def open_samples() -> None:
    """Load the ready runs of dense, sparse and hybrid retrieval with their truth."""
    folder = samples_folder()
    records = [_read_path(folder / name, None, "run") for name in SAMPLES if (folder / name).is_file()]
    records.append(_read_path(folder / SAMPLE_TRUTH, None, "truth"))
    state.set_files((*(record for record in records if record.failed), *state.files()))
    _import_sample_verdicts(folder / SAMPLE_VERDICTS)
    _import_sample_labels(folder / SAMPLE_LABELS)


def _import_sample_verdicts(path: Path) -> None:
    """Take the verdicts on the samples into the ledger; where it cannot be written, it goes without."""
    if data_store.read_only() or not path.is_file():
        return
    try:
        with rights.change("upload", path.name):
            import_verdicts(default_verdict_store(), unpacked(path).splitlines(), str(path))
    except InputError as error:
        state.set_notice(error.problems)


def _import_sample_labels(path: Path) -> None:
    """Take the labels of the samples into the workspace, where nobody labeled them before under a policy or without."""
    if data_store.read_only() or not path.is_file() or current_policy():
        return
    runs = {record.name: digest for digest, record in data_store.sample_records().items() if isinstance(record, Run)}
    try:
        with rights.change("label", path.name):
            store = LabelStore()
            for name, labels in read_labels(path.read_bytes(), str(path))[0].items():
                if name in runs and not store.label_counts(runs[name]):
                    store.add(runs[name], "Correctness", labels, by=SAMPLE_READER)
    except InputError as error:
        state.set_notice(error.problems)


def queue_command_line_files() -> None:
    """Note what the command line named, unless the address already says what to show."""
    if not (state.runs() or state.missing_runs()):
        state.set_pending_files([*(_command_line_file(text, None) for text in paths_in(FILES_VARIABLE)),
                           *(_command_line_file(text, "truth") for text in paths_in(TRUTHS_VARIABLE))])


def paths_in(variable: str) -> list[str]:
    """The paths of a variable: a JSON list, as `ragdash dashboard` writes it."""
    return json.loads(os.environ.get(variable, "[]"))


def _command_line_file(text: str, role: str | None) -> CommandLineFile:
    """A file of the command line, PATH or NAME=PATH."""
    label, path = split_name(text)
    return CommandLineFile(Path(path), label, role)


def _read_upload(name: str, content: bytes, role: str | None, mapping: Mapping[str, str] | None = None) -> FileRecord:
    record = _load_into_session(name, lambda: data_store.read_upload(name, content, role, mapping), None, role)
    record = replace(record, mapping=tuple((mapping or {}).items()))
    workspace_list.save_upload(record.digests, name)
    if len(content) > MAX_KEPT_UPLOAD:
        return record
    record = replace(record, key=data_store.content_key(content)[:8])
    try:
        detected = io.detect((name, content))
    except InputError:
        return replace(record, content=content)  # shown already: reading it found the same
    return replace(record, content=content, columns=detected.columns, guess=tuple(detected.guess.items()))


def _read_path(path: Path, name: str | None, role: str | None) -> FileRecord:
    record = _load_into_session(path.name, lambda: data_store.read_path(path, role), name, role)
    if PROPOSED not in [problem.kind for problem in record.problems] or not path.is_file():
        return record
    content = path.read_bytes()  # a proposed reading needs it
    return record if len(content) > MAX_KEPT_UPLOAD else replace(
        record, content=content, key=data_store.content_key(content)[:8])


def _load_into_session(file: str, load: Callable, name: str | None, role: str | None) -> FileRecord:
    """Load one file and add what it holds to the session; its problems stay with the record."""
    try:
        sniffed, items = load()
    except InputError as error:
        return FileRecord(file, "", role or "unknown", "", problems=error.problems)
    except OSError as error:
        problem = Problem("unreadable-file", {"reason": error.strerror or type(error).__name__}, file)
        return FileRecord(file, "", role or "unknown", "", problems=(problem,))
    if labeled := _labeled_alone(items):
        problem = Problem("labels-as-run", {"runs": labeled}, file)
        return FileRecord(file, "", role or "unknown", "", problems=(problem,))
    digests = {item.digest for item in items if isinstance(item, Run)}
    loaded_as = [entry.name for entry in state.runs() if entry.digest in digests]
    for item in items:
        if isinstance(item, Run):
            LOADED.put(item)
            state.add_run(item.digest, name if name and len(items) == 1 else state.name_with_file(
                item.name, file, alone=len(items) == 1))
        elif isinstance(item, Corpus):
            corpus_upload.attach(item)
        else:
            loaded_truths.add(item)
    loaded_truths.reconsider()
    file_metrics.use_queries_of_runs()
    kinds = {ROLE_OF_TYPE[type(item)] for item in items}
    actual_role = "both" if len(kinds) > 1 else kinds.pop() if kinds else "unknown"
    reason = f"chosen by hand; {sniffed.reason}" if role and role != sniffed.role else sniffed.reason
    reason += f"; the same content is loaded already as {', '.join(loaded_as)}" if loaded_as else ""
    problems = tuple(problem for item in items for problem in item.problems)
    return FileRecord(file, sniffed.format, actual_role, reason, tuple(item.digest for item in items), problems,
                      loaded_as=tuple(loaded_as))


def _labeled_alone(items: Sequence[object]) -> list[str]:
    """The names of a file's runs where it has nothing but labels of runs that are loaded already, else none."""
    runs = [item for item in items if isinstance(item, Run)]
    loaded = {entry.name for entry in state.runs()}
    bare = all(not len(run.docs) and "label" in (run.file_scores.names if run.file_scores else ())
               and (run.details is None or "answer" not in run.details.column_names) for run in runs)
    return [run.name for run in runs] if runs and bare and loaded & {run.name for run in runs} else []


def remove_run(digest: str) -> None:
    """Take a run out of this session; `restore_run` brings back the last one. Links to it go on working."""
    for position, entry in enumerate(state.runs()):
        if digest in (entry.digest, entry.origin):
            is_baseline = entry.digest == state.get(state.BASELINE)
            st.session_state[state.REMOVED_RUN] = (position, entry, is_baseline)
    state.drop_run(digest)
    ahead.forget(digest)


def replace_run(digest: str) -> None:
    """Take a run out of this session whose file is read again in another way; the user removed nothing."""
    before = st.session_state.get(state.REMOVED_RUN)
    remove_run(digest)
    st.session_state[state.REMOVED_RUN] = before


def removed_run() -> SessionRun | None:
    """The run that was removed last; None where it is back, or no longer on the server."""
    _, entry, _ = st.session_state.get(state.REMOVED_RUN) or (0, None, False)
    return entry if entry is not None and entry.run is not None and state.entry(entry.digest) is None else None


def restore_run(digest: str) -> None:
    """Bring back the run that was removed last, if it is this one: to its place, with its name and color, as baseline
    if it was that.
    """
    entry = removed_run()
    if entry is None or entry.digest != digest:
        return
    position, _, is_baseline = st.session_state.pop(state.REMOVED_RUN)
    state.insert_run(entry, position)
    if is_baseline:
        st.session_state[state.BASELINE] = entry.digest
