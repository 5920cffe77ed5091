"""What a metric from a file may look at: values and labels that came with the run. Letters: Q queries of the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Unavailable
from ragdash.core.records import Run
from ragdash.core.text.metric_names import guess_direction
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
        """1 for the queries with this label, 0 for those with another, NaN for those without one: (Q,).

        Upper and lower case are one label. Raises Unavailable where the file has another word for this label
        (richtig for Correct, fail for Incorrect): its share would be 0 although the file says nothing about it.
        """
        labels = [None if given is None else given.casefold() for given in self.labels(column)]
        used, direction = {given for given in labels if given is not None}, guess_direction(column, label)
        if label.casefold() not in used and direction is not None:
            others = sorted(given for given in used if guess_direction(column, given) == direction)
            if others:
                raise Unavailable("other-labels", {"run": self.run.name, "column": column, "label": label,
                                                   "labels": others}, f"file:{column}")
        return np.array([np.nan if given is None else float(given == label.casefold()) for given in labels])

    def _missing(self, column: str) -> Unavailable:
        scores = self.run.file_scores
        names = [] if scores is None else [*scores.names, *scores.label_names]
        return Unavailable("no-file-metric", {"run": self.run.name, "column": column, "names": names}, f"file:{column}")
