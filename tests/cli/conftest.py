"""The files that the tests of several commands read."""

import pytest

RUN = "q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq1 Q0 c 3 1.0 t\nq2 Q0 b 1 2.0 t\nq2 Q0 a 2 1.0 t\n"
OTHER = "q1 Q0 c 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 a 1 2.0 t\n"
QRELS = "q1 0 b 1\nq2 0 b 2\nq2 0 z 1\nq3 0 a 1\nq4 0 a 0\n"


@pytest.fixture
def files(tmp_path):
    """run.trec, other.trec and qrels.txt in a folder of their own."""
    for name, text in (("run.trec", RUN), ("other.trec", OTHER), ("qrels.txt", QRELS)):
        (tmp_path / name).write_text(text)
    return tmp_path
