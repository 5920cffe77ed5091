"""Criteria of one's own: a rubric in a TOML file is a task like any other, and its verdicts are values from 0 to 1.

    name = "polite"
    question = "Is the answer polite?"
    kind = "pass"                      # or "labels", "number" or "ranking"
    sees = ["question", "answer"]      # of question, answer, references, contexts

labels: from the worst to the best. anchors: what a label or a number means; the lowest and the highest number are ends;
of a ranking, what counts, the best first.
column: of the truth, with a criterion of its own for each query.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.core.text.toml import parse_toml
from ragdash.models.judge.prompts import AS_DATA, as_data
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.kept_files import RUBRICS, kept_files, read_all
from ragdash.models.judge.tasks.prompt_texts import (
    TEXT,
    UNDEFINED,
    chunk_blocks,
    flags,
    join_blocks,
    object_of,
    question_block,
    text_enum,
    too_long,
)
from ragdash.models.judge.tasks.rankings import rank_answers, ranking_prompt
from ragdash.models.judge.tasks.registry import PREFIX, Case, JudgedTask, Judgment, TaskSteps
from ragdash.models.judge.tasks.vote_order import references_of_vote

VERSION = "1"
KINDS = ("pass", "labels", "number", "ranking")
TEXTS = ("question", "answer", "references", "contexts")
UNDECIDED = "cannot decide"
_NAME = re.compile(r"[A-Za-z][\w-]{0,39}")
_FIELDS = {"name", "title", "question", "kind", "labels", "anchors", "sees", "column"}


@dataclass(frozen=True)
class Rubric:
    """A criterion. labels: from the worst to the best; anchors: (label or number as text, its meaning); sees: texts
    that the judge reads; column: of the truth, with the criterion of each query, "" for none.

    Raises InputError where these do not fit together.
    """

    name: str
    question: str
    kind: str = "pass"
    labels: tuple[str, ...] = ()
    anchors: tuple[tuple[str, str], ...] = ()
    sees: tuple[str, ...] = ("question", "answer")
    column: str = ""
    title: str = ""

    def __post_init__(self) -> None:
        checks = {"name": self.is_name(self.name), "question": self.question.strip(), "kind": self.kind in KINDS,
                  "sees": self.sees and set(self.sees) <= set(TEXTS) and self._ranks_what_it_sees,
                  "labels": self.kind != "labels" or (len(set(self.labels)) == len(self.labels) >= 2
                                                      and UNDECIDED not in self.labels),
                  "anchors": self.kind != "number" or (len(self.anchors) >= 2 and len(set(self._numbers)) ==
                                                       len(self.anchors))}
        wrong = [name for name, right in checks.items() if not right]
        if wrong:
            raise InputError([Problem(f"bad-rubric/{name}", {"value": str(getattr(self, name))}, field=name)
                              for name in wrong])

    @staticmethod
    def is_name(text: str) -> bool:
        """Whether a criterion can have this name."""
        return bool(_NAME.fullmatch(text))

    @property
    def metric(self) -> str:
        """The name of its metric."""
        return f"{PREFIX}{self.name}"

    @property
    def digest(self) -> str:
        """Of everything the judge reads about it: verdicts of another digest are not mixed with these."""
        identity = orjson.dumps([VERSION, *(value for name, value in asdict(self).items() if name != "title")])
        return hashlib.blake2b(identity, digest_size=4).hexdigest()

    @property
    def version(self) -> str:
        """Of the prompt that all rubrics share."""
        return VERSION

    @property
    def _ranks_what_it_sees(self) -> bool:
        """A ranking is of answers alone: contexts would show which run an answer is of."""
        return self.kind != "ranking" or ("answer" in self.sees and "contexts" not in self.sees)

    @property
    def _numbers(self) -> list[float]:
        try:
            numbers = [float(anchor) for anchor, _ in self.anchors]
        except ValueError:
            return []
        are_finite = all(map(math.isfinite, numbers)) and math.isfinite(sum(map(abs, numbers)))
        return numbers if are_finite else []

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest number."""
        return min(self._numbers), max(self._numbers)

    def value(self, verdict: object) -> float:
        """A verdict as a value from 0 to 1: pass 1, labels evenly from 0 to 1, a number between its ends."""
        if self.kind == "pass":
            return float(verdict == "pass")
        if self.kind == "labels":
            return self.labels.index(str(verdict)) / (len(self.labels) - 1)
        low, high = self.ends
        return (float(verdict) - low) / (high - low)

    def verdict_of(self, value: float) -> str | None:
        """The verdict that has this value, as the judge writes it; None where none has, and for a ranking.

        Examples
        --------
        >>> rubric = Rubric("polite", "Polite?", "labels", ("rude", "neutral", "polite"))
        >>> rubric.verdict_of(0.5), rubric.verdict_of(0.4)
        ('neutral', None)
        """
        if self.kind == "number":
            low, high = self.ends
            return f"{low + value * (high - low):g}"
        verdicts = {"pass": ("pass", "fail"), "labels": self.labels}.get(self.kind, ())
        return next((verdict for verdict in verdicts if abs(self.value(verdict) - value) < 1e-9), None)


