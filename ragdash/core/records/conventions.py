"""What is done where files leave a choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches

from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import checked_methods

CHOICES = {
    "ties": ("docid", "file", "trec_eval"),
    "missing": ("zero", "skip"),
    "unanswerable": ("skip", "zero"),
    "duplicates": ("first", "error"),
}


@checked_methods
@dataclass(frozen=True)
class Conventions:
    """What is done where files leave a choice; part of the settings of every number (docs/reference/conventions.md).

    Parameters
    ----------
    ties : {"docid", "trec_eval", "file"}
        Order of documents with equal scores: by id, descending; the same, and scores that are equal as 32-bit numbers
        are equal, as in trec_eval 9; or as in the file.
    missing : {"zero", "skip"}
        A query of the truth that the run lacks counts as an empty ranking, or is left out.
    unanswerable : {"skip", "zero"}
        A query without a relevant document is undefined, or counts 0.
    duplicates : {"first", "error"}
        The best rank of a repeated document counts, or a repeated document is an error.

    Raises InputError where a value is not one of the choices.

    Examples
    --------
    >>> Conventions(missing="skip").ties
    'docid'
    """

    ties: str = "docid"
    missing: str = "zero"
    unanswerable: str = "skip"
    duplicates: str = "first"

    def __post_init__(self) -> None:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        wrong = [Problem("unknown-convention", {"value": value, "choices": list(CHOICES[name]), "name": name},
                         field=name)
                 for name, value in values.items() if not (isinstance(value, str) and value in CHOICES[name])]
        if wrong:
            raise InputError(wrong)

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, str], rules: Sequence[str] = ()) -> Conventions:
        """Build them from keyword arguments of a function; InputError names those that are none.

        rules: names of settings that belong to the rules of a comparison, for the advice.
        """
        names = [f.name for f in fields(cls)]
        unknown = [name for name in arguments if name not in names]
        if unknown:
            raise InputError([Problem("python-object/argument", {
                "name": name, "choices": names, "rule": next(iter(get_close_matches(name, rules, 1)), ""),
                }, field=name) for name in unknown])
        return cls(**arguments)
