"""--truth given several times: the files are joined by query id, as "Join both" does on a page."""

from __future__ import annotations

import json

from ragdash.cli.main import main

RUN = {"query_id": "q1", "query": "Who?", "retrieved": [{"doc_id": "d1", "score": 1.0}], "answer": "Eiffel"}
REFERENCES = {"query_id": "q1", "answers": ["Eiffel"]}


def write(folder, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files]


def test_judgments_and_references_of_two_files_are_measured_together(tmp_path, capsys):
    run, qrels, references = write(tmp_path, run=json.dumps(RUN) + "\n", qrels="q1 0 d1 1\n",
                                   references=json.dumps(REFERENCES) + "\n")
    for order in ([qrels, references], [references, qrels]):
        assert main(["evaluate", run, "--truth", order[0], "--truth", order[1], "-m", "RR EM", "--format", "csv"]) == 0
        out, err = capsys.readouterr()
        assert "joined by 1 query id" in err
        assert [row.split(",")[2] for row in out.splitlines() if row.startswith("run,")] == ["mean", "1.0", "1.0"], out


def test_a_conflict_is_named_and_the_first_file_counts(tmp_path, capsys):
    run, first, second = write(tmp_path, run=json.dumps(RUN) + "\n", first="q1 0 d1 1\n", second="q1 0 d1 0\n")
    assert main(["evaluate", run, "--truth", first, "--truth", second, "-m", "RR"]) == 0
    out, err = capsys.readouterr()
    assert "1.000" in out and "judgments that 'first' and 'second' give differently" in err
