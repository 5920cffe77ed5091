"""What Compare shows first, computed in a thread of the server: a click may come before a process has started."""

from __future__ import annotations

from contextlib import suppress
from contextvars import copy_context
from threading import Thread

from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from ragdash.core.errors import InputError, Unavailable
from ragdash.dashboard.caches import shared_cache
from ragdash.dashboard.jobs.ahead import AheadRequest, records_of
from ragdash.dashboard.jobs.ahead_worker import first_steps
from ragdash.dashboard.monitoring.warm_up import IDLE_STEPS
from ragdash.dashboard.session import data_store

MOST = 5_000_000  # documents and judgments


def begin(request: AheadRequest) -> None:
    """Compute it in a thread, with the rights of this visitor; returns at once."""
    thread = Thread(target=copy_context().run, args=(compute, request), name="ragdash-first-view", daemon=True)
    add_script_run_ctx(thread, get_script_run_ctx())
    thread.start()


def compute(request: AheadRequest) -> None:
    """Compute it as long as the runs are there; nothing where they are large."""
    with IDLE_STEPS.view(), shared_cache.script_run(), shared_cache.silent():
        for step in first_steps(request):
            records = records_of(request)
            if not records or sum(len(record.docs) for record in records) > MOST:
                break
            with suppress(InputError, Unavailable), data_store.in_use(records):  # the page says why
                step()
