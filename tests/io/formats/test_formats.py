"""The registry of formats: one place for names, titles, detection, readers and writers."""

from __future__ import annotations

import pytest

from ragdash.core.errors import InputError
from ragdash.io import FORMATS, detect
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats.registry import Format, Registry, Writer
from ragdash.io.write.write import WRITTEN_FORMATS

CONTENTS = {"trec-run": "q1 Q0 d1 1 0.5 tag\n", "trec-qrels": "q1 0 d1 1\n",
            "csv": "query_id,doc_id,score\nq1,d1,0.5\n",
            "tsv": "query_id\tdoc_id\tscore\nq1\td1\t0.5\n", "jsonl": '{"query_id": "q1", "retrieved": ["d1"]}\n',
            "json-array": '[{"query_id": "q1", "retrieved": ["d1"]}]', "json-dict": '{"q1": {"d1": 0.5}}'}


def test_names_and_titles_are_unique():
    titles = [item.title for item in FORMATS]
    assert len(set(titles)) == len(titles)
    assert [FORMATS.get(item.name) for item in FORMATS] == list(FORMATS)
    assert FORMATS.get("unknown") is None
    assert FORMATS.title("unknown") == "unknown"


@pytest.mark.parametrize("name", CONTENTS)
def test_a_detected_format_is_registered(name):
    assert detect(("x", CONTENTS[name].encode())).format == name
    assert FORMATS.get(name).read_truth is not None


def test_formats_are_written_in_a_fixed_order():
    assert WRITTEN_FORMATS == ("trec", "jsonl", "csv", "parquet", "beir")
    endings = [ending for writer in FORMATS.writers.values() for ending in writer.endings]
    assert len(set(endings)) == len(endings)


def test_detectors_are_tried_by_kind_and_order_and_guesses_come_last():
    class Start:
        kind = "text"

    def detector(name, sure=True):
        return lambda _start: DetectedFormat(name, "run", "") if sure else None

    registry = Registry()
    registry.register(Format("late", "Late"), kind="text", order=2, detect=detector("late"), guess=detector("guess"))
    assert registry.detect(Start()).format == "late"
    registry.register(Format("early", "Early"), kind="text", order=1, detect=detector("early"))
    registry.register(Format("other", "Other"), kind="json", order=0, detect=detector("other"))
    assert registry.detect(Start()).format == "early"
    registry = Registry()
    registry.register(Format("none", "None"), kind="text", order=1, detect=detector("none", sure=False))
    assert registry.detect(Start()) is None
    registry.register(Format("late", "Late"), kind="text", order=2, guess=detector("guess"))
    assert registry.detect(Start()).format == "guess"


def test_a_writer_is_found_by_name(tmp_path):
    def refuse(_record, path):
        raise InputError([])

    registry = Registry()
    registry.register(writer=Writer("b", 2, (".b",), refuse, refuse))
    registry.register(writer=Writer("a", 1, (".a",), refuse, refuse))
    assert list(registry.writers) == ["a", "b"]
