"""Files that are read: formats, archives, encodings."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "binary-file": Message(
        actual="{type}",
        expected="a text file, a workbook or Parquet",
        fix="Save or export it as JSONL, CSV or TREC text.",
    ),
    "binary-file/opendocument": Message(
        actual="an OpenDocument spreadsheet",
        expected="a text file, a workbook of Excel or Parquet",
        fix="Save it as XLSX or CSV.",
    ),
    "binary-file/zero-bytes": Message(
        actual="a binary file, with NUL bytes",
        expected="a text file",
        fix="Save or export it as JSONL, CSV or TREC text.",
    ),
    "corpus-alone": Message(
        actual="documents with their texts: what could be returned",
        expected="a run (what was returned) or the ground truth (relevance judgments or references)",
        fix="Pass this file with --corpus, together with a ground truth.",
        page="Add it on the Data page together with a ground truth.",
    ),
    "corrupt-file": Message(
        actual="{type}: {error}",
        expected="a complete file",
        fix="Copy or write the file again; it is damaged or incomplete.",
    ),
    "corrupt-file/archive": Message(
        actual="a zip archive: {error}",
        expected="a complete zip archive",
        fix="Copy or pack the file again; it is damaged or incomplete.",
    ),
    "corrupt-file/compressed": Message(
        actual="{type} data: {error}",
        expected="a complete {type} file",
        fix="Copy or download the file again: its content is damaged.",
    ),
    "directory": Message(
        actual="a directory",
        expected="a file",
        fix="Name the files in it{files:?: {files}}.",
    ),
    "directory/log-folder": Message(
        actual="a log folder with {count:count recorded run}",
        expected="a file, or the folder of a recorded run",
        fix="Name a run in it, such as {path}.",
    ),
    "duplicate-key": Message(
        actual="the key {key!r} twice in one object",
        expected="each key once in an object",
        fix="Keep the right one.",
    ),
    "duplicate-key/columns": Message(
        actual="the key {key!r} twice in one object (line {line}, at columns {columns})",
        expected="each key once in an object",
        fix="Keep the right one; a reader would lose the other.",
    ),
    "duplicate-key/lines": Message(
        actual="the key {key!r} twice in one object (lines {lines})",
        expected="each key once in an object",
        fix="Keep the right one; a reader would lose the other.",
    ),
    "empty-file": Message(
        actual="an empty file",
        expected="a file with at least one line",
        fix="Check that the file was written and copied completely.",
    ),
    "empty-file/archive": Message(
        actual="an archive without files",
        expected="at least one run",
        fix="Pack the files again.",
    ),
    "empty-file/white-space": Message(
        actual="white space only",
        expected="a file with at least one line",
        fix="Check that the file was written and copied completely.",
    ),
    "empty-file/workbook": Message(
        actual="a workbook without values",
        expected="a sheet with a header line and rows",
        fix="Check that the workbook was saved.",
    ),
    "empty-trace": Message(
        actual="{empty} of {traces} traces without a question, or without an answer and documents",
        expected="traces of questions",
        fix="They are left out; export the root and the retriever of each.",
    ),
    "invalid-json": Message(
        actual="no valid JSON at column {column} ({error}): {start!r}",
        expected="JSON",
        fix="Complete or correct it; a line cut short often means a file that was not written to its end.",
    ),
    "invalid-json/python": Message(
        actual="no valid JSON at column {column} ({error}): {start!r}",
        expected="JSON",
        fix="This looks like Python, not JSON: write null, true, false and double quotes (json.dumps does).",
    ),
    "invalid-yaml": Message(
        actual="no valid YAML: {error}",
        expected="YAML",
        fix="Correct it, or write the file as JSON.",
    ),
    "locked-archive": Message(
        actual="a zip archive: {error}",
        expected="a zip archive without a password",
        fix="Pack it again without a password.",
    ),
    "looks-like-truth": Message(
        actual="scores like grades, up to {highest:.0f} only",
        expected="the scores of a run",
        fix="It is read as a run; if these are judgments, pass the file with --truth.",
        page="It is read as a run; if these are judgments, load the file as the ground truth.",
    ),
    "missing-question/llamaindex": Message(
        actual="predictions with {fields:comma}, which do not name their questions",
        expected="objects with a query and an answer or contexts",
        fix=(
            "LlamaIndex writes predictions in the order of the data set's examples and leaves the questions out. Write "
            "both together: json.dump([{{'query': e.query, 'response': p.response, 'contexts': p.contexts}} for e, p "
            "in zip(dataset.examples, predictions.predictions, strict=True)], file)."
        ),
    ),
    "missing-question/tool-calls": Message(
        actual="calls of tools with {fields:comma}, which are steps to an answer",
        expected="rows with a question and an answer or documents",
        fix="Pass the file with the questions that the calls belong to.",
    ),
    "missing-question/ragas": Message(
        actual="scores with {fields:comma}, which do not name their questions",
        expected="rows with a question and an answer or contexts",
        fix=(
            "RAGAS keeps the samples apart from the scores. Write both together: "
            "result.to_pandas().to_json('result.json', orient='records'), or .to_csv('result.csv')."
        ),
    ),
    "nested-archive": Message(
        actual="a zip archive inside of another",
        expected="files in one archive",
        fix="Pack the files themselves.",
    ),
    "nested-archive/documents": Message(
        actual="a zip archive",
        expected="a file of documents",
        fix="Unpack it, or pass the archive with --truth where it is a BEIR folder.",
        page="Unpack it; a BEIR folder is loaded as the ground truth.",
    ),
    "no-rows/documents": Message(
        actual="no document",
        expected="at least one",
        fix="Check that the file was written completely.",
    ),
    "number-as-text/column": Message(
        actual="the number {value}",
        expected="a text",
        fix=(
            "It is read with its shortest digits; zeros around it are lost. Store the column as text to keep ids as "
            "they are."
        ),
    ),
    "promptfoo-error": Message(
        actual="{config}: {text!r}",
        expected="an answer",
        fix="The test ended in an error; it counts as a query without an answer.",
    ),
    "results": Message(
        actual="results of trec_eval: {cells:spaced}",
        expected="a run or the judgments",
        fix=(
            "These numbers are results. Pass the run and the qrels that they were computed from; ragdash evaluate "
            "computes the same numbers."
        ),
    ),
    "run-as-truth": Message(
        actual="what looks like {what}, not the ground truth: {reason}",
        expected="judgments (qrels) or references",
        fix=(
            "Pass this file as a run, without --truth; if it contains the ground truth, name the column, such as --map "
            "answers=NAME."
        ),
        page="Load this file as a run; if it contains the ground truth, say what its columns mean.",
    ),
    "run-as-truth/archive": Message(
        actual="an archive without judgments or references",
        expected="one file with the ground truth",
        fix="Pass it as runs, without --truth.",
        page="Load it as runs.",
    ),
    "several-configurations/read-one": Message(
        actual="{count:count configuration}: {names:comma}",
        expected="one configuration",
        fix="Read them all with read_runs, or write each to a separate file.",
    ),
    "several-provenances": Message(
        actual="{answers} answers that rest on different pages",
        expected="one set of pages for each query",
        fix="The pages of all answers count as relevant; KILT's own R-precision uses the best-fitting set.",
    ),
    "several-retrievers": Message(
        actual="{count:count retriever} in trace {trace!r} (lines {lines:comma})",
        expected="one for each question",
        fix="Export the spans of one of them together with the roots (filter by the span's name).",
    ),
    "several-truths/files": Message(
        actual="{count:count file}: {files:comma}",
        expected="one file with the ground truth",
        fix="Pass the right one alone.",
    ),
    "too-large-table": Message(
        actual="a sheet of {rows} or more rows and {columns:count column}",
        expected="at most {most} cells",
        fix="Delete cells far from the table, or save it as CSV.",
    ),
    "too-many-columns": Message(
        actual="{count:count column}",
        expected="at most {most}",
        fix="Keep the columns that ragdash reads.",
    ),
    "too-many-files": Message(
        actual="{files} files in a zip archive",
        expected="at most {most}",
        fix="Pack only the files to read.",
    ),
    "truncated-file": Message(
        actual="{type} data: {error}",
        expected="a complete {type} file",
        fix="Copy or download the file again: its end is missing.",
    ),
    "truth-as-run": Message(
        actual="what looks like {what}, not a run: {reason}",
        expected="a run (what a configuration returned)",
        fix="Pass this file with --truth.",
        page="Load this file as the ground truth.",
    ),
    "truth-as-run/kilt": Message(
        actual="{outputs} outputs for one query",
        expected="one output, as a system gives it",
        fix="Several right answers are KILT's gold data: pass the file with --truth.",
        page="Several right answers are KILT's gold data: load the file as the ground truth.",
    ),
    "unjudged-queries": Message(
        actual="{queries:count question} without a judgment in {file_name}",
        expected="questions that are judged",
        fix="They are left out, as they belong to another split.",
    ),
    "unknown-encoding": Message(
        actual="{encoding!r}",
        expected="the name of a text encoding",
        fix="Give one such as --encoding latin-1, utf-16 or cp1252.",
        page="Save the file as UTF-8.",
    ),
    "unknown-format": Message(
        actual="{start!r}: {reason}",
        expected="a TREC file, JSONL, JSON, or CSV/TSV with a header line",
        fix="See docs/reference/formats.md for the formats that are read, each with an example.",
        page="Save the file in one of these formats.",
    ),
    "unknown-format/columns": Message(
        actual="a header line with the columns {columns}, none of which is known by its name",
        expected="a table with columns such as query_id, doc_id and score, or question, retrieved_ids and answer",
        fix=(
            "Name them: {by_document} for a row for each document, {by_query} for a row for each query, {judged} for "
            "judgments. docs/reference/formats.md has the known names."
        ),
        page="Choose what its columns mean under “Say what the columns mean”.",
    ),
    "unknown-format/documents": Message(
        actual="a file without documents",
        expected=(
            "JSONL as BEIR's corpus.jsonl, with _id (or doc_id), title and text on each line; a JSON array of such "
            "objects; the same columns in Parquet or XLSX"
        ),
        fix="Write {{\"_id\": \"d1\", \"title\": \"...\", \"text\": \"...\"}} for each document.",
    ),
    "unknown-format/pandas-split": Message(
        actual="a table in pandas' split form: columns, index and data apart",
        expected="a row an object",
        fix="Write it with frame.to_json(path, orient='records').",
    ),
    "unread-field/beside-list": Message(
        actual="the field {key!r} next to {list_name}",
        expected="a list of objects",
        fix="It is not read.",
    ),
    "unread-file": Message(
        actual="{cause.actual}",
        expected="a run",
        fix="This file is skipped.",
    ),
    "unread-file/corpus": Message(
        actual="what looks like documents with their texts",
        expected="a run",
        fix="Pass it with --corpus in a separate file.",
        page="Load it as documents, in a separate file.",
    ),
    "unread-file/questions": Message(
        actual="{what}",
        expected="qrels and queries.jsonl",
        fix="It is not read.",
    ),
    "unread-file/truth": Message(
        actual="what looks like the ground truth",
        expected="a run",
        fix="Pass it with --truth in a separate file.",
        page="Load it as the ground truth, in a separate file.",
    ),
    "unread-sheet": Message(
        actual="the sheet {name!r}",
        expected="one sheet, {taken!r}",
        fix="It is not read; save it as a separate file.",
    ),
    "unreadable-file": Message(
        actual="{reason}",
        expected="a file that can be read",
        fix="Check the path and its permissions.",
    ),
    "unsafe-path": Message(
        actual="the path {path!r} in a zip archive",
        expected="paths inside of the archive's folder",
        fix="Do not use this archive, or pack its files again; nothing of it was read.",
    ),
    "wrong-type/beir-queries": Message(
        actual="questions that cannot be read",
        expected="{{\"_id\", \"text\"}} on each line",
        fix="Write queries.jsonl as BEIR does.",
    ),
    "wrong-type/dictionary": Message(
        actual="{key!r}: {what}",
        expected="an object of documents with scores, or a list of document ids",
        fix=(
            "Write {{\"query\": {{\"document\": score}}}} or {{\"query\": [\"document\"]}}; a list of objects, each "
            "with its query_id, is a separate JSON file."
        ),
    ),
    "wrong-type/dictionary-of-objects": Message(
        actual="{key!r}: an object of {count} objects or lists",
        expected="an object of documents with scores",
        fix=(
            "Save each run as a separate file, {{query: {{document: score}}}}; else write a list of objects, each with "
            "its query_id or question."
        ),
    ),
    "wrong-type/llamaindex": Message(
        actual="{type:?{type} in {field}}{type:!no object}",
        expected="{{\"queries\": {{id: text}}, \"relevant_docs\": {{query: [id]}}}}",
        fix="Write the file as LlamaIndex's EmbeddingQAFinetuneDataset does.",
    ),
    "wrong-type/summary": Message(
        actual="{key!r}: {what}",
        expected="an object of documents with scores, or a list of document ids",
        fix="This looks like a summary: ragdash reads what was returned for each query, and computes means itself.",
    ),
    "zip-bomb": Message(
        actual="{packed:bytes} that become more than {size:bytes}, about {estimate:bytes}",
        expected="at most {most:bytes}, and a file that grows as texts do",
        fix="Decompress it yourself and read the result, if you trust it.",
    ),
    "zip-bomb/archive": Message(
        actual="{packed:bytes} that become {size:bytes}",
        expected="at most {most:bytes}, and files that grow as texts do",
        fix="Unpack it and read the files one by one, if you trust it.",
    ),
    "zip-bomb/parquet": Message(
        actual="{packed:bytes} that become more than {size:bytes}",
        expected="at most {most:bytes}, and a file that grows as texts do",
        fix="Write it again with the columns and rows that are needed.",
    ),
    "zip-bomb/parquet-rows": Message(
        actual="{values} values of a column in {packed:bytes}",
        expected="rows with content",
        fix="Write it again with the rows that are needed.",
    ),
    "zip-bomb/sheet": Message(
        actual="{size:bytes} or more of texts in the cells of a sheet",
        expected="at most {most:bytes}",
        fix="Save it as CSV.",
    ),
    "zip-bomb/workbook": Message(
        actual="a workbook that becomes {size:bytes}",
        expected="at most {most:bytes}",
        fix="Save it as CSV.",
    ),
}
