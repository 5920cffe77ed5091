"""Matching runs with relevance judgments, and comparing runs."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-cutoff": Message(
        actual="{k}",
        expected="a whole number above 0",
        fix="Choose one rank or more.",
    ),
    "bad-cutoff/depth": Message(
        actual="{k}",
        expected="a whole number from 1 to {depth}, the depth of the lists",
        fix="Choose fewer ranks, or make deeper lists.",
    ),
    "bad-margin": Message(
        actual="{margin}",
        expected="a number above 0",
        fix="Give the largest difference that does not matter, such as 0.02.",
    ),
    "bad-persistence": Message(
        actual="{p}",
        expected="a number above 0 and below 1",
        fix="Give the probability of continuing to the next rank, such as 0.9.",
    ),
    "bad-rule": Message(
        actual="{value} for {name}",
        expected="{expected}",
        fix="Change it.",
    ),
    "chunk-without-text": Message(
        actual="{chunks:count chunk} of {run:named run} without a text",
        expected="a text for each",
        fix="They cover nothing; give them their texts.",
    ),
    "collapsed-chunks": Message(
        actual=(
            "{chunks} of {all_chunks:count chunk} of {run:named run} merged: their document is ranked higher "
            "({collapse}){without_source:?; {without_source} have no source and keep their ids}"
        ),
        expected="one line for a document",
        fix="The first chunk of a document keeps its rank and the ranks close up.",
    ),
    "collapsed-chunks/ranks": Message(
        actual=(
            "{chunks} of {all_chunks:count chunk} of {run:named run} merged: their document is ranked higher "
            "({collapse}){without_source:?; {without_source} have no source and keep their ids}"
        ),
        expected="one line for a document",
        fix="Every chunk keeps its rank: the top 10 are 10 chunks, and a document counts at its first one.",
    ),
    "collapsed-chunks/none": Message(
        actual=(
            "{chunks} of {all_chunks:count chunk} of {run:named run} merged: their document is ranked higher "
            "({collapse}){without_source:?; {without_source} have no source and keep their ids}"
        ),
        expected="document ids that can be collapsed",
        fix="Check the separator, or leave --collapse out.",
        page="Check the separator, or switch collapsing off.",
    ),
    "computed-in-part": Message(
        actual="{metric} of {computed} of {answers:count answer} of {run:named run} ({model})",
        expected="a value for each",
        fix="python -m ragdash score RUN --truth TRUTH --metrics \"{metric}\" {option} FOLDER",
        page="Compute the others on the Answers page.",
    ),
    "conflicting-decisions": Message(
        actual="accepted and rejected: {pair:comma}",
        expected="one decision for a pair",
        fix="Keep the right one of the two lines.",
    ),
    "cut-texts": Message(
        actual="{pairs} pairs of a chunk and a span with a text longer than the {most} word pieces that {model} reads",
        expected="texts that are read to their end",
        fix="What is cut off does not count for their similarity.",
    ),
    "cut-texts/answers": Message(
        actual=(
            "{cut} of {answers:count answer} of {run:named run}, or texts compared with them, longer than the {most} "
            "word pieces that {model} reads"
        ),
        expected="texts that are read to their end",
        fix="What is cut off does not count for {metric}.",
    ),
    "cut-texts/windows": Message(
        actual=(
            "{cut} of {answers:count answer} of {run:named run} with windows of context longer than the {most} word "
            "pieces that {model} reads"
        ),
        expected="texts that are read to their end",
        fix="What is cut off does not count for {metric}.",
    ),
    "cut-verdicts": Message(
        actual="{metric} of {run:named run}: {queries:count query} judged by contexts that were not shown whole",
        expected="verdicts on whole texts that state something",
        fix="What is cut off does not count.",
        reason="{queries:count query} judged by contexts that were not shown whole",
    ),
    "different-match": Message(
        actual="{run!r} matched by {how}, {baseline!r} by {other_how}",
        expected="documents matched the same way",
        fix="Evaluate both with the same --match.",
        page="Evaluate both with the same setting of Relevant.",
    ),
    "different-queries": Message(
        actual="{run!r} evaluated on other queries than {baseline!r}",
        expected="values for the same queries",
        fix="Evaluate all runs against the same ground truth.",
    ),
    "different-queries/diagnosis": Message(
        actual="{run!r} evaluated on other queries than diagnosed",
        expected="values for the same queries",
        fix="Evaluate and diagnose against the same ground truth.",
    ),
    "different-queries/truth": Message(
        actual="{run!r} matched with another ground truth than {other!r}",
        expected="one ground truth",
        fix="Match all runs with the same ground truth.",
    ),
    "empty-evidence": Message(
        actual="{spans:count span} of ground truth {truth!r} without a letter or a digit",
        expected="text that can be found",
        fix="They are left out; remove them from the file.",
    ),
    "extra-queries": Message(
        actual="{queries:count query} of {run:named run} that the ground truth lacks, such as {example!r}",
        expected="queries with judgments",
        fix="They are left out.",
    ),
    "merged-queries": Message(
        actual="{queries:count query} of {run:named run} that would become another one, such as {example!r}",
        expected="one query for each id of the ground truth",
        fix="They stay unchanged; remove or rename one of each.",
    ),
    "joined-truths": Message(
        actual="{first!r} and {second!r} joined by {common:count query id}: {second!r} adds {judgments:count judgment}"
               "{columns:?, {columns:comma}}",
        expected="judgments and references of the same queries",
        fix="Nothing of {first!r} is overwritten.",
    ),
    "joined-truths/conflicts": Message(
        actual="{what} that {first!r} and {second!r} give differently for {count:,} of their queries or judgments, "
               "such as for query {query!r}",
        expected="the same in both files",
        fix="Those of {first!r} count.",
    ),
    "merged-documents": Message(
        actual="{documents:count document id} of {run:named run} that become another one, such as {first!r} and "
               "{second!r} ({id!r})",
        expected="a spelling under which different documents have different ids",
        fix="If these are different documents, read the ids without {spelling}: only the best rank counts now.",
    ),
    "missing-queries": Message(
        actual="{queries:count query} of the ground truth that {run:named run} lacks, such as {example!r}",
        expected="a ranking for every query",
        fix="They count as empty rankings; --missing skip leaves them out.",
        page="They count as empty rankings; “How the means are counted” on the Data page can leave them out.",
    ),
    "missing-queries/skipped": Message(
        actual="{queries:count query} of the ground truth that {run:named run} lacks, such as {example!r}",
        expected="a ranking for every query",
        fix="They are left out; --missing zero counts them as empty rankings.",
        page="They are left out; “How the means are counted” on the Data page can count them as empty rankings.",
    ),
    "missing-verdicts": Message(
        actual="{metric} of {run:named run}: {missing} of {queries:count query} without a verdict ({reasons:counts})",
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
        actual=(
            "{run:named run} with documents like {ids!r}, none of which is judged for its query; the ground truth has "
            "documents like {truth_ids!r}"
        ),
        expected="judged documents among those returned",
        fix="`ragdash check RUN --truth TRUTH` shows what would match.",
        page="The findings on the Data page show what would match.",
    ),
    "no-common-document/corpus": Message(
        actual=(
            "a corpus of {documents:count document} like {example!r}, none of which is relevant in the ground truth "
            "{truth!r}; it has "
            "documents like {gold!r}"
        ),
        expected="ids that are written the same way",
        fix="Whether relevant documents are in the corpus is not assessed; give the corpus to which the ground truth "
            "belongs.",
    ),
    "no-common-query": Message(
        actual="{run:named run} with queries like {ids!r}, ground truth {truth!r} with queries like {truth_ids!r}",
        expected="query ids that the run and the judgments share",
        fix="Check that they belong to the same data set and write the ids the same way.",
    ),
    "no-run": Message(
        actual="no run",
        expected="one or more",
        fix="Give the runs to choose from.",
    ),
    "no-run/likeness": Message(
        actual="no run",
        expected="one or more",
        fix="Give the runs to compare.",
    ),
    "no-run/matches": Message(
        actual="no match",
        expected="one or more",
        fix="Give a Match for each run.",
    ),
    "not-comparable": Message(
        actual="{spec}, which {reason}",
        expected="a mean of values per query that should be high or low",
        fix="Leave it out of the comparison; `ragdash evaluate` shows its values.",
    ),
    "not-comparable/oracle": Message(
        actual="{spec}",
        expected="a mean of values per query that should be high or low",
        fix="Choose another metric, such as nDCG@10.",
    ),
    "not-evaluated": Message(
        actual="an evaluation of run {run!r} with {metrics} and without {metric}",
        expected="evaluations that have the metrics to be compared",
        fix="Evaluate every run with {metric}, or compare on a metric that all have.",
    ),
    "other-answers": Message(
        actual="values of {evaluation!r} for the answers of {run!r}",
        expected="the same run and ground truth, all queries",
        fix="Evaluate this match on text_specs().",
    ),
    "relinked-not-allowed": Message(
        actual="{count:count new document} with text of documents that the asker may not see, such as {new!r} with "
               "text of {old!r}",
        expected="documents of which the asker may see all text",
        fix="They count as not allowed. Check them before you use it.",
    ),
    "relinked-truth": Message(
        actual="{changed:count judgment} of {judgments:,} with new ids{dropped:?, {dropped:count judgment} left out}",
        expected="judgments of the documents as they are now",
        fix="Look at the links before you use it.",
    ),
    "repeated-evidence": Message(
        actual="{spans:count span} of ground truth {truth!r} that their query has already",
        expected="a span once for a query",
        fix="They count once; remove the others from the file.",
    ),
    "respelled-ids": Message(
        actual=(
            "{queries} of {all_queries} query ids and {documents} of {all_documents} document ids of {run:named run} "
            "changed to the spelling of the ground truth"
        ),
        expected="ids that are equal {how}",
        fix="Write them the same way in both files to do without --ids {spelling}.",
        page="Write them the same way in both files to do without this fix.",
    ),
    "unclear-answerable": Message(
        actual=(
            "{queries:count query} of ground truth {truth!r} marked both answerable and without an answer, such as "
            "{example!r}"
        ),
        expected="one of the two",
        fix="They count as unanswerable; correct their attributes.",
    ),
    "undefined-verdicts": Message(
        actual="{metric} of {run:named run}: {missing} of {queries:count query} undefined ({reasons:counts})",
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
        actual="{collapse!r} for {run:named run}",
        expected="{has_source:?source or }prefix: and a separator, such as prefix:#, or number: and a separator",
        fix="Choose one that the run has.",
    ),
    "unknown-correction": Message(
        actual="{correction!r}",
        expected="{corrections:comma}",
        fix="Choose one of these.",
    ),
    "unknown-link-kind": Message(
        actual="{kinds:comma}",
        expected="kinds of links that can be followed: {known:comma}",
        fix="Write them with commas between.",
    ),
    "unknown-rejected": Message(
        actual="{ids:comma}",
        expected="ids of documents that the judgments name",
        fix="Correct them: the file of links has the old id of every judged document.",
    ),
    "unknown-matching": Message(
        actual="{value!r}",
        expected="{choices:or}",
        fix="Choose one of these.",
    ),
    "unknown-matching/threshold": Message(
        actual="{value}",
        expected="a number above 0, at most 1",
        fix="Choose a number in this range.",
    ),
    "unknown-overlap": Message(
        actual="{overlap!r}",
        expected="{overlaps:or}",
        fix="Choose one of these.",
    ),
    "unknown-similarity": Message(
        actual="{how!r}",
        expected="{choices:or}",
        fix="Choose one of these.",
    ),
    "unknown-spelling": Message(
        actual="{name!r}",
        expected="{choices:or}",
        fix="Choose one of these, or several with commas between.",
    ),
    "unusable-decisions": Message(
        actual="kept decisions that cannot be used ({error})",
        expected="a file that can be read and written",
        fix="Move it away if it is damaged, or name another folder in RAGDASH_WORKSPACE.",
    ),
    "vacuous-verdicts": Message(
        actual="{metric} of {run:named run}: {queries:count query} without a claim, counted as faithful",
        expected="verdicts on whole texts that state something",
        fix="RAGAS.Faithfulness leaves them out.",
        reason="{queries:count query} without a claim, counted as faithful",
    ),
    "wrong-decision": Message(
        actual="{line}",
        expected="{{\"query_id\": \"q1\", \"chunk\": \"...\", \"span\": \"...\", \"accept\": true}}",
        fix="Fix or remove the line.",
    ),
    "wrong-depth": Message(
        actual="{depth}",
        expected="1 or more, or none",
        fix="Leave it out.",
    ),
    "wrong-floor": Message(
        actual="{floor}",
        expected="a similarity above 0, at most 1",
        fix="The usual one is 0.5.",
    ),
    "wrong-threshold": Message(
        actual="{threshold}",
        expected="a similarity from {floor:g} to 1",
        fix="Choose another, or match with a lower floor.",
    ),
}
