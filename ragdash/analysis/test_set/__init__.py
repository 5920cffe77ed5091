"""Is the test set any good, and what could more judgments change?

Queries that distinguish runs, queries that carry a verdict, near copies, judgments that look wrong, judging again
without knowing the old label; in `unjudged`, what the documents without a judgment could change.
"""

from ragdash.analysis.test_set.check import LabelCheck, TestSetCheck, check_evaluated, check_labels, check_test_set
from ragdash.analysis.test_set.copies import Copies, find_copies
from ragdash.analysis.test_set.label_lint import KINDS, LabelFinding
from ragdash.analysis.test_set.query_quality import QueryQuality, query_quality
from ragdash.analysis.test_set.relabel import (
    RelabelAgreement,
    RelabelGroup,
    RelabelItem,
    RelabelStore,
    relabel_agreement,
    relabel_items,
)
from ragdash.analysis.test_set.verdict_carriers import VerdictCarriers, verdict_carriers

__all__ = ["KINDS", "Copies", "LabelCheck", "LabelFinding", "QueryQuality", "RelabelAgreement", "RelabelGroup",
           "RelabelItem", "RelabelStore", "TestSetCheck", "VerdictCarriers", "check_evaluated", "check_labels",
           "check_test_set", "find_copies", "query_quality", "relabel_agreement", "relabel_items", "verdict_carriers"]
