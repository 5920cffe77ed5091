"""Settings of a run as flat names and plain values, without anything that looks like a secret."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from itertools import pairwise

LONGEST_TEXT = 2_000  # characters of a value; prompts are longer and are cut
DEEPEST = 12
_SECRET_WORDS = frozenset(("password", "passwd", "passphrase", "pwd", "pw", "secret", "secrets", "credential",
                           "credentials", "authorization", "bearer", "cookie", "cookies", "apikey", "accesskey",
                           "privatekey", "jwt"))
_SECRET_KEYS = frozenset(("api", "access", "private", "secret", "auth", "account", "subscription", "signing",
                          "encryption", "service", "master",
                          "ai", "openai", "anthropic", "cohere", "voyage", "jina", "mistral", "gemini", "google",
                          "groq", "azure", "aws", "together", "fireworks", "replicate", "huggingface", "hf", "deepseek",
                          "openrouter", "nvidia", "pinecone", "qdrant", "weaviate", "elastic", "elasticsearch",
                          "langsmith", "langfuse"))  # before "key"
_SECRET_NAMES = frozenset(("auth", "pass", "creds"))  # as a whole name; part of one, they mean other things: pass_at_k
_PLAIN_TOKENS = frozenset(("eos", "bos", "pad", "unk", "sep", "cls", "mask", "stop", "special", "per", "end", "start",
                           "max", "min", "n", "num", "first", "last", "next", "image", "think"))  # before "token"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_TEXT = re.compile(
    r"(?<![\w-])(?:sk-|rk_live_|sk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|hf_|xox[abprs]-|AKIA|ASIA|AIza|pypi-)"
    r"[\w-]{12,}"
    r"|eyJ[\w-]{8,}\.eyJ[\w.-]+|(?:Bearer|Basic) [\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.|\n)*")
_USER_IN_URL = re.compile(r"(?<=://)[^/\s@]*@")
_SECRET_IN_URL = re.compile(r"([?&][^=&#\s]*(?:key|token|secret|password|signature|sig)=)[^&#\s]+", re.IGNORECASE)


def flat_settings(settings: Mapping) -> tuple[dict, tuple[str, ...]]:
    """Flatten settings with dots, and leave out secrets.

    Parameters
    ----------
    settings
        Texts, numbers, booleans, None, and lists, mappings, dataclasses and pydantic models of these. Anything else is
        kept as its text.

    Returns
    -------
    tuple
        {"retriever.k": 10} and the names whose values look like secrets: these are not kept, and of a longer text the
        part that looks like a key is replaced.

    Examples
    --------
    >>> flat_settings({"retriever": {"k": 10, "api_key": "x"}, "max_tokens": 5})
    ({'retriever.k': 10, 'max_tokens': 5}, ('retriever.api_key',))
    """
    flat, removed = {}, []
    for name, value in _leaves(settings, "", 0):
        if value is _SECRET or _SECRET_TEXT.search(str(value)):
            removed.append(name)
        if value is not _SECRET and not (isinstance(value, str) and _SECRET_TEXT.fullmatch(value.strip())):
            flat[name] = plain_value(value)
    return flat, tuple(removed)


def setting_texts(settings: Mapping) -> dict[str, str]:
    """Flat settings as text, without those that are empty.

    Examples
    --------
    >>> setting_texts({"chunk": {"size": 256.0, "overlap": None}, "rerank": True})
    {'chunk.size': '256', 'rerank': 'true'}
    """
    texts = {}
    for name, value in flat_settings(settings)[0].items():
        whole = isinstance(value, float) and value.is_integer()
        texts[name] = "" if value is None else str(value).lower() if isinstance(value, bool) else \
            f"{value:.0f}" if whole else " ".join(str(value).split())
    return {name: text for name, text in texts.items() if text}


def is_secret_name(name: str) -> bool:
    """Whether a name looks like that of a secret.

    Examples
    --------
    >>> [name for name in ("OPENAI_API_KEY", "hfToken", "max_tokens", "eos_token", "key") if is_secret_name(name)]
    ['OPENAI_API_KEY', 'hfToken']
    """
    words = [word.lower() for word in _WORD.findall(name)]
    pairs = set(pairwise(words))
    return bool(
        _SECRET_WORDS & set(words)
        or any(second in ("key", "keys") and first in _SECRET_KEYS for first, second in pairs)
        or pairs & {("connection", "string"), ("conn", "str"), ("pass", "word"), ("pass", "phrase")}
        or (words and words[-1] == "token" and (len(words) == 1 or words[-2] not in _PLAIN_TOKENS)))


def without_secrets(text: str) -> str:
    """A text without passwords in addresses and without what looks like a key, such as the words of an error.

    Examples
    --------
    >>> without_secrets("https://me:pw@host/a?api_key=123 failed")
    'https://host/a?api_key=... failed'
    """
    return _SECRET_TEXT.sub("...", _SECRET_IN_URL.sub(r"\1...", _USER_IN_URL.sub("", text)))


_SECRET = object()


def _leaves(value: object, path: str, depth: int) -> Iterator[tuple[str, object]]:
    members = _members(value)
    if members is None or depth >= DEEPEST:
        yield path, value
        return
    for key, member in members.items():
        name = f"{path}.{key}" if path else str(key)
        if _is_secret_setting(path, str(key), member) and not isinstance(member, bool) and member is not None:
            yield name, _SECRET
        else:
            yield from _leaves(member, name, depth + 1)


def _is_secret_setting(path: str, key: str, value: object) -> bool:
    """Whether a setting looks like a secret by its name, or by the one before it too: openai.key."""
    if key.lower() in ("key", "keys"):
        return is_secret_name(f"{path.rpartition('.')[2]}_{key}")
    return is_secret_name(key) or (key.lower() in _SECRET_NAMES and not isinstance(value, Mapping))


def _members(value: object) -> dict | None:
    """The members of a nested value; a list is nested where it holds mappings or lists."""
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if hasattr(value, "model_dump"):  # pydantic
        return value.model_dump()
    if isinstance(value, list | tuple) and any(_members(item) is not None for item in value):
        return {str(index): item for index, item in enumerate(value)}
    return None


def plain_value(value: object) -> object:
    """A value that JSON has and gives back unchanged; other objects become texts."""
    if isinstance(value, str):
        return _short(without_secrets(value))
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    item = getattr(value, "item", None)  # a number of numpy or torch
    if callable(item) and getattr(value, "size", 1) == 1:
        return plain_value(item())
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return _short(without_secrets(str(value)))


def _short(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."
