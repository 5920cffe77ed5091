"""Failing queries for others: a truth of these queries alone, and Markdown for a ticket.

Every text of the files is in a fenced block or a code span, so that HTML, Markdown, LaTeX and mentions in it stay
text; characters that steer the display are written as their codes.

Letters: Q queries of the truth, in its order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import take
from ragdash.core.console import aligned, query_count
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.core.records.arguments import checked
from ragdash.core.slices import part
from ragdash.core.text.quoted import cut_end
from ragdash.io.write.serializers import jsonl
from ragdash.matching.match import Match

MAX_TEXT, MAX_PREVIEW = 2_000, 80  # characters of a text in a block, and of a document's beginning in a row
MAX_GOLD = 20  # relevant documents and gold spans that are written out for a query
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@checked
def regression_set(truth: Truth, queries: np.ndarray) -> bytes:
    """The truth of the queries (Q,) bool alone, as native JSONL: grades, answers, evidence and attributes are kept.

    Reading it gives what `slices.part` gives. Raises InputError where no query is chosen.
    """
    _check(truth, queries)
    return jsonl(part(truth, queries))


@checked
def ticket(matches: Sequence[Match], queries: np.ndarray, *, k: int = 10, title: str = "Failing queries",
           verdicts: Mapping[str, Sequence[str]] | None = None, max_queries: int = 20) -> str:
    """Markdown: for each query the question, what is expected, and what each run returned in its first k ranks.

    matches: of one truth; queries (Q,) bool; verdicts: {run name: [Q texts]}, such as where each run went wrong;
    max_queries: queries that are written out, the others are named. Long texts are cut, and it says so.
    Raises InputError where no query is chosen.
    """
    if not len(matches):
        raise InputError([Problem("no-run/matches", field="matches")])
    truth = matches[0].truth
    _check(truth, queries)
    selected = np.flatnonzero(queries)
    ids = truth.query_ids.take(pa.array(selected)).to_pylist()
    lines = [
        f"# {_code_span(title)}",
        "",
        f"{len(selected):,} of {query_count(len(truth))} of the ground truth {_code_span(truth.name)}. "
        f"Runs: {', '.join(_code_span(match.run.name) for match in matches)}.",
        "",
    ]
    for number, (q, query_id) in enumerate(zip(selected[:max_queries].tolist(), ids, strict=False), 1):
        lines += [f"## {number}. {_code_span(query_id)}", "", *_ground_truth_lines(matches, q)]
        for match in matches:
            lines += [f"### {_code_span(match.run.name)}", "", *_run_lines(match, q, k)]
            run_verdicts = (verdicts or {}).get(match.run.name)
            if run_verdicts is not None and run_verdicts[q]:
                lines += ["Verdict:", "", *_code_block(run_verdicts[q])]
    if len(selected) > max_queries:
        lines += [
            f"## {len(selected) - max_queries:,} more queries",
            "",
            *_code_block("\n".join(map(_one_line, ids[max_queries:]))),
        ]
    return "\n".join(lines)


def _check(truth: Truth, queries: np.ndarray) -> None:
    if queries.shape != (len(truth),) or queries.dtype != bool:
        raise InputError([Problem("python-object/query-mask", {"queries": len(truth)}, field="queries")])
    if not queries.any():
        raise InputError([Problem("no-query/regression", {"queries": len(truth)}, field="query_id")])


def _ground_truth_lines(matches: Sequence[Match], q: int) -> Iterator[str]:
    """The question, and what the truth has for it."""
    truth = matches[0].truth
    question = _query_field(truth.details, "query", q)
    if question is None:
        candidates = (_query_field(match.run.details, "query", int(match.run_query[q])) for match in matches)
        question = next((text for text in candidates if text is not None), None)
    yield from ("No question is known.", "") if question is None else ("Question:", "", *_code_block(question))
    for name, label in (("answers", "Right answer"), ("evidence", "Gold evidence")):
        texts = [
            span["text"] if isinstance(span, Mapping) else span for span in _query_field(truth.details, name, q) or ()
        ]
        for text in texts[:MAX_GOLD]:
            yield from (f"{label}:", "", *_code_block(text or ""))
        yield from _remainder(len(texts))
    rows = [(doc, grade) for doc, grade in _grades(truth, q).items() if grade >= 1]
    if rows:
        table = aligned(["document", "grade"], [[_one_line(doc), str(grade)] for doc, grade in rows[:MAX_GOLD]])
        yield from ("Relevant documents:", "", *_code_block(table), *_remainder(len(rows)))
    else:
        yield from ("No document is known to be relevant.", "")


def _remainder(count: int) -> tuple[str, ...]:
    return (f"and {count - MAX_GOLD:,} more", "") if count > MAX_GOLD else ()


def _run_lines(match: Match, q: int, k: int) -> Iterator[str]:
    """What a run returned and answered."""
    run, row = match.run, int(match.run_query[q])
    if row < 0:
        yield from ("The run does not name this query.", "")
        return
    entries = np.setdiff1d(np.arange(run.starts[row], run.starts[row + 1]), run.repeated)
    ranks = match.ranks(entries)
    order = np.argsort(ranks)[:k]
    positions, grades = run.rows(entries[order]), _grades(match.truth, q)
    docs = take(run.docs, positions).to_pylist()
    texts = [""] * len(docs) if run.texts is None else take(run.texts, positions).to_pylist()
    rows = [[str(rank), _one_line(doc), str(grades.get(doc, "unjudged")), _one_line(text or "", MAX_PREVIEW)]
            for rank, doc, text in zip(ranks[order].tolist(), docs, texts, strict=True)]
    if rows:
        width = 3 if run.texts is None else 4
        header = ["rank", "document", "grade", "text"][:width]
        yield from (f"The first {len(rows)} of {len(entries):,} documents:", "",
                    *_code_block(aligned(header, [cells[:width] for cells in rows])))
    else:
        yield from ("Nothing was returned.", "")
    answer = _query_field(run.details, "answer", row)
    if answer is not None:
        yield from ("Answer:", "", *_code_block(answer))


def _grades(truth: Truth, q: int) -> dict[str, int]:
    first, last = np.searchsorted(truth.queries, [q, q + 1])
    return dict(zip(truth.docs[first:last].to_pylist(), truth.grades[first:last].tolist(), strict=True))


def _query_field(details: pa.Table | None, name: str, row: int) -> Any:
    """The value of a row, None where it has none."""
    if row < 0 or details is None or name not in details.column_names:
        return None
    return details[name][row].as_py()


def _code_block(text: str) -> tuple[str, str, str, str]:
    """A fenced block that holds the text, whatever it is."""
    text = _show_control(text.strip("\n"))
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]} …\n[{len(text) - MAX_TEXT:,} more characters]"
    fence = _fence(text, 3)
    return f"{fence}text", text, fence, ""


def _code_span(text: str) -> str:
    """A code span that holds the text."""
    text = _one_line(text) or "(nothing)"
    ticks = _fence(text, 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"{ticks}{text}{ticks}"


def _fence(text: str, minimum: int) -> str:
    """More backticks than occur in a row anywhere in the text."""
    return "`" * max(minimum, 1 + max(map(len, re.findall("`+", text)), default=0))


def _one_line(text: str, limit: int = 200) -> str:
    text = _show_control(" ".join(text[:limit * 20].split()))
    return cut_end(text, limit)


def _show_control(text: str) -> str:
    """Control characters and those that turn the direction of writing as their codes; line ends and tabs are kept."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\r\n", "\n"))
