"""The files of Streamlit's own that a server reads: what it would end with a traceback for is said before its start."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from ragdash.core.errors import Problem

SECRETS, SETTINGS = ".streamlit/secrets.toml", ".streamlit/config.toml"
TEXTS = (("theme", "base"), ("logger", "level"))  # settings that Streamlit uses as text without a look


def problems_of_files() -> list[Problem]:
    """The problems of those in the current folder and in that of the user, where Streamlit looks for them."""
    problems: list[Problem] = []
    for name in (SECRETS, SETTINGS):
        for path in (Path(name), Path(os.path.expanduser(f"~/{name}"))):
            try:
                with path.open("rb") as file:
                    content = file.read()
                problems += _problems_of_settings(path, content) if name == SETTINGS else []
            except FileNotFoundError:
                continue
            except OSError as error:  # such as a folder of the user that is no folder
                problems.append(Problem(f"unreadable-{path.stem}", {"reason": error.strerror or str(error)}, str(path)))
    return problems


def _problems_of_settings(path: Path, content: bytes) -> list[Problem]:
    try:
        settings = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, a number of too many digits
        return [Problem("bad-config", {"reason": str(error)}, str(path))]
    problems = [Problem("bad-config/no-section", {"name": name}, str(path))
                for name, section in settings.items() if not isinstance(section, dict)]
    for section, name in TEXTS:
        options = settings.get(section)
        if isinstance(options, dict) and not isinstance(options.get(name, ""), str):
            problems.append(Problem("bad-config/no-text", {"value": repr(options[name])}, str(path),
                                    field=f"{section}.{name}"))
    return problems
