"""What the page shows while files are read, and that nothing is lost where the reading ends early."""

from __future__ import annotations

import gzip
import re
import threading

import pytest
from page_cases import opened
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from test_browser import with_samples
from test_pages import with_runs

from ragdash import io
from ragdash.dashboard.session import data_store, read_progress
from ragdash.io.source.read_progress import open_bytes, report_progress


def large_file(name: str) -> bytes:
    """A file that takes a moment to read, in the format of its name."""
    if name == "a.jsonl":
        return "".join(f'{{"query_id": "q{n}", "retrieved": ["{"x" * 2_000}", "b"]}}\n' for n in range(2_000)).encode()
    lines = [(f"q{at // 100}", f"d{at}", 100 - at % 100) for at in range(200_000)]
    if name == "a.csv":
        return ("query_id,doc_id,score\n" + "".join(f"{query},{doc},{score}\n" for query, doc, score in lines)).encode()
    trec = "".join(f"{query} Q0 {doc} 1 {score} x\n" for query, doc, score in lines).encode()
    return gzip.compress(trec, 1) if name == "a.run.gz" else trec


@pytest.mark.parametrize("name", ["a.run", "a.csv", "a.jsonl", "a.run.gz"])
def test_an_uploaded_file_tells_how_far_its_reading_is(name):
    told, content = [], large_file(name)
    with report_progress(lambda file, done, size: told.append((file, done, size))):
        watched = io.read_run((name, content))
    assert watched.digest == io.read_run((name, content)).digest
    assert {file for file, _, _ in told} == {name}
    assert any(0 < done < size for _, done, size in told) and any(done == size for _, done, size in told)


class Place:
    """Keeps what is drawn."""

    def __init__(self):
        self.drawn, self.seen = [], threading.Event()

    def progress(self, share, text):
        self.drawn.append((share, text))
        self.seen.set()

    def empty(self):
        self.drawn.append(None)


def test_the_bar_moves_and_goes(monkeypatch):
    monkeypatch.setattr(read_progress, "AFTER", 0.01)
    monkeypatch.setattr(read_progress, "EVERY", 0.01)
    place = Place()
    with read_progress.show_progress(place, "a_b.run", 8_000_000, "; 1 more file after it"):
        place.seen.wait(5)
        with open_bytes("a_b.run", b"12345678") as stream:
            for _ in range(2):
                stream.read(4)
                place.seen.clear()
                place.seen.wait(5)
                place.seen.clear()
                place.seen.wait(5)
    shares = [drawn[0] for drawn in place.drawn[:-1]]
    assert {0.0, 0.5, 1.0} <= set(shares) and shares == sorted(shares) and place.drawn[-1] is None
    said = [drawn[1].replace("\\", "") for drawn in place.drawn[:-1]]
    assert said[0].startswith("Reading **a_b.run** (8 MB) …") and all("1 more file" in text for text in said)
    assert any("50%" in text for text in said) and "sorting" in said[-1]


def test_what_is_read_at_once_draws_nothing():
    place = Place()
    with read_progress.show_progress(place, "a.run", 10):
        pass
    assert not place.drawn


@pytest.mark.parametrize("fault", [RerunException(RerunData()), MemoryError()])
def test_reading_that_ends_early_leaves_what_was_loaded(monkeypatch, fault):
    """A new choice, another page, a fault: the run that is loaded stays, the next file is read at the next run."""
    at, read, faults = opened(**with_runs(2)), data_store.read_upload, [fault]

    def load(name, *rest):
        if faults and name == "one.run":
            raise faults.pop()
        return read(name, *rest)

    monkeypatch.setattr(data_store, "read_upload", load)
    before = at.session_state["_runs"]
    for name in ("one.run", "two.run"):
        at.file_uploader[0].upload(name, b"q1 Q0 1 1 2.0 x\n")
    at.run()
    if isinstance(fault, MemoryError):  # the page says so, and the next file is read at the next run
        assert any("memory" in problem.value for problem in at.error)
        at.run()
    assert not at.exception and at.session_state["_truth"]
    assert at.session_state["_runs"][:2] == before and at.session_state["_runs"][-1].name == "two"


def test_a_page_left_while_a_file_is_sent_or_read_has_the_runs_of_before(visit):
    big = [(f"q{at // 1000}", f"d{at}", 1000 - at % 1000) for at in range(400_000)]
    content = "".join(f"{query} Q0 {doc} 1 {score} x\n" for query, doc, score in big).encode()
    app = with_samples(visit().open())
    field = app.page.locator("[data-testid=stFileUploader] input[type=file]")
    with app.page.expect_request(lambda request: "/_stcore/upload_file/" in request.url):
        field.set_input_files([{"name": "big.run", "mimeType": "text/plain", "buffer": content}])
    app.go("Compare").go("Data")
    app.page.get_by_role("heading", name=re.compile(r"Runs \([34]\)")).wait_for()
    app.calm()