def rubric_of(table: Mapping, file: str | None = None) -> Rubric:
    """The rubric of a TOML table; InputError where a field is unknown, missing or wrong."""
    unknown = sorted(set(table) - _FIELDS)
    if unknown or not {"name", "question"} <= table.keys():
        facts = {"unknown": unknown, "missing": sorted({"name", "question"} - table.keys())}
        raise InputError([Problem("bad-rubric", facts, file)])
    anchors = table.get("anchors", {})
    lists = {name: table[name] for name in ("labels", "sees") if name in table}
    texts = [value for name, value in table.items() if name not in ("anchors", "labels", "sees")]
    if not (isinstance(anchors, Mapping) and all(isinstance(value, list) for value in lists.values())
            and all(isinstance(text, str) for text in texts)):
        raise InputError([Problem("bad-rubric/table", {}, file)])
    try:
        return Rubric(str(table["name"]), str(table["question"]), str(table.get("kind", "pass")),
                      tuple(map(str, lists.get("labels", ()))),
                      tuple((str(label), str(text)) for label, text in anchors.items()),
                      tuple(map(str, lists.get("sees", Rubric.sees))), str(table.get("column", "")),
                      str(table.get("title", "")))
    except InputError as error:
        raise InputError([Problem(problem.message, problem.facts, file, field=problem.field)
                          for problem in error.problems]) from None


