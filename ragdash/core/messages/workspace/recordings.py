"""Recorded runs: what cannot be recorded, and what cannot be read of it."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "irds/no-judgments": Message(
        actual="no judgments in the data set {name!r} of ir_datasets",
        expected="a data set with qrels, such as irds:beir/scifact/test",
        fix="Choose one of its parts: ir_datasets lists them under the name of the data set.",
    ),
    "irds/unknown": Message(
        actual="{name!r}, which ir_datasets does not know",
        expected="an id of ir_datasets, such as irds:beir/scifact/test",
        fix="Look the id up on ir-datasets.com.",
    ),
    "judge-input/no-questions": Message(
        actual="run {run!r} without the texts of its questions",
        expected="questions in the run or in the ground truth",
        fix="Add the ground truth that has them.",
    ),
    "no-log-folder": Message(
        actual="a file where a log folder was expected",
        expected="the folder that holds recorded runs",
        fix="Name the folder that RAGDASH_LOG_DIR names, or leave it out.",
    ),
    "nothing-compared": Message(
        actual="a table without a row",
        expected="what compare returned for two runs or more",
        fix="Compare at least two runs.",
    ),
    "package-not-installed": Message(
        actual="no package {package}",
        expected="the package that this needs",
        fix="Install it: pip install {package}",
    ),
    "recorded-header": Message(
        actual="a header of a recorded run that cannot be read ({reason})",
        expected="the header.json that ragdash.record wrote",
        fix="Take the folder as it was recorded.",
    ),
    "recorded-header/other": Message(
        actual='a header.json without "format": "{format}"',
        expected="the header.json that ragdash.record wrote",
        fix="Take the folder as it was recorded.",
    ),
    "recorded-header/version": Message(
        actual="a recorded run of version {version}",
        expected="version {newest} or older",
        fix="Read it with a newer ragdash.",
    ),
    "recorded-run/concurrency": Message(
        actual="latencies that were measured with {calls} calls at once",
        expected="one call at a time: calls at once compete, which raises the latency of each",
        fix="Compare latencies only of runs with the same number of calls at once. Record with concurrency=1.",
        page="Compare latencies only of runs with the same number of calls at once.",
    ),
    "recorded-run/empty": Message(
        actual="a recorded run without a result ({failures:count failure})",
        expected="at least one query with documents or an answer",
        fix="Record the run again.",
    ),
    "recorded-run/failures": Message(
        actual="{failed:count query} of {total} failed and {failed:plural is/are} not in the run ({reasons:counts})",
        expected="a result for every query",
        fix="Record the run again, or leave the queries out of all runs (missing queries: skip).",
    ),
    "recorded-run/left-out": Message(
        actual="{count:count recorded run} that cannot be read and {count:plural is/are} left out: {names:comma}",
        expected="runs that were closed with a result",
        fix="See above for the reason. Record the run again, or remove its folder.",
    ),
    "recorded-run/line": Message(
        actual="a line that is not a recorded query",
        expected='a JSON object with "query_id"',
        fix="Remove the line.",
    ),
    "recorded-run/repeated": Message(
        actual="query {query!r} for the second time",
        expected="each query once",
        fix="Remove one of its lines.",
    ),
    "recorded-run/unreadable": Message(
        actual="a recorded run that cannot be read ({reason})",
        expected="a folder that you may read",
        fix="Check the folder and its permissions.",
    ),
    "production-log/map": Message(
        actual="{text!r}",
        expected="FIELD=COLUMN, with one of the fields {fields:comma}",
        fix="Such as --map query=prompt,answer=completion",
        page="Rename the columns of the log.",
    ),
    "production-log/no-questions": Message(
        actual="no row with a question",
        expected="a row per request with its question, in a column such as {names:comma}",
        fix="Name the column: --map query=COLUMN.",
        page="Rename the column with the question to question.",
    ),
    "production-log/no-reference": Message(
        actual="no test set",
        expected="a ground truth with the texts of its questions, or an earlier log",
        fix="Add --truth TRUTH, or --against EARLIER_LOG.",
        page="Load a ground truth with questions on the Data page.",
    ),
    "production-log/no-test-questions": Message(
        actual="a test set without the texts of its questions",
        expected="a query for each question",
        fix="Add them to the ground truth, or name a run of it that has them: --run RUN.",
        page="Add the texts of the questions to the ground truth on the Data page.",
    ),
    "production-log/too-few": Message(
        actual="{count:count distinct question}",
        expected="at least {fewest}",
        fix="Use a longer log or a larger test set: with fewer questions nothing could be significant.",
    ),
    "production-log/unread-rows": Message(
        actual="{count:count row} {reason}",
        expected="a question in each row",
        fix="They are left out.",
    ),
    "recording/address": Message(
        actual="the address {url!r}",
        expected="an address that begins with http:// or https://",
        fix="Correct the address.",
    ),
    "recording/callback": Message(
        actual="query {query!r} of an application, which could not be read ({reason})",
        expected="documents and answers as LangChain returns them",
        fix="The query is kept as a failure. Add it with run.add instead.",
    ),
    "recording/closed": Message(
        actual="a query added to run {name!r}, which is not open",
        expected="an open recording",
        fix="Add queries inside of the with block, or between start() and close().",
    ),
    "recording/contexts": Message(
        actual="contexts of type {kind} for query {query!r}",
        expected="a list of texts",
        fix="Give a list, such as ['a passage'].",
    ),
    "recording/documents": Message(
        actual="documents of type {kind} for query {query!r}",
        expected="ids, (id, score) pairs or {{'doc_id', 'score', 'text', 'source'}}, best first, or {{id: score}}",
        fix="Give the documents in one of these forms.",
    ),
    "recording/field": Message(
        actual="the value {name!r} of query {query!r}, which is not kept",
        expected="one of {names:comma}",
        fix="Put it into attributes: q.attributes[{name!r}] = ...",
    ),
    "recording/header": Message(
        actual="a name, tags, settings, group or repeat that could not be read back: {reason}",
        expected="texts, and numbers of at most 64 bits",
        fix="Convert them to text.",
    ),
    "recording/full": Message(
        actual="a disk that is full ({reason}); {queries:count query} of run {name!r} {queries:plural is/are} safe, "
               "query {query!r} is not",
        expected="room on the disk",
        fix="Make room, then add the query again.",
    ),
    "recording/hopeless": Message(
        actual="the first {failures:count query} of run {name!r} failed; the last error: {reason}",
        expected="a retriever that answers",
        fix="Correct the retriever, then call record_retriever again: it goes on with the same run.",
    ),
    "recording/json": Message(
        actual="query {query!r} with a value that JSON cannot hold ({reason})",
        expected="texts, numbers, lists and mappings",
        fix="Convert the value.",
    ),
    "recording/mapping": Message(
        actual="a value of type {kind} for query {query!r}",
        expected="a mapping of names to values",
        fix="Give a dict, or leave it out.",
    ),
    "recording/no-questions": Message(
        actual="no questions",
        expected="{{query id: question}}, or judgments with questions",
        fix="Give at least one question.",
    ),
    "recording/nothing": Message(
        actual="query {query!r} without documents and without an answer",
        expected="documents, an answer, or both",
        fix="Set documents or answer. An empty list of documents is a ranking too.",
    ),
    "recording/nothing-to-resume": Message(
        actual="no interrupted run {name!r} with these settings",
        expected="an interrupted run of the same name, settings, group and data",
        fix="Record it anew, without resume.",
    ),
    "recording/number": Message(
        actual="{value} for query {query!r}",
        expected="a finite number, 0 or more",
        fix="Give a number, or leave it out where it is not known.",
    ),
    "recording/partly-scored": Message(
        actual="{count} of {total:count document} of query {query!r} without a score",
        expected="a score for each document of a run, or for none",
        fix="Complete the scores, or leave them all out.",
    ),
    "recording/partly-scored-queries": Message(
        actual="query {query!r} {scored:?with}{scored:!without} scores, unlike the queries before",
        expected="a score for each document of a run, or for none",
        fix="Complete the scores, or leave them all out.",
    ),
    "recording/query-repeated": Message(
        actual="query {query!r} for the second time in run {name!r}",
        expected="each query once in a run",
        fix="Record repeats as runs of one group: record(name, group=...).",
    ),
    "recording/question": Message(
        actual="the question {value}",
        expected="{{query id: question}}, (query id, question) pairs, or records with query_id and query",
        fix="Give each question as text with an id.",
    ),
    "recording/question-repeated": Message(
        actual="two questions with the id {query!r}",
        expected="each query once",
        fix="Give each question its own id.",
    ),
    "recording/empty": Message(
        actual="an empty text",
        expected="a {name} that can be read",
        fix="Pass one. Is the variable set that it comes from?",
    ),
    "recording/repeat-taken": Message(
        actual="repeat {repeat} of {name!r} in group {group!r}, which is recorded already",
        expected="another number",
        fix="Leave repeat out: it gets the next number.",
    ),
    "recording/large-reply": Message(
        actual="a reply of more than {most:,} bytes",
        expected="the documents of one question and its answer",
        fix="Let the service return fewer or shorter documents.",
    ),
    "recording/reply": Message(
        actual="a reply that is no result ({kind})",
        expected='a JSON object with "documents" or "answer", or a list of documents',
        fix="Let the endpoint return one of these, or write a function that converts its reply.",
    ),
    "recording/retriever": Message(
        actual="an object of type {kind} as retriever",
        expected="a function of the question, a LangChain, LlamaIndex or Haystack object, or an address",
        fix="Wrap it in a function that takes the question and returns documents.",
    ),
    "recording/same-name": Message(
        actual="another recording of {name!r} that is open",
        expected="one at a time, or a group of repeats",
        fix="Both are recorded, each in its own folder. Give repeats the same group, and other settings another name.",
    ),
    "recording/score": Message(
        actual="score {value} of document {document!r} for query {query!r}",
        expected="a finite number",
        fix="Give a number, or leave the scores of all documents out.",
    ),
    "recording/secrets": Message(
        actual="settings of run {name!r} that look like secrets: {names:comma}",
        expected="settings without keys and passwords",
        fix="They are not recorded. If one is no secret, give it another name.",
    ),
    "recording/settings": Message(
        actual="settings of type {kind}",
        expected="a dict of settings",
        fix="Pass a dict, such as settings={{'k': 20}}.",
    ),
    "recording/tags": Message(
        actual="tags of type {kind}",
        expected="a list of texts",
        fix="Pass a list, such as tags=['nightly'].",
    ),
    "recording/other-process": Message(
        actual="query {query!r} added to run {name!r} by another process than the one that records it",
        expected="one process that adds",
        fix="Return results to that process and add them there, or record a run in each process.",
    ),
    "recording/started": Message(
        actual="run {name!r} started for the second time",
        expected="a new recording for each run",
        fix="Call ragdash.record again.",
    ),
    "recording/text": Message(
        actual="a value of type {kind} for query {query!r}",
        expected="text",
        fix="Convert it with str().",
    ),
    "recording/unwritable": Message(
        actual="a log folder that cannot be written ({reason})",
        expected="a folder that you may write",
        fix="Check its permissions and the free space of the disk, or name another in RAGDASH_LOG_DIR.",
    ),
    "unfinished-run/interrupted": Message(
        actual="run {name!r}, whose recording was interrupted after {queries:count query}",
        expected="a run that was closed; the mean of its first queries would mislead",
        fix="Resume it, or read its results.part.jsonl to see what is there.",
    ),
    "unfinished-run/recording": Message(
        actual="run {name!r}, which is still being recorded ({queries:count query} so far)",
        expected="a run that was closed; the mean of its first queries would mislead",
        fix="Wait until it is closed.",
    ),
    "variants/baseline": Message(
        actual="the baseline {name!r}",
        expected="the name of one of the runs: {names:comma}",
        fix="Use one of these.",
    ),
    "variants/same-settings": Message(
        actual="{runs:count run} that do not differ in any setting",
        expected="runs with settings, as ragdash.record keeps them",
        fix="Record them with settings={{...}}, or name runs that have settings.",
        page="Record the runs with settings, or type their settings on the Data page.",
    ),
    "variants/settings-count": Message(
        actual="settings for {count:count run}, but {runs:count run}",
        expected="the settings of each run",
        fix="Give a dict of settings for each run, in their order.",
    ),
    "variants/too-few": Message(
        actual="{runs:count run}",
        expected="at least {fewest} runs with settings",
        fix="Name more runs, or a log folder.",
        page="Load more runs on the Data page.",
    ),
}
