"""Values per query as blobs next to the runs: another server, or this one after a restart, reads them.

    values/RUN/KEY             one array of float64; KEY: digest of everything else that the values depend on

They are a cache: what is missing, damaged or deleted is computed again. Those of a run go with it. One run has at most
MOST arrays and MOST_BYTES; beyond, the run begins anew.
"""

from __future__ import annotations

import hashlib
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock

import numpy as np
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.folder_blobs import FolderBlobs
from ragdash.core.storage.protocols import Blobs

FOLDER = "values"
MOST, MOST_BYTES = 2_000, 128 << 20  # arrays of a run, and bytes of them before compression
FRESH = 60.0  # seconds that the list of a run's arrays is believed
SLOW = 1.0  # seconds of a request from which on computing is quicker than reading
AT_ONCE = 4  # arrays read at the same time from a store that answers slowly
_MARK, _CODEC = b"ragdval1", "zstd"
_HEAD = struct.Struct("<8s32sQ")  # mark, digest, rows


def value_key(*parts: object) -> str:
    """The name of an array by everything that its values depend on besides the run.

    Examples
    --------
    >>> value_key("truth", "mean", 10) == value_key("truth", "mean", 10), len(value_key("truth"))
    (True, 40)
    """
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


class KeptValues:
    """The arrays of all runs of a workspace. Threads and servers may share them.

    Parameters
    ----------
    blobs
        Where they are.
    project
        Begins their names; "" for a folder, which has one project.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     values = KeptValues(FolderBlobs(Path(folder)))
    ...     values.keep("run", {"key": np.array([0.5, np.nan])})
    ...     values.read("run", ["key", "other"])
    {'key': array([0.5, nan])}
    """

    def __init__(self, blobs: Blobs, project: str = ""):
        self._blobs, self._project = blobs, f"{project}/" if project else ""
        self._listed: dict[str, tuple[float, set[str]]] = {}
        self._damaged: dict[str, str] = {}
        self._away_until = float("-inf")
        self._lock = Lock()

    def read(self, run: str, keys: Sequence[str], *, newest: bool = False) -> dict[str, np.ndarray]:
        """Those of these arrays that are kept; a damaged one is removed, and `problems` says so.

        Empty where the store cannot be asked, and for a while after, also after it was slow: then all is computed.
        newest: also what another server kept a moment ago; each array is asked for.
        """
        if time.monotonic() < self._away_until:
            return {}
        try:
            there = keys if newest else self._keys_of(run)
            wanted = [key for key in keys if key in there and time.monotonic() >= self._away_until]
            if isinstance(self._blobs, FolderBlobs) or len(wanted) < 2:
                arrays = [self._array(run, key) for key in wanted]
            else:
                with ThreadPoolExecutor(AT_ONCE) as pool:
                    arrays = list(pool.map(lambda key: self._array(run, key), wanted))
        except InputError:
            self._away_until = time.monotonic() + FRESH
            return {}
        return {key: array for key, array in zip(wanted, arrays, strict=True) if array is not None}

    def keep(self, run: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep arrays of float64 with one dimension; one that is there already stays. Raises InputError."""
        there = self._keys_of(run)
        for key, array in arrays.items():
            if len(there) >= max(1, min(MOST, MOST_BYTES // max(array.nbytes, 1))):
                self.discard(run)
                there = self._keys_of(run)
            with suppress(FileExistsError):
                self._blobs.put(self._name(run, key), _content(self._name(run, key), array))
            with self._lock:
                there.add(key)

    def discard(self, run: str) -> None:
        """Delete all arrays of a run. Raises InputError."""
        with self._lock:
            self._listed.pop(run, None)
        self._blobs.delete(self._blobs.names(self._name(run, "").rstrip("/")))

    def problems(self) -> tuple[Problem, ...]:
        """What people should know: arrays that were damaged since this server started."""
        with self._lock:
            damaged = dict(self._damaged)
        if not damaged:
            return ()
        name, reason = next(iter(damaged.items()))
        return (Problem("broken-values", {"count": len(damaged), "reason": reason}, f"{self._blobs.location}/{name}"),)

    def _keys_of(self, run: str) -> set[str]:
        """The arrays that a run has, listed once in a while: a store that answers slowly is not asked for each."""
        with self._lock:
            listed, keys = self._listed.get(run, (float("-inf"), set()))
            if time.monotonic() - listed < FRESH:
                return keys
        prefix = self._name(run, "")
        with self._timed():
            keys = {name[len(prefix):] for name in self._blobs.names(prefix.rstrip("/"))}
        with self._lock:
            self._listed[run] = (time.monotonic(), keys)
        return keys

    def _array(self, run: str, key: str) -> np.ndarray | None:
        name = self._name(run, key)
        try:
            with self._timed():
                content = self._blobs.get(name)
            return _array_of(name, content)
        except FileNotFoundError:  # another server has discarded it
            return None
        except (ValueError, pa.ArrowException) as error:
            with self._lock:
                self._damaged[name] = str(error)
                self._listed.pop(run, None)
            with suppress(InputError):  # a read-only store keeps it; it is never used
                self._blobs.delete([name])
            return None

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Measure a request; after a slow one nothing is read for a while. A folder is slow where the machine is busy,
        and computing would be slower still.
        """
        started = time.monotonic()
        try:
            yield
        finally:
            if time.monotonic() - started > SLOW and type(self._blobs) is not FolderBlobs:
                self._away_until = time.monotonic() + FRESH

    def _name(self, run: str, key: str) -> str:
        return f"{self._project}{FOLDER}/{run}/{key}"


def _content(name: str, array: np.ndarray) -> bytes:
    raw = np.ascontiguousarray(array, "<f8").tobytes()
    body = pa.compress(raw, _CODEC, asbytes=True) if raw else b""
    return _HEAD.pack(_MARK, _digest(name, len(array), body), len(array)) + body


def _array_of(name: str, content: bytes) -> np.ndarray:
    """The array of a content. ValueError where it is another than was written under this name."""
    if len(content) < _HEAD.size:
        raise ValueError("it is cut off")
    mark, digest, rows = _HEAD.unpack_from(content)
    body = content[_HEAD.size:]
    if mark != _MARK or digest != _digest(name, rows, body):
        raise ValueError("its content is another")
    raw = pa.decompress(body, decompressed_size=rows * 8, codec=_CODEC) if rows else b""
    array = np.frombuffer(raw, "<f8")
    array.setflags(write=False)
    return array


def _digest(name: str, rows: int, body: bytes) -> bytes:
    return hashlib.blake2b(b"\0".join((name.encode(), str(rows).encode(), body)), digest_size=32).digest()
