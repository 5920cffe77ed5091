"""What the report on comparability counts: what was found in the files, what follows from it, how to fix it.

Here `actual` is what was found, `expected` is what follows from it, `fix` is the way to fix it on the command line and
`page` the way in the browser.
"""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

_EXAMPLES = "{examples:?, such as {examples!r:comma}}"
_LOOKED = "{looked:? (in {looked} of {returned} looked at)}"
_LEVEL_LOOKED = "{level_looked:? (in {level_looked} of {returned} looked at)}"
_MOVES = "{moves:?{moves:comma}{more:? and others}.}{unmoved:?No mean changes.}"
_OTHERWISE = "{alternative:? Under {alternative!r}: }" + _MOVES
_THE_OTHER_WAY = " If they were settled the other way round: " + _MOVES
_RUN, _THE_RUN = "{each:?each run}{each:!the run}", "{each:?Each run}{each:!The run}"  # each: said of several at once
_NOT_IN = "{each:?missing from each run}{each:!not in the run}"
_ALIKE = "Check that both belong to the same data set, and write the ids the same way."
_MISSING = "{count} of {total:count query} of the ground truth {count:plural is/are} " + _NOT_IN + _EXAMPLES + "."
_UNANSWERABLE = "{count} of {total:count query} of the ground truth {count:plural has/have} no relevant document" \
    + _EXAMPLES + "."
_REPEATED = "{count} of {total} returned documents already have a better rank in their ranking" + _EXAMPLES + "."
_TIED = "{count} of {total:count document} {count:plural has/have} the score of another one in their ranking" \
    "{total:? ({share:percent})}."
_DIGITS = "Let the retriever write scores with more digits."
_RISING = "In {count} of {total:count query} with several scores these rise from the first document to the last" \
          + _EXAMPLES + "."
_REVERSE = "Where they are distances, write their negatives, or give ranks{flags:?, or rank them with {flags}}."
_UNEVEN = "{count} of {total:count query} of the ground truth {count:plural is/are} in some of the runs and not in " \
    "others" + _EXAMPLES + "."
_EVERY_QUERY = "Run every configuration for every query."
_DEPTHS = "The runs are not equally deep ({shown:comma})."
_SHALLOW = "Compare them with cutoffs up to {shallowest}, or retrieve equally many documents."
_QUERIES = "{count} of {total:count query} of " + _RUN + " {count:plural matches/match} the ground truth only {way} " \
    "({examples:comma})."
_DOCUMENTS = ("{count} of {total} different documents" + _LOOKED
              + " match the ground truth only {way} ({examples:comma}).")
_HITS = "Judged documents among those returned" + _LOOKED + ": {before} now, {after} after the fix."
_SPELLING = "Read the runs with {flags}, or write the ids the same way in both files."
_SPELLING_PAGE = "Match the ids with the button, or write them the same way in both files."
_LEVEL_HITS = (
    "Judged documents among those returned" + _LEVEL_LOOKED + ": {level_before} now, {level_after} after the fix. Of "
    "these, {closed} are in the top {top} documents and {kept} in the top {top} parts. {changed:count different id} "
    "{changed:plural becomes/become} {documents:count document}{unchanged:?; {unchanged:,} "
    "{unchanged:plural stays as it is/stay as they are}, such as {unchanged_example!r}}.{unknown:? {unknown:,} of them "
    "become documents such as {unknown_example!r}: no judged document has such an id.}")
_COLLAPSE = (
    "Read the runs with {flags}. {also:?Both are needed: the ids also differ in spelling. }The first part of a "
    "document counts. Ranks close up; with chunks:{by} they stay those of the parts.")
_COLLAPSE_PAGE = (
    "Collapse the parts with the button.{also:? It also matches the ids, which differ in spelling.} The first "
    "part of a document counts. Ranks close up, unless you choose chunks that keep their ranks.")
_LEVELS = "The runs were read on different levels ({shown:comma})."
_SPELLINGS = "The runs were read with ids spelled in different ways ({shown:comma})."
_NOT_THE_SAME = "Their numbers do not mean the same."

