"""What cannot be computed for want of data, and the local models that compute it."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-threads": Message(
        actual="{value!r}",
        expected="a whole number from 1",
        fix="Change RAGDASH_THREADS.",
    ),
    "few-vectors": Message(
        actual="{count:count question/questions} on the map",
        expected="{least} or more for t-SNE",
        fix="Choose the layout pca.",
        page="Choose principal components.",
    ),
    "model-of-another-kind": Message(
        actual="{type}",
        expected="{wanted}",
        fix="Name another folder with {option}.",
        page="Choose another folder.",
    ),
    "no-metric": Message(
        actual="no metric",
        expected="one of {metrics}",
        fix="Name one.",
    ),
    "no-model": Message(
        actual="no {type}",
        expected="{wanted}",
        fix="Name its folder with {option} or in {variable}.",
        page="Enter its folder, or set {variable} on the server.",
    ),
    "no-model/file": Message(
        actual="a file",
        expected="{wanted}",
        fix="Name the folder that the model is in.",
    ),
    "no-model/folder": Message(
        actual="no folder {path!r}, and no model of this name in the hub's cache",
        expected="{wanted}",
        fix="Check the path; to fetch a model of the hub, add --hub.",
        page="Check the path; a model of the hub is fetched on the command line.",
    ),
    "no-model/hub": Message(
        actual="{name!r}, which could not be fetched ({reason})",
        expected="a model of the hub",
        fix="Check its name and the connection, or fetch its folder by other means and name that.",
        page="Check its name and the connection, or fetch its folder by other means and enter that.",
    ),
    "no-question-texts": Message(
        actual="no texts of the questions",
        expected="a text for each query in the ground truth",
        fix="Add a column query to the ground truth.",
    ),
    "no-question-vectors": Message(
        actual="no embeddings of the questions",
        expected="embeddings that a local model has computed",
        fix="Run ragdash score RUN... --truth TRUTH -m SemanticRelevance first, or leave --map-vectors out.",
        page="Compute them below, or choose words.",
    ),
    "no-scikit-learn": Message(
        actual="scikit-learn is not installed",
        expected="scikit-learn for t-SNE",
        fix="pip install \"ragdash[map]\", or choose the layout pca.",
        page="pip install \"ragdash[map]\"",
    ),
    "not-a-model-metric": Message(
        actual="{spec!r}",
        expected="one of {metrics}",
        fix="Leave it out here; it needs no model.",
    ),
    "nothing-to-embed": Message(
        actual="no pair of a chunk and a gold span that needs a model",
        expected="texts that do not contain each other and are not just numbers",
        fix="Evaluate with --match-how embedding; it needs no scoring.",
        page="Choose similarity by embedding; it needs no scoring.",
    ),
    "nothing-to-embed/questions": Message(
        actual="no question that a judge made of an answer of {run:named run}",
        expected="questions in the ledger",
        fix="python -m ragdash judge RUN --truth TRUTH --metrics \"{metric}\" --base-url URL --model MODEL",
        page="Ask a judge on the Answers page.",
    ),
    "unavailable/by-evidence": Message(
        actual="{metric} by evidence",
        expected="a metric of ranks or spans",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-at-a-cutoff": Message(
        actual="{metric} by evidence",
        expected="a metric of ranks or spans; AQWV at a cutoff",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-of-returned": Message(
        actual="{metric} by evidence",
        expected="a metric of ranks or spans; AUC of what was returned",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-without-grades": Message(
        actual="{metric} by evidence",
        expected="a metric of ranks or spans; spans have no grades, so rel is 1",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-without-micro": Message(
        actual="{metric} by evidence",
        expected=(
            "a metric of ranks or spans; precision and recall count different things, so F1 has no common denominator"
        ),
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/judge-failed": Message(
        actual="{metric} of {run:named run}: a judge was asked and gave no verdict ({reason})",
        expected="verdicts in the ledger",
        fix="Remove the cause, then ask again: python -m ragdash judge RUN --truth TRUTH --metrics \"{metric}\" "
            "--base-url URL --model MODEL",
        page="Remove the cause, then ask again on the Answers page.",
        reason="a judge was asked and gave no verdict ({reason})",
    ),
    "unavailable/judge-no-answer": Message(
        actual="{metric} of {run:named run}: no answer for any query",
        expected="the texts that it is judged by",
        fix="Give the run a column answer.",
        reason="no answer for any query",
    ),
    "unavailable/judge-no-contexts": Message(
        actual="{metric} of {run:named run}: no contexts for any query",
        expected="the texts that it is judged by",
        fix="Give the run a column contexts, or texts to its documents, or the ground truth a corpus.",
        reason="no contexts for any query",
    ),
    "unavailable/judge-no-rivals": Message(
        actual="{metric} of {run:named run}: no query that two runs answer",
        expected="two runs or more with answers, which are ranked against each other",
        fix="Give the runs to rank in one command: ragdash judge A B C.",
        page="Choose two runs or more in the sidebar.",
        reason="no query that two runs answer",
    ),
    "unavailable/judge-no-question": Message(
        actual="{metric} of {run:named run}: no text of the query for any query",
        expected="the texts that it is judged by",
        fix="Give the ground truth a column query.",
        reason="no text of the query for any query",
    ),
    "unavailable/judge-no-references": Message(
        actual="{metric} of {run:named run}: no right answer for any query",
        expected="the texts that it is judged by",
        fix="Give the ground truth a column answers.",
        reason="no right answer for any query",
    ),
    "unavailable/judge-twice": Message(
        actual="{metric} by {judge!r}, which names one judge twice",
        expected="several judges, each once",
        fix="Name each as 'MODEL at HOST'.",
        reason="{judge!r} names one judge twice",
    ),
    "unavailable/impossible-amount": Message(
        actual="{run:named run} with {value:g} in {column}",
        expected="numbers from 0 to {most:g}",
        fix="Correct the numbers of the run.",
        reason="{value:g} in {column}",
    ),
    "unavailable/library": Message(
        actual="{packages} {packages:plural is/are} not installed",
        expected="sentence-transformers",
        fix="pip install \"ragdash[semantic]\"",
    ),
    "unavailable/no-answers": Message(
        actual="{run:named run} without answers",
        expected="an answer for a query",
        fix="Give the run a column answer.",
        reason="no answers",
    ),
    "unavailable/no-answers-beside-contexts": Message(
        actual="{run:named run} without answers that have contexts",
        expected="an answer and the texts that it was made from",
        fix="Give the run columns answer and contexts, or texts to its documents.",
        reason="no answers that have contexts",
    ),
    "unavailable/no-column": Message(
        actual="{run:named run} without {what}",
        expected="{what} of a query",
        fix="Give the run a column {column}.",
        reason="no {what}",
    ),
    "unavailable/no-file-metric": Message(
        actual="{run:named run} whose file has no values of {column} (it has {names})",
        expected="a column of numbers or labels per query",
        fix="Choose one of the columns that the file has.",
        reason="no values of {column} in the file",
    ),
    "unavailable/other-labels": Message(
        actual="{run:named run} whose {column} has other words for {label}: {labels}",
        expected="the same labels in the files of all runs",
        fix="Write the same labels in both files. Until then their shares are not compared.",
        reason="other labels",
    ),
    "unavailable/no-contexts": Message(
        actual="{run:named run} without contexts",
        expected="the texts that the answers were made from",
        fix="Give the run a column contexts, or texts to its documents, or the ground truth a corpus.",
        reason="no contexts",
    ),
    "unavailable/no-evidence": Message(
        actual="ground truth {truth!r} without evidence",
        expected="gold spans for a query",
        fix="Give the ground truth a column evidence.",
    ),
    "unavailable/no-document-sum": Message(
        actual="{spec}, to which documents do not add one by one",
        expected="one of {sums:comma}, or a sample of whole queries",
        fix="Draw whole queries (--design queries), or choose P@10.",
        page="Draw whole queries, or choose P@10.",
    ),
    "unavailable/no-gains": Message(
        actual="{spec}, which {reason}",
        expected="a metric of rankings and judgments, one value a query",
        fix="Choose another metric, such as nDCG@10, with documents matched by id.",
    ),
    "unavailable/no-latency": Message(
        actual="{run:named run} {stages:?that has latencies of {stages} only}{stages:!without latencies}",
        expected="milliseconds of the stage {stage}",
        fix="Give the run a column latency_ms.",
        reason="{stages:?only latencies of {stages}}{stages:!no latencies}",
    ),
    "unavailable/no-permissions": Message(
        actual="ground truth {truth!r} without allowed documents",
        expected="a field `allowed` with the ids that the asker may see",
        fix="Add it to the queries of the ground truth.",
    ),
    "unavailable/no-sacrebleu": Message(
        actual="sacrebleu is not installed",
        expected="sacrebleu, which computes BLEU and chrF",
        fix="pip install \"ragdash[text]\"",
    ),
    "unavailable/no-rankings": Message(
        actual="{run:named run} without retrieved documents",
        expected="the documents that were returned for a query",
        fix="Give the run a column retrieved with their ids, best first.",
        reason="no retrieved documents",
    ),
    "unavailable/no-subtopics": Message(
        actual="ground truth {truth!r} without judgments of subtopics",
        expected="diversity qrels: lines of query, subtopic, document and grade",
        fix="Pass such qrels with --truth.",
        page="Load such qrels as relevance judgments.",
    ),
    "unavailable/no-questions": Message(
        actual="ground truth {truth!r} and {run:named run} without the text of a query",
        expected="what was asked",
        fix="Give the ground truth a column query.",
    ),
    "unavailable/no-references": Message(
        actual="ground truth {truth!r} without right answers",
        expected="a reference answer for a query",
        fix="Give the ground truth a column answers.",
    ),
    "unavailable/no-texts": Message(
        actual="{run:named run} without texts",
        expected="the text of each chunk",
        fix="Give the run a column text, or the ground truth a corpus that holds its documents (--corpus); or match "
            "by id.",
        page="Give the run a column text, or the ground truth a corpus that holds its documents; or match by id.",
        reason="no texts",
    ),
    "unavailable/not-computed": Message(
        actual="{metric} that was not computed yet{model:? with {model}}{cause.actual:?; {cause.actual}}",
        expected="values in the cache",
        fix=(
            "{cause.fix:?{cause.fix}, then }python -m ragdash score RUN --truth TRUTH --metrics \"{metric}\" {option} "
            "FOLDER"
        ),
        page="{cause.fix:?On the server: {cause.fix}. Then compute}{cause.fix:!Compute} it on the Answers page.",
    ),
    "unavailable/not-embedded": Message(
        actual="{metric}, whose questions no model has embedded yet",
        expected="values in the cache",
        fix="python -m ragdash score RUN --truth TRUTH --metrics \"{metric}\" --model FOLDER",
        page="Embed them on the Answers page.",
        reason="questions that no model has embedded yet",
    ),
    "unavailable/not-judged": Message(
        actual="{metric} of {run:named run}, not judged yet{judge:? by {judge!r}}{reason:? ({reason})}",
        expected="verdicts in the ledger",
        fix="python -m ragdash judge RUN --truth TRUTH --metrics \"{metric}\" --base-url URL --model MODEL",
        page="Ask a judge on the Answers page.",
        reason="not judged yet{judge:? by {judge!r}}{reason:? ({reason})}",
    ),
    "unavailable/requests": Message(
        actual="the package requests, which asks endpoints, is not installed",
        expected="requests",
        fix="pip install \"ragdash[judge]\"",
    ),
    "unavailable/run-by-evidence": Message(
        actual="{cause.actual}",
        expected="{cause.expected}",
        fix="{cause.fix}",
        page="{cause.fix} In the sidebar, “Relevant” by id shows the run.",
    ),
    "unavailable/similarity-computed-in-part": Message(
        actual=(
            "similarity by embedding ({model}) of {computed} of {pairs:count pair/pairs} of texts{cause.actual:?; "
            "{cause.actual}}"
        ),
        expected="values in the cache",
        fix=(
            "{cause.fix:?{cause.fix}, then }python -m ragdash score RUN --truth TRUTH --match-how embedding --model "
            "FOLDER"
        ),
        page=(
            "{cause.fix:?On the server: {cause.fix}. Then compute}{cause.fix:!Compute} it with `ragdash score`, or "
            "choose another similarity."
        ),
    ),
    "unavailable/similarity-not-computed": Message(
        actual=(
            "similarity by embedding that was not computed yet{model:? with {model}}{cause.actual:?; {cause.actual}}"
        ),
        expected="values in the cache",
        fix=(
            "{cause.fix:?{cause.fix}, then }python -m ragdash score RUN --truth TRUTH --match-how embedding --model "
            "FOLDER"
        ),
        page=(
            "{cause.fix:?On the server: {cause.fix}. Then compute}{cause.fix:!Compute} it with `ragdash score`, or "
            "choose another similarity."
        ),
    ),
    "unavailable/unreadable": Message(
        actual="{field}: {cause.actual}{cause.file:? ({cause.file})}",
        expected="{cause.expected}",
        fix="{cause.fix}",
    ),
    "unavailable/unreadable-similarity": Message(
        actual="similarity by embedding: {cause.actual}{cause.file:? ({cause.file})}",
        expected="{cause.expected}",
        fix="{cause.fix}",
    ),
    "unreadable-model": Message(
        actual="{reason}",
        expected="{wanted}",
        fix="Copy or fetch the model again, or name another folder.",
    ),
    "unusable-cache": Message(
        actual="a cache that cannot be used ({reason})",
        expected="a file that can be read and written",
        fix="Delete it if it is damaged, or name another folder in RAGDASH_CACHE.",
    ),
    "unknown-metric/ragas": Message(
        actual="{text!r}, which is not here, because {because}",
        expected="{instead}",
        fix="Use that, or read RAGAS's own values from a column of the file.",
    ),
}
