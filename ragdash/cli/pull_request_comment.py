"""Post a text on the pull request or merge request of a pipeline; a comment of an earlier run is updated in place.

    python -m ragdash.cli.pull_request_comment gate.md --name retrieval

It reads the variables that GitHub Actions and GitLab CI set. Without a request, without a token, or on a fork, it says
so and does nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

from ragdash.core.console import open_standard_streams
from ragdash.core.text.quoted import printable

_ODD_TOKEN = "or one that is more than a line of ASCII"
_SECONDS, _PER_PAGE, _MOST_PAGES = 30, 100, 50


@dataclass(frozen=True)
class RequestThread:
    """Where the comments of a request are: listed and created at `comments`, changed at `comment` + id by `change`."""

    comments: str
    comment: str
    change: str
    headers: Mapping[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Post or update the comment; always exit status 0, because a comment is no result."""
    parser = argparse.ArgumentParser(prog="python -m ragdash.cli.pull_request_comment", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--name", default="retrieval", help="tells the comments of several gates apart")
    options = parser.parse_args(arguments)
    try:
        thread, reason = find_thread(os.environ)
        if thread is None:
            print(f"no comment: {printable(reason)}", file=sys.stderr)
            return 0
        print(printable(post(thread, options.name, options.file.read_text(encoding="utf-8"))), file=sys.stderr)
    except (OSError, ValueError, RecursionError, HTTPException) as error:  # no file, half an answer, no JSON
        print(f"no comment: {printable(str(error))}", file=sys.stderr)
    return 0


def find_thread(environment: Mapping[str, str]) -> tuple[RequestThread | None, str]:
    """The thread of the request that the pipeline runs for; None with the reason where there is none."""
    if environment.get("GITLAB_CI"):
        return _gitlab_thread(environment)
    if not environment.get("GITHUB_EVENT_PATH"):
        return None, "neither GitHub Actions nor GitLab CI"
    event = _as_object(json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8")))
    request = _as_object(event.get("pull_request"))
    if "number" not in request:
        return None, "not a pull request"
    repository, token = environment.get("GITHUB_REPOSITORY"), _token(environment, "GITHUB_TOKEN")
    if _as_object(_as_object(request.get("head")).get("repo")).get("full_name") != repository:
        return None, "the pull request is from a fork, which may not write"
    if not token:
        return None, f"no GITHUB_TOKEN, {_ODD_TOKEN}"
    base = f"{environment.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{repository}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return RequestThread(f"{base}/{request['number']}/comments", f"{base}/comments", "PATCH", headers), ""


def _token(environment: Mapping[str, str], name: str) -> str:
    """The secret without blanks around it; "" where it cannot be sent, for the error would show it in the log."""
    token = environment.get(name, "").strip()
    return token if token.isascii() and token.isprintable() else ""


def _gitlab_thread(environment: Mapping[str, str]) -> tuple[RequestThread | None, str]:
    number, token = environment.get("CI_MERGE_REQUEST_IID"), _token(environment, "RAGDASH_GITLAB_TOKEN")
    if not number:
        return None, "not a merge request"
    if not token:
        return None, f"no RAGDASH_GITLAB_TOKEN, which forks do not get, {_ODD_TOKEN}"
    project, server = environment.get("CI_PROJECT_ID"), environment.get("CI_API_V4_URL")
    if not project or not server:
        return None, "no CI_PROJECT_ID or no CI_API_V4_URL"
    notes = f"{server}/projects/{project}/merge_requests/{number}/notes"
    return RequestThread(notes, notes, "PUT", {"PRIVATE-TOKEN": token}), ""


def post(thread: RequestThread, name: str, text: str) -> str:
    """Update the comment of this name, or create it; returns what was done."""
    mark = f"<!-- ragdash gate: {name.replace('-->', '')} -->"
    body = {"body": f"{mark}\n{text}"}
    for page in range(1, _MOST_PAGES + 1):
        comments = _call(thread, f"{thread.comments}?per_page={_PER_PAGE}&page={page}", "GET")
        if not isinstance(comments, list):
            raise ValueError("an answer that is no list of comments")
        same = [comment["id"] for comment in map(_as_object, comments)
                if "id" in comment and str(comment.get("body", "")).startswith(mark)]
        if same:
            _call(thread, f"{thread.comment}/{same[0]}", thread.change, body)
            return "comment updated"
        if len(comments) < _PER_PAGE:
            break
    _call(thread, thread.comments, "POST", body)
    return "comment created"


def _as_object(value: object) -> dict:
    """A JSON object; an empty one where it is something else."""
    return value if isinstance(value, dict) else {}


def _call(thread: RequestThread, url: str, method: str, body: dict | None = None) -> list | dict:
    data = None if body is None else json.dumps(body).encode()
    headers = {**thread.headers, "Content-Type": "application/json"}
    with urlopen(Request(url, data, headers, method=method), timeout=_SECONDS) as response:
        return json.loads(response.read())


if __name__ == "__main__":
    open_standard_streams()
    sys.exit(main())
