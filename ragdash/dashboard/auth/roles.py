"""Who may come in and who may change things, where .streamlit/secrets.toml asks for a login (docs/reference/deploy.md).

    [auth]                            # as st.login wants it
    [access]
    editors = ["ada@example.org"]     # see and change everything
    viewers = ["bob@example.org"]     # see everything

Whatever is unclear lets nobody in: a file that cannot be read, lists that are none, lists without a login. Without such
a file everybody who reaches the server may do everything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.caches.shared_cache import once_a_run
from ragdash.models.judge.allowed_hosts import PUBLIC, VARIABLE

AUTH, ACCESS, EDITORS, VIEWERS, JUDGE_HOSTS = "auth", "access", "editors", "viewers", "judge_hosts"
OPTIONS = {"redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url", "client_kwargs",
           "expose_tokens"}  # of [auth] itself; what else is a table there is a provider


@dataclass(frozen=True)
class Access:
    """Who is listed, in lower case, and the names of the login's providers (None: the one of [auth] itself).

    judge_hosts: hosts that judges may be called at, with commas between.
    """

    editors: frozenset[str]
    viewers: frozenset[str]
    providers: tuple[str | None, ...]

    judge_hosts: str | None = None

    def role(self, user: Mapping) -> str:
        """"editor", "viewer", or "" for who is not logged in, not listed, or has an address that is not verified."""
        email = str(user.get("email") or "").strip().casefold()
        unverified = str(user.get("email_verified", True)).casefold() == "false"
        if user.get("is_logged_in") is not True or not email or unverified:
            return ""
        return "editor" if email in self.editors else "viewer" if email in self.viewers else ""


@once_a_run
def access() -> Access | None:
    """What secrets.toml says, None where it asks for no login. Raises InputError where that is not clear."""
    if not st.secrets.load_if_toml_exists():
        for path in st.get_option("secrets.files"):
            if Path(path).exists():
                raise _unclear("unclear-access/unreadable", {"name": Path(path).name})
        return None
    auth, lists = st.secrets.get(AUTH), st.secrets.get(ACCESS)
    if auth is None and lists is None:
        return None
    if not isinstance(auth, Mapping):
        raise _unclear("unclear-access/no-auth")
    if not isinstance(lists, Mapping) or lists.keys() - {EDITORS, VIEWERS, JUDGE_HOSTS}:
        if lists is None:
            raise _unclear("unclear-access/no-lists")
        if isinstance(lists, Mapping):
            raise _unclear("unclear-access/keys", {"keys": list(lists)})
        raise _unclear("unclear-access/value", {"value": repr(lists)})
    named_providers = [name for name, value in auth.items() if isinstance(value, Mapping) and name not in OPTIONS]
    default_provider = [None] if "client_id" in auth or not named_providers else []
    return Access(_addresses(lists, EDITORS), _addresses(lists, VIEWERS), (*default_provider, *named_providers),
                  _judge_hosts(lists))


def secret(name: str) -> str | None:
    """The text at the top of the secrets; None where there is none, or no file of secrets that can be read."""
    value = st.secrets.get(name) if st.secrets.load_if_toml_exists() else None
    return value if isinstance(value, str) else None


def user() -> dict:
    """What the login says about the visitor; empty outside a session."""
    return dict(st.user.to_dict()) if get_script_run_ctx(suppress_warning=True) else {}


def may_change() -> bool:
    """Whether the visitor may change what the server keeps: everybody without a login, else its editors alone."""
    try:
        listed = access()
    except InputError:
        return False
    return listed is None or listed.role(user()) == "editor"


def _addresses(lists: Mapping, key: str) -> frozenset[str]:
    addresses = lists.get(key, [])
    if not isinstance(addresses, list | tuple) or not all(
        isinstance(address, str) and "@" in address for address in addresses
    ):
        raise _unclear("unclear-access/addresses", {"key": key, "value": repr(addresses)}, key)
    return frozenset(address.strip().casefold() for address in addresses)


def _judge_hosts(lists: Mapping) -> str:
    """Hosts that judges may be called at, with commas between; those on the internet where the file says nothing."""
    hosts = lists.get(JUDGE_HOSTS, [PUBLIC])
    if not isinstance(hosts, list | tuple) or not all(isinstance(host, str) for host in hosts):
        raise _unclear("unclear-access/hosts", {"value": repr(hosts)}, JUDGE_HOSTS)
    return ",".join(hosts)


def judge_hosts() -> str | None:
    """Hosts that judges may be called at: those of `ragdash dashboard --judge-hosts`, else of secrets.toml; None: any.

    Raises InputError where secrets.toml is not clear.
    """
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    listed = access()
    return None if listed is None else listed.judge_hosts


def _unclear(message: str, facts: Mapping | None = None, field: str = ACCESS) -> InputError:
    return InputError([Problem(message, facts or {}, "secrets.toml", field=field)])
