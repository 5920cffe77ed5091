"""The runs among themselves: do they answer the same queries, equally deep, and were they read the same way?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.ledger.entries import SHOWN, Entry, such_as
from ragdash.matching import Match
from ragdash.metrics import Spec
from ragdash.records import Conventions, Run

READ = ("collapse", "ids")  # settings that say how a run was read


def among(matches: Sequence[Match], conventions: Conventions, specs: Sequence[Spec]) -> list[Entry]:
    """Entries without a run's name; none for a single run."""
    if len(matches) < 2:
        return []
    runs = [match.run for match in matches]
    return [_same_queries(matches, conventions), *_same_depth(runs, specs),
            *(entry for name in READ for entry in _same_reading(runs, name)), *_same_content(runs)]


def _same_queries(matches: Sequence[Match], conventions: Conventions) -> Entry:
    present = np.stack([~match.missing for match in matches])
    uneven = present.any(axis=0) & ~present.all(axis=0)
    examples = tuple(matches[0].query_ids.filter(pa.array(uneven))[:SHOWN].to_pylist())
    count, total = int(uneven.sum()), len(uneven)
    found = f"{count:,} of {total:,} queries of the truth are in some of the runs and not in others{such_as(examples)}."
    if not count:
        return Entry("different-queries", "ok", None, found, 0, total)
    zero = conventions.missing == "zero"
    effect = "They count as empty rankings where they are missing, so all means are over the same queries." if zero \
        else "The means are over different queries and cannot be compared."
    return Entry("different-queries", "note" if zero else "warning", None, found, count, total, examples, effect,
                 "Run every configuration for every query.", None if zero else ("missing", "zero"))


def _same_depth(runs: Sequence[Run], specs: Sequence[Spec]) -> list[Entry]:
    depths = [run.depth for run in runs]
    least, most = min(depths), max(depths)
    if least == most:
        return []
    shallow = [run for run in runs if run.depth < most]
    touched = [str(spec) for spec in specs if spec.k is None or spec.k > least]
    effect = f"The deeper run has more chances in {', '.join(touched)}." if touched else \
        f"None of these metrics looks deeper than rank {least:,}."
    examples = tuple(f"{run.name}: {run.depth:,}" for run in runs)
    return [Entry("different-depths", "warning" if touched else "note", None, "The runs are not equally deep "
                  f"({', '.join(examples[:8])}).", len(shallow), len(runs), examples, effect,
                  f"Compare them with cutoffs up to {least:,}, or retrieve equally many documents.")]


def _same_reading(runs: Sequence[Run], name: str) -> list[Entry]:
    words = [str(run.settings.get(name) or "as they are") for run in runs]
    if len(set(words)) == 1:
        return []
    examples = tuple(f"{run.name}: {word}" for run, word in zip(runs, words, strict=True))
    odd = sum(word != words[0] for word in words)
    what = "on different levels" if name == "collapse" else "with ids spelled in different ways"
    return [Entry(f"different-{name}", "warning", None, f"The runs were read {what} ({', '.join(examples[:8])}).", odd,
                  len(runs), examples, "Their numbers do not mean the same.",
                  f"Read all of them with the same --{name}.")]


def _same_content(runs: Sequence[Run]) -> list[Entry]:
    seen: dict[tuple, str] = {}
    twins = []
    for run in runs:
        key = (len(run), len(run.docs), *run.rows_digest.tolist())
        if key in seen:
            twins.append(f"{seen[key]} = {run.name}")
        seen.setdefault(key, run.name)
    if not twins:
        return []
    return [Entry("same-rankings", "warning", None, f"Runs with the same rankings: {', '.join(twins[:8])}.", len(twins),
                  len(runs), tuple(twins), "They differ in nothing that a metric of retrieval sees.",
                  "Check that the right files were given.")]
