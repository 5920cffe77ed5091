"""Open a path or an upload, compressed or not, as UTF-8 text without a byte order mark."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import os
import re
import shlex
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NoReturn

import pyarrow as pa

from ragdash.core.errors import Collector, InputError, Problem
from ragdash.core.paths import read_input
from ragdash.io.source.free_memory import too_little_memory
from ragdash.io.source.limits import MAX_BYTES, is_bomb, will_exceed_limit
from ragdash.io.source.markdown_table import is_markdown_table, without_bars
from ragdash.io.source.mixed_encoding import MIXED, MOST_MIXED_BYTES, decode_mixed, find_odd_byte
from ragdash.io.source.read_progress import has_callback, open_bytes, open_file
from ragdash.io.source.yaml_text import ENDINGS, MOST_YAML_BYTES, YamlError, as_json

HEAD_BYTES = 1 << 16  # bytes looked at to find the format
BOM = b"\xef\xbb\xbf"
_INNER_MARK = b"\n" + BOM  # where files were joined
SUFFIXES = {".gz", ".bz2", ".trec", ".run", ".res", ".txt", ".qrels", ".qrel", ".jsonl", ".ndjson", ".json",
            ".csv", ".tsv", ".zst", ".zip", ".xlsx", ".xlsm", ".parquet", ".pq", *ENDINGS}
CHUNK_BYTES = 16 << 20  # bytes decompressed at a time
DECOMPRESSION_ERRORS = (EOFError, OSError, zlib.error, ValueError)  # what the decompressors raise


@dataclass(frozen=True)
class Compression:
    """A compression, known by its first bytes; `open` returns the decompressed stream."""

    name: str
    magic: bytes
    open: Callable[[BinaryIO], BinaryIO]


COMPRESSIONS = (
    Compression("gzip", b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream, mode="rb")),
    Compression("bzip2", b"BZh", lambda stream: bz2.BZ2File(stream)),
    Compression("zstd", b"\x28\xb5\x2f\xfd",
                lambda stream: pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd")),
)
BINARY_TYPES = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook"), (b"PAR1", "a Parquet file"), (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"), (b"\xff\xd8\xff", "a picture"),
    (b"\xfd7zXZ", "an xz file"), (b"7z\xbc\xaf", "a 7-Zip archive"), (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"SQLite format 3", "an SQLite database"), (b"ARROW1", "an Arrow file"), (b"\x80\x04\x95", "a Python pickle"),
)
CONTAINERS = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"PAR1": "parquet"}  # an XLSX workbook is a zip archive too
BYTE_ORDER_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
         (codecs.BOM_UTF16_BE, "utf-16"))
MAGIC_BYTES = (*(kind.magic for kind in COMPRESSIONS), *(magic for magic, _ in BINARY_TYPES), *CONTAINERS)
_LFS_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v\d+\s+(?:ext-\S+ \S+\s+)*oid \S+\s+size (\d{1,18})\s*\Z")
_WINDOWS_PATH = re.compile(r"[A-Za-z]:\\|\\\\[^\\]")
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c\x1d\x1f]")
_TEXT_PER_ZERO = 20  # bytes of a text with single zero bytes, for each of them; fewer are binary data


class Source:
    """One file to read. `file` is its name in problems, `name` its name without folder and known endings."""

    def __init__(self, source: str | os.PathLike | tuple[str, bytes], encoding: str = "utf-8",
                 mapping: Mapping[str, str] | None = None):
        self.mapping = dict(mapping or {})
        self._path = self._content = self._odd_byte = None
        self._inner_marks: tuple[int, int] | None = None  # line of the first one, how many
        if isinstance(source, tuple):
            if len(source) != 2 or not isinstance(source[1], bytes | bytearray | memoryview):
                raise InputError([Problem("python-object/file", {"kind": [type(part).__name__ for part in source]})])
            file, self._content = str(source[0]), bytes(source[1])
        elif not isinstance(source, str | os.PathLike):
            raise InputError([Problem("python-object/file", {"kind": [type(source).__name__]})])
        elif not os.fspath(source):
            raise InputError([Problem("empty-path")])
        else:
            self._path = Path(source)
            file = str(source)
            with suppress(OSError, ValueError):  # said where it is read
                if self._path.is_fifo():  # it can be read once only
                    self._content, self._path = read_input(source), None
        self.file = file.encode("utf-8", "backslashreplace").decode()  # a name that is not UTF-8 has half characters
        self.name = stem(self.file)
        self.encoding = self._check_encoding(encoding)
        raw = self._read(HEAD_BYTES)
        if not raw:
            self.fail("empty-file")
        if (free := too_little_memory(self.stored_size)) is not None:
            self.fail("out-of-memory/file", {"size": self.stored_size, "free": free})
        self._has_mark = raw.startswith(BOM)
        self.removes_zero_bytes = self._has_bars = self._is_yaml = False
        self.compression = next((c for c in COMPRESSIONS if raw.startswith(c.magic)), None)
        self.container = CONTAINERS.get(raw[:4])
        if self.container is None:
            self._check_text()

    def fail(self, message: str, facts: Mapping | None = None, line: int | None = None) -> NoReturn:
        """Raise an InputError with this one problem."""
        raise InputError([Problem(message, facts or {}, self.file, line)])

    def collector(self) -> Collector:
        """A Collector for the problems of this file."""
        problems = Collector(self.file)
        for problem in self.text_problems:
            problems.take(problem)
        return problems

    @property
    def text_problems(self) -> tuple[Problem, ...]:
        """The warnings about bytes of Windows-1252 in a text that should be UTF-8, and about marks within it."""
        result = []
        if (odd := self._odd_byte) is not None:
            facts = {"byte": odd.byte, "count": odd.count}
            result.append(Problem("wrong-encoding/windows-1252", {**facts, "word": odd.word}, self.file, odd.line,
                                  severity="warning") if odd.word else
                          Problem("wrong-encoding/mixed", {**facts, "character": odd.character}, self.file, odd.line,
                                  severity="warning"))
        if self._inner_marks is not None:
            line, count = self._inner_marks
            result.append(Problem("byte-order-marks", {"count": count}, self.file, line, severity="warning"))
        return tuple(result)

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB of the text in UTF-8; the last character may be cut."""
        return self.data[:HEAD_BYTES] if self._is_yaml else self._to_utf8(self._read_text(HEAD_BYTES), final=False)

    @cached_property
    def data(self) -> bytes:
        """The whole text in UTF-8 (not validated for UTF-8 files); of a YAML file as JSON."""
        text = self._to_utf8(self._read_text(), final=True)
        return self._from_yaml(text) if self._is_yaml else text

    @property
    def text(self) -> str:
        """The whole text, decoded; a byte that is not UTF-8 is a problem with its line."""
        return self._decode(self.data)

    @property
    def is_json(self) -> bool:
        """Whether the text begins as JSON does."""
        return self.container is None and self.head.lstrip()[:1] in (b"{", b"[")

    @property
    def raw(self) -> bytes:
        """The bytes of the stored file."""
        return self._read()

    @property
    def stored_size(self) -> int:
        """Size of the stored file in bytes."""
        return len(self._content) if self._path is None else self._path.stat().st_size

    def stream(self) -> BinaryIO:
        """A stream of the stored file."""
        try:
            return self._stream()
        except OSError as error:
            self._fail_unreadable(error)

    def lines(self) -> Iterator[bytes]:
        """The lines of the stored file."""
        with self.stream() as stream:
            yield from stream

    def arrow_file(self) -> pa.NativeFile:
        """The stored file as an Arrow input."""
        return pa.BufferReader(self._content) if self._path is None else pa.OSFile(os.fsencode(self._path))

    @property
    def plain_file(self) -> Path | None:
        """The path of a file that can be streamed as UTF-8 text; None where the text must come from `data`."""
        is_plain = self.compression is None and not self.needs_conversion
        return self._path if is_plain and "data" not in self.__dict__ else None

    @property
    def needs_conversion(self) -> bool:
        """Whether the (decompressed) bytes differ from the text in UTF-8."""
        return self.encoding != "utf-8" or self._has_mark or self._inner_marks is not None or (
            self.removes_zero_bytes or self._has_bars or self._is_yaml)

    def arrow_text(self) -> pa.NativeFile:
        """The text as an Arrow input."""
        if self.plain_file is None:
            data = self.data
            return pa.PythonFile(open_bytes(self.file, data), "r") if has_callback() else pa.BufferReader(data)
        return pa.PythonFile(self._stream(), "r") if has_callback() else pa.OSFile(os.fsencode(self.plain_file))

    def _check_encoding(self, encoding: str) -> str:
        try:
            "".encode(encoding)  # refuses codecs that are not of text, such as rot13
            name = codecs.lookup(encoding).name
        except (LookupError, ValueError, TypeError):
            self.fail("unknown-encoding", {"encoding": encoding})
        return "utf-8" if name == "utf-8-sig" else name

    def _stream(self) -> BinaryIO:
        return open_bytes(self.file, self._content) if self._path is None else open_file(self._path)

    def _read(self, size: int = -1) -> bytes:
        """Raw bytes of the file."""
        try:
            with self._stream() as stream:
                return stream.read(size)
        except (OSError, ValueError) as error:
            self._fail_unreadable(error)

    def _fail_unreadable(self, error: OSError | ValueError) -> NoReturn:
        if isinstance(error, FileNotFoundError):
            self.fail("no-such-file")
        if isinstance(error, IsADirectoryError):
            runs = sorted(str(header.parent) for header in self._path.glob("*/header.json"))
            if runs:
                self.fail("directory/log-folder", {"count": len(runs), "path": runs[-1]})
            self.fail("directory", {"files": _quoted_files(self._path)})
        self.fail("unreadable-file", {"reason": str(error)})

    def _read_text(self, size: int = -1) -> bytes:
        """Bytes of the text, decompressed."""
        if not self.compression:
            return self._read(size)
        try:
            with self._stream() as stream, self.compression.open(stream) as text:
                return text.read(size) if size >= 0 else self._decompress(text, stream)
        except InputError:
            raise
        except DECOMPRESSION_ERRORS as error:
            cut = "ended before" in str(error)
            self.fail("truncated-file" if cut else "corrupt-file/compressed",
                      {"type": self.compression.name, "error": str(error)})

    def _decompress(self, text: BinaryIO, stream: BinaryIO) -> bytes:
        """The decompressed content, never held twice in memory. Raises for decompression bombs."""
        packed, grown = self.stored_size, io.BytesIO()
        while chunk := text.read(CHUNK_BYTES):
            grown.write(chunk)
            count = grown.tell()
            if count > MAX_BYTES or is_bomb(count, packed) or will_exceed_limit(count, stream.tell(), packed):
                self.fail("zip-bomb", {"packed": packed, "size": count,
                          "estimate": count * packed / max(stream.tell(), 1), "most": MAX_BYTES})
        return grown.getvalue()

    def _to_utf8(self, raw: bytes, final: bool) -> bytes:
        """These bytes without byte order mark, converted to UTF-8 from the file's encoding."""
        if self.encoding == MIXED:
            raw = decode_mixed(raw, final).encode()
        elif self.encoding != "utf-8":
            try:
                raw = codecs.getincrementaldecoder(self.encoding)().decode(raw, final).encode()
            except (LookupError, ValueError, TypeError) as error:
                self.fail("wrong-encoding/other", {"error": str(error), "encoding": self.encoding})
        raw = raw.removeprefix(BOM)
        if self._has_mark or self._inner_marks is not None:
            raw = raw.replace(_INNER_MARK, b"\n")
        raw = raw.replace(b"\0", b"") if self.removes_zero_bytes else raw
        return without_bars(raw) if self._has_bars else raw

    def _check_text(self) -> None:
        """Raise for binary files, for undeclared UTF-16 and for files of white space only."""
        start = self._read_text(HEAD_BYTES)
        type_name = next((type_name for magic, type_name in BINARY_TYPES if start.startswith(magic)), None)
        if start[257:262] == b"ustar":
            type_name = "a tar archive"
        if type_name:
            self.fail("binary-file", {"type": type_name})
        if self.encoding == "utf-8":
            wide = next(
                (name for mark, name in BYTE_ORDER_MARKS if start.startswith(mark)), None
            ) or _utf16_without_mark(start)
            if wide:
                self.fail("wrong-encoding", {"type": wide.upper(), "encoding": wide}, line=1)
        pointer = _LFS_POINTER.match(start)
        if pointer:
            self.fail("git-lfs", {"size": int(pointer[1])}, line=1)
        zeros = start.count(b"\0") if self.encoding == "utf-8" else 0
        self.removes_zero_bytes = 0 < zeros * _TEXT_PER_ZERO <= len(start) and not _CONTROL.search(start)
        if b"\0" in self.head:
            self.fail("binary-file/zero-bytes")
        if self.head.lstrip().startswith(b"|") and is_markdown_table(self.head):
            self._has_bars = True
            del self.head  # with the bars
        if self.encoding == "utf-8" and self.compression is None and self.stored_size <= MOST_MIXED_BYTES:
            text = self._read_text()
            self._odd_byte = find_odd_byte(text)
            if count := text.count(_INNER_MARK):
                self._inner_marks = text.count(b"\n", 0, text.find(_INNER_MARK)) + 2, count
        if self._odd_byte is not None:
            self.encoding = self._odd_byte.encoding
        if self._odd_byte is not None or self._inner_marks is not None:
            self.__dict__.pop("head", None)  # with these bytes as they are, without these marks
        if not self.head.strip() and (len(start) < HEAD_BYTES or not self.data.strip()):
            self.fail("empty-file/white-space" if start else "empty-file")
        if self.file.lower().endswith(ENDINGS) and not self.is_json:
            self._is_yaml = True
            del self.head  # and the text, as JSON from here on
            self.__dict__.pop("data", None)

    def _from_yaml(self, text: bytes) -> bytes:
        if len(text) > MOST_YAML_BYTES:
            self.fail("invalid-yaml", {"error": f"more than {MOST_YAML_BYTES >> 20} MB, which take too long to read"})
        try:
            return as_json(self._decode(text))
        except YamlError as error:
            self.fail("invalid-yaml", {"error": str(error)}, error.line)

    def _decode(self, text: bytes) -> str:
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            line = text.count(b"\n", 0, error.start) + 1
            raise InputError([not_utf8_problem(self.file, text[error.start:error.start + 1], line)]) from None


