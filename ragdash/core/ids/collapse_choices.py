"""Ways to collapse chunks to documents that find more judged documents, and how far the data supports each of them.

Letters: N returned documents of a run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import take, text_column
from ragdash.core.ids.id_bytes import form_of
from ragdash.core.ids.normalization import NUMBER, PREFIX, before, collapsed_ids
from ragdash.core.ids.spellings import SPELLINGS, Spelling, Wanted, every_spelling, spelling
from ragdash.core.records import Run, Truth

SEPARATORS = ("::", "#", "_", "-", ":", "/", "|", ".", "@")
MOST_UNKNOWN = 0.5  # share of the ids that a way changes, up to which it may make documents that nothing knows
MOST_FORMS = 0.5  # forms of judged ids, as a share of these, up to which an unknown form means something
_PROBED, _LONGEST = 2_000, 200  # ids, and characters of each, looked at for a separator of more than one character
_CUT = re.compile(r"[\W_]{1,9}(?:[^\W\d_]{1,20}[\W_]{0,9})?(?=\d)")


@dataclass(frozen=True)
class CollapseChoice:
    """A way to collapse, and what it does to the ids of a run.

    Parameters
    ----------
    by
        The way, as `collapsed` takes it.
    ids
        The spelling that is needed with it, or None.
    share
        The share of the judged documents that are found.
    changed, documents
        How many different returned ids it changes, and how many documents these become.
    unknown, example
        Of those changed: how many become a document that is not in the corpus and has the form of no judged document;
        such a document. None where judged ids have too many forms to know one by it.
    merged
        Of those changed: how many are judged documents of their own, and would count as another one.
    """

    by: str
    ids: str | None
    share: float
    changed: int = 0
    documents: int = 0
    unknown: int = 0
    example: str = ""
    merged: int = 0

    @property
    def is_supported(self) -> bool:
        """Whether the data supports it: it merges no judged documents, and most ids become a document of a known form.
        """
        return not self.merged and self.unknown <= MOST_UNKNOWN * self.changed


def collapse_choices(run: Run, truth: Truth, judged: Wanted | None = None) -> list[CollapseChoice]:
    """Ways to collapse by which more of the judged documents are among the returned than as written, best first.

    Ways that the data supports come first. A spelling is added where a way finds none of them without it. judged: of
    truth.docs, where it is there already.

    Examples
    --------
    >>> run = Run.build("a", ["q"] * 3, ["p28_001", "p30_000", "table_p0105"], [3.0, 2.0, 1.0])
    >>> best, other = collapse_choices(run, Truth.build("t", ["q", "q"], ["p28", "p105"], [1, 1]))
    >>> best.by, best.changed, best.documents, best.unknown
    ('number:_', 2, 2, 0)
    >>> other.by, other.changed, other.documents, other.unknown, other.example
    ('prefix:_', 3, 3, 1, 'table')
    """
    judged = judged or Wanted(truth.docs)
    base = judged.share(pc.unique(run.docs))
    choices = []
    for by, ids, docs in _ways(run, judged):
        share, rule = _share(pc.unique(docs), judged)
        if share > base:
            choices.append(_choice(CollapseChoice(by, rule.name if rule else None, share), ids, docs, truth, judged))
    return sorted(choices, key=lambda choice: (not choice.is_supported, -choice.share, choice.ids is not None,
                                               choice.unknown, len(choice.by), choice.by))


def _ways(run: Run, judged: Wanted) -> Iterator[tuple[str, pa.ChunkedArray, pa.ChunkedArray]]:
    """(Way, returned ids, the document that each becomes) of all ways that change an id."""
    if run.sources is not None:
        yield "source", run.docs, collapsed_ids(run, "source")
    returned = text_column(pc.unique(run.docs))
    for separator in dict.fromkeys((*SEPARATORS, *_longer_separators(returned, judged))):
        docs = before(returned, separator)
        if docs.equals(returned):
            continue
        yield f"{PREFIX}{separator}", returned, docs
        numbered = before(returned, separator, only_numbers=True)
        if not numbered.equals(docs) and not numbered.equals(returned):
            yield f"{NUMBER}{separator}", returned, numbered


def _share(docs: pa.Array, judged: Wanted) -> tuple[float, Spelling | None]:
    """The share of the judged documents among these, and the spelling under which; None where some are without one."""
    share = judged.share(docs)
    if share:
        return share, None
    share, rule = max(((judged.share(pc.unique(entry.apply(docs)), entry), entry) for entry in SPELLINGS),
                      key=lambda pair: (pair[0], pair[1].name))
    if not share:
        live = every_spelling(docs, judged)
        rule = spelling(",".join(entry.name for entry in SPELLINGS if entry in live)) if len(live) > 1 else None
        share = judged.share(pc.unique(rule.apply(docs)), rule) if rule else 0.0
    return share, rule


def _choice(choice: CollapseChoice, ids: pa.ChunkedArray, docs: pa.ChunkedArray, truth: Truth,
            judged: Wanted) -> CollapseChoice:
    """The choice with what it does to these ids; docs: the document that each becomes."""
    is_changed = pc.not_equal(ids, docs)
    ids, docs = ids.filter(is_changed), docs.filter(is_changed)
    rule = spelling(choice.ids) if choice.ids else None
    known = judged.form(rule) if rule else judged.ids
    was, becomes = (rule.apply(column) if rule else column for column in (ids, docs))
    merged = pc.and_(pc.is_in(was, value_set=known), pc.not_equal(was, becomes))
    is_named = choice.by == "source"  # the file itself names the documents
    unknown = pc.is_null(docs) if is_named else _unknown(docs, becomes, known, truth)
    example = docs.filter(unknown)
    return CollapseChoice(choice.by, choice.ids, choice.share, len(pc.unique(ids)), len(pc.unique(docs)),
                          len(pc.unique(ids.filter(unknown))), example[0].as_py() if len(example) else "",
                          len(pc.unique(ids.filter(merged))))


def _unknown(docs: pa.ChunkedArray, spelled: pa.ChunkedArray, known: pa.StringArray, truth: Truth) -> pa.ChunkedArray:
    """Which of these documents are not in the corpus and have the form of no known id; spelled: as known is."""
    forms = pc.unique(form_of(known))
    if len(forms) > MOST_FORMS * len(known):
        return pc.is_null(docs)
    unknown = pc.invert(pc.is_in(form_of(spelled), value_set=forms))
    if truth.corpus is None:
        return unknown
    return pc.and_(unknown, pc.invert(pc.is_in(docs, value_set=pc.unique(text_column(truth.corpus.doc_ids)))))


def _longer_separators(returned: pa.Array, judged: Wanted) -> list[str]:
    """What is between a judged id and a number in the returned ids: "_chunk_", "_p"; the three commonest."""
    step = max(len(returned) // _PROBED, 1)
    probed = [doc[:_LONGEST] for doc in take(text_column(returned), np.arange(0, len(returned), step)).to_pylist()]
    cuts = [[(doc[:matches.start()], matches.group()) for matches in _CUT.finditer(doc)] for doc in probed]
    wanted_prefixes = set(judged.forms_of([before for matches in cuts for before, _ in matches])[1].to_pylist())
    separator_counts: Counter[str] = Counter()
    for matches in cuts:
        separator_counts.update([separator for before, separator in matches if before in wanted_prefixes][-1:])
    return [separator for separator, _ in separator_counts.most_common(3)]
