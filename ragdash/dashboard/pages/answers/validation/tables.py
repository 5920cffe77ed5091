"""Tables of the Judge validation tab: means, differences, the confusion table and the saved labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa

from ragdash.analysis.judge_validation import SHEET, Agreement, Estimate, labeling_sheet
from ragdash.dashboard.pages.answers.validation.data import TrustData
from ragdash.reporting.sentences.judge_validation import source_of
from ragdash.reporting.tables.judge_validation import shown_mean


def means_table(data: TrustData) -> pd.DataFrame:
    """All numbers of every run, one row per run."""
    return pd.DataFrame(
        [
            {
                "Run": validation.name,
                "Judge alone": validation.judge.mean,
                "Judged": validation.judge.n,
                **_interval_columns("Labels alone", validation.labels),
                **_interval_columns("Corrected", validation.corrected),
                "n": validation.agreement.n,
                "N": validation.rest,
                "Accuracy": validation.agreement.accuracy,
                "Accuracy, low": validation.agreement.accuracy_low,
                "Accuracy, high": validation.agreement.accuracy_high,
                "Constant answer": validation.agreement.constant,
                "Kappa": validation.agreement.kappa,
                "Kappa, low": validation.agreement.kappa_low,
                "Kappa, high": validation.agreement.kappa_high,
                "Bias": validation.agreement.bias,
                "Missing": sum(validation.missing.values()),
                "Labels held out": validation.held_out,
            }
            for validation in data.validations
        ]
    )


def differences_table(data: TrustData) -> pd.DataFrame:
    """All numbers of every difference to the baseline, one row per run."""
    return pd.DataFrame(
        [
            {
                "Run": difference.candidate,
                "Minus": difference.baseline,
                "Judge alone": difference.judge.mean,
                "Judged in both": difference.judge.n,
                **_interval_columns("Labels alone", difference.labels),
                **_interval_columns("Corrected", difference.corrected),
                "n": difference.corrected.n,
                "N": difference.rest,
                "Without a verdict in one or both": difference.left_out,
                "Labels held out": difference.held_out,
            }
            for difference in data.differences
            if difference is not None
        ]
    )


def _interval_columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: shown_mean(estimate), f"{name}, low": estimate.low, f"{name}, high": estimate.high}


def source_name(data: TrustData) -> str:
    """What gives the values: the local judge, another one, a score of the files, or a metric."""
    return "judge" if data.is_local else source_of(data.spec)


def confusion_table(agreement: Agreement, source: str) -> pd.DataFrame:
    """One row per class of the label, one column per class of the verdict."""
    frame = pd.DataFrame(agreement.confusion, columns=[f"{source.capitalize()}: {name}" for name in agreement.classes])
    frame.insert(0, "Label", list(agreement.classes))
    return frame


def labels_table(data: TrustData, labels_by_run: Sequence[Mapping[str, float]]) -> pa.Table:
    """Saved labels with their texts in the format of a labeling sheet, run by run."""
    tables = [SHEET.empty_table()]
    for index, (verdicts, labels) in enumerate(zip(data.verdicts, labels_by_run, strict=True)):
        match = data.context.scope.match(data.context.digests[index])
        run_table = labeling_sheet([verdicts], list(labels), [match])
        label_column = run_table.schema.get_field_index("label")
        tables.append(run_table.set_column(label_column, "label", pa.array(list(labels.values()), pa.float64())))
    return pa.concat_tables(tables)
