"""The messages: each that the code names has words and the facts these need, and every row of the tables is used."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import source_trees

import ragdash
from ragdash.core import messages
from ragdash.core.errors import Collector, InputError, Problem, shorten
from ragdash.core.messages import MESSAGES, needed
from ragdash.core.text.template import fill, placeholders, plural

PACKAGE = Path(ragdash.__file__).parent
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if Path(messages.__file__).parent not in path.parents]
ALWAYS = {"file", "line", "field", "cause", "table"}  # table: of a file of bands, which adds it to every note
PREFIXES = {"Unavailable": "unavailable/", "_wrong": "", "_mistake": "metric-parameter/", "_lost": "lost-content/"}


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    return [(path, node) for path in SOURCES for node in source_trees.nodes(path)]


def literals(node: ast.AST) -> list[str]:
    """The texts that an expression can be, as patterns."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [re.escape(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(re.escape(one.value) if isinstance(one, ast.Constant) else ".+" for one in node.values)]
    if isinstance(node, ast.IfExp):
        return literals(node.body) + literals(node.orelse)
    return []


def test_every_row_is_used():
    used = {text for _, node in nodes() for text in literals(node) if isinstance(node, ast.Constant | ast.JoinedStr)}
    patterns = [re.compile(text) for text in used if ".+" in text and text != ".+"]
    plain = {re.sub(r"\\(.)", r"\1", text) for text in used if ".+" not in text}
    unused = []
    for name in MESSAGES:
        names = {name} | {name.removeprefix(prefix) for prefix in PREFIXES.values()}
        if not names & plain and not any(pattern.fullmatch(one) for pattern in patterns for one in names):
            unused.append(name)
    assert not unused


def calls():
    """(where, call, names of messages, facts) of the calls that name a message and give its facts as a dictionary."""
    for path, node in nodes():
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        for at, argument in enumerate(node.args[:1 if name in ("Unavailable", "Problem") else 3]):
            found = [text for text in literals(argument) if ".+" not in text]
            found = [PREFIXES.get(name, "") + re.sub(r"\\(.)", r"\1", text) for text in found]
            facts = node.args[at + 1] if len(node.args) > at + 1 else None
            if found and (name in ("Problem", "Unavailable", "fail", "note") or isinstance(facts, ast.Dict)) and \
                    all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9-]+)?", one) for one in found):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", name, found, facts
                break


def test_every_message_that_is_named_has_words_and_its_facts():
    missing = []
    for where, name, names, facts in calls():
        if name not in ("Problem", "Unavailable", "fail", "note", "add"):
            continue
        given = {key.value for key in facts.keys if key} if isinstance(facts, ast.Dict) else set()
        spread = isinstance(facts, ast.Dict) and None in facts.keys
        for one in names:
            if one not in MESSAGES:
                missing.append(f"{where}: no message {one}")
            elif isinstance(facts, ast.Dict) and not spread:
                lacking = needed(one) - given - ALWAYS
                missing += [f"{where}: {one} without {fact}" for fact in sorted(lacking)]
                missing += [f"{where}: {one} with {fact}, which it does not say" for fact in
                            sorted(given - needed(one) - {"run"})]
    assert not missing, "\n".join(missing)


def test_no_page_says_an_option_of_the_command_line():
    """On the command line a fix may name an option, in the browser never."""
    options = re.compile(r"(?<![\w-])--?[a-z]|\{option\}|\{example|python -m")
    browser = {name: row.page or row.fix for module in messages.BROWSER for name, row in module.MESSAGES.items()
               if name not in messages.TERMINAL}
    assert not {name: words for name, words in browser.items() if options.search(words)}


def test_no_page_names_a_file_that_its_visitors_cannot_open():
    """The documents are next to the package: who runs the server has them, visitors of a page do not."""
    browser = {name: row.page or row.fix for module in messages.BROWSER for name, row in module.MESSAGES.items()
               if name not in messages.TERMINAL}
    assert [name for name, words in browser.items() if "docs/" in words] == ["no-login"], "for who runs the server"


