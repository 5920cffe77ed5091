"""Versions of a truth: judgments that were made of others, such as those that follow documents to their new ids."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth

KEY = "truth-version/"  # of the catalogue, and the digest of the version's judgments


@dataclass(frozen=True)
class TruthVersion:
    """Judgments and those that they were made of.

    Parameters
    ----------
    digest, judged_digest
        Digests of the version: with its documents, and of the judgments alone.
    parent, parent_judged
        The same of the truth that it was made of.
    name, parent_name
        What they are called.
    made
        When, in UTC: "2026-11-22 09:30".
    counts
        Judged documents by kind of link ("moved": 12), changed judgments and dropped ones.
    """

    digest: str
    judged_digest: str
    parent: str
    parent_judged: str
    name: str
    parent_name: str
    made: str
    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, truth: Truth, parent: Truth, counts: Mapping[str, int]) -> TruthVersion:
        """The version that this truth is of its parent, made now."""
        return cls(truth.digest, truth.judged_digest, parent.digest, parent.judged_digest, truth.name, parent.name,
                   datetime.now(UTC).strftime("%Y-%m-%d %H:%M"), dict(counts))

    def as_json(self) -> str:
        """The version as the catalogue keeps it."""
        return json.dumps(asdict(self), ensure_ascii=False)


def version_of_json(text: str) -> TruthVersion:
    """The version of the text that `as_json` gives; InputError for another one."""
    try:
        values = json.loads(text)
        counts, texts = dict(values.pop("counts")), TruthVersion(**values)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise InputError([Problem("damaged-truth-version", {"reason": f"{type(error).__name__}: {error}"})]) from None
    if not all(isinstance(value, str) for value in values.values()) or not all(
        isinstance(count, int) for count in counts.values()
    ):
        raise InputError([Problem("damaged-truth-version", {"reason": "a value of the wrong kind"})])
    return replace(texts, counts=counts)


def family(versions: Iterable[TruthVersion], judged_digest: str) -> list[TruthVersion]:
    """All versions that have the same first truth as these judgments, in the order in which they were made.

    Examples
    --------
    >>> def version(name: str, parent: str) -> TruthVersion:
    ...     return TruthVersion(name, name, parent, parent, name, parent, "2026-11-22 09:30")
    >>> versions = [version("b", "a"), version("c", "b"), version("y", "x")]
    >>> [member.name for member in family(versions, "c")]
    ['b', 'c']
    """
    by_digest = {version.judged_digest: version for version in versions}

    def first(digest: str) -> str:
        seen = set()
        while digest in by_digest and digest not in seen:
            seen.add(digest)
            digest = by_digest[digest].parent_judged
        return digest

    root = first(judged_digest)
    return sorted((version for version in by_digest.values() if first(version.judged_digest) == root),
                  key=lambda version: version.made)
