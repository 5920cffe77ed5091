"""What a comparison in Python was given: candidates by name, and the inputs that its checks are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.messages import MESSAGES
from ragdash.core.paths import numbered
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import is_real, items_of
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.outcomes import ComparisonRules
from ragdash.evaluation.repeats import RepeatGroup
from ragdash.metrics import Spec

KINDS = tuple(sorted({name.removeprefix("check-").partition("/")[0] for name in MESSAGES if name.startswith("check-")
                       and not name.startswith("check-other-judges")}))
"""Kinds of checks that can speak against a comparison."""

_MATCHING = ("match", "match_how", "match_threshold", "match_model")


@dataclass(frozen=True, eq=False)
class ComparisonInputs:
    """What was compared, the baseline first. runs: what was evaluated against truth; none for given evaluations.

    repeats: of each evaluation those that it is the mean of; itself where it is of one run.
    """

    evaluations: tuple[Evaluation, ...]
    specs: tuple[Spec, ...]
    rules: ComparisonRules
    runs: tuple[Run, ...]
    truth: Truth | None
    accepted: tuple[str, ...] = ()
    repeats: tuple[tuple[Evaluation, ...], ...] = ()


def runs_of(groups: Sequence[RepeatGroup], given: Sequence[object]) -> tuple[Run, ...]:
    """The run of each group that checks look at; none where evaluations were given."""
    runs = [(group.evaluation.name, given[group.shown]) for group in groups]
    return tuple(run.renamed(name) for name, run in runs if isinstance(run, Run))


def named_candidates(candidates: object) -> dict[str, object]:
    """Candidates by name; InputError where they are rankings without a name.

    Examples
    --------
    >>> named_candidates([{"q1": ["d7"]}])
    {'candidate': {'q1': ['d7']}}
    """
    if isinstance(candidates, Mapping):
        if any(map(_is_ranking, candidates.values())):
            raise InputError([Problem("python-object/candidates", field="candidates")])
        return dict(candidates)
    if not isinstance(candidates, Sequence) or isinstance(candidates, str):
        candidates = [candidates]
    if any(isinstance(entry, Mapping) and {"query_id", "documents"} <= entry.keys() for entry in candidates):
        raise InputError([Problem("python-object/candidates", field="candidates")])
    return {f"candidate {i}" if len(candidates) > 1 else "candidate": run for i, run in enumerate(candidates, 1)}


def with_distinct_names(given: Sequence[tuple[str, object]], by_name: bool) -> list:
    """The runs and evaluations, the baseline first, under names that differ: of equal ones, later ones get a number.

    by_name: the candidates have the names given with them; else runs and evaluations keep their names.

    Examples
    --------
    >>> run = Run.from_dict({"q1": ["d7"]}, "bm25")
    >>> [named.name for named in with_distinct_names([("baseline", run), ("candidate", run)], by_name=False)]
    ['bm25', 'bm25 (2)']
    """
    names = [name if by_name and position else getattr(run, "name", name)
             for position, (name, run) in enumerate(given)]
    return [_renamed(run, name) for (_, run), name in zip(given, numbered(list(map(str, names))), strict=True)]


def _renamed(run: object, name: str) -> object:
    if isinstance(run, Run):
        return run if run.name == name else run.renamed(name)
    if isinstance(run, Evaluation):
        return run if run.name == name else replace(run, name=name)
    return run


def _is_ranking(value: object) -> bool:
    """Whether a value is the ranking of one query: documents with scores, or documents, best first."""
    if isinstance(value, Mapping):
        return bool(value) and all(is_real(score) for score in value.values())
    return isinstance(value, list | tuple) and any(isinstance(entry, str | int) for entry in value)


def check_arguments(arguments: Mapping[str, str]) -> None:
    """Raise InputError for arguments of `compare` that are neither conventions nor ways of matching."""
    Conventions.from_arguments({name: value for name, value in arguments.items() if name not in _MATCHING},
                               [f.name for f in fields(ComparisonRules)])


def check_repeats(how: str) -> str:
    """How repeats are compared; InputError for anything but "mean" and "single"."""
    if how not in ("mean", "single"):
        raise InputError([Problem("unknown-convention", {"value": how, "choices": ["mean", "single"],
                                                         "name": "repeats"}, field="repeats")])
    return how


def checked_kinds(accept: str | Iterable[str]) -> tuple[str, ...]:
    """Kinds of checks to accept; InputError for an unknown kind."""
    items = accept.split() if isinstance(accept, str) else items_of(accept)
    kinds = (accept,) if items is None else tuple(items)
    unknown = [kind for kind in kinds if not isinstance(kind, str) or kind not in KINDS]
    if unknown:
        raise InputError([Problem("unknown-convention", {
            "value": kind if isinstance(kind, str) else represent(kind), "choices": list(KINDS), "name": "accept"},
            field="accept") for kind in unknown])
    return kinds