def _quoted_files(folder: Path, most: int = 5) -> str:
    """The first files of a folder for a command line, and how many more there are."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError:  # such as a folder that this person must not list
        files = []
    names = " ".join(shlex.quote(str(path)) for path in files[:most])
    return f"{names} and {len(files) - most} more" if len(files) > most else names


def stem(file: str) -> str:
    """The file's name without folder and known endings: "runs/bm25.trec.gz" -> "bm25".

    A backslash is between folders on Windows and in a whole path of Windows; elsewhere it is a part of the name.
    """
    is_windows = os.sep == "\\" or _WINDOWS_PATH.match(file)
    name = (file.replace("\\", "/") if is_windows else file).rstrip("/").rsplit("/", 1)[-1]
    while True:
        root, ending = os.path.splitext(name)
        if ending.lower() not in SUFFIXES or not root:
            return name
        name = root


def not_utf8_problem(file: str | None, byte: bytes, line: int, field: str | None = None) -> Problem:
    """The problem of text in another encoding."""
    return Problem("wrong-encoding/byte", {"byte": byte.hex().upper()}, file, line, field)


def _utf16_without_mark(start: bytes) -> str | None:
    """utf-16-le or utf-16-be if nearly every second byte is zero, as in Latin text without a byte order mark."""
    pair_count = len(start) // 2
    if pair_count < 4:
        return None
    for name, zeros in (("utf-16-le", start[1::2].count(0)), ("utf-16-be", start[::2].count(0))):
        if zeros > 0.7 * pair_count and start.count(b"\0") < 1.3 * pair_count:  # else nearly all of it is zero bytes
            return name
    return None