def read_rubric(content: bytes, file: str | None = None) -> Rubric:
    """The rubric of a TOML file; InputError where it is none."""
    try:
        return rubric_of(parse_toml(content.decode("utf-8")), file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError([Problem("bad-rubric/toml", {"reason": str(error)}, file)]) from None


def rubric_toml(rubric: Rubric) -> bytes:
    """A rubric as a TOML file, which `read_rubric` reads back."""
    lines = [f"{name} = {_toml(list(value) if isinstance(value, tuple) else value)}"
             for name, value in asdict(rubric).items() if name != "anchors" and value]
    lines += ["", "[anchors]", *(f"{_toml(label)} = {_toml(text)}" for label, text in rubric.anchors)] \
        if rubric.anchors else []
    return ("\n".join(lines) + "\n").encode()


def _toml(value: object) -> str:
    """JSON strings and lists of them are TOML too, but for the character DEL."""
    return orjson.dumps(value).decode().replace("\x7f", "\\u007f")


def save_rubric(rubric: Rubric) -> Rubric | None:
    """Keep a rubric; one of the same name is replaced, and its verdicts are no longer read. Returns the replaced one.
    """
    replaced: list[Rubric | None] = []

    def change(content: bytes | None) -> bytes:
        replaced.append(None)
        if content is not None:
            with suppress(InputError):
                replaced[-1] = read_rubric(content, rubric.name)
        return rubric_toml(rubric)

    kept_files(RUBRICS).change(rubric.name, change)
    return replaced[-1]


_TRIED: dict[str, Rubric] = {}


@contextmanager
def trying_rubrics(rubrics: Sequence[Rubric]) -> Iterator[None]:
    """Inside of the block these count as stored, in place of those of the same name; nothing is written."""
    _TRIED.update((rubric.name, rubric) for rubric in rubrics)
    try:
        yield
    finally:
        _TRIED.clear()


def stored_rubrics() -> list[Rubric]:
    """The rubrics that are kept or tried, by name; a file that is none is left out."""
    rubrics = []
    for name, content in read_all(RUBRICS).items():
        with suppress(InputError):
            rubrics.append(read_rubric(content, name))
    return [*(rubric for rubric in rubrics if rubric.name not in _TRIED), *_TRIED.values()]


def rubric_task(rubric: Rubric) -> JudgedTask:
    """The task of a rubric."""
    return JudgedTask(rubric.metric, rubric.sees, partial(_judge_by, rubric), version=prompt_version(rubric))


def prompt_version(rubric: Rubric) -> str:
    """Of the prompt of a rubric, as the ledger has it."""
    return f"{VERSION}-{rubric.digest}"


def system_prompt(rubric: Rubric) -> str:
    """The instructions to the judge."""
    if rubric.kind == "ranking":
        return ranking_prompt(rubric)
    meanings = dict(rubric.anchors)
    if rubric.kind == "number":
        low, high = rubric.ends
        scale = [f"A number from {low:g} to {high:g}:", *(f"{float(number):g}: {text}" for number, text in
                                                          rubric.anchors)]
    else:
        labels = ("pass", "fail") if rubric.kind == "pass" else rubric.labels
        scale = [f"{label}: {meanings[label]}" if label in meanings else label for label in labels]
    if rubric.column:
        scale.insert(0, "The criterion of this query is between <criterion> and </criterion>; apply it.")
    return "\n".join([f"You judge texts by one criterion. {AS_DATA}", f"The criterion: {rubric.question.strip()}",
                      "Give a short reason first, then the verdict:", *scale,
                      "Say in \"decidable\" whether the texts let you decide: yes or no."
                      if rubric.kind == "number" else f"{UNDECIDED}: the texts do not let you decide.",
                      "Judge by this criterion alone, whatever else is good or bad about the texts."])


def _judge_by(rubric: Rubric, case: Case) -> TaskSteps:
    over = too_long(case.answer if "answer" in rubric.sees else None,
                    *(case.references if "references" in rubric.sees else ()))
    criterion = dict(case.attributes).get(rubric.column, "") if rubric.column else ""
    if over or (rubric.column and not criterion.strip()):
        return over or Judgment(UNDEFINED, "no-criterion")
    if rubric.kind == "ranking":
        return (yield from rank_answers(rubric, case, criterion))
    blocks = {"question": question_block(case), "contexts": chunk_blocks(case) if "contexts" in rubric.sees else [],
              "references": [as_data("reference", text) for text in references_of_vote(case)],
              "answer": as_data("answer", case.answer or "")}
    text = join_blocks(as_data("criterion", criterion) if criterion else "",
                       *(blocks[name] for name in ("question", "contexts", "references", "answer")
                         if name in rubric.sees))
    if rubric.kind == "number":
        low, high = rubric.ends
        schema = object_of(reason=TEXT, decidable=text_enum("yes", "no"),
                           verdict={"type": "number", "minimum": low, "maximum": high})
    else:
        labels = ("pass", "fail") if rubric.kind == "pass" else rubric.labels
        schema = object_of(reason=TEXT, verdict=text_enum(*labels, UNDECIDED))
    reply, = yield [Question(f"Rubric:{rubric.name}", prompt_version(rubric), system_prompt(rubric), text, schema)]
    row = dict(reply.value)
    if row["verdict"] == UNDECIDED or row.get("decidable") == "no":
        return Judgment(UNDEFINED, "cannot-decide", rows=(row,))
    remarks = flags(case) if "contexts" in rubric.sees else ()
    return Judgment(rubric.value(row["verdict"]), rows=(row,), flags=remarks)

