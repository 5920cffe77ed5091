"""promptfoo's CSV: one row per test, with its variables and an answer column per provider and prompt."""

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
    """The answer column of a configuration, and its extra columns {name: index}, such as status and score."""

    config: str
    index: int
    extra_columns: Mapping[str, int]


def find_outputs(names: Sequence[str]) -> tuple[OutputColumn, ...]:
    """The answer columns; empty for tables of other tools."""
    matches = {index: match for index, name in enumerate(names) if (match := _OUTPUT.fullmatch(name))}
    providers = [match[1] for match in matches.values()]
    result: list[OutputColumn] = []
    for index, match in matches.items():
        prompt = " ".join(match[2].split())[:MAX_PROMPT_CHARACTERS]
        config = match[1] if providers.count(match[1]) == 1 else f"{match[1]}: {prompt}"
        duplicate_count = sum(output.config == config or output.config.startswith(f"{config} (") for output in result)
        last = index + 1
        while last < len(names) and _EXTRA_COLUMN.fullmatch(names[last]):
            last += 1
        result.append(OutputColumn(f"{config} ({duplicate_count + 1})" if duplicate_count else config, index,
                             {names[i]: i for i in range(index + 1, last)}))
    return tuple(result)


def output_indices(outputs: Sequence[OutputColumn]) -> set[int]:
    """Indices of the columns that belong to outputs; the others are variables."""
    return {index for output in outputs for index in (output.index, *output.extra_columns.values())}


def output_schema(names: Sequence[str], outputs: Sequence[OutputColumn], mapping: Mapping[str, str]) -> dict[str, str]:
    """{our name: field} of a test with one output: its variables, the answer and the configuration."""
    indices = output_indices(outputs)
    variables = [name for index, name in enumerate(names) if index not in indices]
    result = resolve_fields(variables, mapping)
    if "answers" not in result and "expected" in variables:
        result["answers"] = "expected"
    return {**result, "answer": "answer", "config": "provider"}


def output_rows(
    fields: dict, row: Sequence[str], outputs: Sequence[OutputColumn], problems: Collector, line: int
) -> Iterator[dict]:
    """One object per output: the variables (fields), the answer and promptfoo's assessment."""
    for output in outputs:
        extras = {name: row[index] for name, index in output.extra_columns.items() if row[index]}
        text = row[output.index]
        old = None if output.extra_columns else _COMBINED_CELL.fullmatch(text)
        if old:
            extras = {"Status": old[1], "Score": old[2]}
            text, *reason = _REASON.split(old[3] or "", maxsplit=1)
            extras |= {"Grader Reason": reason[0]} if reason else {}
        if extras.get("Status") == "ERROR":
            problems.add("promptfoo-error", {"config": output.config, "text": text}, line=line, field=output.config,
                         severity="warning")
            text = ""
        yield {**fields, **extras, "answer": text or None, "provider": output.config}
