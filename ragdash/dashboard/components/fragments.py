"""Sections of a page that are drawn again alone, when only something in them changes; the address follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ragdash.core.errors import InputError, Problem, lacks_memory
from ragdash.dashboard import page_context
from ragdash.dashboard.caches.shared_cache import script_run
from ragdash.dashboard.monitoring.short_memory import release_import_lock
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements

P = ParamSpec("P")


def redrawn_alone(page: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Decorate a section of a page: a choice inside it draws it again without the rest of the page.

    page: its place in the address. A section that ends the page (PageEnds) ends itself alone.
    """

    def decorate(section: Callable[P, None]) -> Callable[P, None]:
        @wraps(section)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            alone = is_alone()
            with script_run() if alone else nullcontext():
                with suppress(page_context.PageEnds), explain_shortage():
                    section(*args, **kwargs)
                if alone:
                    state.close_session(page)

        return st.fragment(drawn)

    return decorate


def polled(seconds: float) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Decorate a section that is drawn again after some seconds, alone, to show how far a job is."""

    def decorate(section: Callable[P, None]) -> Callable[P, None]:
        @wraps(section)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            with explain_shortage():
                section(*args, **kwargs)

        return st.fragment(drawn, run_every=seconds)

    return decorate


@contextmanager
def explain_shortage() -> Iterator[None]:
    """Say on the page that memory was too short for what is drawn here, or what of the workspace cannot be used, such
    as its database or a damaged file; the page goes on after it.

    The message is drawn when the error, and with it what the failed computation held, is gone.
    """
    problems: Sequence[Problem] = ()
    try:
        yield
    except InputError as error:
        problems = error.problems
    except (MemoryError, ImportError, OSError, RuntimeError) as error:
        if not lacks_memory(error):
            raise
        problems = [Problem("out-of-memory/page")]
    finally:
        release_import_lock()
    if problems:
        elements.problems(problems, "shortage")


def is_alone() -> bool:
    """Whether this script run draws a section alone."""
    context = get_script_run_ctx(suppress_warning=True)
    return bool(context and context.fragment_ids_this_run)
