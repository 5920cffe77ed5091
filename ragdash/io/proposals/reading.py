"""A reading: which list of records in a file is read, and what each of its fields means."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ragdash.io.field_names import WHOLE_TIMES
from ragdash.io.proposals.assignment import RUN_CONTENT, TRUTH_CONTENT

ROLE, RECORDS = "role", "records"  # names in a mapping that are no fields
ROLES = ("run", "truth", "both", "questions")
ONLY_HERE = (ROLE, RECORDS, "scores", "labels")
MEANINGS = ("query_id", "query", "chat_history", "config", "retrieved", "doc_id", "score", "rank", "text", "contexts",
            "answer", "relevant", "grade", "answers", "evidence", "source", "latency_ms", "latency_s",
            "prompt_tokens", "completion_tokens", "cost_usd", "scores", "labels", "attributes")
"""What a field can mean in a reading, in the order of a mapping."""
_MEASURED = {"scores", "labels", *WHOLE_TIMES}
OTHER_NAMES = {"documents": "retrieved", "run": "config", "references": "answers", "question": "query"}


@dataclass(frozen=True)
class Reading:
    """How to read a file that no format recognizes.

    Parameters
    ----------
    mapping
        {our field: path in a record}, with `role` and `records`. A path leads into objects (a.b) and lists of objects
        (a[].b); paths joined with + belong together; {run} is the name of a configuration.
    count
        Records.
    ignored
        Fields without a meaning.
    notes
        What happened to records that are not read as they are: {"repeated": 2, "average": 1}.
    preview
        The first records: {our field: text}.
    """

    mapping: Mapping[str, str]
    count: int
    ignored: tuple[str, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)
    preview: tuple[Mapping[str, str], ...] = ()

    @property
    def role(self) -> str:
        """run, truth, both or questions."""
        return self.mapping[ROLE]

    @property
    def shown_fields(self) -> str:
        """The fields with what they mean, for sentences: "query_id = id, relevant = gold_ids"."""
        return ", ".join(f"{name} = {path}" for name, path in self.mapping.items() if name not in (ROLE, RECORDS))

    @property
    def options(self) -> str:
        """The options of the command line for this reading."""
        return options_of(self.mapping)


def reads_column(path: str, column: str) -> bool:
    """Whether a path of a reading takes something from a column of the file.

    Examples
    --------
    >>> [reads_column("source_{n}", column) for column in ("source_12", "source_id")]
    [True, False]
    >>> reads_column("hits[].doc.id", "hits"), reads_column("{run}_answer+notes", "dense_answer")
    (True, True)
    """
    return column_reader([path])(column)


def column_reader(paths: Iterable[str]) -> Callable[[str], bool]:
    """Whether any of the paths takes something from a column, in time that does not rise with the number of paths."""
    marks = {"{n}": r"\d+", "{run}": ".+"}
    names, patterns = set(), set()
    for part in (part for path in paths for part in path.split("+")):
        first = re.split(r"\[\]|\.", part)[0]
        names.update((part, first))
        if any(mark in first for mark in marks):
            pattern = re.escape(first)
            for mark, one in marks.items():
                pattern = pattern.replace(re.escape(mark), one)
            patterns.add(re.compile(pattern))
    return lambda column: column in names or any(pattern.fullmatch(column) for pattern in patterns)


def options_of(mapping: Mapping[str, str]) -> str:
    """The options of the command line for a mapping: "--role run --map query_id,query=q,retrieved=hits[].id"."""
    options = [f"--{name} {shlex.quote(mapping[name])}" for name in (ROLE, RECORDS) if mapping.get(name)]
    rest = {name: path for name, path in mapping.items() if name not in (ROLE, RECORDS)}
    return " ".join([*options, *(f"--map {shlex.quote(text)}" for text in mapping_texts(rest))])


def changed_reading(proposed: Mapping[str, str], fields: Mapping[str, str]) -> dict[str, str]:
    """The fields as a reading, where one was proposed: they have its list of records, and its role if it still fits.

    Fields that no reading has are for the known formats: they stay as they are.

    Examples
    --------
    >>> proposed = {"role": "run", "query": "q", "answer": "bot", "attributes": "kind"}
    >>> changed_reading(proposed, {"query": "q", "answer": "bot", "attribute": "kind"})
    {'query': 'q', 'answer': 'bot', 'attributes': 'kind', 'role': 'run'}
    >>> changed_reading(proposed, {"query": "q", "answer": "bot", "answers": "right"})
    {'query': 'q', 'answer': 'bot', 'answers': 'right', 'role': 'both'}
    """
    result = {name: path for name, path in fields.items() if name != "attribute"}
    if attributes := [fields[name] for name in ("attributes", "attribute") if name in fields]:
        result["attributes"] = "+".join(attributes)
    if not proposed or not {*MEANINGS, ROLE, RECORDS}.issuperset(result):
        return dict(fields)
    role, content = proposed[ROLE], {*RUN_CONTENT, *TRUTH_CONTENT}
    if content & result.keys() != content & proposed.keys():
        is_run, is_truth = (not result.keys().isdisjoint(kinds) for kinds in (RUN_CONTENT, TRUTH_CONTENT))
        is_run = is_run or (role in ("run", "both") and not result.keys().isdisjoint(_MEASURED))  # of a system
        role = ("both" if is_run and is_truth else "run" if is_run else "truth" if is_truth else role)
    return result | {ROLE: role} | ({RECORDS: proposed[RECORDS]} if RECORDS in proposed else {})


def mapping_texts(mapping: Mapping[str, str]) -> list[str]:
    """A mapping as values of --map: names of columns that are our own first and alone, a path with a comma by itself.

    Examples
    --------
    >>> mapping_texts({"query": "q", "query_id": "query_id", "answers": "right, as text"})
    ['query_id,query=q', 'answers=right, as text']
    """
    same_names = [name for name, path in mapping.items() if name == path]
    pairs = [f"{name}={path}" for name, path in mapping.items() if name != path]
    plain = ",".join([*same_names, *(pair for pair in pairs if "," not in pair)])
    return [*([plain] if plain else []), *(pair for pair in pairs if "," in pair)]


def is_reading(mapping: Mapping[str, str]) -> bool:
    """True for a mapping that is read literally, not as a help for a known format."""
    return bool(mapping) and (any(name in mapping for name in ONLY_HERE) or any(
        mark in path for path in mapping.values() for mark in ("[]", "{run}", "{n}")))
