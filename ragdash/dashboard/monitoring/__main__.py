"""Streamlit, with the status server if asked for: `python -m ragdash.dashboard.monitoring run app.py ...`."""

from __future__ import annotations

import logging
import os
import sys
from importlib import import_module
from threading import Event

from ragdash.core.console import DroppingStream, open_standard_streams, print_note
from ragdash.core.storage.addresses import PAGES

_started = Event()


def main() -> None:
    """Serve the pages until the process is stopped; a full disk behind its messages neither ends nor keeps it."""
    open_standard_streams()
    import_module("ragdash.__main__").keep_no_bare_traceback()
    logging.getLogger("asyncio").addFilter(_is_logged)
    sys.stdout = DroppingStream(sys.stdout or sys.stderr)
    from streamlit import net_util
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.web import bootstrap, cli

    PagesManager.uses_pages_directory = False  # else the first visit shows a menu of the files in pages/
    net_util.get_external_ip = lambda: None  # else each refused connection asks a host on the internet for our address
    bootstrap._print_url = _print_address  # called once connections are accepted
    from ragdash.core.arrow_columns import leave_pandas_out
    from ragdash.dashboard.auth.secrets_file import tell_unreadable
    from ragdash.dashboard.monitoring import left_uploads, log_lines, upload_spool
    from ragdash.dashboard.monitoring.theme_message import keep_theme_messages
    from ragdash.dashboard.monitoring.warm_up import IDLE_STEPS, warm_up

    left_uploads.pass_over()
    log_lines.shorten()
    upload_spool.use()
    keep_theme_messages()
    tell_unreadable()
    leave_pandas_out()
    os.environ[PAGES] = "1"
    if os.environ.get("RAGDASH_STATUS"):
        from ragdash.dashboard.monitoring.status_server import VARIABLE, serve

        warm_up()
        serve(os.environ[VARIABLE], words=sys.argv)
    else:
        IDLE_STEPS.after_first_page()
    cli.main(prog_name="streamlit")


def _print_address(_) -> None:
    _started.set()
    from streamlit import config
    from streamlit.web.server import server_util

    host = server_util.get_display_address(config.get_option("server.address") or "localhost")
    host = f"[{host}]" if ":" in host else host  # of version 6
    print_note(f"ragdash: {server_util.get_url(host)} (stop with Ctrl+C)")


def _is_logged(record: logging.LogRecord) -> bool:
    """Whether a line of asyncio belongs there: a server that does not start fails in a task, and `main` says why."""
    return _started.is_set()


def _settings_errors() -> tuple[type[Exception], ...]:
    """What Streamlit raises at its start for settings that it cannot use."""
    known = sys.modules.get("streamlit.errors")
    return (OSError, RuntimeError, ValueError, *([known.Error] if known else ()))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # before Streamlit awaits it
        sys.exit(130)
    except SystemExit as end:  # status 1 means a missed bound
        if isinstance(end.code, str):
            print_note(f"error: {end.code}")
        sys.exit(2 if end.code == 1 or isinstance(end.code, str) else end.code)
    except _settings_errors() as error:
        if _started.is_set():
            raise
        print_note(f"error: Streamlit does not start with these settings ({type(error).__name__}: {error})")
        sys.exit(2)
