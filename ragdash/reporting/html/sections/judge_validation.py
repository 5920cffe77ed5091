"""A judge beside people's labels: its mean and theirs, who said what of how many queries, the differences of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from markupsafe import Markup

from ragdash.analysis.judge_validation import (
    Difference,
    LabelStore,
    Trust,
    Verdicts,
    trust,
    trust_difference,
    verdicts_of,
)
from ragdash.core.errors import InputError
from ragdash.metrics import Spec
from ragdash.metrics.bands import YES
from ragdash.reporting.html.blocks import Grid, Heading, Words
from ragdash.reporting.html.content import Content
from ragdash.reporting.html.sections import cells
from ragdash.reporting.sentences.fmt import count, escape, number
from ragdash.reporting.sentences.judge_validation import TOLD, verdict_of
from ragdash.reporting.tables.judge_validation import span

SAID = ["Run", "Both yes", "Judge yes, person no", "Judge no, person yes", "Both no"]
signed = partial(number, signed=True)


@dataclass(frozen=True, eq=False)
class Held:
    """The verdicts on a run, the labels kept of it, and what both come to."""

    verdicts: Verdicts
    labels: Mapping[str, float]
    found: Trust


def beside_labels(content: Content, specs: Sequence[Spec]) -> list:
    """Of each run and metric that somebody labelled; empty where nobody labelled any."""
    found = [(spec, {at: one for at in range(len(content.names)) if (one := _held(content, at, spec)) is not None})
             for spec in specs]
    means = [_mean(content, at, spec, one.found) for spec, held in found for at, one in held.items()]
    if not means:
        return []
    rows = [_counts(content, at, spec, one.found) for spec, held in found for at, one in held.items()]
    apart = [line for spec, held in found for line in _differences(content, spec, held)]
    blocks = [Heading("Beside people's labels"), _list(means),
              Grid(f"Labelled queries by what judge and person said of them; yes is a value from {YES:g} on",
                   SAID, rows, frozenset(range(1, len(SAID))))]
    return [*blocks, Words("Differences, query by query:"), _list(apart)] if apart else blocks


def _list(lines: Sequence[str]) -> Words:
    return Words("\n".join(f"- {line}" for line in lines))


def _held(content: Content, at: int, spec: Spec) -> Held | None:
    """None where no query with a verdict is labelled."""
    try:
        verdicts = verdicts_of(content.evaluations[at], spec)
        labels = LabelStore().read(verdicts.run, verdicts.what)
        found = trust(verdicts, labels) if labels else None
    except InputError:
        return None
    return Held(verdicts, labels, found) if found is not None and found.corrected.n else None


def _mean(content: Content, at: int, spec: Spec, found: Trust) -> str:
    """The judge's mean beside that of the labels and the one that both give, with how far they agree, a line."""
    many, held = count(found.corrected.n, "label"), found.agreement
    corrected = f"{span(found.corrected)} corrected by {many} of people" if np.isfinite(found.corrected.low) else \
        f"{many} with a verdict, too few for an interval"
    return f"**{escape(content.names[at])}**, {escape(spec.title)}: " + escape(
        f"{number(found.judge.mean)} by the judge alone; {corrected}; labels alone {span(found.labels)}; "
        f"{count(found.rest, 'other query', 'other queries')}; accuracy {number(held.accuracy)}, kappa "
        f"{number(held.kappa)}.")


def _counts(content: Content, at: int, spec: Spec, found: Trust) -> list:
    """The confusion table as a row, where both agree in bold."""
    (both_no, judge_yes), (judge_no, both_yes) = found.agreement.confusion.tolist()
    bold = Markup("<b>{:,}</b>")
    return [cells.run(content.names[at], content.slots[at], spec.title), bold.format(both_yes), f"{judge_yes:,}",
            f"{judge_no:,}", bold.format(both_no)]


def _differences(content: Content, spec: Spec, held: Mapping[int, Held]) -> list[str]:
    """Each run against the baseline, where queries are labelled in both."""
    base = content.request.baseline
    if base not in held:
        return []
    found = {at: trust_difference(held[base].verdicts, one.verdicts, held[base].labels, one.labels)
             for at, one in held.items() if at != base}
    return [_difference(f"**{escape(content.names[at])}** minus **{escape(content.names[base])}**", spec, one)
            for at, one in found.items() if one.corrected.n]


def _difference(names: str, spec: Spec, one: Difference) -> str:
    many = count(one.corrected.n, "query", "queries") + " labelled in both"
    known = np.isfinite(one.corrected.low)
    corrected = f"{span(one.corrected, signed)} corrected by {many}" if known else f"{many}, too few for an interval"
    told = f"; {TOLD[verdict_of(one, spec)]}" if known else ""
    return f"{names}, {escape(spec.title)}: " + escape(
        f"{signed(one.judge.mean)} by the judge alone; {corrected}; labels alone {span(one.labels, signed)}; "
        f"{count(one.rest, 'other query', 'other queries')}{told}.")
