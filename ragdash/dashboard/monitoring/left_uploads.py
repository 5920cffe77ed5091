"""Uploads whose page is closed or loaded again while they are sent: no fault, so the log has no traceback of them."""

from __future__ import annotations

import logging


def is_fault(record: logging.LogRecord) -> bool:
    """Whether a line of the server's log is about anything else than a browser that left.

    Examples
    --------
    >>> record = logging.makeLogRecord({"msg": "Exception in ASGI application"})
    >>> is_fault(record)
    True
    """
    error = record.exc_info[1] if record.exc_info else None
    return type(error).__name__ != "ClientDisconnect"  # of starlette, which other versions of Streamlit do not have


def pass_over() -> None:
    """Leave them out of the log; a second call changes nothing."""
    logging.getLogger("uvicorn.error").addFilter(is_fault)
