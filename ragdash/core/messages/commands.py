"""The command line, and the files, reports and pictures that are written."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-mapping": Message(
        found="{twice:?{twice!r} twice}{twice:!{text!r}}",
        expected="OURS=THEIRS, each field once",
        fix="Write it like --map query=question,retrieved=url.",
    ),
    "browser-failed": Message(
        found="{type}: {error}",
        expected="a picture by {browser}",
        fix="Try again, or take plotly JSON.",
    ),
    "lost-content/corpus": Message(
        found="{documents:count document} of the corpus: not in the file",
        expected="what the format holds",
        fix="Write BEIR (-o FOLDER) to keep them.",
    ),
    "lost-content/duplicates": Message(
        found="{documents:count duplicate document} in a ranking: only the best rank is written",
        expected="what the format holds",
        fix="Nothing that counts is lost.",
    ),
    "lost-content/empty-queries": Message(
        found="{queries:count query} without results: not in a TREC run",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/empty-text": Message(
        found="a text in {name} that is read as missing, such as NaN or an empty one",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/order": Message(
        found="an order other than that of the scores: the scores are written as falling whole numbers",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/run-fields": Message(
        found="{fields:comma}: not in a TREC run",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/truth-fields": Message(
        found="{fields:comma}: not in the files",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/unjudged-queries": Message(
        found="{queries:count query} without a judgment: not in the files",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "no-bound": Message(
        found="--format junit without a bound",
        expected="something to pass or fail",
        fix="Add {option}.",
    ),
    "no-browser": Message(
        found="no Chromium or Chrome",
        expected="one of {browsers:comma} on the path",
        fix="Install Chromium, or name its path in the environment variable CHROMIUM; plotly JSON needs none.",
    ),
    "no-kaleido": Message(
        found="no kaleido",
        expected="the package kaleido, which draws PNG and SVG",
        fix="pip install kaleido; plotly JSON needs nothing.",
    ),
    "no-query/regression": Message(
        found="none of the {queries:count query}",
        expected="one query or more",
        fix="Choose the queries to export.",
    ),
    "no-such-file": Message(
        found="no file of this name",
        expected="an existing file",
        fix="Check the path.",
    ),
    "no-such-run": Message(
        found="{name!r}",
        expected="one of {names!r:comma}",
        fix="Name a run as it is called in the report.",
    ),
    "no-truth": Message(
        found="no truth",
        expected="one truth to evaluate the runs against",
        fix="Name it with --truth.",
    ),
    "no-truth/ids": Message(
        found="--ids {ids} without a truth",
        expected="a truth, whose ids are taken",
        fix="Add --truth.",
    ),
    "no-truth/questions": Message(
        found="no truth",
        expected="a truth with the questions to ask",
        fix="Name it with --truth.",
    ),
    "one-run": Message(
        found="one run, {run!r}",
        expected="a baseline and a candidate",
        fix="Name two runs or more, the baseline first.",
    ),
    "several-configurations": Message(
        found="{count} of the configurations {names:comma}",
        expected="one configuration",
        fix="Choose one with --config NAME.",
    ),
    "several-truths": Message(
        found="{count:count truth}",
        expected="one truth to evaluate the runs against",
        fix="Give one at a time.",
    ),
    "several-truths/runs": Message(
        found="{count:count file} of runs with different truths in them",
        expected="one truth to evaluate the runs against",
        fix="Name it with --truth.",
    ),
    "sheet-too-small": Message(
        found="{rows:count row} and {columns:count column}",
        expected="fewer than {most_rows} rows and at most {most_columns} columns, which a sheet of Excel holds",
        fix="Choose CSV or Parquet.",
    ),
    "unknown-format/write": Message(
        found="{name!r}",
        expected="one of {formats:comma}",
        fix="Name the format, or give the file an ending such as .trec, .jsonl or .parquet.",
    ),
    "unknown-section": Message(
        found="{names!r}",
        expected="some of {sections:comma}",
        fix="Name them with commas between.",
    ),
    "unwritable-file": Message(
        found="{reason}",
        expected="a file that can be written",
        fix="Choose another place for -o.",
    ),
    "unwritable-format": Message(
        found="a run",
        expected="judgments",
        fix="BEIR's files hold judgments and questions; write the run as trec, jsonl, csv or parquet.",
    ),
    "unwritable-id": Message(
        found="{id!r}",
        expected="ids without tabs, line ends, outer blanks and a # at the beginning",
        fix="Write JSONL instead of TREC text.",
    ),
    "unwritable-id/white-space": Message(
        found="{id!r}",
        expected="ids without white space around them",
        fix="Write JSONL or Parquet instead.",
    ),
}
