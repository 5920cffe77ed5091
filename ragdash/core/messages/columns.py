"""Columns, fields, rows and ids of the files that are read."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-grade": Message(
        found="{value}",
        expected="an integer such as 0, 1 or 2",
        fix="Write whole grades; if these are scores, the file is a run and not judgements.",
    ),
    "bad-grade/whole": Message(
        found="a grade that is not a whole number",
        expected="whole numbers such as 0, 1, 2",
        fix="Round the grades, or scale them to whole numbers.",
    ),
    "bad-list": Message(
        found="{start!r}: {reason}",
        expected="{type} as JSON, or as Python writes it",
        fix=(
            "Write it as JSON, such as [\"d1\", \"d2\"] (json.dumps does; for an array of numpy, "
            "json.dumps(array.tolist()))."
        ),
    ),
    "bad-number": Message(
        found="{value}",
        expected="a finite number",
        fix="Write a number or null.",
    ),
    "bad-number/whole": Message(
        found="{value}",
        expected="a whole number",
        fix="Write a whole number or null.",
    ),
    "bad-quotes": Message(
        found="{error}",
        expected="quotes around whole values, doubled inside of them",
        fix="Close the quotes of this row.",
    ),
    "bad-rank": Message(
        found="{value}",
        expected="a number such as 12.5 or 1.25e1",
        fix="Write the rank as a decimal number; if this is a header line, remove it.",
    ),
    "bad-rank/column": Message(
        found="NaN or infinity",
        expected="finite numbers",
        fix="Leave the document out, or give it a number.",
    ),
    "bad-score": Message(
        found="{value}",
        expected="a number such as 12.5 or 1.25e1",
        fix="Write the score as a decimal number; if this is a header line, remove it.",
    ),
    "column-count": Message(
        found="{count} columns: {row!r}",
        expected="{width} columns, as in the header",
        fix="Complete the row; quote values that hold the separator or a line end.",
    ),
    "column-count/preferences": Message(
        found="{count} columns: {row}",
        expected="{layout}",
        fix=(
            "Complete the line (ids with blanks need tabs between the columns); preference judgements, which have five "
            "columns, are not read."
        ),
    ),
    "column-count/qrels-line": Message(
        found="{count} columns: {row}",
        expected="{layout}",
        fix="This looks like a line of qrels; pass qrels with --truth.",
        page="This looks like a line of qrels; load the file as relevance judgments.",
    ),
    "column-count/run-line": Message(
        found="{count} columns: {row}",
        expected="{layout}",
        fix="This looks like a line of a run.",
    ),
    "column-count/trec": Message(
        found="{count} columns: {row}",
        expected="{layout}",
        fix="Complete or remove the line; ids with blanks need tabs between the columns.",
    ),
    "comment": Message(
        found="{comment}",
        expected="a row",
        fix="Lines that start with # are passed over as comments.",
    ),
    "conflicting-judgements": Message(
        found="query {query!r}, document {document!r} with grades {grades}{lines:? (lines {lines})}",
        expected="one grade for a document",
        fix="Keep the right one of the two lines.",
    ),
    "conflicting-truth": Message(
        found="query {query!r} with another truth on lines {first} and {line}",
        expected="the same truth for each configuration",
        fix="Keep the right one of the two.",
    ),
    "conflicting-values": Message(
        found="query {query!r} with two values of {field}: {value} and {other}",
        expected="one {meaning} for each query",
        fix="The first one counts. If the rows belong to several configurations, name them in a column config.",
    ),
    "duplicate-document": Message(
        found=(
            "document {document!r} twice in the ranking of query {query!r}{others:? (and {others:count more "
            "repeat/more repeats})}"
        ),
        expected="a document once in a ranking",
        fix=(
            "The best rank counts and the others are skipped; remove them from the file, or refuse such files with "
            "--duplicates error."
        ),
        page=(
            "The best rank counts and the others are skipped; remove them from the file, or refuse such files under "
            "Counting on the Runs page."
        ),
    ),
    "duplicate-document/corpus": Message(
        found="document {document!r} twice, with different texts{lines:? (lines {lines})}",
        expected="each document once",
        fix="Keep the right one, or give each chunk an id of its own.",
    ),
    "duplicate-document/refused": Message(
        found=(
            "document {document!r} twice in the ranking of query {query!r}{others:? (and {others:count more "
            "repeat/more repeats})}"
        ),
        expected="a document once in a ranking",
        fix="Remove the repeats from the file, or let the best rank count with --duplicates first.",
        page="Remove the repeats from the file, or let the best rank count, under Counting on the Runs page.",
    ),
    "duplicate-field": Message(
        found="{name!r} beside and inside attributes",
        expected="each attribute once",
        fix="Remove one of the two.",
    ),
    "duplicate-query": Message(
        found="query {query!r} in two rows",
        expected="one row for a query",
        fix="Keep one of the rows.",
    ),
    "duplicate-query/run": Message(
        found="query {query!r} on lines {first} and {line}",
        expected="a query once in a run",
        fix="Keep one of the two, or name each configuration in a field config.",
    ),
    "duplicate-query/run-questions": Message(
        found="query {query!r} on lines {first} and {line}",
        expected="a query once in a run",
        fix=(
            "There is no id, so the question is the id: keep one of the two, name each configuration in a field "
            "config, or add a query_id."
        ),
    ),
    "duplicate-query/truth": Message(
        found="query {query!r} on lines {first} and {line}",
        expected="a query once",
        fix="Keep one of the two.",
    ),
    "duplicate-query/truth-questions": Message(
        found="query {query!r} on lines {first} and {line}",
        expected="a query once",
        fix="There is no id, so the question is the id: keep one of the two, or add a query_id.",
    ),
    "equal-ranks": Message(
        found="query {query!r}: two documents with rank {rank:g}",
        expected="another rank for each document of a query",
        fix="They stand in the order of the file.",
    ),
    "extra-columns": Message(
        found="{count} columns",
        expected="{layout}",
        fix="What stands behind column {last} is not read.",
    ),
    "long-id": Message(
        found="an id of {size:bytes}: {start!r}",
        expected="ids of at most {most:bytes}",
        fix="Check the separators of the file, and that the column of ids is none of texts.",
    ),
    "missing-column/query": Message(
        found="the columns {columns:comma}",
        expected="a column {ids}, or {questions}",
        fix="Add it, or name the column that holds it, such as {example}.",
    ),
    "missing-column/returned": Message(
        found="the columns {columns}",
        expected="columns {names:comma}, or doc_id with a row for each document",
        fix="Name the columns that hold them, such as {example}.",
    ),
    "missing-column/rows": Message(
        found="the columns {columns:comma}",
        expected="a column {names}",
        fix="Add it, or name the column that holds it, such as {example}; each row is one document of one query.",
    ),
    "missing-config": Message(
        found="rows with and without a configuration (lines {with_line} and {without_line})",
        expected="a configuration in every row",
        fix="Complete the column.",
    ),
    "missing-config/objects": Message(
        found="objects with and without a configuration (lines {with_line} and {without_line})",
        expected="a configuration for each or for none",
        fix="Complete the field config.",
    ),
    "missing-field": Message(
        found="the fields {fields:comma}",
        expected="{names:or}",
        fix=(
            "Give every object what was returned for its query; an empty list means nothing was returned. A field of "
            "another name, or one that is nested, is read with --map retrieved={path}."
        ),
        page=(
            "Give every object what was returned for its query; an empty list means nothing was returned. A field of "
            "another name is chosen under Columns."
        ),
    ),
    "missing-field/query": Message(
        found="the fields {fields:comma}",
        expected="{names}",
        fix=(
            "Give every object the id of its query, or none of them and the text of the question. A field of another "
            "name is read with --map query_id=NAME."
        ),
        page=(
            "Give every object the id of its query, or none of them and the text of the question. A field of another "
            "name is chosen under Columns."
        ),
    ),
    "missing-field/questions": Message(
        found="the fields {fields:comma}",
        expected="{names}",
        fix=(
            "Write an object for each of the questions in {list_name!r}, with its query_id, query and answers; what "
            "they share (a table, paragraphs) is evidence."
        ),
    ),
    "missing-grade": Message(
        found="no grade",
        expected="a number",
        fix="Give every document its grade, or none of them.",
    ),
    "missing-grade/row": Message(
        found="no grade",
        expected="a number",
        fix="Give every row its grade.",
    ),
    "missing-header": Message(
        found="no line with column names",
        expected="a header such as query_id,doc_id,score",
        fix="Write the names of the columns into the first line.",
    ),
    "missing-id": Message(
        found="{value:?{value}}{value:!no id}",
        expected="an id",
        fix="Give every row its id.",
    ),
    "missing-id/documents": Message(
        found="{count} documents without an id",
        expected="an id for each",
        fix="Leave such documents out.",
    ),
    "missing-id/question": Message(
        found="no question",
        expected="the question, or the id of the query",
        fix="Give every row its question or an id.",
    ),
    "missing-id/row": Message(
        found="no {name}",
        expected="an id in every row",
        fix="Give the row its id, or remove it.",
    ),
    "missing-id/rows": Message(
        found="{count} rows without an id",
        expected="an id in every row",
        fix="Leave such rows out.",
    ),
    "missing-rank": Message(
        found="no rank",
        expected="a number",
        fix="Give every document its rank, or none of them.",
    ),
    "missing-rank/mixed": Message(
        found="documents with and without a rank (lines {other} and {line})",
        expected="a rank for each document or for none",
        fix="Complete the ranks or leave them all out.",
    ),
    "missing-rank/row": Message(
        found="no rank",
        expected="a number",
        fix="Give every row its rank.",
    ),
    "missing-score": Message(
        found="no score",
        expected="a number",
        fix="Give every document its score, or none of them.",
    ),
    "missing-score/mixed": Message(
        found="documents with and without a score (lines {other} and {line})",
        expected="a score for each document or for none",
        fix="Complete the scores or leave them all out.",
    ),
    "missing-score/row": Message(
        found="no score",
        expected="a number",
        fix="Give every row its score.",
    ),
    "mixed-rows": Message(
        found="lists of documents and scored documents in one file",
        expected="one way to give a ranking",
        fix="Write every query in the same way.",
    ),
    "nan-rank": Message(
        found="{value}",
        expected="a finite number",
        fix="Give the document a finite rank, or remove it.",
    ),
    "nan-score": Message(
        found="{value}",
        expected="a finite number",
        fix="Give the document a finite score, or remove it.",
    ),
    "nan-score/column": Message(
        found="NaN or infinity",
        expected="finite numbers",
        fix="Leave the document out, or give it a number.",
    ),
    "no-order-column": Message(
        found="neither a score nor a rank",
        expected="a column score or rank",
        fix="The order of the rows is taken as the ranking.",
    ),
    "no-rows/header-only": Message(
        found="a header and no row",
        expected="at least one judgement",
        fix="Check that the file is complete.",
    ),
    "no-rows/qrels": Message(
        found="no judgement",
        expected="{layout}",
        fix="Check that the file was written completely.",
    ),
    "no-rows/returned": Message(
        found="no returned document",
        expected="at least one row",
        fix="Check that the file was written completely.",
    ),
    "no-rows/truth": Message(
        found="no judgement, reference answer or evidence",
        expected="at least one",
        fix="Give relevant, answers or evidence to the queries.",
    ),
    "number-as-text": Message(
        found="the number {value}",
        expected="text in quotes",
        fix="It is read as text, with the digits as they are written; quote it to be sure.",
    ),
    "padded-id": Message(
        found="{written!r}",
        expected="an id without white space around it",
        fix="It is read as {value!r}.",
    ),
    "rank-score-disagreement": Message(
        found="query {query!r}: a document with a higher score is ranked lower",
        expected="scores that fall from rank to rank",
        fix="The rank counts; if the score should, leave the ranks out.",
    ),
    "rank-score-disagreement/list": Message(
        found="query {query!r}: a document with a higher score is ranked lower",
        expected="scores that fall from rank to rank",
        fix="The order of the list counts.",
    ),
    "settings-differ": Message(
        found="other settings than before: {settings}",
        expected="one setting a run",
        fix="The first ones are kept; name each configuration in a field config.",
    ),
    "several-tags": Message(
        found="the tags {tags}",
        expected="one tag in a TREC run",
        fix="The file is read as one run; put each configuration in a file of its own.",
    ),
    "texts-from-corpus": Message(
        found="{documents} documents of {run:named run} with their texts from the corpus {corpus!r}, not from the run",
        expected="the texts that the run returned",
        fix="A text in the run would win: it is what the system saw.",
    ),
    "too-many-columns/header": Message(
        found="a header line of more than {most_bytes:bytes}",
        expected="at most {most} columns, named in {most_bytes:bytes}",
        fix="Keep the columns that ragdash reads.",
    ),
    "too-many-columns/object": Message(
        found="an object with {count} fields",
        expected="at most {most}",
        fix="Keep the fields that ragdash reads; a dictionary of queries is an object of objects.",
    ),
    "too-many-columns/trec": Message(
        found="{count} columns",
        expected="{layout}",
        fix="Check what separates the columns, and that lines end where rows do.",
    ),
    "unequal-lists": Message(
        found="{count} values in {name} beside {other_count} in {other}",
        expected="lists of equal length",
        fix="Complete the shorter one.",
    ),
    "unequal-lists/columns": Message(
        found="{count} values in {name!r} beside {other_count} in {other!r}",
        expected="columns of equal length",
        fix="Complete the shorter one.",
    ),
    "unfit-columns": Message(
        found="{count} values beside {documents} documents",
        expected="as many as documents",
        fix="{advice}",
    ),
    "unfit-columns/corpus": Message(
        found="columns of other lengths beside {ids} ids",
        expected="as many texts and titles as ids",
        fix="Give every column one value for each document.",
    ),
    "unknown-column": Message(
        found="no column {column!r}; there are {columns}",
        expected="a column or field of the file",
        fix="Give {name} one of these.",
    ),
    "unknown-columns": Message(
        found="{count:count column} of other names: {columns:comma}{unnamed:? and {unnamed} more}",
        expected="columns that ragdash reads",
        fix="They become attributes of the queries. Give one another meaning with --map FIELD=COLUMN.",
        page="They become attributes of the queries. Give one another meaning under Columns.",
    ),
    "unknown-convention": Message(
        found="{value!r}",
        expected="{choices:or}",
        fix="Choose one of these for {name}.",
    ),
    "unknown-field/mapping": Message(
        found="{name!r}",
        expected="one of {fields:comma}",
        fix="Name our field first and the column second, as in --map query=question.",
    ),
    "unread-column": Message(
        found="the column {name!r}",
        expected="columns that ragdash reads",
        fix="It is not read.",
    ),
    "unread-column/differs": Message(
        found=(
            "the column {field!r}, which differs between the rows of a query: {value} and {other} for query {query!r}"
        ),
        expected="columns that ragdash reads, or one value for each query",
        fix="It is not read.",
    ),
    "unread-field": Message(
        found="the field {name!r}",
        expected="fields that ragdash reads",
        fix="It is not read.",
    ),
    "wrong-type": Message(
        found="{type}: {value}",
        expected="{expected}",
        fix="Write {expected}, or leave the field out.",
    ),
    "wrong-type/beside-columns": Message(
        found="{key!r} beside columns",
        expected="a list, or an object of rows",
        fix="Write a row an object: frame.to_json(path, orient='records').",
    ),
    "wrong-type/evidence-by-document": Message(
        found="evidence by document: {value}",
        expected="an object with text",
        fix=(
            "Write the documents as \"relevant\": [\"id\"], the spans as \"evidence\": [{{\"text\": \"...\", "
            "\"source\": \"id\"}}]."
        ),
    ),
    "wrong-type/nested-attributes": Message(
        found="values nested too deeply",
        expected="flat attributes",
        fix="Write simple attributes.",
    ),
    "wrong-type/nested-settings": Message(
        found="values nested too deeply",
        expected="flat settings",
        fix="Write simple settings.",
    ),
    "wrong-type/nested-spans": Message(
        found="values nested too deeply",
        expected="spans as they are exported",
        fix="Leave them out.",
    ),
}
