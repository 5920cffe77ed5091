"""Labels that came with a run's file (Correct, Incorrect, Refusal; 0 and 1), as values of its answers.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.core.text.metric_names import guess_direction, is_human_label, is_refusal_label, label_value, labels_in
from ragdash.matching.match import Match
from ragdash.matching.question_types import right_refusals

SHARES = (0.0, 0.5, 1.0)  # the numbers that people give


def label_columns(run: Run) -> tuple[str, ...]:
    """The columns of a run's file that can be labels of its answers: words that say right or wrong, or numbers from 0
    to 1 of which more is better. Those that look like labels of people first.
    """
    scores = run.file_scores
    if scores is None:
        return ()
    columns = [name for name in scores.label_names if any(label_value(text) is not None for text in _texts(run, name))]
    columns += [name for name in scores.names if _is_share(run, name) and guess_direction(name) == "higher"]
    return tuple(sorted(columns, key=lambda name: not _by_people(run, name)))


def check_label_column(column: str, runs: Sequence[Run]) -> None:
    """Raise InputError where no run's file has this column of labels."""
    known = tuple(dict.fromkeys(name for run in runs for name in label_columns(run)))
    if column not in known:
        raise InputError([Problem("no-label-column", {"column": column, "columns": list(known)},
                                  field="--label-column")])


def human_label_column(run: Run) -> str:
    """The column with labels of people that say whether an answer is right; "" where there is none.

    Examples
    --------
    >>> from ragdash.core.file_scores import FileScores
    >>> scores = FileScores.build([("q1", "a", "mrr", 0.5), ("q1", "a", "verdict", "Correct"),
    ...                            ("q2", "a", "verdict", "Refusal"), ("q3", "a", "verdict", "Correct")])
    >>> human_label_column(Run.build("a", ["q1"], ["d"]).with_file_scores(scores))
    'verdict'
    """
    return next((name for name in label_columns(run) if _by_people(run, name)), "")


def unused_labels(match: Match) -> Problem | None:
    """What labels of the run's file say of its answers where nothing shows that people gave them; None elsewhere.

    Labels of people are counted without a choice; of others nothing is known.
    """
    column, scores = next(iter(label_columns(match.run)), ""), match.run.file_scores
    if scores is None or column not in scores.label_names or _by_people(match.run, column):
        return None
    labels = read_labels_of(match, column)
    return Problem("unused-labels", {"run": match.run.name, "column": column, "answers": int(np.isfinite(labels).sum()),
                                     "right": int((labels == 1).sum()),
                                     "partly": int(((labels > 0) & (labels < 1)).sum())}, severity="note")


def read_labels_of(match: Match, column: str) -> np.ndarray:
    """What a column says of the answer to each query: (Q,) in [0, 1], NaN where it says nothing.

    1 right, 0.5 partly, 0 wrong. A label for a refusal is 1 where declining is right (`right_refusals`), else 0.
    """
    scores, query_ids = match.run.file_scores, match.query_ids.to_pylist()
    if scores is None:
        return np.full(len(query_ids), np.nan)
    if column not in scores.label_names:
        return scores.aligned(match.run.name, column, query_ids)
    may_decline = right_refusals(match.truth)
    labels = scores.aligned_labels(match.run.name, column, query_ids)
    return np.array([_value(label, may) for label, may in zip(labels, may_decline, strict=True)], np.float64)


def labeled_right_refusals(match: Match, column: str) -> np.ndarray:
    """The queries whose answer has a label for a refusal where declining is right: (Q,) bool."""
    scores, query_ids = match.run.file_scores, match.query_ids.to_pylist()
    if scores is None or column not in scores.label_names:
        return np.zeros(len(query_ids), bool)
    labels = scores.aligned_labels(match.run.name, column, query_ids)
    return right_refusals(match.truth) & np.array([label is not None and is_refusal_label(label) for label in labels])


def labels_by_query(match: Match, column: str) -> dict[str, float]:
    """{query_id: what a column says of its answer}, without the queries that it says nothing of."""
    values = read_labels_of(match, column)
    return {query: value for query, value in zip(match.query_ids.to_pylist(), values.tolist(), strict=True)
            if value == value}


def label_words(runs: Sequence[Run], column: str) -> tuple[str, str] | None:
    """The words of a column for wrong and right; None where it has other labels too, or several words for one."""
    texts = {text.casefold(): text for run in runs if run.file_scores and column in run.file_scores.label_names
             for text in _texts(run, column)}
    words = {label_value(text): text for text in texts.values()}
    return (words[0.0], words[1.0]) if len(texts) == len(words) == 2 and words.keys() == {0.0, 1.0} else None


def _value(label: str | None, may_decline: bool) -> float:
    if label is None:
        return np.nan
    value = float(may_decline) if is_refusal_label(label) else label_value(label)
    return np.nan if value is None else value


def _texts(run: Run, name: str) -> list[str]:
    """The different labels of a column."""
    rows = zip(run.file_scores.metrics.to_pylist(), run.file_scores.labels.to_pylist(), strict=True)
    return labels_in([label for metric, label in rows if metric == name and label is not None])


def _numbers(run: Run, name: str) -> np.ndarray:
    """The different numbers of a column."""
    of_column = np.array(run.file_scores.metrics.to_pylist(), object) == name
    values = run.file_scores.values[of_column]
    return np.unique(values[np.isfinite(values)])


def _is_share(run: Run, name: str) -> bool:
    values = _numbers(run, name)
    return bool(len(values) and values[0] >= 0 and values[-1] <= 1)


def _by_people(run: Run, name: str) -> bool:
    text = name in run.file_scores.label_names
    return is_human_label(name, text=text) and (text or set(_numbers(run, name).tolist()) <= set(SHARES))
