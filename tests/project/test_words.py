"""Plain American English: no phrase of the list below in the documents, and no new one in the code.

The code still has some. words_allowance.json counts them per folder of the package; a count may only shrink. After a
rewrite, or after a merge that conflicts in that file, run `python tests/project/test_words.py` to write
the counts of today.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ALLOWANCE = Path(__file__).with_name("words_allowance.json")

PHRASES = {
    "stand (write: is, are, has)": r"stands?|stood|standing",
    "tell (write: show, report, list)": r"tells?|told|telling",
    "mend (write: fix)": r"mend(?:s|ed|ing)?",
    "hang on (write: depend on)": r"(?:hang|hangs|hung|hanging) (?:up)?on",
    "beside (write: next to, with)": r"beside",
    "signs (write: characters)": r"(?:\d[\d,]*|\{\}|fewer|many|more) signs|signs (?:long|at most|or more|of text)",
    "so many": r"so many",
    "of yours": r"of (?:yours|ours|mine|theirs)",
    "let go (write: evict, unload)": r"let(?:s|ting)? (?:\w+ )?go",
    "lay over (write: match, override)": r"(?:lay|lays|laid|laying) (?:\w+ )?(?:over|beside|upon)",
    "put out (write: export)": r"put(?:s|ting)? (?:\w+ )?out",
    "that there is none of": r"that there (?:is|are) none of|than there (?:is|are) of",
    "which is not to say": r"which is not to say",
    "telephone (write: phone)": r"telephones?",
    "take along (write: export)": r"(?:take|takes|taken|took|taking) (?:\w+ )?along",
    "held against (write: compare with)": r"(?:hold|holds|held|holding) (?:\w+ )?against",
    "level with the best (write: not clearly worse)": r"level with the best",
    "what came of it (write: results)": r"what (?:came|comes) of it",
    "most seldom (write: least often)": r"most seldom",
}
BRITISH = (r"judgements?|colours?|coloured|behaviours?|favour\w*|neighbour\w*|licence[ds]?|grey|centred?"
           r"|labelled|labelling|modelled|cancelled|travelled|artefacts?|analys(?:e|ed|es|ing)|programmes?"
           r"|(?:normal|recogn|summar|random|organ|standard|token|optim|min|max|penal|capital|general|serial|visual|util"
           r"|local|final|item|parametr|synchron|initial|emphas|character|categor)is(?:e|ed|er|es|ers|ing|ation|ations)")
RULES = {**PHRASES, "American spelling": BRITISH}
LISTED = re.compile(rf"(?<![\w-])(?:{'|'.join(f'({words})' for words in RULES.values())})(?![\w=-])", re.IGNORECASE)

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "sample_runs/README.md", *sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".py"))]


def occurrences(text: str) -> list[tuple[str, str]]:
    """Return (rule, words) for each listed phrase in a text."""
    flat = re.sub(r"\s+", " ", text)
    return [(tuple(RULES)[match.lastindex - 1], flat[max(0, match.start() - 30):match.end() + 30].strip())
            for match in LISTED.finditer(flat)]


def prose_of_markdown(text: str) -> str:
    """Return a document without inline code and without the output of programs, which is checked in the code."""
    text = re.sub(r"<!-- output -->\n```\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]+`", "`", text)


def literals(node: ast.AST) -> Iterator[str]:
    """Yield the texts below a node; an f-string is one text, with its values left out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from literals(part.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def prose_of_python(source: str) -> Iterator[str]:
    """Yield the texts of several words, docstrings and comments of a module, without the code in them.

    Comments are read only where one may have a listed phrase: to find them takes a while.
    """
    code = re.compile(r"`[^`\n]+`|^ *(?:>>>|\.\.\.) .*$", re.MULTILINE)
    yield from (code.sub("`", text) for text in literals(ast.parse(source)) if " " in text.strip())
    if any("#" in line and occurrences(line[line.index("#"):]) for line in source.splitlines()):
        yield from (token.string for token in tokenize.generate_tokens(io.StringIO(source).readline)
                    if token.type == tokenize.COMMENT)


def modules() -> dict[str, list[Path]]:
    """Return the modules by top-level folder: cli, core, dashboard ..., ragdash for the modules at its root, pages."""
    folders: dict[str, list[Path]] = {"pages": [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]}
    for path in sorted((ROOT / "ragdash").rglob("*.py")):
        parts = path.relative_to(ROOT / "ragdash").parts
        folders.setdefault(parts[0] if len(parts) > 1 else "ragdash", []).append(path)
    return folders


def folder_occurrences(paths: list[Path]) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {rule}: {words}" for path in paths
            for text in prose_of_python(path.read_text(encoding="utf-8")) for rule, words in occurrences(text)]


