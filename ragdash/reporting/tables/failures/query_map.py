"""The map of the queries as a table: places, clusters, and how each run does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.analysis.diagnosis import STAGES, Diagnosis
from ragdash.analysis.failure_patterns.query_map import Area, QueryMap
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec


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
