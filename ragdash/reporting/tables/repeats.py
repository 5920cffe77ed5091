"""Repeats as a table, as sentences below it, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.core.text.template import percent
from ragdash.evaluation.repeats import RepeatSpread
from ragdash.reporting.sentences.runs.repeats import noise_and_design
from ragdash.reporting.tables.escaping import finite_or_none, number, sentence_text, table_text

NOTE = ("Means are over repeats first, then over queries. SD between: of the means of the repeats. SD within: of one "
        "query from repeat to repeat. n: queries with a value in every repeat.")
HEADER = ["run", "metric", "repeats", "mean", "SD between", "SD within", "standard error", "from queries", "n"]


def repeat_text(spreads: Sequence[RepeatSpread], form: str) -> str:
    """The table, and what it means for the first metric; form: table, markdown or latex."""
    text = table_text(HEADER, repeat_rows(spreads), form)
    if form == "latex":
        return text
    return f"{text}\n{NOTE}\n" + "".join(f"{sentence_text(line, form)}\n" for line in repeat_lines(spreads))


def repeat_rows(spreads: Sequence[RepeatSpread]) -> list[list[str]]:
    """Cells under HEADER."""
    return [[spread.name, spread.spec.title, str(spread.repeats), number(spread.mean), number(spread.between),
             number(spread.within), number(spread.components.standard_error()), _share(spread),
             f"{spread.components.Q:,}"] for spread in spreads]


def repeat_lines(spreads: Sequence[RepeatSpread]) -> list[str]:
    """Where the noise of the first metric comes from, and what to buy next."""
    first = [spread for spread in spreads if spread.spec == spreads[0].spec]
    return [noise_and_design(spread) for spread in first]


def repeat_dict(spread: RepeatSpread) -> dict:
    """A row as the JSON contract has it."""
    components = spread.components
    return {
        "run": spread.name, "metric": str(spread.spec), "repeats": spread.repeats, "n": components.Q,
        "mean": finite_or_none(spread.mean), "sd_between": finite_or_none(spread.between),
        "sd_within": finite_or_none(spread.within),
        "variance": {"queries": finite_or_none(components.queries), "repeats": finite_or_none(components.repeats),
                     "rest": finite_or_none(components.rest)},
        "standard_error": finite_or_none(components.standard_error()),
        "standard_error_once": finite_or_none(components.standard_error(components.Q * components.R, 1)),
        "same_rankings": spread.same_rankings,
    }


def _share(spread: RepeatSpread) -> str:
    share = spread.components.share_of_queries
    return "-" if share != share else percent(share)
