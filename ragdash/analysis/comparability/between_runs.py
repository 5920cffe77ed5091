"""The runs among themselves: do they answer the same queries, equally deep, and were they read the same way?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.analysis.comparability.findings import SHOWN, ComparabilityEntry, format_examples
from ragdash.core.records import Conventions, Run
from ragdash.matching.match import Match
from ragdash.metrics import Spec

# settings that say how a run was read -> the entries about a run where more of it could be
READ = {"collapse": ("another-level",), "ids": ("respelled-queries", "respelled-documents")}


def check_between_runs(matches: Sequence[Match], conventions: Conventions, specs: Sequence[Spec],
          ids: Sequence[ComparabilityEntry]) -> list[ComparabilityEntry]:
    """Entries without a run's name; none for a single run. ids: what was said of the ids of each run."""
    if len(matches) < 2:
        return []
    runs = [match.run for match in matches]
    return [_same_queries(matches, conventions), *_same_depth(runs, specs),
            *(entry for name in READ for entry in _same_reading(matches, name, ids)), *_same_content(runs)]


def _same_queries(matches: Sequence[Match], conventions: Conventions) -> ComparabilityEntry:
    present = np.stack([~match.missing for match in matches])
    uneven = present.any(axis=0) & ~present.all(axis=0)
    examples = tuple(matches[0].query_ids.filter(pa.array(uneven))[:SHOWN].to_pylist())
    count, total = int(uneven.sum()), len(uneven)
    sentence = (f"{count:,} of {total:,} queries of the truth are in some of the runs and not in others"
                f"{format_examples(examples)}.")
    if not count:
        return ComparabilityEntry("different-queries", "ok", None, sentence, 0, total)
    zero = conventions.missing == "zero"
    effect = "They count as empty rankings where they are missing, so all means are over the same queries." if zero \
        else "The means are over different queries and cannot be compared."
    return ComparabilityEntry(
        "different-queries",
        "note" if zero else "warning",
        None,
        sentence,
        count,
        total,
        examples,
        effect,
        "Run every configuration for every query.",
        None if zero else ("missing", "zero"),
    )


def _same_depth(runs: Sequence[Run], specs: Sequence[Spec]) -> list[ComparabilityEntry]:
    depths = [run.depth for run in runs]
    shallowest, deepest = min(depths), max(depths)
    if shallowest == deepest:
        return []
    shallow = [run for run in runs if run.depth < deepest]
    touched = [str(spec) for spec in specs if spec.k is None or spec.k > shallowest]
    effect = f"The deeper run has more chances in {', '.join(touched)}." if touched else \
        f"None of these metrics looks deeper than rank {shallowest:,}."
    examples = tuple(f"{run.name}: {run.depth:,}" for run in runs)
    return [
        ComparabilityEntry(
            "different-depths",
            "warning" if touched else "note",
            None,
            f"The runs are not equally deep ({', '.join(examples[:8])}).",
            len(shallow),
            len(runs),
            examples,
            effect,
            f"Compare them with cutoffs up to {shallowest:,}, or retrieve equally many documents.",
        )
    ]


def _same_reading(matches: Sequence[Match], name: str, ids: Sequence[ComparabilityEntry]) -> list[ComparabilityEntry]:
    runs = [match.run for match in matches]
    words = [str(run.settings.get(name) or "as they are") for run in runs]
    if len(set(words)) == 1:
        return []
    examples = tuple(f"{run.name}: {word}" for run, word in zip(runs, words, strict=True))
    odd = sum(word != words[0] for word in words)
    what = "on different levels" if name == "collapse" else "with ids spelled in different ways"
    sentence = f"The runs were read {what} ({', '.join(examples[:8])})."
    if all(len(match.ranked.rank) for match in matches) and not any(entry.kind in READ[name] for entry in ids):
        level = "on the level of the truth" if name == "collapse" else "written as in the truth"
        return [ComparabilityEntry(f"different-{name}", "note", None, sentence, odd, len(runs), examples,
                      f"All of them are {level} now, so their numbers can be compared.")]
    return [ComparabilityEntry(f"different-{name}", "warning", None, sentence, odd, len(runs), examples,
                  "Their numbers do not mean the same.", f"Read all of them with the same --{name}.")]


def _same_content(runs: Sequence[Run]) -> list[ComparabilityEntry]:
    first_names: dict[tuple, str] = {}
    twins = []
    for run in runs:
        key = (len(run), len(run.docs), *run.rows_digest.tolist())
        if key in first_names:
            twins.append(f"{first_names[key]} = {run.name}")
        first_names.setdefault(key, run.name)
    if not twins:
        return []
    return [
        ComparabilityEntry(
            "same-rankings",
            "warning",
            None,
            f"Runs with the same rankings: {', '.join(twins[:8])}.",
            len(twins),
            len(runs),
            tuple(twins),
            "They differ in nothing that a metric of retrieval sees.",
            "Check that the right files were given.",
        )
    ]
