"""The documents that could be returned, with their texts: ids, titles and texts as columns.

Nothing is joined when a corpus is read; the few texts that are wanted are looked up by id when they are asked for.
Letters: D documents of the corpus, N ids that are looked up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import hash_text, in_blocks, take, text_column
from ragdash.core.errors import InputError, Problem

SHOWN = 20  # documents with two versions


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents by id. Make one with `Corpus.build` or `ragdash.io.read_corpus`; `truth.corpus` is where it belongs.

    doc_ids (D,): every document once; texts, titles (D,): null where one has none; None where no document has one.

    Examples
    --------
    >>> corpus = Corpus.build("docs", ["d1", "d2"], texts=["A cat.", "A dog."])
    >>> len(corpus)
    2
    """

    name: str
    doc_ids: pa.ChunkedArray
    texts: pa.ChunkedArray | None = None
    titles: pa.ChunkedArray | None = None
    problems: tuple[Problem, ...] = ()

    @classmethod
    def build(cls, name: str, doc_ids, texts=None, titles=None, *, problems: Iterable[Problem] = (),
              file: str | None = None, lines=None) -> Corpus:
        """Build a corpus from columns in file order: lists or Arrow arrays of text; lines (D,): line of each document.

        Raises InputError where a document has no id, where columns differ in length, and where an id occurs twice
        with different texts or titles; equal repetitions become one.
        """
        ids = text_column(doc_ids)
        columns = [None if column is None else text_column(column) for column in (texts, titles)]
        columns = [None if column is None or column.null_count == len(column) else column for column in columns]
        if any(column is not None and len(column) != len(ids) for column in columns):
            raise InputError([Problem("unfit-columns/corpus", {"ids": len(ids)}, file)])
        if ids.null_count:
            raise InputError([Problem("missing-id/documents", {"count": ids.null_count}, file, field="doc_id")])
        first_rows = _once(ids, columns, file, lines)
        if first_rows is not None:
            ids, *columns = (
                None if column is None else pa.chunked_array([take(column, first_rows)]) for column in (ids, *columns)
            )
        return cls(name, ids, *columns, tuple(problems))

    def __len__(self) -> int:
        return len(self.doc_ids)

    def __repr__(self) -> str:
        return f"<Corpus {self.name!r}: {len(self):,} documents>"

    @property
    def nbytes(self) -> int:
        """Bytes of its columns."""
        return sum(column.nbytes for column in (self.doc_ids, self.texts, self.titles) if column is not None)

    def rows(self, ids) -> np.ndarray:
        """The row of each id, -1 for one that the corpus lacks: (N,) int64. The corpus is passed through once."""
        wanted_ids, codes = _coded(ids)
        positions = pc.index_in(self.doc_ids, value_set=wanted_ids)
        known_rows = np.flatnonzero(positions.is_valid().to_numpy())
        row_of = np.full(len(wanted_ids), -1)
        row_of[take(positions, known_rows).to_numpy()] = known_rows
        return row_of[codes]

    def has(self, ids) -> np.ndarray:
        """Whether the corpus holds each id: (N,) bool."""
        return self.rows(ids) >= 0

    def texts_of(self, ids) -> pa.StringArray:
        """The text of each id (N,), null where it has none or is not here."""
        return self._column(self.texts, self.rows(ids))

    def documents(self, ids) -> pa.Table:
        """doc_id, title and text of each id (N,), null where there is none."""
        rows = self.rows(ids)
        return pa.table({"doc_id": text_column(ids), "title": self._column(self.titles, rows),
                         "text": self._column(self.texts, rows)})

    def filled(self, texts: pa.Array, ids: pa.Array) -> tuple[pa.Array, int]:
        """(texts (N,), null where there is none still, of which the corpus gave how many): null ones by their ids."""
        lacking = np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))
        if not len(lacking) or self.texts is None:
            return texts, 0
        corpus_texts = self.texts_of(ids.take(pa.array(lacking)))
        positions = np.full(len(ids), -1)
        positions[lacking] = np.arange(len(lacking))
        return pc.coalesce(texts, corpus_texts.take(pa.array(positions, mask=positions < 0))), len(
            corpus_texts
        ) - corpus_texts.null_count

    def note(self, count: int, run: str) -> Problem:
        """A note that this number of documents of a run have their texts from here."""
        return Problem("texts-from-corpus", {"documents": count, "run": run, "corpus": self.name}, field="text",
                       severity="note")

    @cached_property
    def digest(self) -> str:
        """128 bits of the content: ids, texts and titles; not of the name, the file or the order of the documents."""
        return "".join(f"{int(lane):016x}" for lane in self.lanes)

    @cached_property
    def lanes(self) -> np.ndarray:
        """What the digest is made of: (2,) uint64. Documents are in the order of the hashes of their ids."""
        order = np.argsort(hash_text(self.doc_ids))

        def work(start: int, stop: int) -> bytes:
            digest = hashlib.blake2b(digest_size=16)
            for column in (self.doc_ids, self.texts, self.titles):
                for column_bytes in () if column is None else _raw(take(column, order[start:stop])):
                    digest.update(column_bytes)
                digest.update(b"|")
            return digest.digest()

        whole = hashlib.blake2b(b"".join(in_blocks(work, len(self))), digest_size=16)
        return np.frombuffer(whole.digest(), np.uint64)

    @staticmethod
    def _column(column: pa.ChunkedArray | None, rows: np.ndarray) -> pa.StringArray:
        """The values at these rows, null at -1."""
        known_rows = np.flatnonzero(rows >= 0)
        if column is None or not len(known_rows):
            return pa.nulls(len(rows), pa.string())
        positions = np.full(len(rows), -1)
        positions[known_rows] = np.arange(len(known_rows))
        return take(column, rows[known_rows]).take(pa.array(positions, mask=positions < 0))


