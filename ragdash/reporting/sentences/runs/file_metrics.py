"""Sentences about the metrics that files bring along, next to those that are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragdash.analysis.recomputed import Recomputed
from ragdash.metrics import Spec, parse_spec
from ragdash.reporting.sentences.formatting import count, listed

MAX_SENTENCES = 3


def recomputed_sentences(rows: Iterable[Recomputed], specs: Sequence[Spec]) -> list[str]:
    """Where a file and the computation differ, and why if that is known: a sentence for each metric shown.

    Runs of which the same is known are named together.
    specs: the metrics shown; a row counts if its metric from the file or the computed one is among them.
    """
    alike: dict[tuple, list[Recomputed]] = {}
    for row in rows:
        if row.differing and not {row.spec, row.counterpart}.isdisjoint(specs):
            alike.setdefault((row.spec, row.counterpart, row.reason, row.variant), []).append(row)
    sentences = []
    for row, *others in list(alike.values())[:MAX_SENTENCES]:
        titles = {name: parse_spec(text).title for name, text in row.problem.facts.items()
                  if name in ("metric", "variant")}
        words = replace(row.problem, facts={**row.problem.facts, **titles}).words("page")
        same = f" The same holds for {listed([other.run for other in others])}." if others else ""
        sentences.append(f"{words.actual}. {words.fix}{same}")
    rest = len(alike) - MAX_SENTENCES
    return [*sentences, *([f"{count(rest, 'more metric differs', 'more metrics differ')}."] if rest > 0 else [])]
