"""Matching runs with relevance judgments, and what cannot be computed for want of data."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-rule": Message(
        found="{value} for {name}",
        expected="{expected}",
        fix="Change it.",
    ),
    "chunk-without-text": Message(
        found="{chunks} chunks of {run:named run} without a text",
        expected="a text for each",
        fix="They cover nothing; give them their texts.",
    ),
    "collapsed-chunks": Message(
        found=(
            "{chunks} of {all_chunks:count chunk} of {run:named run} whose document is ranked higher already "
            "({collapse}){without_source:?; {without_source} have no source and keep their ids}"
        ),
        expected="one line for a document",
        fix="The first chunk of a document keeps its rank and the ranks close up.",
    ),
    "collapsed-chunks/none": Message(
        found=(
            "{chunks} of {all_chunks:count chunk} of {run:named run} whose document is ranked higher already "
            "({collapse}){without_source:?; {without_source} have no source and keep their ids}"
        ),
        expected="document ids that can be collapsed",
        fix="Check the separator, or leave --collapse out.",
        page="Check the separator, or switch collapsing off.",
    ),
    "computed-in-part": Message(
        found="{metric} of {computed} of {answers:count answer} of {run:named run} ({model})",
        expected="a value for each",
        fix="python -m ragdash score RUN --truth TRUTH --metrics \"{metric}\" {option} FOLDER",
        page="Compute the others on the Answers page.",
    ),
    "conflicting-decisions": Message(
        found="accepted and rejected: {pair:comma}",
        expected="one decision for a pair",
        fix="Keep the right one of the two lines.",
    ),
    "cut-texts": Message(
        found="{pairs} pairs of a chunk and a span with a text longer than the {most} word pieces that {model} reads",
        expected="texts that are read to their end",
        fix="What is behind does not count for their similarity.",
    ),
    "cut-texts/answers": Message(
        found=(
            "{cut} of {answers:count answer} of {run:named run}, or texts compared with them, longer than the {most} "
            "word pieces that {model} reads"
        ),
        expected="texts that are read to their end",
        fix="What is cut off does not count for {metric}.",
    ),
    "cut-texts/windows": Message(
        found=(
            "{cut} of {answers:count answer} of {run:named run} with windows of context longer than the {most} word "
            "pieces that {model} reads"
        ),
        expected="texts that are read to their end",
        fix="What is cut off does not count for {metric}.",
    ),
    "cut-verdicts": Message(
        found="{metric} of {run:named run}: {queries:count query} judged by contexts that were not shown whole",
        expected="verdicts on whole texts that state something",
        fix="What is cut off does not count.",
        reason="{queries:count query} judged by contexts that were not shown whole",
    ),
    "different-queries/diagnosis": Message(
        found="{run!r} evaluated on other queries than diagnosed",
        expected="values for the same queries",
        fix="Evaluate and diagnose against the same truth.",
    ),
    "empty-evidence": Message(
        found="{spans:count span} of truth {truth!r} without a letter or a digit",
        expected="text that can be found",
        fix="They are left out; remove them from the file.",
    ),
    "extra-queries": Message(
        found="{queries:count query} of {run:named run} that the truth lacks, such as {example!r}",
        expected="queries with judgments",
        fix="They are left out.",
    ),
    "merged-queries": Message(
        found="{queries} queries of {run:named run} that would become another one, such as {example!r}",
        expected="one query for each id of the truth",
        fix="They are left as they are; remove or rename one of each.",
    ),
    "missing-queries": Message(
        found="{queries:count query} of the truth that {run:named run} lacks, such as {example!r}",
        expected="a ranking for every query",
        fix="They count as empty rankings; --missing skip leaves them out.",
        page="They count as empty rankings; “Counting” on the Runs page can leave them out.",
    ),
    "missing-queries/skipped": Message(
        found="{queries:count query} of the truth that {run:named run} lacks, such as {example!r}",
        expected="a ranking for every query",
        fix="They are left out; --missing zero counts them as empty rankings.",
        page="They are left out; “Counting” on the Runs page can count them as empty rankings.",
    ),
    "missing-verdicts": Message(
        found="{metric} of {run:named run}: {missing} of {queries:count query} without a verdict ({reasons:counts})",
        expected="a value for each",
        fix=(
            "They do not count.{again:? To ask again: python -m ragdash judge RUN --truth TRUTH --metrics \"{metric}\" "
            "--base-url URL --model MODEL}{embed:? To embed them: python -m ragdash score RUN --truth TRUTH --metrics "
            "\"{metric}\" --model FOLDER}"
        ),
        page="They do not count.",
        reason="{missing} of {queries:count query} without a verdict ({reasons:counts})",
    ),
    "no-common-document": Message(
        found=(
            "{run:named run} with documents like {ids!r}, of which none is judged for its query; the truth has "
            "documents like {truth_ids!r}"
        ),
        expected="judged documents among those returned",
        fix="`ragdash check RUN --truth TRUTH` tells what would match.",
    ),
    "no-common-document/corpus": Message(
        found=(
            "a corpus of {documents} documents like {example!r}, of which the gold of truth {truth!r} is none; it has "
            "documents like {gold!r}"
        ),
        expected="ids that are written the same way",
        fix="Whether gold is in the corpus is not assessed; give the corpus to which the truth belongs.",
    ),
    "no-common-query": Message(
        found="{run:named run} with queries like {ids!r}, truth {truth!r} with queries like {truth_ids!r}",
        expected="query ids that occur in both",
        fix="Check that they belong to the same data set and write the ids the same way.",
    ),
    "other-answers": Message(
        found="values of {evaluation!r} for the answers of {run!r}",
        expected="the same run and truth, all queries",
        fix="Evaluate this match on text_specs().",
    ),
    "repeated-evidence": Message(
        found="{spans:count span} of truth {truth!r} that their query has already",
        expected="a span once for a query",
        fix="They count once; remove the others from the file.",
    ),
    "respelled-ids": Message(
        found=(
            "{queries} of {all_queries} query ids and {documents} of {all_documents} document ids of {run:named run} "
            "written as in the truth"
        ),
        expected="ids that are equal {how}",
        fix="Write them the same way in both files to do without --ids {spelling}.",
    ),
    "unavailable/by-evidence": Message(
        found="{metric} by evidence",
        expected="a metric of ranks or spans",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-at-a-cutoff": Message(
        found="{metric} by evidence",
        expected="a metric of ranks or spans; AQWV at a cutoff",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-of-returned": Message(
        found="{metric} by evidence",
        expected="a metric of ranks or spans; AUC of what was returned",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-without-grades": Message(
        found="{metric} by evidence",
        expected="a metric of ranks or spans; spans have no grades, so rel is 1",
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/by-evidence-without-micro": Message(
        found="{metric} by evidence",
        expected=(
            "a metric of ranks or spans; precision and recall count different things, so F1 has no common denominator"
        ),
        fix="Match by id, or choose another metric.",
    ),
    "unavailable/judge-no-answer": Message(
        found="{metric} of {run:named run}: no answer for any query",
        expected="the texts that it is judged by",
        fix="Give the run a column answer.",
        reason="no answer for any query",
    ),
    "unavailable/judge-no-contexts": Message(
        found="{metric} of {run:named run}: no contexts for any query",
        expected="the texts that it is judged by",
        fix="Give the run a column contexts, or texts to its documents, or the truth a corpus.",
        reason="no contexts for any query",
    ),
    "unavailable/judge-no-question": Message(
        found="{metric} of {run:named run}: no text of the query for any query",
        expected="the texts that it is judged by",
        fix="Give the truth a column query.",
        reason="no text of the query for any query",
    ),
    "unavailable/judge-no-references": Message(
        found="{metric} of {run:named run}: no right answer for any query",
        expected="the texts that it is judged by",
        fix="Give the truth a column answers.",
        reason="no right answer for any query",
    ),
    "unavailable/judge-twice": Message(
        found="{metric} by {judge!r}, which names one judge twice",
        expected="several judges, each once",
        fix="Name each as 'MODEL at HOST'.",
        reason="{judge!r} names one judge twice",
    ),
    "unavailable/negative-number": Message(
        found="{run:named run} with {value:g} in {column}",
        expected="numbers of 0 or more",
        fix="Correct the numbers of the run.",
        reason="{value:g} in {column}",
    ),
    "unavailable/no-answers": Message(
        found="{run:named run} without answers",
        expected="an answer for a query",
        fix="Give the run a column answer.",
        reason="no answers",
    ),
    "unavailable/no-answers-beside-contexts": Message(
        found="{run:named run} without answers that have contexts",
        expected="an answer and the texts that it was made from",
        fix="Give the run columns answer and contexts, or texts to its documents.",
        reason="no answers that have contexts",
    ),
    "unavailable/no-column": Message(
        found="{run:named run} without {what}",
        expected="{what} of a query",
        fix="Give the run a column {column}.",
        reason="no {what}",
    ),
    "unavailable/no-contexts": Message(
        found="{run:named run} without contexts",
        expected="the texts that the answers were made from",
        fix="Give the run a column contexts, or texts to its documents, or the truth a corpus.",
        reason="no contexts",
    ),
    "unavailable/no-evidence": Message(
        found="truth {truth!r} without evidence",
        expected="gold spans for a query",
        fix="Give the truth a column evidence.",
    ),
    "unavailable/no-gains": Message(
        found="{spec}, which {reason}",
        expected="a metric of rankings and judgements, one value a query",
        fix="Choose another metric, such as nDCG@10, with documents matched by id.",
    ),
    "unavailable/no-latency": Message(
        found="{run:named run} {stages:?that has latencies of {stages} only}{stages:!without latencies}",
        expected="milliseconds of the stage {stage}",
        fix="Give the run a column latency_ms.",
        reason="{stages:?only latencies of {stages}}{stages:!no latencies}",
    ),
    "unavailable/no-questions": Message(
        found="truth {truth!r} and {run:named run} without the text of a query",
        expected="what was asked",
        fix="Give the truth a column query.",
    ),
    "unavailable/no-references": Message(
        found="truth {truth!r} without right answers",
        expected="a reference answer for a query",
        fix="Give the truth a column answers.",
    ),
    "unavailable/no-texts": Message(
        found="{run:named run} without texts",
        expected="the text of each chunk",
        fix="Give the run a column text, or the truth a corpus that holds its documents (--corpus); or match by id.",
        page="Give the run a column text, or the truth a corpus that holds its documents; or match by id.",
        reason="no texts",
    ),
    "unavailable/not-computed": Message(
        found="{metric} that was not computed yet{model:? with {model}}{cause.found:?; {cause.found}}",
        expected="values in the cache",
        fix=(
            "{cause.fix:?{cause.fix}, then }python -m ragdash score RUN --truth TRUTH --metrics \"{metric}\" {option} "
            "FOLDER"
        ),
        page="{cause.fix:?On the server: {cause.fix}. Then compute}{cause.fix:!Compute} it on the Answers page.",
    ),
    "unavailable/not-embedded": Message(
        found="{metric}, whose questions no model has embedded yet",
        expected="values in the cache",
        fix="python -m ragdash score RUN --truth TRUTH --metrics \"{metric}\" --model FOLDER",
        page="Embed them on the Answers page.",
        reason="questions that no model has embedded yet",
    ),
    "unavailable/not-judged": Message(
        found="{metric} of {run:named run}, not judged yet{judge:? by {judge!r}}{reason:? ({reason})}",
        expected="verdicts in the ledger",
        fix="python -m ragdash judge RUN --truth TRUTH --metrics \"{metric}\" --base-url URL --model MODEL",
        page="Ask a judge on the Judges page.",
        reason="not judged yet{judge:? by {judge!r}}{reason:? ({reason})}",
    ),
    "unavailable/similarity-computed-in-part": Message(
        found=(
            "similarity by embedding ({model}) of {computed} of {pairs:count pair/pairs} of texts{cause.found:?; "
            "{cause.found}}"
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
        found="similarity by embedding that was not computed yet{model:? with {model}}{cause.found:?; {cause.found}}",
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
        found="{field}: {cause.found}{cause.file:? ({cause.file})}",
        expected="{cause.expected}",
        fix="{cause.fix}",
    ),
    "unavailable/unreadable-similarity": Message(
        found="similarity by embedding: {cause.found}{cause.file:? ({cause.file})}",
        expected="{cause.expected}",
        fix="{cause.fix}",
    ),
    "unclear-answerable": Message(
        found=(
            "{queries} queries of truth {truth!r} called answerable and without an answer at once, such as {example!r}"
        ),
        expected="one of the two",
        fix="They count as without an answer; correct their attributes.",
    ),
    "undefined-verdicts": Message(
        found="{metric} of {run:named run}: {missing} of {queries:count query} undefined ({reasons:counts})",
        expected="a value for each",
        fix=(
            "They do not count.{again:? To ask again: python -m ragdash judge RUN --truth TRUTH --metrics \"{metric}\" "
            "--base-url URL --model MODEL}{embed:? To embed them: python -m ragdash score RUN --truth TRUTH --metrics "
            "\"{metric}\" --model FOLDER}"
        ),
        page="They do not count.",
        reason="{missing} of {queries:count query} undefined ({reasons:counts})",
    ),
    "unknown-collapse": Message(
        found="{collapse!r} for {run:named run}",
        expected="{has_source:?source or }prefix: and a separator, such as prefix:#",
        fix="Choose one that the run has.",
    ),
    "unknown-matching": Message(
        found="{value!r}",
        expected="{choices:or}",
        fix="Choose one of these.",
    ),
    "unknown-matching/threshold": Message(
        found="{value}",
        expected="a number above 0, at most 1",
        fix="Choose a number in this range.",
    ),
    "unknown-similarity": Message(
        found="{how!r}",
        expected="{choices:or}",
        fix="Choose one of these.",
    ),
    "unknown-spelling": Message(
        found="{name!r}",
        expected="{choices:or}",
        fix="Choose one of these, or several with commas between.",
    ),
    "unusable-decisions": Message(
        found="kept decisions that cannot be used ({error})",
        expected="a file that can be read and written",
        fix="Move it away if it is damaged, or name another folder in RAGDASH_WORKSPACE.",
    ),
    "vacuous-verdicts": Message(
        found="{metric} of {run:named run}: {queries:count query} without a claim, counted as faithful",
        expected="verdicts on whole texts that state something",
        fix="RAGAS.Faithfulness leaves them out.",
        reason="{queries:count query} without a claim, counted as faithful",
    ),
    "wrong-decision": Message(
        found="{line}",
        expected="{{\"query_id\": \"q1\", \"chunk\": \"...\", \"span\": \"...\", \"accept\": true}}",
        fix="Fix or remove the line.",
    ),
    "wrong-depth": Message(
        found="{depth}",
        expected="1 or more, or none",
        fix="Leave it out.",
    ),
    "wrong-floor": Message(
        found="{floor}",
        expected="a similarity above 0, at most 1",
        fix="The usual one is 0.5.",
    ),
    "wrong-threshold": Message(
        found="{threshold}",
        expected="a similarity from {floor:g} to 1",
        fix="Choose another, or match with a lower floor.",
    ),
}
