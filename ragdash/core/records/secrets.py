"""What looks like a secret: by its name, and inside a text."""

from __future__ import annotations

import re
from itertools import pairwise

_SECRET_WORDS = frozenset(("password", "passwords", "passwd", "passphrase", "passcode", "passcodes", "pwd", "pw",
                           "secret", "secrets", "credential", "credentials", "creds", "authorization", "bearer",
                           "cookie", "cookies", "apikey", "accesskey", "privatekey", "jwt"))
_SECRET_KEYS = frozenset(("api", "access", "private", "secret", "auth", "account", "subscription", "signing",
                          "encryption", "service", "master",
                          "ai", "openai", "anthropic", "cohere", "voyage", "jina", "mistral", "gemini", "google",
                          "groq", "azure", "aws", "together", "fireworks", "replicate", "huggingface", "hf", "deepseek",
                          "openrouter", "nvidia", "pinecone", "qdrant", "weaviate", "elastic", "elasticsearch",
                          "langsmith", "langfuse"))  # before "key", wherever the two are in the name
_PLAIN_KEYS = frozenset((
    "answer", "attribute", "blob", "bucket", "cache", "candidate", "category", "chat", "child", "chunk", "class",
    "cluster", "collection", "column", "config", "content", "context", "corpus", "data", "dataset", "date", "dedup",
    "dict", "distribution", "doc", "docs", "document", "documents", "embedding", "entity", "feature", "field", "file",
    "filter", "first", "foreign", "group", "grouping", "hash", "history", "id", "ids", "image", "index", "input",
    "item", "join", "json", "kind", "label", "lang", "language", "last", "lookup", "map", "mapping", "match", "max",
    "memory", "merge", "message", "messages", "metadata", "metric", "min", "model", "n", "name", "namespace", "node",
    "num", "number", "object", "order", "output", "page", "parent", "partition", "path", "payload", "per", "primary",
    "prng", "prompt", "property", "public", "query", "question", "random", "range", "rank", "ranking", "record",
    "reference", "relation", "response", "result", "results", "rng", "route", "routing", "row", "run", "schema",
    "score", "seed", "segment", "shard", "slice", "sort", "source", "split", "state", "subset", "tag", "target",
    "tenant", "text", "time", "timestamp", "title", "top", "topic", "type", "unique", "url", "value", "vector",
    "version"))  # before "key" at the end
_PLAIN_TOKENS = frozenset(("eos", "bos", "pad", "unk", "sep", "cls", "mask", "stop", "special", "per", "end", "start",
                           "max", "min", "n", "num", "first", "last", "next", "image", "think"))  # before "token"
_SECRET_TOKENS = frozenset(("access", "api", "auth", "bearer", "refresh", "hf", "huggingface", "github", "gitlab",
                            "slack", "bot", "deploy", "personal", "oauth", "csrf", "sas"))  # before "tokens"
_PLAIN_PATTERNS = frozenset(("file", "doc", "name", "path", "glob", "re", "regex", "match", "split"))  # before "pat"
_LOGINS = frozenset(("db", "database", "user", "admin", "root", "login", "smtp", "ftp", "proxy", "redis", "pg",
                     "postgres", "mysql", "neo", "es"))  # before "pass"
_SUFFIXES = frozenset(("read", "write", "prod", "production", "dev", "staging", "test", "live", "main", "admin",
                       "backup", "old", "new", "value", "v"))  # after the word that tells: hf_token_read
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_JOINED = re.compile(  # written as one word: openaikey, authtoken, dbpassword
    r".(?:password|passwd|passphrase|passcode|secret|credential)s?$|(?:" + "|".join(
        sorted(_SECRET_KEYS | {"license", "client", "session", "ssh", "deploy"} - {"ai"})) + r")(?:keys?|token)$")
_SECRET_TEXT = re.compile(
    r"(?<![\w-])(?:sk-|rk_live_|sk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|hf_|xox[abprs]-|AKIA|ASIA|AIza|pypi-)"
    r"[\w-]{12,}"
    r"|eyJ[\w-]{8,999}\.eyJ[\w.-]+|(?:Bearer|Basic) [\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.|\n)*")
_USER_IN_URL = re.compile(r"(?<=://)(?:[^\s/?#\"']*@|[^\s/@:\"']{0,99}:(?!\d+(?:[/?#,]|$))[^\s@\"']{0,300}@)")
_SECRET_IN_URL = re.compile(r"([?&][^=&#?\s]{0,99}(?:key|token|secret|password|signature|sig)=)[^&#\s]+", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w-])(?:(?P<option>--?[A-Za-z][\w-]{0,99})\s+(?!-)"  # --api-key x, "api_key": "x"
                    r"|(?P<name>-{0,2}[A-Za-z_][\w.-]{0,99})(?:\\*[\"'])?[^\S\n]*(?:=|:(?!//))[^\S\n]*)")
