"""Terms of bands, targets, score cutoffs and evidence thresholds."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.terms.term import Term

TERMS: Mapping[str, Term] = {
    "band": Term("Band", entry="a range of values with a name, such as good, stated by a source",
                 link="../guide/threshold-bands.md"),
    "band_source": Term(
        "Bands by", "These sources disagree on {metrics}. Metrics without bands of the chosen source use another "
        "source; each figure names its source."),
    "target": Term(
        "Target", "The value to reach at {bound}. A run passes or fails if its whole interval lies on one side; "
        "otherwise it is undecided: more queries would decide. Targets are part of the link."),
    "metrics_without_bands": Term(
        "Without bands", "No source that defines good values for these is quoted here. Compare the runs, set a target, "
        "or open a bands file.", link="../guide/threshold-bands.md"),
    "band_slices": Term(
        "By kind of query", "Kinds are the query attributes of the ground truth. Few queries make wide intervals."),
    "score_cutoff": Term(
        "Score cutoffs", "Instead of a fixed number of documents, pass on those whose score reaches a cutoff. A higher "
        "cutoff removes more noise and more relevant documents."),
    "score_order": Term(
        "Ranking by score", "A score cutoff needs a ranking in the order of the scores. It is undefined if the ranks "
        "differ from that order, or order documents with equal scores."),
    "tuned_measure": Term(
        "Best cutoff for", "The cutoff with the best value of this measure is chosen on one half of the queries and "
        "checked on the other half. On the queries that chose it, it looks better than it is."),
    "cutoff_axis": Term(
        "Cutoff axis", "Scores of different systems are not comparable. The share of their documents that a cutoff "
        "removes is."),
    "corpus_size": Term(
        "Documents in the corpus", "How many documents the system could have returned. The MATERIAL form of AQWV "
        "relates false alarms to it."),
    "every_cutoff": Term(
        "Every cutoff", "All cutoffs at once. ROC: the share of the relevant documents passed on against the share of "
        "the others. Precision-recall: which part of the documents passed on is relevant."),
    "precision_recall_area": Term("Precision-recall", "Up and to the right is better."),
    "roc_area": Term("ROC", "Receiver operating characteristic. Up and to the left is better."),
    "evidence_threshold": Term(
        "Evidence threshold", "By evidence, a document is relevant if its text contains a gold span of the query, or a "
        "similar text. How similar is a choice. This section shows what depends on it, and the pairs close to it.",
        link="evidence.md"),
    "page_similarity": Term("Similarity", "How a chunk is compared with a gold span that it does not contain."),
    "page_similarity_threshold": Term(
        "Similar from", "The threshold in use on every page. Similarities are computed once, down to {floor}; moving "
        "the threshold does not compute them again."),
    "borderline_pairs": Term(
        "Borderline pairs", "Pairs of a returned chunk and a gold span whose similarity is within {margin} of the "
        "threshold, nearest first. Your decision replaces the similarity at every threshold; an accepted chunk covers "
        "the whole span. It is saved on this machine by the texts, so it also holds in other runs that return the same "
        "chunk.", link="evidence.md"),
}
