"""The GitHub action and the GitLab job: their scripts run, with a server in place of the forge."""

import json
import os
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from helpers import run_of, truth_of

from ragdash.analysis.tracking import pin
from ragdash.cli import pull_request_comment
from ragdash.evaluation.evaluate import evaluate

ROOT = Path(__file__).parents[2]
QUERIES = [f"q{number}" for number in range(12)]


@pytest.fixture
def forge():
    """A forge with 100 comments of others; it keeps what is written."""
    comments = [{"id": number, "body": "other"} for number in range(100)]

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(length)) if length else None
            path, _, query = self.path.partition("?")
            reply = {}
            if self.command == "GET":
                page = int(query.rpartition("=")[2])
                reply = comments[100 * (page - 1):100 * page]
            elif self.command == "POST":
                comments.append({"id": len(comments), **content})
            else:
                comments[int(path.rpartition("/")[2])]["body"] = content["body"]
            requests.append((self.command, path, self.headers.get("Authorization") or self.headers["PRIVATE-TOKEN"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(reply).encode())

        do_GET = do_POST = do_PATCH = do_PUT = answer

        def log_message(self, *arguments):
            pass

    requests = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.comments, server.requests = comments, requests
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def project(tmp_path, forge):
    """Files of a project, and the environment of its pipeline."""
    truth = truth_of({query: ["a"] for query in QUERIES})
    for name, documents in (("good", ["a"]), ("poor", ["b", "a"])):
        (tmp_path / f"{name}.trec").write_text("".join(f"{query} Q0 {document} {rank} {-rank} r\n" for query in QUERIES
                                                       for rank, document in enumerate(documents)))
        if name == "good":
            run = run_of({query: documents for query in QUERIES}, "good")
            (tmp_path / "b.ragdash").write_bytes(pin(evaluate(run, truth, "RR"), truth, version="1").to_bytes())
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    event = {"pull_request": {"number": 7, "head": {"repo": {"full_name": "me/search"}}}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    url = f"http://127.0.0.1:{forge.server_address[1]}"
    paths = {name: str(tmp_path / file) for name, file in {
        "GITHUB_EVENT_PATH": "event.json", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "sum", "RUNNER_TEMP": "",
    }.items()}
    return {**paths, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
            "RUN": "poor.trec", "TRUTH": "qrels.txt", "BASELINE": "b.ragdash", "NAME": "search", "INSTALL": "",
            "GITHUB_REPOSITORY": "me/search", "GITHUB_API_URL": url, "GITHUB_TOKEN": "t",
            "CI_API_V4_URL": url, "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "7", "RAGDASH_GITLAB_TOKEN": "t"}


def step(environment, folder):
    """Run the step of the action; its status and its outputs."""
    (folder / "output").write_text("")
    done = subprocess.run(["bash", ROOT / "ci/github/gate.sh"], cwd=folder, env=environment, capture_output=True,
                          text=True, check=False)
    return done, dict(line.split("=", 1) for line in (folder / "output").read_text().splitlines())


@pytest.mark.slow
def test_the_action_comments_once_and_updates_its_comment(project, forge, tmp_path):
    done, outputs = step({**project, "ARGUMENTS": "--margin 0.02"}, tmp_path)
    assert done.returncode == 1 and (outputs["status"], outputs["tier"]) == ("1", "regression"), done.stderr
    assert json.loads(Path(outputs["result-json"]).read_text())["margin"] == 0.02
    assert "### Gate failed" in (tmp_path / "sum").read_text()
    assert len(forge.comments) == 101 and "| MRR |" in forge.comments[-1]["body"]
    done, outputs = step({**project, "RUN": "good.trec"}, tmp_path)
    assert done.returncode == 0 and outputs["tier"] == "no-clear-difference" and "comment updated" in done.stderr
    assert len(forge.comments) == 101 and "Gate passed" in forge.comments[-1]["body"]
    assert forge.requests[-1] == ("PATCH", "/repos/me/search/issues/comments/100", "Bearer t")
    done, _ = step({**project, "FAIL_ON_REGRESSION": "false", "COMMENT": "false"}, tmp_path)
    assert done.returncode == 0 and "Gate passed" in forge.comments[-1]["body"]


@pytest.mark.slow
def test_a_script_error_is_no_regression_and_a_fork_has_a_summary_alone(project, forge, tmp_path):
    fork = {"pull_request": {"number": 7, "head": {"repo": {"full_name": "you/search"}}}}
    (tmp_path / "event.json").write_text(json.dumps(fork))
    done, outputs = step({**project, "RUN": "$(touch x).trec"}, tmp_path)
    assert done.returncode == 2 and outputs["tier"] == "error" and "from a fork" in done.stderr
    summary = (tmp_path / "sum").read_text()
    assert "Gate without a result" in summary and ").trec" in summary and not (tmp_path / "x").exists()
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "tee").write_text("#!/bin/sh\nsleep 20\nexec /usr/bin/tee \"$@\"\n")  # a busy machine
    (tmp_path / "programs" / "tee").chmod(0o755)
    done, _ = step({**project, "RUN": "lost.trec", "PATH": f"{tmp_path / 'programs'}:{project['PATH']}"}, tmp_path)
    assert "lost.trec" in done.stderr and "lost.trec" in (tmp_path / "sum").read_text()
    done, _ = step({**project, "RUN": "none.trec", "FAIL_ON_ERROR": "false"}, tmp_path)
    assert done.returncode == 0 and not forge.requests


@pytest.mark.slow
def test_the_gitlab_job_does_the_same(project, forge, tmp_path):
    job = yaml.safe_load((ROOT / "ci/gitlab/ragdash-gate.yml").read_text())[".ragdash-gate"]
    script = "set -e\n" + "\n".join(job["script"])
    environment = {**job["variables"], **project, "GITLAB_CI": "true"}

    def run_job(**changes):
        return subprocess.run(["sh", "-c", script], cwd=tmp_path, env={**environment, **changes}, capture_output=True,
                              text=True, check=False)

    done = run_job()
    assert done.returncode == 1 and "### Gate failed" in done.stdout and "comment created" in done.stderr, done.stderr
    artifacts = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert all((tmp_path / name).exists() for name in artifacts)
    notes = "/projects/3/merge_requests/7/notes"
    assert forge.requests[-1] == ("POST", notes, "t") and "Gate failed" in forge.comments[100]["body"]
    done = run_job(RUN="good.trec")
    assert done.returncode == 0 and "comment updated" in done.stderr
    assert forge.requests[-1] == ("PUT", f"{notes}/100", "t")
    assert len(forge.comments) == 101 and "Gate passed" in forge.comments[100]["body"]
    assert "Gate failed" not in forge.comments[100]["body"]
    written = len(forge.requests)
    for changes, status in (({"RUN": "none.trec"}, 2), ({"RAGDASH_GITLAB_TOKEN": ""}, 1)):  # an error, a fork
        assert run_job(**changes).returncode == status and len(forge.requests) == written, changes
    for name, reason in (("CI_MERGE_REQUEST_IID", "not a merge request"), ("RAGDASH_GITLAB_TOKEN", "no RAGDASH_")):
        thread, given = pull_request_comment.find_thread({**environment, name: ""})
        assert thread is None and reason in given
    assert pull_request_comment.find_thread(environment)[0]


@pytest.mark.parametrize("event", [None, "[]", "null", "{", "[" * 200_000, '{"pull_request": 5}',
                                   '{"pull_request": {"head": 5}}',
                                   '{"pull_request": {"number": 1, "head": {"repo": {"full_name": "a/b"}}}}'])
def test_an_odd_event_or_answer_is_no_comment_and_no_failed_job(event, tmp_path, monkeypatch, capsys):
    """GitLab takes exit status 1 for that of the gate."""
    (tmp_path / "gate.md").write_text("passed")
    if event is not None:
        (tmp_path / "event.json").write_text(event)
    for name in [*os.environ]:
        if name.startswith(("CI_", "GITLAB", "GITHUB_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    for name, value in {"GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "x"}.items():
        monkeypatch.setenv(name, value)
    for reply in ({"message": "moved"}, ["text", {"body": None}, {"id": 1}], None):
        monkeypatch.setattr(pull_request_comment, "_call", lambda *_, reply=reply: reply)
        assert pull_request_comment.main([str(tmp_path / "gate.md")]) == 0
        assert "comment" in capsys.readouterr().err
    for name in ("CI_MERGE_REQUEST_IID", "RAGDASH_GITLAB_TOKEN", "GITLAB_CI"):
        monkeypatch.setenv(name, "1")
    assert pull_request_comment.main([str(tmp_path / "gate.md")]) == 0
    assert "no CI_PROJECT_ID" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is full")
def test_a_comment_that_cannot_be_reported_is_no_failed_job():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "ragdash.cli.pull_request_comment", "missing.md"]
        assert subprocess.run(command, stderr=full).returncode == 0


@pytest.mark.parametrize("reply", [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[]", b"nonsense\r\n\r\n", b""])
def test_half_an_answer_is_no_comment_and_no_failed_job(reply, merge_request, capsys):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        def answer() -> None:
            with server.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        assert merge_request(f"http://127.0.0.1:{server.getsockname()[1]}") == 0
        thread.join()
    assert "no comment: " in capsys.readouterr().err


@pytest.mark.parametrize("address", ["http://a host/api", "http://host\n/api", "http://[", "nonsense"])
def test_an_odd_address_is_no_comment_and_no_failed_job(address, merge_request, capsys):
    assert merge_request(address) == 0 and "no comment: " in capsys.readouterr().err


@pytest.mark.parametrize("token", ["line\nsecret", "sécret", "secret\x1b"])
def test_a_token_that_cannot_be_sent_is_never_printed(token, merge_request, capsys):
    assert merge_request("http://127.0.0.1:9", token) == 0
    error = capsys.readouterr().err
    assert "no RAGDASH_GITLAB_TOKEN" in error and "cret" not in error


@pytest.fixture
def merge_request(tmp_path, monkeypatch):
    """A function that comments on a merge request of GitLab at an address, with a token."""
    (tmp_path / "gate.md").write_text("passed")

    def comment(address: str, token: str = " token\n") -> int:
        for name, value in {"GITLAB_CI": "1", "CI_MERGE_REQUEST_IID": "1", "CI_PROJECT_ID": "1",
                            "CI_API_V4_URL": address, "RAGDASH_GITLAB_TOKEN": token}.items():
            monkeypatch.setenv(name, value)
        return pull_request_comment.main([str(tmp_path / "gate.md")])

    return comment


def test_the_action_passes_every_input_to_its_script():
    action = yaml.safe_load((ROOT / "ci/github/action.yml").read_text())
    [only] = action["runs"]["steps"]
    given = {value.strip("${} ").removeprefix("inputs.") for value in only["env"].values()}
    assert given == set(action["inputs"]) and "${{" not in only["run"]
    text = (ROOT / "ci/github/gate.sh").read_text()
    assert not [name for name in only["env"] if name != "GITHUB_TOKEN" and f"${name}" not in text
                and f"${{{name}" not in text]
