"""Limits for decompressed files, tables and ids."""

from __future__ import annotations

MAX_BYTES = 1 << 30  # bytes of text in a compressed file or an archive, held in memory; as much as an upload
ESTIMATE_AFTER = 64 << 20  # bytes after which the size is estimated from the growth so far
MAX_RATIO = 200  # texts shrink to a hundredth at most; bombs grow a thousandfold
HARMLESS_BYTES = 64 << 20  # bytes that are read whatever the ratio
MAX_COLUMNS = 20_000
MAX_ID_BYTES = 1 << 20  # bytes; a question may be one
MAX_ROWS_PER_BYTE, HARMLESS_ROWS = 4, 1_000_000  # of a Parquet file; rows that are read whatever its size
MAX_GROWTH = 8  # a Parquet file's size, where it becomes half of the largest
MAX_CELLS = 20_000_000  # of a sheet, which is held in memory as a rectangle


def is_bomb(grown: int, packed: int) -> bool:
    """True for data that decompresses to far more than text would."""
    return grown > HARMLESS_BYTES and grown > MAX_RATIO * max(packed, 1)


def will_exceed_limit(grown: int, position: int, packed: int) -> bool:
    """True if a file that decompressed to `grown` bytes up to this position will exceed the limit by far."""
    return grown >= ESTIMATE_AFTER and grown * packed > 2 * MAX_BYTES * max(position, 1)