@pytest.mark.parametrize(("template", "facts", "words"), [
    ("{n}", {"n": 1234567}, "1,234,567"),
    ("{n}", {"n": 0.5}, "0.5"),
    ("{n}", {"n": True}, "True"),
    ("{n:count query}", {"n": 1}, "1 query"),
    ("{n:count query}", {"n": 1200}, "1,200 queries"),
    ("{n:count query}", {"n": [1]}, "1 query"),
    ("{n:count query}", {"n": [3, 5, 2]}, "3, 5 and 2 queries"),
    ("{n:count repeat/more repeats}", {"n": 2}, "2 more repeats"),
    ("{n:plural is/are}", {"n": ["a"]}, "is"),
    ("{n:plural is/are}", {"n": ["a", "b"]}, "are"),
    ("{run:named run}", {"run": "a"}, "run 'a'"),
    ("{run:named run}", {"run": ["a", "b's", "c"]}, """runs 'a', "b's" and 'c'"""),
    ("{names}", {"names": ["a", "b"]}, "a and b"),
    ("{names}", {"names": []}, "none"),
    ("{names!r:or}", {"names": ["a", "b", "c"]}, "'a', 'b' or 'c'"),
    ("{names:comma}", {"names": ["a", "b", "c"]}, "a, b, c"),
    ("{names:spaced}", {"names": ["a", "b"]}, "a b"),
    ("{numbers:g}", {"numbers": [0.5, 2.0]}, "0.5 and 2"),
    ("{kappa:minus .2f}", {"kappa": -0.25}, "−0.25"),
    ("{share:.0%}", {"share": 0.25}, "25%"),
    ("{size:bytes}", {"size": 1_500_000_000}, "1.5 GB"),
    ("{size:bytes}", {"size": 999}, "999 bytes"),
    ("{reasons:counts}", {"reasons": {"no reply": 3, "refused": 1}}, "3 no reply, 1 refused"),
    ("{reasons:counts}", {"reasons": {"no reply": [3, 4], "refused": [1, 1]}}, "3 and 4 no reply, 1 and 1 refused"),
    ("{reasons:counts}", {"reasons": {"no reply": 3}}, "no reply"),
    ("x{file:? in {file!r}}{file:! alone}", {"file": "a"}, "x in 'a'"),
    ("x{file:? in {file!r}}{file:! alone}", {"file": ""}, "x alone"),
    ("{{n}} {a} {b:?{b:count row}}", {"a": "{n}", "b": 2}, "{n} {n} 2 rows"),
])
def test_facts_become_words(template, facts, words):
    assert fill(template, facts) == words and placeholders(template) == facts.keys()


@pytest.mark.parametrize(("word", "words"), [("query", "queries"), ("key", "keys"), ("match", "matches"),
                                             ("box", "boxes"), ("run", "runs")])
def test_words_have_a_plural(word, words):
    assert plural(word) == words


def test_a_problem_needs_its_message_and_its_facts():
    with pytest.raises(LookupError, match="expected a key of"):
        Problem("no-such-message")
    with pytest.raises(LookupError, match="encoding"):
        Problem("unknown-encoding")


def test_a_problem_is_data_that_comes_back():
    cause = Problem("bad-number", {"value": "x"}, "a.csv", 3, "score")
    problem = Problem("unread-file", {}, "a.zip", severity="warning", cause=cause)
    assert problem.actual == cause.actual and Problem.of_dict(problem.as_dict()) == problem
    assert hash(problem) == hash(Problem.of_dict(problem.as_dict()))
    edge = Problem("nan-edge", {"metric": "P", "label": "good", "low": float("nan")})
    assert edge.as_dict()["facts"]["low"] == "nan" and "'good' from nan" in edge.actual
    older = {"kind": "unread-file", "found": "a file", "expected": "another", "mend": "Try.", "file": None,
             "line": None, "field": None, "severity": "note"}
    back = Problem.of_dict(older)
    assert (back.kind, back.actual, back.fix, back.severity) == ("unread-file", "a file", "Try.", "note")


