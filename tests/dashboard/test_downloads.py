"""What a page offers for download is made after the page, in a thread that has no session: each is made so here."""

from __future__ import annotations

import threading

import pytest
from page_cases import opened
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.elements.lib.mutable_popover_container import PopoverContainer
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.state import session_state_proxy
from test_pages import PAGES


def made_later(make, monkeypatch) -> bytes | str | BaseException:
    """What the call returns, or raises, in a thread without a session."""
    outcome = []

    def no_session():
        raise AssertionError("a download reads the session state")

    def work():
        try:
            outcome.append(make())
        except BaseException as error:
            outcome.append(error)

    with monkeypatch.context() as patch:
        patch.setattr(session_state_proxy, "get_session_state", no_session)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return outcome[0]


@pytest.fixture(scope="module")
def samples_address() -> dict:
    at = opened()
    at.button(key="samples").click().run()
    return dict(at.query_params)


@pytest.mark.parametrize("page", PAGES)
def test_every_download_of_a_page_is_made_without_the_session(page, samples_address, monkeypatch):
    offered = {}

    def note(self, make, mimetype, coordinates, file_name=None, element_id=""):
        offered[file_name] = make
        return "id"

    monkeypatch.setattr(MediaFileManager, "add_deferred", note)
    for kind in (ExpanderContainer, PopoverContainer):  # every fold of the page is open
        monkeypatch.setattr(kind, "open", property(lambda self: True, lambda self, value: None))
    opened(page, **samples_address)
    for name, make in offered.items():
        content = made_later(make, monkeypatch)
        assert isinstance(content, (bytes, str)) and content, f"{name}: {content!r}"
    assert offered or page not in ("share", "failures", "queries", "what-if", "threshold-bands")
