"""The files of a job as one blob: written where the job is put into the queue, read by the worker that takes it.

They are noted as an upload, so that `ragdash workspace collect` deletes them a day after the job has ended.
"""

from __future__ import annotations

import io
import json
import secrets
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.protocols import Blobs
from ragdash.workspace.team.uploads import START


class JobFiles:
    """Files of the jobs of a project."""

    def __init__(self, database: Database, project: str, blobs: Blobs):
        self._database, self._project, self._blobs = database, project, blobs

    def store(self, paths: Iterable[Path]) -> str:
        """Keep files under their names; the upload that leads to them."""
        content, upload = io.BytesIO(), secrets.token_hex(16)
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                archive.write(path, path.name)
        row = {"project": self._project, "id": upload, "names": json.dumps([self._name(upload)])}
        self._database.write(lambda connection: connection.execute(START, row))
        with suppress(FileExistsError):  # a request that was answered and asked again: the name is ours alone
            self._blobs.put(self._name(upload), content.getvalue())
        return upload

    def fetch(self, upload: str, folder: Path) -> None:
        """Write the files into a folder. Raises FileNotFoundError where they are gone."""
        with zipfile.ZipFile(io.BytesIO(self._blobs.get(self._name(upload)))) as archive:
            archive.extractall(folder)

    def _name(self, upload: str) -> str:
        return f"{self._project}/jobs/{upload}.zip"
