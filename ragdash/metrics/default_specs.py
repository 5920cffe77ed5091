"""What is computed unless metrics are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.metrics.from_file import counterpart, default_file_specs
from ragdash.metrics.registry import Spec
from ragdash.metrics.spelling import parse_spec, parse_specs

DEFAULT_SPECS = parse_specs("nDCG@10 R@10 P@5 RR AP Success@10")
ANSWER_SPECS = parse_specs("TokenF1 ROUGE_L CoverEM EM")


def default_specs(runs: Iterable[Run], truth: Truth, directions: Mapping[str, str] | None = None) -> tuple[Spec, ...]:
    """What is computed unless metrics are chosen: DEFAULT_SPECS, and the metrics in the files of the runs.

    A metric that a file and ragdash both have is next to its counterpart. Without judgments, or without a returned
    document, there is none; then metrics of answers take the place of DEFAULT_SPECS where the files have none.
    """
    runs = list(runs)
    from_files = default_file_specs(runs, directions)
    if not truth.judgments or not have_rankings(runs):
        return from_files or default_answer_specs(runs, truth) or DEFAULT_SPECS
    if not from_files:
        return DEFAULT_SPECS
    pairs = ((spec, counterpart(spec, read_spec)) for spec in from_files)
    return tuple(dict.fromkeys([*DEFAULT_SPECS, *(spec for pair in pairs for spec in pair if spec is not None)]))


def have_rankings(runs: Sequence[Run]) -> bool:
    """Whether some of the runs say what was retrieved; True of no runs."""
    return not runs or any(run.has_rankings for run in runs)


def default_answer_specs(runs: Sequence[Run], truth: Truth) -> tuple[Spec, ...]:
    """ANSWER_SPECS where they are all that can be computed: answers and references, and no rankings to judge."""
    columns = () if truth.details is None else truth.details.column_names
    is_judged = bool(truth.judgments) or "evidence" in columns
    answered = any(run.details is not None and "answer" in run.details.column_names for run in runs)
    return ANSWER_SPECS if answered and "answers" in columns and not (is_judged and have_rankings(runs)) else ()


def read_spec(name: str) -> Spec | None:
    """The Spec of a name; None where there is none."""
    try:
        return parse_spec(name)
    except InputError:
        return None
