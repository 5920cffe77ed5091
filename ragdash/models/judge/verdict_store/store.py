"""What judges said, kept in one SQLite file of the user: nothing is paid twice, nothing is invented.

A verdict is kept under Judge.key(question), written after every call and never changed. Failures are separate: they say
why there is no verdict, and are asked again. The texts themselves are not kept, and neither is a key of an endpoint.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, open_private
from ragdash.core.storage.file_lock import free_byte, lock_byte
from ragdash.core.storage.protocols import EventLog
from ragdash.core.storage.sqlite_file import connect, has_content, log_ahead, open_reader
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.question import MISSING, Question, Reply
from ragdash.models.judge.verdict_store.rows import COLUMNS, DAMAGED, DECLARED, object_in, reply_of, row_of

FILE, CLAIMS = "judge.sqlite", ".claims"  # the file, and the ending of the one next to it
VERSION = 1  # of the tables
OURS = 0x5264_4A64  # application_id: RdJd
AT_ONCE = 500  # keys asked for in one statement
SMALLEST = 512  # bytes of a database
NO_FAILURE = ("budget", "cancelled", "stopped")  # of the job, not of the question
VerdictRow: TypeAlias = tuple[Judge, bytes, str, str, int, Reply]
"""Whose verdict, its key, task, version, vote, and the reply."""
_TABLES = f"""
create table judges (id integer primary key, host text, model text, parameters text, used integer,
                     unique (host, model, parameters));
create table verdicts (number integer primary key autoincrement, key blob unique, judge integer, task text,
                       version text, vote integer, {DECLARED});
create table failures (number integer primary key autoincrement, key blob unique, judge integer, task text,
                       version text, vote integer, {DECLARED}, missing text, note text);
create table manners (url text, model text, manner text, unique (url, model));
create index of_task on verdicts (judge, task);
pragma application_id = {OURS};
pragma user_version = {VERSION};
"""
_USAGE = """
select host, judges.model, parameters, sum(kept), sum(1 - kept), sum(prompt), sum(completion), sum(estimated),
       max(vote) + 1, group_concat(distinct task)
from (select judge, 1 as kept, prompt, completion, estimated, vote, task from verdicts
      where substr(task, 1, 6) != 'Place:' union all
      select judge, 0, prompt, completion, estimated, vote, task from failures)
