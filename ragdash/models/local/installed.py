"""Can a model be used here? Answered from the list of installed packages and the model's folder; nothing is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from ragdash.core.errors import InputError
from ragdash.models.local.model_folder import found

LIBRARIES = ("sentence_transformers", "torch")
INSTALL = 'pip install "ragdash[semantic]"'


@dataclass(frozen=True)
class Availability:
    """ok; else reason: why not, and fix: the command or the words that help."""

    ok: bool
    reason: str = ""
    fix: str = ""


def library() -> Availability:
    """Whether the packages that local models need are installed."""
    absent = [name for name in LIBRARIES if find_spec(name) is None]
    if not absent:
        return Availability(True)
    return Availability(False, f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed", INSTALL)


def availability(kind: str, model: str | None = None) -> Availability:
    """Whether a model of this kind (ENCODER, SCORER) can be loaded: the library first, then the folder.

    model: as for `found`; None is the environment's.
    """
    installed = library()
    if not installed.ok:
        return installed
    try:
        found(kind, model)
    except InputError as error:
        problem = error.problems[0]
        at = f" ({problem.file})" if problem.file and problem.file not in problem.found else ""
        return Availability(False, f"{problem.found}{at}; expected {problem.expected}", problem.fix)
    return Availability(True)
