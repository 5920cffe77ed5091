"""One process-wide store of what was loaded, by content digest, so that a link opens in another browser.

Sessions hold digests; this store holds the data. It is bounded: beyond LIMIT bytes the data used longest ago is let go.
What the workspace on disk keeps is read when it is first asked for, after a restart too.
"""

from __future__ import annotations

import gc
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from ragdash.core import paths
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.dashboard.auth import roles
from ragdash.workspace import Workspace

LIMIT = 8 << 30
SHORT = 12  # characters of a digest in links


READ_ONLY = "RAGDASH_READ_ONLY"  # set by `ragdash dashboard --read-only`


def read_only() -> bool:
    """Whether this visitor may look without upload or change: nobody may change a server that is read-only, and where
    there is a login its editors alone may."""
    return bool(os.environ.get(READ_ONLY)) or not roles.may_change()


def check_writable() -> None:
    """Raise InputError where that is so: a page that was tampered with can ask for what it does not offer."""
    if read_only():
        raise InputError([Problem("read-only-workspace")])


def workspace() -> Workspace:
    """The folder in which this server keeps what is uploaded."""
    return Workspace(paths.workspace(), read_only())


class Store:
    """Runs, truths and their documents by digest. Every method may be called from any thread.

    behind: gives the workspace where what is not held is looked for.
    """

    def __init__(self, limit: int = LIMIT, behind: Callable[[], Workspace] | None = None):
        self.limit, self.behind = limit, behind
        self._held: OrderedDict[str, Run | Truth | Corpus] = OrderedDict()
        self._lock = threading.RLock()

    def put(self, thing: Run | Truth | Corpus) -> str:
        """Keep a run, a truth or a corpus; returns its digest. What is there already stays as it is."""
        with self._lock:
            self._held.setdefault(thing.digest, thing)
            self._held.move_to_end(thing.digest)
            self._let_go()
            return thing.digest

    def get(self, digest: str) -> Run | Truth | Corpus | None:
        """The run, truth or corpus whose digest starts with this text (at least SHORT characters), or None.

        None too where the workspace cannot read it; the Runs page tells why.
        """
        with suppress(InputError):
            return self.load(digest)

    def load(self, digest: str) -> Run | Truth | Corpus | None:
        """The same, with InputError where the workspace has it and cannot read it."""
        if len(digest) < SHORT:
            return None
        with self._lock:
            found = (
                digest if digest in self._held else next((key for key in self._held if key.startswith(digest)), None)
            )
            if found is not None:
                self._held.move_to_end(found)
                return self._held[found]
        kept = self.behind and (home := self.behind()).find(digest)
        if not kept:
            return None
        thing = home.load_run(kept.digest) if kept.kind == "run" else home.load_truth(kept.digest)
        return self._held_now(thing)

    def _held_now(self, thing: Run | Truth) -> Run | Truth:
        with self._lock:
            self.put(thing)
            return self._held[thing.digest]

    def run(self, digest: str) -> Run | None:
        """The run of that digest, None where it is not held (or is a truth)."""
        thing = self.get(digest)
        return thing if isinstance(thing, Run) else None

    def truth(self, digest: str) -> Truth | None:
        """The truth of that digest, None where it is not held (or is a run)."""
        thing = self.get(digest)
        return thing if isinstance(thing, Truth) else None

    def corpus(self, digest: str) -> Corpus | None:
        """The documents of that digest, None where they are not held."""
        thing = self.get(digest)
        return thing if isinstance(thing, Corpus) else None

    def __len__(self) -> int:
        with self._lock:
            return len(self._held)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._held.clear()

    def _let_go(self) -> None:
        sizes = [weight(thing) for thing in self._held.values()]
        total = sum(sizes)
        while total > self.limit and len(self._held) > 1:
            self._held.popitem(last=False)
            total -= sizes.pop(0)


def weight(thing: Run | Truth | Corpus) -> int:
    """About how many bytes it holds."""
    return sum(int(getattr(part, "nbytes", 0) or 0) for part in vars(thing).values())


LOADED = Store(behind=workspace)

_frozen_at = -1


def freeze() -> None:
    """Take what was loaded out of the garbage collector's rounds: Streamlit starts one after every script run."""
    global _frozen_at
    if _frozen_at != len(LOADED):
        _frozen_at = len(LOADED)
        gc.collect()
        gc.freeze()
