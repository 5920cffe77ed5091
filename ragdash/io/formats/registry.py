"""The registry of file formats. A format is one file of this folder or of a folder below, which registers its name,
detection and readers. To add a format, write such a file: it is imported because it is there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from ragdash.core.errors import Problem
from ragdash.core.records import Run, Truth
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats.file_start import FileStart
from ragdash.io.source.source import Source


def _no_reader(source: Source, *_name: str | None) -> NoReturn:
    raise LookupError(f"{source.file}: files of this format are read by ragdash.io itself")


@dataclass(frozen=True)
class Format:
    """A format that is read. Archives and folders have no readers: `ragdash.io` reads the files in them."""

    name: str
    title: str
    read_runs: Callable[[Source, str | None], list[Run]] = _no_reader
    read_truth: Callable[[Source], Truth] = _no_reader


@dataclass(frozen=True)
class Writer:
    """A format that is written, and the file name endings that select it. `order` is the place in lists of formats."""

    name: str
    order: int
    endings: tuple[str, ...]
    write_run: Callable[[Run, str | os.PathLike], tuple[Problem, ...]]
    write_truth: Callable[[Truth, str | os.PathLike], tuple[Problem, ...]]


Detector = Callable[[FileStart], DetectedFormat | None]


class Registry:
    """All formats by name, and how a file's format is detected."""

    def __init__(self) -> None:
        self._formats: dict[str, Format] = {}
        self._writers: dict[str, Writer] = {}
        self._detectors: list[tuple[bool, int, str, Detector]] = []

    def register(self, *formats: Format, kind: str = "", order: int = 0, detect: Detector | None = None,
                 guess: Detector | None = None, writer: Writer | None = None) -> None:
        """Add formats that are detected together.

        Parameters
        ----------
        kind
            What kind of file the detectors look at: container, json or text.
        order
            Among the formats of a kind, lower orders are tried first.
        detect
            Recognizes a file by its beginning; None where it is of another format.
        guess
            As detect, for files that no format has recognized for sure.
        writer
            How to write one of the formats.
        """
        self._formats.update((item.name, item) for item in formats)
        for is_guess, detector in enumerate((detect, guess)):
            if detector is not None:
                self._detectors.append((bool(is_guess), order, kind, detector))
        self._detectors.sort(key=lambda item: item[:2])
        if writer is not None:
            self._writers[writer.name] = writer

    def detect(self, start: FileStart) -> DetectedFormat | None:
        """The first detection of a file's format: of the sure detectors, then of the guesses."""
        for _, _, kind, detector in self._detectors:
            if kind == start.kind and (detection := detector(start)) is not None:
                return detection
        return None

    def __iter__(self) -> Iterator[Format]:
        return iter(self._formats.values())

    def get(self, name: str) -> Format | None:
        """The format of this name; None for an unknown one."""
        return self._formats.get(name)

    def title(self, name: str) -> str:
        """The name of a format for people; an unknown one has its own name."""
        return self._formats[name].title if name in self._formats else name

    @property
    def writers(self) -> dict[str, Writer]:
        """{name: writer}, in the order of lists."""
        return {item.name: item for item in sorted(self._writers.values(), key=lambda item: item.order)}


FORMATS = Registry()
