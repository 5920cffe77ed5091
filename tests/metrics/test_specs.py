"""How metrics are spelled, and what is said of spellings that are none."""

from __future__ import annotations

import re

import pytest

from ragdash.core.errors import InputError
from ragdash.metrics import DEFAULT_SPECS, METRICS, Spec, find_metric, parse_spec, parse_specs
from ragdash.metrics.spelling import FIELD_TERMS, suggest_metrics

SPELLINGS = [
    ("Precision@5", "P@5"), ("Recall@10", "R@10"), ("HitRate@10", "Success@10"), ("hit@10", "Success@10"),
    ("MRR", "RR"), ("MRR@10", "RR@10"), ("MAP", "AP"), ("ndcg@10", "nDCG@10"), ("ndcg_cut_10", "nDCG@10"),
    ("recip_rank", "RR"), ("map", "AP"), ("P_5", "P@5"), ("recall_10", "R@10"), ("map_cut_100", "AP@100"),
    ("success_5", "Success@5"), ("R", "R"), ("F1@10", "F1@10"), ("Judged@10", "Judged@10"), ("ERR@20", "ERR@20"),
    ("Rprec", "Rprec"), ("bpref", "bpref"), ("AUC", "AUC"), ("AQWV@10", "AQWV@10"), ("MeanRank", "MeanRank"),
    ("RBP(p=0.8)", "RBP"), ("nDCG(gain='exp')@10", "nDCG(gain='exp')@10"),
    ('nDCG(gain="exp")@10', "nDCG(gain='exp')@10"),
    ("nDCG( gain = 'exp' )@10", "nDCG(gain='exp')@10"), ("nDCG(gain='linear')@10", "nDCG@10"), ("P(rel=1)@5", "P@5"),
    ("Precision(rel=2)@5", "P(rel=2)@5"), ("ERR(max_grade=4)@20", "ERR(max_grade=4)@20"),
    ('nDCG(dcg="exp-log2")@10', "nDCG(gain='exp')@10"), ("nDCG(dcg='log2')@10", "nDCG@10"),
    ("recall_at_10", "R@10"), ("precision_at_5", "P@5"), ("mrr_at_10", "RR@10"), ("ndcg at 10", "nDCG@10"),
    ("recall_at_k@20", "R@20"), ("hit_rate@3", "Success@3"), ("hit_rate_at_3", "Success@3"),
    ("hit_ratio@5", "Success@5"), ("HR@10", "Success@10"),
    ("context_recall@5", "ContextRecall@5"), ("AP(rel=2)@100", "AP(rel=2)@100"), ("P_10", "P@10"),
    ("mean_reciprocal_rank", "RR"), ("mean_average_precision@10", "AP@10"),
    ("ERR(probabilities=(0, .2, .5, .8))", "ERR(probabilities=(0, 0.2, 0.5, 0.8))"),
]


@pytest.mark.parametrize("change", [str, str.lower, str.upper, str.swapcase], ids=["as is", "lower", "UPPER", "sWAP"])
@pytest.mark.parametrize("text, canonical", SPELLINGS, ids=[row[0] for row in SPELLINGS])
def test_common_spellings_are_read_whatever_their_case(text, canonical, change):
    name, parenthesis, rest = text.partition("(")
    assert str(parse_spec(change(name) + parenthesis + rest)) == canonical


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS.keys())
def test_each_alias_names_its_metric_and_no_other(metric):
    cut = "@5" if metric.cutoff == "required" else ""
    for name in (metric.name, *metric.aliases):
        assert {parse_spec(spelled + cut).name for spelled in (name, name.lower(), name.upper())} == {metric.name}
        owners = [other.name for other in METRICS.values()
                  if name.lower() in {spelled.lower() for spelled in (other.name, *other.aliases)}]
        assert owners == [metric.name]


@pytest.mark.parametrize("spelling, title", [
    ("nDCG@10", "NDCG@10"), ("R@10", "Recall@10"), ("RR", "MRR"), ("RR@10", "MRR@10"), ("AP", "MAP"),
    ("Success@10", "Hit rate@10"), ("P@5", "Precision@5"), ("F1@3", "F1@3"), ("Judged@10", "Judged@10"),
    ("Rprec", "R-precision"), ("MeanRank", "Mean rank"), ("AUC", "ROC AUC"),
])
def test_titles_are_the_common_names(spelling, title):
    assert parse_spec(spelling).title == title


