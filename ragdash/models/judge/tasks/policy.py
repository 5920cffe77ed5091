"""The labeling policy: what to do about four doubtful kinds of answers, decided before the first label.

Without a policy, the prompts' own rules hold. Its answers are part of the prompts, so verdicts under different policies
are different verdicts; labels are kept by policy too.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import product
from types import EllipsisType

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.shown_values import require_shown
from ragdash.core.text.toml import parse_toml
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.kept_files import POLICY, kept_files, read_all

ASKED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "extra": ("An answer is right and adds a correct detail that the reference lacks. Is it right?", {
        "right": "A correct detail beyond the reference does not count against an answer.",
        "wrong": "A detail beyond the reference counts against an answer, even if it is correct."}),
    "partial": ("An answer gives some of what the reference says. Is it right?", {
        "between": "An answer that gives a part of what is asked is partly right.",
        "right": "An answer that gives the main point is right, even if other points are missing.",
        "wrong": "An answer that leaves out any part of what is asked is wrong."}),
    "refusal": ("An answer declines although the reference has an answer. Is it wrong?", {
        "wrong": "An answer that declines to answer an answerable question is wrong.",
        "between": "An answer that declines is better than a wrong one: partly right."}),
    "rounding": ("A number is rounded. Does it agree?", {
        "right": "A number that is rounded to the digits it shows agrees.",
        "wrong": "A number has to agree in every digit; a rounded one is wrong."}),
}
"""The questions by name, and for each answer the rule that the judge reads."""
BY_TASK: Mapping[str, tuple[str, ...]] = {
    "Correctness": tuple(ASKED), "AnswerAccuracy": tuple(ASKED), "Faithfulness": ("refusal", "rounding"),
    "Verify": ("rounding",), "Entailment": ("rounding",), "Groundedness": ("rounding",)}
"""Which questions matter to which task."""


@dataclass(frozen=True)
class Policy:
    """The answers by question. InputError for one that is not offered."""

    extra: str
    partial: str
    refusal: str
    rounding: str

    def __post_init__(self) -> None:
        for name, answer in asdict(self).items():
            if answer not in ASKED[name][1]:
                raise InputError([Problem("bad-policy", {"name": name, "value": answer,
                                                         "answers": list(ASKED[name][1])}, field=name)])

    @property
    def digest(self) -> str:
        """Eight characters; of the rules as the judge reads them."""
        rules = "\n".join(ASKED[name][1][answer] for name, answer in asdict(self).items())
        return hashlib.blake2b(rules.encode(), digest_size=4).hexdigest()

    def apply(self, question: Question) -> Question:
        """The question with the rules that matter to its task."""
        names = BY_TASK.get(question.task, ())
        if not names:
            return question
        rules = "\n".join(f"- {ASKED[name][1][getattr(self, name)]}" for name in names)
        system = f"{question.system}\nThese decisions come first where they differ from the rules above:\n{rules}"
        return replace(question, system=system)


@cache
def policy_of(digest: str) -> Policy | None:
    """The policy of a digest; None for one that no policy has.

    Examples
    --------
    >>> policy_of(Policy("right", "between", "wrong", "right").digest).partial
    'between'
    """
    policies = (Policy(*answers) for answers in product(*(answers for _, answers in ASKED.values())))
    return next((policy for policy in policies if policy.digest == digest), None)


def read_policy(content: bytes, file: str | None = None) -> Policy:
    """The policy of a TOML file: extra, partial, refusal, rounding. InputError where it is none."""
    try:
        table = parse_toml(content.decode())
        return Policy(**{name: str(table[name]) for name in ASKED})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise InputError([Problem("bad-policy/file", {"names": list(ASKED), "reason": str(error)}, file)]) from None


_TRIED: list[Policy | None] = []


@contextmanager
def trying_policy(policy: Policy | None) -> Iterator[None]:
    """Inside of the block this policy counts as the one that is kept (None: as none); nothing is written."""
    _TRIED.append(policy)
    try:
        yield
    finally:
        _TRIED.pop()


def current_policy() -> Policy | None:
    """The policy that is kept or tried; None where none was decided."""
    if _TRIED:
        return _TRIED[-1]
    content = read_all(POLICY).get(POLICY)
    return None if content is None else read_policy(content, f"{kept_files(POLICY).location}: {POLICY}")


def policy_toml(policy: Policy) -> bytes:
    """A policy as a TOML file, which `read_policy` reads back."""
    return b"".join(f"{name} = {orjson.dumps(answer).decode()}\n".encode() for name, answer in asdict(policy).items())


def save_policy(policy: Policy | None, shown: Policy | EllipsisType | None = ...) -> None:
    """Keep a policy in place of the one before; None: go back to having none.

    shown: the one that the person saw, None for none. InputError where another is in force by now. ... replaces any.
    """
    files = kept_files(POLICY)

    def change(content: bytes | None) -> bytes | None:
        stored = None if content is None or shown is ... else read_policy(content, f"{files.location}: {POLICY}")
        require_shown(stored, shown, policy, "the labeling policy")
        return None if policy is None else policy_toml(policy)

    files.change(POLICY, change)
