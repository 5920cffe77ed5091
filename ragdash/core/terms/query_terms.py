"""Terms of single queries: failures, stages, reviews, answers, test sets."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.terms.term import Term

_TEST_SET = "../guide/test-set.md"

TERMS: Mapping[str, Term] = {
    "saturated": Term(
        "Saturated query", entry="every run has the best value there, or every run the worst", link=_TEST_SET),
    "discrimination": Term(
        "Discrimination", "Does the query agree with the others on which runs are good? 1: fully. Below 0 (negative): "
        "runs that are worse elsewhere do better here, so the query may have wrong judgments or be of another kind. A "
        "correlation over the runs; it needs three, and means little with fewer than ten. Spread: standard deviation "
        "between the runs.", entry="corrected item-total correlation of a query over the runs", link=_TEST_SET),
    "cronbachs_alpha": Term(
        "Cronbach's alpha", "Reliability: would other queries of the same kind rank these runs in the same order? 1: "
        "surely; near 0: by chance. It says whether to trust the order of the runs.", heading="Cronbach's alpha",
        entry="how alike other queries would rank the same runs, up to 1", link=_TEST_SET),
    "label_lint": Term(
        "Judgments to look at", "Found by rules from questions, reference answers, documents and the first ranks of "
        "the runs. No model is asked.", link=_TEST_SET),
    "blind_relabeling": Term(
        "Judge again", "Your grades are saved in the workspace, separate from your other judgments. The agreement is "
        "shown after the last one, or when you ask for it.", heading="blind re-labeling",
        entry="judging again without ids, runs and old labels, to see how far labels can be trusted", link=_TEST_SET),
    "review": Term(
        "Review", "Saved in the workspace of this machine. Reviews survive a restart. Other tabs show them after their "
        "next click.", heading="review, event", link="workspace.md",
        entry="a person's note, verdict or judgment about a query; one such record, never changed"),
    "reference_run": Term(
        "Run", "Filters, stages and sorting use this run. Choose the baseline in the sidebar."),
    "smallest_difference": Term("Difference", "Minimum difference of {metric}, such as 0.2."),
    "best_run": Term("Best run", "Ties: queries on which another run scores highest come first."),
    "searched_text": Term(
        "Search in", "Which text is searched, and whether the pattern is a regular expression."),
    "search_pattern": Term("Search", "Case-insensitive. Regular expressions use RE2 syntax."),
    "returned_texts": Term("Texts", "Answers and chunks of {run}: everything it returned."),
    "query_export": Term(
        "Export queries", "A regression set is the ground truth of these queries only: evaluate the next version on "
        "it. A ticket lists what was expected and what each run returned.", link="../guide/queries.md"),
    "regression_set": Term(
        "Regression set", "A ground-truth file (JSONL) with their judgments, answers, evidence and attributes."),
    "failing_ticket": Term(
        "Ticket", "Markdown: the question, the expected results and what each run returned, for the first {queries} "
        "queries; the others are listed by id."),
    "stage_flow": Term(
        "Steps", "The queries that are still on the way pass each step. A query that a step loses went wrong there "
        "first. Steps that can be assessed for no query are left out.", link="diagnosis.md"),
    "stage_table": Term(
        "Stages", "Every query is at exactly one stage: the first that fails. Each number opens these queries.",
        link="diagnosis.md"),
    "ranked_low": Term(
        "Ranked low", "Enough relevant documents are in the first k, but a better ranking is possible: one of them is "
        "further down than it could be, or fewer are in the first k than could be. No failure by itself, since the "
        "generator may still read it. A better order raises the metric here: re-rank the first results.",
        heading="ranked low", link="diagnosis.md",
        entry="what no failing stage explains of the gap to a perfect ranking"),
    "no_failure": Term(
        "No failure found", "Every step that can be assessed passes: enough relevant documents are in the first k, and "
        "the answer, where there is one, is right and grounded. The metric can still be below 1, because a relevant "
        "document at a lower rank is no failure.", heading="no failure found", link="diagnosis.md",
        entry="the stage of a query that passes every step that can be assessed; its NDCG can still be below 1"),
    "stage_slices": Term("Slices", "At which stage the queries of each kind first go wrong."),
    "diagnosed_run": Term(
        "Run", "The run of the figure, of the slices and of what failing queries share: at first the best one by "
        "the metric of the sidebar. The table has all runs."),
    "needed_share": Term(
        "Share of the relevant documents needed", "1: all of them. 0: one document or span is enough, for example if "
        "they repeat each other. Where the share is more documents than k, one is enough. Multi-hop questions always "
        "need all.", link="diagnosis.md"),
    "score_threshold": Term(
        "Score threshold", "Documents with a lower score are removed before the generator sees them. Scores of "
        "different retrievers have no common threshold."),
    "right_threshold": Term(
        "An answer is right from", "Default {value}: {source}. An answer that contains a reference is always right. "
        "Labels of the file come first, then verdicts of a judge, then numbers where the references are numbers.",
        link="diagnosis.md"),
    "right_labels": Term(
        "Labels of right answers", "A column of the runs' files that says of each answer whether it is right: Correct, "
        "Incorrect, Refusal, or numbers from 0 to 1 (0.5 or more is right). It comes before every metric.",
        link="diagnosis.md"),
    "right_judge": Term(
        "Right answers by", "A judge's verdict on Correctness (0.5 or more is right) comes before numbers and words, "
        "where the judge has judged nearly all answers of the run. Labels of the file come before it.",
        link="diagnosis.md"),
    "grounded_threshold": Term("An answer is grounded from", "Default {value}: {source}."),
    "topics": Term(
        "Topics", "Failing questions, grouped by a sentence embedding model, with the words that are typical of each "
        "group. The method always forms groups, also if the questions have none."),
    "answer_kinds": Term(
        "Kinds of answers", "The kinds of the figure above. Refusals are also counted on their own: each of them is "
        "also of another kind."),
    "local_model": Term(
        "Model", "A folder on the server, or the name of a model downloaded before, such as {example}. {variable} in "
        "the server's environment sets the default.", link="models.md"),
    "answer_metric": Term(
        "Metric", "The metric of the sentence above, the figures and the order of the queries. It follows the "
        "sidebar's metric if that is a metric of answers."),
    "retrieval_and_answer": Term(
        "Found, and right?", "Found: a relevant document in the first {k} (hit rate at the sidebar's k). Right: as "
        "on the Failures page: a label in the run's file decides, then declining where that is right, then the number "
        "if the references are numbers. Otherwise the answer contains a reference word for word, or its {metric} with "
        "one is at least {threshold}, where the band “{band}” begins. Retrieval not judged: no relevant document "
        "is known for the query. {unknown}: no reference is known, or the run has no answer."),
    "local_test_sets": Term("Test sets", "Test sets in the workspace, newest first."),
    "production_log": Term(
        "Log of questions", "JSON lines, JSON, CSV or Parquet with a question per row, and where known its answer, "
        "latency, time and session. Exported OpenTelemetry spans work too.", link="../over-time/production.md"),
    "production_run": Term(
        "Run of the test set", "Its refusals and latencies are compared with those of production."),
    "production_review": Term(
        "Review", "Opens these questions as drafts. Write the right answer of each, then accept it."),
    "drafts_file": Term("Drafts", "The file written by ragdash testset --drafts FILE."),
    "undo_decision": Term("Undo", "Discards your decision on this draft and your edits."),
    "word_overlap": Term(
        "Word overlap", "A model that reads a document reuses its words; people use their own. Lexical search (BM25, "
        "sparse) therefore scores too high on such a set, and its difference to dense search may shrink or reverse. "
        "The share counts the stemmed content words of a question that occur in its evidence, averaged over the "
        "drafts that pass the rules. Reword the questions with the largest share, or check the result with questions "
        "asked by people.", link="../guide/test-set.md"),
    "critique": Term("Critique", "The model reads each question that passes the rules again, with its documents: "
                     "answerable, self-contained, one question, right answer. One more call per question."),
    "use_test_set": Term("Use as ground truth", "The runs of this session are then evaluated on these questions."),
    "query_map": Term(
        "Query map", "A mark for each query; similar questions are near each other. Draw around marks to open exactly "
        "these queries.", entry="a picture with a mark for each query, similar questions near each other",
        link="../guide/failures.md"),
    "map_color": Term(
        "Color by", "The stage at which the run looked at fails, its value, or how it differs from the baseline."),
    "map_vectors": Term(
        "Near means alike in", "Embeddings of a local model, if there is one; else the words that questions share "
        "(tf-idf and a truncated SVD)."),
    "map_layout": Term(
        "Layout", "Principal components keep large distances and take a moment. t-SNE keeps neighbors together and "
        "takes minutes for 20,000 queries; distances between its groups mean little."),
    "map_areas": Term(
        "Clusters", "All queries on the map in groups of similar questions (k-means on their vectors), with the words "
        "that are typical of each group. There are groups whether or not the questions fall into groups."),
    "unfound_documents": Term(
        "Relevant documents that no run returns", "Judged relevant, and in no list of any run shown, at any rank. No "
        "fusion or re-ranker can bring them back: they need other chunks, queries or retrievers."),
    "never_returned": Term(
        "Never returned", "Documents of the corpus that no run shown returns for any query. Many are normal with few "
        "queries; relevant ones are failures."),
    "hubs": Term(
        "Hubs", "Documents in more top-k lists than one of the corpus would be by chance if lists were drawn at random "
        "(binomial, 5%, Bonferroni over all documents). Those that are mostly not relevant push others out.",
        entry="a document that is returned for far more queries than chance explains", heading="hub"),
    "text_copies": Term(
        "Copies", "A document below another one with the same text (without case and white space) or nearly the same: "
        "80% of the runs of three words in common, and the same numbers."),
}
