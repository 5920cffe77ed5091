"""The audit log on the Data page, for admins of a server with a login."""

from __future__ import annotations

from string import hexdigits

import pandas as pd
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard.auth import rights
from ragdash.dashboard.auth.actions import READ_AUDIT
from ragdash.dashboard.session.data_store import SHORT
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace.people.audit import audit_log, entry_lines

MOST_ROWS, TALLEST = 200, 400  # drawn, the file has all; pixels
DIGEST = 64  # characters of a whole one


def render() -> None:
    """The newest entries and the file; nothing for others, and nothing on a server without a login."""
    if not (rights.who() and rights.may(READ_AUDIT)):
        return
    box = st.expander("Audit log", icon=":material/policy:", key="audit", on_change="rerun")
    if not box.open:
        return
    with box:
        try:
            entries = audit_log().entries()
        except InputError as error:
            elements.problems(error.problems, "audit")
            return
        st.caption("Who did what, when, to which object; no texts. The newest first."
                   + (f" The last {MOST_ROWS} of {len(entries):,}; the file has all." if len(entries) > MOST_ROWS
                      else ""))
        rows = [{"Time (UTC)": entry.when[:19].replace("T", " "), "Who": entry.who, "Role": entry.role,
                 "Action": entry.action, "Outcome": entry.outcome, "Object": _shortened(entry.object)}
                for entry in reversed(entries[-MOST_ROWS:])]
        if rows:
            title = fmt.count(len(entries), "entry of the audit log", "entries of the audit log")
            elements.frame(pd.DataFrame(rows), "audit_rows", title, height=min(38 + 35 * len(rows), TALLEST))
            st.download_button("Whole log as JSON lines", lambda: entry_lines(entries), "audit.jsonl",
                               "application/jsonl", key="audit_file", icon=":material/download:", on_click="ignore")


def _shortened(thing: str) -> str:
    """A digest by its beginning, as in links; anything else as it is."""
    return thing[:SHORT] if len(thing) == DIGEST and set(thing) <= set(hexdigits) else thing
