"""A storm of first visits is drawn a few at a time, clicks do not wait for it, and the server imports before it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest
from page_cases import ROOT, opened
from team_services import threads

from ragdash.dashboard.monitoring.first_visits import FirstVisits
from ragdash.dashboard.monitoring.warm_up import IdleSteps


def test_a_hundred_first_visits_are_drawn_three_at_a_time_and_a_click_does_not_wait():
    visits, inside, most, done = FirstVisits(at_once=3, patience=60), [], [], []
    lock, all_in, go = threading.Lock(), threading.Semaphore(0), threading.Event()

    def visit(number: int) -> None:
        session: dict = {}
        with visits.in_turn(session):
            with lock:
                inside.append(number)
                most.append(len(inside))
            all_in.release()
            go.wait(60)
            with lock:
                inside.remove(number)
                done.append(number)
        with visits.in_turn(session):  # a click of the same session
            pass

    started = threads(100, visit)
    for _ in range(3):
        assert all_in.acquire(timeout=60)
    with visits.in_turn({"_visited": True}):
        clicked_while = sorted(inside)
    go.set()
    for thread in started:
        thread.join(60)
    assert len(clicked_while) == 3 == max(most) and sorted(done) == list(range(100))


def test_nobody_waits_forever_and_a_visit_that_fails_gives_its_place_back():
    visits = FirstVisits(at_once=1, patience=0.05)
    with visits.in_turn({}), visits.in_turn({}):  # the second one after its patience
        pass
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), visits.in_turn({}):
            raise ZeroDivisionError
    assert visits._inside == 0, "given back"


def test_visits_that_wait_long_stay_in_turn_as_long_as_others_are_drawn():
    visits, order, inside, most = FirstVisits(at_once=2, patience=3.0), [], [], []
    lock = threading.Lock()

    def visit(number: int) -> None:
        with visits.in_turn({}):
            with lock:
                order.append(number)
                inside.append(number)
                most.append(len(inside))
            threading.Event().wait(0.4)
            with lock:
                inside.remove(number)

    for thread in threads(20, visit):  # the last one waits for 3.6 seconds
        thread.join(60)
    assert max(most) == 2 and sorted(order) == list(range(20))


def test_a_session_waits_for_its_first_run_alone(monkeypatch):
    from ragdash.dashboard import shell

    monkeypatch.setattr(shell, "FIRST_VISITS", visits := FirstVisits(at_once=1, patience=0))
    taken = []
    real = visits._enter
    monkeypatch.setattr(visits, "_enter", lambda: taken.append(1) or real())
    at = opened("metrics")
    at.run()
    assert not at.exception and taken == [1]


def test_a_server_imports_the_pages_before_its_first_visitor_without_a_warning():
    code = ("from ragdash.dashboard.monitoring.warm_up import warm_up; import sys; warm_up(); "
            "print({'plotly.graph_objects', 'ragdash.dashboard.pages.compare.page'} <= set(sys.modules))")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True" and not done.stderr, done.stderr


def test_the_first_visit_of_a_server_does_not_show_the_files_of_pages_as_a_menu():
    script = ("from streamlit.web import cli; cli.main = lambda prog_name: None; "
              "from ragdash.dashboard.monitoring import __main__ as started; started.main(); "
              "from streamlit.runtime.pages_manager import PagesManager; "
              "assert PagesManager('app.py') and PagesManager.uses_pages_directory is False")
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


def test_a_connection_from_another_site_makes_the_server_ask_no_host_for_its_address():
    script = ("from streamlit.web import cli; cli.main = lambda prog_name: None; "
              "from ragdash.dashboard.monitoring import __main__ as started; started.main(); "
              "import requests; requests.get = lambda *_, **__: 1 / 0; "
              "from streamlit import net_util; net_util._make_blocking_http_get = lambda *_, **__: 1 / 0; "
              "from streamlit.web.server.server_util import is_url_from_allowed_origins as allowed; "
              "assert not allowed('http://other.example.org') and allowed('http://127.0.0.1:8501')")
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


def test_a_page_is_sent_the_theme_that_streamlit_builds_until_its_settings_are_read_again(tmp_path):
    script = """
