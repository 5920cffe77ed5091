"""The runs among themselves: do they answer the same queries, equally deep, and were they read the same way?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.analysis.comparability.findings import SHOWN, ComparabilityEntry
from ragdash.core.ids.normalization import has_chunks, would_respell
from ragdash.core.records import Conventions, Run
from ragdash.matching.match import Match
from ragdash.metrics import Spec

MOST_RUNS = 8  # named in a sentence
OF_RANKINGS = ("Ranked", "Diversified", "Permitted", "Covered")  # views of metrics that read rankings
# settings that say how a run was read -> the entries about a run where more of it could be
READ = {"collapse": ("another-level",), "ids": ("respelled-queries", "respelled-documents", "respelled-allowed")}


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
    count, zero = int(uneven.sum()), conventions.missing == "zero"
    severity = "ok" if not count else "note" if zero else "warning"
    suffix = "-answers" if zero and not any(match.run.has_rankings for match in matches) else ""
    return ComparabilityEntry(f"different-queries/{conventions.missing}{suffix}", severity, None, count, len(uneven),
                              examples, option=("missing", "zero") if count and not zero else None)


def _same_depth(runs: Sequence[Run], specs: Sequence[Spec]) -> list[ComparabilityEntry]:
    runs = [run for run in runs if len(run.docs)]  # one without rankings has no depth
    depths = [run.depth for run in runs]
    shallowest, deepest = min(depths, default=0), max(depths, default=0)
    if shallowest == deepest:
        return []
    touched = [str(spec) for spec in specs
               if spec.metric.view in OF_RANKINGS and (spec.k is None or spec.k > shallowest)]
    examples = tuple(f"{run.name}: {run.depth:,}" for run in runs)
    return [ComparabilityEntry(
        "different-depths/touched" if touched else "different-depths", "warning" if touched else "note", None,
        sum(depth < deepest for depth in depths), len(runs), examples,
        {"shown": examples[:MOST_RUNS], "metrics": touched, "shallowest": shallowest})]


def _same_reading(matches: Sequence[Match], name: str, ids: Sequence[ComparabilityEntry]) -> list[ComparabilityEntry]:
    """Whether the runs were read with one collapse, or one spelling of ids; with the fix for those that need one."""
    runs = [match.run for match in matches]
    words = [str(run.settings.get(name) or "as they are") for run in runs]
    if len(set(words)) == 1:
        return []
    examples = tuple(f"{run.name}: {word}" for run, word in zip(runs, words, strict=True))
    odd = sum(word != words[0] for word in words)
    options, fixable = _fix_of_reading(matches, name, ids)
    all_read = all(len(match.ranked.rank) for match in matches) and not any(entry.kind in READ[name] for entry in ids)
    message, severity = (f"different-{name}/in-use", "note") if all_read else (f"different-{name}", "warning")
    if not all_read and name == "collapse" and _nothing_left_to_collapse(runs):
        message, severity = "different-collapse/no-chunks", "note"
    if not all_read and name == "ids" and not fixable:
        message, severity = "different-ids/settled", "note"
    is_open = severity == "warning" or name == "ids"
    option, *also = options if is_open and options else (None,)
    return [ComparabilityEntry(message, severity, None, odd, len(runs), examples, {
        "shown": examples[:MOST_RUNS], "fixable": fixable}, option, tuple(also))]


def _fix_of_reading(matches: Sequence[Match], name: str,
                    ids: Sequence[ComparabilityEntry]) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """(Switches that read some runs as the others, none where runs need different ones; names of these runs).

    What was found about the ids of a run comes first: half of its fix would change ids that match nothing yet.
    """
    kinds = {kind for of_name in READ.values() for kind in of_name}
    offered: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for entry in ids:
        if entry.kind in kinds and entry.severity != "note" and entry.option and entry.run:
            names = offered.setdefault((entry.option, *entry.also), [])
            names += [entry.run] if entry.run not in names else []
    if offered:
        names = list(dict.fromkeys(name for names in offered.values() for name in names))
        return (next(iter(offered)) if len(offered) == 1 else ()), names
    left = {of_name: _left_to_read(matches, of_name) for of_name in READ}
    way, names = left[name]
    if all(way and of_name == names for way, of_name in left.values()):  # both or none: half of a fix is none
        return tuple((of_name, way) for of_name, (way, _) in left.items()), names
    return (((name, way),) if names else ()), names


def _left_to_read(matches: Sequence[Match], name: str) -> tuple[str, list[str]]:
    """(How some runs were read, names of the runs that would change if they were read so too)."""
    runs = [match.run for match in matches]
    ways = dict.fromkeys(word for run in runs if (value := run.settings.get(name))
                         for word in (str(value).split(",") if name == "ids" else [str(value)]))
    way = ",".join(ways)
    if not ways or (name == "collapse" and len(ways) > 1):
        return way, []
    if name == "collapse":
        return way, [run.name for run in runs if not run.settings.get(name) and has_chunks(run, way)]
    return way, [run.name for run in runs if would_respell(run, matches[0].truth, way)]


def _nothing_left_to_collapse(runs: Sequence[Run]) -> bool:
    """Whether the runs were collapsed in one way, and the others have no chunks of that kind."""
    ways = {str(run.settings["collapse"]) for run in runs if run.settings.get("collapse")}
    return len(ways) == 1 and not any(has_chunks(run, *ways) for run in runs if not run.settings.get("collapse"))


def same_rankings(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Names of runs with equal rankings: the first of them, and each later one. Runs without documents have none."""
    first_names: dict[tuple, str] = {}
    pairs = []
    for run in runs:
        if not len(run.docs):
            continue
        key = (len(run), len(run.docs), *run.rows_digest.tolist())
        if key in first_names:
            pairs.append((first_names[key], run.name))
        first_names.setdefault(key, run.name)
    return pairs


def _same_content(runs: Sequence[Run]) -> list[ComparabilityEntry]:
    twins = tuple(f"{first} = {second}" for first, second in same_rankings(runs))
    if not twins:
        return []
    return [ComparabilityEntry("same-rankings", "warning", None, len(twins), len(runs), twins,
                               {"shown": twins[:MOST_RUNS]})]
