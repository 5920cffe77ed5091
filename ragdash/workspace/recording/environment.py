"""Where a run comes from: the git revision of the code, and the versions of the packages that are imported."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module

from ragdash.core.records import Revision
from ragdash.core.records.secrets import without_secrets

SECONDS = 5  # that git may take; a large repository on a slow disk must not hold up a run


def git_revision(folder: str | os.PathLike | None = None) -> Revision | None:
    """The revision of the repository that a folder is in (None: where the program was started); None without git."""
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    is_dirty = None if changes is None else bool(changes)
    origin = _git(folder, "config", "--get", "remote.origin.url")
    return Revision(commit, _git(folder, "symbolic-ref", "--short", "-q", "HEAD") or None, is_dirty,
                    without_secrets(origin) if origin else None)


def _git(folder: str | os.PathLike | None, *arguments: str) -> str | None:
    """What git prints; None where it fails."""
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS, check=False, env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"})
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def package_versions() -> dict[str, str]:
    """{distribution: version} of Python, ragdash and the packages that are imported, by name."""
    imported = {_ALIASES.get(name, name.lower().replace("_", "-")) for name in list(sys.modules) if "." not in name}
    versions = {name: version for name, version in sorted(_installed().items())
                if name in imported or name.removesuffix("-core") in imported}
    return {"python": platform.python_version(), **versions, "ragdash": import_module("ragdash").__version__}


@cache
def _installed() -> dict[str, str]:
    """{distribution: version} by the names of the folders that describe them: nothing is opened."""
    versions: dict[str, str] = {}
    for folder in sys.path:
        with suppress(OSError):
            for item in os.listdir(folder or "."):
                stem, end = os.path.splitext(item)
                name, _, version = stem.partition("-")
                if end == ".dist-info" and version:
                    versions.setdefault(name.lower().replace("_", "-"), version)
    return versions


_ALIASES = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "pyyaml", "faiss": "faiss-cpu",
            "haystack": "haystack-ai"}
