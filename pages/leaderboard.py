"""Which configuration is best?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.ui import standings, view, widgets  # noqa: E402

widgets.title("Leaderboard", "Which configuration is best?")
now = view.current()

finding = st.container(key="finding")
with st.container(horizontal=True, vertical_alignment="bottom"):
    with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
        columns = standings.choose()
    wanted, unreadable = view.specs([now.template, *columns], now.k)
    specs, unfit = view.measurable(now, wanted)
    if specs and len(now.entries) > 1:
        standings.sort(specs)

widgets.problems([*unreadable, *unfit], "metrics")
if not specs:
    raise view.PageEnds
standings.standings(now, specs, finding)