MESSAGES: Mapping[str, Message] = {
    "compare-matched-queries": Message(
        actual="{count} of {total:count query} of the ground truth {count:plural is/are} in " + _RUN + ".",
        expected="", fix=""),
    "compare-matched-queries/none": Message(
        actual="{each:?These runs have no query of the ground truth: they have}{each:!No query of the run is in the "
               "ground truth: the run has} queries like {ours!r:comma}, the ground truth queries like "
               "{theirs!r:comma}.",
        expected=_THE_RUN + " cannot be evaluated.",
        fix=_ALIKE,
    ),
    "compare-missing-queries/zero": Message(
        actual=_MISSING,
        expected="They count as empty rankings." + _OTHERWISE,
        fix="Run them too, or choose how they count.",
    ),
    "compare-missing-queries/zero-answers": Message(
        actual=_MISSING,
        expected="They have no answer, so the means of answers are over different queries.",
        fix="Run them too, or leave them out in every run: --missing skip.",
        page="Run them too, or leave them out in every run.",
    ),
    "compare-missing-queries/skip": Message(
        actual=_MISSING,
        expected="They are left out of every mean." + _OTHERWISE,
        fix="Run them too, or choose how they count.",
    ),
    "compare-missing-queries/skip-answers": Message(
        actual=_MISSING,
        expected="They are left out in every run, so the means are over the same queries.",
        fix="Run them too to measure all queries.",
    ),
    "compare-empty-rankings": Message(
        actual="{count} of {total:count query} {count:plural has/have} an empty ranking in " + _RUN + _EXAMPLES + ".",
        expected="They count 0 where something is relevant to them.",
        fix="Check that the search did not fail for them.",
    ),
    "compare-extra-queries": Message(
        actual="{count} of {total:count query} of " + _RUN + " {count:plural is/are} not in the ground truth"
               + _EXAMPLES + ".",
        expected="They are left out of every metric.",
        fix="Judge them, or leave them out of " + _RUN + ".",
    ),
    "compare-returned-documents": Message(
        actual="{count:count document} {count:plural is/are} returned for {queries:count query}, at most {depth} for "
               "one.",
        expected="", fix=""),
    "compare-duplicate-documents/first": Message(
        actual=_REPEATED,
        expected="The best rank counts, the others are passed over.",
        fix="Remove the repeats from the file.",
    ),
    "compare-duplicate-documents/error": Message(
        actual=_REPEATED,
        expected=_THE_RUN + " is refused.",
        fix="Remove the repeats from the file.",
    ),
    "compare-unjudged-documents": Message(
        actual="{count} of {total:count document} returned {k:?in the first {k} ranks}{k:!at any rank} "
               "{count:plural has/have} no judgment"
               "{total:? ({share:percent})}.",
        expected="They count as not relevant, which favors a run that has fewer of them.",
        fix="Judge them, or also read bpref and Judged@k.",
    ),
    "compare-no-common-document": Message(
        actual="None of the {total} documents returned is judged for its query: " + _RUN + " has documents like "
               "{ours!r:comma}, the ground truth documents like {theirs!r:comma}.",
        expected="Every metric is 0 or undefined.",
        fix="Check that the ids are written the same way and that the ground truth judges what " + _RUN + " ranks.",
    ),
    "compare-tied-documents/docid": Message(
        actual=_TIED,
        expected="Equal scores are settled by document id, descending, as trec_eval does." + _THE_OTHER_WAY,
        fix=_DIGITS,
    ),
    "compare-tied-documents/trec_eval": Message(
        actual=_TIED,
        expected="Scores that are equal in 32 bits are settled by document id, descending, as trec_eval does."
                 + _THE_OTHER_WAY,
        fix=_DIGITS,
    ),
    "compare-tied-documents/file": Message(
        actual=_TIED,
        expected="Equal scores stay in the order of the file." + _THE_OTHER_WAY,
        fix=_DIGITS,
    ),
    "compare-near-ids": Message(
        actual="{judged!r} is judged relevant and never returned{more:? (and {more:,} more like it)}.",
        expected="Did you mean {returned!r}? With an error in its id, a document counts as not found.",
        fix="Correct the ids in the file of judgments.",
    ),
    "compare-rising-scores/few": Message(
        actual=_RISING,
        expected="",
        fix="",
    ),
    "compare-rising-scores": Message(
        actual=_RISING,
        expected="They may be distances, where less is better; the highest score is ranked first.",
        fix=_REVERSE,
        page="Reverse the scores where they are distances.",
    ),
    "compare-rising-scores/ranked": Message(
        actual=_RISING,
        expected="They may be distances. The order of the list is kept, so the metrics are right.",
        fix="Only score cutoffs and score fusion need the scores reversed.",
    ),
    "compare-without-answer": Message(
        actual="{count} of {total:count query} {count:plural has/have} no answer in " + _RUN + _EXAMPLES + ".",
        expected="Metrics of answers leave these queries out.",
        fix="Add the answers. An empty cell counts as no answer.",
    ),
    "compare-without-answer/all": Message(
        actual=_THE_RUN + " has no answers and no ids of retrieved documents.",
        expected="Metrics of answers and of rankings are undefined.",
        fix="Add a column with the answers. Recognized names: {names:comma}.",
    ),
    "compare-unanswerable-queries/no-judgments": Message(
        actual="The ground truth has no judgments of documents.",
        expected="Retrieval metrics are undefined. Answers, and metrics from the files, can be compared.",
        fix="Add judgments to measure retrieval.",
    ),
    "compare-unanswerable-queries/skip": Message(
        actual=_UNANSWERABLE,
        expected="They are undefined and left out of every mean." + _OTHERWISE,
        fix="Judge documents for them, or choose how they count.",
    ),
    "compare-unanswerable-queries/zero": Message(
        actual=_UNANSWERABLE,
        expected="They count 0 in every mean." + _OTHERWISE,
        fix="Judge documents for them, or choose how they count.",
    ),
    "compare-respelled-queries": Message(actual=_QUERIES, expected=_HITS, fix=_SPELLING, page=_SPELLING_PAGE),
    "compare-respelled-documents": Message(actual=_DOCUMENTS, expected=_HITS, fix=_SPELLING, page=_SPELLING_PAGE),
    "compare-respelled-allowed": Message(
        actual="{count} of {total} different documents" + _LOOKED + " match allowed documents or documents of "
               "subtopics only {way} ({examples:comma}).",
        expected="Until then metrics of permissions and of diversity do not recognize them.",
        fix=_SPELLING,
        page=_SPELLING_PAGE,
    ),
    "compare-respelled-queries/collapsed": Message(
        actual=_QUERIES, expected=_LEVEL_HITS, fix=_COLLAPSE, page=_COLLAPSE_PAGE),
    "compare-respelled-documents/collapsed": Message(
        actual=_DOCUMENTS, expected=_LEVEL_HITS, fix=_COLLAPSE, page=_COLLAPSE_PAGE),
    "compare-another-level": Message(
        actual=_THE_RUN + " ranks parts of what the ground truth judges, such as {ours!r} where the ground truth has "
               "{theirs!r}.",
        expected=_LEVEL_HITS,
        fix=_COLLAPSE,
        page=_COLLAPSE_PAGE,
    ),
    "compare-finer-truth": Message(
        actual="The ground truth judges parts of what " + _RUN + " ranks, such as {theirs!r} where " + _RUN + " has "
               "{ours!r}" + _LOOKED
               + "{judged:? (in {rows} of {returned} returned and {judged} of {wanted} judged documents looked at)}.",
        expected="None of these is found.",
        fix="Rank the parts, or judge what is ranked.",
    ),
    "compare-different-queries/zero": Message(
        actual=_UNEVEN,
        expected="They count as empty rankings where they are missing, so all means are over the same queries.",
        fix=_EVERY_QUERY,
    ),
    "compare-different-queries/zero-answers": Message(
        actual=_UNEVEN,
        expected="They have no answer where they are missing, so the means of answers are over different queries.",
        fix=_EVERY_QUERY,
    ),
    "compare-different-queries/skip": Message(
        actual=_UNEVEN,
        expected="Runs are compared on the queries that they share; the mean of a run alone is over its own queries.",
        fix=_EVERY_QUERY,
    ),
    "compare-different-depths": Message(
        actual=_DEPTHS,
        expected="None of these metrics looks deeper than rank {shallowest}.",
        fix=_SHALLOW,
    ),
    "compare-different-depths/touched": Message(
        actual=_DEPTHS,
        expected="The deeper run has more chances in {metrics:comma}.",
        fix=_SHALLOW,
    ),
    "compare-different-collapse": Message(
        actual=_LEVELS,
        expected=_NOT_THE_SAME,
        fix="Read all of them with the same --collapse.",
        page="Collapse all of them in the same way{fixable:?: {fixable:comma} {fixable:plural is/are} left}.",
    ),
    "compare-different-collapse/no-chunks": Message(
        actual=_LEVELS,
        expected="The runs that were read as they are have nothing to collapse, so their numbers can be compared.",
        fix=""),
    "compare-different-collapse/in-use": Message(
        actual=_LEVELS,
        expected="All of them are on the level of the ground truth now, so their numbers can be compared.",
        fix=""),
    "compare-different-ids": Message(
        actual=_SPELLINGS,
        expected=_NOT_THE_SAME,
        fix="Read all of them with the same --ids.",
        page="Match the ids of all of them in the same way{fixable:?: {fixable:comma} {fixable:plural is/are} left}.",
    ),
    "compare-different-ids/settled": Message(
        actual=_SPELLINGS, expected="The others have no id that would change, so their numbers can be compared.",
        fix=""),
    "compare-different-ids/in-use": Message(
        actual=_SPELLINGS,
        expected="All of them are written as in the ground truth now, so their numbers can be "
                 "compared.{fixable:? Documents "
                 "without a judgment are still written in two ways.}",
        fix="{fixable:?Match them too before you join rankings.}"),
    "compare-same-rankings": Message(
        actual="Runs with the same rankings: {shown:comma}.",
        expected="They differ in nothing that a metric of retrieval sees.",
        fix="Check that the right files were given.",
    ),
    "compare-file-metric": Message(actual="{cause.actual}.", expected="{cause.fix}", fix=""),
    "unused-labels": Message(
        actual="labels of {answers:count answer} of {run!r} (column {column!r}) that call {right:,} right"
        "{partly:? and {partly:,} partly right}, and are not counted because nothing shows who gave them",
        expected="labels that people gave",
        fix="To count by them: ragdash diagnose --label-column {column!r}.",
        page="To count by them, choose them under Rules on the Failures page.",
    ),
    "compare-unused-labels": Message(actual="Found {cause.actual}.", expected="{cause.fix}", fix=""),
}
