"""Detect the format and the role of a file from its beginning; its name does not count."""

from __future__ import annotations

from dataclasses import replace

from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import FORMATS
from ragdash.io.formats.file_start import FileStart
from ragdash.io.source.source import Source
from ragdash.io.tables.header import widest_header


def detect_source(source: Source) -> DetectedFormat:
    """Detect the format of an open source; "unknown" if no format recognizes it."""
    start = FileStart(source)
    detection = FORMATS.detect(start) or DetectedFormat(
        "unknown", "unknown", "neither JSON, nor a header with known column names, nor the columns of TREC files",
        widest_header(start.head))
    return replace(detection, compression=source.compression.name) if source.compression else detection
