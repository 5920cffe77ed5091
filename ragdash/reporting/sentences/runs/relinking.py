"""Sentences about judged documents and their new ids."""

from __future__ import annotations

from ragdash.core.records import Truth
from ragdash.matching.relink import Relinking
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace import TruthVersion


def summary(relinking: Relinking) -> str:
    """What became of the judged documents, in one line."""
    counts, total = relinking.counts, len(relinking.links)
    followed = sum(counts[kind] for kind in ("moved", "changed", "split", "merged"))
    lead = f"**{followed:,} of {fmt.count(total, 'judged document')} {'has' if followed == 1 else 'have'} new ids**"
    rest = [f"{counts[kind]:,} {'is' if counts[kind] == 1 else 'are'} {word}"
            for kind, word in (("same", "the same"), ("gone", "gone")) if counts[kind]]
    rest += [f"the old text of {counts['unknown']:,} is not known"] if counts["unknown"] else []
    return f"{'; '.join([lead, *rest])}."


def change(after: Truth) -> str:
    """What a re-linking changes in the judgments."""
    facts = next(problem.facts for problem in reversed(after.problems) if problem.kind == "relinked-truth")
    left_out = f"; {fmt.count(facts['dropped'], 'judgment')} left out" if facts["dropped"] else ""
    mixed = [problem for problem in after.problems if problem.kind == "relinked-not-allowed"]
    count = mixed[-1].facts["count"] if mixed else 0
    forbidden = f" {fmt.count(count, 'new document')} {'has' if count == 1 else 'have'} text of documents that the " \
                f"asker may not see and {'counts' if count == 1 else 'count'} as not allowed." if mixed else ""
    return f"{facts['changed']:,} of {fmt.count(facts['judgments'], 'judgment')} with new ids{left_out}.{forbidden}"


def version(version: TruthVersion) -> str:
    """When a version was made, of what, and how its documents were linked."""
    kinds = fmt.listed([f"{count:,} {kind}" for kind, count in version.counts.items()])
    return f"made {version.made} UTC of {version.parent_name}; documents: {kinds}"