_VALUE = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|\\+\"[^\"]*\"?|\[[^\]]*\]?|\{[^}]*\}?"
                    r"|(?:Bearer|Basic|Token|ApiKey) +[^\s,;\"'}\]]+|[^\s,;&}\])]+")
_VALUE_TO_SEMICOLON = re.compile(r"[^\s;\"']{1,99}(?: [^\s;=]{1,99}){0,8}(?=;)")  # Password=x y; of a connection string


def is_secret_name(name: str) -> bool:
    """Whether a name looks like that of a secret.

    Examples
    --------
    >>> names = ("OPENAI_API_KEY", "hfToken", "token_1", "license_key", "max_tokens", "eos_token", "sort_key", "key")
    >>> [name for name in names if is_secret_name(name)]
    ['OPENAI_API_KEY', 'hfToken', 'token_1', 'license_key']
    """
    words = [word.lower() for word in _WORD.findall(name)]
    pairs = set(pairwise(words))
    return bool(
        _SECRET_WORDS & set(words)
        or any(second in ("key", "keys") and first in _SECRET_KEYS for first, second in pairs)
        or pairs & {("connection", "string"), ("conn", "str"), ("pass", "word"), ("pass", "phrase"), ("pass", "code")}
        or _JOINED.search(re.sub(r"[^a-z]", "", name.lower()))
        or _ends_as_secret(words))


def is_key_owner(name: str) -> bool:
    """Whether a "key" below this name is a secret: openai.key, and not index.key."""
    words = [word.lower() for word in _WORD.findall(name)]
    return bool(words) and (words[-1] in _SECRET_KEYS or is_secret_name(name))


def _ends_as_secret(words: list[str]) -> bool:
    """Whether the last word that tells something is that of a secret: client_key, hf_token_read, github_pat."""
    end = len(words)
    while end > 1 and (words[end - 1] in _SUFFIXES or words[end - 1].isdigit()):
        end -= 1
    last, before = (words[end - 1] if end else ""), [word for word in words[:max(end - 1, 0)] if not word.isdigit()]
    nearest = before[-1] if before else ""
    if last in ("key", "keys"):
        return bool(nearest) and nearest not in _PLAIN_KEYS
    if last == "token":
        return nearest not in _PLAIN_TOKENS
    if last == "tokens":
        return nearest in _SECRET_TOKENS and before[0] not in _PLAIN_TOKENS
    if last == "pat":
        return bool(nearest) and nearest not in _PLAIN_PATTERNS
    return last == "pass" and nearest in _LOGINS


def has_secrets(text: str) -> bool:
    """Whether a text holds what looks like a key, or a value whose name looks like that of a secret.

    Examples
    --------
    >>> has_secrets("search --api-key xyz"), has_secrets("search --top-k 5")
    (True, False)
    """
    return bool(_SECRET_TEXT.search(text)) or _without_assigned(text) != text


def is_secret_text(text: str) -> bool:
    """Whether a text is nothing but a key."""
    return bool(_SECRET_TEXT.fullmatch(text.strip()))


def without_secrets(text: str) -> str:
    """A text without passwords in addresses and without what looks like a secret, such as the words of an error.

    Examples
    --------
    >>> without_secrets("https://me:pw@host/a?api_key=123 failed")
    'https://host/a?api_key=... failed'
    >>> without_secrets("search --api-key xyz --k 5")
    'search --api-key ... --k 5'
    """
    text = _SECRET_IN_URL.sub(r"\1...", _USER_IN_URL.sub("", text))
    return _SECRET_TEXT.sub("...", _without_assigned(text))


def _without_assigned(text: str) -> str:
    """A text with "..." for the values whose names are those of secrets; a value keeps its quotes."""
    pieces, done, position = [], 0, 0
    while named := _NAMED.search(text, position):
        position = named.end()
        if not is_secret_name(named["option"] or named["name"]):
            continue
        value = (named["name"] and "=" in named[0] and _VALUE_TO_SEMICOLON.match(text, position)) \
            or _VALUE.match(text, position)
        if value:
            quote = value[0][0] if value[0][0] in "\"'" and value[0][-1] == value[0][0] else ""
            pieces += [text[done:position], f"{quote}...{quote}"]
            done = position = value.end()
    return "".join([*pieces, text[done:]])
