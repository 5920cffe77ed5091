"""Judging again without knowing the old label: which pairs, and how far the new labels agree with the old ones.

Letters: n suspicious judgments shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType

import numpy as np

from ragdash.analysis.judge_validation.agreement import agreement
from ragdash.analysis.test_set.label_lint import LabelFinding
from ragdash.core.records import Truth
from ragdash.core.storage.shown_values import require_shown
from ragdash.evaluation.compute import exact_interval
from ragdash.evaluation.stats import LEVEL, SEED
from ragdash.workspace.reviews import Event, EventStore, Reviews

SUSPICIOUS = ("unanswerable-relevant", "answer-missing", "answer-elsewhere", "copies-differ", "questions-differ",
              "ranked-first", "hub")
"""The kinds of findings that doubt a judgment that is there."""
ITEMS = 20  # suspicious judgments offered, and as many others


@dataclass(frozen=True)
class RelabelItem:
    """One judgment to give again. key: what it is called in place of its ids; grade: the label of the truth."""

    key: str
    query: str
    doc: str
    grade: int
    suspicious: bool


@dataclass(frozen=True)
class RelabelGroup:
    """How often the new labels agree with those of the truth on relevant or not. share with its exact 95% interval;
    kappa: Cohen's; NaN without labels. changed: the keys where they differ."""

    labeled: int
    agreed: int
    share: float
    low: float
    high: float
    kappa: float
    changed: tuple[str, ...]


@dataclass(frozen=True)
class RelabelAgreement:
    """The agreement on suspicious judgments, on those drawn at random from the rest, and on all that were labeled."""

    suspicious: RelabelGroup
    others: RelabelGroup
    all: RelabelGroup


class RelabelStore(EventStore):
    """blind-labels.sqlite in a folder (default: the user's workspace): grades given again, by the digest of the truth.

    They are separate from a person's judgments on the Queries page: they measure the truth and do not change it.
    """

    FILE = "blind-labels.sqlite"

    def add(self, truth: str, item: RelabelItem, grade: int | None, shown: int | EllipsisType | None = ..., *,
            when: str = "", by: str = "") -> None:
        """Keep a grade; None withdraws it.

        shown: the grade that the person saw, ... where any may be replaced. InputError where somebody else has given
        another since.
        """
        def events(stored: Reviews) -> list[Event]:
            given = stored.judgments.get((item.query, item.doc))
            require_shown(given, shown, grade, f"the grade of {item.doc!r} for query {item.query!r}")
            return [Event("judgement", item.query, "" if grade is None else str(grade), doc_id=item.doc, when=when,
                          by=by)]

        self._store.add(truth, events)

    def read(self, truth: str) -> dict[str, int]:
        """The grades that hold: {key: grade}."""
        return {item_key(query, doc): grade
                for (query, doc), grade in self._store.read(truth).judgments.items()}


def item_key(query: str, doc: str) -> str:
    """Twelve hexadecimal digits that name a judgment without saying which it is.

    Examples
    --------
    >>> len(item_key("q1", "d7")), item_key("q1", "d7") == item_key("q1", "d7")
    (12, True)
    """
    content = f"{len(query)}:{query}{doc}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=6).hexdigest()


def all_items(truth: Truth, findings: Sequence[LabelFinding]) -> list[RelabelItem]:
    """Every judgment as an item, in the order of the truth; those in doubt are marked.

    Examples
    --------
    >>> [(item.doc, item.suspicious) for item in all_items(Truth.build("qrels", ["q1"], ["a"], [1]), [])]
    [('a', False)]
    """
    doubted = {(finding.query, doc) for finding in findings if finding.kind in SUSPICIOUS for doc in finding.docs}
    names = truth.query_ids.take(truth.queries).to_pylist()
    return [RelabelItem(item_key(query, doc), query, doc, grade, (query, doc) in doubted)
            for query, doc, grade in zip(names, truth.docs.to_pylist(), truth.grades.tolist(), strict=True)]


def relabel_items(truth: Truth, findings: Sequence[LabelFinding], showable: Mapping[str, bool], n: int = ITEMS,
                  seed: int = SEED) -> list[RelabelItem]:
    """Draw up to n suspicious judgments and as many others at random, in random order.

    Parameters
    ----------
    truth
        Whose judgments are given again.
    findings
        Of `lint_labels`; those of `SUSPICIOUS` kinds name judgments in doubt.
    showable
        {document: whether it has a text to show}; others are not offered.
    n
        Suspicious judgments at most; more than n are drawn at random. Where there are fewer, all of them.

    Notes
    -----
    The others make the person unable to guess which labels are in doubt, and show how often two people agree on
    judgments that nothing speaks against. Half of them are relevant, as far as there are such, since most judgments of
    a truth may be of one kind.

    Examples
    --------
    >>> truth = Truth.build("qrels", ["q1", "q1", "q2"], ["a", "b", "c"], [1, 0, 1])
    >>> doubt = [LabelFinding("answer-missing", "q1", ("a",))]
    >>> items = relabel_items(truth, doubt, {"a": True, "b": True, "c": True})
    >>> sorted((item.query, item.doc, item.suspicious) for item in items)[0], len(items)
    (('q1', 'a', True), 2)
    """
    shown = [item for item in all_items(truth, findings) if showable.get(item.doc)]
    rng = np.random.default_rng(seed)
    suspicious = _draw([item for item in shown if item.suspicious], n, rng)
    rest = [item for item in shown if not item.suspicious]
    wanted = len(suspicious) or n
    relevant = _draw([item for item in rest if item.grade >= 1], wanted - wanted // 2, rng)
    others = relevant + _draw([item for item in rest if item.grade < 1], wanted - len(relevant), rng)
    more = set(others)
    others += _draw([item for item in rest if item not in more], wanted - len(others), rng)
    items = suspicious + others
    return [items[i] for i in rng.permutation(len(items))]


def _draw(items: list[RelabelItem], n: int, rng: np.random.Generator) -> list[RelabelItem]:
    """n of the items at random, all of them where there are fewer."""
    return [items[i] for i in rng.permutation(len(items))[:max(n, 0)]]


def relabel_agreement(items: Sequence[RelabelItem], labels: Mapping[str, int]) -> RelabelAgreement:
    """Compare grades that were given again with those of the truth, as relevant (1 or more) or not.

    Examples
    --------
    >>> items = [RelabelItem("k1", "q1", "a", 1, True), RelabelItem("k2", "q1", "b", 0, False)]
    >>> result = relabel_agreement(items, {"k1": 0, "k2": 0})
    >>> result.suspicious.agreed, result.others.agreed, result.all.share, result.suspicious.changed
    (0, 1, 0.5, ('k1',))
    """
    labeled = [item for item in items if item.key in labels]
    return RelabelAgreement(_group([item for item in labeled if item.suspicious], labels),
                            _group([item for item in labeled if not item.suspicious], labels), _group(labeled, labels))


def _group(items: Sequence[RelabelItem], labels: Mapping[str, int]) -> RelabelGroup:
    if not items:
        return RelabelGroup(0, 0, *(np.nan,) * 4, ())
    old = np.array([float(item.grade >= 1) for item in items])
    new = np.array([float(labels[item.key] >= 1) for item in items])
    same = (old == new).astype(np.float64)
    low, high = exact_interval(same, LEVEL)
    return RelabelGroup(len(items), int(same.sum()), float(same.mean()), low, high, agreement(new, old).kappa,
                        tuple(item.key for item, equal in zip(items, same, strict=True) if not equal))
