"""Metrics from a file on the pages: loaded without judgments, chosen, redirected, compared and looked up by query."""

import json

import pytest

from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.answers.validation.sentences import question
from ragdash.metrics import file_spec
from tests.dashboard.page_cases import address, leaderboard, opened, shown, texts

SCORES = "question,config,mrr,recall@k,rating,verdict\n" + "".join(
    f"question {n}?,{name},{value},{value},{1 + 4 * value:.0f},{'Correct' if value else 'Refusal'}\n"
    for name, values in (("x", (1.0, 0.5, 0.5, 1.0)), ("y", (0.0, 0.5, 0.0, 0.5)))
    for n, value in enumerate(values))


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    monkeypatch.setenv("RAGDASH_FILES", json.dumps([str(path)]))


def runs_with_scores():
    queries = [f"q{n}" for n in range(4)]
    runs = []
    for name, values in (("x", (1.0, 0.5, 0.5, 1.0)), ("y", (0.0, 0.5, 0.0, 0.5))):
        rows = [(query, name, "sas", value) for query, value in zip(queries, values, strict=True)]
        runs.append(Run.build(name, queries, ["d"] * 4).with_file_scores(FileScores.build(rows)))
    return runs


def test_a_file_of_scores_is_loaded_without_judgments_and_its_metrics_are_listed(loaded):
    at = opened("data", state={"file_metrics": True})
    assert at.selectbox(key="metric").value == "file:mrr"
    assert "metrics from the file" in texts(at)
    listed = texts(at)
    assert "numbers, range 1 to 5" in listed.replace("\\", "") and "labels Correct and Refusal" in listed


def test_the_direction_is_chosen_on_the_data_page_and_the_metric_follows(loaded):
    at = opened("data", state={"file_metrics": True})
    shown(at.selectbox(key="better_0").set_value("lower").run())
    assert at.selectbox(key="metric").value == "file:mrr(better='lower')"
    assert at.session_state["better"] == ["mrr=lower"]


@pytest.mark.parametrize("page", ["compare", "queries", "metrics", "failures", "share"])
def test_pages_draw_a_metric_from_a_file(page):
    runs = runs_with_scores()
    at = opened(page, **address(Truth.of_queries(runs), runs, metric="file:sas"))
    assert at.selectbox(key="metric").value == "file:sas"


def test_scores_of_a_file_come_right_after_the_main_metric_of_the_leaderboard():
    queries = [f"q{n}" for n in range(4)]
    truth = Truth.build("truth", queries, ["d"] * 4, [1] * 4)
    at = opened("compare", **address(truth, runs_with_scores(), metric="nDCG@k"))
    columns = [name for name in leaderboard(at) if "@" in name or "(file)" in name]
    assert columns[:3] == ["NDCG@10", "sas (file)", "Recall@10"]


def test_a_metric_that_no_run_shown_has_fills_no_row():
    queries = [f"q{n}" for n in range(4)]
    truth = Truth.build("truth", queries, ["d"] * 4, [1] * 4)
    runs = [runs_with_scores()[0], Run.build("plain", queries, ["d"] * 4), Run.build("other", queries, ["e"] * 4)]
    view = address(truth, runs)
    at = opened("compare", **view)
    assert "sas (file)" in leaderboard(at) and at.selectbox(key="metric").options[0] == "sas"
    at.session_state["shown"] = [run.digest for run in runs[1:]]
    at.run()
    assert "sas (file)" not in leaderboard(at) and "sas" not in at.selectbox(key="metric").options
    at.session_state["shown"] = [run.digest for run in runs]
    at.run()
    assert "sas (file)" in leaderboard(at), "the default follows the runs shown"
    hidden = {"shown": [run.digest[:12] for run in runs[1:]]}
    for page in ("compare", "threshold-bands", "overview"):
        assert "sas (file)" not in texts(opened(page, **view, **hidden))
    chosen = opened("compare", **view, **hidden, metrics=["file:sas", "nDCG@k"])
    assert "sas (file)" not in leaderboard(chosen) and "NDCG@10" in leaderboard(chosen)


