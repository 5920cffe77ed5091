"""Checks of a comparison: what was found, what follows from it, how to fix it.

Here `actual` is what was found, `expected` is what follows from it, `fix` is the way to fix it on the command line and
`page` the way in the browser. `reason` is the short form for a badge.
"""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "check-rising-scores": Message(
        actual="{run}: the scores rise from the first document to the last in {count:,} of {total:,} queries",
        expected="They look like distances, so the worst documents are ranked first.",
        fix="Rank them the other way with --reverse-scores {run!r}.",
        page="Reverse the scores.",
        reason="scores rise",
    ),
    "check-rising-scores/ranked": Message(
        actual="{run}: the scores rise from the first document to the last in {count:,} of {total:,} queries",
        expected="The ranks of the file are used, so the rankings are right. Score cutoffs read the scores as "
                 "similarities.",
        fix="Rank them the other way with --reverse-scores {run!r} if you use score cutoffs.",
        page="Reverse the scores if you use score cutoffs.",
        reason="scores rise",
    ),
    "check-missing-queries": Message(
        actual="{run} has no results for {count:,} of {total:,} queries ({share:.0%})",
        expected="{treatment}",
        fix="Run them too, or compare on common queries only with --missing skip.",
        page="Use common queries only, or run the missing queries.",
        reason="{count:,} queries missing",
    ),
    "check-unknown-ids": Message(
        actual="{run}: {share:.0%} of its documents match no judged or known document; the best other run has "
               "{other:.0%}",
        expected="These documents count as not relevant, whatever they are.",
        fix="Check how the ids of this run are written; --ids and --collapse read other spellings.",
        page="Check how the ids of this run are written. The Data page shows examples.",
        reason="unknown ids",
    ),
    "check-stale-judgments": Message(
        actual="{count:,} of {total:,} relevant documents are not among the documents loaded",
        expected="No run can return them, so every metric is too low. The documents were probably indexed again, with "
                 "other ids.",
        fix="Follow them to their new ids with ragdash relink, or pass the documents of these judgments.",
        page="Follow the judged documents to their new ids.",
        reason="old ids judged",
    ),
    "check-other-ids": Message(
        actual="{run} writes ids in another way than the judgments, such as {examples:or}",
        expected="{count:,} of {total:,} match only after a fix. Until then they count as not relevant.",
        fix="Read the runs with {flags}.",
        page="Apply the fix on the Data page.",
        reason="ids differ",
    ),
    "check-other-level": Message(
        actual="{run} and the judgments name different units, such as chunks and documents: {examples:or}",
        expected="What differs counts as not relevant.",
        fix="{flags:!Rank what is judged, or judge what is ranked.}{flags:?Read the runs with {flags}.}",
        page="Apply the fix on the Data page.",
        reason="chunks against documents",
    ),
    "check-no-common-query": Message(
        actual="{run} has no query in common with the judgments",
        expected="The judgments are probably those of another test set.",
        fix="Pass the judgments of this test set with --truth.",
        page="Add the judgments of this test set.",
        reason="other queries",
    ),
    "check-no-common-document": Message(
        actual="{run} returns no document that is judged for its query",
        expected="Every metric is 0. The judgments are probably those of another test set, or the ids differ.",
        fix="Pass the judgments of this test set with --truth, or read the ids with --ids.",
        page="Add the judgments of this test set, or check the ids on the Data page.",
        reason="no judged document",
    ),
    "check-shallow-run": Message(
        actual="{run} has at most {depth:,} documents per query; {other} has {other_depth:,}",
        expected="At k = {k} the deeper run has more chances.",
        fix="Compare with cutoffs up to {depth}, such as --cutoffs {depth}.",
        page="Set k to {depth} or less.",
        reason="top {depth} only",
    ),
    "check-several-truths": Message(
        actual="{count} files with judgments are loaded: {names}",
        expected="They can disagree about the same document.",
        fix="Pass one file with --truth, or merge them first.",
        page="The last one is in use: accept it, or remove it on the Data page and add the right one.",
        reason="several judgments",
    ),
    "check-few-queries": Message(
        actual="Only {count:count query} {count:plural has/have} a value",
        expected="A few queries decide the result, and other queries may turn it.",
        fix="Add queries: 50 or more are a good test.",
        reason="few queries",
    ),
    "check-perfect-score": Message(
        actual="{run} has the best possible {metric} on every one of {count:,} queries",
        expected="Check that it was not made from the judgments.",
        fix="Check how the run was made.",
        reason="perfect on every query",
    ),
    "check-inverted-grades": Message(
        actual="Every run ranks documents with low grades before those with high grades",
        expected="The grades may count the other way: here a higher grade means more relevant.",
        fix="Turn the grades round in the file of judgments if 1 means best.",
        reason="grades look inverted",
    ),
    "check-same-content": Message(
        actual="{first} and {second} have the same rankings",
        expected="They differ in no retrieval metric.",
        fix="Check that the right files were given.",
        page="Check that the right files were added.",
        reason="same rankings",
    ),
    "check-unjudged": Message(
        actual="Unjudged documents could change which run is best on {metric}",
        expected="{best} could be as low as {low:.3f}, {other} as high as {high:.3f}.",
        fix="Judge the documents that `ragdash diagnose --judge-next` lists.",
        page="Judge the documents that Data lists under \"Judge next\".",
        reason="unjudged documents",
    ),
    "check-uneven-judgments": Message(
        actual="{low:.0%} of the top {k} documents of {worst} are judged, {high:.0%} of {best}",
        expected="Unjudged documents count as not relevant, so the run with fewer judged documents looks worse.",
        fix="Judge more documents of {worst}, or read bpref and Judged@k too.",
        reason="{low:.0%} judged",
    ),
    "check-sparse-judgments": Message(
        actual="The test set has about {mean:.1f} judged documents per query",
        expected="Unjudged documents are normal here. All runs are treated alike.",
        fix="Nothing to do.",
        reason="sparse judgments",
    ),
}
