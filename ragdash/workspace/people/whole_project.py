"""Deletion of a whole workspace: a project of a database with its files, or a folder."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import real_path
from ragdash.core.storage.addresses import database_address
from ragdash.core.storage.shared import open_database
from ragdash.workspace import atomic_folders
from ragdash.workspace.opening import open_blobs, shared_jobs

FOLDERS = ("runs", "truths", "values", "broken", "testsets", "rubrics", atomic_folders.NEW)
FILES = ("catalogue.sqlite", "reviews.sqlite", "labels.sqlite", "testsets.sqlite", "blind-labels.sqlite",
         "views.sqlite", "evidence-decisions-1.sqlite", "audit.sqlite", "judge.sqlite", "judge_batches.sqlite",
         "judge_drift.jsonl", "judge_endpoint.json", "judge_examples.json", "labeling_policy.toml", "prices.toml")
_BESIDE = r"(\.lock|(\.broken-\d+)?{suffix})(-wal|-shm|-journal)?"  # a file, and what is written next to it
_OURS = re.compile("|".join(re.escape(Path(name).stem) + _BESIDE.format(suffix=re.escape(Path(name).suffix))
                            for name in FILES))


def name_of(where: str, is_database: bool) -> str:
    """What a project is called: its name in the database, or that of the folder."""
    return database_address(where).project if is_database else real_path(Path(where).expanduser()).name


def delete_in_database(url: str, blobs: str | None) -> Mapping[str, int]:
    """Delete a project for good: its rows in one transaction, then its files; how many of each.

    A second run deletes the files that a first one left as it was interrupted. Nothing else lists a whole bucket.

    Raises
    ------
    InputError
        If a worker of the project lives, or its files are elsewhere than named; then nothing was changed.
    """
    from ragdash.core.storage.postgres import projects

    address = database_address(url)
    database, files = open_database(address), open_blobs(url, blobs)
    if places := shared_jobs(url).workers():
        raise InputError([Problem("project-in-use", {"places": places}, address.location)])
    if not blobs and projects.keeps_files_elsewhere(database, address.project):
        raise InputError([Problem("project-files-elsewhere", {}, address.location)])
    counts = dict(projects.delete_rows(database, address.project))
    inside = counts.pop("blobs", 0)
    names = files.names(address.project)
    files.delete(names)
    return {**counts, "files": inside + len(names)} if inside or names else counts


def delete_folder(folder: Path) -> tuple[int, list[str]]:
    """Delete what ragdash keeps in a folder for good; (how many files, the names of what is not of ragdash and stays).

    The folder goes too where nothing stays.
    """
    count = 0
    try:
        for name in FOLDERS:
            if (folder / name).is_dir() and not (folder / name).is_symlink():
                count += sum(path.is_file() for path in (folder / name).rglob("*"))
                shutil.rmtree(folder / name)
        for path in [path for path in folder.iterdir() if _OURS.fullmatch(path.name) and path.is_file()]:
            path.unlink()
            count += 1
        left = sorted(path.name for path in folder.iterdir())
        if not left and not folder.is_symlink():
            folder.rmdir()
    except OSError as error:
        raise atomic_folders.unusable(folder, error) from None
    return count, left
