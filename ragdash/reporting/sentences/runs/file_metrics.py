"""Sentences about the metrics that files bring along, next to those that are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragdash.analysis.recomputed import Recomputed
from ragdash.metrics import Spec, parse_spec

MAX_SENTENCES = 3


def recomputed_sentences(rows: Iterable[Recomputed], specs: Sequence[Spec]) -> list[str]:
    """Where a file and the computation differ, and why if that is known: a sentence for each run and metric shown.

    specs: the metrics shown; a row counts if its metric from the file or the computed one is among them.
    """
    shown = [row for row in rows if row.differing and not {row.spec, row.counterpart}.isdisjoint(specs)]
    sentences = []
    for row in shown[:MAX_SENTENCES]:
        titles = {name: parse_spec(text).title for name, text in row.problem.facts.items()
                  if name in ("metric", "variant")}
        words = replace(row.problem, facts={**row.problem.facts, **titles}).words("page")
        sentences.append(f"{words.actual}. {words.fix}")
    rest = len(shown) - MAX_SENTENCES
    return [*sentences, *([f"{rest} more differ."] if rest > 0 else [])]
