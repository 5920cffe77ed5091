"""What was said before a query, collapsed: a paragraph for each message."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.dashboard.widgets import texts
from ragdash.reporting.sentences import formatting as fmt


def earlier_messages(history: Sequence[tuple[str, str]], key: str) -> None:
    """Render the messages before a query, the oldest first; nothing where there are none. history: (role, text)."""
    if not history:
        return
    with st.expander(f"Earlier in this conversation: {fmt.count(len(history), 'message')}", key=key):
        for role, text in history:
            if role:
                st.caption(fmt.escape(role))
            st.html(texts.paragraph_html(texts.text_html(text)))
