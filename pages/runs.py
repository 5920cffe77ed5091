"""What have I loaded?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.ui import cards, comparing, documents, mapping, shelf, state, view, widgets  # noqa: E402

widgets.title("Runs", "What is loaded, and can it be compared?")
view.lost_note()
widgets.problems(state.notice(), "notice")
cards.drop_field()
cards.file_list()
mapping.panel()

if state.runs():
    st.header(f"Runs ({len(state.runs())})", anchor=False)
    cards.run_cards()
    comparing.ledger()
    st.header("Judgements", anchor=False)
    cards.truth_card()
    if state.truth():
        st.page_link("pages/leaderboard.py", label="See which run is best", icon=":material/leaderboard:")
elif state.truth():
    st.header("Judgements", anchor=False)
    cards.truth_card()
    widgets.empty("No runs yet", "Drop the files that your retrieval configurations wrote, one file for each.")
else:
    documents.note(None)
    widgets.empty(
        "Nothing is loaded yet",
        "Drop the result files of your configurations together with the relevance judgements (qrels), "
        "or open the samples.",
    )
shelf.panel()
