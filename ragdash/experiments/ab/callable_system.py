"""A callable that is asked: whatever it returns or raises is its answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson

from ragdash.core.errors import Caught, shorten
from ragdash.core.text.quoted import error_words
from ragdash.experiments.ab.command_system import Check, Said, Stop
from ragdash.experiments.ab.subprocess import Failed


@dataclass(frozen=True)
class Called:
    """A callable that takes the question and returns a mapping. Whatever it raises is reported as its failure.

    timeout: seconds after which its answer is no longer awaited (None: awaited for ever, and called in the thread
    that asks); it cannot be ended then, and takes time from what is asked next.
    """

    call: Callable[[str], Mapping]
    timeout: float | None = None
    version: str = ""

    def ask(self, query_id: str, question: str, stopped: Stop, check: Check) -> Said:
        """Call it; the time is that of the call alone."""
        capture = _Heard()
        if self.timeout is None:
            self._call(question, capture)
        else:
            thread = threading.Thread(target=self._call, args=(question, capture), daemon=True)
            thread.start()
            thread.join(self.timeout)
            if thread.is_alive():
                raise Failed("timeout", f"no answer within {self.timeout:g} s")
        if capture.error is not None:
            raise Failed("raised", shorten(error_words(capture.error), 300))
        if not isinstance(capture.value, Mapping):
            raise Failed("unusable-answer", f"{type(capture.value).__name__} returned, not a mapping with answer or "
                         "retrieved")
        try:
            text = orjson.dumps(dict(capture.value), option=orjson.OPT_SERIALIZE_NUMPY)
        except orjson.JSONEncodeError as error:
            raise Failed("unusable-answer", f"a value that JSON cannot hold ({error})") from None
        check(text)
        return Said(text, capture.ms)

    def _call(self, question: str, capture: _Heard) -> None:
        began = time.monotonic()
        with capture:
            capture.value = self.call(question)
        capture.ms = (time.monotonic() - began) * 1000

    def close(self) -> None:
        """Nothing is left running."""


class _Heard(Caught):
    """What a callable returned or raised."""

    value: object = None
    ms: float = 0.0
