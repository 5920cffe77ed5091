"""The audit log on the Data page, for admins of a server with a login."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard.auth import rights
from ragdash.dashboard.auth.actions import ACTIONS, READ_AUDIT
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace.people.audit import audit_log, entry_lines

MOST_ROWS = 200  # drawn; the file has all


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
                 "Page": ACTIONS[entry.action].page if entry.action in ACTIONS else "", "Action": entry.action,
                 "Object": entry.object, "Outcome": entry.outcome} for entry in reversed(entries[-MOST_ROWS:])]
        if rows:
            elements.frame(pd.DataFrame(rows), "audit_rows", fmt.count(len(entries), "entry of the audit log",
                                                                       "entries of the audit log"), height=300)
            st.download_button("Download the audit log", lambda: entry_lines(entries), "audit.jsonl",
                               "application/jsonl", key="audit_file", icon=":material/download:", on_click="ignore")
