"""All rows of one project, deleted in one transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlalchemy import Connection, text

from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.schema import MIGRATIONS

KEPT = "counters"  # they go on, so that no two states of a log have the same number
TABLES = tuple(name for statements in MIGRATIONS for statement in statements
               for name in re.findall(r"^create table ragdash\.(\w+) \(project ", statement))
_BUMP = text("update ragdash.counters set count = count + 1 where project = :project")
_ERASING = text("select set_config('ragdash.erasing', 'on', true)")  # until the transaction ends
_FILES_ELSEWHERE = text(
    "select exists (select 1 from ragdash.uploads where project = :project) and "
    "not exists (select 1 from ragdash.blobs where project = :project)")


def delete_rows(database: Database, project: str) -> Mapping[str, int]:
    """Delete what every table has of a project, all or nothing; how many rows of each table that had some.

    Servers that are still open read again, because the numbers of their logs have changed.
    """
    which = {"project": project}

    def work(connection: Connection) -> dict[str, int]:
        connection.execute(_BUMP, which)  # whoever writes to a log waits here
        connection.execute(_ERASING)
        counts = {table: connection.execute(text(f"delete from ragdash.{table} where project = :project"),
                                            which).rowcount for table in TABLES if table != KEPT}
        return {table: count for table, count in counts.items() if count}

    return database.write(work)


def keeps_files_elsewhere(database: Database, project: str) -> bool:
    """Whether files of a project are noted that are not in the database."""
    return bool(database.read(lambda connection: connection.scalar(_FILES_ELSEWHERE, {"project": project})))
