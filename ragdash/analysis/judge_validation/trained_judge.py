"""A judge that is trained here: logistic regression on features of the texts, fitted to people's labels.

It needs no key and sends nothing anywhere. A label that it was trained on never serves to say how good it is.

Letters: Q queries, R rows (queries with an answer, of all runs), F features, K folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from ragdash.analysis.judge_validation.features import CONTEXT_COSINES, OF_MODELS, Features, features_of
from ragdash.analysis.judge_validation.verdicts import RunVerdicts
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records.arguments import checked
from ragdash.evaluation.stats import MIN_LABELS, SEED, Logistic, logistic
from ragdash.matching.match import Match

FOLDS, PENALTY = 5, 5.0
NO_ANSWER = "no answer"
WHAT = "label"  # what was judged, where nothing else is said
Labels = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class TrainedJudge:
    """What came of the training. verdicts: of each run; features: the names of the F features; left_out: {feature that
    no run has: why}; weights (K, F): of the standardized features, of each fold's model; folds: {labeled query: its
    fold}; labels: how many it was trained on; models: {feature: the local model that it comes from}.
    """

    verdicts: tuple[RunVerdicts, ...]
    features: tuple[str, ...]
    left_out: Mapping[str, str]
    weights: np.ndarray
    folds: Mapping[str, int]
    labels: int
    penalty: float
    seed: int
    models: Mapping[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> dict:
        """The text to show with the numbers."""
        weights = self.weights.mean(axis=0).round(4).tolist()
        return {"local_judge": {"labels": self.labels, "folds": len(self.weights), "penalty": self.penalty,
                                "seed": self.seed, "features": dict(zip(self.features, weights, strict=True)),
                                "left_out": dict(self.left_out), "models": dict(self.models)}}

    def __str__(self) -> str:
        features = ", ".join(self.features)
        return f"local judge: trained on {self.labels:,} labels in {len(self.weights)} folds, by {features}"


@checked
def fit_judge(matches: Sequence[Match], labels: Labels | Sequence[Mapping[str, float]], what: str = WHAT, *,
                folds: int = FOLDS, penalty: float = PENALTY, seed: int = SEED) -> TrainedJudge:
    """Train a judge on labels {run's name: {query_id: value in [0, 1]}} and let it judge every answer of the runs.
    Where names repeat: the labels of each match instead, in their order.

    The labeled queries are dealt into folds at random (seeded; never by their labels), a query with all its labels of
    all runs into one. Each fold has a model, fitted to the labels of the other folds; features are standardized on
    these alone. A labeled query's verdict, in every run, is that of its own fold's model, which has seen no label of
    this query; that of an unlabeled query is the mean of all models, each weighing as much as its fold has labels of
    the run. An unknown value of a feature counts as its mean, and that it is not known is a feature too. Queries
    without an answer have no verdict, and their labels train nothing.

    What holds: where the labels are a random sample, the same queries in all runs, the estimate of
    ragdash.evaluation.stats.prediction_powered,
    mean_N(f) - mean_n(f - y), has no bias with these verdicts, however bad the judge is: each model is used on labeled
    queries that it has not seen as on unlabeled ones, with the same weight. (The pseudo-rectifiers and the cut at 0
    and 1 move it a little; so may runs that are labeled on different queries.) What does not hold: the interval is
    that of a judge who was there before, as in ppi-python's crossppi_mean_ci without bootstrap. The models share most
    of their labels, so that verdicts of different folds hang together, which the standard error does not see; hence the
    pseudo-rectifiers are needed here all the more. That it covers as asked is a matter of stable models and many
    labels (the paper's theorem) and of the simulation in benchmarks/ppi.py, not of every sample. It is no judge of
    other runs, and accuracy and kappa are those of the models of the folds.

    Raises InputError: a run without answers, fewer than MIN_LABELS labeled queries with an answer, labels all alike,
    values outside [0, 1], fewer than 2 folds. Source: Zrnic and Candès 2024, Cross-prediction-powered inference;
    Saad-Falcon et al. 2023 (ARES) for the use.
    """
    if not len(matches):
        raise InputError([Problem("no-run/matches", field="matches")])
    run_labels = [labels.get(match.run.name, {}) for match in matches] if isinstance(labels, Mapping) else labels
    answered = [_features(match, only_answers=True).answered for match in matches]
    y = np.concatenate([np.where(has_answer, _label_array(match, label_of), np.nan)
                        for match, has_answer, label_of in zip(matches, answered, run_labels, strict=True)])
    query = _query_numbers(matches)
    folds = min(folds, _check(y, query, folds))
    tables = [_features(match) for match in matches]
    names, values, left_out = _table(tables)
    fold, dealt = _assign_folds(matches, query, y, folds, seed)
    labeled = np.flatnonzero(~np.isnan(y))
    models = logistic(values[labeled], y[labeled], penalty=penalty,
                      use=fold[labeled] != np.arange(folds)[:, None])
    run = np.repeat(np.arange(len(matches)), [len(match.query_ids) for match in matches])
    predictions = _predictions(models, values, fold, _shares(fold, run, y, len(matches), folds)[run])
    predictions[~np.concatenate(answered)] = np.nan
    problems = _lexical_only_warning(left_out)
    ends = np.cumsum([len(match.query_ids) for match in matches])[:-1]
    verdicts = [_verdicts(match, run_predictions, what, folds, problems)
                for match, run_predictions in zip(matches, np.split(predictions, ends), strict=True)]
    return TrainedJudge(tuple(verdicts), names, left_out, models.weights, dealt, len(labeled), penalty, seed,
                      {name: model for table in tables for name, model in table.models.items()})


def placeholder_verdicts(match: Match, what: str = WHAT) -> RunVerdicts:
    """The queries that a local judge could judge, before it is trained: to draw a sheet from. The values say nothing.

    Raises InputError for a run without answers.
    """
    answers = _features(match, only_answers=True).answered
    return _verdicts(match, np.where(answers, 0.5, np.nan), what, 0, ())


def _features(match: Match, only_answers: bool = False) -> Features:
    try:
        if only_answers:
            answers = match.answered.answers
            has_answer = np.array([answer is not None and bool(answer.strip()) for answer in answers], bool)
            return Features((), np.zeros((len(has_answer), 0)), has_answer, {})
        return features_of(match)
    except Unavailable as missing:
        raise InputError([replace(missing.problem, severity="error")]) from None


def _label_array(match: Match, labels: Mapping[str, float]) -> np.ndarray:
    """The label of each query, NaN for none: (Q,)."""
    return np.array([labels.get(query, np.nan) for query in match.query_ids.to_pylist()], np.float64)


def _table(tables: Sequence[Features]) -> tuple[tuple[str, ...], np.ndarray, dict[str, str]]:
    """(names, values (all Q of all runs, F), {what no run has: why}): all features that some run has, and for those
    that are known of some answers only whether they are.
    """
    names = tuple(dict.fromkeys(name for table in tables for name in table.names))
    blocks = []
    for table in tables:
        column_of = {name: column for column, name in enumerate(table.names)}
        padded = np.append(table.values, np.full((len(table.values), 1), np.nan), axis=1)
        blocks.append(padded[:, [column_of.get(name, -1) for name in names]])
    values = np.concatenate(blocks)
    unknown = np.isnan(values)
    unknown_answered = unknown[np.concatenate([table.answered for table in tables])].T
    first_column = {
        unknown_answered[column].tobytes(): column
        for column in range(len(names) - 1, -1, -1)
        if 0 < unknown_answered[column].sum() < unknown_answered.shape[1]
    }
    partly = sorted(first_column.values())  # of those that are known of the same answers, the first
    left_out = {name: why for table in tables for name, why in table.left_out.items() if name not in names}
    all_names = (*names, *(f"{names[column]} not known" for column in partly))
    return all_names, np.append(values, unknown[:, partly], axis=1), left_out


def _query_numbers(matches: Sequence[Match]) -> np.ndarray:
    """A number for each query of each run, the same for the same query: (all Q of all runs,) int64."""
    ids = [query for match in matches for query in match.query_ids.to_pylist()]
    number_of = {query: number for number, query in enumerate(sorted(set(ids)))}
    return np.array([number_of[query] for query in ids], np.int64)


def _check(y: np.ndarray, query: np.ndarray, folds: int) -> int:
    """How many queries are labeled; InputError where nothing can be learned from them."""
    defined = y[~np.isnan(y)]
    n = len(np.unique(query[~np.isnan(y)]))
    wrong = None
    if folds < 2:
        wrong = Problem("few-folds", {"folds": folds, "usual": FOLDS}, field="labels")
    elif n < MIN_LABELS:
        wrong = Problem("few-labels/local", {"queries": n, "fewest": MIN_LABELS}, field="labels")
    elif defined.min() < 0 or defined.max() > 1:
        odd = defined.min() if defined.min() < 0 else defined.max()
        wrong = Problem("label-range", {"value": odd}, field="labels")
    elif defined.min() == defined.max():
        wrong = Problem("one-class", {"labels": len(defined), "value": defined[0]}, field="labels")
    if wrong:
        raise InputError([wrong])
    return n


def _assign_folds(matches: Sequence[Match], query: np.ndarray, y: np.ndarray, folds: int,
          seed: int) -> tuple[np.ndarray, dict[str, int]]:
    """(fold of each row, -1 for a query without any label; {labeled query: fold}). Values of labels play no part."""
    labeled = np.unique(query[~np.isnan(y)])
    fold_of = np.full(int(query.max()) + 1, -1)
    fold_of[labeled[np.random.default_rng(seed).permutation(len(labeled))]] = np.arange(len(labeled)) % folds
    names = sorted({name for match in matches for name in match.query_ids.to_pylist()})
    return fold_of[query], {names[index]: int(fold_of[index]) for index in labeled}


def _shares(fold: np.ndarray, run: np.ndarray, y: np.ndarray, runs: int, folds: int) -> np.ndarray:
    """Share of each run's labels that lie in each fold, of all labels for a run without any: (runs, K)."""
    labeled = ~np.isnan(y)
    counts = np.zeros((runs, folds))
    np.add.at(counts, (run[labeled], fold[labeled]), 1.0)
    counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)
    return counts / counts.sum(axis=1, keepdims=True)


def _predictions(models: Logistic, values: np.ndarray, fold: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The verdict on each row: of its own fold's model, or of all of them by their shares (R, K)."""
    by_fold = models.predict(values).T
    held_out = np.take_along_axis(by_fold, np.maximum(fold, 0)[:, None], axis=1)[:, 0]
    return np.clip(np.where(fold >= 0, held_out, (by_fold * share).sum(axis=1)), 0.0, 1.0)


def _verdicts(match: Match, values: np.ndarray, what: str, folds: int, problems: tuple[Problem, ...]) -> RunVerdicts:
    silent = match.query_ids.filter(pa.array(np.isnan(values))).to_pylist()
    return RunVerdicts(
        match.run.name,
        match.query_ids,
        values,
        what,
        match.run.digest,
        dict.fromkeys(silent, NO_ANSWER),
        judge=f"logistic regression in {folds} folds" if folds else "",
        problems=problems,
    )


def _lexical_only_warning(left_out: Mapping[str, str]) -> tuple[Problem, ...]:
    """That no local model has a part in it, where one could."""
    lacking = [name for name in (*OF_MODELS, *CONTEXT_COSINES) if name in left_out]
    if len(lacking) < len((*OF_MODELS, *CONTEXT_COSINES)):
        return ()
    return (Problem("lexical-only", severity="warning"),)