def test_compare_says_which_run_is_best_by_a_metric_from_the_file():
    runs = runs_with_scores()
    at = opened("compare", **address(Truth.of_queries(runs), runs, metric="file:sas"))
    assert "sas (file)" in texts(at).replace("\\", "")
    assert "sas (file)" in leaderboard(at)


def test_with_judgments_the_metrics_of_the_file_stand_next_to_the_computed_ones():
    runs = runs_with_scores()
    truth = Truth.build("qrels", [f"q{n}" for n in range(4)], ["d"] * 4, [1] * 4)
    at = opened("compare", **address(truth, runs))
    assert at.selectbox(key="metric").value == "nDCG@k"
    columns = list(leaderboard(at))
    assert "NDCG@10" in columns and "sas (file)" in columns


def test_a_column_named_with_k_is_not_given_the_cutoff(loaded):
    at = opened("data")
    shown(at.selectbox(key="metric").set_value("file:recall@k").run())
    assert at.selectbox(key="metric").value == "file:recall@k"


def test_two_files_of_labeled_answers_are_compared_by_their_labels(tmp_path, monkeypatch):
    files = []
    for name, wrong in (("alpha", 2), ("beta", 15)):
        rows = "".join(f"question {n}?,The answer is {n}.,{n},{'Incorrect' if n < wrong else 'Correct'}\n"
                       for n in range(24))
        (path := tmp_path / f"{name}.csv").write_text("question,answer,ground_truth,human_label\n" + rows)
        files.append(str(path))
    monkeypatch.setenv("RAGDASH_FILES", json.dumps(files))
    at = shown(opened("overview"))
    assert at.selectbox(key="metric").value == "file:human_label(label='Correct')"
    assert at.selectbox(key="metric").options[:2] == ["Share correct (human_label)", "Share incorrect (human_label)"]
    assert "Clear winner" in texts(at) and "choose **alpha**" in texts(at)
    assert "same rankings" not in texts(at) and "empty ranking" not in texts(at)
    at = shown(opened("what-if"))
    assert "A hybrid merges rankings" in texts(at)


def test_partly_right_answers_are_explained_where_they_make_two_shares_differ(tmp_path, monkeypatch):
    """6 of 24 are right and 12 more are partly right: Failures counts 75%, the share of the label is 0.250."""
    labels = ["Correct"] * 6 + ["Partially correct"] * 12 + ["Incorrect"] * 6
    rows = "".join(f"question {n}?,The answer is {n}.,{n},{label}\n" for n, label in enumerate(labels))
    (path := tmp_path / "alpha.csv").write_text("question,answer,ground_truth,human_label\n" + rows)
    monkeypatch.setenv("RAGDASH_FILES", json.dumps([str(path)]))
    told = texts(shown(opened("answers"))).replace("\\", "")
    assert "75%" in told
    partly = "Here a partly right answer counts as right, but not in Share correct (human_label)."
    assert f"{partly} Failures counts by the same labels." in told
    said = texts(shown(opened("overview"))).replace("\\", "")
    assert "75% [" in said and partly in said
    assert "(`human_label`), where a partly right answer counts as right;" in texts(shown(opened("failures")))


def test_a_person_who_labels_is_asked_for_what_a_score_of_contexts_says():
    asked = {name: question(file_spec(name)) for name in ("context_precision", "context_recall", "faithfulness",
                                                          "answer_relevancy")}
    assert asked == {"context_precision": "Are the contexts useful for the reference answer, with useful ones first?",
                     "context_recall": "What share of the reference answer do the contexts support?",
                     "faithfulness": "Does the answer state only what its contexts state?",
                     "answer_relevancy": "Does the answer address the whole question, and nothing else?"}
