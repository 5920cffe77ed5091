"""Secrets among settings are not kept, wherever they are; settings that only look alike stay."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import orjson
import pytest
from pydantic import BaseModel
from speed import quick

from ragdash.core.records.flat_settings import TOO_DEEP, flat_settings, has_objects
from ragdash.core.records.secrets import is_secret_name, without_secrets

VALUE = "abc123hidden"


@dataclass
class Options:
    k: int = 3
    api_key: str = VALUE
    extra: list = field(default_factory=lambda: [{"password": VALUE}])


class Plain:
    def __init__(self) -> None:
        self.k, self.token = 3, VALUE

    def __repr__(self) -> str:
        return f"Plain({self.token})"


class Client:
    def __init__(self) -> None:
        self.k, self.inner = 3, Plain()

    def __repr__(self) -> str:
        return f"Client({VALUE})"


class Model(BaseModel):
    k: int = 3
    session_key: str = VALUE


class Color(Enum):
    RED = VALUE

    def __str__(self) -> str:
        return self.value


def nested(levels: int) -> dict:
    return {"api_key": VALUE} if levels == 0 else {"a": nested(levels - 1)}


CLIENT = "test_secrets.Client"
CASES = [
    (Namespace(api_key=VALUE, k=3), {"s.k": 3}), (SimpleNamespace(hf_token=VALUE, k=3), {"s.k": 3}),
    (Options(), {"s.k": 3}), (Plain(), {"s.k": 3}), (Model(), {"s.k": 3}), (Client(), {"s": CLIENT}),
    ([Plain(), 5], {"s.0.k": 3, "s.1": 5}), ({Client()}, {"s": [CLIENT]}), (Color.RED, {"s": "Color.RED"}),
    ([[["api_key", VALUE], ["k", 3]]], {"s.0.k": 3}), ([("api_key", VALUE), ("k", 3)], {"s.k": 3}),
    (("api_key", VALUE), {"s": ["api_key", "..."]}), (["run", "--api-key", VALUE], {"s": ["run", "--api-key", "..."]}),
    ({"name": "API_KEY", "value": VALUE}, {"s.name": "API_KEY"}),
    (nested(20), {"s" + ".a" * 11: TOO_DEEP}),
    (f"run --api-key {VALUE} -k 3", {"s": "run --api-key ... -k 3"}), (f"--token={VALUE}", {"s": "--token=..."}),
    (f'{{"api_key": "{VALUE}", "k": 3}}', {"s": '{"api_key": "...", "k": 3}'}),
    (f"{{'password': ['{VALUE}'], 'k': 3}}", {"s": "{'password': ..., 'k': 3}"}),
    (f"Server=h;Password=x, {VALUE};Database=d", {"s": "Server=h;Password=...;Database=d"}),
    (f"Authorization: Token {VALUE}", {"s": "Authorization: ..."}),
    (f"postgresql://me:{VALUE}@host/d", {"s": "postgresql://host/d"}),
    (f"postgresql://me:a/{VALUE}@host/d", {"s": "postgresql://host/d"}),
]


@pytest.mark.parametrize(("value", "kept"), CASES)
def test_a_secret_inside_a_setting_is_not_kept_and_what_is_next_to_it_is(value, kept):
    flat, removed = flat_settings({"s": value})
    assert flat == kept and VALUE.encode() not in orjson.dumps([flat, removed])


SECRETS = ["access_tokens", "token_1", "hf_token_read", "github_pat", "license_key", "client_key",
           "session_key", "app_key", "ssh_key", "deploy_key", "tavily_key", "serper_key", "user_key",
           "passcode", "OPENAI_API_KEY", "hfToken", "openaikey", "APIkey", "clientSecret", "db_pass",
           "dbpassword", "api_key_2", "my_credentials"]
SETTINGS = ["top_k", "max_tokens", "tokens", "token_count", "key_field", "primary_key", "tokenizer",
            "key", "keys", "sort_key", "cache_key", "text_key", "n_keys", "eos_token", "prompt_tokens",
            "max_new_tokens", "tokens_per_chunk", "pass_at_k", "first_pass", "metadata_payload_key",
            "pattern", "path", "key_phrase", "keyword", "query_key", "token_overlap", "chunk_tokens",
            "monkey", "author"]


def test_names_of_secrets_are_known_and_names_of_settings_stay():
    assert [name for name in SECRETS if not is_secret_name(name)] == []
    assert [name for name in SETTINGS if is_secret_name(name)] == []
    flat, removed = flat_settings(dict.fromkeys([*SECRETS, *SETTINGS], 5))
    assert (list(flat), list(removed)) == (SETTINGS, SECRETS)


@pytest.mark.parametrize("text", ["max_tokens=5 top_k: 3", "http://host:80/a@b", "run -k 5 --sort-key date", "key: id",
                                  "Answer: use the tokens; then stop", "org/model:tag", "a=" * 9_000])
def test_a_text_without_a_secret_stays_as_it_is(text):
    assert without_secrets(text) == text


def test_values_that_hold_no_others_keep_their_text():
    settings = {"path": Path("a/b"), "number": np.float32(1.5), "type": np.dtype("float32"), "function": is_secret_name,
                "lists": [[1, 2], [3]], "set": {2, 1}, "array": np.arange(3)}
    assert flat_settings(settings) == ({
        "path": "a/b", "number": 1.5, "type": "float32", "function": "ragdash.core.records.secrets.is_secret_name",
        "lists": [[1, 2], [3]], "set": ["1", "2"], "array": "[0 1 2]"}, ())
    assert not has_objects(settings) and has_objects({"client": Client()})


@pytest.mark.parametrize("part", ["?", "&a", "eyJ", "secret=a,", "A.B.", "api_key: ", "://a"])
def test_a_long_text_of_one_part_takes_a_time_in_proportion(part):
    quick(lambda: without_secrets(part * (200_000 // len(part))), 3)
