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
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

PACKAGES = ("scipy.special", "plotly.graph_objects", "pyarrow.compute", "pandas", "pandas.io.formats.style",
            "pyarrow.pandas_compat", "pyarrow.parquet", "PIL.Image", "streamlit.material_icon_names",
            "ragdash.dashboard.shell")
DELAY = 1.0  # seconds after the first page, which a browser still asks for its pictures


def warm_up() -> None:
    """Import them. It takes about two seconds of processor time, which no visitor waits for then."""
    logging.disable(logging.WARNING)  # Streamlit warns at each cached function that no server runs yet
    try:
        for step in _steps():
            step()
    finally:
        logging.disable(logging.NOTSET)


def _steps() -> list[Callable[[], object]]:
    from ragdash.dashboard import pages

    def freeze() -> None:
        gc.collect()
        gc.freeze()  # the first page would look through all of it when its runs are loaded

    def importing(name: str) -> Callable[[], object]:
        return lambda: importlib.import_module(name)

    modules = [module.name for module in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}.")]
    # Streamlit looks at the stack before its first element, which looks up the file of every module
    return [*map(importing, (*PACKAGES, *modules)), inspect.stack, freeze]


class IdleSteps:
    """Does steps one by one after the first page, each while no page is drawn. Threads may share it.

    A page that comes during a step waits for its end: two threads that import the same modules in another order
    could see one that is half imported.
    """

    def __init__(self, steps: Callable[[], Sequence[Callable[[], object]]], delay: float = DELAY):
        self._steps, self._delay = steps, delay
        self._changed = threading.Condition()
        self._pages, self._in_step, self._is_wanted = 0, False, False

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

    def _work(self) -> None:
        time.sleep(self._delay)
        for step in self._steps():
            with self._changed:
                self._changed.wait_for(lambda: self._pages == 0)
                self._in_step = True
            try:
                step()
            finally:
                with self._changed:
                    self._in_step = False
                    self._changed.notify_all()


IDLE_STEPS = IdleSteps(_steps)
"""Those of this server."""
