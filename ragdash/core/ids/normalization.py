"""Ids that mean the same and are written differently: blanks, accents, case, zeros, paths. And chunks of one document.

Nothing is changed unless it is asked for by name; an id that could mean two others is left as it is, and what was
changed is counted in the problems of the run. Letters: N returned documents of a run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import hash_text, text_column
from ragdash.core.errors import InputError, Problem
from ragdash.core.ids.id_bytes import contains_any
from ragdash.core.ids.spellings import ALL_SPELLINGS, Wanted, respelled, spelling
from ragdash.core.ranking.rank_order import duplicate_positions, pair_hashes
from ragdash.core.records import Run, Truth
from ragdash.core.records.run import SAID_BY_BUILD

CHUNK_RANKS = "chunks:"  # in front of a way to collapse: chunks keep their ranks
PREFIX, NUMBER = "prefix:", "number:"  # in front of a separator: the id up to it, whatever or only a number follows


def with_ids_of(run: Run, truth: Truth, name: str, wanted_ids: tuple[Wanted, Wanted] | None = None) -> Run:
    """The run with every query and document id in one spelling, that of the truth where the truth has the id.

    What an id becomes depends on the id, the rule and the truth, never on the run: runs that are respelled alike have
    the same id for the same document, judged or not. Judged ids come first, then those that only details of the truth
    name, such as allowed documents, then those of its corpus, else the common form is the id. Ids whose form several
    of them have stay as they are.

    name: trim, nfc, case, zeros, path, or several with commas. Queries that would become one stay as they are and are
    reported; documents that become one in a ranking are repeats of it. Settings and problems list what was done.
    wanted_ids: the truth's queries and documents, to try a spelling on a sample; its corpus is left out then.
    """
    form = spelling(name)
    judged_ids, judged = wanted_ids or (Wanted(truth.query_ids), Wanted(truth.docs))
    known = _known(truth) if wanted_ids is None else ()
    queries, merged = _apart(run.query_ids, respelled(text_column(run.query_ids), judged_ids, form))
    docs = respelled(run.docs, judged, form, *known)
    changed = [pc.sum(pc.not_equal(a, b)).as_py() or 0
               for a, b in ((text_column(queries), text_column(run.query_ids)), (docs, run.docs))]
    problems = [Problem("merged-queries", {"queries": len(merged), "run": run.name, "example": merged[0].as_py()}, None,
                        None, "query_id", "warning")] if len(merged) else []
    problems += _merged_documents(run, docs, name) if wanted_ids is None and changed[1] else []
    problems.append(Problem("respelled-ids", {"queries": changed[0], "all_queries": len(run), "documents": changed[1],
                            "all_documents": len(run.docs), "run": run.name, "how": form.words, "spelling": name}, None,
                            None, "ids", "note"))
    note = {"ids": ",".join(filter(None, [run.settings.get("ids"), name]))}
    if not any(changed):
        return replace(run, settings={**run.settings, **note}, problems=(*run.problems, *problems))
    return rebuilt(run, queries=queries, docs=docs, note=note, problems=problems)


def would_respell(run: Run, truth: Truth, name: str) -> bool:
    """Whether `with_ids_of` would change an id of the run.

    Examples
    --------
    >>> truth = Truth.build("t", ["q"], ["d1"], [1])
    >>> [would_respell(Run.build("r", ["q"], [doc]), truth, "zeros") for doc in ("d1", "d2", "d01", "d02")]
    [False, False, True, True]
    """
    form = spelling(name)
    queries = text_column(run.query_ids)
    if not respelled(queries, Wanted(truth.query_ids), form).equals(queries):
        return True
    docs = text_column(pc.unique(run.docs))
    return not respelled(docs, Wanted(truth.docs), form, *_known(truth)).equals(docs)


def _known(truth: Truth) -> list[Wanted]:
    """Documents of a truth next to the judged: those that its details name, and those of its corpus."""
    columns = [truth.other_docs, *([] if truth.corpus is None else [truth.corpus.doc_ids])]
    return [Wanted(column) for column in columns if len(column)]


def names_in_run(run: Run, truth: Truth, docs: pa.ChunkedArray) -> dict[str, str]:
    """{document of the truth: its name in a run whose ids `with_ids_of` changed, else the same}.

    They differ where the truth itself writes a document in two ways.

    Examples
    --------
    >>> truth = Truth.from_records([{"query_id": "q", "relevant": ["d1"], "allowed": ["D1"]}])
    >>> run = with_ids_of(Run.build("r", ["q"], ["D1"]), truth, "case")
    >>> names_in_run(run, truth, text_column(["d1", "D1"]))
    {'d1': 'd1', 'D1': 'd1'}
    """
    words = str(run.settings.get("ids", "")).split(",")
    names = [form.name for form in ALL_SPELLINGS if form.name in words]
    ids = spelled = text_column(pc.unique(docs))
    if names:
        spelled = respelled(ids, Wanted(truth.docs), spelling(",".join(names)), *_known(truth))
    return dict(zip(ids.to_pylist(), spelled.to_pylist(), strict=True))


def truth_with_queries_of(truth: Truth, other: Truth, name: str) -> Truth:
    """The truth with its query ids as another truth writes them, where they are equal under a spelling.

    Queries that would become one stay as they are; document ids are not changed.

    Examples
    --------
    >>> qrels = Truth.from_dict({"q<::>1": {"d": 1}, "q<::>2": {"d": 1}})
    >>> truth_with_queries_of(qrels, Truth.from_dict({"q::1": {}, "q::3": {}}), "marks").query_ids.to_pylist()
    ['q::1', 'q-2']
    """
    queries, _ = _apart(truth.query_ids, respelled(text_column(truth.query_ids), Wanted(other.query_ids),
                                                   spelling(name)))
    return replace(truth, query_ids=queries)


def _merged_documents(run: Run, docs: pa.ChunkedArray, name: str) -> list[Problem]:
    """Different document ids of a run that are one under a spelling: they may be different documents."""
    pairs = pa.table({"old": run.docs, "new": docs}).group_by("new").aggregate([
        ("old", "count_distinct"), ("old", "min"), ("old", "max")])
    pairs = pairs.filter(pc.greater(pairs["old_count_distinct"], 1)).sort_by("new")
    if not len(pairs):
        return []
    facts = {"documents": pc.sum(pairs["old_count_distinct"]).as_py(), "run": run.name, "spelling": name,
             "first": pairs["old_min"][0].as_py(), "second": pairs["old_max"][0].as_py(),
             "id": pairs["new"][0].as_py()}
    return [Problem("merged-documents", facts, field="doc_id", severity="warning")]


def keeps_chunk_ranks(by: str) -> bool:
    """Whether a way to collapse leaves every chunk its rank, so that the top 10 are 10 chunks."""
    return by.startswith(CHUNK_RANKS)


def collapsed(run: Run, by: str) -> Run:
    """The run on the level of documents: chunks of one document become one, which has the rank of the first chunk.

    by: "source" (the column of that name), "prefix:SEPARATOR" (the document id up to the last separator),
    "number:SEPARATOR" (the same where only a number follows; other ids stay as they are) or "id" (the document id, for
    chunks that share it). The ranks close up: the top 10 are 10 documents. With "chunks:" in front,
    such as "chunks:source", every chunk keeps its rank: the top 10 are 10 chunks, of perhaps 6 documents, and further
    chunks of a document count as documents that are not relevant.
    Raises InputError where the run has no such column.

    Examples
    --------
    >>> run = Run.build("a", ["q"] * 3, ["x_1", "x_2", "y_1"], [3.0, 2.0, 1.0])
    >>> collapsed(run, "prefix:_").ranking("q")["doc_id"].to_pylist()
    ['x', 'y']
    >>> collapsed(run, "chunks:prefix:_").ranking("q")["doc_id"].to_pylist()
    ['x', 'x [chunk 2]', 'y']
    >>> run = Run.build("a", ["q"] * 3, ["p28_001", "p28_000", "table_p0105"], [3.0, 2.0, 1.0])
    >>> collapsed(run, "number:_").ranking("q")["doc_id"].to_pylist()
    ['p28', 'table_p0105']
    """
    way = by.removeprefix(CHUNK_RANKS)
    docs = collapsed_ids(run, way)
    again = _become_repeats(run, docs)
    if way == "id":
        again = run.repeated
    changed = pc.sum(pc.not_equal(docs, run.docs)).as_py() or 0
    facts = {"chunks": len(again), "all_chunks": len(docs), "run": run.name, "collapse": by,
             "without_source": run.sources.null_count if way == "source" and run.sources is not None else 0}
    has_effect = bool(changed) or bool(len(again))
    message = "collapsed-chunks/none" if not has_effect else (
        "collapsed-chunks/ranks" if keeps_chunk_ranks(by) else "collapsed-chunks")
    note = Problem(message, facts, field="collapse", severity="note" if has_effect else "warning")
    if keeps_chunk_ranks(by):
        return rebuilt(run, docs=_numbered_chunks(run, docs, again), note={"collapse": by}, problems=[note])
    keep = np.ones(len(docs), bool)
    keep[run.rows(again)] = False
    return rebuilt(run, docs=docs, keep=keep, note={"collapse": by}, problems=[note])


def has_chunks(run: Run, by: str) -> bool:
    """Whether collapsing the run this way changes anything, as far as its columns show."""
    way = by.removeprefix(CHUNK_RANKS)
    if way == "source" and run.sources is None:
        return True
    docs = collapsed_ids(run, way)
    return bool(len(run.repeated)) or bool(pc.sum(pc.not_equal(docs, run.docs)).as_py())


def collapsed_ids(run: Run, by: str) -> pa.ChunkedArray:
    """The document that each returned chunk belongs to: (N,) in file order."""
    kind, _, separator = by.partition(":")
    if separator and f"{kind}:" in (PREFIX, NUMBER):
        return before(run.docs, separator, only_numbers=f"{kind}:" == NUMBER)
    if by == "source" and run.sources is not None:
        return text_column(pc.coalesce(run.sources, run.docs))
    if by == "id":
        return run.docs
    facts = {"collapse": by, "run": run.name, "has_source": run.sources is not None}
    raise InputError([Problem("unknown-collapse", facts, field="collapse")])


def _numbered_chunks(run: Run, docs: pa.ChunkedArray, again: np.ndarray) -> pa.ChunkedArray:
    """docs, with a name of its own for every further chunk of a document: "x [chunk 2]"; again: their positions."""
    names = docs.to_pylist()
    counts: Counter[tuple[int, str]] = Counter()
    queries = run.query_of(again)
    for query, row in zip(queries.tolist(), run.rows(again).tolist(), strict=True):
        document = names[row]
        counts[query, document] += 1
        names[row] = f"{document} [chunk {counts[query, document] + 1}]"
    return text_column(pa.array(names, pa.string()))


def further_chunks(run: Run) -> dict[str, set[str]]:
    """{document: the names of its further chunks, such as "x [chunk 2]"} in a run whose chunks keep their ranks.

    Examples
    --------
    >>> run = Run.build("a", ["q"] * 3, ["x_1", "x_2", "y_1"], [3.0, 2.0, 1.0])
    >>> further_chunks(collapsed(run, "chunks:prefix:_")), further_chunks(run)
    ({'x': {'x [chunk 2]'}}, {})
    """
    if not keeps_chunk_ranks(str(run.settings.get("collapse", ""))):
        return {}
    chunks: dict[str, set[str]] = {}
    for name in run.docs.unique().to_pylist():
        document, mark, _ = name.rpartition(" [chunk ")
        if mark:
            chunks.setdefault(document, set()).add(name)
    return chunks


def before(ids, separator: str, *, only_numbers: bool = False):
    """Each id up to the last separator; whole where it has none, or nothing before it.

    only_numbers: whole too where anything but digits follows.
    """
    if separator[0].isascii() and not contains_any(ids, separator[0]):
        return ids
    pattern = f"(?s)^(.+){re.escape(separator)}{'[0-9]+' if only_numbers else '.*'}$"
    return pc.replace_substring_regex(ids, pattern, r"\1")


def rebuilt(run: Run, *, queries: pa.StringArray | None = None, docs: pa.ChunkedArray | None = None,
            keep: np.ndarray | None = None, note: Mapping | None = None, problems: list[Problem] | tuple = ()) -> Run:
    """The run with other ids: queries in place of query_ids (no two of them alike), docs (N,) in file order.

    keep (N,) bool: the rows that stay. Scores, the order among ties, texts, sources and details stay with them; note
    joins the settings; what `Run.build` says is said anew.
    """
    queries, docs = run.query_ids if queries is None else queries, run.docs if docs is None else docs
    codes = np.repeat(np.arange(len(run), dtype=np.int32), np.diff(run.starts))
    positions = np.arange(len(codes))
    codes, positions, scores = (_in_file_order(values, run.order) for values in (codes, positions, run.scores))
    rows = np.ones(len(docs), bool) if keep is None else keep
    mask = pa.array(rows)
    columns = [None if column is None else column if rows.all() else column.filter(mask)
               for column in (docs, run.texts, run.sources)]
    details = None if run.details is None else run.details.append_column("query_id", queries)
    other_problems = [problem for problem in run.problems if problem.kind not in SAID_BY_BUILD]
    file = next((problem.file for problem in run.problems if problem.file), None)
    result = Run.build(
        run.name,
        pa.DictionaryArray.from_arrays(pa.array(codes[rows]), queries),
        columns[0],
        None if scores is None else scores[rows],
        positions[rows] if run.ranked_by == "rank" else None,
        texts=columns[1],
        sources=columns[2],
        details=details,
        problems=[*other_problems, *problems],
        file=file,
        settings={**run.settings, **(note or {})},
    )
    file_scores = run.file_scores
    if file_scores is None:
        return result
    return result.with_file_scores(file_scores.with_queries(run.query_ids, queries))


def _apart(old: pa.StringArray, new: pa.ChunkedArray) -> tuple[pa.StringArray, pa.StringArray]:
    """(new query ids, the old ones where two would be alike; those that were kept so)."""
    new = pa.concat_arrays(new.chunks) if new.num_chunks else old
    counts = pc.value_counts(new)
    repeated = pc.is_in(new, value_set=counts.field("values").filter(pc.greater(counts.field("counts"), 1)))
    merged = pc.and_(repeated, pc.not_equal(new, old))
    return pc.if_else(merged, old, new), old.filter(merged)


def _become_repeats(run: Run, docs: pa.ChunkedArray) -> np.ndarray:
    """Positions that repeat a document under the new ids and did not before."""
    codes = np.repeat(np.arange(len(run)), np.diff(run.starts))
    pairs = pair_hashes(hash_text(text_column(run.query_ids), seed=1), _in_file_order(codes, run.order), docs)
    pairs = pairs if run.order is None else pairs[run.order]
    return np.setdiff1d(duplicate_positions(pairs, run.starts, docs, run.order), run.repeated)


def _in_file_order(values: np.ndarray | None, order: np.ndarray | None) -> np.ndarray | None:
    if values is None or order is None:
        return values
    out = np.empty_like(values)
    out[order] = values
    return out
