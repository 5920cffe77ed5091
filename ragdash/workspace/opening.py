"""Opens a workspace by its folder or by the address of its database."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace as folder_of_user
from ragdash.core.records.arguments import checked
from ragdash.core.storage.addresses import BLOBS, check_blob_address, database_address, folder_of, is_address
from ragdash.core.storage.folder_blobs import FolderBlobs
from ragdash.core.storage.protocols import Blobs
from ragdash.core.storage.shared import open_database
from ragdash.workspace.store import Workspace

if TYPE_CHECKING:
    from ragdash.core.storage.postgres.jobs import PostgresJobs
    from ragdash.workspace.team.uploads import BlobRecords, JobFiles


@checked
def open_workspace(url_or_folder: str | os.PathLike, blobs: str | None = None, *, read_only: bool = False) -> Workspace:
    """Open a workspace. A folder is made by the first change; the tables of a database by `ragdash workspace upgrade`.

    Parameters
    ----------
    url_or_folder
        A folder, or the address of a PostgreSQL database: `postgresql://user@host/database`, with `?project=NAME` for
        one of several workspaces in it.
    blobs
        Where the files of a shared workspace are: `s3://bucket/prefix`, `gs://...`, `az://...`, `file:///folder`.
        Default: in the database itself.
    read_only
        Whether changes are refused.

    Raises
    ------
    InputError
        If an address has another scheme, or packages are missing. The database is asked when it is first used.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(open_workspace(folder).runs())
    0
    """
    if not is_address(os.fspath(url_or_folder)):
        if blobs:
            raise InputError([Problem("bad-blob-address/folder", {}, field="blobs")])
        return Workspace(url_or_folder, read_only)
    address = database_address(os.fspath(url_or_folder))
    database = open_database(address)
    from ragdash.workspace.team.catalogue import PostgresCatalogue

    catalogue = PostgresCatalogue(database, address.project, address.location, read_only)
    return Workspace(folder_of_user(), read_only, storage=(catalogue, open_records(os.fspath(url_or_folder), blobs)))


@cache  # one per process: it remembers when it cleaned up last
def open_records(url: str, blobs: str | None) -> BlobRecords:
    """The files of a shared workspace."""
    address = database_address(url)
    database = open_database(address)
    from ragdash.workspace.team.uploads import BlobRecords

    return BlobRecords(database, address.project, open_blobs(url, blobs), address.location)


def open_blobs(url: str, blobs: str | None) -> Blobs:
    """Where the files of a shared workspace are kept.

    Raises
    ------
    InputError
        If the address has another scheme, or packages are missing.
    """
    address = database_address(url)
    if not blobs:
        database = open_database(address)
        from ragdash.core.storage.postgres.blobs import DatabaseBlobs

        return DatabaseBlobs(database, address.project, address.location)
    if check_blob_address(blobs).lower().startswith("file:"):
        return FolderBlobs(folder_of(blobs))
    try:
        from ragdash.core.storage.object_blobs import ObjectBlobs
    except ModuleNotFoundError as error:
        raise InputError([Problem("team-extra-missing", {"package": error.name or "obstore"})]) from None
    return ObjectBlobs(blobs)


def user_workspace(read_only: bool = False) -> Workspace:
    """The workspace that RAGDASH_WORKSPACE and RAGDASH_BLOBS name, else the folder of the user."""
    named = os.environ.get("RAGDASH_WORKSPACE", "")
    if is_address(named):
        return open_workspace(named, os.environ.get(BLOBS) or None, read_only=read_only)
    return Workspace(folder_of_user(), read_only)


def shared_jobs(url: str) -> PostgresJobs:
    """The jobs of the workspace in a database."""
    address = database_address(url)
    database = open_database(address)
    from ragdash.core.storage.postgres.jobs import PostgresJobs

    return PostgresJobs(database, address.project)


def job_files(url: str, blobs: str | None) -> JobFiles:
    """The files of these jobs."""
    address = database_address(url)
    database = open_database(address)
    from ragdash.workspace.team.uploads import JobFiles

    return JobFiles(database, address.project, open_blobs(url, blobs))
