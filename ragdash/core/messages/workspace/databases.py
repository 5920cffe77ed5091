"""The workspace in a database, and its blobs."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

_ADDRESS = "an address such as postgresql://user@host/database, or a folder"
_USABLE = "a database that can be read and written"
_BLOBS = "a place that can be read and written"

MESSAGES: Mapping[str, Message] = {
    "bad-blob-address": Message(
        actual="a place for blobs with the scheme {scheme}",
        expected="an address that begins with {schemes:or} and ://",
        fix="Name a bucket, such as s3://bucket/prefix, or a folder that all servers mount, as file:///folder.",
        page="The person who runs the server can name a bucket in RAGDASH_BLOBS.",
    ),
    "bad-blob-address/folder": Message(
        actual="a place for blobs, but the workspace is a folder",
        expected="blobs only with a database",
        fix="Leave out --blobs: a folder keeps its files itself.",
        page="The person who runs the server can remove RAGDASH_BLOBS.",
    ),
    "bad-blob-address/no-folder": Message(
        actual="a place for blobs that is no whole path",
        expected="an address with three slashes, such as file:///folder",
        fix="Write the whole path.",
    ),
    "bad-blob-address/secret": Message(
        actual="a place for blobs with a user or password in its address",
        expected="a bucket and a prefix",
        fix="Give keys in the environment, such as AWS_ACCESS_KEY_ID.",
    ),
    "bad-mail-address": Message(
        actual="{value!r}",
        expected="a mail address",
        fix="Give the address that the login has, such as ada@example.org.",
    ),
    "bad-workspace-address": Message(
        actual="an address that cannot be read",
        expected=_ADDRESS,
        fix="Write special characters of the password as %40 and the like.",
    ),
    "bad-workspace-address/name": Message(
        actual="an address without the name of a database",
        expected=_ADDRESS,
        fix="Add the name of the database.",
    ),
    "bad-workspace-address/project": Message(
        actual="the project {project!r}",
        expected="at most 40 characters of a-z, 0-9, - and _",
        fix="Choose another name.",
    ),
    "bad-workspace-address/scheme": Message(
        actual="a workspace with the scheme {scheme}",
        expected=_ADDRESS,
        fix="Only PostgreSQL can be shared.",
    ),
    "copy-differs": Message(
        actual="events in {what} of the target that the source does not have",
        expected="an empty target, or one with an earlier part of the source",
        fix="Copy into an empty workspace. Nothing of the target was changed.",
    ),
    "copy-digest": Message(
        actual="{type} {name!r}, whose copy has another content",
        expected="the same digest",
        fix="Copy again. The source is unharmed.",
    ),
    "database-tables/missing": Message(
        actual="a database without the tables of ragdash",
        expected="tables that were created once",
        fix="Run `ragdash workspace upgrade` with this address.",
        page="The person who runs the server can run `ragdash workspace upgrade`.",
    ),
    "database-tables/newer": Message(
        actual="tables of version {version}, written by a newer ragdash",
        expected="version {newest}",
        fix="Install the newest ragdash on this server too.",
    ),
    "database-tables/older": Message(
        actual="tables of version {version}",
        expected="version {newest}",
        fix="Stop the servers of the older version, then run `ragdash workspace upgrade` with this address.",
        page="The person who runs the server can run `ragdash workspace upgrade`.",
    ),
    "lost-files": Message(
        actual="{noun} {name!r}, of which a file is missing",
        expected="every file of a run and of a ground truth",
        fix="Restore the file from a backup, or load the file with which it was made again: notes and labels stay.",
    ),
    "no-database-named": Message(
        actual="no address of a database",
        expected="postgresql://user@host/database",
        fix="Name it, or set RAGDASH_WORKSPACE. A folder needs no set-up.",
    ),
    "project-files-elsewhere": Message(
        actual="a project whose files are not in the database: nothing was deleted",
        expected="the bucket or folder that has them",
        fix="Name it with --blobs, or set RAGDASH_BLOBS, as its servers do.",
        page="The person who runs the server can name it in RAGDASH_BLOBS.",
    ),
    "project-in-use": Message(
        actual="a project with workers ({places}): nothing was deleted",
        expected="no server and no worker of this project",
        fix="Stop them. A worker that was killed counts for another minute.",
    ),
    "project-name": Message(
        actual="{name!r}, but the workspace is {expected!r}: nothing was deleted",
        expected="the name of what is to be deleted",
        fix="Check the address in RAGDASH_WORKSPACE. Give the name {expected} if it is meant.",
    ),
    "team-extra-missing": Message(
        actual="a workspace in a database, but no package {package}",
        expected="the packages for it",
        fix='Run pip install "ragdash[team]".',
    ),
    "unusable-blobs": Message(
        actual="blobs that cannot be used ({reason})",
        expected=_BLOBS,
        fix="Check the bucket and the network, then try again. What was saved before is unharmed.",
    ),
    "unusable-blobs/bucket": Message(
        actual="a bucket that does not exist ({reason})",
        expected=_BLOBS,
        fix="Create the bucket, or correct its name.",
    ),
    "unusable-blobs/rights": Message(
        actual="a bucket that may not be used ({reason})",
        expected="rights to read, write and delete below the prefix",
        fix="Check the keys in the environment, which may have expired, and the rights of their owner.",
    ),
    "unusable-database/away": Message(
        actual="a database that does not answer ({reason}): this step changed nothing",
        expected="a server that runs",
        fix="Try again in a moment. Check the server and the network if that does not help.",
    ),
    "unusable-database/busy": Message(
        actual="a database without room for another connection or lock ({reason}): this step changed nothing",
        expected="a server with free connections",
        fix="Try again, or raise max_connections of the server.",
    ),
    "unusable-database/full": Message(
        actual="a database whose disk is full ({reason}): this step changed nothing",
        expected="room on the disk of the server",
        fix="Free space there; what was saved before is unharmed.",
    ),
    "unusable-database/no-such": Message(
        actual="a database that does not exist ({reason})",
        expected="a database on this server",
        fix="Create it with createdb, or correct its name.",
    ),
    "unusable-database/other": Message(
        actual="a database that cannot be used ({reason}): this step changed nothing",
        expected=_USABLE,
        fix="Check the server and its log.",
    ),
    "unusable-database/pool": Message(
        actual="more requests at once than connections ({reason}): this step changed nothing",
        expected="a free connection",
        fix="Try again in a moment.",
    ),
    "unusable-database/read-only": Message(
        actual="a database that takes no changes ({reason}): this step changed nothing",
        expected=_USABLE,
        fix="Use the address of the primary server, or start the dashboard with --read-only.",
        page="The person who runs the server can check its address.",
    ),
    "unusable-database/refused": Message(
        actual="a database that refuses the user ({reason})",
        expected="a user and a password that the server knows",
        fix="Check user and password in the address, or in the file .pgpass.",
    ),
    "unusable-database/rights": Message(
        actual="a user without the right to do this ({reason}): this step changed nothing",
        expected="rights on the schema ragdash and its tables",
        fix="Grant them, or use the user that ran `ragdash workspace upgrade`.",
    ),
    "unusable-database/slow": Message(
        actual="a statement that the server stopped ({reason}): this step changed nothing",
        expected="an answer in time",
        fix="Try again, or raise statement_timeout of the server.",
    ),
    "unusable-database/tables": Message(
        actual="a database without the tables of this version ({reason}): this step changed nothing",
        expected="tables that were upgraded",
        fix="Run `ragdash workspace upgrade` with this address, then restart the server.",
    ),
}
