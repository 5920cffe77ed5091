"""The documents say what the code does: generated pages are current, commands and figures are executed."""

import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ragdash.analysis.diagnosis import NAMES as STAGE_NAMES
from ragdash.cli.main import COMMANDS, main
from ragdash.core.records import CHOICES
from ragdash.dashboard import page_list
from ragdash.metrics import METRICS
from ragdash.metrics.docs.reference import as_markdown

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def block(marker: str) -> str:
    """The fenced text behind a marker of the README."""
    return re.search(re.escape(marker) + r"\n```\w*\n(.*?)```", README, re.DOTALL)[1]


def test_the_metric_reference_is_current():
    assert (ROOT / "docs" / "reference" / "metrics.md").read_text() == as_markdown(METRICS.values()), (
        "run: python tests/regenerate_documents.py")


SHOWN = re.findall(r"^```\n(ragdash [^\n]*)\n```\n\n<!-- output -->\n```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_readme_shows_output():
    assert [command.split()[1] for command, _ in SHOWN] == ["evaluate", "compare"]


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.split()[1] for command, _ in SHOWN])
def test_the_readme_shows_what_its_command_prints(capfdbinary, monkeypatch, command, output):
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)[1:]) == 0
    assert capfdbinary.readouterr().out.decode() == output, "run: python tests/regenerate_documents.py"


def test_the_readme_python_runs():
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])})
    assert done.returncode == 0, done.stderr
    assert "nDCG@10" in done.stdout


PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))


DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "sample_runs/README.md", *PAGES]


def anchors(path: Path) -> set[str]:
    """Return the addresses of the headings of a document, as GitHub builds them."""
    headings = re.findall(r"^#+ (.*)", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(name: str) -> list[tuple[Path, str]]:
    """Return (file, anchor) for each link of a document within the project."""
    targets = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", (ROOT / name).read_text())
    return [((ROOT / name).parent / target if target else ROOT / name, anchor) for target, anchor in targets
            if not target.startswith("http")]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name):
    for path, anchor in links(name):
        assert path.exists(), path
        assert not anchor or anchor in anchors(path), f"{path.name}#{anchor}"


def test_every_document_can_be_reached_from_the_first_one():
    reached, waiting = set(), ["docs/index.md"]
    while waiting:
        reached.add(name := waiting.pop())
        found = {path.resolve().relative_to(ROOT).as_posix() for path, _ in links(name) if path.suffix == ".md"}
        waiting += sorted(found - reached - set(waiting))
    assert set(PAGES) <= reached


def test_folders_of_documents_are_small_and_have_an_index():
    folders = [ROOT / "docs", *(path for path in (ROOT / "docs").iterdir() if list(path.glob("**/*.md")))]
    assert [folder.name for folder in folders if not (folder / "index.md").exists()] == []
    every = [ROOT / "docs", *(path for path in (ROOT / "docs").rglob("*") if path.is_dir())]
    assert [folder.name for folder in every if len(list(folder.iterdir())) > 15] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_names_of_the_package_exist(name):
    """`ragdash.analysis.test_set.unjudged.bounds(...)` and `from ragdash.io import read_truth`."""
    text = (ROOT / name).read_text()
    names = re.findall(r"`(ragdash(?:\.\w+)+)", text)
    imports = re.findall(r"^from (ragdash[\w.]*) import (.*)", text, re.MULTILINE)
    names += [f"{module}.{name}" for module, imported in imports for name in imported.split(", ")]
    for dotted in names:
        assert pkgutil.resolve_name(dotted) is not None


def test_the_command_line_reference_has_every_command():
    text = (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert set(re.findall(r"^\| `ragdash ([a-z]+)", text, re.MULTILINE)) == set(COMMANDS), \
        "each command has a row in docs/reference/cli.md"


def test_the_readme_has_the_pages_of_the_sidebar_in_their_order():
    table = README.split("## The pages")[1].split("\n\n")[1]
    rows = [re.match(r"\| ([^|(]+?) *(\(appears with .*\))? \|", line) for line in table.splitlines()[2:]]
    assert [(row[1], row[2] is not None) for row in rows] == [
        (entry.title, bool(entry.appears_with)) for entry in page_list.entries()]


SAMPLES = "dense=sample_runs/dense.jsonl sparse=sample_runs/sparse.jsonl --truth sample_runs/truth.jsonl"


@pytest.mark.parametrize("command", ["evaluate --per-query", "compare", "check", "diagnose"])
def test_the_json_reference_has_every_key(capfdbinary, monkeypatch, command):
    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    monkeypatch.chdir(ROOT)
    main([*command.split(), *SAMPLES.split(), "-m", "nDCG@10", "--format", "json"])
    content = json.loads(capfdbinary.readouterr().out)
    text = (ROOT / "docs" / "reference" / "json.md").read_text()
    free = {"nDCG@10", *STAGE_NAMES}
    assert sorted(key for key in keys(content) - free if f"`{key}`" not in text and not re.match(r"q\d+$", key)) == []
    assert f"`schema` is {content['schema']}." in text


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


def test_the_code_of_the_guide_to_python_runs(tmp_path, monkeypatch):
    (tmp_path / "sample_runs").symlink_to(ROOT / "sample_runs")
    monkeypatch.chdir(tmp_path)  # the guide writes a report next to its data
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/start/python.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    names: dict = {}
    for block in blocks:
        exec(compile(block, "docs/start/python.md", "exec"), names)
    assert [row.spec.name for row in names["evaluation"].summary()] == ["nDCG", "RR", "R"]
    assert names["table"][0][0].outcome == "better"


def test_every_decision_has_a_number_of_its_own_and_is_in_the_index():
    index = (ROOT / "docs" / "decisions" / "index.md").read_text()
    files = sorted((ROOT / "docs" / "decisions").glob("*/*.md"))
    numbers = [int(file.name[:4]) for file in files]
    assert len(set(numbers)) == len(numbers), sorted(number for number in numbers if numbers.count(number) > 1)
    for file, number in zip(files, numbers, strict=True):
        assert file.read_text().startswith(f"# {number}. "), file.name
        assert f"- [{number}. " in index and f"({file.parent.name}/{file.name})" in index, file.name
