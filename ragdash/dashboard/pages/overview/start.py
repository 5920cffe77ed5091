"""Before anything is loaded: example files, the samples, the drop zone, and what each page will show."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_list
from ragdash.dashboard.pages.data import corpus_upload, workspace_list
from ragdash.dashboard.pages.data import sections as data_sections
from ragdash.dashboard.pages.data.columns import column_mapping, proposed_reading
from ragdash.dashboard.session import state

# name of the file -> (label of the button, what it is, content)
EXAMPLES = {
    "example-run.trec": (
        "Run (TREC)", "What a retriever returned: query, document, rank and score.",
        "q1 Q0 doc-7 1 12.4 my-run\nq1 Q0 doc-2 2 11.9 my-run\nq1 Q0 doc-9 3 8.3 my-run\n"
        "q2 Q0 doc-4 1 10.1 my-run\nq2 Q0 doc-1 2 9.7 my-run\n"),
    "example-qrels.txt": (
        "Judgments (qrels)", "Which documents are relevant: query, document and grade.",
        "q1 0 doc-2 2\nq1 0 doc-7 0\nq2 0 doc-4 1\n"),
    "example-answers.jsonl": (
        "Run with answers (JSONL)", "What a RAG system returned: documents with texts, and the answer.",
        '{"query_id": "q1", "query": "When did the probe land?", "retrieved": [{"doc_id": "doc-2", "score": 0.82, '
        '"text": "The probe landed in July 1969."}], "answer": "In July 1969.", "latency_ms": 840}\n'
        '{"query_id": "q2", "query": "Who flew the mission?", "retrieved": [{"doc_id": "doc-4", "score": 0.77, '
        '"text": "It flew without a crew."}], "answer": "Nobody: it had no crew.", "latency_ms": 910}\n'),
    "example-table.csv": (
        "All in one table (CSV)", "For each question and configuration: documents, answer, and what is right.",
        "question,config,retrieved,answer,relevant,reference_answer\n"
        "When did the probe land?,dense,doc-2;doc-7,In July 1969.,doc-2,July 1969\n"
        "When did the probe land?,hybrid,doc-7;doc-2,In 1969.,doc-2,July 1969\n"
        "Who flew the mission?,dense,doc-4;doc-1,Nobody: it had no crew.,doc-4,Nobody\n"
        "Who flew the mission?,hybrid,doc-1;doc-4,It does not say.,doc-4,Nobody\n"),
}
PURPOSE = ("Compare the configurations of your retrieval or RAG system: which is better, where does it fail, and can "
           "you trust that? Drop the result file of each configuration (a run), and the relevance judgments if you "
           "have them.")


def render() -> None:
    """How to begin."""
    if not state.files() and not state.truth():
        st.markdown(PURPOSE)
    workspace_list.render_reopen()
    data_sections.render_upload_field()
    data_sections.note_repeated_files()
    data_sections.render_files()
    proposed_reading.render(can_wait=True)
    column_mapping.render()
    if state.truth():
        data_sections.render_truth()
        st.info("Judgments are loaded. Add the result file of each run to see the result.", icon=":material/info:")
    else:
        corpus_upload.render_note(None)
    with st.container(border=True, key="examples"):
        missing = "No run is loaded yet." if state.truth() else "Nothing is loaded yet."
        st.markdown(f"**{missing}** Drop your files above, open the samples, or look at an example of each kind of "
                    "file:")
        with st.grid(4, min_column_width=220, key="example_files"):
            for name, (label, description, content) in EXAMPLES.items():
                with st.container(gap="small"):
                    st.download_button(label, content, name, "text/plain", key=f"example_{name.partition('.')[0]}",
                                       icon=":material/download:", on_click="ignore", width="stretch")
                    st.caption(description)
    _render_page_questions()
    workspace_list.render()


def _render_page_questions() -> None:
    """The question that each page answers."""
    rows = [{"Page": f"**{entry.title}**", "Question": entry.question,
             "Needs": ", ".join(entry.needs) or "nothing"} for entry in page_list.entries()
            if entry.path != page_list.DEFAULT_PAGE]
    with st.expander("What each page will show", icon=":material/list:", key="page_questions"):
        st.table(rows, border="horizontal", hide_index=True, alt="The question that each page answers")
