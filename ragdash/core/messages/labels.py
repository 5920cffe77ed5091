"""Human labels, validating a judge against them, and rubrics of one's own."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "all-labeled": Message(
        actual="{queries:count query} of {runs!r} with a verdict and no label",
        expected="2 or more",
        fix="The judge has nothing to add: use the interval of the labels alone.",
    ),
    "bad-encoding": Message(
        actual="a byte that is not UTF-8 at {position}",
        expected="UTF-8",
        fix="Save it as CSV UTF-8.",
    ),
    "bad-json/other": Message(
        actual="{line!r}",
        expected="a JSON object",
        fix="Correct the line.",
    ),
    "bad-policy": Message(
        actual="{name} = {value!r}",
        expected="{answers:or}",
        fix="Choose one of these.",
    ),
    "bad-policy/file": Message(
        actual="a file that is no labeling policy ({reason})",
        expected="TOML with {names:comma}",
        fix="Write all of them.",
    ),
    "bad-price-table": Message(
        actual="a price table that cannot be read ({reason})",
        expected='TOML with [models."NAME"] and input, output, date, source',
        fix="Correct the file.",
    ),
    "bad-rubric": Message(
        actual="{unknown:?unknown fields ({unknown:comma})}{unknown:!no {missing:comma}}",
        expected="the fields name and question, and if you need them kind, labels, anchors, sees, column and title",
        fix="Correct the rubric.",
    ),
    "bad-rubric/anchors": Message(
        actual="anchors {value}",
        expected="at least two different numbers with their meaning, the lowest and the highest among them",
        fix='Write a table [anchors] such as 1 = "useless" and 5 = "complete".',
        page="Write a line such as 1: useless for each.",
    ),
    "bad-rubric/kind": Message(
        actual="{value!r}",
        expected="pass, labels, number or ranking",
        fix="Choose one of these.",
    ),
    "bad-rubric/labels": Message(
        actual="labels {value}",
        expected='at least two different ones, from the worst to the best, without "cannot decide"',
        fix='Write them as labels = ["poor", "fair", "good"].',
        page="Write one in each line.",
    ),
    "bad-rubric/name": Message(
        actual="the name {value!r}",
        expected="a letter, then letters, digits, _ or -, 40 at most",
        fix="Write such a name.",
    ),
    "bad-rubric/question": Message(
        actual="no question",
        expected="what the judge decides, such as 'Is the answer polite?'",
        fix="Write it.",
    ),
    "bad-rubric/sees": Message(
        actual="{value}",
        expected="some of question, answer, references, contexts; for a ranking the answer, without contexts",
        fix="Name the texts that the judge needs.",
    ),
    "bad-rubric/table": Message(
        actual="labels or sees that are no list, anchors that are no table, or another field that is no text",
        expected="lists, a table [anchors], and texts in quotes",
        fix="Correct the rubric.",
    ),
    "bad-rubric/toml": Message(
        actual="a file that is not TOML ({reason})",
        expected="name, question, kind and sees of a rubric",
        fix="Correct the file.",
    ),
    "bad-value": Message(
        actual="{value!r}",
        expected="a number from 0 to 1, yes, no, or nothing",
        fix="Write 1 for yes and 0 for no.",
    ),
    "constant-judge": Message(
        actual="{value:g} for all {queries:count query} of {run!r}",
        expected="verdicts that differ",
        fix="It says nothing about single queries. Check that the run has the texts that the verdicts are about.",
    ),
    "duplicate-run": Message(
        actual="two runs called {run!r}",
        expected="a name for each run",
        fix="Write --verdicts NAME=FILE.",
    ),
    "duplicate-verdict": Message(
        actual="a query twice in the verdicts of {name!r}",
        expected="one row for a query",
        fix="Remove the repeats.",
    ),
    "duplicate-verdict/query": Message(
        actual="query {query!r} twice",
        expected="one row for a query",
        fix="Remove the repeats, or number them in a column vote.",
    ),
    "duplicate-verdict/vote": Message(
        actual="query {query!r} twice{vote:? with vote {vote!r}}",
        expected="one row for a query and vote",
        fix="Remove the repeats.",
    ),
    "extra-cells": Message(
        actual="{cells:count cell} in a row, {columns:count column}",
        expected="a cell for each column",
        fix="Put texts with commas or line ends into quotation marks.",
    ),
    "extra-labels": Message(
        actual="{labels:count label} of queries that {run!r} lacks, such as {example!r}",
        expected="labels of its queries",
        fix="They are left out.",
    ),
    "few-folds": Message(
        actual="{folds:count fold}",
        expected="2 or more",
        fix="Leave it at {usual}.",
    ),
    "few-groups": Message(
        actual="labels of {groups:count group} of dependent queries for the verdicts of {runs!r}",
        expected="{fewest} or more",
        fix="No corrected interval is given; label queries of more groups.",
    ),
    "few-labels": Message(
        actual="{labels:count label} for the verdicts of {runs!r}",
        expected="{fewest} or more",
        fix="No corrected interval is given; label more.",
        page="No corrected interval is given; label more under “Label answers”.",
    ),
    "few-labels/local": Message(
        actual="labels of {queries:count query} with an answer",
        expected="those of {fewest} or more, of queries drawn at random",
        fix="Draw a sheet with --sheet, label it, and pass it with --labels.",
        page="Label answers that are drawn at random, under “Label answers”.",
    ),
    "judge-of-chance": Message(
        actual="agreement beyond chance (kappa) of {kappa:minus .2f} on {labels:count label} of {run!r}",
        expected="more than 0",
        fix="Read the disagreements; choose another metric, judge or prompt.",
    ),
    "judge-below-constant": Message(
        actual="{accuracy:percent} agreement on {labels:count label} of {run!r}; always “{answer}” would agree in "
        "{constant:percent}",
        expected="more agreement than one answer for all has",
        fix="It adds nothing on single answers. Read the disagreements; choose another metric, judge or prompt.",
    ),
    "label-range": Message(
        actual="a label of {value:g}",
        expected="values from 0 to 1",
        fix="Divide by the highest value.",
    ),
    "labels-without-verdict": Message(
        actual="{missing} of {labels:count label} of {run!r} are on queries without a verdict",
        expected="a verdict on every labeled query",
        fix="They count among the labels alone. Where a judge gives the verdicts, ask it again for what is missing.",
    ),
    "lexical-only": Message(
        actual="a local judge that looks at words, lengths and scores alone",
        expected="features by a local model too",
        fix=(
            "Word counts see neither negation nor paraphrase. To add cosines: python -m ragdash score RUN --truth "
            "TRUTH --metrics \"SemanticRelevance SBERT\" --model FOLDER"
        ),
        page=(
            "Word counts see neither negation nor paraphrase. Compute a semantic metric on the Answers page to add "
            "cosines."
        ),
    ),
    "missing-column/verdicts": Message(
        actual="the columns {columns:comma}",
        expected="a column {wanted}",
        fix="Give it this name in the first row.",
    ),
    "no-gain": Message(
        actual="verdicts of {runs!r} that do not narrow the interval of the labels",
        expected="a judge that agrees often enough, and many queries besides the labeled ones",
        fix="Label more answers: here only they make the interval narrower.",
    ),
    "no-groups": Message(
        actual="no query with a group by {by!r}",
        expected="document, for queries with the same relevant document, or an attribute of the queries",
        fix="Name an attribute that queries of the ground truth have.",
    ),
    "no-groups/verdicts": Message(
        actual="verdicts of files, which name no documents",
        expected="runs and --truth",
        fix="Pass runs with --truth and --metrics.",
        page="Load the runs and their judgments.",
    ),
    "no-label-column": Message(
        actual="{column!r}",
        expected=(
            "{columns:?one of {columns:comma}}{columns:!a run whose file has labels (Correct, Incorrect) or "
            "numbers from 0 to 1 per query}"
        ),
        fix="Name a column of the runs' files.",
    ),
    "no-labels": Message(
        actual="no label",
        expected="a number from 0 to 1 in the rows that were read",
        fix="Fill in the column {column}.",
    ),
    "no-labels/verdicts": Message(
        actual="no label for the verdicts of {runs!r}",
        expected="{fewest} labels or more of queries drawn at random",
        fix="Draw a sheet with --sheet, label it, and pass it with --labels.",
        page="Label answers below, or download a sheet, label it, and upload it.",
    ),
    "no-query": Message(
        actual="a row without a query_id",
        expected="the id of a query",
        fix="Add it.",
    ),
    "no-rows/verdicts": Message(
        actual="no verdict",
        expected="a row for a query",
        fix="Check that the file is complete.",
    ),
    "no-run/labels": Message(
        actual="verdicts from a file",
        expected="runs, whose labels are kept by their content",
        fix="Name the runs with --truth and -m METRIC.",
    ),
    "no-run/column": Message(
        actual="verdicts from a file",
        expected="runs, whose files have columns",
        fix="Name the runs with --truth and -m METRIC, or pass the labels with --labels.",
    ),
    "no-such-file/reason": Message(
        actual="{reason}",
        expected="a file that can be read",
        fix="Check the path.",
    ),
    "no-verdicts/metric": Message(
        actual="{spec}, which is no mean over queries",
        expected="a metric with a value for each query, and their mean",
        fix="Choose a metric of this kind.",
    ),
    "no-verdicts/option": Message(
        actual="neither runs nor verdicts",
        expected="one of them",
        fix="Name runs with --truth and -m METRIC, or files with --verdicts.",
    ),
    "nothing-to-label": Message(
        actual="no query with a verdict of every run",
        expected="verdicts to compare with labels",
        fix="Let the judge give its verdicts first.",
    ),
    "one-class": Message(
        actual="{labels:count label} that are all {value:g}",
        expected="labels of both kinds, good and bad answers",
        fix="There is nothing to learn from; label more, or use the interval of the labels alone.",
        page="There is nothing to learn from yet: label more under “Label answers”, until both kinds are among them.",
    ),
    "one-metric": Message(
        actual="{count:count metric}",
        expected="the one whose values are verdicts",
        fix="Name it with -m.",
    ),
    "open-rows": Message(
        actual="{open} of {rows:count row} not labeled yet",
        expected="labels",
        fix="The labeled rows from the top are still a random sample.",
    ),
    "same-family": Message(
        actual="{judge!r} as judge of {generator!r}, both of {families}",
        expected="a judge of another family than the generator",
        fix="Judges favor what is written as they write; check its verdicts against labels.",
    ),
    "sheet-design": Message(
        actual="designs {designs:comma}",
        expected="one of {known:comma} in every row",
        fix="Read one sheet as ragdash wrote it; do not join sheets of several designs.",
    ),
    "sheet-document": Message(
        actual="{document!r} for query {query!r}",
        expected="an unjudged document that one of these runs returned",
        fix="Read the sheet with the runs, judgments, metric and depth that it was made with.",
    ),
    "sheet-exists": Message(
        actual="a file of this name, which may contain labels",
        expected="a new name",
        fix="Choose another name, or take the file away.",
    ),
    "sheet-format": Message(
        actual="{sheet!r}",
        expected="a name that ends in .csv or .jsonl",
        fix="Choose one of these.",
    ),
    "sheet-column": Message(
        actual="columns {columns:comma}",
        expected="a column {wanted}",
        fix="Write the grades into the sheet that ragdash made, and keep its columns.",
    ),
    "sheet-grade": Message(
        actual="{value!r}",
        expected="a whole number from 0 to 100, or nothing",
        fix="Correct the grade, or leave the cell empty.",
    ),
    "sheet-grades": Message(
        actual="grades {grades:comma} for {item!r}",
        expected="one grade for a document",
        fix="Decide on one of them.",
    ),
    "sheet-item": Message(
        actual="{item!r}",
        expected="an item of this test set",
        fix="Read the sheet with the judgments that it was made of.",
    ),
    "skipped-rows": Message(
        actual="{rows:count row} without a label before the last labeled one",
        expected="every row labeled from the top, as far as you get",
        fix=(
            "Skipping rows because they are hard makes the sample no longer random and the interval too narrow: label "
            "them too."
        ),
    ),
    "two-judges": Message(
        actual="--local-judge and {option}",
        expected="one judge",
        fix="Leave one of them out.",
    ),
    "two-kinds": Message(
        actual="runs and files of verdicts",
        expected="one of them",
        fix="Name runs with --truth and -m METRIC, or files with --verdicts.",
    ),
    "two-labels": Message(
        actual="{label:g} for query {query!r}, {before:g} above",
        expected="one label for a query",
        fix="Decide on one of them.",
    ),
    "unknown-query": Message(
        actual="query {query!r}",
        expected="a query that was judged",
        fix="Check whether a spreadsheet changed the ids (007 became 7): format that column as text, or use JSONL.",
    ),
    "unknown-run": Message(
        actual="{run:named run}",
        expected="one of {runs:comma}",
        fix="Correct the name.",
    ),
    "unknown-slices": Message(
        actual="no attribute or label {name!r} with several values",
        expected="{names:?one of {names:comma}}{names:!queries with attributes, or a run with labels in its file}",
        fix="Correct the name.",
    ),
    "unknown-slices/several": Message(
        actual="{name!r} in the files of several runs",
        expected="one of {names:comma}",
        fix="Name the run as well.",
    ),
    "verdict-range": Message(
        actual="{value:g} for query {query!r} of {run!r}{others:? (and {others} more)}",
        expected="values from 0 to 1",
        fix="Choose a metric of that range, or divide by the highest value.",
    ),
    "sheet-pool": Message(
        actual="a sample of {units:count} in all by its probabilities",
        expected="{expected:count}",
        fix="Read the whole sheet, rows without a grade too, with the runs, judgments, metric and depth of its making.",
    ),
    "sheet-probability": Message(
        actual="probability {value}",
        expected="a number above 0, at most 1",
        fix="Leave the columns stratum and probability as ragdash wrote them.",
    ),
    "no-judged-units": Message(
        actual="no judged {unit}",
        expected="one {unit} or more with grades",
        fix="Write grades into the sheet. A query counts if all its documents have one.",
    ),
    "whose-labels": Message(
        actual="{run:?labels of {run:named run}}{run:!labels without a run}",
        expected="labels of one of {runs:comma}",
        fix="Add a column run, or write --labels NAME=FILE.",
        page="Add a column run.",
    ),
    "whose-labels/option": Message(
        actual="labels of {run:named run}",
        expected="one of {runs:comma}",
        fix="Correct the name before the =.",
    ),
}
