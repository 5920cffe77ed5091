"""Imports that no visitor waits for: the modules of all pages and the packages they use.

A server with a status address imports them before its first page. Any other shows its first page with what that page
needs, and imports the rest while nobody's page is drawn.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import logging
import pkgutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ragdash.dashboard import pages
from ragdash.dashboard.monitoring.short_memory import left_to_pages

STATISTICS = "scipy.special"
FIRST = (STATISTICS, "plotly.graph_objects", "ragdash.dashboard.pages.compare.page",
         "ragdash.dashboard.pages.overview.page")  # the pages that most open next, and what they use
OTHERS = ("pyarrow.compute", "pandas", "pandas.io.formats.style", "pyarrow.pandas_compat", "pyarrow.parquet",
          "PIL.Image", "streamlit.material_icon_names", "ragdash.dashboard.shell")
DELAY = 0.3  # seconds after the first page, which a browser still asks for its pictures


def warm_up() -> None:
    """Import them. It takes about two seconds of processor time, which no visitor waits for then."""
    logging.disable(logging.WARNING)  # Streamlit warns at each cached function that no server runs yet
    try:
        for step in (*_first_steps(), *_other_steps()):
            step()
    finally:
        logging.disable(logging.NOTSET)


def import_statistics() -> None:
    """Import what intervals need in a thread, while files are read; where a page needs it meanwhile, it waits."""
    if STATISTICS not in sys.modules:
        threading.Thread(target=_import_statistics, name="ragdash-import", daemon=True).start()


def _import_statistics() -> None:
    with left_to_pages():
        importlib.import_module(STATISTICS)


def _first_steps() -> list[Callable[[], object]]:
    # Streamlit looks at the stack before its first element, which looks up the file of every module
    return [*map(_importing, FIRST), inspect.stack]


def _other_steps() -> list[Callable[[], object]]:
    def freeze() -> None:
        gc.collect()
        gc.freeze()  # the first page would look through all of it when its runs are loaded

    modules = [module.name for module in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}.")]
    return [*map(_importing, (*OTHERS, *modules)), inspect.stack, freeze]


def _importing(name: str) -> Callable[[], object]:
    return lambda: importlib.import_module(name)


class IdleSteps:
    """Does steps one by one after the first page, each while no page is drawn. Threads may share it.

    A page that comes during a step waits for its end: two threads that import the same modules in another order
    could see one that is half imported. The steps of `others` also wait while the first view of a page is computed,
    which a visitor may ask for at any moment.
    """

    def __init__(self, first: Callable[[], Sequence[Callable[[], object]]],
                 others: Callable[[], Sequence[Callable[[], object]]], delay: float = DELAY):
        self._first, self._others, self._delay = first, others, delay
        self._changed = threading.Condition()
        self._pages, self._views, self._in_step, self._is_wanted, self._is_first_wanted = 0, 0, False, False, True

    def after_first_page(self) -> None:
        """Ask for the steps; they begin when a page has been drawn."""
        self._is_wanted = True

    @contextmanager
    def page(self) -> Iterator[None]:
        """No step is done during this block."""
        with self._changed:
            self._changed.wait_for(lambda: not self._in_step)
            self._pages += 1
        try:
            yield
        finally:
            with self._changed:
                self._pages -= 1
                self._changed.notify_all()
                begins, self._is_wanted = self._is_wanted, False
            if begins:
                threading.Thread(target=self._work, name="ragdash-warm-up", daemon=True).start()

    @contextmanager
    def view(self) -> Iterator[None]:
        """No step of `others` begins during this block; those of `first` do, in a thread."""
        with self._changed:
            self._views += 1
        threading.Thread(target=self._do_first, name="ragdash-warm-up-first", daemon=True).start()
        try:
            yield
        finally:
            with self._changed:
                self._views -= 1
                self._changed.notify_all()

    def _work(self) -> None:
        time.sleep(self._delay)
        self._do_first()
        for step in self._others():
            self._do(step, lambda: not self._pages and not self._views)

    def _do_first(self) -> None:
        with self._changed:
            begins, self._is_first_wanted = self._is_first_wanted, False
        for step in self._first() if begins else ():
            self._do(step, lambda: not self._pages)

    def _do(self, step: Callable[[], object], may_begin: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: may_begin() and not self._in_step)
            self._in_step = True
        try:
            with left_to_pages():
                step()
        finally:
            with self._changed:
                self._in_step = False
                self._changed.notify_all()


IDLE_STEPS = IdleSteps(_first_steps, _other_steps)
"""Those of this server."""
