"""Bring up the team set-up of docs/reference/deploy.md on this machine, as the page says, and kill parts of it.

    python benchmarks/team_setup.py [--kills 2] [--sessions 100]

PostgreSQL and nginx are Debian's programs, the object store is the server of moto, the provider of the login is
oidc-provider-mock, all in temporary folders (pip install "ragdash[team,login]" moto oidc-provider-mock). The settings
and commands are those of the page: its SQL, /etc/ragdash.env, secrets.toml, the options of both units, and the nginx
recipe, with addresses of this machine and without TLS. Prints what was seen and how long it took.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

import team_services  # noqa: E402
from live_dashboard import CHROMIUM, FLAGS, SETTINGS, App, free_port  # noqa: E402
from models.judge.server import Server  # noqa: E402
from team_kills import all_kills, report, store  # noqa: E402
from workspace.team.worker_trial import enqueue, wait  # noqa: E402

from ragdash.core.records import Run  # noqa: E402
from ragdash.dashboard.jobs import shared_queue  # noqa: E402
from ragdash.io import read_runs, read_truth  # noqa: E402

PAGE = (ROOT / "docs" / "reference" / "deploy.md").read_text()
SECTION = PAGE[PAGE.index("## Several servers on one database"):PAGE.index("## A login")]
LOGIN = PAGE[PAGE.index("## A login"):]
PASSWORD = "p4ss-of-the-trial"
STRANGER = "stranger@example.org"  # logs in, and is on no list


def blocks(language: str, section: str = SECTION) -> list[str]:
    """The code blocks of a section of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """The ExecStart lines of the page: of a server, of a worker; without the folder of the installation."""
    lines = [line.partition("=")[2] for block in blocks("ini") for line in block.splitlines()
             if line.startswith("ExecStart=")]
    return [shlex.split(line)[1:] for line in lines]


