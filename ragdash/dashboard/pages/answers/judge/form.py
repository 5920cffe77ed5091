"""Form of a judging job: metrics, endpoint, key, sample, budget and prices.

The choices stay in the session, not in the URL. A typed key stays in session memory; a key of the server is read when
the job starts and stored nowhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import roles
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge import rubric_editor
from ragdash.dashboard.pages.answers.judge import sentences as judges_sentences
from ragdash.dashboard.pages.answers.judge.asked_metrics import DEFAULT_METRICS
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import fields
from ragdash.models.judge import Endpoint
from ragdash.models.judge.batch import CONCURRENCY
from ragdash.models.judge.endpoint import KNOWN
from ragdash.models.judge.tasks import TASKS
from ragdash.models.judge.transport.last_endpoint import last_endpoint
from ragdash.models.judge.transport.prices import listed_price
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as sentences_judge

CHANGED = "The form has changed since the plan, so nothing was started. Plan again."
JUDGE_KEY_NAME = re.compile(r"[A-Z0-9_]+_API_KEY|RAGDASH_JUDGE_KEY[A-Z0-9_]*")
KEY_SOURCES = {"environment": "Server key", "typed": "Typed key"}


def job_form(query_counts: Mapping[str, int]) -> tuple[JudgeOrder | None, list[Problem]]:
    """Render the form of a judging job.

    Parameters
    ----------
    query_counts
        Number of queries that have the texts of each metric.

    Returns
    -------
    tuple
        The order, None if it is incomplete or invalid, and the problems.
    """
    metrics = _choose_metrics(query_counts)
    rubric_editor.rubric_editor()
    address, endpoint, problems = endpoint_form()
    order = _choose_limits(metrics, address.kind, address.base_url, address.model, address.variable)
    return (order if metrics and endpoint and not problems else None), problems


def endpoint_form() -> tuple[JudgeOrder, Endpoint | None, list[Problem]]:
    """Render protocol, base URL, model and key.

    Returns
    -------
    tuple
        An order without metrics, its endpoint (None if it is incomplete or invalid), and the problems.
    """
    kind, url, model = _choose_endpoint()
    problems: list[Problem] = []
    endpoint = None
    if url and model:
        try:
            endpoint = Endpoint(url, model, kind)
            endpoint.host  # noqa: B018  (checks the URL)
        except InputError as error:
            problems += error.problems
    variable, wrong = _choose_key(endpoint)
    return JudgeOrder(kind, url, model, variable, ()), endpoint, problems + wrong


def secret(order: JudgeOrder) -> str | None:
    """The key to pass to the judging process.

    Returns
    -------
    str or None
        The typed key or the key in the server's secrets; None if the process finds it in its environment or needs none.

    Raises
    ------
    InputError
        If the key is neither typed nor set on the server.
    """
    name = order.endpoint.variable
    if state.get(state.JUDGE_KEY_FROM) == "typed":
        key = (state.get(state.JUDGE_KEY) or "").strip() or None
        if name and not key:
            raise InputError([Problem("bad-endpoint/no-typed-key", {"host": order.endpoint.host}, field="Key")])
        return key
    key, source = _server_key(name) if name else (None, "none is named")
    if not source:
        raise InputError([Problem("bad-endpoint/no-server-key", {"name": name}, field="Key")])
    return key


def confirmed_endpoint(order: JudgeOrder, key: str | None, agreed: str) -> Endpoint:
    """The endpoint of an order with its key; agreed: the choice by which the user lets texts be sent to another host.

    Raises
    ------
    InputError
        If the host was not agreed to, or the endpoint has no key that it needs.
    """
    endpoint = Endpoint(order.base_url, order.model, order.kind, order.variable, key=key)
    if not endpoint.local and not state.get(agreed):
        raise InputError([Problem("not-confirmed", {"host": endpoint.host})])
    endpoint.secret()
    return endpoint


def _server_key(name: str) -> tuple[str | None, str]:
    """The key in the secrets (None if the environment, which takes precedence, has it), and where it is, "" if
    nowhere.
    """
    if not JUDGE_KEY_NAME.fullmatch(name):
        return None, ""
    if os.environ.get(name, "").strip():
        return None, "environment"
    key = (roles.secret(name) or "").strip() or None
    return key, "secrets" if key else ""


def prices() -> tuple[float, float] | None:
    """Prices per 1M input and output tokens, if both are given."""
    given = state.get(state.JUDGE_PRICE_IN), state.get(state.JUDGE_PRICE_OUT)
    return None if None in given else given


def _choose_metrics(query_counts: Mapping[str, int]) -> tuple[str, ...]:
    menu = [name for name in judges_sentences.metric_order() if query_counts[name]]
    selected = [name for name in st.session_state.get(state.JUDGE_METRICS, DEFAULT_METRICS) if name in menu]
    st.session_state[state.JUDGE_METRICS] = (
        selected if state.JUDGE_METRICS in st.session_state else selected or menu[:1]
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="judge_what"):
        with st.popover("Metrics to judge", icon=":material/tune:", key="judge_metrics"):
            st.multiselect("Metrics to judge", menu, format_func=sentences_judge.metric_title, key=state.JUDGE_METRICS,
                           persist_state="session", placeholder="Choose metrics", width=480, wrap=True)
        with st.popover("Calls per metric", icon=":material/help:", key="judge_asks", on_change="rerun") as popover:
            if popover.open:
                _metric_table(query_counts)
    metrics = tuple(name for name in judges_sentences.metric_order() if name in st.session_state[state.JUDGE_METRICS])
    if metrics:
        calls = "; ".join(
            f"**{fmt.escape(sentences_judge.metric_title(name))}** {TASKS[name].calls}"
            for name in metrics
        )
        st.caption(f"Calls per query: {calls}."
                   + (" Shared questions are asked only once." if len(metrics) > 1 else ""))
    lacking: dict[tuple[str, str], list[str]] = {}
    for name in judges_sentences.metric_order():
        if not query_counts[name]:
            lacking.setdefault(judges_data.missing_texts(name), []).append(sentences_judge.metric_title(name))
    for (_, fix), names in lacking.items():
        st.caption(f":gray[Not possible with these texts: {fmt.escape(', '.join(names))}. {fmt.escape(fix)}]")
    return metrics


def _metric_table(query_counts: Mapping[str, int]) -> None:
    """Table of all judged metrics: needed texts, calls, available queries."""
    rows = [{"Metric": sentences_judge.metric_title(name), "Needs": judges_sentences.needs(name),
             "Calls per query": TASKS[name].calls, "Queries": query_counts[name]}
            for name in judges_sentences.metric_order()]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="judge_asks_table", alt="Judged metrics: what each needs and "
                 "how many calls it takes; the queries that have its texts", width=680)
    st.page_link("pages/metrics.py", label="What each metric means", icon=":material/function:")


def _recall_endpoint() -> None:
    """Fill in the endpoint last asked, where this session has chosen none."""
    last = last_endpoint()
    if last is not None and last.kind in judges_sentences.PROTOCOLS and not {
            state.JUDGE_KIND, state.JUDGE_URL, state.JUDGE_MODEL} & st.session_state.keys():
        st.session_state[state.JUDGE_KIND] = last.kind
        st.session_state[state.JUDGE_URL] = last.base_url
        st.session_state[state.JUDGE_MODEL] = last.model


def _choose_endpoint() -> tuple[str, str, str]:
    with st.container(horizontal=True, key="judge_where"):
        _recall_endpoint()
        st.session_state.setdefault(state.JUDGE_KIND, "openai")
        st.segmented_control(
            "Protocol",
            list(judges_sentences.PROTOCOLS),
            format_func=judges_sentences.PROTOCOLS.__getitem__,
            required=True,
            key=state.JUDGE_KIND,
            persist_state="session",
        )
        kind = st.session_state[state.JUDGE_KIND] or "openai"
        current = state.get(state.JUDGE_URL)
        menu = list(dict.fromkeys([*judges_sentences.BASE_URLS[kind], *([current] if current else [])]))
        st.selectbox("Base URL", menu, format_func=lambda url: judges_sentences.url_label(kind, url), index=None,
                     key=state.JUDGE_URL, accept_new_options=True, persist_state="session", width=380,
                     placeholder="Choose or type a URL", help=tooltip("base_url"))
        fields.text_input("Model", key=state.JUDGE_MODEL, persist_state="session", width=260,
                          placeholder="name at the endpoint")
    return kind, (state.get(state.JUDGE_URL) or "").strip(), (state.get(state.JUDGE_MODEL) or "").strip()


def _choose_key(endpoint: Endpoint | None) -> tuple[str | None, list[Problem]]:
    """The name of the key on the server (None if the key is typed or not needed), and problems with it."""
    default_name = endpoint.variable if endpoint else None
    with st.container(horizontal=True, key="judge_key"):
        st.session_state.setdefault(state.JUDGE_KEY_FROM, "environment")
        st.segmented_control(
            "Key",
            list(KEY_SOURCES),
            format_func=KEY_SOURCES.__getitem__,
            required=True,
            key=state.JUDGE_KEY_FROM,
            persist_state="session",
            help=tooltip("judge_key"),
        )
        if st.session_state[state.JUDGE_KEY_FROM] == "typed":
            fields.text_input("The key", type="password", key=state.JUDGE_KEY, persist_state="session", width=380,
                              autocomplete="off", placeholder="stays in memory")
            return None, []
        fields.text_input("Name of the key on the server", key=state.JUDGE_VARIABLE, persist_state="session", width=380,
                          placeholder=default_name or "none (local endpoints need no key)",
                          help=tooltip("server_key"))
    name = (state.get(state.JUDGE_VARIABLE) or "").strip()
    if wrong := _rejected_key_name(name, endpoint):
        return None, [wrong]
    if name or default_name:
        _, source = _server_key(name or default_name)
        location = f"is set on the server, in its {source}." if source else \
            "is not set on the server: neither in its environment nor in its secrets."
        st.caption(f"{fmt.escape(name or default_name)} {location}")
    return name or default_name, []


def _rejected_key_name(name: str, endpoint: Endpoint | None) -> Problem | None:
    """Problem with a key name: a page sends no other secret of the server to a URL chosen by a visitor."""
    if not name:
        return None
    if not JUDGE_KEY_NAME.fullmatch(name):
        return Problem("not-a-key-variable", {"name": name}, field="Key")
    host = {variable: host for host, variable in KNOWN.items()}.get(name)
    if host and endpoint and endpoint.host != host:
        return Problem("key-of-another-host", {"name": name, "host": endpoint.host, "other": host}, field="Key")
    return None


def _choose_limits(metrics: tuple[str, ...], kind: str, url: str, model: str, variable: str | None) -> JudgeOrder:
    with st.expander("Sample, budget, prices", icon=":material/tune:", key="judge_amounts"):
        with st.container(horizontal=True, key="judge_amounts_1"):
            sample = _number_input(
                "Queries to judge",
                state.JUDGE_SAMPLE,
                1,
                "all",
                help=tooltip("judged_sample"),
            )
            votes = _number_input(
                "Votes",
                state.JUDGE_VOTES,
                1,
                default=1,
                maximum=99,
                help=tooltip("votes"),
            )
            cost = _number_input("Maximum cost", state.JUDGE_COST, 0.0, "no limit", help=tooltip("maximum_cost"))
            calls = _number_input("Maximum calls", state.JUDGE_CALLS, 0, "no limit")
        with st.container(horizontal=True, key="judge_amounts_2"):
            read = _number_input("Price per 1M input tokens", state.JUDGE_PRICE_IN, 0.0, "unknown")
            wrote = _number_input("Price per 1M output tokens", state.JUDGE_PRICE_OUT, 0.0, "unknown")
            listed = listed_price(model) if model else None
            if listed is not None and None in (read, wrote):
                st.caption(f"Listed: {fmt.escape(str(listed))}. Used where the endpoint is not on this machine and no "
                           "price is given. Edit prices.toml in the workspace, or give your own.")
            at_once = _number_input("Parallel calls", state.JUDGE_AT_ONCE, 1, default=CONCURRENCY, maximum=64)
            renew = st.toggle("Ask again what older versions judged", key=state.JUDGE_RENEW, persist_state="session",
                              help=tooltip("judge_renew"))
    return JudgeOrder(kind, url, model, variable, metrics, sample, votes or 1, cost, calls, read, wrote, at_once or 4,
                      renew)


def _number_input(label: str, key: str, minimum: float, placeholder: str | None = None, default: int | None = None,
            maximum: int | None = None, help: str | None = None):
    """Number input; None if empty, whole numbers if the minimum is one."""
    st.session_state.setdefault(key, default)
    return fields.number_input(
        label,
        min_value=minimum,
        max_value=maximum,
        step=1 if isinstance(minimum, int) else None,
        key=key,
        value=None,
        placeholder=placeholder,
        width=205,
        persist_state="session",
        help=help,
        format=None if isinstance(minimum, int) else "%g",
    )