def _coded(ids) -> tuple[pa.StringArray, np.ndarray]:
    """(distinct ids, (N,) codes)."""
    column = text_column(ids)
    encoded = pa.concat_arrays([pa.array([], pa.string()), *column.chunks]).dictionary_encode()
    return encoded.dictionary, pc.fill_null(encoded.indices, -1).to_numpy().astype(np.int64)


def _raw(texts: pa.StringArray) -> tuple[memoryview | bytes, ...]:
    """The lengths of texts (-1 for none) and their characters one behind the other, as bytes."""
    lengths = pc.fill_null(pc.binary_length(texts), -1).to_numpy()
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset:texts.offset + len(texts) + 1]
    data = texts.buffers()[2]
    return lengths.tobytes(), memoryview(data)[offsets[0]:offsets[-1]] if data is not None else b""


def _once(ids: pa.ChunkedArray, columns: list, file: str | None, lines) -> np.ndarray | None:
    """Return the first row of each id, None if no id repeats; InputError if two documents of one id differ."""
    if pc.count_distinct(ids).as_py() == len(ids):
        return None
    hashes = hash_text(ids)
    order = np.argsort(hashes, kind="stable")
    equal = np.flatnonzero(hashes[order][1:] == hashes[order][:-1])
    book: dict[str, int] = {}
    repeats, problems = [], []
    rows = np.unique(np.concatenate([order[equal], order[equal + 1]]))
    for row, doc in zip(rows.tolist(), take(ids, rows).to_pylist(), strict=True):
        first = book.setdefault(doc, row)
        if first == row:
            continue
        repeats.append(row)
        if any(column is not None and column[first] != column[row] for column in columns) and len(problems) < SHOWN:
            line_numbers = [int(lines[first]), int(lines[row])] if lines is not None else []
            problems.append(Problem("duplicate-document/corpus", {"document": doc, "lines": line_numbers}, file,
                                    line_numbers[1] if line_numbers else None, "doc_id"))
    if problems:
        raise InputError(problems)
    return np.setdiff1d(np.arange(len(ids)), np.array(repeats, np.int64))
