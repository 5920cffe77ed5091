"""The command line, and the files, reports and pictures that are written."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-mapping": Message(
        actual="{twice:?{twice!r} twice}{twice:!{text!r}}",
        expected="OURS=THEIRS, each field once",
        fix="Write it like --map query=question,retrieved=url.",
    ),
    "bad-mapping/file": Message(
        actual="a mapping for {name!r}, which is none of the files",
        expected="one of {files:comma}",
        fix="Write the file as it is in the command, such as --map runs.csv:query=question.",
    ),
    "browser-failed": Message(
        actual="{type}: {error}",
        expected="a picture by {browser}",
        fix="Try again, or take plotly JSON.",
    ),
    "duplicate-run/names": Message(
        actual="the name {run!r} for two files",
        expected="a name for each file",
        fix="Write another NAME before one of the files.",
    ),
    "lost-content/corpus": Message(
        actual="{documents:count document} of the corpus: not in the file",
        expected="what the format holds",
        fix="Write BEIR (-o FOLDER) to keep them.",
    ),
    "lost-content/duplicates": Message(
        actual="{documents:count duplicate document} in a ranking: only the best rank is written",
        expected="what the format holds",
        fix="Nothing that counts is lost.",
    ),
    "lost-content/empty-queries": Message(
        actual="{queries:count query} without results: not in a TREC run",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/empty-text": Message(
        actual="a text in {name} that is read as missing, such as NaN or an empty one",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/null-character": Message(
        actual="a text in {name} with a null character, which is left out",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/order": Message(
        actual="an order other than that of the scores: the scores are written as falling whole numbers",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/run-fields": Message(
        actual="{fields:comma}: not in a TREC run",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/truth-fields": Message(
        actual="{fields:comma}: not in the files",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "lost-content/unjudged-queries": Message(
        actual="{queries:count query} without a judgment: not in the files",
        expected="what the format holds",
        fix="Write JSONL to keep it.",
    ),
    "no-bound": Message(
        actual="--format junit without a bound",
        expected="something to pass or fail",
        fix="Add {option}.",
    ),
    "no-browser": Message(
        actual="no Chromium or Chrome",
        expected="one of {browsers:comma} on the path",
        fix="Install Chromium, or name its path in the environment variable CHROMIUM; plotly JSON needs none.",
    ),
    "no-kaleido": Message(
        actual="no kaleido",
        expected="the package kaleido, which draws PNG and SVG",
        fix="pip install kaleido; plotly JSON needs nothing.",
    ),
    "no-query/regression": Message(
        actual="none of the {queries:count query}",
        expected="one query or more",
        fix="Choose the queries to export.",
    ),
    "too-many-files/command": Message(
        actual="{files:,} files, whose paths are together too long for the system",
        expected="fewer files",
        fix="Name those to compare, and upload others on the Data page.",
    ),
    "no-such-file": Message(
        actual="no file of this name",
        expected="an existing file",
        fix="Check the path.",
    ),
    "no-such-run": Message(
        actual="{name!r}",
        expected="one of {names!r:comma}",
        fix="Name a run as it is called in the report.",
    ),
    "no-truth": Message(
        actual="no ground truth",
        expected="one ground truth to evaluate the runs against",
        fix="Name it with --truth.",
    ),
    "no-truth/answers": Message(
        actual="no ground truth",
        expected="one ground truth to evaluate the runs against, or metrics that need none",
        fix="Name it with --truth. Without one, compare the answers with their contexts: --metrics \"{metrics}\".",
    ),
    "no-truth/ids": Message(
        actual="--ids {ids} without a ground truth",
        expected="a ground truth, whose ids are taken",
        fix="Add --truth TRUTH, or for convert --references TRUTH.",
    ),
    "no-truth/questions": Message(
        actual="no ground truth",
        expected="a ground truth with the questions to ask",
        fix="Name it with --truth.",
    ),
    "not-streamed": Message(
        actual="a file that cannot be read in pieces",
        expected="a TREC run, plain or compressed, or a Parquet file with a row for each returned document",
        fix="Leave --stream out, or write it as TREC first: ragdash convert RUN -o run.trec.",
    ),
    "not-streamed/configurations": Message(
        actual="several configurations in the column {column!r}: {names:comma}",
        expected="one configuration in a file that is read in pieces",
        fix="Write a file for each.",
    ),
    "not-streamed/metric": Message(
        actual="{names:comma}",
        expected="metrics of rankings by document id, such as nDCG@10, with --stream",
        fix="Leave them out, or leave --stream out.",
    ),
    "not-streamed/one-query": Message(
        actual="more than {most:bytes} of one query",
        expected="rankings that fit into memory",
        fix="Shorten the rankings.",
    ),
    "not-streamed/option": Message(
        actual="{options} with --stream",
        expected="options that do not need whole runs in memory",
        fix="Leave {options} out, or leave --stream out.",
    ),
    "not-streamed/query": Message(
        actual="{count:count query} with rows in several places, such as {example!r}",
        expected="the rows of a query together, in a file that is read in pieces",
        fix="Sort the file by query (sort -s -k1,1), or leave --stream out.",
    ),
    "not-streamed/values": Message(
        actual="a missing or unusual value in rows {first:,} to {last:,}",
        expected="ids that are text or whole numbers, and finite scores or ranks, in a file that is read in pieces",
        fix="Correct the rows, or leave --stream out.",
    ),
    "no-texts-to-link": Message(
        actual="no text of a document",
        expected="a corpus, or a run whose results have texts",
        fix="Name the file with the documents.",
    ),
    "numbered-runs": Message(
        actual="{count:count run} called {run!r}",
        expected="a name for each",
        fix="In the order of the files they are {names!r}; NAME=FILE gives another name.",
    ),
    "one-run": Message(
        actual="one run, {run!r}",
        expected="a baseline and a candidate",
        fix="Name two runs or more, the baseline first.",
    ),
    "option-alone": Message(
        actual="{option} without {other}",
        expected="both, or neither",
        fix="Add {other}, or leave {option} out.",
    ),
    "second-table": Message(
        actual="{option} with --format {format}, which holds a single table",
        expected="{formats:or}",
        fix="Choose one of these formats, or leave {option} out.",
    ),
    "several-configurations": Message(
        actual="{count} of the configurations {names:comma}",
        expected="one configuration",
        fix="Choose one with --config NAME.",
    ),
    "several-truths/runs": Message(
        actual="{count:count file} with different truths: for the query {query!r}, {first} has {what} {first_values} "
               "and {second} has {second_values}",
        expected="one ground truth to evaluate the runs against",
        fix="Name the file with the right one, such as --truth {second}.",
    ),
    "streamed": Message(
        actual="runs that were read in pieces",
        expected="whole runs for the checks of comparability, which were not made. The means are complete",
        fix="Leave --stream out for the checks and the verdict.",
    ),
    "truths-differ-in-attributes": Message(
        actual="ground truth of several files that differs in attributes or texts of queries alone",
        expected="the same of every query",
        fix="Judgments, references and evidence are equal. The attributes are those of {file}.",
    ),
    "sheet-document/twice": Message(
        actual="{times} rows for {document!r} of query {query!r}",
        expected="one row for a document",
        fix="Keep one of them; rows that were pasted twice would count twice.",
    ),
    "sheet-too-small": Message(
        actual="{rows:count row} and {columns:count column}",
        expected="fewer than {most_rows} rows and at most {most_columns} columns, which a sheet of Excel holds",
        fix="Choose CSV or Parquet.",
    ),
    "sheet-before": Message(
        actual="{count} of {total:count judgment} {count:plural is/are} not in --truth, such as document {doc} of "
               "query {query}",
        expected="the judgments from which those of --truth came",
        fix="Give the ground truth from before the first sheet.",
    ),
    "sheet-before/sample": Message(
        actual="judgments of a sample",
        expected="judgments that settle the winner (design decides)",
        fix="Leave --before out: a sample takes no chances from the judgments.",
    ),
    "sheet-merged": Message(
        actual="judgments of a sample",
        expected="judgments that settle the winner (design decides)",
        fix="Leave --merged out: a few documents drawn at random would favor the runs that have them.",
    ),
    "sheet-output": Message(
        actual="no file for the sample",
        expected="-o SHEET.csv",
        fix="Name the sheet with -o.",
    ),
    "unknown-format/write": Message(
        actual="{name!r}",
        expected="one of {formats:comma}",
        fix="Name the format, or give the file an ending such as .trec, .jsonl or .parquet.",
    ),
    "show-as-evidence": Message(
        actual="relevance by evidence",
        expected="relevance by id: other tools compare ids",
        fix="Leave out --match evidence, or --show-as.",
    ),
    "unknown-tool": Message(
        actual="{name!r}",
        expected="one of {names:comma}",
        fix="Choose a tool.",
    ),
    "picture-without-data": Message(
        actual="nothing to draw for {name!r}{reason:?: {reason}}{reason:!}",
        expected="runs with what the picture shows",
        fix="Draw another picture, or add the data.",
    ),
    "report-without-runs": Message(
        actual="evaluations that hold values alone, not what {run!r} returned",
        expected="evaluations of ragdash.evaluate, or runs with truth=",
        fix="Pass the runs and the ground truth.",
    ),
    "unknown-picture": Message(
        actual="{name!r}",
        expected="one of {pictures:comma}",
        fix="Choose one of these.",
    ),
    "unknown-section": Message(
        actual="{names!r}",
        expected="some of {sections:comma}",
        fix="Name them with commas between.",
    ),
    "out-of-memory": Message(
        actual="not enough memory for these files and options",
        expected="less than the memory that is free",
        fix="Load fewer or smaller files at once, fewer metrics or fewer resamples, or use a machine with more memory.",
    ),
    "out-of-memory/file": Message(
        actual="a file of {size:bytes}, and {free:bytes} of free memory",
        expected="enough memory to read it",
        fix="Close other programs, raise the limit of memory, keep fewer queries or documents in the file, or use a "
            "machine with more memory.",
    ),
    "out-of-memory/page": Message(
        actual="not enough memory for this part of the page",
        expected="less than the memory that is free",
        fix="Nothing is lost. Show fewer runs, remove runs on the Data page, or give the server more memory.",
    ),
    "port-in-use": Message(
        actual="port {port} of {host}: {reason}",
        expected="an address and a port that are free",
        fix="Choose another one with --port or --host, or leave --port out: a free port is then chosen.",
    ),
    "no-current-folder": Message(
        actual="that the current folder no longer exists",
        expected="a folder that exists, as paths are seen from it",
        fix="Change to another folder, and run the command again.",
    ),
    "unusable-date": Message(
        actual="{value!r}",
        expected="whole seconds since 1970, or no such variable",
        fix="It is passed over: no result depends on it. Correct it, or unset it.",
    ),
    "full-disk": Message(
        actual="{reason}",
        expected="room for what this command writes",
        fix="Free some space, raise the limit of the size of files, or write to another disk.",
    ),
    "unusable-path": Message(
        actual="{reason}",
        expected="a path that the system can use",
        fix="Check the path, its length, its permissions and the space that is left.",
    ),
    "unwritable-file": Message(
        actual="{reason}",
        expected="a file that can be written",
        fix="Write it to another place.",
    ),
    "unwritable-format": Message(
        actual="a run",
        expected="judgments",
        fix="BEIR's files hold judgments and questions; write the run as trec, jsonl, csv or parquet.",
    ),
    "unwritable-id": Message(
        actual="{id!r}",
        expected="ids without tabs, line ends, null characters, outer blanks, and # or a byte order mark first",
        fix="Write JSONL instead of TREC text.",
    ),
    "unwritable-id/first": Message(
        actual="{id!r} as the first query",
        expected="an id that does not begin as another kind of file does, such as JSON",
        fix="Write JSONL instead of TREC text.",
    ),
    "unwritable-id/white-space": Message(
        actual="{id!r}",
        expected="ids without outer blanks, carriage returns and null characters",
        fix="Write JSONL or Parquet instead.",
    ),
}
