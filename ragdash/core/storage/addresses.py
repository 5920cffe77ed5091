"""Addresses of shared storage: the database of a workspace, and where its blobs are."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ragdash.core.errors import InputError, Problem

WORKSPACE, BLOBS = "RAGDASH_WORKSPACE", "RAGDASH_BLOBS"  # variables of the environment
PAGES = "RAGDASH_PAGES"  # set in the process that draws pages
DATABASES = ("postgresql", "postgres")
BLOB_SCHEMES = ("s3", "gs", "az", "file")
_PROJECT = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class DatabaseAddress:
    """A PostgreSQL database and the project in it.

    Parameters
    ----------
    url
        As SQLAlchemy takes it, with the password. Never shown.
    project
        Workspaces of other projects in the same database are not seen.
    location
        The address for people, without user, password and options.
    """

    url: str
    project: str
    location: str

    def __repr__(self) -> str:
        return f"<DatabaseAddress {self.location}>"


def is_address(text: str) -> bool:
    """Whether a text is meant as an address, not as a folder.

    Examples
    --------
    >>> is_address("postgresql://db.example.org/rag"), is_address("kept/runs"), is_address("C:/kept")
    (True, False, False)
    """
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text) is not None


def database_address(text: str) -> DatabaseAddress:
    """Read the address of a database: `postgresql://user@host:port/name?project=search`.

    Raises
    ------
    InputError
        If it has another scheme, or is no address.

    Examples
    --------
    >>> database_address("postgresql://ada:secret@db:5432/rag?project=search&sslmode=require")
    <DatabaseAddress postgresql://db:5432/rag?project=search>
    """
    from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

    scheme = text.partition("://")[0].lower()
    if scheme not in DATABASES:
        raise InputError([Problem("bad-workspace-address/scheme", {"scheme": scheme}, field="workspace")])
    try:
        parts = urlsplit(text)
        host = f"{parts.hostname or 'localhost'}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        raise InputError([Problem("bad-workspace-address", field="workspace")]) from None
    options = parse_qsl(parts.query, keep_blank_values=True)
    projects = [value for name, value in options if name == "project"] or ["default"]
    if not _PROJECT.fullmatch(projects[-1]):
        raise InputError([Problem("bad-workspace-address/project", {"project": projects[-1]}, field="workspace")])
    if not parts.path.strip("/"):
        raise InputError([Problem("bad-workspace-address/name", field="workspace")])
    query = urlencode([(name, value) for name, value in options if name != "project"])
    shown = f"?project={projects[-1]}" if projects[-1] != "default" else ""
    return DatabaseAddress(urlunsplit(("postgresql+psycopg", parts.netloc, parts.path, query, "")), projects[-1],
                           f"postgresql://{host}{parts.path}{shown}")


def check_blob_address(text: str) -> str:
    """The address of a bucket or folder, as it was given.

    Raises
    ------
    InputError
        If its scheme is none of s3, gs, az and file, or it has a password in it.

    Examples
    --------
    >>> check_blob_address("s3://team-runs/ragdash")
    's3://team-runs/ragdash'
    """
    scheme = text.partition("://")[0].lower() if is_address(text) else "none"
    if scheme not in BLOB_SCHEMES:
        facts = {"scheme": scheme, "schemes": list(BLOB_SCHEMES)}
        raise InputError([Problem("bad-blob-address", facts, field="blobs")])
    if "@" in text.partition("://")[2].partition("/")[0]:
        raise InputError([Problem("bad-blob-address/secret", field="blobs")])
    return text


def folder_of(url: str) -> Path:
    """The folder of a file:// address.

    Raises
    ------
    InputError
        If it is not the whole path of a folder.

    Examples
    --------
    >>> folder_of("file:///mnt/team%20runs").as_posix()
    '/mnt/team runs'
    """
    from urllib.parse import unquote

    host, slash, path = url.partition("://")[2].partition("/")
    path = unquote(path)
    if host not in ("", "localhost") or not path or "\0" in path:
        raise InputError([Problem("bad-blob-address/no-folder", field="blobs")])
    return Path(path if path[1:2] == ":" else slash + path)


def workspace_database() -> DatabaseAddress | None:
    """The database that RAGDASH_WORKSPACE names; None where it names a folder or is not set."""
    text = os.environ.get(WORKSPACE, "")
    return database_address(text) if is_address(text) else None
