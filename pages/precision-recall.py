"""How do the metrics change with the cutoff k?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.metrics import METRICS  # noqa: E402
from ragdash.ui import panels, state, view, widgets  # noqa: E402

widgets.title("Precision-recall", "How do precision and recall change with the number of documents looked at?")
now = view.current()
marked = min(now.k, now.depth)

with st.container(horizontal=True, vertical_alignment="bottom"):
    st.pills("Curves", view.CURVES, format_func=lambda name: METRICS[name].title, selection_mode="multi",
             key=state.several(state.CURVES, view.CURVES, ["P", "R"]), persist_state="session")
    st.segmented_control("k axis", list(view.SCALES), format_func=view.SCALES.get, required=True,
                         key=state.one(state.SCALE, list(view.SCALES), "log"), persist_state="session")

with st.grid(2, min_column_width=360, gap="medium", key="curve_grid"):
    for name in (name for name in view.CURVES if name in state.get(state.CURVES)):
        panels.curve(now, name, marked)
if not state.get(state.CURVES):
    widgets.empty("No curve is chosen", "Choose one or more under **Curves**.")

st.header("Trade-off", anchor=False,
             help="How much precision each further bit of recall costs. Up and to the right is better.")
st.segmented_control("Trade-off", list(view.TRADE_OFFS), format_func=view.TRADE_OFFS.get, required=True,
                     key=state.one(state.VIEW, list(view.TRADE_OFFS), "k"), label_visibility="collapsed",
                     persist_state="session")
if state.get(state.VIEW) == "k":
    panels.trade_off(now, marked)
else:
    panels.interpolated(now)
