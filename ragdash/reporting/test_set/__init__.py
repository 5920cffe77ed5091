"""What is said of a test set: sentences, tables and the JSON contract."""

from ragdash.reporting.test_set.sentences import check_sentences, relabel_sentence
from ragdash.reporting.test_set.tables import check_dict, finding_rows, pair_rows, query_rows

__all__ = ["check_dict", "check_sentences", "finding_rows", "pair_rows", "query_rows", "relabel_sentence"]
