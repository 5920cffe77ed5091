"""Columns, fields and lines of the files that are read."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-list": Message(
        actual="{start!r}: {reason}",
        expected="{type} as JSON, or as Python writes it",
        fix=(
            "Write it as JSON, such as [\"d1\", \"d2\"] (json.dumps does; for an array of numpy, "
            "json.dumps(array.tolist()))."
        ),
    ),
    "cut-list": Message(
        actual="a list that has no end: {end!r}",
        expected="a whole list",
        fix="It seems to be cut off, and is read as one text. Excel cuts cells at 32,767 characters: export it whole.",
    ),
    "cut-list/ids": Message(
        actual="a list that has no end: {end!r}",
        expected="a whole list",
        fix="It seems to be cut off. Its column is not read. Excel cuts cells at 32,767 characters: export it whole.",
    ),
    "joined-ids": Message(
        actual=(
            "{count:count cell} of {column} {count:plural that looks like a list/that look like lists} ({example!r}), "
            "each read as one id"
        ),
        expected="one id, or ids that are known elsewhere in the file",
        fix="Write lists of ids as JSON in all cells of the column, such as [\"d1\", \"d2\"].",
    ),
    "joined-parts": Message(
        actual="topics without a title or a question, in {parts:comma}",
        expected="a text that is asked",
        fix="The parts are joined in this order as the query, and kept as attributes.",
    ),
    "bad-quotes": Message(
        actual="{error}",
        expected="quotes around whole values, doubled inside of them",
        fix="Close the quotes of this row.",
    ),
    "column-count": Message(
        actual="{count:count column}: {row!r}",
        expected="{width} columns, as in the header",
        fix="Complete the row; quote values that hold the separator or a line end.",
    ),
    "column-count/headerless": Message(
        actual="{count:count column}",
        expected="{width} columns, as on the first line",
        fix="Give every line a query, a document and, if there are grades, a grade.",
    ),
    "column-count/judgment-list": Message(
        actual="{row!r}",
        expected="a grade, qid: with the query, and the document behind #, such as 4 qid:1 # d7",
        fix="Complete the line, or begin it with # if it is a comment.",
    ),
    "column-count/preferences": Message(
        actual="{count:count column}: {row}",
        expected="{layout}",
        fix=(
            "Complete the line (ids with blanks need tabs between the columns); preference judgments, which have five "
            "columns, are not read."
        ),
    ),
    "column-count/qrels-line": Message(
        actual="{count:count column}: {row}",
        expected="{layout}",
        fix="If the line is cut short, complete it; if the file is qrels, pass it with --truth.",
        page="If the line is cut short, complete it; if the file is qrels, load it as relevance judgments.",
    ),
    "column-count/run-line": Message(
        actual="{count:count column}: {row}",
        expected="{layout}",
        fix="This looks like a line of a run.",
    ),
    "column-count/trec": Message(
        actual="{count:count column}: {row}",
        expected="{layout}",
        fix="Complete or remove the line; ids with blanks need tabs between the columns.",
    ),
    "comment": Message(
        actual="{comment}",
        expected="a row",
        fix="Lines that start with # are skipped as comments.",
    ),
    "comment/command": Message(
        actual="{comment}",
        expected="a value of a measure",
        fix="The line has a command and is skipped.",
    ),
    "header-line": Message(
        actual="{header}",
        expected="a row",
        fix="The line has names of columns and is skipped.",
    ),
    "header-line/order": Message(
        actual="{header}",
        expected="the columns {columns}",
        fix="Put the columns in this order, or separate them with commas or tabs to have them read by their names.",
    ),
    "duplicate-field": Message(
        actual="{name!r} both next to and inside attributes",
        expected="each attribute once",
        fix="Remove one of the two.",
    ),
    "extra-columns": Message(
        actual="{count:count column}",
        expected="{layout}",
        fix="What follows column {last} is not read.",
    ),
    "missing-column/query": Message(
        actual="the columns {columns:comma}",
        expected="a column {ids}, or {questions}",
        fix="Add it, or name the column that holds it, such as {example}.",
        page="Add it, or say below which column contains it.",
    ),
    "missing-column/returned": Message(
        actual="the columns {columns}",
        expected="columns {names:comma}, or doc_id with a row for each document",
        fix="Name the columns that hold them, such as {example}.",
        page="Say below which columns contain them.",
    ),
    "missing-column/rows": Message(
        actual="the columns {columns:comma}",
        expected="a column {names}",
        fix="Add it, or name the column that holds it, such as {example}; each row is one document of one query.",
        page="Add it, or say below which column contains it; each row is one document of one query.",
    ),
    "missing-field/content": Message(
        actual="the values of metrics, and next to them lists, objects or long texts in {columns}",
        expected="known names for what was returned",
        fix="Say what they mean, such as --map retrieved={example} or --map answer={example}; or leave them out.",
        page="Say what these columns mean, or leave them out of the file.",
    ),
    "missing-field": Message(
        actual="the fields {fields:comma}",
        expected="{names:or}",
        fix=(
            "Give every object what was returned for its query; an empty list means nothing was returned. A field of "
            "another name, or one that is nested, is read with --map retrieved={path}."
        ),
        page=(
            "Give every object what was returned for its query; an empty list means nothing was returned. For a field "
            "of another name, say what the columns mean."
        ),
    ),
    "missing-field/query": Message(
        actual="the fields {fields:comma}",
        expected="{names}",
        fix=(
            "Give every object the id of its query, or none of them and the text of the question. A field of another "
            "name is read with --map query_id=NAME."
        ),
        page=(
            "Give every object the id of its query, or none of them and the text of the question. For a field of "
            "another name, say what the columns mean."
        ),
    ),
    "missing-field/questions": Message(
        actual="the fields {fields:comma}",
        expected="{names}",
        fix=(
            "Write an object for each of the questions in {list_name!r}, with its query_id, query and answers; what "
            "they share (a table, paragraphs) is evidence."
        ),
    ),
    "missing-header": Message(
        actual="no line with column names",
        expected="a header such as query_id,doc_id,score",
        fix="Write the names of the columns into the first line.",
    ),
    "mixed-rows": Message(
        actual="lists of documents and scored documents in one file",
        expected="one way to give a ranking",
        fix="Write every query in the same way.",
    ),
    "subtopics": Message(
        actual="judgments of {subtopics:count subtopic} for {queries:count query}",
        expected="one judgment for each query and document, or measures of diversity",
        fix=(
            "alpha_nDCG, ERR_IA, NRBP and StRecall read the subtopics. For every other metric, a document has its "
            "highest grade for any subtopic."
        ),
    ),
    "no-grade-column": Message(
        actual="queries and documents without grades",
        expected="a column of grades, or relevant documents only",
        fix="Every document is taken as relevant (grade 1).",
    ),
    "no-order-column": Message(
        actual="neither a score nor a rank",
        expected="a column score or rank",
        fix="The order of the rows is taken as the ranking.",
    ),
    "several-tags": Message(
        actual="the tags {tags}",
        expected="one tag in a TREC run",
        fix="The file is read as one run; put each configuration in its own file.",
    ),
    "texts-from-corpus": Message(
        actual=(
            "{documents:count document} of {run:named run} with their texts from the corpus {corpus!r}, not from the "
            "run"
        ),
        expected="the texts that the run returned",
        fix="A text in the run would take precedence: it is what the system saw.",
    ),
    "too-many-columns/header": Message(
        actual="a header line of more than {most_bytes:bytes}",
        expected="at most {most} columns, named in {most_bytes:bytes}",
        fix="Keep the columns that ragdash reads.",
    ),
    "too-many-columns/object": Message(
        actual="an object with {count:count field}",
        expected="at most {most}",
        fix="Keep the fields that ragdash reads; a dictionary of queries is an object of objects.",
    ),
    "too-many-columns/trec": Message(
        actual="{count:count column}",
        expected="{layout}",
        fix="Check what separates the columns, and that lines end where rows do.",
    ),
    "unequal-lists": Message(
        actual="{count:count value} in {name}, but {other_count} in {other}",
        expected="lists of equal length",
        fix="Complete the shorter one.",
    ),
    "unequal-lists/columns": Message(
        actual="{count:count value} in {name!r}, but {other_count} in {other!r}",
        expected="columns of equal length",
        fix="Complete the shorter one.",
    ),
    "unknown-column": Message(
        actual="no column {column!r}; there are {columns}",
        expected="a column or field of the file",
        fix="Give {name} one of these.",
    ),
    "unknown-columns": Message(
        actual="{count:count column} of other names: {columns:comma}{unnamed:? and {unnamed} more}",
        expected="columns that ragdash reads",
        fix="They become attributes of the queries. Give one another meaning with --map FIELD=COLUMN.",
        page="They become attributes of the queries. To give one another meaning, say what the columns mean.",
    ),
    "mean-rows": Message(
        actual="{rows:count row} of means over all queries",
        expected="values of single queries",
        fix="They are left out; ragdash computes the means from the queries.",
    ),
    "fractional-rank": Message(
        actual="rank {rank} of query {query!r}",
        expected="whole ranks: 1, 2, 3 ...",
        fix="The order of these ranks counts, not their value. Check whether the column holds ranks.",
    ),
    "repeated-member": Message(
        actual="{path!r} {times} times in the archive",
        expected="each file once",
        fix="Pack the archive again with one file of this name.",
    ),
    "failed-scores": Message(
        actual="{count:count value} of {name} that say {example!r} in place of a number",
        expected="a number for each query",
        fix="They have no score: the means of {name} are over the other queries.",
    ),
    "failed-scores/reading": Message(
        actual="{count:count value} that say Error or the like in place of a number",
        expected="a number for each query",
        fix="They have no score: the means are over the other queries.",
    ),
    "file-metrics": Message(
        actual="{count:count column} of metrics or labels: {names:comma}",
        expected="metrics per query",
        fix="They are shown as metrics from the file. For another meaning use --map attribute=COLUMN.",
        page="They are shown as metrics from the file. For another meaning, say what the columns mean.",
    ),
    "time-unit": Message(
        actual="times without a unit: {name}, from {low:g} to {high:g}",
        expected="a unit in the name, such as latency_s or latency_ms",
        fix="They are read as {unit}, which fits their size. For {other} use --map {other_field}={name}.",
        page="They are read as {unit}, which fits their size. For {other}, say what the columns mean.",
    ),
    "time-unit/unknown": Message(
        actual="times without a unit: {name}, from {low:g} to {high:g}",
        expected="a unit in the name, such as latency_s or latency_ms",
        fix="They may be {unit} or {other}, so no time is read from them. Use --map {field}={name} for {unit}, or "
            "--map {other_field}={name} for {other}.",
        page="They may be {unit} or {other}, so no time is read from them. Say what the columns mean: choose the unit.",
    ),
    "unknown-field/mapping": Message(
        actual="{name!r}",
        expected="one of {fields:comma}",
        fix="Name our field first and the column second, as in --map query=question.",
        page="Name a field of ragdash first and the column second.",
    ),
    "no-messages": Message(
        actual="no messages of a conversation: {value}",
        expected="a list of messages, such as [{{\"role\": \"user\", \"content\": \"Hi\"}}]",
        fix="It is not read.",
    ),
    "unread-column": Message(
        actual="the column {name!r}",
        expected="columns that ragdash reads",
        fix="It is not read.",
    ),
    "unread-column/repeated": Message(
        actual="the column {name!r} again",
        expected="columns with names of their own",
        fix="Only the first one is read; rename or remove the others.",
    ),
    "unread-column/differs": Message(
        actual=(
            "the column {field!r}, which differs between the rows of a query: {value} and {other} for query {query!r}"
        ),
        expected="columns that ragdash reads, or one value for each query",
        fix="It is not read.",
    ),
    "unread-field": Message(
        actual="the field {name!r}",
        expected="fields that ragdash reads",
        fix="It is not read.",
    ),
    "unread-field/of-run": Message(
        actual="{names:comma}, as in a run",
        expected="what is right for each query",
        fix="A ground truth keeps no such fields. If a system gave them, give --role both and --map with all fields.",
        page="A ground truth keeps no such fields. If a system gave them, say what the columns mean.",
    ),
    "unread-field/of-truth": Message(
        actual="{names:comma} behind the beginning of a large file, as in a ground truth",
        expected="what a system gave for each query",
        fix="No ground truth is read from it. To read one, copy these fields to another file, with the ids of the "
            "queries.",
    ),
    "unread-field/beir-queries": Message(
        actual="{names:comma} of the queries, as in a run",
        expected="what is right for each query",
        fix="Name the field answers if it has the right answers. Keep what a system gave in a file of its own, a run.",
    ),
    "unread-field/comment": Message(
        actual="the text {key!r} among the queries",
        expected="documents for each query",
        fix="It is taken as a comment and not read.",
    ),
    "wrong-type": Message(
        actual="{type}: {value}",
        expected="{expected}",
        fix="Write {expected}, or leave the field out.",
    ),
    "wrong-type/beside-columns": Message(
        actual="{key!r} next to columns",
        expected="a list, or an object of rows",
        fix="Write a row an object: frame.to_json(path, orient='records').",
    ),
    "wrong-type/evidence-by-document": Message(
        actual="evidence by document: {value}",
        expected="an object with text",
        fix=(
            "Write the documents as \"relevant\": [\"id\"], the spans as \"evidence\": [{{\"text\": \"...\", "
            "\"source\": \"id\"}}]."
        ),
    ),
    "wrong-type/nested-attributes": Message(
        actual="values nested too deeply",
        expected="flat attributes",
        fix="Write simple attributes.",
    ),
    "wrong-type/nested-settings": Message(
        actual="values nested too deeply",
        expected="flat settings",
        fix="Write simple settings.",
    ),
    "wrong-type/nested-spans": Message(
        actual="values nested too deeply",
        expected="spans as they are exported",
        fix="Leave them out.",
    ),
}
