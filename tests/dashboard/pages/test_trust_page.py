"""Trust: its numbers are those of ragdash.analysis.judge_validation; labeling, going on, files, few labels, none,
who may only look.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from types import SimpleNamespace

import numpy as np
import page_cases
import pytest
from page_cases import address, charts, texts, unbound
from scipy import stats
from streamlit.testing.v1 import AppTest
from trust_cases import IDS, REAL, TOY, a_run, judged, labeled, scores, the_truth

from ragdash.analysis.judge_validation import (
    LabelStore,
    corrected_difference,
    judged_verdicts,
    labeling_sheet,
    read_labels,
    sample_queries,
    validate_judge,
    verdicts_of,
)
from ragdash.cli.main import main
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Conventions
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation import tables
from ragdash.dashboard.pages.answers.validation.trained_judge import label_key_of
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.evaluate import evaluate
from ragdash.io.write.write import write_run, write_truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks.examples import examples_of
from ragdash.models.judge.tasks.policy import Policy, current_policy, save_policy
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.judge import judge_name
from ragdash.reporting.tables.judge_validation import label_sheet_bytes

AUTH = {"redirect_uri": "https://rag.example.org/oauth2callback", "cookie_secret": "x" * 40, "client_id": "a",
        "client_secret": "b", "server_metadata_url": "https://login.example.org/.well-known/openid-configuration"}
TRUTH = the_truth()


def opened(*runs, secrets=None, user=None, **more) -> AppTest:
    return page_cases.opened("answers/validation", secrets=secrets, user=user, **address(TRUTH, runs, **more))


def said(at: AppTest) -> str:
    """All words of the page, marks of color taken out."""
    text = " ".join(str(one.value) for kind in (at.header, at.subheader, at.markdown, at.caption, at.error, at.info)
                    for one in kind)
    return re.sub(r":color\[.\]\{[^}]*\}\s*|\*\*|\\", "", text).replace("\u00a0", " ")


def button(at: AppTest, key: str):
    return next((one for one in at.button if key in (one.key, unbound(one.key))), None)


def drawn(figure: dict, name: str) -> list[tuple[float, float, float]]:
    """(mean, low, high) of the intervals of a kind in a picture."""
    return [(mean := number(trace["x"]), mean - number(trace["error_x"]["arrayminus"]),
             mean + number(trace["error_x"]["array"])) for trace in figure["data"]
            if trace["name"] == name and trace.get("error_x")]


def number(one: dict) -> float:
    """The single number of an array as plotly sends it."""
    return float(one[0])


@pytest.fixture
def pair():
    """dense and hybrid, judged by the toy, 60 and 50 of their queries labeled, 7 and 4 of them otherwise."""
    runs = a_run("dense"), a_run("hybrid")
    verdicts = scores(1), scores(2, 0.8)
    for run, values in zip(runs, verdicts, strict=True):
        judged(run, TRUTH, values)
    labels = [labeled(run, values, n, wrong) for run, values, n, wrong in
              zip(runs, verdicts, (60, 50), (7, 4), strict=True)]
    return runs, verdicts, labels


def expected(run, labels, name=None):
    spec = parse_spec("Faithfulness")
    verdicts = judged_verdicts(evaluate(run, TRUTH, [spec]), Match(run, TRUTH), spec)
    return verdicts, validate_judge(verdicts, labels)


def test_the_numbers_are_those_of_the_library(pair):
    runs, _, labels = pair
    at = opened(*runs)
    (first, one), (second, other) = (expected(*each) for each in zip(runs, labels, strict=True))
    text = said(at)
    mean, low, high, alone = (f"{100 * value:.0f}" for value in (one.corrected.mean, one.corrected.low,
                                                                 one.corrected.high, one.judge.mean))
    narrower = 1 - (one.corrected.high - one.corrected.low) / (one.labels.high - one.labels.low)
    share = [f"{100 * end:.0f}%" for end in stats.binomtest(53, 60).proportion_ci(0.95, "exact")]
    assert (f"dense: the run is faithful in {low}% to {high}% of 100 queries; best estimate: {mean}%. "
            f"The judge alone says {alone}%. "
            f"The judge makes the interval {narrower:.0%} narrower than the labels alone. "
            f"The judge agrees with 88% of 60 labels [{', '.join(share)}]. "
            f"Always saying “{one.agreement.constant_class}” would agree with {100 * one.agreement.constant:.0f}%."
            ) in text
    assert f"**{low}% to {high}%**" in texts(at) and "Report the range in bold." in text
    tables = " ".join(str(table.value) for table in at.table)
    assert "What fools this judge?" in text and "answer length" in tables and "no clear effect" in tables
    assert "The judge agrees with 92% of 50 labels [81%, 98%]. Always saying" in text
    assert f"{other.agreement.kappa:.3f}" in at.table[0].value.to_string()
    assert f",{fmt.NBSP}" in at.table[0].value["Accuracy"][0], "an interval never breaks within its brackets"
    figure = charts(at)["trust_means"]
    for name, of in (("corrected", "corrected"), ("labels alone", "labels")):
        wanted = [(getattr(each, of).mean, getattr(each, of).low, getattr(each, of).high) for each in (one, other)]
        assert drawn(figure, name) == [pytest.approx(each) for each in wanted]
    assert [number(trace["x"]) for trace in figure["data"] if trace["name"] == "judge alone"
            and trace["x"] != [None]] == pytest.approx([one.judge.mean, other.judge.mean])
    assert "n 60 · N 40" in str(figure["layout"]["annotations"][0]["text"])
    found = corrected_difference(first, second, *labels)
    assert drawn(charts(at)["trust_differences"], "corrected") == [
        pytest.approx((found.corrected.mean, found.corrected.low, found.corrected.high))]
    assert "no significant difference" in text
    assert [len(table.value) for table in at.table] == [2, 2, 2]  # agreement, errors by length and run, confusion
    confusion = at.table[2].value.to_numpy()[:, 1:].tolist()
    assert [[int(str(cell).strip("*")) for cell in row] for row in confusion] == one.agreement.confusion.tolist()


def test_labels_of_one_run_do_not_take_away_the_way_to_more(pair):
    button_of = button(opened(*pair[0]), "start_labeling")
    assert button_of.label == "Label more answers" and button_of.proto.type == "secondary"
    assert button(opened(pair[0][0], a_run("new")), "start_labeling").label == "Label more answers"


def test_labels_become_examples_and_are_held_out_of_the_numbers(pair):
    runs, verdicts, labels = pair
    at = opened(*runs, desk="kept")
    assert "Examples for the judge" in said(at)
    button(at, "examples_save").click().run()
    assert not at.exception
    examples = examples_of("Faithfulness")
    assert "No verdicts yet" in said(at), "those without examples are not read"
    assert f"examples from human labels in the prompt ({examples.digest})" in said(at)
    assert f"{examples.drawn} labels of 110 held out" in said(at)
    shown = {example.query_id for example in examples.examples}
    for run, values in zip(runs, verdicts, strict=True):
        judged(run, TRUTH, {query: value for query, value in values.items() if query not in shown})
    at = opened(*runs)
    (_, one), (_, other) = (expected(*each) for each in zip(runs, labels, strict=True))
    assert one.held_out + other.held_out == examples.drawn and one.agreement.n == 60 - one.held_out
    text = said(at)
    assert f"of {one.agreement.n} labels" in text
    assert f"{examples.drawn} labels held out of all of these numbers" in text
    at = opened(*runs, desk="kept")
    button(at, "examples_remove").click().run()
    assert examples_of("Faithfulness") is None and "% of 60 labels" in said(opened(*runs))
    save_policy(Policy("wrong", "wrong", "wrong", "wrong"))
    at = opened(*runs)
    assert "No verdicts yet" in said(at) and button(at, "policy_remove"), "the way back is on the page"
    button(at, "policy_remove").click().run()
    assert "% of 60 labels" in said(at), "what was read under another policy is not shown"


def test_examples_and_a_policy_of_somebody_else_are_not_replaced_unseen(pair):
    runs, _, _ = pair
    first, second = opened(*runs, desk="kept"), opened(*runs, desk="kept")
    first.number_input(key="_examples_per_class").set_value(1)
    button(first, "examples_save").click().run()
    examples = examples_of("Faithfulness")
    button(second, "examples_save").click().run()
    assert not second.exception and "somebody else has changed the examples of Faithfulness" in said(second)
    assert examples_of("Faithfulness") == examples and button(second, "examples_remove"), "theirs are shown"
    button(second, "examples_remove").click().run()
    assert examples_of("Faithfulness") is None
    button(first, "examples_remove").click().run()
    assert not first.exception and examples_of("Faithfulness") is None, "removed is removed"
    first, second = opened(*runs, desk="label"), opened(*runs, desk="label")
    button(first, "policy_save").click().run()
    policy = current_policy()
    second.radio(key="_policy_rounding").set_value("wrong").run()
    save_policy(None)
    save_policy(Policy("wrong", "wrong", "wrong", "wrong"))
    button(first, "policy_remove").click().run()
    assert "somebody else has changed the labeling policy" in said(first) and current_policy() != policy


def test_what_somebody_else_has_labeled_meanwhile_is_not_taken_back():
    run = a_run("dense")
    judged(run, TRUTH, {query: 1.0 for query in IDS[:3]})
    first = opened(run, desk="label")
    button(first, "label_y").click().run()
    button(first, "label_back").click().run()
    store, key = LabelStore(), "Faithfulness"
    (query,) = store.read(run.digest, key)
    assert store.read(run.digest, key) == {query: 1.0}
    store.add(run.digest, key, {query: 0.0})  # by another person
    button(first, "label_none").click().run()
    assert not first.exception and store.read(run.digest, key) == {query: 0.0}
    button(first, "label_none").click().run()
    assert store.read(run.digest, key) == {}, "what is shown by now is taken back"
    store.add(run.digest, key, {IDS[0]: 1.0, IDS[1]: 1.0})
    assert store.add(run.digest, key, dict.fromkeys(IDS[:2]), {IDS[0]: 1.0}) == 1
    assert store.read(run.digest, key) == {IDS[1]: 1.0}


def test_what_somebody_else_has_labeled_meanwhile_is_shown_before_it_is_replaced():
    run = a_run("dense")
    judged(run, TRUTH, {query: 1.0 for query in IDS[:3]})
    first, store, key = opened(run, desk="label"), LabelStore(), "Faithfulness"
    button(first, "label_y").click().run()
    button(first, "label_back").click().run()
    (query,) = store.read(run.digest, key)
    store.add(run.digest, key, {query: 0.0})  # by another person
    button(first, "label_i").click().run()
    assert f"somebody else has changed the label of query '{query}' meanwhile" in said(first)
    assert not first.exception and store.read(run.digest, key) == {query: 0.0} and "your label: No" in said(first)
    button(first, "label_i").click().run()
    assert store.read(run.digest, key) == {query: 0.5}, "what is shown by now is replaced"


def test_a_label_under_a_policy_that_was_not_seen_is_not_saved():
    run = a_run("dense")
    judged(run, TRUTH, {query: 1.0 for query in IDS[:3]})
    at, store = opened(run, desk="label"), LabelStore()
    save_policy(Policy("wrong", "wrong", "wrong", "wrong"))  # by another person
    button(at, "label_y").click().run()
    assert "somebody else has changed the labeling policy meanwhile" in said(at) and not store.label_counts(run.digest)


def test_a_toy_is_called_one_and_a_model_is_not(pair):
    at = opened(*pair[0])
    assert "Judge: toy-judge :gray[at toy]" in said(at) and "no model that reads" in said(at)
    judged(pair[0][0], TRUTH, scores(3), REAL)
    at = opened(*pair[0])
    assert at.selectbox(key="judge").options == [
        judge_name(TOY, short=True), str(REAL), "Mean of 2 judges, one of them a script",
        "local judge, trained on your labels"], "the judge with most values first"
    at.selectbox(key="judge").set_value(str(REAL)).run()
    assert "Judge: gpt-5" in said(at) and "**toy-judge**" not in said(at)
    assert "No verdicts on hybrid." in said(at) and "% of 60 labels" in said(at)  # labels hold for every judge
    at.selectbox(key="judge").set_value(str(TOY)).run()
    assert "no model that reads" in said(at) and "% of 50 labels" in said(at)


def test_several_judges_are_held_against_the_labels_together(pair):
    """A script and a model on dense: the mean is that of both, over the queries on which both have a verdict."""
    run, truth_said = pair[0][0], pair[1][0]
    other = scores(3)
    judged(run, TRUTH, {query: value for query, value in other.items() if query != IDS[0]}, REAL, failed=IDS[:1])
    both = f"{REAL} + {TOY}"
    at = opened(run, judge=both)
    spec = parse_spec(f"Faithfulness(judge='{both}')")
    verdicts = judged_verdicts(evaluate(run, TRUTH, [spec]), Match(run, TRUTH), spec)
    mean = np.mean([(truth_said[query] + other[query]) / 2 for query in IDS[1:]])
    assert validate_judge(verdicts, pair[2][0]).judge.mean == pytest.approx(mean)
    assert f"The judge alone says {mean:.3f}" in said(at) and "no model that reads" in said(at)
    assert ("Mean of 2 judges, one of them a script: gpt-5 :gray[at judges.example.org] + toy-judge :gray[at toy]"
            in said(at))
    alike = np.mean([truth_said[query] == other[query] for query in IDS[1:]])
    assert f"Judges: 99 queries have verdicts of two or more judges. They all agree on {alike:.0%} of them" in said(at)
    assert "Without a verdict: 1 query" in said(at)
    assert r"judges.example.org\: no JSON in the reply" in at.table[-1].value.to_numpy().tolist()[0][0]


def test_disagreements_are_read_one_after_the_other(pair):
    runs, _, labels = pair
    at = opened(*runs)
    _, one = expected(runs[0], labels[0])
    assert "Disagreements (7)" in said(at) and "1 of 7" in said(at)
    first, second = one.disagreements[:2]
    assert f"{first.query_id}: What is thing" in said(at)
    assert f"Because of {first.query_id}." in "".join(block.proto.body for block in at.get("html"))
    button(at, "apart_next").click().run()
    assert f"{second.query_id}: What is thing" in said(at) and "2 of 7" in said(at)
    (link,) = [one for one in at.get("page_link") if "Queries" in one.proto.label]
    assert f"query={second.query_id}" in str(link.proto)


def test_the_steps_through_disagreements_end_at_the_last_and_a_run_without_any_says_so(pair):
    at = opened(*pair[0])
    assert button(at, "apart_before").disabled and not button(at, "apart_next").disabled
    assert "Every query has a verdict." in said(at) and "Without a verdict" not in said(at)
    for place in range(2, 8):
        assert not button(at, "apart_next").disabled
        button(at, "apart_next").click().run()
        assert f"{place} of 7" in said(at) and not button(at, "apart_before").disabled
    assert button(at, "apart_next").disabled
    run = a_run("agreed")
    judged(run, TRUTH, scores(1))
    labeled(run, scores(1), 30)
    at = opened(run)
    assert "Disagreements (0)" in said(at) and "The judge agrees with every label." in said(at)
    assert button(at, "apart_next") is None


def test_votes_and_missing_verdicts_with_their_reason():
    run = a_run("dense")
    values = scores(1)
    gone = IDS[:3]
    judged(run, TRUTH, {query: value for query, value in values.items() if query not in gone}, failed=gone)
    changed = {query: 1 - value if query in IDS[10:30] else value for query, value in values.items()
               if query not in gone}
    judged(run, TRUTH, changed, vote=1)
    labeled(run, values, 40)
    at = opened(run)
    text = said(at)
    assert "Without a verdict: 3 queries" in text and at.table[-1].value.to_numpy().tolist()[0][1] == "3"
    assert f"on 97 queries the judge was asked more than once. It said the same each time on {77 / 97:.0%} of" in text
    assert "Every query has a verdict." not in text


@pytest.mark.parametrize(("n", "is_drawn"), [(1, False), (12, True)])
def test_a_difference_of_very_few_labels_in_both_runs_is_not_drawn(n, is_drawn):
    runs = a_run("dense"), a_run("hybrid")
    for run, values in zip(runs, (scores(1), scores(2, 0.8)), strict=True):
        judged(run, TRUTH, values)
        labeled(run, values, n)
    at = opened(*runs)
    assert "queries with a label in both runs; there" in said(at)
    assert ("trust_differences" in charts(at)) is is_drawn, "an interval from -1 to 1 says nothing"


def test_few_labels_give_no_interval(pair):
    run = a_run("sparse")
    judged(run, TRUTH, scores(4))
    labeled(run, scores(4), 12, 2)
    at = opened(run)
    assert "The judge agrees with 83% of 12 labels" in said(at)
    (mean, low, high), = drawn(charts(at)["trust_means"], "labels alone")
    assert (f"By the labels alone: {100 * low:.0f}% to {100 * high:.0f}%; best estimate: {100 * mean:.0f}%. The "
            "corrected mean needs 20 labels on this run.") in said(at), "what is drawn is said"
    assert not drawn(charts(at)["trust_means"], "corrected")
    assert "Faithfulness: judge and labels" in [one.value for one in at.header] and "Bold: corrected" not in said(at)
    notes = str(charts(at)["trust_means"]["layout"]["annotations"])
    assert f"labels {low:.3f} to {high:.3f}" in notes and "no interval" not in notes
    assert button(at, "start_labeling").label == "Label more answers"


def test_a_judge_that_always_says_yes_is_told_of():
    run = a_run("kind", {"generator": "gpt-4o"})
    judged(run, TRUTH, dict.fromkeys(IDS, 1.0), REAL)
    labeled(run, scores(1), 30)
    text = said(opened(run))
    assert "1 for all 100 queries" in text
    assert ". Always saying “yes” would agree with" in text and "best estimate of the labels alone: " in text
    assert "With the judge, the result is no more exact than by the labels." in text
    assert "So the judge says no more about a single answer than that." in text
    assert "Judges favor what is written as they write" in text  # one family


def test_a_judge_that_was_asked_in_vain_is_not_one_that_nobody_asked():
    run = a_run("bare")
    judged(run, TRUTH, {}, failed=run.query_ids.to_pylist())
    text = said(opened(run))
    assert "a judge was asked and gave no verdict" in text and "No verdicts yet" not in text, text


def test_no_labels_and_no_verdicts_say_what_to_do(pair):
    bare = a_run("bare")
    at = opened(bare)
    assert "No verdicts yet" in said(at) and not charts(at)
    assert [one.proto.page for one in at.get("page_link")]
    judged(bare, TRUTH, scores(6))
    at = opened(bare)
    assert "bare: no labels yet. The judge alone says" in said(at)
    button(at, "start_labeling").click().run()
    assert not at.exception and at.session_state["desk"] == "label" and "0 of 50" in at.get("progress")[0].proto.text


def test_a_metric_without_a_judge_is_held_against_labels_too():
    run = a_run("dense")
    at = opened(run, trusted="SupportCoverage")
    assert "computed without a judge" in said(at) and "Support coverage" in said(at)
    assert "Judge:" not in said(at)


def test_labels_of_other_queries_than_those_of_the_slice_stay_out(pair):
    runs, _, labels = pair
    at = opened(*runs, slice="kind=odd")
    odd = {query: value for query, value in labels[0].items() if int(query[1:]) % 2}
    assert f"% of {len(odd)} labels" in said(at) and "lacks" not in said(at)


def label_item(at: AppTest) -> str:
    """The answer that is shown for labeling."""
    return next(block.proto.body for block in at.get("html") if "thing" in block.proto.body
                and ">By " in block.proto.body)


def test_labeling_one_answer_after_another_and_going_on_later():
    run = a_run("dense")
    judged(run, TRUTH, scores(1))
    spec = parse_spec("Faithfulness")
    order = sample_queries([verdicts_of(evaluate(run, TRUTH, [spec]), spec)], 50)
    at = opened(run, desk="label")
    headings = [element.value for element in at.markdown]
    assert "**Answer**" in headings and "**Reference**" not in headings, "the judge of faithfulness sees none either"
    shown = [f"thing {int(query[1:])} is" for query in order]
    assert shown[0] in label_item(at)
    assert "Because of" not in str(at.main) and "agrees" not in said(at)  # nothing of the verdicts
    button(at, "label_y").click().run()
    assert shown[1] in label_item(at) and "1 of 50" in at.get("progress")[0].proto.text
    button(at, "label_n").click().run()
    button(at, "label_skip").click().run()
    assert shown[3] in label_item(at)
    button(at, "label_i").click().run()
    store = LabelStore()
    assert store.read(run.digest, "Faithfulness") == {order[0]: 1.0, order[1]: 0.0, order[3]: 0.5}
    button(at, "label_back").click().run()
    assert shown[3] in label_item(at) and "your label: In between" in said(at)
    button(at, "label_none").click().run()
    assert order[3] not in store.read(run.digest, "Faithfulness") and shown[3] in label_item(at)
    button(at, "label_y").click().run()
    again = opened(run, desk="label")  # another session: the skipped one is open again
    assert "3 of 50" in again.get("progress")[0].proto.text and shown[2] in label_item(again)
    button(again, "label_n").click().run()
    assert shown[4] in label_item(again)
    at.run()  # the first session sees it at its next click
    assert "4 of 50" in at.get("progress")[0].proto.text


def test_the_runs_of_a_query_come_mixed_and_without_their_names():
    runs = a_run("one"), a_run("two")
    for run in runs:
        judged(run, TRUTH, scores(1))
    at = opened(*runs, desk="label", sheet="20", seed="7")
    order = []
    for _ in range(20):
        order.append(re.search(r">By (\w+) thing (\d+)", label_item(at)).groups())
        button(at, "label_y").click().run()
    asked = [query for _, query in order]
    assert len(set(order)) == 20 and len(set(asked)) == 10, "the answers of both runs to ten queries, before others"
    assert sum(first == second for first, second in itertools.pairwise(asked)) < 5, "not one question after another"
    assert {name for name, _ in order[:5]} == {"one", "two"}
    kept = [LabelStore().read(run.digest, "Faithfulness") for run in runs]
    assert kept[0].keys() == kept[1].keys() and len(kept[0]) == 10
    assert "the answers to 10 of them at a time are shuffled" in said(at)
    assert "with seed 7, 2 answers to each" in at.get("progress")[0].proto.text
    again = opened(*runs, desk="label", sheet="20", seed="7")
    assert label_item(again) == label_item(at), "the seed decides the order"
    at.selectbox(key="of").set_value(runs[1].digest).run()
    assert "10 of 20" in at.get("progress")[0].proto.text


def test_a_policy_says_before_and_afterwards_what_it_hides_and_leads_back(pair):
    """Saved, replaced and removed on the page; nothing of what was given under other rules is lost."""
    runs, _, _ = pair
    at = opened(*runs, desk="label")
    hidden = "200 verdicts (Faithfulness) and 110 labels"
    assert f"Saving this policy hides {hidden}, given without a policy, on all pages." in said(at)
    assert "is in force" not in said(at)
    button(at, "policy_save").click().run()
    policy = current_policy()
    assert f"The labeling policy {policy.digest} is in force." in said(at) and f"without a policy: {hidden}" in said(at)
    assert button(at, "policy_save").disabled, "nothing would change"
    judged(runs[0], TRUTH, scores(3))
    assert "without a policy: 100 verdicts (Faithfulness) and 110 labels" in said(at.run())
    at.radio(key="_policy_rounding").set_value("wrong").run()
    assert "Saving this policy hides 100 verdicts (Faithfulness), given under policy " + policy.digest in said(at)
    button(at, "policy_save").click().run()
    assert f"under policy {policy.digest}: 100 verdicts (Faithfulness)" in said(at)
    button(at, f"policy_to_{policy.digest}").click().run()
    assert current_policy() == policy and at.radio(key="_policy_rounding").value == "right"
    button(at, "policy_to_None").click().run()
    assert current_policy() is None and "agrees with 88% of 60 labels" in said(opened(*runs))
    assert f"under policy {policy.digest}: " not in said(at), "all that is known under it is shown without it too"
    save_policy(policy)
    viewer = opened(*runs, secrets={"auth": AUTH, "access": {"editors": ["ada@example.org"],
                                                             "viewers": ["bob@example.org"]}},
                    user={"is_logged_in": True, "email": "bob@example.org"})
    assert "without a policy: 100 verdicts" in said(viewer) and button(viewer, "policy_to_None") is None


def test_the_end_of_a_sheet_leads_back_to_what_was_skipped():
    run = a_run("dense")
    judged(run, TRUTH, {query: 1.0 for query in IDS[:3]})
    at = opened(run, desk="label")
    for key in ("label_y", "label_skip", "label_n"):
        button(at, key).click().run()
    assert "Everything is labeled except 1 answer that you skipped" in said(at) and not at.exception
    button(at, "label_again").click().run()
    button(at, "label_y").click().run()
    assert "This sheet is fully labeled" in said(at) and len(LabelStore().read(run.digest, "Faithfulness")) == 3
    button(at, "label_result").click().run()
    assert "% of 3 labels" in said(at)


def test_a_damaged_file_of_labels_is_told_and_nothing_is_lost(tmp_path):
    run = a_run("dense")
    judged(run, TRUTH, scores(1))
    LabelStore().path.write_bytes(b"no database, but 20 bytes and more of text" * 20)
    at = opened(run, desk="label")
    assert "labels.broken-1.sqlite" in said(at) and "set aside" in said(at)
    button(at, "label_y").click().run()
    assert not at.exception and len(LabelStore().read(run.digest, "Faithfulness")) == 1


def filled(judged_run, labels: dict, **more) -> bytes:
    spec = parse_spec("Faithfulness")
    rows = labeling_sheet([verdicts_of(evaluate(judged_run, TRUTH, [spec]), spec)], list(labels)).to_pylist()
    out = io.StringIO()
    writer = csv.DictWriter(out, ["query_id", "run", "label"], extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "label": labels[row["query_id"]], **more})
    return out.getvalue().encode()


def test_a_filled_sheet_is_read_shown_and_kept():
    run = a_run("dense")
    judged(run, TRUTH, scores(1))
    at = opened(run, desk="kept")
    wanted = {query: 1.0 for query in IDS[:25]}
    at.file_uploader[0].upload("sheet.csv", filled(run, wanted)).run()
    assert not at.exception and LabelStore().read(run.digest, "Faithfulness") == {}
    assert at.dataframe[0].value.to_dict("records") == [{"Run": "dense", "Labels": 25, "New": 25, "Changed": 0}]
    button(at, "keep_sheet").click().run()
    assert LabelStore().read(run.digest, "Faithfulness") == wanted
    assert at.session_state["desk"] == "result" and "% of 25 labels" in said(at)


def test_a_sheet_replaces_only_labels_that_were_shown():
    run = a_run("dense")
    judged(run, TRUTH, scores(1))
    store, what = LabelStore(), "Faithfulness"
    store.add(run.digest, what, {IDS[0]: 0.0})
    at = opened(run, desk="kept")
    wanted = {query: 1.0 for query in IDS[:2]}
    at.file_uploader[0].upload("sheet.csv", filled(run, wanted)).run()
    assert "Saving replaces 1 saved label." in said(at)
    store.add(run.digest, what, {IDS[1]: 0.0})  # by another person
    button(at, "keep_sheet").click().run()
    assert store.read(run.digest, what) == {IDS[0]: 0.0, IDS[1]: 0.0}
    assert "somebody else has changed the label" in said(at) and "Saving replaces 2 saved labels." in said(at)
    button(at, "keep_sheet").click().run()
    assert store.read(run.digest, what) == wanted


@pytest.mark.parametrize(("more", "told"), [
    ({"label": "perhaps"}, "a number from 0 to 1"), ({"run": "other"}, "run 'other'"),
    ({"label": ""}, "no label")])
def test_what_is_wrong_in_a_sheet_is_told_and_nothing_is_kept(more, told):
    run = a_run("dense")
    judged(run, TRUTH, scores(1))
    at = opened(run, desk="kept")
    at.file_uploader[0].upload("sheet.csv", filled(run, {query: 1.0 for query in IDS[:3]}, **more)).run()
    assert not at.exception and told in re.sub(r"\\", "", " ".join(one.value for one in at.error))
    assert button(at, "keep_sheet") is None


def test_labels_are_counted_taken_along_and_withdrawn(pair):
    runs, _, labels = pair
    LabelStore().add(runs[0].digest, "Correctness", {IDS[0]: 1.0})
    at = opened(*runs, desk="kept")
    table = at.table[0].value
    assert list(table["Labels"]) == ["60", "50"] and list(table["On other metrics"]) == ["Correctness 1", "–"]
    spec = parse_spec("Faithfulness")
    data = SimpleNamespace(
        verdicts=[verdicts_of(evaluate(run, TRUTH, [spec]), spec) for run in runs], spec=spec,
        context=SimpleNamespace(digests=[run.digest for run in runs], scope=Scope(TRUTH.digest, Conventions())))
    file = label_sheet_bytes(tables.labels_table(data, labels), "csv")
    found, warned = read_labels(file, "labels.csv", {run.name: IDS for run in runs})
    assert found == {run.name: own for run, own in zip(runs, labels, strict=True)} and not warned
    assert b"Thing 4 is blue, says dense." in file
    button(at, "withdraw_0").click().run()
    assert LabelStore().read(runs[0].digest, "Faithfulness") == {}
    assert LabelStore().read(runs[1].digest, "Faithfulness") == labels[1]
    assert LabelStore().read(runs[0].digest, "Correctness") == {IDS[0]: 1.0}


def test_a_viewer_looks_and_does_not_label(pair):
    runs = pair[0]
    secrets = {"auth": AUTH, "access": {"editors": ["ada@example.org"], "viewers": ["bob@example.org"]}}
    user = {"is_logged_in": True, "email": "bob@example.org"}
    at = opened(*runs, secrets=secrets, user=user)
    assert "% of 60 labels" in said(at)
    at.session_state["desk"] = "label"
    at.run()
    assert "View only" in said(at) and all(button(at, f"label_{key}").disabled for key in "yni")
    at.session_state["desk"] = "kept"
    at.run()
    assert not at.file_uploader and button(at, "withdraw_0") is None
    assert at.table[0].value["Labels"].tolist() == ["60", "50"]
    editor = opened(*runs, secrets=secrets, user={**user, "email": "ada@example.org"}, desk="label")

    def many() -> int:
        return sum(len(LabelStore().read(run.digest, "Faithfulness")) for run in runs)

    button(editor, "label_y").click().run()
    assert many() == 111
    editor.user = user  # no editor any more, on a page that is still open
    button(editor, "label_y").click().run()
    assert not editor.exception and many() == 111 and "expected the role editor" in editor.error[0].value


def test_ten_runs_are_told_of_in_a_few_sentences():
    runs = [a_run(f"run {at}") for at in range(10)]
    for seed, run in enumerate(runs):
        judged(run, TRUTH, scores(seed))
        labeled(run, scores(seed), 30, 3)
    at = opened(*runs)
    assert said(at).count("; best estimate: ") == 4 and "See the table for the other 6." in said(at)
    assert len(drawn(charts(at)["trust_means"], "corrected")) == 10


def test_opening_the_page_writes_nothing(pair, tmp_path):
    before = default_verdict_store().stamp(), LabelStore().stamp()
    at = opened(*pair[0], desk="label")
    opened(*pair[0], desk="kept")
    assert (default_verdict_store().stamp(), LabelStore().stamp()) == before and not at.error


def test_a_step_back_to_an_address_without_a_metric_opens_the_one_that_the_page_opens_with():
    rows = [(query, "dense", "verdict", "Correct" if at % 4 else "Incorrect") for at, query in enumerate(IDS[:60])]
    at = opened(a_run("dense").with_file_scores(FileScores.build(rows)))
    first, menu = at.selectbox(key="trusted").value, at.selectbox(key="trusted").options
    assert first == "NumberMatch" and "trusted" not in at.query_params
    at.selectbox(key="trusted").set_value("TokenF1").run()
    page_cases.shown(at.run())  # the browser has taken the new address
    assert at.query_params["trusted"] == "TokenF1" and menu[0] != trust_data.spec_of(first).title
    del at.query_params["trusted"]
    assert at.run().selectbox(key="trusted").value == first


def test_the_policy_is_decided_first_only_where_labels_say_whether_answers_are_right():
    for metric, title in (("TokenF1", "Labeling policy: decide four things first"),
                          ("SupportCoverage", "Labeling policy for right answers")):
        at = opened(a_run("dense"), trusted=metric, desk="label")
        assert title in [fold.label for fold in at.expander]


def test_labels_of_the_files_and_groups_of_dependent_queries():
    """A column with labels of people begins where the metric says what is right; for Faithfulness it can be chosen."""
    rows = [(query, "dense", "verdict", "Correct" if at % 4 else "Incorrect") for at, query in enumerate(IDS[:60])]
    run = a_run("dense").with_file_scores(FileScores.build(rows))
    at = opened(run, trusted="TokenF1")
    labels = {query: float(at % 4 > 0) for at, query in enumerate(IDS[:60])}
    values = verdicts_of(evaluate(run, TRUTH, "TokenF1"), "TokenF1")
    assert at.selectbox(key="labels_from").value == "verdict"
    assert "The metric agrees with" in said(at) and "% of 60 labels" in said(at)
    assert "60 labels from the column verdict of the files. The intervals" in said(at), "none is of this page"
    assert "Does the answer agree with a reference?" in said(opened(run, trusted="TokenF1", desk="label"))
    assert opened(run).selectbox(key="trusted").value == "NumberMatch", "no judge, and each reference has one"
    own = validate_judge(values, labels).labels
    assert drawn(charts(at)["trust_means"], "labels alone") == [pytest.approx((own.mean, own.low, own.high))]
    every = [run.with_file_scores(FileScores.build([(query, run.name, "verdict", "Correct" if at % 3 else "Incorrect")
                                                   for at, query in enumerate(IDS)])) for run in (run, a_run("hybrid"))]
    complete = opened(*every, trusted="TokenF1")
    assert "hybrid: nearly all queries are labeled. Labels alone:" in said(complete)
    assert button(complete, "start_labeling") is None
    grouped = page_cases.shown(at.selectbox(key="groups").set_value("kind").run())
    assert ("Queries with the same kind count as one group in every interval: 2 groups, 2 of them labeled."
            in said(grouped))
    assert "An interval needs 10 labeled groups." in said(grouped) and "Nearly all" not in said(grouped)
    judged(run, TRUTH, scores(1))
    faithful = opened(run)
    assert faithful.selectbox(key="labels_from").value == "" and "no labels yet" in said(faithful)
    assert "of 60 labels" in said(page_cases.shown(faithful.selectbox(key="labels_from").set_value("verdict").run()))
    assert not [one for one in opened(a_run("hybrid"), trusted="TokenF1").selectbox if one.key == "labels_from"]


@pytest.mark.parametrize(("right", "wrong", "other", "words"), [
    ("Correct", "Incorrect", None, ("Incorrect", "Correct")), ("right", "wrong", None, ("wrong", "right")),
    ("Correct", "Incorrect", "Partially correct", ("no", "yes")), (1.0, 0.0, None, ("no", "yes"))])
def test_labels_of_a_file_keep_their_words(right, wrong, other, words):
    """Two labels name the two classes; where others count as one of these too, no single word names it."""
    rows = [(query, "dense", "human_verdict", (right if at % 4 else other if other and at % 8 else wrong))
            for at, query in enumerate(IDS[:60])]
    run = a_run("dense").with_file_scores(FileScores.build(rows))
    at = opened(run, trusted="TokenF1", labels_from="human_verdict")
    assert f"Always saying “{words[1]}” would agree with " in said(at)
    table = next(table.value for table in at.table if "Label" in table.value)
    assert list(table["Label"]) == list(words)
    assert list(table.columns[-2:]) == [f"Metric: {word}" for word in words]
    LabelStore().add(run.digest, label_key_of(parse_spec("TokenF1")), {IDS[70]: 1.0})
    assert "Always saying “yes”" in said(opened(run, trusted="TokenF1", labels_from="human_verdict"))


def test_values_of_a_metric_are_not_called_those_of_a_judge_and_half_right_labels_are_explained():
    rows = [(query, "dense", "verdict", ("correct", "partly", "wrong")[at % 3]) for at, query in enumerate(IDS)]
    at = opened(a_run("dense").with_file_scores(FileScores.build(rows)), trusted="TokenF1")
    assert "An answer that is partly right counts as 0.5." in said(at)
    assert {"metric alone", "labels alone"} <= {trace["name"] for trace in charts(at)["trust_means"]["data"]}
    warnings = said(at).partition("a random sample.")[2].partition("Hollow")[0]
    assert said(at).count("All queries are labeled, so verdicts add nothing.") == 1 and "the judge" not in warnings


def test_scores_of_a_file_are_compared_with_labels_as_on_the_command_line(tmp_path, capsys):
    rows = [(query, "dense", "verdict", "Correct" if at % 4 else "Incorrect") for at, query in enumerate(IDS[:60])]
    rows += [(query, "dense", "faithfulness", (at * 37 % 100) / 100) for at, query in enumerate(IDS)]
    run = a_run("dense").with_file_scores(FileScores.build(rows))
    empty = opened(run, trusted="RAGAS.Faithfulness")
    assert "The runs' files have scores of another judge: faithfulness (file)." in said(empty)
    at = opened(run, labels_from="verdict")
    assert at.selectbox(key="trusted").value == "file:faithfulness", "no judge was asked, so the file's score is first"
    assert at.selectbox(key="labels_from").options == ["given on this page", "verdict (file)"]
    files = {name: str(tmp_path / name) for name in ("dense.jsonl", "truth.jsonl")}
    write_run(run, files["dense.jsonl"])
    write_truth(TRUTH, files["truth.jsonl"])
    assert main(["trust", files["dense.jsonl"], "--truth", files["truth.jsonl"], "-m", "file:faithfulness",
                 "--label-column", "verdict", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)["runs"][0]
    text = said(at)
    assert f"% of {result['agreement']['n']} labels" in text and "The score agrees with" in text
    assert "Every query has a value." in text, "a score of a file is no verdict"
    assert drawn(charts(at)["trust_means"], "corrected") == [pytest.approx(tuple(
        result["corrected"][end] for end in ("mean", "low", "high")))]
    labeling = opened(run, trusted="file:faithfulness", desk="label")
    assert "Does the answer state only what its contexts state?" in said(labeling)


@pytest.mark.parametrize(("faithful", "opened_with"), [([1.0] * 40, "Correctness"), ([1.0] * 39 + [0.0], "Correctness"),
                                                     ([1.0, 0.0] * 20, "Faithfulness")])
def test_the_tab_opens_with_the_first_metric_whose_verdicts_differ(monkeypatch, faithful, opened_with):
    verdicts = {"Faithfulness": faithful, "Correctness": [0.0, 1.0, np.nan, 0.25]}
    monkeypatch.setattr(trust_data, "judges_with_verdicts",
                        lambda _, name: ["model at host"] if name in verdicts else [])
    monkeypatch.setattr(trust_data, "session_file_specs", tuple)
    scope = SimpleNamespace(evaluation=lambda _, specs: SimpleNamespace(
        column=lambda spec: np.array(verdicts[spec.name])))
    context = SimpleNamespace(digests=["first", "second"], scope=scope)
    assert trust_data.default_metric(context) == opened_with
    verdicts.pop("Correctness")
    assert trust_data.default_metric(context) == "Faithfulness", "where none differs, the first with verdicts"
