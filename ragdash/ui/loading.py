"""From files to the session: uploads, samples, the command line. A wrong file never loses what is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ragdash.errors import InputError, Problem
from ragdash.places import SAMPLE_TRUTH, SAMPLES, home, named
from ragdash.records import Run
from ragdash.ui import cache, state
from ragdash.ui.store import LOADED

FILES, TRUTHS = "RAGDASH_FILES", "RAGDASH_TRUTH"  # set by `ragdash dashboard FILE...`
KEPT = 64 << 20  # bytes of an upload kept so that its role can be changed


@dataclass(frozen=True)
class FileRecord:
    """What became of one file: how it was read and why, what it gave (digests), what was wrong.

    content is None where the file was not uploaded or is too large to keep; its role then stays as it is.
    """

    name: str
    format: str
    role: str
    reason: str
    digests: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    content: bytes | None = None

    @property
    def failed(self) -> bool:
        """Nothing could be read from it."""
        return not self.digests


def take_uploads() -> None:
    """Read the files of the upload field into the session and empty the field; the field calls it when it changes."""
    records = [_upload(file.name, file.getvalue(), None) for file in state.get(state.uploads_key()) or ()]
    state.set_files((*records, *(replace(record, content=None) for record in state.files())))
    state.next_uploads()


def change_role(index: int, role: str) -> None:
    """Read a file again as a run or as a truth; what it gave before leaves the session."""
    record = state.files()[index]
    for digest in record.digests:
        drop(digest)
    again = _upload(record.name, record.content, role)
    state.set_files(again if at == index else other for at, other in enumerate(state.files()))


def drop(digest: str) -> None:
    """Take a run or the truth out of the session."""
    state.remove_run(digest)
    if state.truth() == digest:
        state.set_truth(None)


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


def open_given_files() -> None:
    """Load what the command line named, unless the address already says what to show."""
    if state.runs() or state.lost():
        return
    records = [_given(text, None) for text in _listed(FILES)] + [_given(text, "truth") for text in _listed(TRUTHS)]
    state.set_files(record for record in records if record.failed)


def _listed(variable: str) -> list[str]:
    return [part for part in os.environ.get(variable, "").split(os.pathsep) if part]


def _given(text: str, role: str | None) -> FileRecord:
    """A file of the command line, PATH or NAME=PATH."""
    name, path = named(text)
    return _path(Path(path), name, role)


def _upload(name: str, content: bytes, role: str | None) -> FileRecord:
    record = _read(name, lambda: cache.load(name, content, role), None, role)
    return replace(record, content=content if len(content) <= KEPT else None)


def _path(path: Path, name: str | None, role: str | None) -> FileRecord:
    return _read(path.name, lambda: cache.load_path(path, role), name, role)


def _read(file: str, load: Callable, name: str | None, role: str | None) -> FileRecord:
    """Load one file and add what it holds to the session; its problems stay with the record."""
    try:
        sniffed, things = load()
    except InputError as error:
        return FileRecord(file, "", role or "unknown", "", problems=error.problems)
    except OSError as error:
        problem = Problem(
            "unreadable-file",
            error.strerror or type(error).__name__,
            "a file that can be read",
            "Check the path and its permissions.",
            file,
        )
        return FileRecord(file, "", role or "unknown", "", problems=(problem,))
    again = [entry.name for entry in state.runs() if entry.digest in {thing.digest for thing in things}]
    for thing in things:
        LOADED.put(thing)
        if isinstance(thing, Run):
            state.add_run(thing.digest, name if name and len(things) == 1 else thing.name)
        else:
            state.set_truth(thing.digest)
    found = "run" if things and isinstance(things[0], Run) else "truth"
    reason = f"chosen by hand; {sniffed.reason}" if role and role != sniffed.role else sniffed.reason
    reason += f"; the same content is loaded already as {', '.join(again)}" if again else ""
    problems = tuple(problem for thing in things for problem in thing.problems)
    return FileRecord(file, sniffed.format, found, reason, tuple(thing.digest for thing in things), problems)
