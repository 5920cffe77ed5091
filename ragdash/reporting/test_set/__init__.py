"""What is said of a test set: sentences, tables and the JSON contract."""

from ragdash.reporting.test_set.sentences import (
    check_sentences,
    estimate_sentences,
    plan_cautions,
    plan_sentence,
    plan_sentences,
    relabel_sentence,
)
from ragdash.reporting.test_set.tables import (
    check_dict,
    estimate_dict,
    finding_rows,
    pair_rows,
    plan_dict,
    query_rows,
)

__all__ = ["check_dict", "check_sentences", "estimate_dict", "estimate_sentences", "finding_rows", "pair_rows",
           "plan_cautions", "plan_dict", "plan_sentence", "plan_sentences", "query_rows", "relabel_sentence"]
