"""What `ragdash.io` calls: read a file as an accepted reading says, and offer readings where a known format fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.proposals.build import read_content
from ragdash.io.proposals.offer import with_proposals
from ragdash.io.proposals.reading import OTHER_NAMES, RECORDS, ROLE, ROLES, is_reading
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

__all__ = ["describe", "is_reading", "offered", "read_runs", "read_truth"]
FORMAT = "proposed"


@contextmanager
def offered(source: Source) -> Iterator[None]:
    """Add the readings that would work to an InputError."""
    try:
        yield
    except InputError as error:
        raise with_proposals(source, error) from None


def mapping_of(source: Source) -> dict[str, str]:
    """The mapping of a source under our names, with its role."""
    mapping = {OTHER_NAMES.get(name, name): path for name, path in source.mapping.items()}
    role = mapping.setdefault(ROLE, "both")
    if role not in ROLES:
        source.fail("unknown-role", {"role": role, "roles": list(ROLES)})
    return mapping


def describe(source: Source) -> DetectedFormat:
    """The format of a file that is read as a reading says."""
    mapping = mapping_of(source)
    role = "truth" if mapping[ROLE] == "questions" else mapping[ROLE]
    fields = {name: path for name, path in mapping.items() if name not in (ROLE, RECORDS)}
    return DetectedFormat(FORMAT, role, "read as its options say", source.compression.name if source.compression
                          else None, tuple(fields.values()), fields)


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a file under the source's mapping."""
    content = read_content(source, mapping_of(source))
    if not content.runs:
        fail_truth_as_run(source, f"its role is {source.mapping.get(ROLE)}")
    if name is None:
        return content.runs
    return [run.renamed(name if len(content.runs) == 1 else f"{name}/{run.name}") for run in content.runs]


def read_truth(source: Source) -> Truth:
    """The truth of a file under the source's mapping."""
    content = read_content(source, mapping_of(source))
    if content.truth is None:
        fail_run_as_truth(source, f"its role is {source.mapping.get(ROLE)}")
    return content.truth
