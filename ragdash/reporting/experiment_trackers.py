"""Log evaluations and comparisons to MLflow and Weights & Biases, under keys that their pages group and draw."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import checked
from ragdash.core.records.flat_settings import setting_texts
from ragdash.evaluation.comparison_table import ComparisonTable
from ragdash.evaluation.evaluate import Evaluation, Summary, summaries
from ragdash.evaluation.outcomes import Comparison

_UNSAFE = re.compile(r"[^\w\-. /]")  # in the names of MLflow's metrics
LONGEST = 250  # characters of a key
MOST_PARAMETERS = 100


def metric_key(text: str) -> str:
    """The name of a metric, as MLflow spells cutoffs.

    Examples
    --------
    >>> metric_key("nDCG@10"), metric_key("P(denominator='returned')@5")
    ('nDCG_at_10', 'P_denominator__returned__at_5')
    """
    return _UNSAFE.sub("_", text.replace("@", "_at_").replace(")_at_", "_at_"))[:LONGEST]


def logged_values(summary: Iterable[Summary], compared: Sequence[Comparison] = ()) -> tuple[dict, dict]:
    """What is logged of one run.

    Returns
    -------
    tuple of dict
        Numbers: METRIC/mean, low, high and n, and compare/BASELINE/METRIC/difference, low, high, p and n. Undefined
        ones are left out. Texts: compare/BASELINE/METRIC/outcome.

    Examples
    --------
    >>> from ragdash import evaluate
    >>> evaluation = evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["a"]}, "R@5")
    >>> logged_values(evaluation.summary())[0]
    {'R_at_5/mean': 0.5, 'R_at_5/low': 0.0, 'R_at_5/high': 1.0, 'R_at_5/n': 2}
    """
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for row in summary:
        name = metric_key(str(row.spec))
        numbers |= {f"{name}/{end}": getattr(row, end) for end in ("mean", "low", "high", "n")}
    for pair in compared:
        name = f"compare/{metric_key(pair.baseline)}/{metric_key(str(pair.spec))}"
        numbers |= {f"{name}/difference": pair.mean_difference, f"{name}/low": pair.low, f"{name}/high": pair.high,
                    f"{name}/p": pair.p_corrected, f"{name}/n": pair.n}
        texts[f"{name}/outcome"] = pair.outcome
    return {name: value for name, value in numbers.items() if math.isfinite(value)}, texts


@checked
def log_to_mlflow(result: ComparisonTable | Evaluation, *, experiment: str | None = None,
                  tracking_uri: str | None = None, tags: Mapping[str, str] | None = None) -> list[str]:
    """Log to MLflow: a run for each evaluation, the baseline first.

    Parameters
    ----------
    result
        What `compare` or `evaluate` returned.
    experiment, tracking_uri
        Where to; default: those that MLflow has.
    tags
        Of every run.

    Returns
    -------
    list of str
        The ids of MLflow's runs. Each has the settings of its run as parameters, `logged_values` as metrics and tags,
        and the values of all queries as the table per_query.json.

    Raises
    ------
    InputError
        MLflow is not installed, or the table is empty.
    """
    mlflow = _package("mlflow")
    if tracking_uri is not None:
        mlflow.set_tracking_uri(tracking_uri)
    if experiment is not None:
        mlflow.set_experiment(experiment)
    ids = []
    for evaluation, numbers, texts in _logged(result):
        nested = mlflow.active_run() is not None
        with mlflow.start_run(run_name=evaluation.name, nested=nested, tags=dict(tags or {})) as run:
            mlflow.log_params(_parameters(evaluation))
            mlflow.log_metrics(numbers)
            mlflow.set_tags({**texts, "ragdash.digest": evaluation.digest, "ragdash.truth": evaluation.truth_digest})
            mlflow.log_table(evaluation.frame().reset_index(), "per_query.json")
            ids.append(run.info.run_id)
    return ids


@checked
def log_to_wandb(result: ComparisonTable | Evaluation, *, project: str = "ragdash", **options: object) -> list[str]:
    """Log to Weights & Biases: a run for each evaluation, the baseline first.

    Parameters
    ----------
    result
        What `compare` or `evaluate` returned.
    project, **options
        As of `wandb.init`, such as mode="offline", dir, entity or tags.

    Returns
    -------
    list of str
        The ids of the runs. Each has the settings of its run as config, `logged_values` as summary, and the values of
        all queries as the table per_query.

    Raises
    ------
    InputError
        wandb is not installed, or the table is empty.
    """
    wandb = _package("wandb")
    ids = []
    for evaluation, numbers, texts in _logged(result):
        run = wandb.init(project=project, name=evaluation.name, config=_parameters(evaluation),
                         reinit="finish_previous", **options)
        try:
            run.log({"per_query": wandb.Table(dataframe=evaluation.frame().reset_index())})
            run.summary.update({**numbers, **texts})
            ids.append(run.id)
        finally:
            run.finish()
    return ids


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError([Problem("package-not-installed", {"package": name}, field=name)]) from None


def _logged(result: ComparisonTable | Evaluation) -> list[tuple[Evaluation, dict, dict]]:
    """(evaluation, numbers, texts) of each run."""
    if isinstance(result, Evaluation):
        return [(result, *logged_values(result.summary()))]
    if not result or result.inputs is None:
        raise InputError([Problem("nothing-compared", field="result")])
    evaluations = result.inputs.evaluations
    compared: list[Sequence[Comparison]] = [(), *result]
    return [(evaluation, *logged_values(rows, pairs))
            for evaluation, rows, pairs in zip(evaluations, summaries(evaluations), compared, strict=True)]


def _parameters(evaluation: Evaluation) -> dict[str, str]:
    """The settings of the run, and how it was evaluated."""
    settings = {} if evaluation.match is None else setting_texts(evaluation.match.run.settings)
    evaluated = {f"ragdash.{name}": str(value) for name, value in evaluation.settings.items()}
    joined = {metric_key(name): value[:LONGEST] for name, value in [*settings.items(), *evaluated.items()]}
    return dict(list(joined.items())[:MOST_PARAMETERS])
