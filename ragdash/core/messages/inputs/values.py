"""Ids, scores, ranks, grades and other values of the files that are read."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-grade": Message(
        actual="{value}",
        expected="an integer such as 0, 1 or 2",
        fix="Write whole grades, such as 1 for relevant and 0 for not; if these are scores, the file is a run.",
    ),
    "bad-grade/whole": Message(
        actual="a grade that is not a whole number",
        expected="whole numbers such as 0, 1, 2",
        fix="Round the grades, or scale them to whole numbers.",
    ),
    "bad-number": Message(
        actual="{value}",
        expected="a finite number",
        fix="Write a number or null.",
    ),
    "bad-number/grade": Message(
        actual="{value!r}",
        expected="a whole number as grade",
        fix="Write the grade as a whole number, such as 0, 1 or 2.",
    ),
    "bad-number/whole": Message(
        actual="{value}",
        expected="a whole number",
        fix="Write a whole number or null.",
    ),
    "bad-rank": Message(
        actual="{value}",
        expected="a number such as 12.5 or 1.25e1",
        fix="Write the rank as a decimal number; if this is a header line, remove it.",
    ),
    "bad-rank/column": Message(
        actual="NaN or infinity",
        expected="finite numbers",
        fix="Leave the document out, or give it a number.",
    ),
    "bad-score": Message(
        actual="{value}",
        expected="a number such as 12.5 or 1.25e1",
        fix="Write the score as a number with a decimal point; if this is a header line, remove it.",
    ),
    "bad-score/comma": Message(
        actual="{value}",
        expected="a decimal point: {point}",
        fix="Write all scores of the file with a decimal point instead of a comma.",
    ),
    "conflicting-judgments": Message(
        actual="query {query!r}, document {document!r} with grades {grades}{lines:? (lines {lines})}",
        expected="one grade for a document",
        fix="Keep the right one of the two lines.",
    ),
    "conflicting-truth": Message(
        actual="query {query!r} with another ground truth on lines {first} and {line}",
        expected="the same ground truth for each configuration",
        fix="Keep the right one of the two.",
    ),
    "conflicting-values": Message(
        actual="query {query!r} with two values of {field}: {value} and {other}",
        expected="one {meaning} for each query",
        fix="The first one counts. If the rows belong to several configurations, name them in a column config.",
    ),
    "duplicate-document": Message(
        actual=(
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
            "“How the means are counted” on the Data page."
        ),
    ),
    "duplicate-document/corpus": Message(
        actual="document {document!r} twice, with different texts{lines:? (lines {lines})}",
        expected="each document once",
        fix="Keep the right one, or give each chunk its own id.",
    ),
    "duplicate-document/refused": Message(
        actual=(
            "document {document!r} twice in the ranking of query {query!r}{others:? (and {others:count more "
            "repeat/more repeats})}"
        ),
        expected="a document once in a ranking",
        fix="Remove the repeats from the file, or let the best rank count with --duplicates first.",
        page=(
            "Remove the repeats from the file, or let the best rank count, under “How the means are counted” on the "
            "Data page."
        ),
    ),
    "duplicate-query": Message(
        actual="query {query!r} in two rows",
        expected="one row for a query",
        fix="Keep one of the rows.",
    ),
    "duplicate-query/run": Message(
        actual="query {query!r} on lines {first} and {line}",
        expected="a query once in a run",
        fix="Keep one of the two, or name each configuration in a field config.",
    ),
    "duplicate-query/run-questions": Message(
        actual="query {query!r} on lines {first} and {line}",
        expected="a query once in a run",
        fix=(
            "There is no id, so the question is the id: keep one of the two, name each configuration in a field "
            "config, or add a query_id."
        ),
    ),
    "duplicate-query/truth": Message(
        actual="query {query!r} on lines {first} and {line}",
        expected="a query once",
        fix="Keep one of the two.",
    ),
    "duplicate-query/truth-questions": Message(
        actual="query {query!r} on lines {first} and {line}",
        expected="a query once",
        fix="There is no id, so the question is the id: keep one of the two, or add a query_id.",
    ),
    "duplicate-score": Message(
        actual="a second value of {metric!r} for query {query!r} (the first is on line {first})",
        expected="one value of a metric for each query of a run",
        fix="Keep one of the two{columns:? or, if the rows are of several runs, name their column: --map "
            "config={columns:comma}}.",
        page="Keep one of the two{columns:? or, if the rows are of several runs, map {columns:comma} as config}.",
    ),
    "equal-ranks": Message(
        actual="query {query!r}: two documents with rank {rank:g}",
        expected="a different rank for each document of a query",
        fix="They keep the order of the file.",
    ),
    "equal-ranks/several-rankings": Message(
        actual="query {query!r} with the same ranks several times{others:? (and {others:count query/queries} more)}",
        expected="one ranking for each query",
        fix="The documents are read as one ranking, by score; put each ranking into a file of its own.",
    ),
    "impossible-amount": Message(
        actual="{value:g} in {column} of query {query!r}{others:? (and in {others:count query/queries} more)}",
        expected="numbers from 0 to {most:g}",
        fix="Correct them, or leave them out: until then, times and costs of this run cannot be computed.",
    ),
    "impossible-amount/metric": Message(
        actual="{value:g} in {column} of query {query!r}{others:? (and in {others:count query/queries} more)}",
        expected="numbers from -{most:g} to {most:g}",
        fix="Correct them. Until then they count as missing.",
    ),
    "large-scores": Message(
        actual="{count:count pair} of documents with the same score of {score:,.16g}, such as in query {query!r}",
        expected="scores between -2^53 and 2^53 (9,007,199,254,740,992)",
        fix=(
            "Larger whole numbers that differ by little become equal. Subtract a constant from the scores, or give "
            "ranks."
        ),
    ),
    "long-id": Message(
        actual="an id of {size:,} bytes: {start!r}",
        expected="ids of at most {most:,} bytes",
        fix="Check the separators of the file, and that the column of ids does not contain texts.",
    ),
    "missing-config": Message(
        actual="rows with and without a configuration (lines {with_line} and {without_line})",
        expected="a configuration in every row",
        fix="Complete the column.",
    ),
    "missing-config/objects": Message(
        actual="objects with and without a configuration (lines {with_line} and {without_line})",
        expected="a configuration for each or for none",
        fix="Complete the field config.",
    ),
    "missing-grade": Message(
        actual="no grade",
        expected="a number",
        fix="Give every document its grade, or none of them.",
    ),
    "missing-grade/row": Message(
        actual="no grade",
        expected="a number",
        fix="Give every row its grade.",
    ),
    "missing-id": Message(
        actual="{value:?{value}}{value:!no id}",
        expected="an id",
        fix="Give every row its id.",
    ),
    "missing-id/documents": Message(
        actual="{count:count document} without an id",
        expected="an id for each",
        fix="Leave such documents out.",
    ),
    "missing-id/question": Message(
        actual="no question",
        expected="the question, or the id of the query",
        fix="Give every row its question or an id.",
    ),
    "missing-id/row": Message(
        actual="no {name}",
        expected="an id in every row",
        fix="Give the row its id, or remove it.",
    ),
    "missing-id/rows": Message(
        actual="{count:count row} without an id",
        expected="an id in every row",
        fix="Leave such rows out.",
    ),
    "missing-rank": Message(
        actual="no rank",
        expected="a number",
        fix="Give every document its rank, or none of them.",
    ),
    "missing-rank/mixed": Message(
        actual="documents with and without a rank (lines {other} and {line})",
        expected="a rank for each document or for none",
        fix="Complete the ranks or leave them all out.",
    ),
    "missing-rank/row": Message(
        actual="no rank",
        expected="a number",
        fix="Give every row its rank.",
    ),
    "missing-score": Message(
        actual="no score",
        expected="a number",
        fix="Give every document its score, or none of them.",
    ),
    "missing-score/mixed": Message(
        actual="documents with and without a score (lines {other} and {line})",
        expected="a score for each document or for none",
        fix="Complete the scores or leave them all out.",
    ),
    "missing-score/row": Message(
        actual="no score",
        expected="a number",
        fix="Give every row its score.",
    ),
    "nan-rank": Message(
        actual="{value}",
        expected="a finite number",
        fix="Give the document a finite rank, or remove it.",
    ),
    "nan-score": Message(
        actual="{value}",
        expected="a finite number",
        fix="Give the document a finite score, or remove it.",
    ),
    "nan-score/column": Message(
        actual="NaN or infinity",
        expected="finite numbers",
        fix="Leave the document out, or give it a number.",
    ),
    "no-rows/header-only": Message(
        actual="a header and no row",
        expected="at least one judgment",
        fix="Check that the file is complete.",
    ),
    "no-rows/qrels": Message(
        actual="no judgment",
        expected="{layout}",
        fix="Check that the file was written completely.",
    ),
    "no-rows/returned": Message(
        actual="no returned document",
        expected="at least one row",
        fix="Check that the file was written completely.",
    ),
    "no-rows/truth": Message(
        actual="no judgment, reference answer or evidence",
        expected="at least one",
        fix="Give relevant, answers or evidence to the queries.",
    ),
    "number-as-text": Message(
        actual="the number {value}",
        expected="text in quotes",
        fix="It is read as text, with the digits as they are written; quote it to be sure.",
    ),
    "number-as-text/written": Message(
        actual="a {type}",
        expected="a text",
        fix=(
            "It is read as {value!r}; other files may write it otherwise. Store the column as text to keep ids as "
            "they are."
        ),
    ),
    "padded-id": Message(
        actual="{written}",
        expected="an id without white space around it",
        fix="It is read as {value!r}.",
    ),
    "small-total": Message(
        actual="a total of {total:g} ms, less than its stages together ({parts:g} ms)",
        expected="a total in milliseconds, no less than the sum of its stages",
        fix="Check the units. The total is read as it is written.",
    ),
    "rank-list-disagreement": Message(
        actual="query {query!r}: ranks in another order than the list",
        expected="documents in the order of their ranks",
        fix="The rank counts; if the order of the list should, leave the ranks out.",
    ),
    "rank-score-disagreement": Message(
        actual="query {query!r}: a document with a higher score is ranked lower",
        expected="scores that fall from rank to rank",
        fix="The rank counts; if the score should, leave the ranks out.",
    ),
    "rank-score-disagreement/list": Message(
        actual="query {query!r}: a document with a higher score is ranked lower",
        expected="scores that fall from rank to rank",
        fix="The order of the list counts.",
    ),
    "settings-differ": Message(
        actual="other settings than before: {settings}",
        expected="one setting a run",
        fix="The first ones are kept; name each configuration in a field config.",
    ),
    "unfit-columns": Message(
        actual="{count:count value} for {documents:count document}",
        expected="as many as documents",
        fix="{advice}",
    ),
    "unfit-columns/corpus": Message(
        actual="columns whose lengths differ from the {ids} ids",
        expected="as many texts and titles as ids",
        fix="Give every column one value for each document.",
    ),
    "interval-setting/alpha": Message(
        actual="{value}",
        expected="a number between 0 and 1, such as 0.05",
        fix="Write the share of intervals that miss the mean: 0.05 for intervals of 95%.",
    ),
    "interval-setting/level": Message(
        actual="{value}",
        expected="a number between 0 and 1, such as 0.95",
        fix="Write the share of intervals that hold the mean: 0.95 for 95%.",
    ),
    "interval-setting/resamples": Message(
        actual="{value}",
        expected="a whole number from 1 to {most}",
        fix="Write how many resamples to draw, such as 10000.",
    ),
    "interval-setting/few-resamples": Message(
        actual="{value}",
        expected="a whole number from {least} to {most}",
        fix="An interval needs draws beyond both ends: write how many to draw, such as 10000.",
    ),
    "interval-setting/seed": Message(
        actual="{value}",
        expected="a whole number, 0 or more",
        fix="Write another seed.",
    ),
    "unknown-convention": Message(
        actual="{value!r}",
        expected="{choices:or}",
        fix="Choose one of these for {name}.",
    ),
    "fractional-grades": Message(
        actual="grades with fractions, such as {grade}",
        expected="whole grades",
        fix=(
            "All grades are multiplied by {factor}: {grade} becomes {whole}. Documents with grade 1 or more count as "
            "relevant; rel={whole} in a metric asks for more."
        ),
    ),
    "zero-bytes": Message(
        actual="NUL bytes in the text",
        expected="text without them",
        fix="They are left out. Check that the file was written completely.",
    ),
    "wrong-type/split": Message(
        actual="a table in pandas' split form whose rows do not fit its columns",
        expected="a list of columns, and data with a value for each column in every row",
        fix="Write it again, or use frame.to_json(path, orient='records').",
    ),
    "summary": Message(
        actual="a summary: {keys:comma} of whole configurations, not of queries",
        expected="what was returned for each query, or scores of each query",
        fix="Use the file with a row or an object for each query. ragdash computes the means itself.",
    ),
    "data-splits": Message(
        actual="lists of the splits {keys} of a data set, not of queries",
        expected="what was returned or is relevant for each query",
        fix="Name the query of each list, or save the split alone.",
    ),
    "git-lfs": Message(
        actual="a pointer of Git LFS ({size} bytes), not the file itself",
        expected="the content of the file",
        fix="Run `git lfs pull` where the file comes from, or download the file itself.",
    ),
}
