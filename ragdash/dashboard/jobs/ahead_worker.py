"""Computes what pages ask for first: `python -m ragdash.dashboard.jobs.ahead_worker FOLDER`, a request on stdin."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ragdash.core.errors import InputError, Unavailable
from ragdash.dashboard.monitoring.short_memory import left_to_pages

if TYPE_CHECKING:
    from ragdash.dashboard.jobs.ahead import AheadRequest
    from ragdash.dashboard.jobs.ahead_view import View

SECONDS = 180.0  # of processor time for a request
NICE = 19


def first_steps(request: AheadRequest) -> list[Callable[[], object]]:
    """What Compare shows first, at the cutoff of the sidebar."""
    view, templates = _view(request)
    return [partial(view.summaries, templates, [request.k]), partial(view.checks, request.template, request.k),
            *(partial(view.tests, template, request.k) for template in templates)]


def work_of(request: AheadRequest) -> Iterator[Callable[[], object]]:
    """What to compute, in order: what pages show first at the cutoff of the sidebar, then the same at other cutoffs."""
    from ragdash.dashboard.page_context import CUTOFFS

    view, templates = _view(request)
    yield from first_steps(request)
    for cutoffs in ([request.k], [k for k in CUTOFFS if k != request.k]):
        is_first = request.k in cutoffs
        pairs = [(template, k) for template in templates for k in cutoffs if is_first or template.endswith("@k")]
        if not is_first:
            yield partial(view.summaries, templates, cutoffs)
            yield from (partial(view.tests, *pair) for pair in pairs)
        yield from (partial(view.checks, *pair) for pair in pairs)
        yield from (partial(view.comparability, *pair) for pair in pairs)
        if is_first:
            yield partial(view.hybrid, request.template, request.k)
        for k in cutoffs:
            yield partial(view.rankings, k)
            yield partial(view.diagnoses, templates, k)
        for template in templates:
            for k in cutoffs:
                yield partial(view.leaderboard, template, k)


def _view(request: AheadRequest) -> tuple[View, list[str]]:
    """What computes, and the metrics of the leaderboard."""
    from ragdash.dashboard.jobs.ahead_view import View
    from ragdash.dashboard.page_context import COLUMNS

    return (View(request.runs, request.baseline, request.scope, request.truth_names),
            list(dict.fromkeys([request.template, *COLUMNS])))


def main(folder: Path, requests: IO[bytes], results: IO[bytes]) -> None:
    """Do the request, and write each result as it is there."""
    request = pickle.load(requests)
    from ragdash.dashboard.caches import kept_cache
    from ragdash.dashboard.jobs.ahead import read_record
    from ragdash.dashboard.jobs.ahead_results import ResultWriter
    from ragdash.dashboard.session.data_store import LOADED

    kept_cache.allow(request.may_keep)
    for digest in (*dict(request.runs), request.scope.truth_digest):
        LOADED.put(read_record(folder, digest))
    writer = ResultWriter(results, request.scope.truth.query_ids)
    for step in work_of(request):
        with suppress(InputError, Unavailable):  # the page says why
            step()
        writer.send()
        if time.process_time() > SECONDS:
            break
    kept_cache.wait()


def step_back() -> None:
    """Take the lowest priority there is.

    Linux shares processors among sessions (autogroups) first: within that of the server, even the lowest priority has
    as much as a browser on the same machine. So this process has a session of its own, which has the lowest one too.
    """
    if hasattr(os, "nice"):
        os.nice(NICE)
        with suppress(OSError):  # it leads its session already; a system without autogroups
            os.setsid()
            Path("/proc/self/autogroup").write_text(str(NICE))


if __name__ == "__main__":
    step_back()
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    with suppress(BrokenPipeError), os.fdopen(os.dup(1), "wb") as stream:  # broken: the server has ended
        os.dup2(2, 1)  # what a package prints is no result
        with left_to_pages():
            main(Path(sys.argv[1]), sys.stdin.buffer, stream)
