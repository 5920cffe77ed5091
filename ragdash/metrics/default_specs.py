"""What is computed unless metrics are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.metrics.from_file import counterpart, default_file_specs
from ragdash.metrics.registry import Spec
from ragdash.metrics.spelling import parse_spec, parse_specs

DEFAULT_SPECS = parse_specs("nDCG@10 R@10 P@5 RR AP Success@10")


def default_specs(runs: Iterable[Run], truth: Truth, directions: Mapping[str, str] | None = None) -> tuple[Spec, ...]:
    """What is computed unless metrics are chosen: DEFAULT_SPECS, and the metrics in the files of the runs.

    A metric that a file and ragdash both have is next to its counterpart; without judgments there is none.
    """
    from_files = default_file_specs(runs, directions)
    if not from_files or not truth.judgments:
        return from_files or DEFAULT_SPECS
    pairs = ((spec, counterpart(spec, read_spec)) for spec in from_files)
    return tuple(dict.fromkeys([*DEFAULT_SPECS, *(spec for pair in pairs for spec in pair if spec is not None)]))


def read_spec(name: str) -> Spec | None:
    """The Spec of a name; None where there is none."""
    try:
        return parse_spec(name)
    except InputError:
        return None
