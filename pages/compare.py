"""Is the difference real?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.ui import differences, judged_notes, likenesses, standings, view, widgets  # noqa: E402

widgets.title("Compare", "Is the difference real?")
now = view.current()
if len(now.entries) < 2:
    widgets.empty("One run alone cannot be compared", "Load another on the **Runs** page, or show two or more in the "
                  "sidebar. The baseline is chosen there too.")
    raise view.PageEnds

finding = st.container(key="finding")
with st.container(horizontal=True, vertical_alignment="bottom"):
    with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
        columns = standings.choose()
    at = differences.candidate(now)
    margin = differences.margin()

wanted, unreadable = view.specs([now.template, *columns], now.k)
specs, unfit = view.measurable(now, wanted)
widgets.problems([*unreadable, *unfit], "metrics")
specs = differences.comparable(now, specs)
if not specs:
    raise view.PageEnds

found = now.compared(specs, margin=margin)
with finding:
    differences.finding(now, specs[0], found, margin)
differences.table(now, specs, found, at, margin)
judged_notes.note(now, specs)
differences.picture(now, specs[0], at)
differences.queries(now, specs[0], at, found[at, specs[0]])
differences.slices(now, specs[0], at, margin)
likenesses.section(now, specs[0])
