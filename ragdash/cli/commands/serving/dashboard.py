"""`ragdash dashboard`: start the dashboard with files already loaded."""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ragdash.cli.common_options import whole_number
from ragdash.cli.streamlit_files import problems_of_files
from ragdash.core.console import print_note
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import PACKAGE, home, real_path, split_name, workspace
from ragdash.core.storage.addresses import BLOBS, WORKSPACE, is_address
from ragdash.core.storage.temporary_folders import remove_leftovers
from ragdash.core.text.quoted import printable
from ragdash.core.validation import bad_switches
from ragdash.io.recorded.folder import is_recorded_folder
from ragdash.io.source.source import Source
from ragdash.models.judge.allowed_hosts import VARIABLE, AllowedHosts
from ragdash.workspace import Workspace, open_workspace

READ_ONLY, WATCH_ALL = "RAGDASH_READ_ONLY", "RAGDASH_WATCH_ALL"  # as the pages read them
STATUS = "RAGDASH_STATUS"  # as ragdash.dashboard.monitoring reads it
MEMORY = "RAGDASH_MEMORY"  # as the pages read it
STREAMLIT = {"--server.port": "--port", "--server.address": "--host", "--server.headless": "--no-browser"}
# options of Streamlit that ragdash has too
MOST_BYTES = 120_000  # of a variable of the environment, of which Linux takes 128 KiB
AHEAD = "RAGDASH_AHEAD"  # as ragdash.dashboard.jobs.ahead reads it; "0" computes nothing before a page asks for it


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = "Options behind -- go to Streamlit."
    parser.add_argument("files", nargs="*", metavar="FILE", help="runs and ground truth, recognized by content")
    parser.add_argument("--logdir", metavar="DIR", help="folder of recorded runs, which appear when they are closed")
    add_server_options(parser)


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `ragdash view` has too."""
    parser.add_argument("--truth", action="append", metavar="TRUTH", help="a file to read as ground truth")
    parser.add_argument("--workspace", metavar="DIR", help="where uploaded runs and ground truth are kept: a folder, "
                        "or postgresql://user@host/database; default: RAGDASH_WORKSPACE, else a folder of the user")
    parser.add_argument("--blobs", metavar="URL", help="where the files of a workspace in a database are: "
                        "s3://bucket/prefix, gs://, az:// or file:///folder; default: RAGDASH_BLOBS, else the database")
    parser.add_argument("--read-only", action="store_true", help="show the workspace, without upload or change")
    parser.add_argument("--judge-hosts", metavar="HOST,...", help='hosts that LLM judges may be called at, with or '
                        'without a port; "public" for all on the internet (default: any host without a login, public '
                        "hosts with one)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1, for this "
                        "machine alone)")
    parser.add_argument("--port", type=whole_number(1, 65_535), help="port to listen at (default: the first free one)")
    parser.add_argument("--status", metavar="[HOST:]PORT", help="answer there whether the server is ready (/ready), "
                        "and with numbers for Prometheus (/metrics); default: nowhere")
    parser.add_argument("--no-browser", action="store_true", help="open no browser")


def run(options: argparse.Namespace) -> int:
    """Start Streamlit as a process of its own, with the files already loaded; returns its exit status."""
    os.getcwd()  # Streamlit asks for it: the error of a folder that was deleted belongs before its start
    _check_files([split_name(text)[1] for text in (*options.files, *(options.truth or ()))])
    if options.logdir and Path(options.logdir).exists() and not Path(options.logdir).is_dir():
        raise InputError([Problem("no-log-folder", {}, options.logdir, field="logdir")])
    _check_settings(options)
    _check_host(options.host)
    paths = {"RAGDASH_FILES": options.files, "RAGDASH_TRUTH": options.truth or ()}
    environment = {**os.environ, **{key: _path_list(files) for key, files in paths.items()},
                   AHEAD: os.environ.get(AHEAD, "1"),
                   **({READ_ONLY: "1"} if options.read_only else {}),
                   **({"RAGDASH_WATCH": str(real_path(Path(options.logdir).expanduser()))} if options.logdir else {})}
    if options.judge_hosts is not None:
        environment[VARIABLE] = options.judge_hosts
    AllowedHosts.parse(environment.get(VARIABLE, ""))
    environment |= _workspace(options) | _imports()
    remove_leftovers()
    port = options.port or _free_port(options.host)
    _check_address(options.host, port)
    status, field = (options.status, "--status") if options.status else (environment.pop(STATUS, ""), STATUS)
    if status:
        environment[STATUS] = _status_address(status, port, field)
    command = [sys.executable, "-m", "ragdash.dashboard.monitoring", "run", str(home() / "app.py"),
               f"--server.port={port}", f"--server.headless={str(options.no_browser).lower()}",
               f"--server.address={options.host}", *options.streamlit]
    if options.logdir and not Path(environment["RAGDASH_WATCH"]).exists():
        print_note(f"ragdash: there is no folder {environment['RAGDASH_WATCH']} yet; runs recorded there will appear")
    print_note("ragdash: starting; the address follows once the pages can be opened")
    if os.name == "posix":
        os.execve(sys.executable, command, environment)  # in our place, so that signals reach it
    return subprocess.run(command, env=environment, check=False).returncode


def _imports() -> dict[str, str]:
    """The variables by which the pages import this ragdash, and not one that lies in the current folder."""
    checkout = PACKAGE.parent
    if not (checkout / "app.py").is_file():
        return {"PYTHONSAFEPATH": "1"}
    return {"PYTHONSAFEPATH": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, (str(checkout), os.environ.get("PYTHONPATH"))))}


def _check_files(paths: Sequence[str]) -> None:
    """Raises InputError with all paths that are neither files nor folders of a recorded run."""
    problems: list[Problem] = []
    for path in paths:
        if Path(path).is_file() or is_recorded_folder(Path(path)):
            continue
        if not Path(path).is_dir():
            problems.append(Problem("no-such-file", {}, path))
            continue
        try:
            Source(path).stream()
        except InputError as error:  # which names the files in the folder
            problems += error.problems
    if problems:
        raise InputError(problems)


def _check_settings(options: argparse.Namespace) -> None:
    """Raise InputError where a setting means nothing, or an option of Streamlit would make what is printed wrong."""
    memory = os.environ.get(MEMORY, "").strip()
    with suppress(ValueError):
        if not memory or 0 < float(memory) < float("inf"):
            memory = ""
    problems = [Problem("bad-memory-limit", {"value": memory}, field=MEMORY)] if memory else []
    for given in options.streamlit:
        if (ours := STREAMLIT.get(given.partition("=")[0])) is not None:
            problems.append(Problem("streamlit-option", {"given": given, "ours": ours}))
    problems += problems_of_files()
    problems += bad_switches((READ_ONLY, AHEAD, WATCH_ALL))
    if problems:
        raise InputError(problems)


def _workspace(options: argparse.Namespace) -> dict[str, str]:
    """The variables that name the workspace; InputError where it cannot be used."""
    named = options.workspace or os.environ.get(WORKSPACE, "")
    if is_address(named):
        blobs = options.blobs or os.environ.get(BLOBS, "")
        open_workspace(named, blobs or None, read_only=options.read_only).check()
        return {WORKSPACE: named, BLOBS: blobs}
    if options.blobs:
        raise InputError([Problem("bad-blob-address/folder", {}, field="blobs")])
    if not options.workspace and not options.read_only:
        return {}
    folder = real_path(Path(options.workspace).expanduser()) if options.workspace else workspace()
    Workspace(folder, options.read_only).check()
    return {WORKSPACE: str(folder)}


def _status_address(text: str, pages: int, field: str) -> str:
    """The address of the status server as host:port; InputError where nobody can listen there."""
    host, _, port = text.rpartition(":")
    if not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) < 65_536:
        raise InputError([Problem("bad-status-address", {"value": text}, field=field)])
    if int(port) == pages:
        facts = {"host": host or "127.0.0.1", "port": port, "reason": "the pages are served there"}
        raise InputError([Problem("port-in-use", facts, field=field)])
    _check_host(host, field)
    _check_address(host.strip("[]") or "127.0.0.1", int(port), field)
    return f"{host or '127.0.0.1'}:{port}"


def _path_list(files: Sequence[str]) -> str:
    """The files with absolute paths as a JSON list, since a name may hold any separator; InputError for too many."""
    named = [(name, real_path(path)) for name, path in map(split_name, files)]
    text = json.dumps([f"{name}={path}" if name else str(path) for name, path in named], ensure_ascii=False)
    if len(os.fsencode(text)) > MOST_BYTES:
        raise InputError([Problem("too-many-files/command", {"files": len(files)})])
    return text


def _check_host(host: str, field: str = "--host") -> None:
    """Raise InputError for a text that can be no name of a host: sockets raise other errors for it."""
    try:
        host.encode("idna")
    except UnicodeError as error:
        facts = {"host": printable(host), "reason": str(error)}
        raise InputError([Problem("no-host", facts, field=field)]) from None


def _check_address(host: str, port: int, field: str = "--port") -> None:
    """Raise InputError unless a server can listen there; otherwise the browser would show another program's pages."""
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        facts = {"host": host, "port": str(port), "reason": reason}
        raise InputError([Problem("port-in-use", facts, field=field)]) from None


def _free_port(host: str, first: int = 8501) -> int:
    """The first port from `first` on that nobody listens at; any free one if there is none near."""
    for port in (*range(first, first + 100), 0):
        with socket.socket() as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return probe.getsockname()[1]
    return first