class TeamSetup:
    """The services of the page. Everything it starts ends with it."""

    def __init__(self, folder: Path, undo: ExitStack):
        self.folder, self.undo, self.processes = folder, undo, {}
        self.ports, self.proxy = [free_port_pair(), free_port_pair()], free_port()
        self.postgres = postgres = team_services.Postgres(durable=True)
        undo.callback(postgres.close)
        for statement in blocks("sql")[0].replace("PASSWORD", PASSWORD).strip().split(";")[:-1]:
            postgres.sql(statement)
        store = undo.enter_context(team_services.s3_server())
        self.environment = self.read_environment(postgres, store)
        os.environ.update(self.environment)
        self.make_bucket(store)
        self.secrets = self.read_secrets(self.start_provider())
        for action in re.findall(r"^/srv/ragdash/venv/bin/ragdash (workspace .*)", SECTION, re.MULTILINE):
            subprocess.run([sys.executable, "-m", "ragdash", *action.split()], check=True, cwd=ROOT)
        server, worker = commands()
        for port in self.ports:
            self.start(str(port), server, port)
        self.start("worker", worker)
        self.start_nginx()

    def read_environment(self, postgres: team_services.Postgres, store: str) -> dict[str, str]:
        """/etc/ragdash.env of the page, with the addresses of this machine."""
        values = dict(line.split("=", 1) for line in shlex.split(blocks("ini")[0]))
        values["RAGDASH_WORKSPACE"] = values["RAGDASH_WORKSPACE"].replace("PASSWORD", PASSWORD).replace(
            "db.example.org", f"127.0.0.1:{postgres.port}").replace("?sslmode=require", "")
        secrets = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": store}
        return {**values, **secrets}

    def start_provider(self) -> str:
        """The address of a provider of OpenID Connect that knows the people of the page and a stranger."""
        port, people = free_port(), [*re.findall(r'"(\w+@[\w.]+)"', blocks("toml", LOGIN)[0]), STRANGER]
        users = [f"--user-claims={json.dumps({'sub': email, 'email': email, 'email_verified': True})}"
                 for email in people]
        log = (self.folder / "provider.log").open("ab")
        self.processes["provider"] = subprocess.Popen(
            [sys.executable, "-m", "oidc_provider_mock", f"--port={port}", *users], stdout=log, stderr=log)
        self.undo.callback(self.kill, "provider")
        return f"http://127.0.0.1:{port}"

    def read_secrets(self, provider: str) -> str:
        """secrets.toml of the page, with the addresses of this machine."""
        text = blocks("toml", LOGIN)[0].replace("https://accounts.google.com", provider)
        text = text.replace("https://rag.example.org", f"http://127.0.0.1:{self.proxy}")
        secret = "0123456789abcdef" * 4
        return re.sub(r'^(\w*(?:secret|id)) = "\.\.\."', rf'\1 = "{secret}"', text, flags=re.MULTILINE)

    def make_bucket(self, store: str) -> None:
        import boto3

        bucket = self.environment["RAGDASH_BLOBS"].split("/")[2]
        boto3.client("s3", endpoint_url=store, region_name="eu-central-1").create_bucket(
            Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})

    def start(self, name: str, arguments: list[str], port: int = 0) -> None:
        """Start a server or worker by the line of its unit."""
        words = [word.replace("%i", str(port)).replace("rag.example.org", "127.0.0.1") for word in arguments]
        words = [f"127.0.0.1:{port + 10_000}" if word.startswith("127.0.0.1:1") else word for word in words]
        log, folder = (self.folder / f"{name}.log").open("ab"), self.folder / name  # as on a machine of its own
        (folder / ".streamlit").mkdir(parents=True, exist_ok=True)
        (folder / ".streamlit" / "secrets.toml").write_text(self.secrets)
        process = subprocess.Popen(
            [sys.executable, "-m", "ragdash", *words], cwd=folder, stdout=log, stderr=log,
            env={**os.environ, "RAGDASH_MEMORY": "2", "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder / "data")})
        self.processes[name] = process
        self.undo.callback(self.kill, name)

    def start_nginx(self) -> None:
        """The recipe of the page in the http block of an nginx of our own, on a port without TLS."""
        recipe = blocks("nginx")[0].replace("listen 443 ssl", f"listen {self.proxy}").replace(" Secure;", "")
        recipe = re.sub(r"^ *ssl_.*\n", "", recipe, flags=re.MULTILINE)
        for fixed, port in zip((8501, 8502), self.ports, strict=True):
            recipe = recipe.replace(f":{fixed}", f":{port}")
        folder = self.folder / "nginx"
        folder.mkdir()
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        places = "".join(f"{name}_temp_path {folder};\n" for name in kinds)
        (folder / "nginx.conf").write_text(
            f"user root;\ndaemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{places}{recipe}\n}}\n")
        self.processes["nginx"] = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c",
                                                    str(folder / "nginx.conf")])
        self.undo.callback(self.kill, "nginx", signal.SIGTERM)

    def kill(self, name: str, how: int = signal.SIGKILL) -> None:
        self.processes[name].send_signal(how)
        self.processes[name].wait(60)

    def ready(self, port: int) -> bool:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port + 10_000}/ready", timeout=2).status == 200
        except OSError:
            return False

    def sessions(self, port: int) -> int:
        """Open pages of a server, as its metrics say; -1 where it is gone."""
        return int(self.metric(port, "ragdash_sessions"))

    def node(self, port: int) -> str:
        """The value of the proxy's cookie that leads to a server."""
        return str(self.ports.index(port) + 1)

    def processor_time(self, port: int) -> float:
        return self.metric(port, "ragdash_cpu_seconds_total")

    def metric(self, port: int, name: str) -> float:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port + 10_000}/metrics", timeout=10) as reply:
                return float(re.search(rf"^{name} (\S+)", reply.read().decode(), re.MULTILINE)[1])
        except OSError:
            return -1


def free_port_pair() -> int:
    """A port whose status port, 10,000 above, is free too."""
    while (port := free_port()) > 55_000:
        continue
    return port


def store_samples() -> str:
    """Store the samples in the workspace; the part of an address that shows them."""
    samples = ROOT / "sample_runs"
    runs: list[Run] = [run for name in ("dense", "sparse") for run in read_runs(samples / f"{name}.jsonl")]
    return store(read_truth(samples / "truth.jsonl"), runs)


def log_in(setup: TeamSetup, page, email: str) -> None:
    """Log in through the proxy, as a person does."""
    page.goto(f"http://127.0.0.1:{setup.proxy}/")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name=email).click()
    page.get_by_role("button", name="Log out").wait_for()


def try_roles(setup: TeamSetup, new_page: Callable) -> None:
    """What a viewer and a stranger see, and that nobody gets in without a login."""
    outside = new_page("")
    outside.page.goto(f"http://127.0.0.1:{setup.proxy}/compare")
    outside.page.get_by_role("button", name="Log in").wait_for()
    assert not outside.page.locator("[data-testid=stSidebarNav]").count(), "no page without a login"
    viewer = new_page("bob@example.org")
    viewer.open(f"http://127.0.0.1:{setup.proxy}/data")
    assert "may look at everything" in viewer.page.locator("[data-testid=stSidebar]").inner_text()
    assert not viewer.page.locator("[data-testid=stFileUploader]").count()
    stranger = new_page(STRANGER)
    stranger.page.get_by_text("it is not on the list of this server").wait_for()
    for app in (outside, viewer, stranger):
        app.page.context.close()
    report("login: nothing without one, no upload for a viewer, a stranger stays outside")


