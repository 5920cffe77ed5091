"""One process-wide store of what was loaded, by content digest, so that a link opens in another browser.

Sessions hold digests; this store holds the data. It is bounded: beyond `memory_limit()` bytes the least recently used
data is evicted. Data in the workspace on disk is read when it is first needed, also after a restart. A SessionRun is a
run as one session shows it; files are read here as well, once per content.
"""

from __future__ import annotations

import gc
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from ragdash import io
from ragdash.core import paths
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem, is_away
from ragdash.core.ids.normalization import collapsed, with_ids_of
from ragdash.core.ranking.reverse_scores import reverse_scores
from ragdash.core.records import Run, Truth
from ragdash.dashboard.auth import rights
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.memory_limit import memory_limit
from ragdash.evaluation.repeats import digests_of
from ragdash.workspace import Workspace, user_workspace

SHORT = 12  # characters of a digest in links
DEEPEST = 10_000  # rank that pages draw
TRUTH_FIELDS = ("grade", "relevant", "answers", "evidence")
RUN_FIELDS = ("score", "rank", "retrieved", "contexts", "answer")
REVERSED = "reversed-scores"  # in SessionRun.ids
KINDS: dict[type | None, str] = {Run: "run", Truth: "truth"}  # as the workspace calls them
TYPES: dict[str, type] = {"run": Run, "truth": Truth}


_in_use: ContextVar[Mapping[tuple[type, str], Run | Truth]] = ContextVar("in_use", default=MappingProxyType({}))


@contextmanager
def in_use(records: Sequence[Run | Truth]) -> Iterator[None]:
    """Have these records found in this block, in this thread, also where they are taken away or evicted meanwhile."""
    token = _in_use.set({(type(record), record.digest): record for record in records})
    try:
        yield
    finally:
        _in_use.reset(token)


def read_only() -> bool:
    """Whether this visitor may look without upload or change: nobody may change a server that is read-only, and where
    there is a login its editors and admins alone may."""
    return not rights.may("change-stored")


def workspace() -> Workspace:
    """Where this server keeps what is uploaded: a folder, or a database that it shares."""
    return user_workspace(read_only())


class DataStore:
    """Runs, truths and their documents by digest. Every method may be called from any thread.

    fallback: gives the workspace, where records that are not in memory are found. samples: gives the sample runs and
    their truth by digest, so that a link to them opens on a server where nobody has opened them yet.
    """

    def __init__(self, limit: int | None = None, fallback: Callable[[], Workspace] | None = None,
                 samples: Callable[[], Mapping[str, Run | Truth]] = dict):
        self._samples = samples
        self.limit, self.behind = memory_limit() if limit is None else limit, fallback
        self._records: OrderedDict[tuple[type, str], Run | Truth | Corpus] = OrderedDict()
        self._weights: dict[tuple[type, str], int] = {}
        self._lock = threading.RLock()
        self.unreachable: tuple[Problem, ...] = ()  # why the workspace could not be read last; () once it was

    def put(self, record: Run | Truth | Corpus) -> str:
        """Keep a run, a truth or a corpus; returns its digest. What is there already stays as it is.

        A run that was made from judgments, with the grades as scores, has the digest of these: both are kept.
        """
        with self._lock:
            key = (type(record), record.digest)
            if key not in self._records:
                self._records[key], self._weights[key] = record, weight(record)
                self._let_go()
            self._records.move_to_end(key)
            return record.digest

    def get(self, digest: str, kind: type | None = None) -> Run | Truth | Corpus | None:
        """The run, truth or corpus whose digest starts with this text (at least SHORT characters), or None.

        kind: Run, Truth or Corpus; None: any of them.

        None too if the workspace cannot read it; the Data page says why.
        """
        try:
            return self.load(digest, kind)
        except InputError as error:
            if is_away(error):
                self.unreachable = tuple(error.problems)
            return None

    def load(self, digest: str, kind: type | None = None) -> Run | Truth | Corpus | None:
        """The same, with InputError where the workspace has it and cannot read it."""
        if len(digest) < SHORT:
            return None
        records = _in_use.get()
        for name in (Run, Truth):
            if kind in (None, name) and (name, digest) in records:
                return records[name, digest]
        with self._lock:
            known = next((key for name in (Run, Truth, Corpus) if (key := (name, digest)) in self._records
                          and kind in (None, name)), None) or next(
                (key for key in self._records if key[1].startswith(digest) and kind in (None, key[0])), None)
            if known is not None:
                self._records.move_to_end(known)
                return self._records[known]
        entry = self.behind and (home := self.behind()).find(digest, KINDS.get(kind))
        if not entry:
            sample = next((record for key, record in self._samples().items()
                           if key.startswith(digest) and (kind is None or isinstance(record, kind))), None)
            return None if sample is None else self._held_now(sample)
        record = home.load_run(entry.digest) if entry.kind == "run" else home.load_truth(entry.digest)
        self.unreachable = ()
        return self._held_now(record)

    def _held_now(self, record: Run | Truth) -> Run | Truth:
        with self._lock:
            self.put(record)
            return self._records[(type(record), record.digest)]

    def run(self, digest: str) -> Run | None:
        """The run of that digest, None where it is not held."""
        record = self.get(digest, Run)
        return record if isinstance(record, Run) else None

    def truth(self, digest: str) -> Truth | None:
        """The truth of that digest, None where it is not held."""
        record = self.get(digest, Truth)
        return record if isinstance(record, Truth) else None

    def corpus(self, digest: str) -> Corpus | None:
        """The documents of that digest, None where they are not held."""
        record = self.get(digest, Corpus)
        return record if isinstance(record, Corpus) else None

    def __len__(self) -> int:
        with self._lock:
            return len(self._records)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._records.clear()
            self._weights.clear()
            self.unreachable = ()

    def _let_go(self) -> None:
        while sum(self._weights.values()) > self.limit and len(self._records) > 1:
            key, _ = self._records.popitem(last=False)
            del self._weights[key]


