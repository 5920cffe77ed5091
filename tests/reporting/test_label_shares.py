"""The share of a label is called a share wherever it is shown: in the title, the verdict, and above tables."""

import csv

import pytest
from helpers import call

from ragdash.metrics import read_spec
from ragdash.reporting.sentences.formatting import averages

YES = read_spec("file:'Correct (y/n)'(label='y')")


@pytest.fixture
def answers(tmp_path):
    """Two systems whose answers have labels y and n."""
    for name, right in (("new", 24), ("old", 8)):
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["question", "answer", "Correct (y/n)"])
            rows.writerows([f"What is {number}?", f"It is {number}.", "y" if number < right else "n"]
                           for number in range(30))
    return [str(tmp_path / f"{name}.csv") for name in ("new", "old")]


def test_labels_are_shares_and_other_metrics_means():
    assert YES.title == "Share correct (y/n)" and YES.average == "share"
    assert read_spec("file:'Correct (y/n)'(label='n')").title == "Share not correct (y/n)"
    assert [averages(map(read_spec, specs)) for specs in (
        ["file:verdict(label='Right')"], ["file:sas"], ["file:sas", "file:verdict(label='Right')"])] == [
            "Share", "Mean", "Mean or share"]


def test_the_verdict_the_table_and_the_report_say_share(answers, tmp_path, capfdbinary):
    status, out, _ = call(capfdbinary, "compare", *answers)
    assert status == 0 and "new has the highest share correct (y/n), 0.800" in out
    status, out, _ = call(capfdbinary, "compare", answers[0], f"copy={answers[0]}")
    assert "the highest share" in out and "mean" not in out.split("\n\n")[0]
    page = tmp_path / "page.html"
    assert call(capfdbinary, "report", *answers, "-o", page)[0] == 0
    assert "Share with 95% interval over 30 queries" in page.read_text(encoding="utf-8")
