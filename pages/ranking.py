"""Where does the first good document stand?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.ui import panels, view, widgets  # noqa: E402

widgets.title("Ranking", "Where does the first good document stand?")
now = view.current()

panels.first_rank(now)
with st.grid(2, min_column_width=360, gap="medium", key="cutoffs"):
    for name in ("RR", "nDCG"):
        panels.at_cutoffs(now, name)
panels.per_query(now)
