"""What models said, in PostgreSQL: what one server or worker has computed, no other computes again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.texts import escape, key_hash, unescape
from ragdash.models.local.score_cache import Model, ScoreCache, stored_values

LOG = "scores"  # the name of its counter
AT_ONCE = 5_000  # keys asked for in one statement
_COLUMNS = "models.id, models.kind, name, weights, max_length, activation, rate"
_MODELS = text(f"select {_COLUMNS} from ragdash.models join ragdash.model_names on model_names.project = "
               "models.project and model = models.id where models.project = :project and models.kind = :kind "
               "order by used desc")
_BUMP = text("insert into ragdash.counters (project, log, count) values (:project, :log, 1) on conflict "
             "(project, log) do update set count = ragdash.counters.count + 1 returning count")
_MAKE = text("insert into ragdash.models (project, id, kind, weights, max_length, activation) values "
             "(:project, :number, :kind, :weights, :max_length, :activation) "
             "on conflict (project, kind, weights, max_length) do nothing")
_FIND = text("select id from ragdash.models where project = :project and kind = :kind and weights = :weights and "
             "max_length = coalesce(cast(:max_length as integer), max_length) order by id desc limit 1")
_NAME = text("insert into ragdash.model_names (project, id, kind, name, model, used) values (:project, :id, :kind, "
             ":name, :model, :number) on conflict (project, id) do update set used = excluded.used")
_RATE = text("update ragdash.models set rate = :rate where project = :project and id = :model")
_KEEP = {table: text(f"insert into ragdash.{table} (project, model, key, cut, value) select :project, :model, * from "
                     f"unnest(cast(:keys as bytea[]), cast(:cut as integer[]), cast(:values as {kind}[])) "
                     "on conflict (project, model, key) do nothing")
         for table, kind in (("vectors", "bytea"), ("scores", "float8"))}


@dataclass(frozen=True)
class SharedScoreCache(ScoreCache):
    """The vectors and scores of a project in a database. `path` is the cache of this server alone, which is not read.
    """

    database: Database
    project: str

    def models(self, kind: str) -> list[Model]:
        """The models of a kind, the one last used first; under each of their names."""
        rows = self.database.read(lambda connection: connection.execute(
            _MODELS, {"project": self.project, "kind": kind}).all())
        return [Model(id, kind, unescape(name), weights, *others) for id, kind, name, weights, *others in rows]

    def use(self, kind: str, name: str, weights: str, max_length: int | None = None, activation: str = "") -> \
            Model | None:
        """The model of these weights, put first under this name; made where max_length says how; None otherwise."""
        row = {"project": self.project, "kind": kind, "weights": weights, "max_length": max_length,
               "activation": activation, "name": escape(name)}

        def work(connection: Connection, number: int) -> int | None:
            if max_length is not None:
                connection.execute(_MAKE, {**row, "number": number})
            id = connection.scalar(_FIND, row)
            if id is not None:
                key = key_hash(kind, name, str(id))
                connection.execute(_NAME, {**row, "id": key, "model": id, "number": number})
            return id

        id = self._write(work)
        return None if id is None else next(model for model in self.models(kind) if model.id == id)

    def save_rate(self, model: Model, rate: float) -> None:
        """Remember how fast a model is, for the next estimate."""
        row = {"project": self.project, "model": model.id, "rate": rate}
        self.database.write(lambda connection: connection.execute(_RATE, row))

    def save(self, table: str, model: Model, keys: Sequence[bytes], cut: np.ndarray, values: np.ndarray) -> None:
        """Keep vectors (N, V), made one long, or scores (N,); what is kept already stays."""
        row = {"project": self.project, "model": model.id, "keys": list(keys), "cut": list(map(int, cut)),
               "values": stored_values(table, values)}
        self._write(lambda connection, _: connection.execute(_KEEP[table], row))

    def stamp(self) -> str:
        """Changes whenever something was added or another model was used: part of the key of whatever keeps values."""
        count = self.database.counter(self.project, LOG)
        return f"{self.project}-{count}" if count else ""

    def _rows(self, table: str, columns: str, model: Model, keys: Sequence[bytes]) -> list[tuple]:
        statement = text(f"select {columns} from ragdash.{table} where project = :project and model = :model "
                         "and key = any(:keys)")
        rows: list[tuple] = []
        for start in range(0, len(keys), AT_ONCE):
            which = {"project": self.project, "model": model.id, "keys": list(keys[start:start + AT_ONCE])}
            rows += map(tuple, self.database.read(
                lambda connection, which=which: connection.execute(statement, which).all()))
        return rows

    def _write(self, work: Callable[[Connection, int], Any]) -> Any:
        """Do work(connection, number of this change) in a transaction; it may be done twice without harm."""
        counter = {"project": self.project, "log": LOG}
        return self.database.write(lambda connection: work(connection, connection.scalar(_BUMP, counter)))
