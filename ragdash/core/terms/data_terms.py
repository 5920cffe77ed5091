"""Terms of what is loaded: runs, ground truth, ids, conventions."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.terms.term import Term

TERMS: Mapping[str, Term] = {
    "query": Term("Query", heading="query, query_id", entry="one question to the system"),
    "document": Term(
        "Document", heading="document, doc_id", entry="a unit that can be returned: chunk, passage, page"),
    "run": Term("Run", entry="what one configuration returned for all queries", link="formats.md"),
    "older_runs": Term(
        "Older runs", "The newest runs of the log folder are loaded. The History page reads all runs; other pages "
        "compare those that are loaded."),
    "configuration": Term("Configuration", entry="one setup of a system: retriever, chunk size, re-ranker ..."),
    "rank": Term(
        "Rank", heading="rank, score", entry="position in the list, from 1; the retriever's number for a document"),
    "judgments": Term(
        "Judgments", "Judged pairs of a query and a document.", heading="relevance judgments, qrels, grade",
        entry="query x document -> grade, a whole number; 0 = judged not relevant"),
    "relevant": Term("Relevant", entry="grade >= rel (default 1)", link="conventions.md"),
    "judged": Term("Judged", heading="judged, unjudged", entry="has a grade, has none"),
    "unjudged": Term(
        "Unjudged", "Nobody has said whether this document is relevant to the query. Metrics count it as not "
        "relevant.", link="conventions.md"),
    "truth": Term(
        "Ground truth", heading="ground truth",
        entry="what is known to be right: qrels, reference answers, evidence, attributes of queries",
        link="formats.md"),
    "corpus": Term("Corpus", entry="the documents that could be returned, with titles and texts if known"),
    "answer": Term("Answer", heading="answer, reference", entry="what the system wrote; the correct answer"),
    "context": Term(
        "Context", heading="context, evidence",
        entry="texts given to the generator; a gold span of text that should be covered", link="evidence.md"),
    "slice": Term(
        "Queries", "Show all queries, or only one kind, on every page. Kinds are the query attributes of the ground "
        "truth.", heading="slice, attribute", entry="a subset of queries; the property that defines it"),
    "spelling": Term(
        "Spelling", link="conventions.md",
        entry="a common form of ids, under which two different ids are equal: trim, nfc, case, zeros, path, "
        "marks"),
    "collapse": Term(
        "Collapse chunks to documents",
        "For judgments of documents and a run that ranks their chunks: the first chunk keeps its rank, and the ranks "
        "close up. Found: the share of the judged documents that are then returned.", heading="collapse",
        entry="merge the chunks of a document into one in a ranking; the first keeps its rank"),
    "comparability": Term(
        "Comparability check",
        "Compares every run with the judgments and with the other runs. Everything dropped, merged or filled in is "
        "listed here.", heading="comparability check, entry, effect",
        entry="what makes runs hard to compare; one count in it; a mean under another choice"),
    "judged_queries": Term("Queries", "Queries with judgments or reference answers."),
    "referenced_queries": Term("Reference answers", "Queries for which a right answer is known."),
    "relevant_per_query": Term(
        "Relevant per query", "Mean over the queries that have a relevant document (grade 1 or more)."),
    "unanswerable_queries": Term(
        "None relevant",
        "Queries without a relevant document. Relevance metrics are undefined there and leave them out."),
    "grades": Term("Grades", "The scale of the judgments; 0 or less is not relevant."),
    "missing": Term(
        "Queries that a run lacks", "A judged query that is not in the run counts as an empty ranking, or is left out "
        "of the run's means.", link="conventions.md"),
    "unanswerable": Term(
        "Queries without a relevant document", "Relevance metrics are undefined there: left out of the means, or "
        "counted as 0 as in trec_eval.", link="conventions.md"),
    "duplicates": Term(
        "Duplicate documents in a ranking", "Only the best rank of a document counts, or the run is not evaluated at "
        "all.", link="conventions.md"),
    "ties": Term(
        "Documents with equal scores", "Documents with equal scores are ordered by document id, descending, or "
        "stay in the order of the file. trec_eval also takes scores for equal that differ beyond 32 bits: choose that "
        "to reproduce a published table. “The other way” shows how much this changes.",
        link="conventions.md"),
    "input_files": Term(
        "Files", "Several files at once: the results of each configuration, the relevance judgments (qrels) and, if "
        "you have them, the documents with their texts (corpus.jsonl).", link="formats.md"),
    "sample_runs": Term(
        "Sample runs", "Three ready runs (dense, sparse, hybrid) on one small corpus, with their judgments."),
    "stored_mappings": Term("Stored mappings", "Mappings saved for files with the same columns."),
    "store_mapping": Term("Store the mapping", "It is offered again for files with the same columns."),
    "clear_files": Term("Clear this list", "Everything loaded stays loaded."),
    "remove_corpus": Term("Remove the corpus", "The judgments stay."),
    "run_color": Term(
        "Color", "If another run has this color, the two runs swap colors. Where more than six runs are shown, the "
        "five best by the metric of the sidebar and the baseline have colors and the others are gray."),
    "relink": Term(
        "Re-link judgments", "Equal texts (case and white space aside) are the same document. Of the others, the runs "
        "of three words that two texts share decide.", heading="re-link, version of the ground truth",
        entry="follow judged documents to their new ids, by their texts; the judgments with the new ids are a version",
        link="../guide/data.md"),
    "old_texts": Term("Texts under the old ids", "Documents or runs with the ids that the judgments name."),
    "new_texts": Term("Texts under the new ids", "Documents or runs with the ids that the search returns now."),
    "followed_links": Term(
        "Links to follow", "Documents of these kinds get their new ids. A document that was split has its grade on "
        "every part. Where several became one, the highest grade counts."),
    "rejected_links": Term("Leave as they are", "These judged documents keep their old ids."),
    "drop_gone": Term(
        "Judgments of documents that are gone", "They stay otherwise: no run can return these documents, so recall "
        "stays below 1."),
    "truth_versions": Term(
        "Versions of the judgments", "Each version stays as it is. Choose the one that every page uses."),
    "put_off_reading": Term("Not now", "The Data page keeps this proposal."),
    "undo_fixes": Term("Undo", "Read the run again as it was loaded."),
    "archive_entry": Term("Archive", "Removed from the list; links to it still work."),
    "delete_entry": Term("Delete", "Its files are deleted; links to it work until the server restarts."),
    "command_line_fix": Term("On the command line", "On the command line: {flags}"),
    "relevance_by": Term(
        "Relevant", "By id: a document is relevant if its id has a relevant grade. By evidence: if its text contains a "
        "gold span of the query, or a similar text. This applies to every page. Do not compare numbers by id with "
        "numbers by evidence.", link="evidence.md"),
    "similarity": Term(
        "Similarity", "How a chunk is compared with a gold span that it does not contain. Best aligned part fits "
        "chunks of any length. Whole texts is the published rule, which chunks much longer than the span rarely pass. "
        "Meaning uses a sentence embedding model (ragdash score --match-how embedding).", link="evidence.md"),
    "similarity_threshold": Term(
        "Similar from", "A chunk covers a span from this similarity. The Threshold bands page shows how much depends "
        "on it.", link="evidence.md"),
    "own_judgments": Term(
        "Judgments", "Your own judgments from the Queries page can override those of the file on every page. Queries "
        "with the verdict “wrong gold” can be left out."),
}
