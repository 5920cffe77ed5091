"""How far metrics of answers agree with people: measured on public sets, and the order of evidence that follows.

The figures are printed by benchmarks/agreement.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragdash.core.text.metric_names import answer_aspect, is_answer_relevance, is_human_label, is_of_contexts
from ragdash.metrics.registry import METRICS, Spec


@dataclass(frozen=True)
class Rated:
    """What people rated: the data, what they said of an answer, how agreement is measured, how many rated it."""

    data: str
    rating: str
    statistic: str
    answers: str
    source: str


@dataclass(frozen=True)
class MeasuredAgreement:
    """Agreement of a metric with a rating (an index into RATED): value and 95% interval over questions."""

    metric: str
    rated: int
    value: float
    low: float
    high: float
    n: int


RATED = (
    Rated("MTRAG", "faithful to the contexts", "AUC", "answers of two models to 159 questions in conversations",
          "IBM, mt-rag-benchmark, human evaluations"),
    Rated("RAGChecker", "the better of two answers", "Spearman", "280 pairs of long answers of eight systems",
          "Amazon, RAGChecker, meta-evaluation"),
    Rated("FinanceBench, short numeric references", "correct, not incorrect", "AUC",
          "answers of 16 systems to 53 questions", "Patronus AI, FinanceBench, results"),
    Rated("FinanceBench, longer references with a number", "correct, not incorrect", "AUC",
          "answers of 16 systems to 72 questions", "Patronus AI, FinanceBench, results"),
)
AGREEMENTS: tuple[MeasuredAgreement, ...] = (
    MeasuredAgreement("SupportCoverage", 0, 0.953, 0.924, 0.977, 305),
    MeasuredAgreement("SupportDensity", 0, 0.95, 0.92, 0.976, 305),
    MeasuredAgreement("UnsupportedNumbers", 0, 0.885, 0.797, 0.969, 130),
    MeasuredAgreement("TokenF1", 0, 0.849, 0.78, 0.911, 318),
    MeasuredAgreement("ROUGE_1", 0, 0.842, 0.774, 0.903, 318),
    MeasuredAgreement("ROUGE_L", 0, 0.799, 0.711, 0.876, 318),
    MeasuredAgreement("NumberMatch", 0, 0.537, 0.418, 0.645, 160),
    MeasuredAgreement("AnswerRelevance", 0, 0.518, 0.433, 0.611, 318),
    MeasuredAgreement("EM", 0, 0.5, 0.5, 0.5, 318),
    MeasuredAgreement("CoverEM", 0, 0.495, 0.469, 0.516, 318),
    MeasuredAgreement("TokenF1", 1, 0.583, 0.487, 0.668, 280),
    MeasuredAgreement("ROUGE_L", 1, 0.566, 0.467, 0.648, 280),
    MeasuredAgreement("ROUGE_1", 1, 0.563, 0.467, 0.65, 280),
    MeasuredAgreement("NumberMatch", 1, 0.289, 0.147, 0.415, 150),
    MeasuredAgreement("CoverEM", 1, 0.006, -0.006, 0.023, 280),
    MeasuredAgreement("AnswerRelevance", 1, -0.148, -0.27, -0.016, 280),
    MeasuredAgreement("NumberMatch", 2, 0.921, 0.889, 0.95, 573),
    MeasuredAgreement("TokenF1", 2, 0.725, 0.654, 0.79, 573),
    MeasuredAgreement("ROUGE_L", 2, 0.725, 0.654, 0.79, 573),
    MeasuredAgreement("CoverEM", 2, 0.707, 0.64, 0.773, 573),
    MeasuredAgreement("AnswerRelevance", 2, 0.672, 0.61, 0.732, 573),
    MeasuredAgreement("ROUGE_1", 2, 0.642, 0.568, 0.718, 573),
    MeasuredAgreement("EM", 2, 0.501, 0.5, 0.504, 573),
    MeasuredAgreement("TokenF1", 3, 0.775, 0.716, 0.828, 799),
    MeasuredAgreement("ROUGE_1", 3, 0.775, 0.719, 0.828, 799),
    MeasuredAgreement("ROUGE_L", 3, 0.771, 0.71, 0.827, 799),
    MeasuredAgreement("NumberMatch", 3, 0.726, 0.67, 0.781, 799),
    MeasuredAgreement("AnswerRelevance", 3, 0.608, 0.537, 0.674, 799),
    MeasuredAgreement("CoverEM", 3, 0.503, 0.5, 0.509, 799),
    MeasuredAgreement("EM", 3, 0.5, 0.5, 0.5, 799),
)
LIMITS = (
    "AUC: how often an answer that people call right has the higher value than one they call wrong; 0.5 is a coin. "
    "Spearman: rank correlation of the differences of two answers with the preference; 0 is no relation. Values are "
    "turned so that more is better. The sets are English, of few sources, and small in questions; the metrics of "
    "grounding and FinanceBench leave refusals out. A metric that orders answers well on average can still be wrong "
    "about any of them. SemanticRelevance, SBERT and LLM judges were not measured here.")
ORDER = ("SupportCoverage", "NumberMatch", "TokenF1", "ROUGE_L", "ROUGE_1", "SupportDensity", "UnsupportedNumbers",
         "HallucinationRate", "CoverEM", "EM")  # strongest evidence first; others follow, LAST at the end
JUDGED_RIGHT = "Correctness"  # the judged metric that says whether an answer is right
LAST = ("AnswerRelevance", "SemanticRelevance")  # unrelated in MTRAG, the wrong way in RAGChecker
SAYS_RIGHT = ("Correctness", "RAGAS.AnswerAccuracy", "RAGChecker.F1", "NumberMatch", "TokenF1", "ROUGE_L", "ROUGE_1",
              "CoverEM", "EM")  # computed metrics that say whether answers are right
WORD_OVERLAP: Mapping[str, str] = {
    **dict.fromkeys(("TokenF1", "ROUGE_1", "ROUGE_2", "ROUGE_L", "chrF", "BLEU"), "references"),
    **dict.fromkeys(("SupportCoverage", "SupportDensity", "HallucinationRate"), "contexts"),
    "AnswerRelevance": "question"}  # metric: what its words are compared with


def evidence_rank(spec: Spec) -> int:
    """Place of a metric of answers in the order of evidence: what people and judges said, then what agrees with them.

    Examples
    --------
    >>> from ragdash.metrics import parse_specs
    >>> sorted(parse_specs("AnswerRelevance EM TokenF1 Correctness SupportCoverage"), key=evidence_rank)
    [Correctness, SupportCoverage, TokenF1, EM, AnswerRelevance]
    >>> sorted(parse_specs("file:answer_correctness file:human_ok"), key=evidence_rank)
    [file:human_ok, file:answer_correctness]
    """
    if spec.file_column and not is_answer_relevance(spec.file_column):
        by_people = dict(spec.params).get("label") or is_human_label(spec.file_column, text=False)
        return 0 if by_people else 1 if not is_of_contexts(spec.file_column) else 3 + len(ORDER)
    if spec.name in METRICS and spec.metric.family == "judged":
        return 1
    if spec.name in LAST or spec.file_column:
        return 4 + len(ORDER)
    return 2 + ORDER.index(spec.name) if spec.name in ORDER else 3 + len(ORDER)


def leading_metric(specs: Sequence[Spec], queries: Callable[[Spec], int]) -> Spec:
    """The metric that a page of answers begins with: one that says whether they are right, else the one with the
    strongest evidence that has a better end.

    A wrong answer can be faithful to its contexts and relevant. So what compares answers with references comes first.
    specs: at least one, all with values; queries: for how many queries each is defined. Only a metric of most queries
    leads (see `on_most`): a criterion tried on a few never comes before one that has a value for all. Of the labels of
    a file, the share of right answers comes before that of wrong ones.
    """
    fit = [spec for spec in on_most(specs, queries) if spec.metric.better is not None]
    return right_answers_metric(specs, queries) or min(fit or specs, key=lambda spec: (
        evidence_rank(spec), bool(spec.file_column) and spec.metric.better != "higher"))


def right_answers_metric(specs: Sequence[Spec], queries: Callable[[Spec], int]) -> Spec | None:
    """The metric to quote for how many answers are right, by the strongest evidence; None where there is none.

    specs: with values; queries: as in `leading_metric`.

    Examples
    --------
    >>> from ragdash.metrics import parse_specs
    >>> specs = parse_specs("AnswerRelevance Faithfulness EM TokenF1 Correctness SupportCoverage")
    >>> right_answers_metric(specs, lambda spec: 100), right_answers_metric(specs[:4], lambda spec: 100)
    (Correctness, TokenF1)
    """
    return min(filter(says_right, on_most(specs, queries)), key=evidence_rank, default=None)


def says_right(spec: Spec) -> bool:
    """Whether the value of a metric means that answers are right."""
    if spec.file_column:
        return bool(answer_score_specs([spec], "right") or label_specs([spec])) and spec.metric.better == "higher"
    return spec.name in SAYS_RIGHT


def on_most(specs: Sequence[Spec], queries: Callable[[Spec], int]) -> list[Spec]:
    """Those defined for at least half as many queries as any other; NumberMatch for three quarters, for it is about
    a part of them by its nature.
    """
    most = max(map(queries, specs), default=0)
    return [spec for spec in specs if queries(spec) >= (0.75 if spec.name == "NumberMatch" else 0.5) * most]


def label_specs(specs: Iterable[Spec]) -> list[Spec]:
    """The shares of labels among metrics from files; those that say which end is better first.

    Examples
    --------
    >>> from ragdash.metrics import file_spec
    >>> label_specs([file_spec("mrr"), file_spec("verdict", "Refusal"), file_spec("verdict", "Correct")])
    [file:verdict(label='Correct'), file:verdict(label='Refusal')]
    """
    labels = [spec for spec in specs if spec.file_column and dict(spec.params).get("label")]
    return sorted(labels, key=lambda spec: spec.metric.better is None)


def answer_score_specs(specs: Iterable[Spec], aspect: str = "") -> list[Spec]:
    """The numbers from files that say something of answers by their name, such as those of RAGAS and DeepEval.

    aspect: as `answer_aspect` gives it, "" for all.

    Examples
    --------
    >>> from ragdash.metrics import file_spec
    >>> specs = [file_spec(name) for name in ("mrr", "faithfulness", "answer_relevancy", "context_recall")]
    >>> answer_score_specs(specs, "grounded"), answer_score_specs(specs, "right")
    ([file:faithfulness], [])
    """
    return [spec for spec in specs if spec.file_column and not dict(spec.params).get("label")
            and (of_spec := answer_aspect(spec.file_column)) and aspect in ("", of_spec)]


def is_of_answers(spec: Spec) -> bool:
    """Whether a metric says something of answers, computed here, judged, or in a file by its name.

    Examples
    --------
    >>> from ragdash.metrics import parse_specs
    >>> [is_of_answers(spec) for spec in parse_specs("TokenF1 Correctness file:faithfulness file:mrr nDCG@10")]
    [True, True, True, False, False]
    """
    return spec.metric.family in ("answers", "semantic", "grounding", "judged") or bool(
        label_specs([spec]) or answer_score_specs([spec]))

ASKED: Mapping[str, tuple[str, str]] = {
    "right": ("Right?", "Answers against the references."),
    "grounded": ("Grounded?", "Answers against their contexts."),
    "relevant": ("Relevant?", "Answers against the question. A wrong answer can address it as well."),
    "contexts": ("Good contexts?", "The contexts alone, whatever the answer makes of them.")}
"""Heading and meaning of a table of metrics, by what they say of answers."""


def is_grounding(spec: Spec) -> bool:
    """Whether a metric compares an answer with its contexts, computed here or by its name in a file."""
    return asked_of_answers(spec) == "grounded"


def asked_of_answers(spec: Spec) -> str:
    """What a metric says of answers: that they are "right", "grounded" or "relevant", or their "contexts" are good.

    Labels and judged metrics, which pages show by themselves, are "right".

    Examples
    --------
    >>> from ragdash.metrics import parse_specs
    >>> [asked_of_answers(spec) for spec in parse_specs("TokenF1 SupportCoverage AnswerRelevance file:context_recall")]
    ['right', 'grounded', 'relevant', 'contexts']
    """
    if answer_score_specs([spec]):
        return answer_aspect(spec.file_column) or ""
    return "grounded" if spec.metric.family == "grounding" else "relevant" if spec.name in LAST else "right"


def agreement_rows() -> list[dict[str, str]]:
    """The table of agreement: a row for each metric, in the order of evidence, and a column for each set."""
    values = {(row.metric, row.rated): f"{row.value:.2f} [{row.low:.2f}, {row.high:.2f}]" for row in AGREEMENTS}
    names = [name for name in (*ORDER, *LAST) if any((name, index) in values for index in range(len(RATED)))]
    return [{"Metric": METRICS[name].title, **{heading(index): values.get((name, index), "–")
                                               for index in range(len(RATED))}} for name in names]


def heading(index: int) -> str:
    """What a column of the table of agreement shows."""
    rated = RATED[index]
    return f"{rated.data}: {rated.statistic}, {rated.rating} ({largest_n(index):,} rated)"


def largest_n(index: int) -> int:
    """The answers or pairs that were rated and for which some metric is defined."""
    return max(row.n for row in AGREEMENTS if row.rated == index)