from pathlib import Path
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from ragdash.dashboard.monitoring.theme_message import keep_theme_messages

def sent(write):
    message = CustomThemeConfig()
    for part, name in ((message, ""), (message.light, ".light"), (message.dark, ".dark"), (message.sidebar, ".sidebar"),
                       (message.dark.sidebar, ".dark.sidebar")):
        write(part, "theme" + name)
    return message.SerializeToString(deterministic=True)

config.get_config_options()
build, ask, asked = app_session._populate_theme_msg, config.get_options_for_section, []
keep_theme_messages()
config.get_options_for_section = lambda name: asked.append(name) or ask(name)
first = sent(build)
assert len(first) > 500 and sent(app_session._populate_theme_msg) == first
asked.clear()
assert sent(app_session._populate_theme_msg) == first and not asked
path = Path(".streamlit/config.toml")
path.write_text(path.read_text().replace("#0072B2", "#123456"))
config.get_config_options(force_reparse=True)
assert first != sent(build) == sent(app_session._populate_theme_msg)
"""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text((ROOT / ".streamlit" / "config.toml").read_text())
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path)


def test_the_first_page_imports_neither_pandas_nor_what_only_later_pages_need():
    """The number of modules is bounded: whoever needs more should import it where it is needed."""
    samples = ROOT / "sample_runs"
    code = ("from ragdash.core.arrow_columns import leave_pandas_out; leave_pandas_out()\n"
            "import sys\nfrom streamlit.testing.v1 import AppTest\n"
            "at = AppTest.from_file('app.py', default_timeout=180).run()\n"
            "assert not at.exception, at.exception\n"
            "print(*sys.modules)")
    runs = json.dumps([str(samples / f"{name}.jsonl") for name in ("dense", "sparse", "hybrid")])
    truth = json.dumps([str(samples / "truth.jsonl")])
    environment = {**os.environ, "RAGDASH_TRUTH": truth, "RAGDASH_FILES": runs}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
                          env=environment)
    modules = set(done.stdout.split())
    assert "ragdash.dashboard.pages.overview.run_cards" in modules
    absent = {"pandas", "scipy.stats", "sqlalchemy", "ray", "obstore", "ragdash.dashboard.pages.compare.page"}
    assert absent & modules == set()
    assert sum(name.startswith("ragdash") for name in modules) <= 680


def test_imports_after_the_first_page_wait_for_pages_and_a_page_waits_for_the_one_that_has_begun():
    begun, go, entered, done = (threading.Event() for _ in range(4))

    def step() -> None:
        begun.set()
        assert go.wait(60)

    def draw() -> None:
        with idle.page():
            entered.set()

    idle = IdleSteps(lambda: [step], lambda: [done.set], delay=0)
    draw()
    assert not begun.wait(0.1), "nobody has asked for them"
    idle.after_first_page()
    with idle.page():
        draw()
        assert not begun.wait(0.1), "another page is drawn"
    assert begun.wait(60)
    entered.clear()
    thread = threading.Thread(target=draw)
    thread.start()
    assert not entered.wait(0.1), "an import has begun"
    go.set()
    thread.join(60)
    assert entered.is_set() and done.wait(60)


def test_imports_of_other_pages_wait_for_the_first_view_of_the_next_one():
    order, first, others = [], threading.Event(), threading.Event()
    idle = IdleSteps(lambda: [lambda: order.append("first"), first.set], lambda: [others.set], delay=0)
    with idle.view():
        assert first.wait(60)
        idle.after_first_page()
        with idle.page():
            pass
        assert not others.wait(0.1), "a first view is computed"
    assert others.wait(60) and order == ["first"]


def test_openblas_has_one_thread_however_the_pages_are_started():
    """Its threads wait actively for each other: intervals take seven times the processor time."""
    code = "import os, sys, ragdash.dashboard; print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for chosen, threads_ in (({}, "1"), ({"OPENBLAS_NUM_THREADS": "4"}, "4")):
        output = subprocess.run([sys.executable, "-c", code], env={**environment, **chosen}, cwd=ROOT,
                                capture_output=True, text=True, check=True).stdout
        assert output.split() == [threads_, "False"]
