"""The documents say what the code does: generated pages are current, commands and figures are executed."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ragdash.cli.main import main
from ragdash.core.records import CHOICES
from ragdash.metrics import METRICS
from ragdash.metrics.docs.reference import as_markdown

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def block(marker: str) -> str:
    """The fenced text behind a marker of the README."""
    return re.search(re.escape(marker) + r"\n```\w*\n(.*?)```", README, re.DOTALL)[1]


def test_the_metric_reference_is_current():
    assert (ROOT / "docs" / "reference" / "metrics.md").read_text() == as_markdown(METRICS.values()), (
        "run: ragdash metrics --format markdown -o docs/reference/metrics.md")


SHOWN = re.findall(r"^```\n(ragdash [^\n]*)\n```\n\n<!-- output -->\n```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_readme_shows_output():
    assert [command.split()[1] for command, _ in SHOWN] == ["evaluate", "compare"]


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.split()[1] for command, _ in SHOWN])
def test_the_readme_shows_what_its_command_prints(capfdbinary, monkeypatch, command, output):
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)[1:]) == 0
    assert capfdbinary.readouterr().out.decode() == output


def test_the_readme_python_runs():
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])})
    assert done.returncode == 0, done.stderr
    assert "nDCG@10" in done.stdout


PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "sample_runs/README.md", *PAGES])
def test_links_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)#\s]+)", (ROOT / name).read_text()):
        assert target.startswith("http") or ((ROOT / name).parent / target).exists(), target


@pytest.mark.parametrize("name, choice", [(name, choice) for name, choices in CHOICES.items() for choice in choices])
def test_every_switch_is_in_the_conventions(name, choice):
    assert f"--{name} {choice}" in (ROOT / "docs" / "reference" / "conventions.md").read_text()


def test_requirements_and_package_want_the_same():
    import tomllib

    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    def listed(file: str) -> set[str]:
        lines = (ROOT / file).read_text().splitlines()
        return {line for line in lines if line and not line.startswith(("#", "-r"))}

    assert listed("requirements-core.txt") == set(wanted["dependencies"])
    assert listed("requirements.txt") == set(wanted["optional-dependencies"]["semantic"])
    assert listed("requirements-test.txt") == set(wanted["optional-dependencies"]["test"])


def test_nothing_of_streamlits_own_stands_on_the_page():
    """No telemetry, no offers to install things over our buttons, no menu for developers."""
    import tomllib

    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["browser"]["gatherUsageStats"] is False
    assert config["logger"]["hideWelcomeMessage"] is True
    assert config["client"]["toolbarMode"] == "minimal"
    assert config["client"]["showErrorDetails"] == "type"