@pytest.mark.parametrize("text, canonical", [
    ("nDCG@10 R@5, MRR", ["nDCG@10", "R@5", "RR"]),
    ("nDCG@10,R@5,RR", ["nDCG@10", "R@5", "RR"]),
    ("  P@5\t\n AP ", ["P@5", "AP"]),
    ("RR MRR recip_rank RR@10", ["RR", "RR@10"]),
    ("RBP(p=0.5, gain='graded')@3 ERR(probabilities=(0, 0.5))", ["RBP(gain='graded', p=0.5)@3",
                                                               "ERR(probabilities=(0, 0.5))"]),
    ("", []),
])
def test_white_space_and_commas_separate_outside_parentheses(text, canonical):
    assert [str(spec) for spec in parse_specs(text)] == canonical


def test_a_list_of_names_and_specs_is_read_too():
    assert parse_specs(["P@5", Spec("AP"), "MRR"]) == (Spec("P", k=5), Spec("AP"), Spec("RR"))
    assert parse_specs(DEFAULT_SPECS) == DEFAULT_SPECS


@pytest.mark.parametrize("text, kind, says", [
    ("nDGC@10", "unknown-metric", "nDCG"),
    ("Recal@10", "unknown-metric", ""),
    ("qwertyuiop", "unknown-metric", "nDCG"),
    ("P@-1", "unknown-metric", ""),
    ("P@2.5", "unknown-metric", ""),
    ("P", "metric-cutoff/missing", "P@10"),
    ("P@0", "metric-cutoff", ""),
    ("AUC@5", "metric-cutoff", "AUC"),
    ("hit_rate", "metric-cutoff/missing", "Write hit_rate@10."),
    ("HitRate@", "metric-cutoff/missing", "Write HitRate@10."),
    ("precision_at_k", "metric-cutoff/missing", "Write precision@10."),
    ("recall_at_k", "metric-cutoff/missing", "Write recall@10, or recall for all ranks."),
    ("NDCG@K", "metric-cutoff/missing", "Write NDCG@10, or NDCG for all ranks."),
    ("ndcg_at_n(gain='exp')", "metric-cutoff/missing", "Write ndcg(gain='exp')@10, or ndcg(gain='exp') for all ranks."),
    ("AUC@k", "metric-cutoff", "no cutoff: AUC"),
    ("IPrec@k", "metric-parameter", "recall"),
    ("recal_at_5", "unknown-metric/near", "perhaps R@5 or StRecall@5"),
    ("precission", "unknown-metric/near", "P@10"),
    ("top_5_accuracy", "unknown-metric/near", "Success@5"),
    ("meteor", "unknown-metric/absent", "chrF"),
    ("bert_score", "unknown-metric/absent", "SBERT or CrossEncoder"),
    ("RAGAS.AspectCritic", "unknown-metric/ragas", "--rubric"),
    ("ragas.bleu_score", "unknown-metric/ragas", "BLEU"),
    ("RAGAS.ToolCallF1", "unknown-metric/ragas", "agent"),
    ("nDCG@10.5", "unknown-metric", "nDCG"),
    ("nDCG(dcg='exp')@5", "metric-parameter", "gain"),
    ("nDCG(gain='cubic')@5", "metric-parameter", "exp"),
    ("nDCG(gian='exp')@5", "metric-parameter", "gain"),
    ("P(rel=0)@5", "metric-parameter", "rel"),
    ("P(rel='two')@5", "metric-parameter", "rel"),
    ("P(rel=2.5)@5", "metric-parameter", "rel"),
    ("P(rel=True)@5", "metric-parameter", "rel"),
    ("RBP(p=1.5)", "metric-parameter", "p"),
    ("RBP(p=nan)", "metric-parameter", "p"),
    ("P(rel=2, rel=3)@5", "metric-parameter", "rel"),
    ("P(2)@5", "metric-parameter", "rel"),
    ("P(rel=__import__('os'))@5", "metric-parameter", "rel"),
    ("ERR(probabilities=(0, 7))", "metric-parameter", "probabilities"),
    ("ERR(probabilities=(0, -0.5))", "metric-parameter", "probabilities"),
    ("ERR(probabilities=())", "metric-parameter", "probabilities"),
    ("ERR(probabilities=0.5)", "metric-parameter", "probabilities"),
    ("P(rel=2@5", None, ""),
    ("@5", None, ""),
])
def test_what_cannot_be_read_is_one_problem_with_a_hint(text, kind, says):
    with pytest.raises(InputError) as caught:
        parse_specs(text)
    (problem,) = caught.value.problems
    assert kind in (problem.kind, problem.message, None) and problem.severity == "error"
    assert says in problem.expected + problem.fix and problem.fix
    assert len(problem.expected) < 200, "a list of every metric is no suggestion"
    for example in re.findall(r"Write (\S+@10)[.,]", problem.fix):
        assert parse_spec(example).k == 10


