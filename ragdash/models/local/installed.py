"""Can a model be used here? Answered from the list of installed packages and the model's folder; nothing is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from ragdash.core.errors import InputError, Problem
from ragdash.models.local.model_folder import find_model_folder

LIBRARIES = ("sentence_transformers", "torch")


@dataclass(frozen=True)
class Availability:
    """Whether something can be used; problem: why not, None where it can."""

    problem: Problem | None = None

    @property
    def ok(self) -> bool:
        """Whether it can be used."""
        return self.problem is None


def library() -> Availability:
    """Whether the packages that local models need are installed."""
    absent = [name for name in LIBRARIES if find_spec(name) is None]
    return Availability(Problem("unavailable/library", {"packages": absent}) if absent else None)


def availability(kind: str, model: str | None = None) -> Availability:
    """Whether a model of this kind (ENCODER, SCORER) can be loaded: the library first, then the folder.

    model: as for `found`; None is the environment's.
    """
    installed = library()
    if not installed.ok:
        return installed
    try:
        find_model_folder(kind, model)
    except InputError as error:
        return Availability(error.problems[0])
    return Availability()
