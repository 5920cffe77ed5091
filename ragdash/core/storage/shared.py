"""The database that this process shares with other servers, where RAGDASH_WORKSPACE names one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.addresses import DatabaseAddress, workspace_database
from ragdash.core.storage.protocols import EventLog, Files

if TYPE_CHECKING:
    from ragdash.core.storage.postgres.database import Database


def open_database(address: DatabaseAddress) -> Database:
    """The database of an address; connections are kept for the next call.

    Raises
    ------
    InputError
        If the packages for it are not installed.
    """
    try:
        from ragdash.core.storage.postgres.database import database_of
    except ModuleNotFoundError as error:
        raise InputError([Problem("team-extra-missing", {"package": error.name or "sqlalchemy"})]) from None
    return database_of(address.url, address.location)


def open_log(address: DatabaseAddress, name: str) -> EventLog:
    """An event log in a database."""
    database = open_database(address)
    from ragdash.core.storage.postgres.events import PostgresLog

    return PostgresLog(database, address.project, name, address.location)


def shared_log(name: str) -> EventLog | None:
    """An event log of the database that this process shares; None where the workspace is a folder."""
    address = workspace_database()
    return None if address is None else open_log(address, name)


def open_files(address: DatabaseAddress, kind: str) -> Files:
    """Files of one kind in a database."""
    database = open_database(address)
    from ragdash.core.storage.postgres.files import DatabaseFiles

    return DatabaseFiles(database, address.project, kind, address.location)


def shared_files(kind: str) -> Files | None:
    """Files of one kind of the database that this process shares; None where the workspace is a folder."""
    address = workspace_database()
    return None if address is None else open_files(address, kind)
