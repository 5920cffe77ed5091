"""An open page names its uploads again to a server that was started anew and no longer has them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import streamlit as st
from source_trees import nodes
from streamlit.runtime.uploaded_file_manager import DeletedFile

from ragdash.dashboard.pages.answers.judge import rubric_editor, verdict_files
from ragdash.dashboard.pages.data import loading
from ragdash.dashboard.pages.data.evidence import borderline_pairs
from ragdash.dashboard.pages.test_set import data as test_set_data
from ragdash.dashboard.pages.test_set import production
from ragdash.dashboard.pages.threshold_bands import bands_file
from ragdash.dashboard.pages.threshold_bands.speed_cost import price_table
from ragdash.dashboard.session import state
from ragdash.evaluation.latency_cost import PriceTable

DASHBOARD = Path(state.__file__).parents[1]
LOST = DeletedFile("1")


@pytest.mark.parametrize(("key", "callback"), [
    (state.RUBRIC_FILE, rubric_editor._save_file), (state.DRAFTS_FILE, test_set_data._open_file),
    (state.VERDICTS_FILE, lambda: verdict_files._read_file(None)), (state.PRODUCTION_FILE, production._open_log),
    ("decisions", lambda: borderline_pairs._import_decisions("decisions")),
    ("bands", lambda: bands_file._read_bands_file("bands")),
    (state.PRICES_FILE, lambda: price_table._take_file(PriceTable()))])
def test_a_file_that_the_server_no_longer_has_changes_nothing(monkeypatch, key, callback):
    session = {key: LOST}
    monkeypatch.setattr(st, "session_state", session)
    callback()
    assert session == {key: LOST}


def test_the_main_field_says_that_the_upload_ended_and_takes_the_others(monkeypatch):
    session = {"files0": [LOST, "a file"], "_uploads": 0, "_waiting": (), "_notice": ()}
    monkeypatch.setattr(st, "session_state", session)
    monkeypatch.setattr(loading.rights, "may", lambda action: True)
    loading.take_uploads()
    assert state.pending_files() == ("a file",)
    assert "Drop the file again" in str(state.notice()[0])


def test_files_of_upload_fields_are_asked_for_in_one_place():
    """Streamlit's session state holds lost files as they are: whoever reads a file has it from `state.uploaded...`."""
    bare = []
    for path in DASHBOARD.rglob("*.py"):
        for function in (node for node in nodes(path) if isinstance(node, ast.FunctionDef)):
            read = {ast.unparse(node.func.value) for node in ast.walk(function) if isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute) and node.func.attr == "getvalue"}
            bound = {argument.arg for argument in function.args.args}
            for node in ast.walk(function):
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                source = getattr(node, "iter", None) or (node.value if isinstance(node, ast.Assign) else None)
                if source and any(word in ast.unparse(source) for word in ("uploaded_file", "st.file_uploader(")):
                    bound |= {name.id for target in targets if target for name in ast.walk(target)
                              if isinstance(name, ast.Name)}
            bare += [f"{path.name}:{function.name}: {name}" for name in read - bound]
    assert not bare
