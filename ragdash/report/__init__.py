"""Results as text, tables and files for other programs: one set of numbers, several spellings."""

from ragdash.report.comparisons import COMPARISON_FORMATS, render_comparisons, sentence
from ragdash.report.diagnoses import DIAGNOSIS_FORMATS, render_diagnoses
from ragdash.report.evaluations import FORMATS, INTERVALS, SCHEMA, SHAPES, interval, render
from ragdash.report.junit import as_junit
from ragdash.report.trusts import TRUST_FORMATS, render_trust, sheet_bytes

__all__ = ["COMPARISON_FORMATS", "DIAGNOSIS_FORMATS", "FORMATS", "INTERVALS", "SCHEMA", "SHAPES",
           "TRUST_FORMATS", "as_junit", "interval", "render", "render_comparisons", "render_diagnoses", "render_trust",
           "sentence", "sheet_bytes"]
