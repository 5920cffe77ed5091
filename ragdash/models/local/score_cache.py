"""What models said, kept on disk: vectors of texts and scores of pairs in one SQLite file of the user, or in the
database that servers share.

A vector is kept under the model's weights, its greatest length and the text (scores under both texts, in order), so it
is computed once, whatever the model's folder is called; the model's names lead to it. Texts themselves are not kept,
only 128 bits of their BLAKE2 hash. Vectors are float16 of length 1: a cosine is off by 6e-5 at most.

Letters: N texts or pairs, V numbers of a vector.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.sqlite_file import transaction

FILE = "semantic-1.sqlite"  # the number grows with the tables
AT_ONCE = 500  # keys asked for in one statement
STORED = np.dtype("<f2")
_TABLES = """
create table if not exists models (id integer primary key, kind text, weights text, max_length integer,
                                   activation text, rate real, unique (kind, weights, max_length));
create table if not exists names (kind text, name text, model integer, used integer, unique (kind, name, model));
create table if not exists vectors (model integer, key blob, cut integer, value blob, unique (model, key));
create table if not exists scores (model integer, key blob, cut integer, value real, unique (model, key));
"""


def text_key(text: str) -> bytes:
    """128 bits of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def pair_key(pair: tuple[str, str]) -> bytes:
    """128 bits of two texts in their order."""
    return hashlib.blake2b(text_key(pair[0]) + text_key(pair[1]), digest_size=16).digest()


@dataclass(frozen=True)
class Model:
    """A model that has said something. name: what it was last called; activation: "" for an encoder; max_length:
    word pieces it reads, 0: all; rate: word pieces a second when it was last at work, None where not known.
    """

    id: int
    kind: str
    name: str
    weights: str
    max_length: int
    activation: str
    rate: float | None

    def __str__(self) -> str:
        activation = f", {self.activation}" if self.activation else ""
        return f"{self.name} ({self.weights[:8]}, {self.max_length or 'all'} word pieces{activation})"


@dataclass(frozen=True)
class ScoreCache:
    """The file; a reader of one that is not there finds nothing. Every call opens and closes it, so that threads and
    processes may share it. InputError where it is not to be read or written.
    """

    path: Path

    def models(self, kind: str) -> list[Model]:
        """The models of a kind, the one last used first; under each of their names."""
        with self._open() as db:
            return [] if db is None else [Model(*row) for row in db.execute(
                "select id, models.kind, name, weights, max_length, activation, rate from models join names "
                "on model = id where models.kind = ? order by used desc", (kind,))]

    def find_model(self, kind: str, name: str = "") -> Model | None:
        """The model of this name, or whose weights' hash begins so (6 characters or more); "": the one last used."""
        models = self.models(kind)
        wanted = [model for model in models if not name or model.name == name]
        wanted += [model for model in models if len(name) >= 6 and model.weights.startswith(name)]
        return wanted[0] if wanted else None

    def use(self, kind: str, name: str, weights: str, max_length: int | None = None, activation: str = "") -> \
            Model | None:
        """The model of these weights, put first under this name; made where max_length says how; None otherwise."""
        with self._open(write=True) as db:
            if max_length is not None:
                db.execute("insert or ignore into models (kind, weights, max_length, activation) values (?, ?, ?, ?)",
                           (kind, weights, max_length, activation))
            row = db.execute("select id from models where kind = ? and weights = ? and max_length = ifnull(?, "
                             "max_length) order by id desc", (kind, weights, max_length)).fetchone()
            if row is None:
                return None
            db.execute("insert or replace into names values (?, ?, ?, (select ifnull(max(used), 0) + 1 from names))",
                       (kind, name, row[0]))
        return next(model for model in self.models(kind) if model.id == row[0])

    def save_rate(self, model: Model, rate: float) -> None:
        """Remember how fast a model is here, for the next estimate."""
        with self._open(write=True) as db:
            db.execute("update models set rate = ? where id = ?", (rate, model.id))

    def known_keys(self, table: str, model: Model, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys that table "vectors" or "scores" holds for the model."""
        return {bytes(row[0]) for row in self._rows(table, "key", model, keys)}

    def save(self, table: str, model: Model, keys: Sequence[bytes], cut: np.ndarray, values: np.ndarray) -> None:
        """Keep vectors (N, V), made one long, or scores (N,); what is kept already stays."""
        rows = zip([model.id] * len(keys), keys, map(int, cut), stored_values(table, values), strict=True)
        with self._open(write=True) as db:
            db.executemany(f"insert or ignore into {table} values (?, ?, ?, ?)", rows)

    def vectors(self, model: Model, keys: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(vectors (N, V) float16, whether there is one (N,), whether its text was cut (N,)) of distinct keys."""
        rows = {bytes(row[0]): row[1:] for row in self._rows("vectors", "key, cut, value", model, keys)}
        size = max((len(value) for _, value in rows.values()), default=0) // STORED.itemsize
        values, known, cut = np.zeros((len(keys), size), STORED), np.zeros(len(keys), bool), np.zeros(len(keys), bool)
        for i, key in enumerate(keys):
            if key in rows:
                known[i], cut[i], values[i] = True, rows[key][0], np.frombuffer(rows[key][1], STORED)
        return values, known, cut

    def scores(self, model: Model, keys: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(scores (N,) float64, whether there is one (N,), whether its texts were cut (N,))."""
        rows = {bytes(row[0]): row[1:] for row in self._rows("scores", "key, cut, value", model, keys)}
        known = np.array([key in rows for key in keys], bool)
        cut = np.array([bool(rows.get(key, (0, 0))[0]) for key in keys], bool)
        values = [rows.get(key, (0, None))[1] for key in keys]
        return np.array([np.nan if value is None else value for value in values], np.float64), known, cut

    def stamp(self) -> str:
        """Changes whenever something was added or another model was used: part of the key of whatever keeps values."""
        with self._open() as db:
            return "" if db is None else "-".join(str(db.execute(f"select ifnull(max({column}), 0) from {table}")
                                                      .fetchone()[0]) for table, column in (
                ("names", "used"), ("vectors", "rowid"), ("scores", "rowid")))

    def _rows(self, table: str, columns: str, model: Model, keys: Sequence[bytes]) -> list[tuple]:
        rows: list[tuple] = []
        with self._open() as db:
            for start in range(0, len(keys) if db is not None else 0, AT_ONCE):
                some = keys[start:start + AT_ONCE]
                rows += db.execute(f"select {columns} from {table} where model = ? and key in "
                                    f"({','.join('?' * len(some))})", (model.id, *some))
        return rows

    @contextmanager
    def _open(self, write: bool = False) -> Iterator[sqlite3.Connection | None]:
        """A connection whose changes are kept at the end; None for a reader where there is no file."""
        try:
            with transaction(self.path, write=write, prepare=lambda db: db.executescript(_TABLES)) as db:
                yield db
        except (OSError, sqlite3.Error) as error:
            raise InputError([Problem("unusable-cache", {"reason": str(error)}, str(self.path))]) from None


def stored_values(table: str, values: np.ndarray) -> list[bytes] | list[float | None]:
    """Vectors (N, V), made one long, or scores (N,) as they are stored, one for each row of the table."""
    if table == "vectors":
        return [row.tobytes() for row in unit(values).astype(STORED)]
    return [None if np.isnan(value) else value for value in values.tolist()]


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors (N, V) made one long, float32; those without a direction are NaN."""
    vectors = np.asarray(vectors, np.float32)
    vectors = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, np.float32(np.nan))
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.full_like(vectors, np.nan), where=length > 0)