def weight(thing: Run | Truth | Corpus) -> int:
    """About how many bytes it holds; meanwhile another thread may compute a property that it then holds, too."""
    return sum(int(getattr(value, "nbytes", 0) or 0) for value in tuple(vars(thing).values()))


@cache
def sample_records() -> dict[str, Run | Truth]:
    """The sample runs and their truth by digest; empty in an installation without them."""
    folder = paths.home() / "sample_runs"
    if not (folder / paths.SAMPLE_TRUTH).is_file():
        return {}
    runs = [io.read_run(folder / name) for name in paths.SAMPLES if (folder / name).is_file()]
    records: list[Run | Truth] = [*runs, io.read_truth(folder / paths.SAMPLE_TRUTH)]
    return {record.digest: record for record in records}


LOADED = DataStore(fallback=workspace, samples=sample_records)

_frozen_at = -1


def freeze() -> None:
    """Take what was loaded out of the garbage collector's rounds, which would look at all of it again and again."""
    global _frozen_at
    if _frozen_at != len(LOADED):
        _frozen_at = len(LOADED)
        gc.collect()
        gc.freeze()


def read_upload(name: str, content: bytes, role: str | None,
                mapping: Mapping[str, str] | None = None) -> tuple[io.DetectedFormat, tuple[Run | Truth | Corpus, ...]]:
    """What an uploaded file holds; role "run", "truth", "both" or "corpus" overrides what its content says.

    mapping: {our field: their column}. Raises InputError.
    """
    return _read(content_key(content), name, role, tuple((mapping or {}).items()), _source=(name, content))


def read_path(path: str | Path, role: str | None = None) -> tuple[io.DetectedFormat, tuple[Run | Truth | Corpus, ...]]:
    """The same for a file of this machine, read again when it has changed."""
    facts = Path(path).stat()
    return _read(f"{path}|{facts.st_mtime_ns}|{facts.st_size}", Path(path).name, role, (), _source=Path(path))


