"""Paths, encodings and configurations that cannot be read, and the look at white space before the fast way."""

from __future__ import annotations

import gzip
import os
import random
import shlex

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run
from ragdash.io.tables import whitespace

TREC = b"q1 Q0 d1 1 0.9 t\nq1 Q0 d2 2 0.8 t\n"
GZ = gzip.compress(bytes(random.Random(1).randbytes(500)), mtime=0)


def test_no_such_file(tmp_path):
    for path, kind in ((tmp_path / "none.trec", "no-such-file"), (tmp_path, "directory"), ("a\0b", "unreadable-file")):
        with pytest.raises(InputError) as caught:
            read_run(path)
        assert [problem.kind for problem in caught.value.problems] == [kind]
        assert caught.value.problems[0].file == str(path)
        assert kind != "directory" or caught.value.problems[0].fix == "Name the files in it."
    for name in ("b c.trec", ".hidden", "a.trec"):
        (tmp_path / name).write_bytes(TREC)
    with pytest.raises(InputError, match="Name the files in it: ") as caught:
        read_run(tmp_path)
    assert shlex.split(caught.value.problems[0].fix.partition(": ")[2].removesuffix(".")) == [
        str(tmp_path / "a.trec"), str(tmp_path / "b c.trec")]
    for name in ("2026-01-01", "2026-01-02"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "header.json").write_text("{}")
    with pytest.raises(InputError) as caught:
        read_run(tmp_path)
    [problem] = caught.value.problems
    assert problem.kind == "directory" and problem.actual == "a log folder with 2 recorded runs"
    assert problem.fix == f"Name a run in it, such as {tmp_path / '2026-01-02'}."


@pytest.mark.parametrize("encoding", ["klingon", "a\0b", ""])
def test_unknown_encoding(encoding):
    with pytest.raises(InputError, match="--encoding"):
        read_run(("x", TREC), encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-16", "ascii", "idna", "utf-7"])
def test_another_encoding_than_given(encoding):
    with pytest.raises(InputError, match="--encoding") as caught:
        read_run(("x", b"\xe9" + TREC), encoding=encoding)
    assert caught.value.problems[0].kind == "wrong-encoding"


def test_a_codec_of_bytes_is_no_encoding_of_text():
    with pytest.raises(InputError, match="--encoding") as caught:
        read_run(("x", b"\xe9" + TREC), encoding="hex")
    assert caught.value.problems[0].kind == "unknown-encoding"


def test_several_configurations():
    content = b"query_id,doc_id,score,config\nq1,d1,0.5,dense\nq1,d1,0.5,sparse\n"
    with pytest.raises(InputError, match="dense, sparse"):
        read_run(("x.csv", content))


@pytest.mark.parametrize("content", [b"", GZ[:100], b"PK\x03\x04", TREC.decode().encode("utf-16")],
                         ids=["empty", "cut", "zip", "utf-16"])
def test_detection_raises_for_files_that_are_not_text(content):
    with pytest.raises(InputError):
        detect(("x", content))


def is_regular(text: bytes, separator: str) -> bool:
    """The definition: nowhere white space beside white space, but for blanks beside blanks between tabs."""
    padded = b"\n" + text
    beside = [(a, b) for a, b in zip(padded, text, strict=False) if a <= 32 and b <= 32]
    if separator == "\t":
        beside = [pair for pair in beside if pair != (32, 32)]
    return not beside and text[-1:] not in (b" ", b"\t") and (separator == "\t" or b"\t" not in text)


@pytest.mark.parametrize("piece, step", [(1, 1), (2, 1), (5, 2), (7, 7), (64, 3)])
def test_irregular_white_space_is_found_across_chunks(piece, step, monkeypatch, tmp_path):
    monkeypatch.setattr(whitespace, "CHUNK_BYTES", piece)
    monkeypatch.setattr(whitespace, "WINDOW_BYTES", step)
    rng = random.Random(piece * 100 + step)
    seen = set()
    for _ in range(300):
        letters = rng.choice(["abcdefgh ", "abcdefgh \n", "abcdefgh\t", "abcdefgh \t", "abcdefghijklmn \t\r\n"])
        text = "".join(rng.choices(letters, k=rng.randint(1, 20))).encode()
        (tmp_path / "x").write_bytes(text)
        for separator in " \t":
            expected = is_regular(text, separator)
            seen.add(expected)
            assert whitespace.is_regular(text, separator) == expected
            assert whitespace.is_regular(tmp_path / "x", separator) == expected
    assert seen == {True, False}


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_normalized_text_has_the_same_fields(separator):
    rng = random.Random(2)
    for _ in range(200):
        text = "".join(rng.choices("ab \t\n\r", k=rng.randint(1, 30))).encode()
        tidied = whitespace.normalize_whitespace(text, separator)
        before, after = whitespace.normalize_line_ends(text).split(b"\n"), tidied.split(b"\n")
        if separator == " ":
            assert [line.split() for line in after if line] == [line.split() for line in before if line.split()]
            assert not tidied or whitespace.is_regular(tidied, " ")
        else:
            assert [_fields(line) for line in after if line] == [_fields(line) for line in before if line.strip(b" ")]


def _fields(line: bytes) -> list[bytes]:
    return [field.strip(b" ") for field in line.split(b"\t")]


def test_a_folder_whose_name_is_not_utf_8_is_named(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xe9")
    folder.mkdir()
    (folder / "run.trec").write_bytes(TREC)
    with pytest.raises(InputError) as caught:
        read_run(folder)
    assert [problem.kind for problem in caught.value.problems] == ["directory"]
    assert str(caught.value).encode().count(b"\\udce9/run.trec") == 1


def test_a_folder_that_cannot_be_listed_is_a_folder(tmp_path, monkeypatch):
    def refuse(_folder):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    with pytest.raises(InputError) as caught:
        read_run(tmp_path)
    assert [problem.kind for problem in caught.value.problems] == ["directory"]
