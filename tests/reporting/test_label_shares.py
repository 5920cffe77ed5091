"""The share of a label is called a share wherever it is shown: in the title, the verdict, and above tables."""

import csv

import pytest
from helpers import call

from ragdash.core.text.template import fill, percent
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import read_spec
from ragdash.reporting.sentences.formatting import NBSP, averages
from ragdash.reporting.sentences.runs.estimates import estimate_text, gain_estimate, gain_text, value_text

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


@pytest.mark.parametrize(("right", "of", "text"), [
    (21, 40, "53%"), (29, 200, "15%"), (1, 8, "13%"), (9, 40, "23%"), (2, 3, "67%"), (0, 5, "0%"), (5, 5, "100%"),
    (1, 1000, "0.1%"), (999, 1000, "99.9%"), (1, 7000, "0.01%"), (7, 1000, "1%")])
def test_halves_of_a_percent_are_rounded_up_and_few_are_not_none(right, of, text):
    assert percent(right / of) == text and fill("{share:percent}", {"share": right / of}) == text


def test_a_share_and_its_difference_are_percent_and_points_in_sentences_and_other_means_decimals():
    assert value_text(YES, 21 / 40) == "53%" and value_text(read_spec("nDCG@10"), 21 / 40) == "0.525"
    assert estimate_text(Summary(YES, 21 / 40, 0.359, 0.684, n=40, undefined=0)) == "53% [36%, 68%]"
    assert gain_estimate(YES, 0.05, -0.0125, 0.1125) == f"+5.0{NBSP}points [−1.3, +11.3]"
    assert gain_estimate(read_spec("nDCG@10"), 0.05, -0.0125, 0.1) == "+0.050 [−0.013, +0.100]"
    assert value_text(YES, float("nan")) == gain_text(YES, float("nan")) == "–"


def test_the_verdict_the_table_and_the_report_say_share(answers, tmp_path, capfdbinary):
    status, out, _ = call(capfdbinary, "compare", *answers)
    assert status == 0 and "new has the highest share correct (y/n), 80% [63%, 93%]. old (−53.3" in out
    status, out, _ = call(capfdbinary, "compare", answers[0], f"copy={answers[0]}")
    assert "the highest share" in out and "mean" not in out.split("\n\n")[0]
    page = tmp_path / "page.html"
    assert call(capfdbinary, "report", *answers, "-o", page)[0] == 0
    assert "Share with 95% interval over 30 queries" in page.read_text(encoding="utf-8")
