"""A login against a provider of OpenID Connect that runs here, in a real browser."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from helpers import until
from live_dashboard import free_port, start_server, stop, visitor, watched

pytestmark = pytest.mark.browser
LEADERBOARD = ".st-key-leaderboard_runs"
pytest.importorskip("authlib", reason="Authlib is not installed (pip install 'ragdash[login]'): no login to test")
jose = pytest.importorskip("joserfc")

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
KEEPING = [str(SAMPLES / f"{name}.jsonl") for name in ("dense", "truth")]


class Provider(BaseHTTPRequestHandler):
    """Logs in whoever its server's `user` names, without asking; it fails where that is None."""

    def do_GET(self):
        at = f"http://127.0.0.1:{self.server.server_port}"
        asked = {name: values[0] for name, values in parse_qs(urlparse(self.path).query).items()}
        match urlparse(self.path).path:
            case "/.well-known/openid-configuration":
                self.answer({"issuer": at, "authorization_endpoint": f"{at}/authorize", "token_endpoint": f"{at}/token",
                             "jwks_uri": f"{at}/keys", "id_token_signing_alg_values_supported": ["RS256"]})
            case "/keys":
                self.answer({"keys": [self.server.key.as_dict(private=False)]})
            case "/authorize":
                self.server.nonce = asked.get("nonce")
                self.send_response(302)
                self.send_header("Location", asked["redirect_uri"] + "?" + urlencode(
                    {"code": "abc", "state": asked["state"]}))
                self.end_headers()
            case _:
                self.send_error(404)

    def do_POST(self):
        import time

        from joserfc import jwt

        self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.user is None:
            self.send_error(500)
            return
        now = int(time.time())
        claims = {"iss": f"http://127.0.0.1:{self.server.server_port}", "aud": "ragdash", "sub": "1", "iat": now,
                  "exp": now + 600, "nonce": self.server.nonce, **self.server.user}
        token = jwt.encode({"alg": "RS256", "kid": self.server.key.kid}, claims, self.server.key)
        self.answer({"access_token": "x", "token_type": "Bearer", "id_token": token})

    def answer(self, content: dict) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *rest) -> None:
        pass


