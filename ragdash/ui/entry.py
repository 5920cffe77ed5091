"""A run as a session sees it, and how it is written in a link."""

from __future__ import annotations

from dataclasses import dataclass

from ragdash.ui.store import LOADED, SHORT


@dataclass(frozen=True)
class Entry:
    """Content, the name it goes by, the slot that fixes its colour, and how it was mended.

    origin: digest of the run as it was loaded, empty where it was not mended; ids, collapse: the mends in force, as
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
        """What the entry's widgets are called by: the same before and after a mend."""
        return self.loaded[:8]

    @property
    def mends(self) -> tuple[tuple[str, str], ...]:
        """The mends in force, in the order in which they are applied."""
        return tuple((name, word) for name, word in (("collapse", self.collapse), ("ids", self.ids)) if word)

    @property
    def token(self) -> str:
        """The entry in a link."""
        mended = f"~{self.origin[:SHORT]}~{self.ids}~{self.collapse.encode().hex()}" if self.origin else ""
        return f"{self.digest[:SHORT]}{mended}.{self.slot}.{self.name}"


def parse(token: str) -> Entry | str:
    """The entry of a link, or its name where the server does not hold the run."""
    content, _, rest = token.partition(".")
    slot, _, name = rest.partition(".")
    digest, *mended = content.split("~")
    run = LOADED.run(digest)
    if run is None:
        return name or digest
    entry = (run.digest, name or run.name, int(slot) if slot.isdecimal() and len(slot) < 4 else 0)
    if len(mended) != 3 or LOADED.run(mended[0]) is None:
        return Entry(*entry)
    try:
        return Entry(*entry, LOADED.run(mended[0]).digest, mended[1], bytes.fromhex(mended[2]).decode())
    except ValueError:
        return Entry(*entry)
