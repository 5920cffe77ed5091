"""What the Failures page knows: where the queries in scope of every run shown went wrong first, and what that costs.

Letters: N runs shown, Q queries of the truth, S stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.diagnosis import FINE, NAMES, STAGES, Diagnosis
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.metrics import Spec
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences.fmt import count, escape, number

FEW = 3  # runs that get a sentence each


@dataclass(frozen=True, eq=False)
class Losses:
    """found: a diagnosis for each run; counts (N, S): queries in scope; gains (N, S): of the spec at most, NaN
    undefined; inside (Q,) bool: in scope; at: the run looked at; spec: None where the metric cannot be measured.
    """

    context: PageContext
    spec: Spec | None
    at: int
    inside: np.ndarray
    found: Sequence[Diagnosis]
    counts: np.ndarray
    gains: np.ndarray

    @property
    def run(self) -> str:
        """Digest of the run looked at."""
        return self.context.digests[self.at]

    @property
    def one(self) -> Diagnosis:
        """The diagnosis of the run looked at."""
        return self.found[self.at]

    @property
    def total(self) -> int:
        """Queries in scope."""
        return int(self.inside.sum())

    @property
    def occurring(self) -> list[int]:
        """The stages at which some run has a query, in the order of the corridor."""
        return np.flatnonzero(self.counts.any(axis=0)).tolist()

    def wrong(self, run: int) -> list[str]:
        """The names of the stages at which queries of a run went wrong."""
        return [NAMES[s] for s in np.flatnonzero(self.counts[run]) if s != FINE]


def losses(context: PageContext, spec: Spec | None) -> Losses:
    """The diagnoses of all runs shown; the run looked at is the first that is not the baseline unless chosen."""
    first = context.digests[context.selection.others()[0] if context.selection.others() else 0]
    at = context.digests.index(state.get(state.choice_key(state.LOOKED, context.digests, first)))
    inside = context.scope.queries
    found = [context.results.diagnosis(digest) for digest in context.digests]
    counts = np.array([one.counts(inside) for one in found])
    gains = np.full(counts.shape, np.nan) if spec is None else np.array([
        context.results.gains(digest, spec) for digest in context.digests])
    return Losses(context, spec, at, inside, found, counts, gains)


def sentences(held: Losses) -> list[str]:
    """Which stage loses most: a sentence for each run, by stage where they are many, then the run looked at alone."""
    names = [f"**{escape(name)}**" for name in held.context.names]
    if len(names) <= FEW:
        return [_sentence(held, run, names[run]) for run in range(len(names))]
    found = []
    worst = [int(row[:FINE].argmax()) if row[:FINE].any() else FINE for row in held.counts]
    for stage in sorted(set(worst)):
        runs = [f"{name} ({row[stage]:,})" for name, row, own in zip(names, held.counts, worst, strict=True)
                if own == stage]
        verb = "loses" if len(runs) == 1 else "lose"
        found.append(f"{fmt.listed(runs)} {verb} most queries at **{STAGES[stage].title}**." if stage != FINE else
                     f"{fmt.listed(runs)}: nothing goes wrong that can be assessed.")
    return [*found, _sentence(held, held.at, names[held.at])]


def _sentence(held: Losses, run: int, name: str) -> str:
    row, gains = held.counts[run, :FINE], held.gains[run, :FINE]
    if not row.any():
        return f"{name}: nothing goes wrong that can be assessed."
    most = int(row.argmax())
    said = (f"{name} loses most queries at **{STAGES[most].title}**: {row[most]:,} of "
            f"{count(held.total, 'query', 'queries')}.")
    if held.spec is None or not np.isfinite(gains).any():
        return said
    best = int(np.nanargmax(gains))
    if np.isfinite(gains[most]) and row[most]:
        said += f" Fixing them could gain at most {number(gains[most])} {held.spec.title}"
        return said + ("." if best == most or gains[best] <= gains[most] else (
            f"; more is to gain at **{STAGES[best].title}**: at most {number(gains[best])} with {row[best]:,}."))
    return said if not gains[best] else (
        f"{said} {held.spec.title} has most to gain at **{STAGES[best].title}**: at most {number(gains[best])} with "
        f"{count(int(row[best]), 'query', 'queries')}.")


def fixes(held: Losses) -> list[str]:
    """What usually fixes the stages at which the runs lose most."""
    worst = {int(row[:FINE].argmax()) for row in held.counts if row[:FINE].any()}
    return [f"{STAGES[stage].title}: {STAGES[stage].fix}" for stage in sorted(worst)]


def unassessed(held: Losses) -> list[str]:
    """What could be assessed for no query of a run, and why; runs of which the same is said together."""
    left = ["; ".join(f"{one.passed(name)} ({why})" for name, why in one.reasons.items()) for one in held.found]
    lines = []
    for text in filter(None, dict.fromkeys(left)):
        runs = [name for name, own in zip(held.context.names, left, strict=True) if own == text]
        of = "" if len(runs) == len(left) else f" of {fmt.listed(runs)}"
        lines.append(f"Not assessed{of}: {text}.")
    problems = [problem.words("page") for one in held.found for problem in one.problems]
    return [*lines, *dict.fromkeys(f"{words.actual[:1].upper()}{words.actual[1:]}. {words.fix}" for words in problems)]