join judges on judge = judges.id group by judges.id order by used desc
"""


@dataclass(frozen=True)
class VerdictStore:
    """The file; a reader of one that is not there finds nothing. Readers open and close it with every call, so that
    threads and processes may share it. InputError where it cannot be read or written.

    hidden: keys that are read as if they were not there, for a plan of asking them again.
    """

    path: Path
    hidden: frozenset[bytes] = field(default=frozenset(), kw_only=True)

    def shared_log(self, name: str) -> EventLog | None:
        """A log of the database that servers share, for what belongs to verdicts; None where they are in a file."""
        return None

    def judges(self) -> list[Judge]:
        """Those who have said something, the one last asked first."""
        with self._open() as db:
            return [] if db is None else [_judge(row) for row in db.execute(
                "select host, model, parameters from judges order by used desc")]

    def find_judge(self, name: str = "") -> Judge | None:
        """The judge of this model, or of "model at host"; "": the one last asked; None where there is none."""
        return next((known_judge for known_judge in self.judges() if known_judge.is_called(name)), None)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Reply]:
        """The verdicts that are there, by key."""
        return {row[0]: reply_of(row[1:]) for row in self._rows("verdicts", ("key", *COLUMNS), self._shown(keys))}

    def failed(self, keys: Sequence[bytes]) -> dict[bytes, Reply]:
        """Why there is no verdict, of keys that were asked in vain."""
        rows = self._rows("failures", ("key", *COLUMNS, "missing", "note"), keys)
        return {key: replace(reply_of(tuple(columns)), missing=reason if reason in MISSING else "not-a-reply",
                             note=note if isinstance(note, str) else "") for key, *columns, reason, note in rows}

    def known_keys(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys that have a verdict."""
        return {row[0] for row in self._rows("verdicts", ("key",), self._shown(keys))}

    def pace(self, judge: Judge, task: str) -> tuple[int, float]:
        """(verdicts of a judge on a task, mean of the tokens written), for the next estimate; (0, NaN) for none."""
        with self._open() as db:
            row = db and db.execute("select count(*), avg(completion) from verdicts join judges on judge = judges.id "
                                    "where host = ? and judges.model = ? and parameters = ? and task = ?",
                                    (judge.host, judge.model, judge.parameters, task)).fetchone()
        return (row[0], float(row[1])) if row and row[0] else (0, float("nan"))

    def versions(self, judge: Judge) -> list[tuple[str, int, str]]:
        """(model as the endpoint called it, verdicts, time of the last) of a judge's verdicts, the newest version last.
        """
        with self._open() as db:
            return [] if db is None else db.execute(
                "select verdicts.model, count(*), max(at) from verdicts join judges on judge = judges.id where "
                "host = ? and judges.model = ? and parameters = ? and substr(task, 1, 6) != 'Place:' "
                "and typeof(verdicts.model) = 'text' and typeof(at) = 'text' "
                "group by verdicts.model order by max(at), verdicts.model",
                (judge.host, judge.model, judge.parameters)).fetchall()

    def learned_mode(self, url: str, model: str) -> dict:
        """What was learned of how an endpoint wants to be asked, {} where nothing was."""
        with self._open() as db:
            row = db and db.execute("select manner from manners where url = ? and model = ?", (url, model)).fetchone()
        return (object_in(row[0]) or {}) if row else {}

    def stamp(self) -> str:
        """Changes whenever a verdict or failure was added or another judge was asked."""
        with self._open() as db:
            return "" if db is None else "-".join(
                str(db.execute(f"select ifnull(max({column}), 0) from {table}").fetchone()[0])
                for table, column in (("judges", "used"), ("verdicts", "number"), ("failures", "number")))

    @contextmanager
    def writing(self) -> Iterator[VerdictWriter]:
        """A writer that keeps the file open; threads may share it."""
        with self._guarded():
            make_private_folder(self.path.parent)
            with closing(connect(self.path, any_thread=True)) as db, ExitStack() as opened:
                _make(db, self.path)
                yield VerdictWriter(db, self.path, opened)

    def save(self, judge: Judge, rows: Iterable[tuple[Question, Reply]], replaced: Iterable[bytes] = ()) -> None:
        """Keep replies, verdicts and failures each in their table. replaced: keys of verdicts to delete first."""
        with self.writing() as writer:
            writer.save(judge, rows, replaced)

    def all_verdicts(self) -> list[VerdictRow]:
        """All verdicts in the order they came; InputError where one is damaged."""
        with self._open() as db:
            return [] if db is None else [_verdict_row(row) for row in db.execute(
                f"select host, judges.model, parameters, key, task, version, vote, "
                f"{', '.join(f'verdicts.{name}' for name in COLUMNS)} from verdicts join judges on judge = judges.id "
                "order by number")]

    def import_rows(self, rows: Iterable[VerdictRow]) -> int:
        """Take verdicts over, all or none; those that are there stay. Returns how many were new."""
        with self.writing() as writer:
            return writer.add(rows)

    def usage_rows(self) -> list[tuple]:
        """Sums of every judge, as `ragdash.models.judge.verdict_store.usage` reads them."""
        with self._open() as db:
            return [] if db is None else db.execute(_USAGE).fetchall()

    def use(self, judge: Judge) -> None:
        """Put a judge first: it is the one last asked."""
        with self.writing() as writer:
            writer.use(judge)

    def _shown(self, keys: Sequence[bytes]) -> Sequence[bytes]:
        return [key for key in keys if key not in self.hidden] if self.hidden else keys

    def _rows(self, table: str, columns: Sequence[str], keys: Sequence[bytes]) -> list[tuple]:
        rows: list[tuple] = []
        with self._open() as db:
            for start in range(0, len(keys) if db is not None else 0, AT_ONCE):
                some = keys[start:start + AT_ONCE]
                rows += db.execute(f"select {', '.join(columns)} from {table} where key in "
                                    f"({','.join('?' * len(some))})", some)
        return rows

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """A reader's connection; None where there is no file, or one that another process is just making."""
        with self._guarded():
            if not has_content(self.path):
                yield None
                return
            with closing(open_reader(self.path)) as db:
                yield db if _is_ours(db, self.path) else None

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise _unusable(self.path, error) from None


