"""What the Answers page knows of each query: texts side by side, found or not, right or wrong, declined.

Letters: Q queries in scope, in the truth's order, as the rows of an Evaluation in that scope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.core.errors import Unavailable
from ragdash.core.records import Truth
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stats import rank_correlation
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_specs
from ragdash.metrics.bands import EDGE, Band, Bands, bands_of

KINDS = {"found_right": ("Found and right", True, True), "missed_right": ("Not found and right", False, True),
         "found_wrong": ("Found and wrong", True, False), "missed_wrong": ("Not found and wrong", False, False)}
UNKNOWN, REST = "unknown", "Cannot be said"
NAMES = (*KINDS, UNKNOWN)
USUAL = "good"  # the band from which an answer counts as right unless chosen otherwise


def table() -> Bands:
    """The bands of token F1 that say from where an answer is right."""
    return bands_of("TokenF1")[0]


def edges() -> dict[str, Band]:
    """The bands from which an answer may count as right, by label; the lowest begins at 0 and is none."""
    return {band.label: band for band in table().bands[1:]}


def rule(k: int) -> tuple[Spec, Spec, Spec, Spec]:
    """What decides: found, holding a reference, near to one; and whether the answer declines."""
    return parse_specs([f"Success@{k}", "CoverEM", table().spec, "Refusal"])


def kinds(one: Evaluation, k: int, low: float) -> np.ndarray:
    """Which of NAMES each query is, as an index: (Q,) int.

    Found: a relevant document among the first k. Right: a reference stands in it, or token F1 from `low` on. Where
    either is undefined (no relevant document is known, no reference, no answer) it cannot be said.
    """
    found, holds, near, _ = (one.column(spec) for spec in rule(k))
    right = (np.nan_to_num(holds) == 1) | (np.nan_to_num(near) >= low - EDGE)
    known = ~np.isnan(found) & ~(np.isnan(holds) & np.isnan(near))
    return np.where(known, 2 * ~right + (np.nan_to_num(found) == 0), NAMES.index(UNKNOWN))


@dataclass(frozen=True)
class Told:
    """The texts of a run: (Q,) each. contexts: None where not known; given: False where documents' texts stand in."""

    ids: tuple[str, ...]
    questions: tuple[str | None, ...]
    answers: tuple[str | None, ...]
    references: tuple[tuple[str, ...], ...]
    contexts: tuple[tuple[str, ...] | None, ...]
    given: bool


def told(run: str, scope: Scope) -> Told:
    """The texts of the queries in scope."""
    return _told(run, scope.cache_key(), _match=scope.match(run), _scope=scope)


@st.cache_resource(max_entries=32, show_spinner=False)
def _told(run: str, scope: tuple, _match: Match, _scope: Scope) -> Told:
    inside = np.flatnonzero(_scope.queries).tolist()
    answered, grounded = _view(_match, "Answered"), _view(_match, "Grounded")
    every = len(_match.query_ids)
    held = answered or grounded
    columns = (_match.query_ids.to_pylist(), answered.questions if answered else _questions(_match.truth),
               held.answers if held else (None,) * every, answered.references if answered else ((),) * every,
               grounded.contexts if grounded else (None,) * every)
    return Told(*(tuple(column[at] for at in inside) for column in columns), grounded is None or grounded.given)


def _view(match: Match, name: str):
    """A view, None where the run or the truth cannot give it."""
    try:
        return match.view(name)
    except Unavailable:
        return None


def _questions(truth: Truth) -> Sequence[str | None]:
    held = truth.details is not None and "query" in truth.details.column_names
    return truth.details["query"].to_pylist() if held else [None] * len(truth)


def standing_in(context: PageContext) -> list[str]:
    """The runs whose contexts are not known, with the texts of the first documents in their place."""
    return [context.names[at] for at, digest in enumerate(context.digests) if not told(digest, context.scope).given]


def correlations(one: Evaluation, rows: Sequence[Spec], columns: Sequence[Spec]) -> tuple[np.ndarray, np.ndarray]:
    """(Spearman's rho, n queries) of each row with each column: (R, C) both."""
    found = [[rank_correlation.spearman(one.column(row), one.column(column)) for column in columns] for row in rows]
    return (np.array([[value for value, _ in row] for row in found]).reshape(len(rows), len(columns)),
            np.array([[n for _, n in row] for row in found], int).reshape(len(rows), len(columns)))


def worst_first(spec: Spec, values: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Rows from the worst value to the best, equal ones by a second value, undefined ones last: (Q,) int.

    A metric without a better end goes from high to low.
    """
    key = -values if spec.metric.better in ("lower", None) else values
    return np.lexsort((np.nan_to_num(second, nan=np.inf), np.nan_to_num(key, nan=np.inf)))

