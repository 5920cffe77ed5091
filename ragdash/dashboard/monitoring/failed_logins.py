"""Logins that fail at the provider: one line of the log says why, in place of a traceback."""

from __future__ import annotations

import logging

_LOGGER = "streamlit.web.server.starlette.starlette_auth_routes"


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
        reason = (str(error).splitlines() or [""])[0]
        record.msg, record.args = f"{record.getMessage()} ({type(error).__name__}: {reason})", ()
        record.exc_info = record.exc_text = None
    return True


def shorten() -> None:
    """Write them so from now on; a second call changes nothing."""
    logging.getLogger(_LOGGER).addFilter(as_one_line)
