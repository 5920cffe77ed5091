"""Failures seen together, as tables and as data: the corpus they are about, and the map of the queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from ragdash.analysis.diagnosis import STAGES, Diagnosis
from ragdash.analysis.failure_patterns.corpus import CorpusView, Part
from ragdash.analysis.failure_patterns.query_map import Area, QueryMap
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec
from ragdash.reporting.sentences.failures.corpus import part_text

MOST_NEVER = 1_000  # documents that JSON lists


def hub_rows(view: CorpusView) -> list[dict[str, object]]:
    """A row per hub."""
    return [{"Document": hub.document, "Queries": hub.n, "Relevant": hub.relevant,
             "Judged not relevant": hub.not_relevant, "Unjudged": hub.unjudged} for hub in view.hubs.hubs]


def copy_rows(view: CorpusView) -> list[dict[str, object]]:
    """A row per copy."""
    return [{"Copy": copy.document, "Of": copy.original, "Queries": copy.n}
            for copy in view.copies.copies]


def unfound_rows(view: CorpusView, query_ids: pa.StringArray) -> list[dict[str, object]]:
    """A row per relevant document that no run returns."""
    unfound = view.unfound
    return [{"Document": document, "Query": query_ids[int(query)].as_py()}
            for document, query in zip(unfound.documents, unfound.queries, strict=True)]


def part_rows(parts: Sequence[Part], name: str) -> list[dict[str, object]]:
    """A row per source or range of lengths."""
    return [{name: part.name, "Relevant": part.relevant, "Not returned": part.unfound,
             "Share": part_text(part)} for part in parts]


def corpus_dict(view: CorpusView, query_ids: pa.StringArray) -> Mapping[str, object]:
    """The view as plain data, with the queries of every number; null where undefined."""
    def ids(mask: np.ndarray) -> list[str]:
        return query_ids.filter(pa.array(mask)).to_pylist()

    def parts(rows: Sequence[Part]) -> list[dict[str, object]]:
        return [{"name": part.name, "relevant": part.relevant, "unfound": part.unfound, "share": part.share,
                 "low": None if np.isnan(part.low) else part.low, "high": None if np.isnan(part.high) else part.high,
                 "queries": ids(part.queries)} for part in rows]

    unfound, hubs, copies = view.unfound, view.hubs, view.copies
    return {
        "k": view.k,
        "hubs": {"documents": hubs.documents, "of_corpus": hubs.of_corpus,
                 "skew": None if np.isnan(hubs.skew) else hubs.skew,
                 "places": None if np.isnan(hubs.places) else hubs.places,
                 "rows": [{"document": hub.document, "n": hub.n, "relevant": hub.relevant,
                           "not_relevant": hub.not_relevant, "unjudged": hub.unjudged, "queries": ids(hub.queries)}
                          for hub in hubs.hubs]},
        "copies": {"places": copies.places, "near": copies.near, "texts": copies.texts, "queries": ids(copies.queries),
                   "rows": [{"document": copy.document, "original": copy.original, "queries": ids(copy.queries)}
                            for copy in copies.copies]},
        "unfound": {"relevant": unfound.relevant, "depth": unfound.depth,
                    "rows": [{"document": row["Document"], "query": row["Query"]}
                             for row in unfound_rows(view, query_ids)],
                    "by_source": parts(unfound.by_source), "by_length": parts(unfound.by_length)},
        "never_returned": None if view.never is None else {
            "count": len(view.never), "relevant": view.never_relevant,
            "documents": view.never[:MOST_NEVER].to_pylist()},
    }


def map_table(result: QueryMap, areas: Sequence[Area], diagnoses: Sequence[Diagnosis],
              evaluations: Sequence[Evaluation], spec: Spec) -> pa.Table:
    """A row per query: query_id, x, y, cluster and its words, and for each run its stage and its value.

    x, y and cluster are null for a query that is not on the map. Clusters are numbered from 1, the largest first.
    """
    cluster = np.full(len(result.places), -1)
    for number, area in enumerate(areas):
        cluster[area.queries] = number
    words = [None if number < 0 else " ".join(areas[number].words) for number in cluster.tolist()]
    columns = {"query_id": diagnoses[0].query_ids, "x": pa.array(result.places[:, 0], from_pandas=True),
               "y": pa.array(result.places[:, 1], from_pandas=True),
               "cluster": pa.array(cluster + 1, mask=cluster < 0), "words": pa.array(words, pa.string())}
    for diagnosis, evaluation in zip(diagnoses, evaluations, strict=True):
        columns[f"{diagnosis.run} stage"] = pa.array([STAGES[stage].name for stage in diagnosis.stage])
        columns[f"{diagnosis.run} {spec}"] = pa.array(evaluation.column(spec), from_pandas=True)
    return pa.table(columns)
