"""Fields of the ground truth that the beginning of a long JSON file does not show: behind a long first record, in the
last columns, or in later records alone.
"""

from __future__ import annotations

import io
import re
from contextlib import closing

from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import QUERY_ALIASES, TRUTH_MARKERS
from ragdash.io.source.source import HEAD_BYTES, Source

_FORMATS = ("jsonl", "json-array", "json-object", "json-results", "json-columns")
_CHUNK_BYTES = 1 << 24
_MOST_BYTES = 1 << 26  # of a file that is searched
_LONGEST_NAME = 64
_NAMES = sorted({alias.removeprefix("vars.").partition(".")[0] for name in TRUTH_MARKERS
                 for alias in QUERY_ALIASES[name]})
_TRUTH_FIELD = re.compile(rb'"(?:' + b"|".join(re.escape(name.encode()).replace(b"_", b"[_ -]?") for name in _NAMES)
                          + rb')"\s*:\s*+(?!null\b|""|\[\s*\]|\{\s*\}|NaN\b)', re.IGNORECASE)


def may_hold_truth(source: Source, detected: DetectedFormat) -> bool:
    """Whether a run of JSON objects has a field named as one of the truth, with a value, behind its beginning."""
    if detected.role != "run" or detected.format not in _FORMATS or not HEAD_BYTES // 2 < source.stored_size < (
            _MOST_BYTES):
        return False
    with closing(io.BytesIO(source.data) if source.plain_file is None else source.stream()) as text:
        end = b""
        while chunk := text.read(_CHUNK_BYTES):
            if _TRUTH_FIELD.search(end + chunk):
                return True
            end = chunk[-_LONGEST_NAME:]
    return False


def is_unsearched(source: Source) -> bool:
    """Whether a file is too large to be searched, and its beginning shows no field of the truth."""
    return source.stored_size >= _MOST_BYTES and not _TRUTH_FIELD.search(source.head)
