"""The command line, and asking two systems the same questions."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-mapping": Message(
        found="{twice:?{twice!r} twice}{twice:!{text!r}}",
        expected="OURS=THEIRS, each field of ours once",
        fix="Write it like --map query=question,retrieved=url.",
    ),
    "bad-name": Message(
        found="{name!r}",
        expected="letters, digits, '.', '_', '+' and '-'",
        fix="Choose a name that a file can have.",
    ),
    "changed-file": Message(
        found="{changed:comma} changed since the first of these answers",
        expected="one configuration for all queries",
        fix="Its older answers are used. If the change matters, choose another --output-dir.",
    ),
    "damaged-journal": Message(
        found="a line that cannot be read: {line!r}",
        expected="lines of JSON",
        fix="Remove the line: its query is asked again.",
    ),
    "damaged-line": Message(
        found="a last line that was cut off ({size} bytes)",
        expected="a whole line",
        fix="It was set aside in {kept_in}; its query is asked again.",
    ),
    "failed-query": Message(
        found="query {query!r} of {configuration} without an answer: {reason}",
        expected="an answer",
        fix="It is missing in the run; --retry-failed asks again.",
    ),
    "file-exists": Message(
        found="a file that is not of this job",
        expected="a free place for the run",
        fix="Choose another --output-dir, or another name for the configuration.",
    ),
    "joined-journals": Message(
        found="a first line again",
        expected="one journal, which begins once",
        fix="Two journals were put into one file: keep one of them here, with its own first line.",
    ),
    "journal-in-use": Message(
        found="a journal that another process is writing",
        expected="one process at a time",
        fix="Wait for it, or stop it.",
    ),
    "missing-answers": Message(
        found="{missing} of {queries:count query} of {configuration} without an answer ({reasons:comma})",
        expected="an answer to each",
        fix="They are missing in the run; their answers and latencies have no value.",
    ),
    "no-answers": Message(
        found="no answer of {configuration} to {questions:count question}: {reason}",
        expected="an answer to each question",
        fix="Try it with one question, fix it, and run this again.",
    ),
    "no-bound": Message(
        found="--format junit without a bound",
        expected="something to pass or fail",
        fix="Add {option}.",
    ),
    "no-journal": Message(
        found="a file that is no journal of this version",
        expected="the journal of an earlier `ragdash ab`, or no file",
        fix="Choose another --output-dir, or move the file away.",
    ),
    "no-questions": Message(
        found="the truth {truth!r} without the texts of its queries",
        expected="questions to ask",
        fix="Give a truth with a field query, such as JSONL, CSV or a BEIR folder with queries.jsonl; qrels hold none.",
    ),
    "no-such-command": Message(
        found="{program!r}, which is not on this machine or cannot be run",
        expected="a command that can be run",
        fix="Check path and permissions. There is no shell: for pipes and variables write sh -c '...'.",
    ),
    "no-such-command/empty": Message(
        found="an empty text",
        expected="a command that can be run",
        fix="Write a command such as 'python rag.py'.",
    ),
    "no-such-command/placeholders": Message(
        found="{{question}} or {{query_id}} in a command that stays",
        expected="a command that can be run",
        fix="It reads its questions from standard input, a line of JSON for each.",
    ),
    "no-such-command/quotes": Message(
        found="{command!r} ({error})",
        expected="a command that can be run",
        fix="Close the quotation marks.",
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
    "other-job": Message(
        found="answers of another command than now",
        expected="the same command and the same questions, so that the answers belong together",
        fix=(
            "Choose another --output-dir (or another name for the configuration) to start afresh, or remove this file "
            "if its answers are of no use."
        ),
    ),
    "other-job/questions": Message(
        found="answers to other questions than now",
        expected="the same command and the same questions, so that the answers belong together",
        fix=(
            "Choose another --output-dir (or another name for the configuration) to start afresh, or remove this file "
            "if its answers are of no use."
        ),
    ),
    "same-name": Message(
        found="{name!r} twice",
        expected="two names",
        fix="Name them apart.",
    ),
    "scores-left-out": Message(
        found="{answers:count answer} without scores, others with them",
        expected="scores in every answer or in none",
        fix="All documents stand in the order given, without scores.",
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
        found="{count} files of runs with different truths in them",
        expected="one truth to evaluate the runs against",
        fix="Name it with --truth.",
    ),
    "unwritable-journal": Message(
        found="{reason}",
        expected="a file that can be written, with room on the disk",
        fix="Make room or choose another --output-dir; what is there is kept.",
    ),
}
