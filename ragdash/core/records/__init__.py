"""The nouns: a Run is what one configuration returned, a Truth is what is known to be right. Columnar and frozen."""

from ragdash.core.records.conventions import CHOICES, Conventions
from ragdash.core.records.run import Run
from ragdash.core.records.run_header import Repetition, Revision, RunHeader
from ragdash.core.records.truth import Truth

__all__ = ["CHOICES", "Conventions", "Repetition", "Revision", "Run", "RunHeader", "Truth"]
