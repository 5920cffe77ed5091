"""What is to be judged, where, with which key, and how much: the choices of the Judges page.

They stay in the session, not in the address. A key that is typed stays in the session's memory; one of the server is
read when the judge is asked, and kept nowhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.auth import roles
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.pages.judges import data as judges_data
from ragdash.dashboard.pages.judges import sentences as judges_sentences
from ragdash.dashboard.session import state
from ragdash.models.judge import Endpoint
from ragdash.models.judge.batch import CONCURRENCY
from ragdash.models.judge.endpoint import KNOWN
from ragdash.reporting.sentences import fmt, judge

FIRST = ("Faithfulness", "ClaimFaithfulness")
FOR_JUDGES = re.compile(r"[A-Z0-9_]+_API_KEY|RAGDASH_JUDGE_KEY[A-Z0-9_]*")
SOURCES = {"environment": "From the server", "typed": "Typed here"}


def choose(possible: Mapping[str, int]) -> tuple[JudgeOrder | None, list[Problem]]:
    """Draw the form. possible: queries that have the texts of each metric. (None, ...) where something lacks still, or
    is wrong, which the problems tell.
    """
    metrics = _metrics(possible)
    kind, url, model = _endpoint()
    problems: list[Problem] = []
    endpoint = None
    if url and model:
        try:
            endpoint = Endpoint(url, model, kind)
            endpoint.host  # noqa: B018  (an address that is none is told)
        except InputError as error:
            problems += error.problems
    variable, wrong = _key(endpoint)
    problems += wrong
    order = _amounts(metrics, kind, url, model, variable)
    return (order if metrics and endpoint and not problems else None), problems


def secret(order: JudgeOrder) -> str | None:
    """The key that the judging process is handed: the typed one, or that of the server's secrets; None where the
    process has it in the environment, or none is named. InputError where it is in neither.
    """
    name = order.endpoint.variable
    if state.get(state.JUDGE_KEY_FROM) == "typed":
        key = (state.get(state.JUDGE_KEY) or "").strip() or None
        if name and not key:
            raise InputError([Problem("bad-endpoint/no-typed-key", {"host": order.endpoint.host}, field="Key")])
        return key
    key, source = _of_server(name) if name else (None, "none is named")
    if not source:
        raise InputError([Problem("bad-endpoint/no-server-key", {"name": name}, field="Key")])
    return key


def _of_server(name: str) -> tuple[str | None, str]:
    """(the key of the secrets, None where the environment has it, which comes first; which of both, "" for neither)."""
    if not FOR_JUDGES.fullmatch(name):
        return None, ""
    if os.environ.get(name, "").strip():
        return None, "environment"
    key = (roles.secret(name) or "").strip() or None
    return key, "secrets" if key else ""


def prices() -> tuple[float, float] | None:
    """Of a million tokens read and written, where both are given."""
    given = state.get(state.JUDGE_PRICE_IN), state.get(state.JUDGE_PRICE_OUT)
    return None if None in given else given


def _metrics(possible: Mapping[str, int]) -> tuple[str, ...]:
    menu = [name for name in judges_sentences.ORDER if possible[name]]
    selected = [name for name in st.session_state.get(state.JUDGE_METRICS, FIRST) if name in menu]
    st.session_state[state.JUDGE_METRICS] = (
        selected if state.JUDGE_METRICS in st.session_state else selected or menu[:1]
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="judge_what"):
        with st.popover("Metrics to judge", icon=":material/tune:", key="judge_metrics"):
            st.multiselect("Metrics to judge", menu, format_func=judge.title, key=state.JUDGE_METRICS,
                           persist_state="session", placeholder="Choose metrics", width=480)
        with st.popover("What each asks", icon=":material/help:", key="judge_asks", on_change="rerun") as popover:
            if popover.open:
                _asks(possible)
    metrics = tuple(name for name in judges_sentences.ORDER if name in st.session_state[state.JUDGE_METRICS])
    if metrics:
        calls = "; ".join(f"**{fmt.escape(judge.title(name))}** {judges_sentences.CALLS[name]}" for name in metrics)
        st.caption(f"Calls for each query: {calls}."
                   + (" What rests on the same questions is asked once." if len(metrics) > 1 else ""))
    lacking: dict[tuple[str, str], list[str]] = {}
    for name in judges_sentences.ORDER:
        if not possible[name]:
            lacking.setdefault(judges_data.lacking(name), []).append(judge.title(name))
    for (_, fix), names in lacking.items():
        st.caption(f":gray[Not with these texts: {fmt.escape(', '.join(names))}. {fmt.escape(fix)}]")
    return metrics


def _asks(possible: Mapping[str, int]) -> None:
    """All judged metrics, with what they need and take."""
    rows = [{"Metric": judge.title(name), "Needs": judges_sentences.needs(name),
             "Calls for each query": judges_sentences.CALLS[name], "Queries": possible[name]}
            for name in judges_sentences.ORDER]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="judge_asks_table", alt="Judged metrics: what each needs and "
                 "how many calls it takes; the queries that have its texts", width=680)
    st.page_link("pages/metrics.py", label="What each metric means", icon=":material/function:")


def _endpoint() -> tuple[str, str, str]:
    with st.container(horizontal=True, key="judge_where"):
        st.session_state.setdefault(state.JUDGE_KIND, "openai")
        st.segmented_control(
            "Protocol",
            list(judges_sentences.KINDS),
            format_func=judges_sentences.KINDS.get,
            required=True,
            key=state.JUDGE_KIND,
            persist_state="session",
        )
        kind = st.session_state[state.JUDGE_KIND] or "openai"
        current = state.get(state.JUDGE_URL)
        menu = list(dict.fromkeys([*judges_sentences.ADDRESSES[kind], *([current] if current else [])]))
        st.selectbox("Base URL", menu, format_func=lambda url: judges_sentences.address(kind, url), index=None,
                     key=state.JUDGE_URL, accept_new_options=True, persist_state="session", width=380,
                     placeholder="Choose, or type an address", help="As the endpoint's makers give "
                     "it. The dashboard's server calls it, so localhost is the machine that the server runs on.")
        st.text_input("Model", key=state.JUDGE_MODEL, persist_state="session", width=260,
                      placeholder="as the endpoint calls it")
    return kind, (state.get(state.JUDGE_URL) or "").strip(), (state.get(state.JUDGE_MODEL) or "").strip()


def _key(endpoint: Endpoint | None) -> tuple[str | None, list[Problem]]:
    """(the name of the key on the server, None where it is typed or none is needed; what is wrong with it)."""
    default_name = endpoint.variable if endpoint else None
    with st.container(horizontal=True, key="judge_key"):
        st.session_state.setdefault(state.JUDGE_KEY_FROM, "environment")
        st.segmented_control("Key", list(SOURCES), format_func=SOURCES.get, required=True, key=state.JUDGE_KEY_FROM,
                             persist_state="session", help="A typed key is held in this session's memory. It is given "
                             "to the judging process in its environment, as one of the server is: it goes into no "
                             "file, link or log.")
        if st.session_state[state.JUDGE_KEY_FROM] == "typed":
            st.text_input("The key", type="password", key=state.JUDGE_KEY, persist_state="session", width=380,
                          autocomplete="off", placeholder="held in memory alone")
            return None, []
        st.text_input("Its name on the server", key=state.JUDGE_VARIABLE, persist_state="session", width=380,
                      placeholder=default_name or "none: endpoints on one's own machine need no key",
                      help="A variable of the server's environment, or else a key at the top of its "
                      ".streamlit/secrets.toml. The name ends in _API_KEY or begins with RAGDASH_JUDGE_KEY.")
    name = (state.get(state.JUDGE_VARIABLE) or "").strip()
    if wrong := _not_for_judges(name, endpoint):
        return None, [wrong]
    if name or default_name:
        _, source = _of_server(name or default_name)
        location = f"is set on the server, in its {source}." if source else \
            "is not set on the server: neither in its environment nor in its secrets."
        st.caption(f"{fmt.escape(name or default_name)} {location}")
    return name or default_name, []


def _not_for_judges(name: str, endpoint: Endpoint | None) -> Problem | None:
    """A page sends no other secret of the server to an address that a visitor chooses."""
    if not name:
        return None
    if not FOR_JUDGES.fullmatch(name):
        return Problem("not-a-key-variable", {"name": name}, field="Key")
    host = {variable: host for host, variable in KNOWN.items()}.get(name)
    if host and endpoint and endpoint.host != host:
        return Problem("key-of-another-host", {"name": name, "host": endpoint.host, "other": host}, field="Key")
    return None


def _amounts(metrics: tuple[str, ...], kind: str, url: str, model: str, variable: str | None) -> JudgeOrder:
    with st.expander("Sample, budget, prices", icon=":material/tune:", key="judge_amounts"):
        with st.container(horizontal=True, key="judge_amounts_1"):
            sample = _number("Queries to judge", state.JUDGE_SAMPLE, 1, "all", help="So many, drawn at random, the "
                             "same of every run and metric. A few tell what all would cost.")
            votes = _number(
                "Votes",
                state.JUDGE_VOTES,
                1,
                default=1,
                maximum=99,
                help="Each question is asked so often; the value is the mean of the votes.",
            )
            cost = _number("Spend at most", state.JUDGE_COST, 0.0, "no limit", help="In the currency of the "
                           "prices, which it needs. It stops before more is paid.")
            calls = _number("Calls at most", state.JUDGE_CALLS, 0, "no limit")
        with st.container(horizontal=True, key="judge_amounts_2"):
            read = _number("Price of a million tokens read", state.JUDGE_PRICE_IN, 0.0, "not known")
            wrote = _number("Price of a million tokens written", state.JUDGE_PRICE_OUT, 0.0, "not known")
            at_once = _number("Calls at once", state.JUDGE_AT_ONCE, 1, default=CONCURRENCY, maximum=64)
    return JudgeOrder(kind, url, model, variable, metrics, sample, votes or 1, cost, calls, read, wrote, at_once or 4)


def _number(label: str, key: str, minimum: float, placeholder: str | None = None, default: int | None = None,
            maximum: int | None = None, help: str | None = None):
    """A number, None where the field is empty; whole where its least value is."""
    st.session_state.setdefault(key, default)
    return st.number_input(
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
