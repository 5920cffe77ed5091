"""Results as text, tables and files for other programs: one set of numbers, several spellings."""

from ragdash.reporting.tables.comparison import COMPARISON_FORMATS, plain_sentence, render_comparisons
from ragdash.reporting.tables.diagnosis import DIAGNOSIS_FORMATS, render_diagnoses
from ragdash.reporting.tables.evaluation import (
           FORMATS,
           INTERVALS,
           SCHEMA,
           SHAPES,
           TEXT_FORMATS,
           interval,
           render_evaluations,
)
from ragdash.reporting.tables.judge_validation import (
           JUDGE_VALIDATION_FORMATS,
           label_sheet_bytes,
           render_judge_validation,
)
from ragdash.reporting.tables.junit import as_junit

__all__ = [
           "COMPARISON_FORMATS",
           "DIAGNOSIS_FORMATS",
           "FORMATS",
           "INTERVALS",
           "JUDGE_VALIDATION_FORMATS",
           "SCHEMA",
           "SHAPES",
           "TEXT_FORMATS",
           "as_junit",
           "interval",
           "label_sheet_bytes",
           "plain_sentence",
           "render_comparisons",
           "render_diagnoses",
           "render_evaluations",
           "render_judge_validation",
]
