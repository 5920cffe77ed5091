"""Where files are: those of the dashboard, and those named on a command line."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.text.quoted import printable

PACKAGE = Path(__file__).resolve().parents[1]
SAMPLES = ("dense.jsonl", "sparse.jsonl", "hybrid.jsonl")
SAMPLE_TRUTH = "truth.jsonl"
SAMPLE_VERDICTS = "verdicts.jsonl.gz"  # of a language model
SAMPLE_LABELS = "labels.jsonl"  # of Correctness, by a reader who saw no verdict

MAX_LINKS = 40  # as many as Linux follows
SILENT = 3.0  # seconds that a reader waits without a word


def home() -> Path:
    """The folder that holds app.py, pages/ and sample_runs/: the checkout, or ragdash/_dashboard in a wheel."""
    checkout = PACKAGE.parent
    return checkout if (checkout / "app.py").is_file() and (checkout / "pages").is_dir() else PACKAGE / "_dashboard"


def split_name(text: str) -> tuple[str | None, str]:
    """(name, path) of an argument NAME=path; (None, path) of a plain one, or where a file of that whole name exists.

    Bytes of the name that are not UTF-8 become visible, as in names of files; the path is as it was.

    Examples
    --------
    >>> split_name("bm25=runs/bm25.trec"), split_name("runs/bm25.trec")
    (('bm25', 'runs/bm25.trec'), (None, 'runs/bm25.trec'))
    """
    name, equals, path = text.partition("=")
    if not equals or "/" in name or os.sep in name or os.path.exists(text):
        return None, text
    return name.encode("utf-8", "backslashreplace").decode(), path


def path_of(value: object, field: str = "path") -> Path:
    """The path that a function of Python was given; InputError for what is none.

    Examples
    --------
    >>> path_of("report.html").name
    'report.html'
    """
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text or not _is_writable(text):
        raise InputError([Problem("python-object/path", {"value": represent(value)}, field=field)])
    return Path(text)


def _is_writable(text: str) -> bool:
    """Whether a file can have this name: not one with half a character."""
    try:
        return bool(os.fsencode(text))
    except UnicodeEncodeError:
        return False


def numbered(names: Sequence[str]) -> list[str]:
    """The names, each repetition with a number behind it that makes it differ from all others.

    Examples
    --------
    >>> numbered(["bm25", "dense", "bm25"]), numbered(["bm25", "bm25", "bm25 (2)"])
    (['bm25', 'dense', 'bm25 (2)'], ['bm25', 'bm25 (3)', 'bm25 (2)'])
    """
    taken, result = set(names), dict[str, None]()
    numbers: dict[str, int] = {}  # the last one of each name, so that many equal names take no more time than others
    for name in names:
        number, free = numbers.get(name, 1), name
        while free in result or (number > 1 and free in taken):
            number += 1
            free = f"{name} ({number})"
        numbers[name] = number
        result[free] = None
    return list(result)


def workspace() -> Path:
    """The user's folder for what is to be kept: RAGDASH_WORKSPACE, else where the system keeps a program's data.

    Where RAGDASH_WORKSPACE is the address of a database, the folder of the system has what is not shared.
    """
    named = os.environ.get("RAGDASH_WORKSPACE")
    if named and "://" not in named:
        return Path(named).expanduser()
    user = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or user / "AppData" / "Local") / "ragdash" / "Data"
    if sys.platform == "darwin":
        return user / "Library" / "Application Support" / "ragdash"
    return Path(os.environ.get("XDG_DATA_HOME") or user / ".local" / "share") / "ragdash"


def cache_folder() -> Path:
    """The user's folder for what can be computed again: RAGDASH_CACHE, else where the system keeps such things."""
    if os.environ.get("RAGDASH_CACHE"):
        return Path(os.environ["RAGDASH_CACHE"]).expanduser()
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "ragdash" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ragdash"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "ragdash"


_IN_USE: dict[Path, int] = {}  # the user's workspace, and a descriptor of the folder that this process first found
_OPENING = threading.Lock()


def refuse_moved(folder: Path) -> None:
    """Raise OSError where the user's workspace, or a folder in it, is no longer the one that this process began with.

    What is kept in another folder at the same path would be missing where the rest is. A folder that was deleted is
    forgotten: a new one may take its place.
    """
    try:
        root = workspace()
    except RuntimeError:  # there is no home, so it is not in use
        return
    if os.name != "posix" or (folder != root and root not in folder.parents):
        return
    with _OPENING:
        before = _IN_USE.get(root)
        if before is not None and os.fstat(before).st_nlink:
            if root.is_dir() and os.path.samestat(os.fstat(before), os.stat(root)):
                return
            raise OSError(errno.ESTALE, "the workspace was moved or replaced while it was in use: "
                                        "move it back, or start this program again", str(root))
        for path in list(_IN_USE):
            os.close(_IN_USE.pop(path))
        with suppress(OSError):  # there is none yet, or it must not be listed
            _IN_USE[root] = os.open(root, os.O_RDONLY | os.O_DIRECTORY)


