"""What a metric that a file brings along is, by its name and values: is it one, is more better, on which scale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

_WORD = re.compile(r"(?<![A-Za-z])[Ff]1(?!\d)|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")

# One word, however it is written.
_SPELLINGS = re.compile(r"nDCG|hit[_ ]?rate|ROUGE[_ ]?L|reciprocal[_ ]?rank", re.IGNORECASE)


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# "y/n" and its like behind a name say how a cell is filled in; "n" alone is a number.
_YES_OR_NO = re.compile(r"(?<![^\W_])[yjosYJOS][\s/|_-]+[nN](?![^\W_])")

_RIGHT_ANSWER = re.compile(r"(correct|right|gold|expected|true)[_ -]?(answer|option|choice)s?", re.IGNORECASE)
_CUT = re.compile(r"[^@]*[A-Za-z]\s?@\s?\d+")  # P@5, strec@10
_CUTOFF = re.compile(r"(?:(?:top|at|k)[ _-]?)?@?(\d+)", re.IGNORECASE)  # the key of a value: "10", "top_10", "@10"
_AT_K = re.compile(r"\s?@\s?k|[ _-]at[ _-]k", re.IGNORECASE)  # in the name of a metric
_AMONG_FIRST = re.compile(r"top[ _-]?\d+", re.IGNORECASE)  # Top5: 1 where the right one is among the first five

_MEASURES = _word_set(
    "mrr rr reciprocalrank ndcg dcg map ap recall precision hit hits hitrate mhr f1 em bleu rouge rougel meteor "
    "bertscore chrf sas faithfulness faithful groundedness grounded relevancy correctness correct accuracy similarity "
    "acc hallucination hallucinated hallucinations toxicity coherence fluency completeness conciseness "
    "helpfulness harmfulness utilization coverage rprec bpref success entailment factuality consistency")
_NOT_ALONE = _word_set("correct hit hits match success map")  # names of contents too: correct_answer, hits, map
_CONTENTS = _word_set(
    "answer answers chunk chunks context contexts doc docs document documents option options choice choices "
    "response label text list url urls source sources path paths")
_JUDGED = _word_set(
    "score rating judge judged verdict passed quality relevance grade graded human exact match ragas deberta nli hhem "
    "acceptable")
_LABELS = _word_set(
    "label verdict judgment judge rating correctness correct outcome assessment human grade "
    "status annotation annotated feedback score evaluation result passed") | {"judgement"}
_DURATIONS = _word_set(
    "latency elapsed duration runtime ms")
_TIMES = _word_set(  # of a duration, or of a point in time: the values show which
    "time took timing seconds")
_COSTS = _word_set(
    "cost tokens price")
_COUNTS = _word_set(
    "n num count number cache cached "
    "id ids index idx rank position page year threshold seed topk length size version reason "
    "reasoning explanation comment model")
_KINDS = _word_set("type kind method")  # judge_type: how a question is to be judged
_PROPERTIES = _word_set(  # of queries, and settings
    "is has have had needs need requires require contains with multi hop single adversarial answerable unanswerable "
    "noisy expected gold alpha beta lambda weight weights temperature top p chunk overlap split fold difficulty used "
    "use enabled fallback ambiguous min max")
_SIGNED = _word_set("cosine cos")  # similarities that may be below 0
_NO_SHARES = _COUNTS | _KINDS | _PROPERTIES | _DURATIONS | _COSTS
_LIMITS = tuple(map(_word_set, ("max tokens", "limit tokens", "budget tokens", "price per")))  # of a service
_LOWER = _word_set(
    "hallucination hallucinated hallucinations toxicity harmfulness error errors noise bias wer perplexity "
    "distance leak")
_GOOD = _word_set(
    "correct yes true pass passed good relevant grounded supported faithful accurate success ok right acceptable "
    "complete richtig korrekt correcte juste correcto correcta corretto corretta correto correta juist goed")
_BAD = _word_set(
    "incorrect wrong no false fail failed bad irrelevant ungrounded unsupported hallucinated hallucination "
    "inaccurate unacceptable error falsch inkorrekt incorrecte faux incorrecto incorrecta sbagliato errato "
    "incorreto errado onjuist fout")
_LETTERS = {_word_set("y"): "higher", _word_set("j"): "higher", _word_set("n"): "lower"}  # a label that is no word
_PARTLY = _word_set("partial partially partly teilweise partiellement parcialmente parzialmente gedeeltelijk")
_DECLINED = _word_set(
    "refusal refusals refuse refused refuses declined declines abstain abstained abstention unanswered")
_OF_ANSWERS = _word_set(  # of labels that say whether an answer is right, and those of them that people give
    "correctness verdict outcome judgment judgment assessment grade rating")
_GROUNDING = _word_set(
    "faithfulness faithful groundedness grounded grounding hallucination hallucinated hallucinations entailment "
    "factuality attribution hhem")
_OF_CONTEXTS = _word_set("recall precision relevancy relevance utilization utilisation entities entity")
_ANSWER_SCORES = _word_set(
    "relevancy correctness accuracy similarity sas bleu rouge rougel meteor bertscore bert chrf completeness "
    "conciseness helpfulness coherence fluency toxicity harmfulness em exact correct summarization")
_USUAL_MEANINGS = (  # what tools mean by a name with a word of each set, the first that fits
    ((_word_set("faithfulness faithful groundedness grounded"),),
     "how far the contexts support the answer, not whether the answer is right"),
    ((_word_set("answer response"), _word_set("relevancy relevance")),
     "how well the answer addresses the question, not whether it is right"),
    ((_word_set("context contexts contextual"), _word_set("precision")),
     "whether the useful contexts come before the useless ones"),
    ((_word_set("context contexts contextual"), _word_set("recall")),
     "how much of the right answer the contexts contain"),
    ((_word_set("context contexts contextual"), _word_set("relevancy relevance")),
     "how far the contexts are about the question"),
    ((_word_set("correctness"),), "how far the answer agrees with the right one"),
    ((_word_set("answer semantic"), _word_set("similarity")), "how close the answer is to the right one in meaning"))
_BY_PEOPLE = _word_set("correct right label labels labeled annotation annotated annotator human manual my")
_RATED = _word_set("score scores rating ratings grade quality points")  # of an answer, if the name says so
_NOT_BY_PEOPLE = _word_set(
    "judge judged llm gpt claude gemini ragas deepeval auto automatic predicted prediction model relevance relevant "
    "context contexts retrieval retrieved retriever document documents doc docs chunk chunks passage query question")
GROUPS = _word_set(  # objects of metrics: {"mrr": 0.5}
    "metrics metric metric_scores scores eval evals evaluation evaluations judge judgment judgments ratings"
) | {"judgement"}
SCALES = ((0.0, 1.0), (0.0, 2.0), (1.0, 3.0), (0.0, 3.0), (1.0, 5.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0),
          (0.0, 100.0))
MOST_LABELS, LONGEST_LABEL = 12, 40  # a column with more different texts, or longer ones, holds no labels


def words_of(name: str) -> frozenset[str]:
    """The words of a name in lower case: "retrievalMRR@10" -> {"retrieval", "mrr", "10"}."""
    plain = _SPELLINGS.sub(lambda match: match.group().lower().replace("_", "").replace(" ", ""), name)
    return frozenset(word.casefold() for word in _WORD.findall(_YES_OR_NO.sub(" ", plain)))


def is_metric_name(name: str) -> bool:
    """Whether a column of this name can only hold the values of a metric, such as recall@10 or faithfulness.

    Examples
    --------
    >>> [is_metric_name(name) for name in ("retrieval_mrr", "hit_at_5", "year", "num_hits", "correct_answer")]
    [True, True, False, False, False]
    """
    words = words_of(name)
    if _CUT.fullmatch(name.strip()):
        return not words & _COUNTS
    measures = words & _MEASURES
    if measures <= _NOT_ALONE and (words & _CONTENTS or words <= {"hits", "map", "match"}):
        return False
    if words >= {"similarity", "top", "k"}:
        return False  # a setting: similarity_top_k
    return bool(measures) and not words & _COUNTS - {"page", "version"}


def at_cutoff(metric: str, key: str) -> str:
    """The name of a value in an object of a metric: {"recall": {"5": 0.5}} has recall@5; any other key is the name.

    Examples
    --------
    >>> at_cutoff("recall", "5"), at_cutoff("hit_at_k", "@10"), at_cutoff("scores", "mrr")
    ('recall@5', 'hit@10', 'mrr')
    """
    cutoff = _CUTOFF.fullmatch(key.strip())
    return f"{_AT_K.sub('', metric)}@{cutoff[1]}" if cutoff and is_metric_name(metric) else key


def may_hold_scores(name: str) -> bool:
    """Whether numbers in a column of this name, next to answers or rankings, are taken for the values of a metric."""
    words = words_of(name)
    if any(words >= limit for limit in _LIMITS):
        return False
    return is_metric_name(name) or (bool(words & (_JUDGED | _DURATIONS | _COSTS)) and not words & (_COUNTS | _KINDS))


def may_group_scores(name: str) -> bool:
    """Whether the numbers in an object of this name are taken for metrics; those of tokens and times are not."""
    return name in GROUPS or (may_hold_scores(name) and not words_of(name) & (_DURATIONS | _COSTS))


def may_hold_labels(name: str) -> bool:
    """Whether a few different texts in a column of this name are labels that people or a judge gave."""
    words = words_of(name)
    return bool(words & _LABELS) and not words & (_COUNTS | _KINDS) and not _RIGHT_ANSWER.fullmatch(name.strip())


def may_be_metric(name: str) -> bool:
    """Whether it takes the values to know if a column of this name is a metric, a time or an attribute of the query."""
    return name in GROUPS or may_hold_scores(name) or may_hold_labels(name) or bool(
        words_of(name) & _TIMES) or _AMONG_FIRST.fullmatch(name.strip()) is not None


def may_differ(name: str) -> bool:
    """Whether numbers under this name that differ between runs are measured; ids, ranks and counts are not."""
    return not words_of(name) & _COUNTS


def is_measured(name: str, numbers: Iterable[float]) -> bool:
    """Whether numbers of queries under a name that says nothing are shares, or 0 and 1, as values of metrics are.

    Examples
    --------
    >>> is_measured("vicuna", [0, 1, 1]), is_measured("auto_hhem", [0.25, 0.5, 0.75])
    (True, True)
    >>> is_measured("cosine", [-0.1, 0.5, 0.75]), is_measured("change", [-0.1, 0.5, 0.75])
    (True, False)
    >>> is_measured("Top5", [0, 0]), is_measured("top_5", [5, 5])
    (True, False)
    >>> is_measured("alpha", [0.25, 0.5, 0.75]), is_measured("is_multi_hop", [0, 1]), is_measured("turn", [1, 2, 3])
    (False, False, False)
    """
    values, names = set(numbers), words_of(name)
    if _AMONG_FIRST.fullmatch(name.strip()):
        return values <= {0.0, 1.0}
    lowest = -1 if names & _SIGNED else 0
    if names & _NO_SHARES or len(values) < 2 or not all(lowest <= x <= 1 for x in values):
        return False
    return values == {0.0, 1.0} or (len(values) > 2 and any(value % 1 for value in values))


def guess_direction(name: str, label: str = "") -> str | None:
    """Which end of a metric is better by its name, or, for the share of a label, by that label; None: unknown.

    Examples
    --------
    >>> guess_direction("mrr"), guess_direction("hallucination_rate"), guess_direction("verdict", "Refusal")
    ('higher', 'lower', None)
    >>> guess_direction("verdict", "Correct"), guess_direction("verdict", "Partially correct")
    ('higher', None)
    """
    if label:
        words = words_of(label)
        if words in _LETTERS:
            return _LETTERS[words]
        if words & _PARTLY:
            return None  # between right and wrong: more of it is better or worse, as it takes from one or the other
        return "lower" if words & _BAD or "not" in words else "higher" if words & _GOOD else None
    words = words_of(name)
    if words & (_LOWER | _DURATIONS | _COSTS):
        return "lower"
    return "higher" if may_hold_scores(name) else None


def share_title(column: str, label: str) -> str:
    """What the share of queries with a label is called.

    Examples
    --------
    >>> share_title("verdict", "Correct"), share_title("grade", "OK"), share_title("Correct (y/n)", "n")
    ('Share correct (verdict)', 'Share OK (grade)', 'Share not correct (y/n)')
    """
    letter = _LETTERS.get(words_of(label)) if len(label) == 1 else None
    word = column if letter else label
    word = word[:1].lower() + word[1:] if word[1:2].islower() else word
    return f"Share {'not ' if letter == 'lower' else ''}{word}" if letter else f"Share {word} ({column})"


def is_spent(name: str) -> bool:
    """Whether a column says what an answer took, in time, tokens or money, and not how good it is.

    Examples
    --------
    >>> is_spent("latency"), is_spent("response_time"), is_spent("total_cost"), is_spent("faithfulness")
    (True, True, True, False)
    """
    return bool(words_of(name) & (_DURATIONS | _TIMES | _COSTS))


def label_value(label: str) -> float | None:
    """What a label says of an answer: 1 right, 0.5 partly, 0 wrong; None for a refusal and for other words.

    Examples
    --------
    >>> [label_value(text) for text in ("Correct Answer", "partially correct", "Incorrect", "Refusal")]
    [1.0, 0.5, 0.0, None]
    """
    if words_of(label) & _PARTLY:
        return 0.5
    way = guess_direction("", label)
    return None if way is None or is_refusal_label(label) else float(way == "higher")


def are_verdicts(labels: Sequence[str]) -> bool:
    """Whether most of a few different labels say right or wrong, whatever their column is called.

    Examples
    --------
    >>> are_verdicts(["grounded", "not_grounded", "partially_grounded"]), are_verdicts(["easy", "hard"])
    (True, False)
    """
    known = [label for label in labels if label_value(label) is not None]
    return len(labels) > 1 and 3 * len(known) >= 2 * len(labels) and len({label_value(label) for label in known}) > 1


def is_refusal_label(label: str) -> bool:
    """Whether a label says that the answer declines."""
    return bool(words_of(label) & _DECLINED)


def answer_aspect(name: str) -> str | None:
    """What a score of this name says of an answer: that it is "grounded", "right" or "relevant", or that its
    "contexts" are good; None for others.

    The names are those of RAGAS, DeepEval and their like, whatever is put before or behind them.

    Examples
    --------
    >>> [answer_aspect(name) for name in ("faithfulness", "llm_context_recall", "ContextualPrecisionMetric")]
    ['grounded', 'contexts', 'contexts']
    >>> [answer_aspect(name) for name in ("answer_relevancy", "AnswerCorrectness", "bert_score_f1", "mrr", "latency")]
    ['relevant', 'right', 'right', None, None]
    >>> [answer_aspect(name) for name in ("my_score", "human_rating", "answer_score", "score", "human_relevance")]
    ['right', 'right', 'right', None, None]
    """
    words = words_of(name)
    if words & _COUNTS - {"page"} or words & (_DURATIONS | _COSTS):
        return None
    if words & _GROUNDING:
        return "grounded"
    if is_of_contexts(name):
        return "contexts"
    if words & {"retrieval", "retriever", "chunk", "passage"}:
        return None
    rated = words & {"answer", "response"} and words & _RATED
    if not (words & _ANSWER_SCORES or rated or is_human_label(name, text=False)):
        return None
    return "relevant" if words & {"relevancy", "relevance"} else "right"


def is_of_contexts(name: str) -> bool:
    """Whether a score of this name says how good the contexts are, whatever the answer makes of them.

    Examples
    --------
    >>> [is_of_contexts(name) for name in ("context_recall", "ContextualPrecisionMetric", "faithfulness", "recall")]
    [True, True, False, False]
    """
    words = words_of(name)
    return bool(words & {"context", "contexts", "contextual"} and words & _OF_CONTEXTS)


def is_answer_relevance(name: str) -> bool:
    """Whether a score of this name says that an answer addresses the question, which a wrong answer can do as well.

    Examples
    --------
    >>> [is_answer_relevance(name) for name in ("answer_relevancy", "context_relevance", "answer_correctness")]
    [True, False, False]
    """
    return answer_aspect(name) == "relevant"


def usual_meaning(name: str) -> str:
    """What RAGAS, DeepEval and their like mean by a score of this name; "" where the name does not say it.

    Examples
    --------
    >>> usual_meaning("ContextualRecallMetric"), usual_meaning("my_score")
    ('how much of the right answer the contexts contain', '')
    """
    words = words_of(name)
    return next((meaning for sets, meaning in _USUAL_MEANINGS if all(words & needed for needed in sets)), "")


def is_human_label(name: str, *, text: bool) -> bool:
    """Whether a column of this name holds labels of people that say whether an answer is right.

    text: the labels are words such as Correct; for numbers the name has to say more, since judges give these too.

    Examples
    --------
    >>> [is_human_label(name, text=True) for name in ("verdict", "human_label", "judge_verdict", "faithfulness label")]
    [True, True, False, False]
    >>> [is_human_label(name, text=False) for name in ("is_correct", "human_label", "correctness", "recall")]
    [True, True, False, False]
    """
    words = words_of(name)
    fit = _BY_PEOPLE | _OF_ANSWERS if text else _BY_PEOPLE
    return bool(words & fit) and not words & (
        _NOT_BY_PEOPLE | _COUNTS | _LOWER | _DURATIONS | _COSTS | (_MEASURES - {"correct", "correctness"}))


def guess_range(values: Iterable[float], name: str = "") -> tuple[float, float]:
    """The usual scale that holds all these values, such as 0 to 1 or 1 to 5; open above where none does.

    Examples
    --------
    >>> guess_range([0.2, 1.0]), guess_range([1, 4, 5]), guess_range([0, 4.5]), guess_range([812.0])
    ((0.0, 1.0), (1.0, 5.0), (0.0, 5.0), (0.0, inf))
    """
    numbers = np.array([value for value in values if np.isfinite(value)], np.float64)
    if not len(numbers) or words_of(name) & (_DURATIONS | _COSTS):
        return (0.0, np.inf) if len(numbers) else (0.0, 1.0)
    low, high = float(numbers.min()), float(numbers.max())
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    whole = bool((numbers == np.rint(numbers)).all())
    for scale in SCALES:
        if scale[0] <= low and high <= scale[1] and (scale[0] == 0 or (whole and low >= 1)):
            return scale
    return (-np.inf if low < 0 else 0.0), np.inf


def labels_in(texts: Sequence[str]) -> list[str]:
    """The different labels, most frequent first; none where the texts are too many or too long to be labels.

    Upper and lower case are one label, spelled as it is first.
    """
    counts: dict[str, int] = {}
    spelling: dict[str, str] = {}
    for text in texts:
        text = spelling.setdefault(text.casefold(), text)
        counts[text] = counts.get(text, 0) + 1
    fitting = len(counts) <= MOST_LABELS and max(map(len, counts), default=0) <= LONGEST_LABEL
    repeated = len(counts) < max(len(texts), 3) and not any(text.startswith(("{", "[")) for text in counts)
    return sorted(counts, key=lambda text: (-counts[text], text)) if fitting and repeated else []
