"""docs/examples/compose is the team set-up of docs/reference/deploy.md: the same commands, settings and proxy."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ragdash.cli.main import parse

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "examples" / "compose"
PAGE = (ROOT / "docs" / "reference" / "deploy.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Several servers on one database"):PAGE.index("### The same with Compose")]
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
SERVERS = ("server-1", "server-2")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)


def variables(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in shlex.split(text))


def commands() -> list[list[str]]:
    return [shlex.split(line)[1:] for line in re.findall(r"^ExecStart=(.*)", SECTION, re.MULTILINE)]


def test_servers_and_worker_are_started_as_on_the_page():
    server, worker = commands()
    for number, name in enumerate(SERVERS, 8501):
        asked = parse([word.replace("%i", str(number)) for word in server])
        service = SERVICES[name]
        assert service["entrypoint"] == ["ragdash"]
        given = parse(service["command"])
        assert (given.host, given.status) == ("0.0.0.0", "0.0.0.0:18501"), "a container listens to the others"
        assert {**vars(given), "host": asked.host, "status": asked.status, "given": asked.given} == vars(asked)
    assert SERVICES["worker"]["command"] == worker and SERVICES["worker"]["entrypoint"] == ["ragdash"]
    assert f"TimeoutStopSec={SERVICES['worker']['stop_grace_period'].removesuffix('s')}" in SECTION
    assert " ".join(SERVICES["tables"]["command"]) in re.findall(r"`ragdash (workspace \w+)`", SECTION)
    assert SERVICES["tables"]["restart"] == "no"


def test_the_settings_are_those_of_the_page():
    page, here = variables(blocks("ini")[0]), variables((FOLDER / "team.env.example").read_text())
    assert here.keys() == {*page, "AWS_ENDPOINT_URL", "RAGDASH_MEMORY"} and "`AWS_ENDPOINT_URL`" in SECTION
    assert here["RAGDASH_BLOBS"] == page["RAGDASH_BLOBS"] and here["AWS_REGION"] == page["AWS_REGION"]
    assert here["RAGDASH_WORKSPACE"] == page["RAGDASH_WORKSPACE"].replace("db.example.org", "postgres").replace(
        "?sslmode=require", "")
    bucket = here["RAGDASH_BLOBS"].split("/")[2]
    assert f"/data/{bucket} " in SERVICES["bucket"]["command"][0] and here["AWS_ENDPOINT_URL"] == "http://bucket:9000"
    (user, database), = re.findall(r"create user (\w+).*?create database (\w+)", blocks("sql")[0], re.DOTALL)
    postgres = SERVICES["postgres"]["environment"]
    assert (postgres["POSTGRES_USER"], postgres["POSTGRES_DB"]) == (user, database)
    extras = re.search(r"ragdash\[([\w,]+)\]", SECTION)[1]
    for name in (*SERVERS, "worker", "tables"):
        assert SERVICES[name]["env_file"] == "team.env" and SERVICES[name]["build"]["args"]["EXTRAS"] == extras, name
        assert (FOLDER / SERVICES[name]["build"]["context"] / "Dockerfile").is_file()
    assert "ARG EXTRAS=login" in (ROOT / "Dockerfile").read_text()


def test_the_login_and_the_proxy_are_those_of_the_page():
    for name in SERVERS:
        assert SERVICES[name]["volumes"] == ["./secrets.toml:/app/.streamlit/secrets.toml:ro", f"{name}:/workspace"]
        assert "/ready" in SERVICES[name]["healthcheck"]["test"][-1]
    recipe = blocks("nginx")[0].replace("/etc/ssl/", "/etc/ssl/ragdash/")
    for number, name in enumerate(SERVERS, 8501):
        recipe = recipe.replace(f"127.0.0.1:{number}", f"{name}:{number}")
    assert (FOLDER / "nginx.conf").read_text(encoding="utf-8") == recipe
    assert SERVICES["proxy"]["ports"] == ["443:443"] and SERVICES["proxy"]["depends_on"] == list(SERVERS)


def test_only_the_proxy_is_reached_from_outside_and_no_secret_is_in_the_file():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    assert "PASSWORD:" not in text and SERVICES["postgres"]["environment"]["POSTGRES_PASSWORD_FILE"]
    kept = {volume.partition(":")[0] for name in ("postgres", "bucket", *SERVERS)
            for volume in SERVICES[name]["volumes"] if not volume.startswith("./")}
    assert kept == COMPOSE["volumes"].keys()
    for name, service in SERVICES.items():
        for other in service.get("depends_on", ()):
            assert other in SERVICES, (name, other)
