"""The tables of a shared workspace, as numbered migrations. `upgrade` runs them; a server that starts only looks."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, text

from ragdash.core.errors import InputError, Problem

LOCK = 0x7261_6764_6173_68  # of one upgrade at a time
_VERDICT_COLUMNS = ("judge bytea not null, task text not null, version text not null, vote integer not null, "
                    "value text, raw text, prompt bigint, completion bigint, estimated integer, model text, "
                    "latency double precision, attempts integer, at text, mode text, sent text")
MIGRATIONS: Sequence[Sequence[str]] = (
    (
        # The row of a counter is locked by whoever adds to its log: numbers follow the order of commits.
        "create table ragdash.counters (project text not null, log text not null, count bigint not null default 0, "
        "primary key (project, log))",
        "create table ragdash.events (project text not null, log text not null, number bigint not null, "
        "key bytea not null, id bytea not null, body text not null, added timestamptz not null default now(), "
        "primary key (project, log, number), unique (project, log, id))",
        "create index events_of_key on ragdash.events (project, log, key, number)",
        "create function ragdash.refuse() returns trigger language plpgsql as "
        "$$ begin raise exception 'events are never changed or deleted'; end $$",
        "create trigger no_change before update or delete on ragdash.events "
        "for each row execute function ragdash.refuse()",
        "create table ragdash.things (project text not null, kind text not null, digest text collate \"C\" not null, "
        "name text not null, description text not null default '', tags text not null default '[]', "
        "position bigint not null, archived boolean not null default false, deleted timestamptz, "
        "broken text not null default '', facts text not null, upload text not null, "
        "primary key (project, digest, kind))",
        "create index things_in_order on ragdash.things (project, position)",
        "create table ragdash.mappings (project text not null, id bytea not null, shape bytea not null, "
        "columns text not null, name text not null, mapping text not null, used bigint not null, "
        "primary key (project, id))",
        "create table ragdash.kept (project text not null, id bytea not null, key text not null, value text not null, "
        "number bigint not null, primary key (project, id))",
        # Every upload has a name of its own, so that cleaning up never meets a file that is about to be listed.
        "create table ragdash.uploads (project text not null, id text not null, names text not null, "
        "started timestamptz not null default now(), primary key (project, id))",
        "create table ragdash.blobs (project text not null, name text collate \"C\" not null, piece integer not null, "
        "content bytea not null, primary key (project, name, piece))",
        "create table ragdash.judges (project text not null, id bytea not null, host text not null, "
        "model text not null, parameters text not null, used bigint not null, primary key (project, id))",
        f"create table ragdash.verdicts (project text not null, key bytea not null, number bigint not null, "
        f"{_VERDICT_COLUMNS}, primary key (project, key))",
        "create index verdicts_in_order on ragdash.verdicts (project, number)",
        "create index verdicts_of_task on ragdash.verdicts (project, judge, task)",
        f"create table ragdash.failures (project text not null, key bytea not null, number bigint not null, "
        f"{_VERDICT_COLUMNS}, missing text, note text, primary key (project, key))",
        "create table ragdash.modes (project text not null, id bytea not null, mode text not null, "
        "primary key (project, id))",
    ),
    (
        "create table ragdash.jobs (project text not null, id text not null, kind text not null, key bytea not null, "
        "body text not null, state text not null default 'waiting', upload text not null default '', "
        "owner text not null default '', until timestamptz, cancel integer not null default 0, "
        "attempts integer not null default 0, lost integer not null default 0, progress text not null default '{}', "
        "result text not null default '{}', made timestamptz not null default now(), ended timestamptz, "
        "primary key (project, id))",
        "create unique index jobs_once on ragdash.jobs (project, kind, key) where state in ('waiting', 'running')",
        "create index jobs_in_order on ragdash.jobs (project, kind, made)",
        "create table ragdash.workers (project text not null, id text not null, place text not null, "
        "seen timestamptz not null default now(), primary key (project, id))",
        # A claim is made before a call and deleted in the transaction that keeps its reply.
        "create table ragdash.claims (project text not null, key bytea not null, owner text not null, "
        "until timestamptz not null, taken integer not null default 0, primary key (project, key))",
        "create index claims_of_owner on ragdash.claims (project, owner)",
        "create table ragdash.budgets (project text not null, id text not null, calls bigint not null default 0, "
        "cost double precision not null default 0, max_calls bigint, max_cost double precision, "
        "primary key (project, id))",
        "create table ragdash.reservations (project text not null, budget text not null, id text not null, "
        "cost double precision not null, primary key (project, budget, id))",
    ),
    (
        # Only `EventLog.erase` changes events: for the data of a person, or old entries of the audit log.
        "create or replace function ragdash.refuse() returns trigger language plpgsql as "
        "$$ begin if current_setting('ragdash.erasing', true) = 'on' then "
        "if tg_op = 'DELETE' then return old; end if; return new; end if; "
        "raise exception 'events are never changed or deleted'; end $$",
    ),
    (
        # What local models computed. Texts are not stored, only hashes of them.
        "create table ragdash.models (project text not null, id bigint not null, kind text not null, "
        "weights text not null, max_length integer not null, activation text not null, rate double precision, "
        "primary key (project, id), unique (project, kind, weights, max_length))",
        "create table ragdash.model_names (project text not null, id bytea not null, kind text not null, "
        "name text not null, model bigint not null, used bigint not null, primary key (project, id))",
        "create table ragdash.vectors (project text not null, model bigint not null, key bytea not null, "
        "cut integer not null, value bytea not null, primary key (project, model, key))",
        "create table ragdash.scores (project text not null, model bigint not null, key bytea not null, "
        "cut integer not null, value double precision, primary key (project, model, key))",
    ),
    (
        "create table ragdash.files (project text not null, kind text not null, name text not null, "
        "content bytea not null, changed timestamptz not null default now(), primary key (project, kind, name))",
    ),
)
NEWEST = len(MIGRATIONS)


def version_of(connection: Connection) -> int:
    """The version of the tables; 0 where there are none."""
    if connection.scalar(text("select to_regclass('ragdash.version')")) is None:
        return 0
    return connection.scalar(text("select coalesce(max(number), 0) from ragdash.version"))


def check_version(version: int, location: str) -> None:
    """Raise InputError unless the tables are those of this version of ragdash."""
    if version == 0:
        raise InputError([Problem("database-tables/missing", {}, location)])
    if version < NEWEST:
        raise InputError([Problem("database-tables/older", {"version": version, "newest": NEWEST}, location)])
    if version > NEWEST:
        raise InputError([Problem("database-tables/newer", {"version": version, "newest": NEWEST}, location)])


def upgrade(connection: Connection, location: str) -> tuple[int, int]:
    """Create or change the tables in the transaction of this connection; (version before, version after).

    A second upgrade waits for the first and then has nothing to do. One that is killed leaves everything as it was.
    """
    connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    before = version_of(connection)
    if before > NEWEST:
        check_version(before, location)
    if before == 0:
        connection.execute(text("create schema if not exists ragdash"))
        connection.execute(text("create table ragdash.version (number integer primary key, "
                                "upgraded timestamptz not null default now())"))
    for number, statements in enumerate(MIGRATIONS[before:], before + 1):
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.execute(text("insert into ragdash.version (number) values (:number)"), {"number": number})
    return before, NEWEST
