"""promptfoo's CSV: a row for each test, with its variables and a column for what each provider and prompt answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragdash.core.errors import Collector
from ragdash.io.field_names import resolve_fields

_OUTPUT = re.compile(r"\[([^\[\]]+)\]\s+(\S.*)", re.DOTALL)  # [provider] prompt
_EXTRA_COLUMN = re.compile(r"Status|Score|Named Scores|Metric: .*|Grader Reason|Comment")
_COMBINED_CELL = re.compile(
    r"\[(PASS|FAIL|ERROR)\] \(([^\n]*)\)(?:\n\n(.*))?", re.DOTALL
)  # status, score and text in one cell
_REASON = re.compile(r"\n\n(?:Pass|Fail) Reason: ")
MAX_PROMPT_CHARACTERS = 60  # characters of a prompt in the name of a configuration


@dataclass(frozen=True)
class OutputColumn:
    """The column `at` holds what a configuration answered; beside: {column's name: index} of what was said of it."""

    config: str
    index: int
    extra_columns: Mapping[str, int]


def find_outputs(names: Sequence[str]) -> tuple[OutputColumn, ...]:
    """The columns of answers, none where this is no table of promptfoo."""
    found = {at: match for at, name in enumerate(names) if (match := _OUTPUT.fullmatch(name))}
    providers = [match[1] for match in found.values()]
    result: list[OutputColumn] = []
    for at, match in found.items():
        prompt = " ".join(match[2].split())[:MAX_PROMPT_CHARACTERS]
        config = match[1] if providers.count(match[1]) == 1 else f"{match[1]}: {prompt}"
        same = sum(output.config == config or output.config.startswith(f"{config} (") for output in result)
        last = at + 1
        while last < len(names) and _EXTRA_COLUMN.fullmatch(names[last]):
            last += 1
        result.append(OutputColumn(f"{config} ({same + 1})" if same else config, at,
                             {names[i]: i for i in range(at + 1, last)}))
    return tuple(result)


def output_indices(found: Sequence[OutputColumn]) -> set[int]:
    """Indices of the columns that belong to outputs, and to no variable."""
    return {at for output in found for at in (output.index, *output.extra_columns.values())}


def output_schema(names: Sequence[str], found: Sequence[OutputColumn], mapping: Mapping[str, str]) -> dict[str, str]:
    """{our name: field} of a test with one of its outputs: the variables, and the answer and its configuration."""
    away = output_indices(found)
    variables = [name for at, name in enumerate(names) if at not in away]
    result = resolve_fields(variables, mapping)
    if "answers" not in result and "expected" in variables:
        result["answers"] = "expected"
    return {**result, "answer": "answer", "config": "provider"}


def output_rows(
    fields: dict, row: Sequence[str], found: Sequence[OutputColumn], problems: Collector, line: int
) -> Iterator[dict]:
    """The test once for each output: its variables (fields), the answer, and what promptfoo says of it."""
    for output in found:
        said = {name: row[at] for name, at in output.extra_columns.items() if row[at]}
        text = row[output.index]
        old = None if output.extra_columns else _COMBINED_CELL.fullmatch(text)
        if old:
            said = {"Status": old[1], "Score": old[2]}
            text, *reason = _REASON.split(old[3] or "", maxsplit=1)
            said |= {"Grader Reason": reason[0]} if reason else {}
        if said.get("Status") == "ERROR":
            problems.add("promptfoo-error", {"config": output.config, "text": text}, line=line, field=output.config,
                         severity="warning")
            text = ""
        yield {**fields, **said, "answer": text or None, "provider": output.config}