def content_key(content: bytes) -> str:
    """Content in a few letters."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@shared(max_entries=32)
def _read(key: str, name: str, role: str | None, mapping: tuple[tuple[str, str], ...],
          _source) -> tuple[io.DetectedFormat, tuple[Run | Truth | Corpus, ...]]:
    by_hand = dict(mapping)
    sniffed = io.detect(_source, mapping=by_hand)
    role = role or sniffed.role
    if role == "unknown" and not by_hand.keys().isdisjoint(TRUTH_FIELDS) and by_hand.keys().isdisjoint(RUN_FIELDS):
        role = "truth"
    if role == "corpus":
        return sniffed, (io.read_corpus(_source, mapping=by_hand),)
    truth = (io.read_truth(_source, mapping=by_hand),) if role in ("truth", "both") else ()
    return sniffed, truth + (() if role == "truth" else tuple(io.read_runs(_source, mapping=by_hand)))


@dataclass(frozen=True)
class SessionRun:
    """Content, the name it goes by, the slot that fixes its color, and how it was fixed.

    origin: digest of the run as it was loaded, empty where it was not fixed; ids, collapse: the fixes in force, as
    on the command line.
    """

    digest: str
    name: str
    slot: int
    origin: str = ""
    ids: str = ""
    collapse: str = ""

    @property
    def run(self) -> Run | None:
        """The run itself, None where the server has unloaded it."""
        return LOADED.run(self.digest)

    @property
    def loaded(self) -> str:
        """Digest of the run as it was loaded."""
        return self.origin or self.digest

    @property
    def key(self) -> str:
        """What the entry's widgets are called by: the same before and after a fix."""
        return self.loaded[:8]

    @property
    def fixes(self) -> tuple[tuple[str, str], ...]:
        """The fixes in force, in the order in which they are applied."""
        words = self.ids.split(",")
        ids = ",".join(word for word in words if word != REVERSED)
        reverse = "reverse" if REVERSED in words else ""
        return tuple((name, word) for name, word in (("scores", reverse), ("collapse", self.collapse), ("ids", ids))
                     if word)

    @property
    def token(self) -> str:
        """The entry in a link."""
        fixed = f"~{self.origin[:SHORT]}~{self.ids}~{self.collapse.encode().hex()}" if self.origin else ""
        return f"{self.digest[:SHORT]}{fixed}.{self.slot}.{self.name}"


def parse_run_token(token: str, truth: str = "") -> SessionRun | str:
    """The entry of a link, or its name where the server does not hold the run.

    truth: digest of the link's truth; a fixed run that is not held any more is made anew of the loaded one.
    """
    content, _, slot_and_name = token.partition(".")
    slot, _, name = slot_and_name.partition(".")
    digest, *fixes = content.split("~")
    origin, ids, collapse_by = (
        (LOADED.run(fixes[0]), fixes[1], _text(fixes[2])) if len(fixes) == 3 else (None, "", None)
    )
    run = LOADED.run(digest)
    if run is None and origin is not None and collapse_by is not None:
        run = _fixed_again(origin, LOADED.truth(truth), ids, collapse_by, digest)
    if run is None:
        return name or digest
    entry = (run.digest, name or run.name, int(slot) if slot.isdecimal() and len(slot) < 4 else 0)
    return (
        SessionRun(*entry)
        if origin is None or collapse_by is None
        else SessionRun(*entry, origin.digest, ids, collapse_by)
    )


def fixed_run(run: Run, truth: Truth | None, ids: str, collapse_by: str) -> Run:
    """The run with its scores reversed, its chunks collapsed and its ids written as in the truth, in this order.

    ids: spellings, and REVERSED where the scores are reversed. Raises InputError.
    """
    if REVERSED in ids.split(","):
        run, ids = reverse_scores(run), ",".join(word for word in ids.split(",") if word != REVERSED)
    run = collapsed(run, collapse_by) if collapse_by else run
    return with_ids_of(run, truth, ids) if ids and truth is not None else run


def _fixed_again(origin: Run, truth: Truth | None, ids: str, collapse_by: str, digest: str) -> Run | None:
    """The fixed run of this digest, None where the fixes give another one now."""
    with suppress(InputError):
        run = fixed_run(origin, truth, ids, collapse_by)
        if len(digest) >= SHORT and run.digest.startswith(digest):
            LOADED.put(run)
            return run
    return None


def _text(code: str) -> str | None:
    """Text of its bytes in hexadecimal digits, None where they are none."""
    with suppress(ValueError):
        return bytes.fromhex(code).decode()
    return None


def deepest_rank(digests: Sequence[str]) -> int:
    """The deepest rank of runs and of their repeats."""
    return max(1, min(DEEPEST, max(LOADED.run(repeat).depth for digest in digests for repeat in digests_of(digest))))
