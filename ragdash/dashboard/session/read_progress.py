"""A progress bar while a file is read. The reading itself does not know of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime.scriptrunner import add_script_run_ctx

from ragdash.io.source.read_progress import report_progress
from ragdash.reporting.sentences import formatting as fmt

AFTER, EVERY = 0.3, 0.2  # seconds until the bar appears, and between two drawings


class _Bar(threading.Thread):
    """Draws from a thread of its own, since reading a file may spend seconds in one call.

    Only the script's own thread can be interrupted by Streamlit; the reading in it draws nothing, so nothing breaks in.
    """

    def __init__(self, slot, name: str, size: int, suffix: str):
        super().__init__(name="ragdash-progress", daemon=True)
        self._place, self._name, self._size, self._after = slot, name, size, suffix
        self._done = self._of = 0
        self._over = threading.Event()

    def told(self, file: str, read_bytes: int, size: int) -> None:
        """Where the reader is; called from any thread."""
        self._done, self._of = read_bytes, size

    def run(self) -> None:
        start, is_drawn = time.monotonic(), False
        while not self._over.wait(EVERY if is_drawn else AFTER):
            read_bytes, total_bytes, is_drawn = self._done, self._of, True
            text = progress_sentence(self._name, self._size, read_bytes, total_bytes, time.monotonic() - start)
            self._place.progress(min(read_bytes / total_bytes, 1.0) if total_bytes else 0.0, text + self._after)
        if is_drawn:
            self._place.empty()

    def end(self) -> None:
        """Take the bar away."""
        self._over.set()
        self.join()


def progress_sentence(name: str, size: int, read_bytes: int, total_bytes: int, seconds: float) -> str:
    """How far the reading of a file is, in words: its text is walked through, then its rankings are put in order.

    of: bytes of the text that is walked through, 0 where that is not known (or has not begun).
    """
    lead = f"Reading **{fmt.escape(name)}** ({fmt.file_size(size)})"
    clock = f"{seconds:.0f} s"
    if not total_bytes:
        return f"{lead} … {clock}"
    return (
        f"{lead}: {fmt.percent(min(read_bytes / total_bytes, 1))}, {clock}"
        if read_bytes < total_bytes
        else f"{lead}: read, sorting … {clock}"
    )


@contextmanager
def show_progress(slot, name: str, size: int, suffix: str = "") -> Iterator[None]:
    """Within it a file is read; place (an st.empty) shows the bar where that takes a moment."""
    bar = _Bar(slot, name, size, suffix)
    add_script_run_ctx(bar)
    bar.start()
    try:
        with report_progress(bar.told):
            yield
    finally:
        bar.end()