class VerdictWriter:
    """Puts replies into the verdict store, each on the disk when the call returns.

    opened: closes the file of claims with the database. One byte of it is locked for each question that is just asked.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, opened: ExitStack):
        self._db, self._path, self._lock, self._ids, self._opened = db, path, threading.Lock(), {}, opened
        self._claimed: BinaryIO | None = None

    def use(self, judge: Judge, *, trial: bool = False) -> None:
        """Put a judge first: it is the one last asked. trial: leave the order as it is, a new judge comes last, so that
        one call does not take the place of all verdicts of another judge.
        """
        with self._transaction() as db:
            where = "where host = ? and model = ? and parameters = ?"
            key = (judge.host, judge.model, judge.parameters)
            db.execute("insert or ignore into judges (host, model, parameters, used) "
                       "values (?, ?, ?, (select ifnull(min(used), 1) - 1 from judges))", key)
            if not trial:
                db.execute(f"update judges set used = (select ifnull(max(used), 0) + 1 from judges) {where}", key)
            self._ids[judge] = db.execute(f"select id from judges {where}", key).fetchone()[0]

    def save(self, judge: Judge, rows: Iterable[tuple[Question, Reply]], replaced: Iterable[bytes] = ()) -> None:
        """Keep replies; a verdict that is there already stays, except those with the replaced keys. What was not asked
        is no failure and is not kept.
        """
        if judge not in self._ids:
            self.use(judge)
        rows = list(rows)
        with self._transaction() as db:
            db.executemany("delete from verdicts where key = ?", [(key,) for key in replaced])
            for question, reply in rows:
                key = judge.key(question)
                values = (key, self._ids[judge], question.task, question.prompt_version, question.vote, *row_of(reply))
                if reply.missing is None:
                    _insert(db, "ignore", "verdicts", values)
                    db.execute("delete from failures where key = ?", (key,))
                elif reply.attempts and reply.missing not in NO_FAILURE:
                    _insert(db, "replace", "failures", (*values, reply.missing, reply.note), ", missing, note")
        for question, _ in rows:
            self.release(judge.key(question))

    def add(self, rows: Iterable[VerdictRow]) -> int:
        """Take verdicts over from elsewhere, all or none; how many were new."""
        rows = list(rows)
        for judge in dict.fromkeys(row[0] for row in rows):
            self.use(judge)
        with self._transaction() as db:
            return sum(_insert(db, "ignore", "verdicts", (key, self._ids[judge], *of, *row_of(reply)))
                       for judge, key, *of, reply in rows)

    def claim(self, key: bytes) -> bool:
        """Whether this process may ask a question now: no other one is just asking it. `save` ends the claim."""
        with self._lock:
            try:
                if self._claimed is None:
                    self._claimed = self._opened.enter_context(open_private(self._path.with_suffix(CLAIMS), "ab"))
            except OSError as error:
                raise _unusable(self._path.with_suffix(CLAIMS), error) from None
        return lock_byte(self._claimed.fileno(), _position(key))

    def release(self, key: bytes) -> None:
        """End a claim without a reply."""
        if self._claimed is not None:
            free_byte(self._claimed.fileno(), _position(key))

    @property
    def lost_calls(self) -> int:
        """Claims taken over from processes that ended in the middle of a call, which may have been paid."""
        return 0

    def find_verdict(self, key: bytes) -> Reply | None:
        """A verdict that is there by now."""
        with self._lock:
            try:
                row = self._db.execute(f"select {', '.join(COLUMNS)} from verdicts where key = ?", (key,)).fetchone()
            except sqlite3.Error as error:
                raise _unusable(self._path, error) from None
        return reply_of(row) if row else None

    def save_mode(self, url: str, model: str, manner: dict) -> None:
        """Remember how an endpoint wants to be asked."""
        with self._transaction() as db:
            db.execute("insert or replace into manners values (?, ?, ?)", (url, model, orjson.dumps(manner).decode()))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._db.execute("begin immediate")
                yield self._db
                self._db.execute("commit")
            except sqlite3.Error as error:
                raise _unusable(self._path, error) from None
            finally:
                if self._db.in_transaction:  # it failed, whatever the error is
                    self._db.execute("rollback")


def _position(key: bytes) -> int:
    """The byte of the file of claims that is locked for a question: any beyond its end may be."""
    return int.from_bytes(key[:6], "big")


def _insert(db: sqlite3.Connection, otherwise: str, table: str, values: tuple, more: str = "") -> int:
    """Put a row in; 1 where it is new, else 0."""
    names = f"key, judge, task, version, vote, {', '.join(COLUMNS)}{more}"
    return db.execute(f"insert or {otherwise} into {table} ({names}) values ({', '.join('?' * len(values))})",
                      values).rowcount


def _make(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables where they are not there; several processes may try at once."""
    db.execute("pragma synchronous = full")
    if _is_ours(db, path):
        return
    log_ahead(db)
    db.execute("begin immediate")
    if not _is_ours(db, path):
        for statement in _TABLES.strip().rstrip(";").split(";"):
            db.execute(statement)
    db.execute("commit")


