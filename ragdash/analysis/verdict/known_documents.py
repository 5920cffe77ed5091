"""Runs whose documents are known much more seldom than those of the other runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.comparability.query_sample import sampled_rows
from ragdash.analysis.verdict.checks import RunCheck
from ragdash.core.arrow_columns import text_column
from ragdash.core.ids.id_bytes import form_of
from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match

SAMPLE = 20_000  # documents of a run that are looked at
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
    known = known_shares([match.run for match in matches], matches[0].truth) if known is None else known
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


def known_shares(runs: Sequence[Run], truth: Truth) -> list[KnownShares]:
    """Of each run (share of its documents that are known, documents): by the corpus or judgments, and by form of id.

    Of a large run, the documents of an even sample of its queries are looked at.

    Judgments show it only where they are many: runs differ in how many judged documents they return, but with few
    judgments per query nearly all documents of every run are unjudged, and their share is too low to count.
    """
    wanted = text_column(truth.docs if truth.corpus is None else truth.corpus.doc_ids)
    docs = [_sampled_docs(run) for run in runs]
    counts = _known_counts(docs, wanted), _known_counts([form_of(column) for column in docs],
                                                        pc.unique(form_of(wanted)))
    return [[(int(known) / max(len(column), 1), len(column)) for known in both]
            for column, *both in zip(docs, *counts, strict=True)]


def _sampled_docs(run: Run) -> pa.Array:
    """The documents that are looked at, each once."""
    rows = sampled_rows(run, SAMPLE)
    return pc.unique(run.docs if rows is None else run.docs.filter(pa.array(rows)))


def _known_counts(columns: Sequence[pa.Array], wanted: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """How many ids of each column are wanted ones; together, so that these are sorted into a table once."""
    known = pc.is_in(pa.chunked_array(columns, pa.string()), value_set=wanted).to_numpy()
    ends = np.cumsum([0, *map(len, columns)])
    return np.diff(np.append(0, np.cumsum(known))[ends])
