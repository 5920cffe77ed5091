"""Labels kept on disk: which answer of which run a person found good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import EllipsisType

from ragdash.core.storage.shown_values import require_shown
from ragdash.models.judge.tasks.policy import Policy, current_policy
from ragdash.workspace.reviews import Event, EventStore, Reviews


@dataclass(frozen=True)
class LabelStore(EventStore):
    """labels.sqlite in a folder (default: the user's workspace).

    A label is of a query, of what was asked ("Faithfulness") and of a run by its digest: rankings, answers and texts
    are in it, so that a label is never taken for that of another answer. Names and the truth are not.
    Labels are of the labeling policy that holds when they are given or read: those of another one are not mixed in.
    """

    FILE = "labels.sqlite"

    def add(self, run: str, what: str, labels: Mapping[str, float | None],
            shown: Mapping[str, float | None] | None = None, *, policy: Policy | EllipsisType | None = ...,
            when: str = "", by: str = "") -> int:
        """Keep labels {query_id: value in [0, 1], None withdraws}, all or none; those that hold already are passed
        over. Returns how many are new.

        shown: the labels that the person saw. One that somebody else has changed since is not withdrawn; InputError for
        one that would be replaced. policy: the labeling policy that the person saw, ... for any; InputError where
        another one holds.
        """
        require_shown(current_policy(), policy, None if policy is ... else policy, "the labeling policy")
        key = _of_policy(what)

        def events(stored: Reviews) -> list[Event]:
            current = _labels(stored, key)
            for query, value in labels.items() if shown is not None else ():
                if value is not None and query in current:
                    require_shown(current[query], shown.get(query), value, f"the label of query {query!r}")
            kept = {query for query, value in labels.items() if value is None and shown is not None
                    and current.get(query) != shown.get(query)}
            return [Event("label", query, "" if value is None else repr(float(value)), doc_id=key, when=when, by=by)
                    for query, value in labels.items() if current.get(query) != value and query not in kept]

        return len(self._store.add(run, events)) if events(self._store.read(run)) else 0

    def read(self, run: str, what: str) -> dict[str, float]:
        """The labels that hold: {query_id: value}, in the order in which they were given."""
        return _labels(self._store.read(run), _of_policy(what))

    def label_counts(self, run: str) -> dict[str, int]:
        """What was labeled of a run, and how many queries each."""
        counts: dict[str, int] = {}
        for event in self._store.read(run).events:
            counts[event.doc_id] = counts.get(event.doc_id, 0) + (event.kind == "label")
        return counts


def _labels(stored: Reviews, key: str) -> dict[str, float]:
    return {event.query_id: float(event.value) for event in stored.events
            if event.kind == "label" and event.doc_id == key}


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
