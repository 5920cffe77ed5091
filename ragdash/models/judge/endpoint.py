"""Where a judge is asked, and who it is: the address, the model, its prices, the name of the variable with the key.

The key itself is in the environment, or in memory; it is no part of what is compared, printed, hashed or kept.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.models.judge.allowed_hosts import AllowedHosts
from ragdash.models.judge.question import PROTOCOL, VOTE_TEMPERATURE, Question

KINDS = ("openai", "anthropic", "litellm")
PATHS = {"openai": "/chat/completions", "anthropic": "/messages", "litellm": ""}
PROVIDERS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
KNOWN = {"api.openai.com": "OPENAI_API_KEY", "api.anthropic.com": "ANTHROPIC_API_KEY"}
FIXED = ("model", "messages", "system", "stream", "n", "response_format", "tools", "tool_choice", "max_tokens",
         "max_completion_tokens")  # by the program
SECRET = re.compile(r"key|secret|password|authori|credential", re.IGNORECASE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # as in an argument that is not UTF-8
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Prices:
    """Money for a million tokens read (prompt) and written (completion), in any one currency."""

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        if not all(0 <= price < float("inf") for price in (self.prompt, self.completion)):
            raise _wrong("prices", "bad-endpoint/prices", {"prompt": self.prompt, "completion": self.completion})

    def cost(self, prompt: float, completion: float) -> float:
        """Of that many tokens."""
        return (prompt * self.prompt + completion * self.completion) / 1e6


@dataclass(frozen=True)
class Judge:
    """Who says something: verdicts are kept under it. host: with its port where that is not the scheme's own;
    parameters: those wished for, as sorted JSON.
    """

    host: str
    model: str
    parameters: str = "{}"

    def key(self, question: Question) -> bytes:
        """256 bits that a verdict is kept under: of everything that a reply depends on."""
        head = _head((PROTOCOL, self.host, self.model, self.parameters, question.task, question.version,
                      question.system))
        user, shape = question.user, question.shape
        ids = orjson.dumps(question.ids).decode() if question.ids else "[]"
        vote = f"{question.vote} at {VOTE_TEMPERATURE}" if question.vote else "0"
        whole = f"{head}{len(user)}:{user}{len(shape)}:{shape}{len(ids)}:{ids}{len(vote)}:{vote}"
        return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=32).digest()

    def is_called(self, name: str) -> bool:
        """Whether a name means this judge: its model, "model at host", the same with parameters, or "" for any."""
        return name in ("", self.model, str(self), self.full_name)

    @property
    def full_name(self) -> str:
        """The name with the parameters, for judges that differ in these alone.

        Examples
        --------
        >>> Judge("localhost", "qwen", '{"temperature":0.5}').full_name
        'qwen at localhost (temperature 0.5)'
        """
        parameters = orjson.loads(self.parameters) or {"no": "parameters"}
        return f"{self} ({', '.join(f'{name} {value}' for name, value in parameters.items())})"

    def __str__(self) -> str:
        return f"{self.model} at {self.host}"


def judge_names(judges: Iterable[Judge]) -> dict[Judge, str]:
    """The name of each judge, with its parameters where another one differs in these alone.

    Examples
    --------
    >>> alike = [Judge("a", "qwen"), Judge("a", "qwen", '{"top_p":1}'), Judge("b", "qwen")]
    >>> list(judge_names(alike).values())
    ['qwen at a (no parameters)', 'qwen at a (top_p 1)', 'qwen at b']
    """
    judges = list(judges)
    counts = Counter(map(str, judges))
    return {judge: judge.full_name if counts[str(judge)] > 1 else str(judge) for judge in judges}


@lru_cache(maxsize=256)
def _head(pieces: tuple[str, ...]) -> str:
    """What the keys of a task's questions have in common."""
    return "".join(f"{len(piece)}:{piece}" for piece in pieces)


