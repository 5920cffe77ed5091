"""The detected format of a file: its name, its role and its columns."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class DetectedFormat:
    """What a file seems to be.

    Parameters
    ----------
    format
        The name of a format in `ragdash.io.FORMATS`, or "unknown".
    role
        run, truth, both (a run and the truth in the same rows), corpus (documents with their texts) or unknown.
    reason
        Why, in words.
    columns
        The columns or fields that were seen.
    guess
        {our field: the column taken for it}.
    compression
        gzip, bzip2, zstd or None.
    """

    format: str
    role: str
    reason: str
    columns: tuple[str, ...] = ()
    guess: dict[str, str] = field(default_factory=dict)
    compression: str | None = None
