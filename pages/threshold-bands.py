"""Is it good enough?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.ui import banding, evidence_panel, judged_notes, scores, standings, view, widgets  # noqa: E402

widgets.title("Threshold bands", "Is it good enough?")
now = view.current()

finding = st.container(key="finding")
with st.container(horizontal=True, vertical_alignment="bottom", key="band_bar"):
    by = st.container(width="content")
    with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
        columns = standings.choose()
    with st.popover("Bands file", icon=":material/upload_file:", key="bands_of_my_own"):
        banding.file_panel()
banding.file_note()

wanted, unreadable = view.specs([now.template, *columns], now.k)
specs, unfit = view.measurable(now, wanted)
widgets.problems([*unreadable, *unfit], "metrics")
if specs:
    with by:
        source = banding.choose_source(specs)
    rated = banding.rated(now, specs, source)
    banding.findings(now, rated, finding)
    banding.pictures(now, rated)
    banding.targets(now, rated)
    judged_notes.note(now, specs)
    banding.by_slice(now, rated)
scores.panel(now)
evidence_panel.panel(now)
