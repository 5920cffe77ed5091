"""A run as a session sees it, and how it is written in a link."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from ragdash.core.errors import InputError
from ragdash.core.id_normalization import collapsed, with_ids_of
from ragdash.core.records import Run, Truth
from ragdash.dashboard.session.data_store import LOADED, SHORT


@dataclass(frozen=True)
class Entry:
    """Content, the name it goes by, the slot that fixes its colour, and how it was fixed.

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
        return tuple((name, word) for name, word in (("collapse", self.collapse), ("ids", self.ids)) if word)

    @property
    def token(self) -> str:
        """The entry in a link."""
        fixed = f"~{self.origin[:SHORT]}~{self.ids}~{self.collapse.encode().hex()}" if self.origin else ""
        return f"{self.digest[:SHORT]}{fixed}.{self.slot}.{self.name}"


def parse(token: str, truth: str = "") -> Entry | str:
    """The entry of a link, or its name where the server does not hold the run.

    truth: digest of the link's truth; a fixed run that is not held any more is made anew of the loaded one.
    """
    content, _, rest = token.partition(".")
    slot, _, name = rest.partition(".")
    digest, *fixes = content.split("~")
    origin, ids, by = (LOADED.run(fixes[0]), fixes[1], _text(fixes[2])) if len(fixes) == 3 else (None, "", None)
    run = LOADED.run(digest)
    if run is None and origin is not None and by is not None:
        run = _anew(origin, LOADED.truth(truth), ids, by, digest)
    if run is None:
        return name or digest
    entry = (run.digest, name or run.name, int(slot) if slot.isdecimal() and len(slot) < 4 else 0)
    return Entry(*entry) if origin is None or by is None else Entry(*entry, origin.digest, ids, by)


def fixed(run: Run, truth: Truth | None, ids: str, by: str) -> Run:
    """The run with its chunks collapsed and its ids written as in the truth, in this order. Raises InputError."""
    run = collapsed(run, by) if by else run
    return with_ids_of(run, truth, ids) if ids and truth is not None else run


def _anew(origin: Run, truth: Truth | None, ids: str, by: str, digest: str) -> Run | None:
    """The fixed run of this digest, None where the fixes give another one now."""
    with suppress(InputError):
        run = fixed(origin, truth, ids, by)
        if len(digest) >= SHORT and run.digest.startswith(digest):
            LOADED.put(run)
            return run
    return None


def _text(code: str) -> str | None:
    """Text of its bytes in hexadecimal digits, None where they are none."""
    with suppress(ValueError):
        return bytes.fromhex(code).decode()
    return None
