"""What a metric from a file may look at: values and labels that came with the run. Letters: Q queries of the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Unavailable
from ragdash.core.records import Run
from ragdash.matching.views.ranked import Values


@dataclass(frozen=True, eq=False)
class Supplied:
    """The values and labels in a run's file, in the order of the truth's queries."""

    run: Run
    query_ids: pa.StringArray

    def values(self, column: str) -> Values:
        """Numbers of a column: (Q,), NaN where the file gives none. Raises Unavailable where no query has one."""
        scores = self.run.file_scores
        if scores is None or column not in scores.names:
            raise self._missing(column)
        return scores.aligned(self.run.name, column, self.query_ids.to_pylist())

    def labels(self, column: str) -> list[str | None]:
        """Labels of a column: (Q,), None where the file gives none. Raises Unavailable where no query has one."""
        scores = self.run.file_scores
        if scores is None or column not in scores.label_names:
            raise self._missing(column)
        return scores.aligned_labels(self.run.name, column, self.query_ids.to_pylist())

    def share(self, column: str, label: str) -> Values:
        """1 for the queries with this label, 0 for those with another, NaN for those without one: (Q,)."""
        return np.array([np.nan if given is None else float(given == label) for given in self.labels(column)])

    def _missing(self, column: str) -> Unavailable:
        scores = self.run.file_scores
        names = [] if scores is None else [*scores.names, *scores.label_names]
        return Unavailable("no-file-metric", {"run": self.run.name, "column": column, "names": names}, f"file:{column}")