def _is_ours(db: sqlite3.Connection, path: Path) -> bool:
    """Whether our tables are there; False for a file with nothing in it. Raises for anything else."""
    if path.stat().st_size in range(1, SMALLEST):  # SQLite would take it for empty and write over it
        raise sqlite3.DatabaseError("file is not a database")
    kind, version, tables = db.execute(  # in one statement: another process may be making them
        "select (select application_id from pragma_application_id), (select user_version from pragma_user_version), "
        "(select count(*) from sqlite_master)").fetchone()
    if kind == OURS and version > VERSION:
        raise InputError([Problem("newer-ledger", {"version": version, "newest": VERSION}, str(path))])
    if kind != OURS and tables:
        raise sqlite3.DatabaseError("a database of something else")
    return kind == OURS


def _judge(row: Sequence[Any]) -> Judge:
    host, model, parameters = row
    if not isinstance(host, str) or not isinstance(model, str) or object_in(parameters) is None:
        raise sqlite3.DatabaseError("a judge whose host, model or parameters are damaged")
    return Judge(host, model, parameters)


def _verdict_row(row: Sequence[Any]) -> VerdictRow:
    judge, of, reply = _judge(row[:3]), row[3:7], reply_of(tuple(row[7:]))
    if reply is DAMAGED or reply.value is None or not all(map(isinstance, of, (bytes, str, str, int))):
        raise sqlite3.DatabaseError("a verdict with a damaged cell")
    return judge, *of, reply


def _unusable(path: Path, error: Exception) -> InputError:
    return InputError([Problem("unusable-ledger", {"reason": str(error)}, str(path))])


@dataclass(frozen=True)
class JudgeUsage:
    """verdicts: kept; failures: questions without one; tokens read (prompt) and written (completion) for both,
    estimated: of how many of them the endpoint did not report; votes: most of one
    question; tasks: asked.
    """

    judge: Judge
    verdicts: int
    failures: int
    prompt: int
    completion: int
    estimated: int
    votes: int
    tasks: frozenset[str]


def usage_by_judge(verdict_store: VerdictStore) -> list[JudgeUsage]:
    """Of every judge that has said something, the one last asked first. InputError as all readers of the store."""
    return [JudgeUsage(Judge(*row[:3]), *(int(number or 0) for number in row[3:9]),
                  frozenset((row[9] or "").split(",")) - {""}) for row in verdict_store.usage_rows()]
