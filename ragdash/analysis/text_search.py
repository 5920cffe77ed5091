"""Text or a regular expression in questions, answers and chunks: over whole Arrow columns, upper or lower case alike.

Letters: Q queries of the truth.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import on_all_cores, text_column
from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.text import without_reasoning
from ragdash.matching.match import Match

_MESSAGES = {"unterminated": "wrong-pattern/open", "missing )": "wrong-pattern/open",
             "unbalanced": "wrong-pattern/closed", "repeat": "wrong-pattern/repeat",
             "bad escape": "wrong-pattern/escape", "range": "wrong-pattern/range"}


def check_pattern(text: str, regex: bool) -> None:
    """Raises InputError, with place and fix, for an expression that cannot be read and for a text that is too long."""
    try:
        (pc.match_substring_regex if regex else pc.match_substring)(pa.array([""]), text, ignore_case=True)
    except pa.ArrowInvalid as wrong:
        long = Problem("long-search", {"characters": len(text)}, field="text")
        raise InputError([_pattern_problem(text, str(wrong)) if regex else long]) from None


def matching(texts, text: str, regex: bool = False) -> np.ndarray:
    """Which texts hold the text (or match the expression somewhere): (n,) bool; a null never does.

    texts: an Arrow column. The expression is of RE2: no look-around, no backreference. Raises InputError.

    Examples
    --------
    >>> matching(["The cat", None, "dogs"], "CAT").tolist()
    [True, False, False]
    """
    check_pattern(text, regex)
    column = text_column(texts)
    find = partial(pc.match_substring_regex if regex else pc.match_substring, pattern=text, ignore_case=True)
    masks = on_all_cores(lambda chunk: pc.fill_null(find(chunk), False).to_numpy(zero_copy_only=False), column.chunks)
    return np.concatenate(masks) if masks else np.zeros(0, bool)


def search(match: Match, where: str, text: str, regex: bool = False) -> np.ndarray | None:
    """The queries whose question, answer or some returned chunk holds the text: (Q,) bool.

    None where neither the run nor the truth has such texts. Answers are searched without their reasoning, chunks in the
    whole ranking. KeyError for another place, InputError for a wrong expression.
    """
    return {"question": _questions, "answer": _answers, "chunk": _chunks}[where](match, text, regex)


def _questions(match: Match, text: str, regex: bool) -> np.ndarray | None:
    column = questions(match)
    return None if column is None else matching(column, text, regex)


def questions(match: Match) -> pa.Array | None:
    """The question of each query, the truth's before the run's: (Q,) text or null; None where neither has any."""
    truth_column, run_column = _column(match.truth.details, "query"), _of_run(match, "query")
    if truth_column is None or run_column is None:
        return run_column if truth_column is None else truth_column
    return pc.coalesce(truth_column, run_column)


def _answers(match: Match, text: str, regex: bool) -> np.ndarray | None:
    column = _of_run(match, "answer")
    if column is None:
        return None
    reasons = np.flatnonzero(matching(column, "think"))
    if len(reasons):
        cleaned = pa.array(
            [without_reasoning(answer) for answer in column.take(pa.array(reasons)).to_pylist()], pa.string()
        )
        mask = np.zeros(len(column), bool)
        mask[reasons] = True
        column = pc.replace_with_mask(column, pa.array(mask), cleaned)
    return matching(column, text, regex)


def _chunks(match: Match, text: str, regex: bool) -> np.ndarray | None:
    run = match.run
    if run.texts is None:
        return None
    hit = matching(run.texts, text, regex)
    queries = match.truth_query[run.query_of(np.flatnonzero(hit if run.order is None else hit[run.order]))]
    has_match = np.zeros(len(match.truth), bool)
    has_match[queries[queries >= 0]] = True
    return has_match


def _of_run(match: Match, name: str) -> pa.Array | None:
    """A column of the run's details in the truth's order; None where it has none."""
    column = _column(match.run.details, name)
    rows = match.run_query
    return None if column is None else column.take(pa.array(rows, mask=rows < 0))


def _column(details: pa.Table | None, name: str) -> pa.Array | None:
    if details is None or name not in details.column_names or details[name].null_count == len(details):
        return None
    column = details[name].combine_chunks()
    return column.cast(pa.string()) if column.type != pa.string() else column


def _pattern_problem(text: str, error_text: str) -> Problem:
    """What is wrong with an expression, and where: Python's parser says the place, RE2 what it does not know."""
    try:
        re.compile(text)
    except (RecursionError, OverflowError):  # thousands of open brackets: RE2 says what is wrong
        pass
    except re.error as error:
        position = min(error.pos if error.pos is not None else 0, len(text))
        message = next((message for word, message in _MESSAGES.items() if word in error.msg), "wrong-pattern")
        excerpt = (
            f"{text[:position]}▸{text[position:]}"
            if len(text) < 200
            else text[max(position - 40, 0) : position] + "▸" + text[position : position + 40]
        )
        return Problem(message, {"error": error.msg, "position": position + 1, "where": excerpt}, field="text")
    reason = error_text.partition(": ")[2] or error_text
    return Problem("wrong-pattern/re2", {"reason": shorten(reason, 200), "text": text[:200]}, field="text")
