"""Where each judged document went when the documents were indexed again: by its text, never by its id alone."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from rapidfuzz import fuzz

from ragdash.core.arrow_columns import take
from ragdash.core.corpus import Corpus
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.matching.relink.shared_shingles import Overlap, SharedShingles

KINDS: Mapping[str, str] = {
    "same": "the id and the text are the same",
    "moved": "the same text has another id",
    "changed": "one document has most of the text, and little else",
    "split": "several documents together have most of the text",
    "merged": "the text is a part of a larger document",
    "gone": "no document has most of the text",
    "unknown": "the old text of this id is not known",
}
NEAR = 0.6  # share of the shingles that a changed document has in common with the old one, both ways
MOST = 0.7  # share of the old text that a larger document, or several together, have to hold
PIECE = 0.15  # share of the old text from which on a document counts as a piece of it
MOST_PIECES = 20


@dataclass(frozen=True)
class Link:
    """A judged document and the documents it is now.

    kind: one of KINDS; targets: the new ids, the one with most of the text first; share: how much of the old text they
    hold, in [0, 1] (of a changed document how similar the two texts are), NaN where it is unknown; judgments: how many
    queries have a judgment of it.
    """

    doc_id: str
    kind: str
    targets: tuple[str, ...]
    share: float
    judgments: int


@dataclass(frozen=True, eq=False)
class TextPart:
    """What a new document has of an old one: distinct shingles, and how many the old one has in all."""

    shingles: np.ndarray
    size: int


@dataclass(frozen=True)
class Relinking:
    """A link for every judged document, in the order of their ids.

    reused: ids of documents that are gone and that another document has now; parts: {new document that an asker may
    see by its link and that has another text than before: {old document: its part of the new text}}.
    """

    links: tuple[Link, ...]
    reused: frozenset[str] = frozenset()
    parts: Mapping[str, Mapping[str, TextPart]] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """Judged documents of each kind, in the order of KINDS."""
        counted = Counter(link.kind for link in self.links)
        return {kind: counted[kind] for kind in KINDS}


def texts_by_id(sources: Iterable[Corpus | Run]) -> dict[str, str]:
    """{document id: text} of corpora and of runs with texts; the first text of an id counts."""
    texts: dict[str, str] = {}
    for source in sources:
        if source.texts is None:
            continue
        if isinstance(source, Corpus):
            ids, values = source.doc_ids.to_pylist(), source.texts.to_pylist()
        else:
            rows = np.flatnonzero(source.texts.is_valid().to_numpy())
            ids, values = take(source.docs, rows).to_pylist(), take(source.texts, rows).to_pylist()
        for doc, text in zip(ids, values, strict=True):
            if text:
                texts.setdefault(doc, text)
    return texts


@checked
def propose_links(truth: Truth, old: Mapping[str, str], new: Mapping[str, str]) -> Relinking:
    """What each judged document of a truth is among the new documents.

    Parameters
    ----------
    truth
        Its judgments name documents by their old ids; so do its details: `allowed`, `subtopics`.
    old, new
        {document id: text} before and after.

    Returns
    -------
    Relinking
        Equal texts (white space and case aside) are the same document. Of the others the runs of three words that
        old and new texts share decide. An id that has another text now is another document.

    Examples
    --------
    >>> truth = Truth.build("qrels", ["q", "q"], ["1", "2"], [1, 1])
    >>> old = {"1": "the moon orbits the earth", "2": "tides follow the moon"}
    >>> new = {"1": "Tides follow the moon", "9": "a page about Mars and its dust"}
    >>> [(link.doc_id, link.kind, link.targets) for link in propose_links(truth, old, new).links]
    [('1', 'gone', ()), ('2', 'moved', ('1',))]
    """
    judged = Counter(truth.docs.to_pylist())
    judged.update(dict.fromkeys(truth.other_docs.to_pylist(), 0))
    by_text: dict[str, list[str]] = {}
    for doc, text in new.items():
        by_text.setdefault(normalized(text), []).append(doc)
    links: dict[str, Link] = {}
    open_docs = []
    for doc in sorted(judged):
        if doc not in old:
            links[doc] = Link(doc, "unknown", (doc,) if doc in new else (), np.nan, judged[doc])
            continue
        twins = by_text.get(normalized(old[doc]), ())
        if not twins:
            open_docs.append(doc)
        elif doc in twins:
            links[doc] = Link(doc, "same", (doc,), 1.0, judged[doc])
        else:
            links[doc] = Link(doc, "moved", tuple(sorted(twins)), 1.0, judged[doc])
    for doc, (kind, targets, share) in _by_content(open_docs, old, new).items():
        links[doc] = Link(doc, kind, targets, share, judged[doc])
    reused = frozenset(doc for doc, link in links.items() if link.kind == "gone" and doc in new)
    allowed = [links[doc] for doc in sorted(_allowed(truth))]
    return Relinking(tuple(links[doc] for doc in sorted(links)), reused, _parts(allowed, old, new))


def _parts(allowed: Sequence[Link], old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, dict[str, TextPart]]:
    """What new documents have of each old one, where an allowed document became a part of them or changed."""
    targets = sorted({target for link in allowed if link.kind in ("changed", "split", "merged")
                      for target in link.targets})
    parts: dict[str, dict[str, TextPart]] = {target: {} for target in targets}
    if targets:
        shared = SharedShingles([normalized(text) for text in old.values()],
                                (normalized(new[target]) for target in targets))
        for index, doc in enumerate(old):
            for overlap in shared.overlaps(index):
                parts[targets[overlap.new]][doc] = TextPart(overlap.shingles, shared.size(index))
    return parts


def _allowed(truth: Truth) -> set[str]:
    """The documents that some asker may see, where the truth says so."""
    if truth.details is None or "allowed" not in truth.details.column_names:
        return set()
    return {doc for cell in truth.details["allowed"].to_pylist() for doc in cell or ()}


def normalized(text: str) -> str:
    """A text for exact comparison: NFKC, case-folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


