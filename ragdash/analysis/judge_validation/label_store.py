"""Labels kept on disk: which answer of which run a person found good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ragdash.models.judge.tasks.policy import current_policy
from ragdash.workspace.reviews import Event, EventStore


@dataclass(frozen=True)
class LabelStore(EventStore):
    """labels.sqlite in a folder (default: the user's workspace).

    A label is of a query, of what was asked ("Faithfulness") and of a run by its digest: rankings, answers and texts
    are in it, so that a label is never taken for that of another answer. Names and the truth are not.
    Labels are of the labeling policy that holds when they are given or read: those of another one are not mixed in.
    """

    FILE = "labels.sqlite"

    def add(self, run: str, what: str, labels: Mapping[str, float | None], *, when: str = "", by: str = "") -> int:
        """Keep labels {query_id: value in [0, 1], None withdraws}, all or none; those that hold already are passed
        over. Returns how many are new.
        """
        current, what = self.read(run, what), _of_policy(what)
        new = {query: value for query, value in labels.items() if current.get(query) != value}
        if new:
            self._store.add(run, [Event("label", query, "" if value is None else repr(float(value)), doc_id=what,
                                        when=when, by=by) for query, value in new.items()])
        return len(new)

    def read(self, run: str, what: str) -> dict[str, float]:
        """The labels that hold: {query_id: value}, in the order in which they were given."""
        key = _of_policy(what)
        return {event.query_id: float(event.value) for event in self._store.read(run).events
                if event.kind == "label" and event.doc_id == key}

    def label_counts(self, run: str) -> dict[str, int]:
        """What was labeled of a run, and how many queries each."""
        counts: dict[str, int] = {}
        for event in self._store.read(run).events:
            counts[event.doc_id] = counts.get(event.doc_id, 0) + (event.kind == "label")
        return counts


def policy_digest(what: str) -> str:
    """Under which policy a count of `label_counts` was given; "" for none.

    Examples
    --------
    >>> policy_digest("Correctness (policy 0123abcd)"), policy_digest("Correctness")
    ('0123abcd', '')
    """
    digest = re.search(r" \(policy ([0-9a-f]{8})\)$", what)
    return digest[1] if digest else ""


def _of_policy(what: str) -> str:
    """What was asked, and under which policy; the same as before where there is none."""
    policy = current_policy()
    return f"{what} (policy {policy.digest})" if policy else what