def change_and_read_audit(setup: TeamSetup, runs: str, new_page: Callable) -> None:
    """A saved view of an admin is in the audit log, without its name; what the admin said can be deleted."""
    app = new_page("kim@example.org")
    app.open(f"http://127.0.0.1:{setup.proxy}/share?{runs}")
    app.page.get_by_label("Name of the view").fill("A view of the trial")
    app.page.get_by_label("Name of the view").press("Tab")
    app.page.get_by_role("button", name="as it is").first.click()
    app.page.get_by_text("Saved. Its address is").wait_for()
    app.page.context.close()
    audit = run_command("workspace", "audit")
    assert "kim@example.org  admin  save-view  a-view-of-the-trial  started" in audit, audit
    export = json.loads(run_command("workspace", "export-person", "kim@example.org"))
    assert export["saved views"][0]["view"]["name"] == "A view of the trial"
    run_command("workspace", "delete-person", "kim@example.org")
    assert json.loads(run_command("workspace", "export-person", "kim@example.org")) == {"person": "kim@example.org"}
    report("audit log, export and deletion of a person's data by the commands of the page")


def run_command(*words: str) -> str:
    """What `ragdash` prints."""
    return subprocess.run([sys.executable, "-m", "ragdash", *words], check=True, cwd=ROOT, stdout=subprocess.PIPE,
                          text=True).stdout


def page_at(setup: TeamSetup, port: int, new_page: Callable) -> App:
    """A page that the proxy has sent to this server: a login holds at the address of the proxy alone."""
    while True:
        before, app = setup.sessions(port), new_page("ada@example.org")
        if setup.sessions(port) > before:
            return app
        app.page.context.close()


def watch_and_cancel(setup: TeamSetup, runs: str, new_page: Callable) -> None:
    """A job that one server shows is canceled on the other; another outlives its worker."""
    queue = shared_queue.queue()
    apps = [page_at(setup, port, new_page) for port in setup.ports]
    with Server(delay=1) as judge:
        id = enqueue(judge, 200, concurrency=2)
        for app in apps:
            app.open(f"http://127.0.0.1:{setup.proxy}/answers?part=judge&{runs}")
            app.page.get_by_text("is judging stones").wait_for()
        report("both servers show the progress of a job of the queue")
        started = time.monotonic()
        apps[1].page.locator(".st-key-judge_stop button").click()
        wait(lambda: not queue.find(id).active)
        report(f"canceled on the second server ({queue.find(id).state})", time.monotonic() - started)
        apps[0].page.locator(".st-key-judging").get_by_text("is judging").wait_for(state="detached")
        report("the first server shows the end")
        judge.delay = 0.05
        id, count = enqueue(judge, 400, "second", concurrency=2), len(judge.asked)  # 200 that nobody asked before
        wait(lambda: len(judge.asked) > count + 5)
        setup.kill("worker")
        started = time.monotonic()
        setup.start("worker", commands()[1])
        wait(lambda: not queue.find(id).active, 600)
        job = queue.find(id)
        report(f"worker killed in a job: {job.state} by another one, {job.lost} calls in flight",
               time.monotonic() - started)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=2, help="of each kind")
    parser.add_argument("--sessions", type=int, default=100, help="that come back at once; 0: none")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="ragdash-team-")))
        started = time.monotonic()
        setup = TeamSetup(folder, undo)
        for port in setup.ports:
            wait(lambda port=port: setup.ready(port), 600)
        report("PostgreSQL, S3, tables, two servers, worker and nginx, all ready", time.monotonic() - started)
        runs = store_samples()
        browser = undo.enter_context(sync_playwright()).chromium.launch(executable_path=CHROMIUM, args=FLAGS)

        def new_page(email: str) -> App:
            app = App(browser.new_context(**SETTINGS).new_page(), "")
            app.page.set_default_timeout(60_000)
            if email:
                log_in(setup, app.page, email)
            return app

        try_roles(setup, new_page)
        change_and_read_audit(setup, runs, new_page)
        app = new_page("ada@example.org")
        app.open(f"http://127.0.0.1:{setup.proxy}/compare?{runs}")
        wait(lambda: sum(map(setup.sessions, setup.ports)) == 1, 200)  # those of closed pages end
        assert sorted(map(setup.sessions, setup.ports)) == [0, 1], "a browser stays with one server"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{setup.proxy}/_stcore/metrics")
        except urllib.error.HTTPError as error:
            report(f"/_stcore/metrics through the proxy: {error.code}")
        in_time = all_kills(setup, app, commands()[0], runs, options.kills, options.sessions)
        watch_and_cancel(setup, runs, new_page)
        browser.close()
    print("load of the machine:", *(f"{value:.1f}" for value in os.getloadavg()), f"on {os.cpu_count()} cores")
    return int(not in_time)


if __name__ == "__main__":
    sys.exit(main())
