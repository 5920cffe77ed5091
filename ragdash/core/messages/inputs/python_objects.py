"""Objects of Python programs that are no run, truth or metric."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "empty-path": Message(
        actual="an empty path",
        expected="the path of a file",
        fix="Name a file; a variable that was to hold the path may be empty.",
        page="Choose a file.",
    ),
    "python-object/argument": Message(
        actual="an unknown argument {name!r}",
        expected="one of {choices:or}, or another parameter of the function",
        fix="{rule:?Pass rules=ComparisonRules({rule}=...).}{rule:!Correct the name or leave it out.}",
    ),
    "python-object/candidates": Message(
        actual="rankings without a name",
        expected="{{name: rankings}}",
        fix='Pass {{"name": rankings}}, or a list of rankings.',
    ),
    "python-object/column": Message(
        actual="the columns {columns:comma}",
        expected="a column {name!r} for {field}",
        fix="Name the frame's column with columns={{{field!r}: ...}}.",
    ),
    "python-object/column-names": Message(
        actual="an object of type {kind} as names of columns",
        expected="{{field: name of its column}}",
        fix="Pass a dict, such as columns={{'query_id': 'qid'}}.",
    ),
    "python-object/columns": Message(
        actual="a frame that cannot be read: {reason}",
        expected="columns of one length, with names of their own",
        fix="Correct the frame, or pass its columns as a dict of lists.",
    ),
    "python-object/detail": Message(
        actual="values of the types {kinds:comma}",
        expected="values of one type in each field",
        fix="Convert them to one type, such as text.",
    ),
    "python-object/documents": Message(
        actual="query {query!r} has an object of type {kind} as documents",
        expected="a list of documents, best first",
        fix="Give each query a list; of one document [id].",
    ),
    "python-object/evaluation": Message(
        actual="an object of type {kind}",
        expected="an evaluation, as ragdash.evaluate returns it",
        fix="Evaluate the run first.",
    ),
    "python-object/family": Message(
        actual="{value}",
        expected="a whole number from 1",
        fix="Count the metrics from which you choose.",
    ),
    "python-object/field": Message(
        actual="query {query!r} has {value}",
        expected="{expected}",
        fix="Convert the value, or leave it out.",
    ),
    "python-object/file": Message(
        actual="{kind:?an object of type {kind:comma}}{kind:!an empty pair}",
        expected="a path, or a pair of a name and bytes",
        fix='Pass the path of the file, or ("name.csv", content).',
    ),
    "python-object/frame": Message(
        actual="an object of type {kind}",
        expected="a pandas, polars or Arrow frame, or a dict of columns",
        fix="Convert it to one of these.",
    ),
    "python-object/grade": Message(
        actual="{value} for document {document!r}",
        expected="a whole number as grade",
        fix="Write grades such as 0, 1 or 2.",
    ),
    "python-object/grade-column": Message(
        actual="row {row} has {value}",
        expected="a whole number as grade",
        fix="Write grades such as 0, 1 or 2.",
    ),
    "python-object/id": Message(
        actual="{value} of type {kind}",
        expected="text or a whole number as id",
        fix="Convert the ids to text as the other files write them.",
    ),
    "python-object/id-column": Message(
        actual="column {name!r} of type {kind}",
        expected="text or whole numbers",
        fix="Convert the column to text as the other files write its ids.",
    ),
    "python-object/judgments": Message(
        actual="query {query!r} has an object of type {kind}",
        expected="{{document: grade}} or a list of relevant documents",
        fix="Give each query one of these.",
    ),
    "python-object/label": Message(
        actual="{value} as label of query {query!r}",
        expected="a number from 0 to 1",
        fix="Write 1 for right and 0 for wrong.",
    ),
    "python-object/mapping": Message(
        actual="an object of type {kind}",
        expected="a dict with a key for each query",
        fix="Use from_frame for data frames and from_records for lists.",
    ),
    "python-object/metric": Message(
        actual="{value} of type {kind}",
        expected="the name of a metric, such as nDCG@10",
        fix="Give names, or what parse_specs returns.",
    ),
    "python-object/metric-function": Message(
        actual="{value} as function of the metric {metric}",
        expected='a function whose first parameter has the annotation of a view, such as (view: "Ranked", k)',
        fix="See help(ragdash.metric).",
    ),
    "python-object/metric-lacks": Message(
        actual="the metric {metric} without {names}",
        expected="its formula and its source",
        fix='Add them, such as @metric("{metric}", "Title", formula="n", source="ours").',
    ),
    "python-object/metric-name": Message(
        actual="{value} as name of a metric",
        expected="a letter, then letters, digits, underscores, dots and hyphens; not file, and not Rubric. first",
        fix="Choose such a name; a cutoff and parameters are no part of it.",
    ),
    "python-object/metric-option": Message(
        actual="{name} of the metric {metric}",
        expected="one of {names:comma}",
        fix="Leave it out; see help(ragdash.metric).",
    ),
    "python-object/metric-parameter": Message(
        actual="parameters of the metric {metric} without a default: {names}",
        expected="a default for each, which counts where nothing else is written",
        fix="Write it in the function, such as (view: \"Ranked\", k, *, p=0.8).",
    ),
    "python-object/metric-taken": Message(
        actual="{value!r}, which means the metric {metric}",
        expected="names and aliases that no other metric has, in any case",
        fix="Choose another one.",
    ),
    "python-object/metric-values": Message(
        actual="that the function of the metric {metric} returns {value}",
        expected="an array of numbers: {queries:count query} in rows, {cutoffs:count cutoff} in columns",
        fix="Return numpy numbers, NaN where a query has no value; see help(ragdash.metric).",
    ),
    "python-object/misfit": Message(
        actual="{value} of type {kind}",
        expected="{expected}",
        fix="See help({function}).",
    ),
    "python-object/name": Message(
        actual="an object of type {kind} as {field}",
        expected="a text",
        fix="Convert it with str.",
    ),
    "python-object/none": Message(
        actual="no {what}",
        expected="at least one {what}",
        fix="Pass one, or several.",
    ),
    "python-object/number": Message(
        actual="{value} for document {document!r}",
        expected="a number as score",
        fix="Give each document a number, or list the documents best first.",
    ),
    "python-object/number-column": Message(
        actual="column {name!r} of type {kind}",
        expected="numbers",
        fix="Convert the column to numbers.",
    ),
    "python-object/other-field": Message(
        actual="the field {name!r}",
        expected="a field of a run or a ground truth",
        fix="It is kept with the query, and no metric reads it. Correct the name if it is a slip.",
    ),
    "python-object/partly": Message(
        actual="{count:,} of {total:count document} {count:plural has/have} no {name}",
        expected="a {name} for every document, or for none",
        fix="Add it to all of them, or remove it.",
    ),
    "python-object/path": Message(
        actual="{value} as a path",
        expected="the path of a file or folder",
        fix='Pass one, such as "report.html".',
    ),
    "python-object/ranking": Message(
        actual="query {query!r} has an object of type {kind}",
        expected="{{document: score}} or a list of documents, best first",
        fix="Give each query one of these.",
    ),
    "python-object/record": Message(
        actual="record {index} has {fields:comma}",
        expected="query_id and {needed}",
        fix="Give each record both fields.",
    ),
    "python-object/records": Message(
        actual="an object of type {kind} as records",
        expected="a list with an object for each query",
        fix="Use from_frame for data frames and from_dict for dicts.",
    ),
    "python-object/runs": Message(
        actual="an object of type {kind}",
        expected="a list of runs, or {{name: run}}",
        fix="Pass the runs in a list.",
    ),
    "python-object/scores": Message(
        actual="queries with scores and queries without",
        expected="the same for all queries",
        fix="Give all queries {{document: score}}, or all a list of documents.",
    ),
    "python-object/truth": Message(
        actual="an object of type {kind} without a ground truth",
        expected="evaluations, or runs with truth=...",
        fix="Pass the judgments as truth=..., or evaluate the runs first.",
    ),
    "python-object/unnamed-numbers": Message(
        actual="no column {field!r}, and numbers in {names:comma}",
        expected="to know what these numbers are",
        fix="Pass columns={{{field!r}: {name!r}}}, or leave these columns out.",
    ),
    "python-object/positions": Message(
        actual="{value}",
        expected="positions of returned documents: whole numbers in one dimension",
        fix="Give an array such as numpy.arange(len(run.docs)).",
    ),
    "python-object/progress": Message(
        actual="{value}",
        expected="a function that takes {names:comma}",
        fix="Give one, such as lambda {names:comma}: None.",
    ),
    "python-object/whole": Message(
        actual="{name} = {value}",
        expected="a whole number from {least}{most:? to {most}}",
        fix="Give such a number.",
    ),
    "python-object/query-mask": Message(
        actual="another kind of array",
        expected="an array of {queries:,} truth values, one for each query of the ground truth",
        fix="Give such an array of NumPy.",
    ),
    "python-object/lengths": Message(
        actual="{vectors:,} vectors, {texts:,} texts and {failing:,} truth values",
        expected="one of each for each question",
        fix="Give arrays of the same length.",
    ),
    "unknown-key/line": Message(
        actual="no line {line!r}",
        expected="{lines:or}",
        fix="Ask for one of these.",
    ),
    "unknown-key/metric": Message(
        actual="{metric}, which was not evaluated for {name!r}",
        expected="{metrics:or}",
        fix="Evaluate it too, or ask for one of these.",
    ),
    "unknown-key/query": Message(
        actual="no query {query!r} in {name!r}",
        expected="one of its queries",
        fix="See its query_ids.",
    ),
}
