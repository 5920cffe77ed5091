"""A page opened without a browser, for the tests of the pages: by its address, and what is shown there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest

from ragdash.core.records import Run, Truth
from ragdash.dashboard.session.data_store import LOADED, SHORT, SessionRun

PARTS = {"compare": "detail", "answers": "part", "threshold-bands": "bands_part", "data": "data_part"}
ROOT = Path(__file__).resolve().parents[2]


def address(truth: Truth, runs: Sequence[Run], /, **more) -> dict:
    """The address of a session with these, which are held; for a value that is a run's name, the run's digest."""
    LOADED.put(truth)
    tokens = [SessionRun(LOADED.put(run), run.name, slot).token for slot, run in enumerate(runs)]
    digests = {run.name: run.digest[:SHORT] for run in runs}
    return {"run": tokens, "truth": truth.digest[:SHORT],
            **{key: digests.get(value, value) if isinstance(value, str) else value for key, value in more.items()}}


def opened(page: str = "data", /, *, state: dict | None = None, secrets: dict | None = None, user: dict | None = None,
           **address) -> AppTest:
    """The page at this address; page: its path, or path/part; state: of the session, set before; user: logged in."""
    page, _, part = page.partition("/")
    at = AppTest.from_file(ROOT / "app.py", default_timeout=180)
    at.secrets, at.user = secrets or {}, user or {}
    for key, value in address.items():
        at.query_params[key] = value
    for key, value in (state or {}).items():
        at.session_state[key] = value
    if part:
        at.query_params[PARTS[page]] = part
    if page != "overview":
        at.switch_page(f"pages/{page}.py")  # before the first run: as a link to the page opens it
    return shown(at.run())


class OpenContainer:
    """An expander or a popover that the visitor has opened, which AppTest cannot do."""

    open = True

    def __init__(self, container):
        self.container = container

    def __enter__(self):
        return self.container.__enter__()

    def __exit__(self, *rest):
        return self.container.__exit__(*rest)


def shown(at: AppTest) -> AppTest:
    assert not at.exception, at.exception
    return at


def texts(at: AppTest) -> str:
    return "\n".join(one.value for one in (*at.markdown, *at.caption))


def drawn(at: AppTest) -> str:
    """The HTML of the page."""
    return "\n".join(one.proto.body for one in at.main.get("html"))


def charts(at: AppTest) -> dict[str, dict]:
    """Figures by key."""
    return {chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec) for chart in at.get("plotly_chart")}


def leaderboard(at: AppTest) -> pd.DataFrame:
    """The leaderboard of Compare as it is read: the texts of its cells."""
    return pd.DataFrame({column["label"]: column.get("texts", column["cells"])
                         for column in list_columns(at, "leaderboard_runs")})


def list_columns(at: AppTest, key: str) -> list[dict]:
    """The columns of a list (`row_list.Column`); none where the page has no such list."""
    sent = [one.proto.bytes for one in at.get("bidi_component") if one.proto.id.endswith(f"-{key}")]
    return json.loads(sent[0][32:])["columns"] if sent else []


def listed(at: AppTest, key: str) -> pd.DataFrame:
    """The values of a list by which its headings sort; empty where the page has none."""
    return pd.DataFrame({column["label"]: pd.Series(column["cells"], dtype=float if column["is_number"] else object)
                         for column in list_columns(at, key)})


def unbound(key: str | None) -> str | None:
    """A key without what it is about (`state.bound_key`)."""
    return key and re.sub("-[0-9a-f]{8}$", "", key)


def widget(at: AppTest, kind: str, key: str):
    """The widget of this key, whatever it is about."""
    return next(one for one in at.get(kind) if key in (one.key, unbound(one.key)))


def keys(at: AppTest, kind: str = "button") -> list[str]:
    return [unbound(one.key) for one in at.get(kind)]


def asked(at: AppTest, key: str) -> list[str]:
    """The values of a choice: as the address says them, or the default that it leaves out."""
    value = at.query_params[key] if key in at.query_params else at.session_state[key]
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]
