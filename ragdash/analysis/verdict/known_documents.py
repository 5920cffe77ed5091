"""Runs whose documents are known much more seldom than those of the other runs."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.comparability.query_sample import sampled_rows
from ragdash.analysis.verdict.checks import RunCheck
from ragdash.core.arrow_columns import text_column
from ragdash.core.ids.id_bytes import form_of
from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match

SAMPLE = 50_000  # documents of a run that are looked at
KNOWN_RATIO, LEAST_SHARE = 0.75, 0.3  # of the other runs' share of known documents; their share to compare with
LEAST_DOCUMENTS = 30  # to recognize it by
KnownShares = list[tuple[float, int]]  # (share of documents that are known, documents), by two measures


def unknown_ids(matches: Sequence[Match], checks: Sequence[RunCheck],
                known: Sequence[KnownShares] | None) -> list[RunCheck]:
    """A check of each run that this is true of, unless the checks found explain it; known: see `find_checks`."""
    explained = {run for check in checks if check.kind in ("other-ids", "other-level", "no-common-document",
                                                           "no-common-query") for run in check.runs}
    if len(matches) < 2:
        return []
    known = [known_shares(match.run, match.truth) for match in matches] if known is None else known
    highest = [sorted((share for share, _ in measure), reverse=True)[:2] for measure in zip(*known, strict=True)]
    unknown = []
    for match, shares in zip(matches, known, strict=True):
        if match.run.name in explained:
            continue
        for (share, n), (first, second) in zip(shares, highest, strict=True):
            best = second if share == first else first  # of the other runs
            if n >= LEAST_DOCUMENTS and best >= LEAST_SHARE and share < KNOWN_RATIO * best:
                rows = sampled_rows(match.run, SAMPLE)
                facts = {"run": match.run.name, "share": 1 - share, "other": 1 - best,
                         "looked": 0 if rows is None else int(rows.sum()), "returned": len(match.run.docs)}
                unknown.append(RunCheck("unknown-ids", "withheld", (match.run.name,), facts))
                break
    return unknown


def known_shares(run: Run, truth: Truth) -> KnownShares:
    """(Share of the run's documents that are known, documents): by the corpus or judgments, and by the form of the id.

    Of a large run, the documents of an even sample of its queries are looked at.

    Judgments show it only where they are many: runs differ in how many judged documents they return, but with few
    judgments per query nearly all documents of every run are unjudged, and their share is too low to count.
    """
    rows = sampled_rows(run, SAMPLE)
    docs = pc.unique(run.docs if rows is None else run.docs.filter(pa.array(rows)))
    wanted = text_column(truth.docs if truth.corpus is None else truth.corpus.doc_ids)
    known = pc.sum(pc.is_in(docs, value_set=wanted))
    known_forms = pc.sum(pc.is_in(form_of(docs), value_set=pc.unique(form_of(wanted))))
    n = max(len(docs), 1)
    return [((known.as_py() or 0) / n, len(docs)), ((known_forms.as_py() or 0) / n, len(docs))]
