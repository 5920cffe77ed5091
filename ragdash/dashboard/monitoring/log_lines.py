"""What others do wrong is one line of the log with its reason, in place of a traceback.

Logins that fail at the provider, and messages and requests of a visitor that are none.
"""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

from ragdash.core.paths import PACKAGE, home

_LOGINS = "streamlit.web.server.starlette.starlette_auth_routes"
_OUTSIDE = "uvicorn.error", "asyncio"
_MESSAGES = "streamlit.web.server.starlette.starlette_websocket"


def as_one_line(record: logging.LogRecord) -> bool:
    """Put the reason of a failed login into its line; always true, as the line stays.

    Examples
    --------
    >>> record = logging.makeLogRecord({"msg": "no token", "exc_info": (OSError, OSError("no route"), None)})
    >>> as_one_line(record), record.getMessage(), record.exc_info
    (True, 'no token (OSError: no route)', None)
    """
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        message, reason = ((text.splitlines() or [""])[0].rstrip() for text in (record.getMessage(), str(error)))
        record.msg, record.args = f"{message} ({type(error).__name__}: {reason})", ()
        record.exc_info = record.exc_text = None
    return True


def unreadable_as_one_line(record: logging.LogRecord) -> bool:
    """The same for a message that cannot be read; faults behind one that can keep their traceback."""
    from google.protobuf.message import DecodeError

    is_unreadable = record.exc_info and isinstance(record.exc_info[1], DecodeError)
    return as_one_line(record) if is_unreadable else True


def outside_as_one_line(record: logging.LogRecord) -> bool:
    """The same for a request that Streamlit and its server fail at, before any code of ragdash runs.

    Examples
    --------
    >>> error = KeyError("bytes")  # a text where its pages send bytes
    >>> record = logging.makeLogRecord({"msg": "Exception", "exc_info": (KeyError, error, None)})
    >>> outside_as_one_line(record), record.getMessage()
    (True, "Exception (KeyError: 'bytes')")
    """
    trace = record.exc_info[2] if record.exc_info else None
    ours = PACKAGE, home() / "app.py", home() / "pages"
    files = [Path(frame.filename) for frame in traceback.extract_tb(trace)]
    return True if any(file.is_relative_to(place) for file in files for place in ours) else as_one_line(record)


def shorten() -> None:
    """Write them so from now on; a second call changes nothing."""
    logging.getLogger(_LOGINS).addFilter(as_one_line)
    logging.getLogger(_MESSAGES).addFilter(unreadable_as_one_line)
    for name in _OUTSIDE:
        logging.getLogger(name).addFilter(outside_as_one_line)