@cache
def counts() -> dict[str, int]:
    """Return {folder: number of listed phrases}, without the folders that have none."""
    found = {folder: len(folder_occurrences(paths)) for folder, paths in modules().items()}
    return {folder: number for folder, number in sorted(found.items()) if number}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_have_no_listed_phrase(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    texts = prose_of_python(text) if name.endswith(".py") else [prose_of_markdown(text)]
    assert [hit for part in texts for hit in occurrences(part)] == []


def test_the_code_has_no_new_listed_phrase():
    allowed = json.loads(ALLOWANCE.read_text(encoding="utf-8"))
    grown = {folder: (number, allowed.get(folder, 0)) for folder, number in counts().items()
             if number > allowed.get(folder, 0)}
    listed = [line for folder in grown for line in folder_occurrences(modules()[folder])]
    assert not grown, "(today, allowed): " + str(grown) + "\n" + "\n".join(listed[:400])


def test_the_allowance_shrinks_with_the_code():
    allowed, today = json.loads(ALLOWANCE.read_text(encoding="utf-8")), counts()
    stale = {folder: (number, today.get(folder, 0)) for folder, number in allowed.items()
             if number > today.get(folder, 0)}
    assert not stale, f"(allowed, today): {stale}; run: python tests/project/test_words.py"


@pytest.mark.parametrize(("text", "number"), [
    ("Where the document stands", 1), ("a standard understanding", 0), ("it is told", 1), ("intelligible", 0),
    ("to mend it", 1), ("amend the recommendation", 0), ("it hangs on q53", 1), ("the server hangs", 0),
    ("besides", 0), ("beside\n    it", 1), ("8,000 signs", 1), ("100,000 sign flips", 0),
    ("the sign of a difference", 0), ("no text of {} signs or more", 1),
    ("a few labels of yours", 1), ("put them out", 1), ("output", 0), ("laid over the truth", 1), ("the overlay", 0),
    ("judgement", 1), ("judgment", 0), ("colour", 1), ("color", 0), ("normalised", 1), ("noise", 0),
    ("told_latency_ms", 0), ("level with the best", 1)])
def test_the_list_finds_phrases_and_no_parts_of_words(text, number):
    assert len(occurrences(text)) == number


def test_only_prose_is_read():
    source = 'told = {"mend": f"{told} stands here"}  # beside it\ndef f():\n    """Tell it."""\n'
    rules = Counter(rule.split()[0] for text in prose_of_python(source) for rule, _ in occurrences(text))
    assert rules == {"stand": 1, "beside": 1, "tell": 1}
    assert [occurrences(text) for text in prose_of_python('"""The field `judgements` of a truth."""')] == [[]]
    assert occurrences(prose_of_markdown("`mend` is\n\n<!-- output -->\n```\ntold\n```\n")) == []


if __name__ == "__main__":
    ALLOWANCE.write_text(json.dumps(counts(), indent=1) + "\n", encoding="utf-8")


def test_a_number_of_queries_is_written_by_the_function_that_counts():
    """So that it reads "1 query" (`query_count`, and `{n:count query}` in the templates of messages)."""
    uncounted = re.compile(r"\{[^{}'\"]*:,\} queries\b|of \{\w+(:,)?\} (queries|documents)\b")
    found = [f"{path}: {match[0]}" for folder in ("cli", "core/messages", "dashboard", "reporting")
             for path in (ROOT / "ragdash" / folder).rglob("*.py") for match in uncounted.finditer(path.read_text())]
    assert not found, found


def test_a_share_is_written_by_the_function_that_rounds():
    """For 21 of 40 are 53% everywhere (`percent`, and `{share:percent}` in the templates of messages)."""
    rounded_elsewhere = re.compile(r"(?<!%\{)(?<!%)\{[^{}]*:,?\.\df?%")
    found = [f"{path}: {match[0]}" for path in (ROOT / "ragdash").rglob("*.py")
             for match in rounded_elsewhere.finditer(path.read_text())]
    assert not found, found