@pytest.fixture(scope="module")
def provider():
    from joserfc.jwk import RSAKey

    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.key = RSAKey.generate_key(2048, auto_kid=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()


class Guarded:
    """A server whose secrets, in its folder, ask for a login."""

    def __init__(self, folder: Path, port: int):
        self.folder, self.port, self.starts = folder, port, 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        log = self.folder / f"{self.starts}.log"
        self.process, self.url = start_server(log, folder=self.folder, port=self.port)

    def stop(self) -> None:
        stop(self.process, self.folder / f"{self.starts}.log")


@pytest.fixture(scope="module")
def server(provider, tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    (folder / ".streamlit").mkdir()
    port = free_port()
    (folder / ".streamlit" / "secrets.toml").write_text(f"""
[auth]
redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
cookie_secret = "{'0123456789abcdef' * 4}"
client_id = "ragdash"
client_secret = "{'fedcba9876543210' * 4}"
server_metadata_url = "http://127.0.0.1:{provider.server_port}/.well-known/openid-configuration"

[access]
editors = ["ada@example.org"]
viewers = ["bob@example.org"]
editor_groups = ["search-team"]
""")
    started = Guarded(folder, port)
    yield started
    started.stop()


@pytest.fixture
def guarded(server):
    """The address of a server that asks for a login."""
    return server.url


def come(browser, url: str, provider, path: str = "", **user):
    provider.user = user
    app, faults, context = visitor(browser, url)
    app.open(path)
    app.page.get_by_role("button", name="Log in").click()
    app.page.get_by_role("button", name="Log out").wait_for()
    elsewhere = [fault for fault in faults if f":{provider.server_port}" not in fault]
    assert not elsewhere
    return app.settle(), context


def test_editors_keep_viewers_look_others_stay_outside(browser, provider, guarded):
    app, context = come(browser, guarded, provider, email="ada@example.org", email_verified=True)
    app.open().upload(*KEEPING)
    app.page.get_by_role("heading", name="Runs (1)").wait_for()
    app.go("Compare")
    app.page.locator(LEADERBOARD).wait_for()
    link, said = app.page.url, app.page.get_by_test_id("stMain").inner_text()
    context.close()

    app, context = come(browser, guarded, provider, email="bob@example.org")
    assert app.page.get_by_test_id("stFileUploader").count() == 0
    assert app.page.get_by_text("Kept in the workspace (2)").count() == 1
    app.open(link)
    app.page.locator(LEADERBOARD).wait_for()
    assert app.page.get_by_test_id("stMain").inner_text() == said
    app.page.get_by_role("button", name="Log out").click()
    app.page.get_by_role("button", name="Log in").wait_for()
    context.close()

    for user, why in (({"email": "eve@example.org"}, "not on the list"),
                      ({"email": "ada@example.org", "email_verified": False}, "not verified")):
        app, context = come(browser, guarded, provider, **user)
        assert why in app.page.get_by_test_id("stAlert").inner_text()
        app.open(link)
        assert app.page.locator(LEADERBOARD).count() == 0
        context.close()


def test_a_logout_in_one_tab_holds_in_the_others_of_this_login(browser, provider, guarded):
    app, context = come(browser, guarded, provider, email="ada@example.org", email_verified=True)
    elsewhere, elsewhere_context = come(browser, guarded, provider, email="ada@example.org", email_verified=True)
    tab, _ = watched(context, guarded)
    tab.open("data")
    app.page.get_by_role("button", name="Log out").click()
    app.page.get_by_role("button", name="Log in").wait_for()
    tab.rerun()
    assert tab.page.get_by_role("button", name="Log in").count() == 1
    assert tab.page.get_by_test_id("stFileUploader").count() == 0
    assert elsewhere.rerun().page.get_by_test_id("stFileUploader").count() == 1, "a login of its own"
    tab.page.get_by_role("button", name="Log in").click()
    tab.page.get_by_role("button", name="Log out").wait_for()
    assert tab.open("data").page.get_by_test_id("stFileUploader").count() == 1
    for opened in (context, elsewhere_context):
        opened.close()


def test_a_login_holds_at_another_process_with_the_same_secrets_and_groups_count(browser, provider, server):
    """As behind a proxy, when the server of a page ends: the login is in a cookie, its groups with it."""
    app, context = come(browser, server.url, provider, email="eve@example.org", groups=["search-team", "x"])
    assert app.page.get_by_test_id("stFileUploader").count() == 1, "her group makes her an editor"
    server.stop()
    server.start()
    app.open()
    assert app.page.get_by_role("button", name="Log out").count() == 1
    assert app.page.get_by_test_id("stFileUploader").count() == 1
    context.close()


def test_a_login_that_fails_at_the_provider_is_one_line_of_the_log(browser, provider, server):
    """The log of the server is looked at as it stops: no traceback of a fault that is elsewhere."""
    provider.user = None
    app, _, context = visitor(browser, server.url)
    app.open().page.get_by_role("button", name="Log in").click()
    log = server.folder / f"{server.starts}.log"
    until(lambda: "token exchange failed" in log.read_text())
    context.close()
    line = next(line for line in log.read_text().splitlines() if "token exchange failed" in line)
    assert line.rstrip().endswith(")") and "Error" in line, "why it failed"
    server.stop()
    server.start()


def test_a_cookie_that_somebody_made_up_lets_nobody_in(browser, provider, guarded):
    app, _, context = visitor(browser, guarded)
    context.add_cookies([{"name": "_streamlit_user", "value": json.dumps({"email": "ada@example.org",
                          "is_logged_in": True}).encode().hex(), "url": guarded}])
    app.open("compare")
    assert app.page.get_by_role("button", name="Log in").count() == 1
    assert app.page.get_by_test_id("stSidebarNav").count() == 0
    context.close()
