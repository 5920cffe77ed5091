"""The text of each query where qrels have it as their second column: id, text, document and grade between tabs."""

from __future__ import annotations

from itertools import islice

import pyarrow as pa

from ragdash.core.errors import Collector, shorten
from ragdash.io.formats.file_start import SAMPLED_LINES
from ragdash.io.formats.text.trec_lines import QRELS, data_lines, split_line
from ragdash.io.source.source import Source
from ragdash.io.tables.whitespace import normalize_line_ends


def read_questions(source: Source, problems: Collector) -> pa.Table | None:
    """A table of query_id and query; None where the second column is an iteration or a subtopic.

    Most texts have several words, and most queries have one text, which is theirs alone: subtopics of a query are
    several, and who judged has judged several queries.
    """
    first = [split_line(line, QRELS) for _, line in islice(data_lines(source.head), SAMPLED_LINES)]
    if 2 * sum(b" " in fields[1] for fields in first if len(fields) > 1) <= len(first):
        return None
    texts: dict[str, dict[str, None]] = {}
    for _, line in data_lines(normalize_line_ends(source.text.encode())):
        query, text = (field.decode() for field in split_line(line, QRELS)[:2])
        texts.setdefault(query, {})[text] = None
    first_texts = [next(iter(known)) for known in texts.values()]
    if 2 * min(sum(len(known) == 1 for known in texts.values()), len(set(first_texts))) <= len(texts):
        return None
    for query, known in texts.items():
        if len(known) > 1:
            value, other = (repr(shorten(text, 80)) for text in islice(known, 2))
            problems.add("conflicting-values", {"query": query, "field": "query", "value": value, "other": other,
                                                "meaning": "query"}, severity="warning")
    return pa.table({"query_id": pa.array(texts, pa.string()), "query": pa.array(first_texts, pa.string())})
