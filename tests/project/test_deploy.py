"""What docs/reference/deploy.md, the Dockerfile and the package say of serving others holds."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from ragdash.cli.main import parse

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/deploy.md").read_text(encoding="utf-8")
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def dashboard(words: list[str]):
    """The options of a command line as the program reads them, and Streamlit's."""
    assert Path(words[0]).name == "ragdash"
    options = parse(words[1:])
    return options, options.streamlit


def test_the_table_of_options_is_what_is_set():
    rows = re.findall(r"^\| `(\w+)\.(\w+)` \| (\S+) \|", PAGE, re.M)
    assert len(rows) == 9
    for section, option, value in rows:
        assert CONFIG[section][option] == json.loads(value), option


def test_the_options_are_streamlits():
    from streamlit import config

    known = set(config.get_config_options())
    used = {f"{section}.{option}" for section in ("browser", "server", "logger", "client", "runner")
            for option in CONFIG[section]}
    assert used <= known
    given = re.findall(r"--((?:server|browser|client)\.\w+)", PAGE)
    assert given and set(given) <= known


def test_the_unit_starts_the_dashboard():
    line, of_several, of_worker = re.findall(r"^ExecStart=(.*)", PAGE, re.M)
    options, streamlit = dashboard(shlex.split(line))
    several, same = dashboard(shlex.split(of_several.replace("%i", "8501")))
    assert same == streamlit and (several.port, several.status) == (8501, "127.0.0.1:18501") and not several.workspace
    assert dashboard(shlex.split(of_worker))[0].command == "worker"
    assert options.command == "dashboard" and options.port == 8501 and options.no_browser
    assert options.host == "127.0.0.1" and options.workspace == "/var/lib/ragdash"
    assert streamlit == ["--server.allowedHosts=rag.example.org", "--server.maxUploadSize=200"]


def test_the_image_starts_the_dashboard_as_a_user_without_rights():
    text = (ROOT / "Dockerfile").read_text()
    (entry,) = re.findall(r"^ENTRYPOINT (.*)", text, re.M)
    options, _ = dashboard(json.loads(entry))
    assert options.host == "0.0.0.0" and options.port == 8501 and options.no_browser
    assert re.findall(r"^USER (\w+)", text, re.M) == ["ragdash"]
    assert "VOLUME /workspace" in text and "RAGDASH_WORKSPACE=/workspace" in text
    named = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert all((ROOT / name).exists() for name in named)
    wanted = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {*wanted, "ragdash", "pyproject.toml", "README.md", "LICENSE"} == set(named), "what the wheel is built of"


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_no_package_takes_secrets_along(target):
    part = PROJECT["tool"]["hatch"]["build"]["targets"][target]
    assert not {".streamlit", "/.streamlit"} & {*part.get("force-include", ()), *part.get("include", ())}


def test_the_login_of_the_page_is_understood(monkeypatch):
    from streamlit.runtime.secrets import Secrets

    from ragdash.dashboard.auth import roles

    (example,) = re.findall(r"```toml\n(\[auth\].*?)```", PAGE, re.S)
    held = Secrets()
    held._secrets = tomllib.loads(example)
    monkeypatch.setattr(roles.st, "secrets", held)
    found = roles.access()
    assert found.editors == {"ada@example.org"} and found.viewers == {"bob@example.org", "eve@example.org"}
    assert found.providers == (None,)
    assert found.role({"is_logged_in": True, "email": "Bob@example.org", "email_verified": True}) == "viewer"