@pytest.mark.parametrize("text, first", [
    ("nDGC@10", "nDCG"), ("recal@5", "R"), ("precission@3", "P"), ("mpa", "AP"), ("hitrat@5", "Success"),
    ("reciprocal_rnak", "RR"), ("mrr_score@10", "RR"), ("f1_score", "F1"), ("mean_recall@5", "R"),
    ("faithfullness", "Faithfulness"), ("context_relevancy", "ContextRelevance"), ("accuracy", "Success"),
    ("top_k_accuracy", "Success"), ("groundedness", "Faithfulness"), ("response_time", "Latency"),
    ("AnswerCorrectness", "Correctness"), ("hallucination", "HallucinationRate"), ("rouge", "ROUGE_L"),
])
def test_an_unknown_name_suggests_the_metric_that_is_meant_first(text, first):
    assert suggest_metrics(text)[0] == first
    with pytest.raises(InputError) as caught:
        parse_specs(text)
    assert first in caught.value.problems[0].expected


@pytest.mark.parametrize("text", ["qwertyuiop", "x", "zzz@10", "latin"])
def test_nothing_is_suggested_for_a_name_that_is_near_none(text):
    assert suggest_metrics(text) == []


def test_the_guide_of_a_metric_is_found_by_a_name_with_or_without_a_cutoff():
    assert [find_metric(name).name for name in ("recall_at_k", "Recall@5", "hit_rate", "NDCG@k")] == [
        "R", "R", "Success", "nDCG"]
    with pytest.raises(InputError) as caught:
        find_metric("precission@5")
    assert caught.value.problems[0].expected == "perhaps P, Rprec or SetP"


def test_every_field_term_names_a_metric_that_exists():
    for term, names in FIELD_TERMS.items():
        assert set(names) & METRICS.keys(), term


def test_every_unreadable_name_is_told_at_once():
    with pytest.raises(InputError) as caught:
        parse_specs("P@5 foo RR@0x nDCG@10 bar@3")
    assert [problem.actual.strip("'") for problem in caught.value.problems] == ["foo", "RR@0x", "bar@3"]


def test_specs_are_values():
    spec = parse_spec("nDCG(gain='exp')@10")
    assert spec == METRICS["nDCG"].spec(10, gain="exp") and hash(spec) == hash(METRICS["nDCG"].spec(10, gain="exp"))
    assert (spec.name, dict(spec.params), spec.k, spec.metric) == ("nDCG", {"gain": "exp"}, 10, METRICS["nDCG"])
    assert spec.at_cutoff(5) == parse_spec("nDCG(gain='exp')@5") and spec.at_cutoff(None) == parse_spec(
        "nDCG(gain='exp')"
    )
    with pytest.raises(AttributeError):
        spec.k = 5


@pytest.mark.parametrize("metric", [metric for metric in METRICS.values() if "rel" in (metric.allowed or {})],
                         ids=lambda metric: metric.name)
def test_every_metric_takes_the_same_levels_of_relevance(metric):
    cut, needed = "@5" if metric.cutoff == "required" else "", ", corpus_size=9" if metric.name == "MQWV" else ""
    for rel in (1, 2, 2**31):
        assert dict(parse_spec(f"{metric.name}(rel={rel}{needed}){cut}").params).get("rel", 1) == rel
    for rel in (0, -1, 2**31 + 1):
        with pytest.raises(InputError):
            parse_spec(f"{metric.name}(rel={rel}{needed}){cut}")


def test_a_parameter_is_read_under_its_earlier_spelling():
    assert str(parse_spec("EM(normalisation='unicode')")) == "EM(normalization='unicode')"


def test_a_cutoff_of_more_digits_than_python_reads_is_refused():
    for digits in ("9" * 5_000, "0" * 5_000):
        with pytest.raises(InputError, match="a cutoff from 1 to"):
            parse_specs(f"R@{digits}")
    assert parse_specs(f"R@{'0' * 5_000}5") == parse_specs("R@5")
