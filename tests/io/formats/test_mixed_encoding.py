"""Single bytes of Windows-1252 in UTF-8 text are read with a warning; other text is refused as before."""

from __future__ import annotations

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs

CSV = "query_id,query,answer\ns1,Où est le café?,Über die Brücke.\ns2,Who?,It"


def encoding_problems(data: bytes) -> list:
    return [problem for run in read_runs(("a.csv", data)) for problem in run.problems
            if problem.kind.startswith("wrong-encoding")]


def test_the_warning_names_the_byte_its_line_and_how_it_is_read():
    (problem,) = encoding_problems(CSV.encode() + b"\x92s here\n")
    assert (problem.severity, problem.line, problem.facts["byte"], problem.facts["character"]) == (
        "warning", 3, "92", "’")


@pytest.mark.parametrize("data", [
    '[{"question": "Où?", "answer": "é It@s", "retrieved_ids": ["d1"]}]', "q1 Q0 dé7 1 2.5 ü\nq2 Q0 d@9 1 2.5 ü\n",
    '{"query_id": "q1", "answer": "é It@s", "retrieved": ["d1"]}', '{"q1": {"dé7": 0.5, "d@9": 0.25}}',
], ids=["array", "trec", "jsonl", "dictionary"])
def test_every_format_warns_once(data):
    (problem,) = encoding_problems(data.encode().replace(b"@", b"\x92"))
    assert problem.facts["count"] == 1


def test_text_without_odd_bytes_has_no_warning():
    assert encoding_problems(CSV.encode() + b"s here\n") == []


@pytest.mark.parametrize("data", [
    CSV.encode("windows-1252") + b"\x92s here\n",  # all of it is Windows-1252
    CSV.encode() + b"\x81s here\n",  # no character of Windows-1252
    CSV.encode() + b"\xe9\xe8\xfa\n",  # several in a row
], ids=["windows-1252", "undefined", "in a row"])
def test_other_text_is_refused(data):
    with pytest.raises(InputError, match="UTF-8"):
        read_runs(("a.csv", data))