Decision = tuple[str, tuple[str, ...], float]


def _by_content(docs: Sequence[str], old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, Decision]:
    """{old id: (kind, targets, share)} of documents whose text no new document has as it was."""
    if not docs:
        return {}
    new_ids = list(new)
    shared = SharedShingles([normalized(old[doc]) for doc in docs], (normalized(new[doc]) for doc in new_ids))
    return {doc: _decide(doc, shared.size(i), shared.overlaps(i), old, new, new_ids) for i, doc in enumerate(docs)}


def _decide(doc: str, size: int, overlaps: Sequence[Overlap], old: Mapping[str, str], new: Mapping[str, str],
            new_ids: Sequence[str]) -> Decision:
    """The kind of one old document: changed, merged, split or gone, tried in this order."""
    if not size or not overlaps:
        return "gone", (), 0.0
    ranked = sorted(overlaps, key=lambda overlap: (-len(overlap.shingles), -overlap.of_new,
                                                   new_ids[overlap.new] != doc, new_ids[overlap.new]))
    near = [overlap for overlap in ranked if min(len(overlap.shingles) / size, overlap.of_new) >= NEAR]
    if near:
        best = max(near, key=lambda overlap: (min(len(overlap.shingles) / size, overlap.of_new),
                                              new_ids[overlap.new] == doc))
        target = new_ids[best.new]
        return "changed", (target,), fuzz.ratio(normalized(old[doc]), normalized(new[target])) / 100
    best = ranked[0]
    if len(best.shingles) >= MOST * size:
        return "merged", (new_ids[best.new],), len(best.shingles) / size
    return _split(size, ranked, new_ids)


def _split(size: int, ranked: Sequence[Overlap], new_ids: Sequence[str]) -> Decision:
    """The fewest documents, taken by what each adds, that hold most of the text."""
    pieces = [overlap for overlap in ranked if len(overlap.shingles) >= PIECE * size or overlap.of_new >= NEAR]
    covered, targets = np.zeros(0, np.int64), []
    while pieces and len(targets) < MOST_PIECES:
        gains = [len(np.setdiff1d(overlap.shingles, covered, assume_unique=True)) for overlap in pieces]
        best = int(np.argmax(gains))
        if not gains[best]:
            break
        overlap = pieces.pop(best)
        covered = np.union1d(covered, overlap.shingles)
        targets.append(new_ids[overlap.new])
    share = len(covered) / size
    if share < MOST or not targets:
        return "gone", (), share
    return ("split" if len(targets) > 1 else "merged"), tuple(targets), share
