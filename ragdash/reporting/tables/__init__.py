"""Results as text, tables and files for other programs: one set of numbers, several spellings."""

from ragdash.reporting.tables.comparison import COMPARISON_FORMATS, render_comparisons, sentence
from ragdash.reporting.tables.diagnosis import DIAGNOSIS_FORMATS, render_diagnoses
from ragdash.reporting.tables.evaluation import FORMATS, INTERVALS, SCHEMA, SHAPES, interval, render
from ragdash.reporting.tables.judge_validation import TRUST_FORMATS, render_trust, sheet_bytes
from ragdash.reporting.tables.junit import as_junit

__all__ = ["COMPARISON_FORMATS", "DIAGNOSIS_FORMATS", "FORMATS", "INTERVALS", "SCHEMA", "SHAPES",
           "TRUST_FORMATS", "as_junit", "interval", "render", "render_comparisons", "render_diagnoses", "render_trust",
           "sentence", "sheet_bytes"]
