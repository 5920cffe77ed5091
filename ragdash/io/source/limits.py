"""How large things may become before they are refused: decompressed files, tables, lines."""

from __future__ import annotations

LARGEST = 1 << 30  # bytes of text in a compressed file or an archive, held in memory; as much as an upload
FORESEEN = 64 << 20  # bytes after which a size is told from how a file grew so far
RATIO = 200  # texts shrink to a hundredth at most; bombs grow a thousandfold
HARMLESS = 64 << 20  # bytes that are read whatever the ratio
MOST_COLUMNS = 20_000
LONGEST_ID = 1 << 20  # bytes; a question may be one
MOST_ROWS_A_BYTE, HARMLESS_ROWS = 4, 1_000_000  # of a Parquet file; rows that are read whatever its size
MOST_TIMES = 8  # a Parquet file's size, where it becomes half of the largest
MOST_CELLS = 20_000_000  # of a sheet, which is held in memory as a rectangle


def is_bomb(grown: int, packed: int) -> bool:
    """True for data that becomes far larger than text would."""
    return grown > HARMLESS and grown > RATIO * max(packed, 1)


def is_bound_to(grown: int, at: int, packed: int) -> bool:
    """True where a file that gave so much up to this place of it must become far larger than what is read."""
    return grown >= FORESEEN and grown * packed > 2 * LARGEST * max(at, 1)


def size(count: int) -> str:
    """Bytes in words: "1.5 GB"."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