@dataclass(frozen=True)
class Endpoint:
    """An address that answers questions. kind: of KINDS; base_url: such as https://api.openai.com/v1; key_env: the
    variable that holds the key, None for the known one of the two public hosts and for none elsewhere; key: given in
    memory instead; prices: None where not known; parameters: wished for, dropped where the model refuses them;
    allowed: the hosts that may be called, None for any.

    Raises InputError for an address that is none, or that has a key or password in it.
    """

    base_url: str
    model: str
    kind: str = "openai"
    key_env: str | None = None
    prices: Prices | None = None
    parameters: Mapping = field(default_factory=lambda: {"temperature": 0})
    key: str | None = field(default=None, repr=False, compare=False)
    allowed: AllowedHosts | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise _wrong("kind", "bad-endpoint/kind", {"kind": self.kind, "kinds": list(KINDS)})
        texts = [("base_url", self.base_url), ("model", self.model), *(("parameters", key) for key in self.parameters)]
        if odd := [(name, text) for name, text in texts if _LONE_SURROGATE.search(text)]:
            raise _wrong(odd[0][0], "bad-endpoint/no-text", {"value": odd[0][1]})
        if not self.model.strip():
            raise _wrong("model", "bad-endpoint/model")
        if wrong := [name for name in self.parameters if name in FIXED or SECRET.search(name)]:
            raise _wrong("parameters", "bad-endpoint/parameter", {"name": wrong[0]})
        self._address()

    def __hash__(self) -> int:
        return hash((self.base_url, self.model, self.kind))

    @property
    def url(self) -> str:
        """Where questions are posted."""
        address, path = self._address(), self._address().path.rstrip("/")
        end = PATHS[self.kind]
        if self.kind == "anthropic" and not path:
            path = "/v1"
        return address._replace(path=path if path.endswith(end) else path + end).geturl()

    @property
    def host(self) -> str:
        """The host, with its port where that is not the scheme's own."""
        address = self._address()
        name = f"[{address.hostname}]" if ":" in address.hostname else address.hostname
        return name if address.port in (None, PORTS[address.scheme]) else f"{name}:{address.port}"

    def check_allowed(self) -> None:
        """Raise InputError unless `allowed` lets this host be called."""
        if self.allowed is not None:
            self.allowed.check(*self._name_and_port())

    def allows_address(self, address: str) -> bool:
        """Whether `allowed` lets this address of the host be called."""
        return self.allowed is None or self.allowed.allows(*self._name_and_port(), address)

    def _name_and_port(self) -> tuple[str, int]:
        address = self._address()
        return address.hostname, address.port or PORTS[address.scheme]

    @property
    def local(self) -> bool:
        """Whether texts stay on this machine."""
        name = self._address().hostname
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return name == "localhost" or name.endswith(".localhost")

    @property
    def judge(self) -> Judge:
        """Who answers there."""
        return Judge(self.host, self.model, orjson.dumps(dict(self.parameters), option=orjson.OPT_SORT_KEYS).decode())

    @property
    def variable(self) -> str | None:
        """The environment variable that the key is looked for in; None: no key is sent."""
        return self.key_env or KNOWN.get(self._address().hostname)

    def secret(self) -> str | None:
        """The key, None where none is needed; InputError where a variable is named and empty, or holds no key."""
        key = self.key if self.key is not None else os.environ.get(self.variable) if self.variable else None
        if key is None and self.variable is None:
            return None
        key = (key or "").strip()
        if not key:
            raise _wrong("key", "bad-endpoint/no-key", {"variable": self.variable})
        if not key.isascii() or not key.isprintable() or " " in key:
            raise _wrong("key", "bad-endpoint/key")
        return key

    def _address(self) -> SplitResult:
        try:
            address = urlsplit(self.base_url.strip())
            usable = address.scheme in PORTS and address.hostname and address.port != 0
        except ValueError:
            usable = False
        if not usable:
            shown = "" if "@" in self.base_url else repr(self.base_url)  # what is before the @ may be a password
            raise _wrong("base_url", "bad-endpoint/url", {"url": shown})
        if "@" in address.netloc or address.query or address.fragment:
            raise _wrong("base_url", "bad-endpoint/url-parts", {"host": address.hostname})
        return address


def _wrong(name: str, message: str, facts: Mapping | None = None) -> InputError:
    return InputError([Problem(message, facts or {}, field=name)])
