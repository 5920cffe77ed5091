"""How large things may become before they are refused: decompressed files, tables, lines."""

from __future__ import annotations

LARGEST = 4 << 30  # bytes of text in a compressed file or an archive
RATIO = 200  # texts shrink to a hundredth at most; bombs grow a thousandfold
HARMLESS = 64 << 20  # bytes that are read whatever the ratio
MOST_COLUMNS = 20_000
MOST_ROWS_A_BYTE = 50  # of a Parquet file
MOST_CELLS = 20_000_000  # of a sheet, which is held in memory as a rectangle


def is_bomb(grown: int, packed: int) -> bool:
    """True for data that becomes far larger than text would."""
    return grown > HARMLESS and grown > RATIO * max(packed, 1)


def size(count: int) -> str:
    """Bytes in words: "1.5 GB"."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
