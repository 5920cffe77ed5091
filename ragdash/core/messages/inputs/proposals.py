"""Files that no format recognizes, and the readings that are proposed for them."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "proposed-reading": Message(
        actual="{count:count record}{where:? under {where}} with {fields}",
        expected="a format that ragdash knows",
        fix="Try: ragdash check {quoted} {options}",
        page="Read it like this? Check the preview, then apply the reading.",
    ),
    "proposed-reading/choice": Message(
        actual="{count:count record}{where:? under {where}}, which can be read in {ways} ways",
        expected="a format that ragdash knows",
        fix="Choose the one that is right. Try: ragdash check {quoted} {options} or: {others}",
        page="Choose the reading that is right, check the preview, then apply it.",
    ),
    "proposed-reading/more": Message(
        actual="more than is read: {fields}",
        expected="fields that ragdash reads by their names",
        fix="To read them as well, try: ragdash check {quoted} {options}{others:? or: {others}}",
        page="To read them as well, apply the proposed reading.",
    ),
    "answers-of-system": Message(
        actual="answers next to their queries, and nothing else",
        expected="answers of a system",
        fix="They are read as the answers of a system. If they are the right ones, use --map answers=answer",
        page="They are read as the answers of a system. If they are the right ones, map the column so.",
    ),
    "summary/metrics": Message(
        actual="mean values of metrics ({metrics:comma}), not values per query",
        expected="what was returned for each query, or a value for each query",
        fix="Pass the file that these means were computed from.",
    ),
    "summary/report": Message(
        actual="a report or settings, with {members:comma}, and no list of records with a query each",
        expected="what was returned for each query, or a value for each query",
        fix="Pass the file that the report was made from.",
    ),
    "fields-as-queries": Message(
        actual="values under {keys}, which are names of fields or groups, not queries",
        expected="lists of equal length, or what was returned or is relevant for each query",
        fix="Write an object for each query, with what belongs to it.",
    ),
    "fractions-as-documents": Message(
        actual="a list of numbers from 0 to 1 under {key!r}, such as the values of a metric",
        expected="the ids of documents for each query",
        fix="Name the queries of the values: an object or a row for each query, with the value of each configuration.",
    ),
    "sentences-as-documents": Message(
        actual="a list of sentences under {key!r}, not of documents",
        expected="the ids of documents for each query",
        fix="Write an object for each query, with the ids of what was returned or is relevant for it.",
    ),
    "questions-as-documents": Message(
        actual="a list of questions under {key!r}, not of documents",
        expected="the ids of documents for each query",
        fix="Write an object for each question, with what was returned or is relevant for it.",
    ),
    "rows-without-query": Message(
        actual="{count:count record} with {fields} and neither a question nor an id of the query",
        expected="the query of each row",
        fix="Add a column with the question of each row.",
    ),
    "unknown-records": Message(
        actual="no list of records under {path!r}; there are {paths:comma}",
        expected="the path of a list of records",
        fix="Give --records one of these.",
        page="Choose another reading.",
    ),
    "unknown-role": Message(
        actual="the role {role!r}",
        expected="one of {roles:comma}",
        fix="Give --role one of these.",
        page="Choose another reading.",
    ),
    "repeated-question": Message(
        actual="{count:count record} whose query occurs before",
        expected="each query once",
        fix="All of them count; the second one of a query is named \"query (2)\".",
    ),
    "repeated-question/trials": Message(
        actual="no column that says which of {count:count record} of a query is which",
        expected="a configuration or a repeat for each record of a query",
        fix="They are read as {count:count trial} of one configuration, in the order of the file.",
    ),
    "average-row": Message(
        actual="{count:count row} of averages among the queries",
        expected="a row for each query",
        fix="They are left out.",
    ),
    "no-first-rank": Message(
        actual="{count:count record} without the rank of a first relevant document",
        expected="a rank of 1 or more where one was found",
        fix="Their reciprocal rank and success are 0, as nothing was found for them.",
    ),
    "record-without-query": Message(
        actual="{count:count record} without a query",
        expected="an id or a question in each record",
        fix="They are left out.",
    ),
    "record-without-grade": Message(
        actual="{count:count record} with a document and no grade",
        expected="a grade in each record",
        fix="They are left out.",
    ),
    "document-without-rank": Message(
        actual="{count:count returned document} without a rank",
        expected="a rank for each returned document",
        fix="They are left out: a ranking that gives a document no rank did not return it.",
    ),
    "document-without-score": Message(
        actual="{count:count returned document} without a score",
        expected="a score for each returned document, or for none",
        fix="No scores are read. The ranks count, or else the order in the file.",
    ),
    "no-document": Message(
        actual="{count:count cell} that name no document, such as NOT_FOUND or multiple",
        expected="the id of a document, or nothing",
        fix="They are read as nothing.",
    ),
    "numbered-rows": Message(
        actual="{count:count record} with values and nothing that names the query",
        expected="an id or a question in each record",
        fix="They are numbered in the order of the file. Compare them only with values in the same order.",
    ),
    "scaled-grades": Message(
        actual="grades with decimals, such as 0.7",
        expected="whole grades",
        fix="They are multiplied by {factor}. Every grade above 0 counts as relevant.",
    ),
    "fractional-grades/reading": Message(
        actual="grades such as {example}",
        expected="whole grades, or decimals with up to three places",
        fix="Round them, or pass this file as a run if they are scores.",
    ),
    "conflicting-grades/reading": Message(
        actual="document {document!r} of query {query!r} with the grades {first:g} and {second:g}",
        expected="one grade for a document of a query",
        fix="Keep the right one.",
    ),
}