def make_private_folder(folder: Path) -> None:
    """Create a folder and the missing ones above it, for their owner alone. One that exists stays as it is.

    Raises
    ------
    OSError
        If it cannot be created, or the user's workspace was moved.
    """
    refuse_moved(folder)
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)


def open_private(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing bytes ("wb", "ab", "a+b"); one that is created is for its owner alone.

    Raises
    ------
    OSError
        If it cannot be opened.
    """
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))


def refuse_device(path: str | os.PathLike, file: int | None = None) -> None:
    """Raise OSError where an input is a device: /dev/zero never ends. Pipes do, and a file of no bytes is empty.

    file: the number of the input where it is open.
    """
    facts = os.stat(path if file is None else file)
    if (stat.S_ISCHR(facts.st_mode) or stat.S_ISBLK(facts.st_mode)) and facts.st_rdev != os.stat(os.devnull).st_rdev:
        raise OSError(errno.EINVAL, "it is a device, not a file", str(path))


def read_input(path: str | os.PathLike) -> bytes:
    """The content of a file that somebody named; OSError where it cannot be read, or is a device."""
    refuse_device(path)
    with io.BufferedReader(WaitingFile(path)) as file:
        return file.read()


class WaitingFile(io.FileIO):
    """A file that is read. Where it makes the reader wait, as a pipe that nobody writes, standard error says for what.
    """

    def __init__(self, path: str | os.PathLike):
        with _note_of_waiting(path):
            super().__init__(path, "rb")

    def readinto(self, buffer) -> int:
        """Read into a buffer; returns how many bytes."""
        with _note_of_waiting(str(self.name)):
            return super().readinto(buffer)

    def readall(self) -> bytes:
        """Read the rest."""
        with _note_of_waiting(str(self.name)):
            return super().readall()


@contextmanager
def _note_of_waiting(path: str | os.PathLike) -> Iterator[None]:
    """Say what this process waits for, where the block takes longer than `SILENT`."""
    words = f"note: waiting for {printable(os.fspath(path))} (stop with Ctrl+C)"
    timer = threading.Timer(SILENT, lambda: print(words, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def log_folder() -> Path:
    """The folder of recorded runs: RAGDASH_LOG_DIR, else ragdash-logs where the program was started."""
    return Path(os.environ.get("RAGDASH_LOG_DIR") or "ragdash-logs").expanduser()


@contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[Path]:
    """A file to write next to a path, which takes its place when everything is written; else nothing is left of it.

    What is no file, such as a pipe, is written itself, and so is a file that this process has open, as /dev/stdout.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "run.csv") as file:
    ...         size = file.write_bytes(b"q1")
    ...     (Path(folder) / "run.csv").read_bytes()
    b'q1'
    """
    path = Path(path)
    if (number := _descriptor_of(path)) is not None:  # to open it again would begin at the start of the file
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / "content"
            _append(Path(folder) / "content", number)
        return
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        facts = None
    if facts is not None and not stat.S_ISREG(facts.st_mode):  # its folder is none for another file
        with _note_of_waiting(path), _named(path):
            yield path
        return
    path = real_path(path)  # what a link leads to
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    os.close(descriptor)
    try:
        with _named(path):
            yield Path(name)
        os.chmod(name, facts.st_mode & 0o777 if facts else 0o666 & ~_umask())
        os.replace(name, path)
    finally:  # also when stopped
        with suppress(FileNotFoundError):
            os.unlink(name)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Give an OSError without a file, such as that of a full disk, the file that is being written."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or os.fspath(path)
        raise


@contextmanager
def whole_folder(path: str | os.PathLike) -> Iterator[Path]:
    """A folder to fill next to a path, which takes its place when all is written; else nothing is left of it.

    Raises
    ------
    FileExistsError
        The path names a file, or a folder that holds something.
    """
    path = real_path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name[:100]}.") as outer:
        folder = Path(outer) / "content"
        folder.mkdir()
        yield folder
        with suppress(FileNotFoundError):
            path.rmdir()
        folder.rename(path)


def real_path(path: str | os.PathLike) -> Path:
    """The absolute path without links. Links in a circle stay: whatever opens them raises OSError."""
    return Path(os.path.realpath(path))


def _descriptor_of(path: Path) -> int | None:
    """The open file of this process that a path names, such as 1 for /dev/stdout; None for other paths."""
    folders = {Path("/dev/fd"), real_path("/dev/fd"), real_path("/proc/self/fd")}
    for _ in range(MAX_LINKS):
        path = real_path(path.parent) / path.name
        if path.parent in folders and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / os.readlink(path)
    return None


def _append(content: Path, descriptor: int) -> None:
    """Write a file to an open one, behind what is there; what its reader does not take any more is dropped."""
    if sys.stdout is not None:
        sys.stdout.flush()
    with (open(content, "rb") as source, suppress(BrokenPipeError),
          open(descriptor, "wb", buffering=0, closefd=False) as target):
        shutil.copyfileobj(source, target)


def _umask() -> int:
    """What is taken off the rights of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sync_folder(folder: Path) -> None:
    """Have the names of a folder on the disk; nothing where the system has no such thing."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
