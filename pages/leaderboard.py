"""Which configuration is best?"""

from ragdash.ui import shell

shell.ensure()

import numpy as np  # noqa: E402  (the shell must run first)
import streamlit as st  # noqa: E402

from ragdash.plots.leaderboard import best_first  # noqa: E402
from ragdash.ui import panels, state, view, widgets, words  # noqa: E402

widgets.title("Leaderboard", "Which configuration is best?")
now = view.current()

finding = st.container(key="finding")
with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
    menu = words.templates()
    key = state.several(state.METRICS, menu, view.COLUMNS, free=True)
    typed = [template for template in state.get(state.METRICS) if template not in menu]
    st.multiselect("Metrics of the table", [*menu, *typed], format_func=words.template_title, key=key,
                   accept_new_options=True, persist_state="session",
                   help="Choose from the list, or type one, such as nDCG(gain='exp')@20 or R(rel=2)@5.")

wanted, unreadable = view.specs([now.template, *state.get(state.METRICS)], now.k)
specs, unfit = view.measurable(now, wanted)
widgets.problems([*unreadable, *unfit], "metrics")
if not specs:
    raise view.PageEnds

found = now.summary(specs)
chosen = [row[0] for row in found]
order = best_first(np.array([summary.mean for summary in chosen]), specs[0].metric.better)
finding.markdown(words.leader(now.names, chosen))
panels.board(now, specs, found, order)
panels.means(now, chosen, order)
