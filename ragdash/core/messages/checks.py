"""Checks that qualify or withhold a verdict: what was found, what follows from it, how to fix it.

Here `actual` is what was found, `expected` is what follows from it, `fix` is the way to fix it on the command line and
`page` the way in the browser. `reason` is the short form for a badge.
"""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

_NEAR_IDS = "{judged!r} is judged relevant and never returned{more:? (and {more:,} more like it)}"
_PERFECT = "{run} has the best possible {metric} on every one of {count:count query}"

MESSAGES: Mapping[str, Message] = {
    "check-rising-scores": Message(
        actual="{run}: the scores rise from the first document to the last in {count:,} of {total:count query}",
        expected="They look like distances, so the worst documents are ranked first.",
        fix="Rank them the other way with --reverse-scores {run!r}.",
        page="Reverse the scores.",
        reason="scores rise",
    ),
    "check-rising-scores/ranked": Message(
        actual="{run}: the scores rise from the first document to the last in {count:,} of {total:count query}",
        expected="The ranks of the file are used, so the rankings are right. Score cutoffs read the scores as "
                 "similarities.",
        fix="Rank them the other way with --reverse-scores {run!r} if you use score cutoffs.",
        page="Reverse the scores if you use score cutoffs.",
        reason="scores rise",
    ),
    "check-reversed-scores": Message(
        actual="{run}: the scores were reversed, so the documents with the smallest scores are ranked first",
        expected="That is right if they are distances.",
        fix="Leave out --reverse-scores {run!r} if they are not.",
        page="Undo it on the Data page if they are not.",
        reason="scores reversed",
    ),
    "check-reversed-scores/distances": Message(
        actual="{run}: its scores are distances, so the smallest is best and ranked first",
        expected="Pages show them as negative numbers.",
        fix="",
        reason="distances",
    ),
    "check-reversed-scores/ranked": Message(
        actual="{run}: the scores were reversed; the order of its file is kept",
        expected="Only score cutoffs and score fusion read the scores.",
        fix="",
        reason="scores reversed",
    ),
    "check-missing-queries": Message(
        actual="{run} has no results for {count:,} of {total:count query} ({share:percent})",
        expected="{treatment}",
        fix="Run them too, or compare on common queries only with --missing skip.",
        page="Use common queries only, or run the missing queries.",
        reason="missing queries: {count:,}",
    ),
    "check-missing-queries/skipped": Message(
        actual="{run} has no results for {count:,} of {total:count query} ({share:percent})",
        expected="{treatment}",
        fix="Run them too.",
        reason="missing queries: {count:,}",
    ),
    "check-missing-queries/pinned": Message(
        actual="{run} has no results for {count:,} of {total:count query} ({share:percent})",
        expected="{treatment}",
        fix="Run them too.",
        reason="missing queries: {count:,}",
    ),
    "check-unknown-ids": Message(
        actual="{share:percent} of the documents of {run} are unknown, {other:percent} of those of the best other run "
               "(no judgment or text has their id{looked:?; {looked} of {returned} looked at})",
        expected="Unknown documents count as not relevant.",
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
        page="Fix it with the button on Overview.",
        reason="ids differ",
    ),
    "check-other-ids/allowed": Message(
        actual="{run} writes ids in another way than the allowed documents, such as {examples:or}",
        expected="{count:,} of {total:,} match only after a fix. Until then they count as not allowed.",
        fix="Read the runs with {flags}.",
        page="Fix it with the button on Overview.",
        reason="ids differ",
    ),
    "check-other-level": Message(
        actual="{run} and the judgments name different units, such as chunks and documents: {examples:or}",
        expected="Documents that the judgments do not name count as not relevant.",
        fix="{flags:!Rank what is judged, or judge what is ranked.}{flags:?Read the runs with {flags}.}",
        page="Fix it with the button on Overview.",
        reason="chunks against documents",
    ),
    "check-no-common-query": Message(
        actual="{run} has no query in common with the judgments",
        expected="The judgments are probably those of another test set.",
        fix="Pass the judgments of this test set with --truth.",
        page="Add the judgments of this test set, or use them on the Data page where they are loaded.",
        reason="other queries",
    ),
    "check-no-common-document": Message(
        actual="{run} returns no document that is judged for its query",
        expected="Every metric is 0. The judgments are probably those of another test set, or the ids differ.",
        fix="Pass the judgments of this test set with --truth, or read the ids with --ids.",
        page="Add the judgments of this test set, or check the ids on the Data page.",
        reason="no judged document",
    ),
    "check-other-judges": Message(
        actual="{metric} is by different judges or versions of a judge ({judges:comma})",
        expected="Their values are not on one scale, so a difference may be that of the judges.",
        fix="Ask one version about all runs (ragdash judge RUNS ... --renew), or choose one that judged all: "
            "-m \"{name}(judge='JUDGE version VERSION')\".",
        page="Ask one version of one judge about all runs (Answers, LLM judge), or choose one that judged all.",
        reason="different judges",
    ),
    "check-shallow-run": Message(
        actual="{run} has at most {depth:count document} per query; {other} has {other_depth:,}",
        expected="At k = {k} the deeper run has more chances.",
        fix="Compare with cutoffs up to {depth}, such as --cutoffs {depth}.",
        page="Set k to {depth} or less.",
        reason="top {depth} only",
    ),
    "check-shallow-run/pinned": Message(
        actual="{run} has at most {depth:count document} per query; {other} had {other_depth:,}",
        expected="At k = {k} the deeper run had more chances.",
        fix="Retrieve {other_depth:,} per query again, or name with -m the metrics that look at most {depth:,} deep.",
        page="Retrieve {other_depth:count document} per query again.",
        reason="top {depth} only",
    ),
    "check-several-truths": Message(
        actual="{count} files with judgments are loaded: {names}",
        expected="Only the judgments of one of them count.",
        fix="Pass one file with --truth, or all of them to join them.",
        page="Use another one, or join them: the buttons are at the top of Overview and of Data.",
        reason="several judgments",
    ),
    "check-several-truths/joined": Message(
        actual="{first!r} and {second!r} disagree about {what} in {count:count case}",
        expected="Those of {first!r} count.",
        fix="Check which of the files is right, and use that one alone.",
        reason="judgments differ",
    ),
    "check-few-queries": Message(
        actual="Only {count:count query} {count:plural has/have} a value",
        expected="A few queries decide the result, and other queries may reverse it.",
        fix="Add queries: 50 or more are a good test.",
        reason="few queries",
    ),
    "check-repeated-questions": Message(
        actual="{run} has {rows:count row} for {questions:count question}",
        expected="Each row counts as a query of its own, so the intervals are too narrow.",
        fix="If the rows are of several configurations or repeats, write which into a column config, such as “v1 2”, "
            "and load the file again. If not, keep one row for each question.",
        reason="repeated questions",
    ),
    "check-perfect-score": Message(
        actual=_PERFECT,
        expected="It may have been made from the judgments.",
        fix="Check how the run was made.",
        reason="perfect on every query",
    ),
    "check-perfect-score/answers": Message(
        actual=_PERFECT,
        expected="The answers may have been copied from the texts that they are compared with.",
        fix="Check how the answers were made.",
        reason="perfect on every query",
    ),
    "check-perfect-score/judge": Message(
        actual=_PERFECT,
        expected="A judge that always gives the same score carries no information.",
        fix="Check the judge against human labels.",
        reason="same score on every query",
    ),
    "check-perfect-score/file": Message(
        actual=_PERFECT,
        expected="A score that is the same on every query cannot separate good answers from bad ones.",
        fix="Check how the scores in the file were made.",
        reason="same score on every query",
    ),
    "check-perfect-score/label": Message(
        actual=_PERFECT,
        expected="A label that is the same on every query cannot separate good answers from bad ones.",
        fix="Check how the labels in the file were made.",
        reason="same label on every query",
    ),
    "check-unread-rankings": Message(
        actual="The file of {run} has rankings that are not read",
        expected="Only its answers and the metrics in the file are shown.",
        fix="ragdash check FILE prints the options that read them.",
        page="Apply the proposed reading, on Overview or Data.",
        reason="rankings not read",
    ),
    "check-no-rankings": Message(
        actual="The file of {run} has no retrieved documents",
        expected="Metrics of rankings are undefined. Answers, and metrics from the file, can be compared.",
        fix="Add the ids of the retrieved documents to measure retrieval.",
        reason="no retrieved documents",
    ),
    "check-no-rankings/contexts": Message(
        actual="The file of {run} has contexts without document ids",
        expected="Only retrieval metrics are missing.",
        fix="To measure retrieval, add the ids of the retrieved documents.",
        reason="no document ids",
    ),
    "check-no-rankings/no-answers": Message(
        actual="The file of {run} has no answers and no ids of retrieved documents",
        expected="Metrics of answers and of rankings are undefined.",
        fix="Add a column with the answers. Recognized names: {names:comma}. To measure retrieval, add the "
            "ids of the retrieved documents.",
        reason="no answers",
    ),
    "check-no-references": Message(
        actual="There are no reference answers and no relevance judgments",
        expected="Nothing in the files says which answers are right.",
        fix="Add a column with the right answers. Recognized names: {names:comma}.",
        reason="no reference answers",
    ),
    "check-near-ids": Message(
        actual=_NEAR_IDS,
        expected="Did you mean {returned!r}? With an error in its id, a document counts as not found.",
        fix="Correct the ids in the file of judgments.",
        reason="errors in ids?",
    ),
    "check-modeled-times": Message(
        actual="{run}: its times are modeled, not measured",
        expected="They are those of the slowest of the searches that it fuses.",
        fix="",
        reason="times modeled",
    ),
    "check-tuned-here/held-out": Message(
        actual="{run}: its setting was chosen on these judgments, so its values here can be too high",
        expected="On queries that had no part in the choice, its {metric} is {held_out:.3f}.",
        fix="Report the value on held-out queries, or evaluate it on new ones.",
        reason="tuned here",
    ),
    "check-tuned-here": Message(
        actual="{run} was tuned on these judgments, so its mean is optimistic",
        expected="The value on held-out queries is the one to report.",
        fix="ragdash fuse RUN RUN --truth TRUTH --tune METRIC prints it. Or evaluate on new queries.",
        page="What-if has it. Or evaluate on new queries.",
        reason="tuned here",
    ),
    "check-inverted-grades": Message(
        actual="Every run ranks documents with low grades before those with high grades",
        expected="The grades may count the other way: here a higher grade means more relevant.",
        fix="If 1 means best in the file of judgments, reverse its grades.",
        reason="grades look inverted",
    ),
    "check-same-content": Message(
        actual="{first} and {second} have the same rankings",
        expected="They differ in no retrieval metric.",
        fix="Check that the right files were given.",
        page="Check that the right files were added.",
        reason="same rankings",
    ),
    "check-nearly-same": Message(
        actual="{first} and {second} return nearly the same rankings: {metric} is equal on {count:,} of {total:,} "
               "queries",
        expected="They count as two runs, so every difference is corrected for more pairs.",
        fix="Compare only one of them.",
        page="Compare only one of them: hide the other.",
        reason="nearly the same",
    ),
    "check-other-spellings": Message(
        actual="{first} and {second} write the same document in different ways, such as {examples:or}",
        expected="{count:,} of {total:count document} of both are taken for different ones where rankings are joined "
                 "or compared.",
        fix="Read the runs with {flags}.",
        page="Fix it with the button on Overview.",
        reason="ids differ between runs",
    ),
    "check-unjudged": Message(
        actual="Unjudged documents could change which run is best on {metric}",
        expected="{best} could be as low as {low:.3f}, {other} as high as {high:.3f}.",
        fix="Judge the documents that the dashboard lists on the page Queries under \"Judge these next\".",
        page="Judge the documents that Queries lists under \"Judge these next\".",
        reason="unjudged documents",
    ),
    "check-uneven-judgments": Message(
        actual="{low:percent} of the top {k} documents of {worst} are judged, {high:percent} of {best}",
        expected="Unjudged documents count as not relevant, so the run with fewer judged documents looks worse.",
        fix="Judge more documents of {worst}, or read bpref and Judged@k too.",
        reason="{low:percent} judged",
    ),
    "check-sparse-judgments": Message(
        actual="The test set has about {mean:.1f} judged documents per query",
        expected="Unjudged documents are normal here. All runs are treated alike.",
        fix="Nothing to do.",
        reason="sparse judgments",
    ),
    "check-truth-changed": Message(
        actual="The judgments changed since the baseline was pinned: {changed:count query} changed, {removed:,} "
               "removed, {added:,} added",
        expected="Values under different judgments are not comparable. {same:,} of {total:count query} have the same "
                 "judgments.",
        fix="--accept truth-changed compares those. Or evaluate the accepted run again and pin it.",
        page="Evaluate the accepted run again.",
        reason="judgments changed",
    ),
    "check-old-baseline": Message(
        actual="The baseline was pinned {age:count day} ago, on {date}",
        expected="It should be at most {max_age:count day} old.",
        fix="Check that the accepted run is still the right one, then pin it again.",
        reason="old baseline",
    ),
    "check-future-baseline": Message(
        actual="The baseline was pinned in the future, on {date}",
        expected="A clock is wrong, so its age is not known.",
        fix="Set the clock of this machine, or pin the baseline again.",
        reason="future baseline",
    ),
    "check-fewer-queries": Message(
        actual="{run} lacks {missing:count query}, {lost:,} more than the baseline",
        expected="It should answer every query that the baseline answers.",
        fix="Find out why they are missing, or --accept fewer-queries.",
        page="Find out why they are missing.",
        reason="fewer queries",
    ),
    "check-fewer-values": Message(
        actual="{metric}: {after:count query} of {run} {after:plural has/have} a value, {before:,} of the baseline",
        expected="The means are over different queries.",
        fix="Find out why values are missing, or --accept fewer-values.",
        page="Find out why values are missing.",
        reason="fewer values",
    ),
    "check-settings-changed": Message(
        actual="The setting {setting} is {after!r}; the baseline has {before!r}",
        expected="Values under different settings are not comparable.",
        fix="Use the same setting, or evaluate the accepted run again and pin it.",
        reason="settings differ",
    ),
}
