"""Terms and tooltips have one home: the table of ragdash/core/terms/. Pages and the glossary read it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from source_trees import nodes

from ragdash.core.terms import TERMS, glossary, placeholders, tooltip, tooltips

ROOT = Path(__file__).parents[2]
SOURCES = [path for folder in ("dashboard", "reporting") for path in sorted((ROOT / "ragdash" / folder).rglob("*.py"))]
SENTENCE = re.compile(r"\w+ \w+")


def text_of(node: ast.AST) -> str | None:
    """Return the text of a literal, {} for each value of an f-string; None for another node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


@cache
def modules() -> dict[str, tuple[ast.AST, ...]]:
    """Return {path of a module: its nodes}."""
    return {path.relative_to(ROOT).as_posix(): nodes(path) for path in SOURCES}


@cache
def texts_of_modules() -> list[tuple[str, str]]:
    """Return (path, text) of each literal."""
    return [(path, text) for path, its_nodes in modules().items() for text in filter(None, map(text_of, its_nodes))]


def help_literals(its_nodes: Iterable[ast.AST]) -> list[str]:
    """Return the texts of several words that are written where a help text is passed."""
    texts = []
    waiting = [node.value for node in its_nodes if isinstance(node, ast.keyword) and node.arg == "help"]
    while waiting:
        node = waiting.pop(0)
        if (text := text_of(node)) is not None:
            texts.append(text)
        elif not isinstance(node, ast.Call):
            waiting += ast.iter_child_nodes(node)
    return [text for text in texts if SENTENCE.search(text)]


def calls(its_nodes: Iterable[ast.AST], name: str) -> list[ast.Call]:
    return [node for node in its_nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            and node.func.id == name]


def named_terms() -> set[str]:
    """Return the terms that a page or report names: as a literal, or by a literal with a value inside."""
    named = set()
    for text in {text for _, text in texts_of_modules()}:
        if text in TERMS:
            named.add(text)
        elif text != "{}" and re.fullmatch(r"(?:\{\}|\w)+", text) and "{}" in text and "_" in text:
            pattern = text.replace("{}", r"\w+")
            named |= {name for name in TERMS if re.fullmatch(pattern, name)}
    return named


def test_the_glossary_is_current():
    assert (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8") == glossary(), (
        "run: python tests/regenerate_documents.py")


def test_every_term_has_a_name_and_a_text():
    for name, term in TERMS.items():
        assert re.fullmatch(r"[a-z]+(?:_[a-z]+)*", name) and term.name.strip() and (term.tooltip or term.entry), name
        assert term.entry or not term.heading, f"{name}: a heading is for the glossary"
        assert term.tooltip == " ".join(term.tooltip.split()) and "|" not in term.entry, name
        assert not term.tooltip or term.tooltip.endswith((".", "}")), name


def test_no_two_terms_have_the_same_text():
    tooltips_of_terms = [term.tooltip for term in TERMS.values() if term.tooltip]
    assert len(set(tooltips_of_terms)) == len(tooltips_of_terms)
    headings = [(term.heading or term.name).lower() for term in TERMS.values() if term.entry]
    assert len(set(headings)) == len(headings)


@pytest.mark.parametrize("link", sorted({term.link for term in TERMS.values() if term.link}))
def test_a_term_links_to_a_document(link):
    assert (ROOT / "docs" / "reference" / link).is_file()


def test_pages_ask_for_terms_with_their_facts():
    wrong = []
    for path, its_nodes in modules().items():
        for call in calls(its_nodes, "tooltip"):
            name = text_of(call.args[0])
            if name in TERMS and placeholders(name) != {keyword.arg for keyword in call.keywords}:
                wrong.append(f"{path}:{call.lineno}: {name} needs {sorted(placeholders(name))}")
            elif name is not None and "{}" not in name and name not in TERMS:
                wrong.append(f"{path}:{call.lineno}: no term {name}")
        wrong += [f"{path}:{call.lineno}: no term {text_of(argument)}" for call in calls(its_nodes, "tooltips")
                  for argument in call.args if text_of(argument) not in TERMS]
    assert not wrong, "\n".join(wrong)


def test_every_tooltip_is_shown():
    assert {name for name, term in TERMS.items() if term.tooltip} <= named_terms()


def test_help_texts_are_in_the_table():
    literal = [f"{path}: {text}" for path, its_nodes in modules().items() for text in help_literals(its_nodes)]
    assert not literal, "move to ragdash/core/terms/:\n" + "\n".join(literal)


def test_no_literal_repeats_the_text_of_a_term():
    fixed = {re.sub(r"\{\w+\}", "{}", term.tooltip): name for name, term in TERMS.items() if len(term.tooltip) > 25}
    repeated = [f"{path}: {name}" for path, text in texts_of_modules() for part, name in fixed.items() if part in text]
    assert not repeated, "\n".join(repeated)


def test_a_literal_help_text_is_noticed():
    source = 'widget(help="Shows all runs."); widget(help=f"At most {k} of them" if k else None)\n' \
             'widget(help=tooltip("query_export")); widget(help=metric.summary_line); widget(help=f"{a} {b}")'
    assert help_literals(ast.walk(ast.parse(source))) == ["Shows all runs.", "At most {} of them"]


def test_facts_are_filled_in():
    assert tooltip("grounded_threshold", value="0.8", source="a paper") == "Default 0.8: a paper."
    assert placeholders("right_threshold") == {"value", "source"}
    with pytest.raises(KeyError):
        tooltip("grounded_threshold")
    assert tooltips("judged_queries", "grades") == (
        "**Queries**: Queries with judgments or reference answers.  \n"
        "**Grades**: The scale of the judgments; 0 or less is not relevant.")
