"""Every file of the tools, dropped on the Data page, is read and shown as on the command line."""

from __future__ import annotations

import re
import shlex

import pytest
from dropped_files import EXPECTED, FILES, FOLDER, SIZE, Reading, on_the_command_line, truth_of
from page_cases import opened
from test_pages import upload


def on_the_page(at) -> Reading:
    """What the Data page shows of the file that was dropped."""
    sizes = [(found[1], found[2] or "0") for found in (SIZE.match(part.value) for part in at.main.markdown) if found]
    runs = {(entry.name, *size) for entry, size in zip(at.session_state["_runs"], sizes, strict=True)}
    by_label = {metric.label: metric.value for metric in at.main.metric}
    documents = [found[1] for found in (re.search(r"\*\*: ([\d,]+) documents?", part.value)
                                        for part in at.main.markdown if ":material/article:" in part.value) if found]
    return Reading(runs, truth_of(by_label),
                   documents[0] if documents else None, " ".join(part.value for part in at.error).replace("\\", ""))


@pytest.mark.parametrize("name", FILES)
def test_a_dropped_file_is_read_as_on_the_command_line(name, capfdbinary):
    expected, path = EXPECTED[name], FOLDER / name
    reading, proposed = on_the_command_line(capfdbinary, str(path))
    at = upload(opened(), (name, path.read_bytes()))
    shown, apply = on_the_page(at), [button for button in at.button if button.label == "Apply"]
    if "refused" in expected:
        assert expected["refused"] in reading.refused and expected["refused"] in shown.refused
        assert not shown.runs and shown.truth is None and not apply
        return
    assert len(apply) == bool(proposed), "one box with one button where the command line proposes a reading"
    if expected["how"] != "as is":
        assert proposed
        at = apply[0].click().run()
        reading, _ = on_the_command_line(capfdbinary, *shlex.split(proposed))
        shown = on_the_page(at)
        assert not at.exception and not [button for button in at.button if button.label == "Apply"]
    assert (shown.runs, shown.truth) == (reading.runs, reading.truth)
    assert reading.documents in (None, shown.documents)
    assert shown.runs or shown.truth or shown.documents