def test_the_page_has_its_own_fix():
    problem = Problem("unknown-encoding", {"encoding": "x"})
    assert "--encoding" in problem.fix and "--" not in problem.words("page").fix
    assert problem.words("page").actual == problem.actual == "'x'"
    assert problem.words("report") == problem.words("json") == problem.words("cli")


def test_words_do_not_change_from_one_time_to_the_next():
    problem = Problem("several-configurations", {"count": 2, "names": ["b", "a"]})
    assert problem.actual == problem.actual == "2 of the configurations b, a"
    assert str(problem) == str(Problem.of_dict(problem.as_dict()))


def test_a_collector_counts_what_is_more():
    notes = Collector("f")
    for at in range(25):
        notes.add("bad-number", {"value": str(at)}, line=at)
    assert len(notes.problems) == 20 and notes.problems[-1].actual == "19 (and 5 more like it)"
    with pytest.raises(InputError, match="and 5 more like it"):
        notes.raise_errors()
    long = Collector("f")
    long.add("bad-number", {"value": "x" * 500})
    assert len(long.problems[0].actual) < 130


TAKEN_APART = {"replace", "startswith", "endswith", "partition", "rpartition", "split", "rsplit", "removeprefix",
               "removesuffix", "find", "index", "count"}
SENTENCES = {"actual", "found", "expected", "fix", "reason"}


def is_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_no_code_takes_a_sentence_apart():
    """Problems are compared, merged and told apart by their message and facts, never by their words."""
    wrong = []
    for path, node in nodes():
        fault = False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            by_method = node.func.attr in TAKEN_APART and is_sentence(node.func.value)
            by_pattern = node.func.attr in ("search", "match", "fullmatch", "sub", "findall") and \
                any(is_sentence(argument) for argument in node.args)
            fault = by_method or by_pattern
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            inside = any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops) and is_sentence(sides[-1])
            fault = any(map(is_sentence, sides)) and (inside or any(map(is_text, sides)))
        if fault:
            wrong.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert not wrong


@pytest.mark.parametrize(("text", "limit", "short"), [
    ("abcdefghijklm", 13, "abcdefghijklm"), ("abcdefghijklmn", 13, "abcde … jklmn"),
    ("abcdefghijklmno", 14, "abcde … klmno"), ("two\n  lines\t", 9, "two lines"), ("", 5, ""),
    ("abcdefghij", 5, "a … j")])
def test_a_long_text_is_cut_in_the_middle(text, limit, short):
    assert shorten(text, limit) == short and len(short) <= limit


@pytest.mark.parametrize("name", ["\u202eegnp", "\u05d7\u05d9\u05e4\u05d5\u05e9", "a\u2067b"])
def test_names_that_turn_the_direction_keep_it_to_themselves_on_pages_and_in_reports(name):
    problem = Problem("check-other-ids", {"run": name, "examples": ["d1", name], "count": 1, "total": 2, "flags": ""})
    for surface in ("page", "report"):
        actual = problem.words(surface).actual
        assert actual.startswith(f"\u2068{name}") and " writes ids in another way than the judgments" in actual
        assert actual.count("\u2066") + actual.count("\u2067") + actual.count("\u2068") == actual.count("\u2069") > 1
    assert "\u2069" not in problem.words().actual and "\u2069" not in problem.words("json").actual


def test_half_characters_in_facts_file_and_field_are_shown_as_their_codes():
    problem = Problem("python-object/detail", {"kinds": ["\ud800"]}, file="\udce9", field="\ud800")
    assert str(problem).encode().startswith(b"\\udce9 (\\ud800)") and problem.facts["kinds"] == ["\\ud800"]
