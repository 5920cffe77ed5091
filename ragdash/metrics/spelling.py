"""Read metric names as people write them: ours, those of trec_eval and ir_measures, and those of RAG guides.

nDCG@10, Recall@5, ndcg_cut_10, recall_at_10, iprec_at_recall_0.20, nDCG(dcg="exp-log2")@10 and IPrec@0.2 are all read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.records.arguments import checked, items_of
from ragdash.metrics.docs.ragas_names import absent_ragas_metric
from ragdash.metrics.from_file import parse_file_spec
from ragdash.metrics.judged import register_rubrics
from ragdash.metrics.registry import FILE, METRICS, NUMBER_AT, NUMBER_BEHIND, RUBRIC, Metric, Spec

MAX_CUTOFF = 10**9
_NEAR = 0.6  # share of characters that a suggested spelling has in common
_SUGGESTIONS = 3
_EARLIER = {"normalisation": "normalization"}  # spelling of parameters in links and baselines of earlier versions
FIELD_TERMS = {
    "accuracy": ("Success", "EM", "Correctness"),
    "answer similarity": ("SBERT", "SemanticRelevance", "TokenF1"),
    "average precision at k": ("AP",),
    "bert score": ("SBERT", "CrossEncoder"),
    "bertscore": ("SBERT", "CrossEncoder"),
    "completeness": ("RAGChecker.Recall", "PerQueryCoverage"),
    "coverage": ("PerQueryCoverage", "FullCoverageRate", "SupportCoverage"),
    "duration": ("Latency",),
    "f1": ("F1", "TokenF1"),
    "groundedness": ("Faithfulness", "SupportDensity", "NLIFaithfulness"),
    "hallucination": ("HallucinationRate", "RAGChecker.Hallucination"),
    "meteor": ("chrF", "ROUGE_L", "TokenF1"),
    "noise sensitivity": ("NoiseShare", "RAGChecker.NoiseSensitivityRelevant",
                          "RAGChecker.NoiseSensitivityIrrelevant"),
    "price": ("Cost",),
    "relevance": ("AnswerRelevance", "ContextRelevance", "SemanticRelevance"),
    "relevancy": ("AnswerRelevance", "ContextRelevance", "SemanticRelevance"),
    "response time": ("Latency",),
    "similarity": ("SBERT", "CrossEncoder", "TokenF1"),
    "tokens": ("PromptTokens", "CompletionTokens"),
    "top k accuracy": ("Success",),
}
"""What people call something that has other names here, lower case, words separated by blanks."""
NOT_HERE = {"meteor": "METEOR", "meteor score": "METEOR", "bertscore": "BERTScore", "bert score": "BERTScore"}
"""Known metrics that are not computed here, in the same words -> their names."""
_OPEN = "k|n"  # what guides write in place of the cutoff: NDCG@n


@checked
def parse_specs(text: str | Spec | Iterable[str | Spec]) -> tuple[Spec, ...]:
    """Parse metrics such as "nDCG@10 R@5, MRR".

    Parameters
    ----------
    text
        Names separated by white space or commas (outside parentheses and quotes), a Spec, or a list of these.

    Returns
    -------
    tuple of Spec
        Each once, in order of appearance.

    Raises
    ------
    InputError
        With a problem for every name that is no metric.

    Examples
    --------
    >>> parse_specs("nDCG@10 Recall@5, MRR")
    (nDCG@10, R@5, RR)
    """
    items = None if isinstance(text, Spec) else items_of(text)
    given = [text] if items is None else items
    if wrong := [item for item in given if not isinstance(item, str | Spec)]:
        raise InputError([Problem("python-object/metric", {
            "value": represent(item, 60), "kind": type(item).__name__}, field="metrics") for item in wrong])
    names = [name for item in given for name in ([item] if isinstance(item, Spec) else _split_names(item))]
    specs, problems = [], []
    for name in names:
        try:
            specs.append(_known(name) if isinstance(name, Spec) else parse_spec(name))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(dict.fromkeys(specs))


def _known(spec: Spec) -> Spec:
    """The spec; InputError where it is of no metric, or has a parameter that the metric does not have."""
    if spec.name != FILE and not dict(spec.params).keys() <= spec.metric.params.keys():
        raise _parameter_problem(str(spec), spec.metric)
    return spec


def one_spec(metric: str | Spec) -> Spec:
    """The Spec of exactly one metric; InputError for none, and for several.

    Examples
    --------
    >>> one_spec("Recall@5")
    R@5
    """
    specs = parse_specs([metric])
    return specs[0] if len(specs) == 1 else parse_spec(str(metric))


def parse_spec(text: str) -> Spec:
    """The Spec of one name such as "nDCG(gain='exp')@10", "Recall@5" or "ndcg_cut_10"; InputError if there is none."""
    if text.strip().startswith(f"{FILE}:"):
        return parse_file_spec(text)
    if text.strip().casefold().startswith(RUBRIC):
        register_rubrics()
    match = re.fullmatch(rf"\s*([\w.\- ]+?)\s*(\(.*\))?\s*(?:@\s*(\d+(?:\.\d+)?|{_OPEN}|))?\s*", text,
                         re.DOTALL | re.IGNORECASE)
    if not match:
        raise _unknown_metric(text)
    name, arguments, number = match.groups()
    entry = spellings().get(name.casefold())
    if entry is None:
        entry, number = _numbered(text, name, arguments, number)
    if number is not None and not number[:1].isdigit() and not entry.number:
        raise _cutoff_problem(text, entry) if entry.cutoff == "none" else _missing_cutoff(text, entry)
    params = {**_preset(entry, name), **_parse_arguments(text, arguments, entry)}
    if entry.number and number is not None:
        return _with_number(text, entry, params, number)
    if number is not None and "." in number:
        raise _unknown_metric(text)
    return entry.spec(_parse_cutoff(text, number, entry), **params)


def find_metric(name: str) -> Metric:
    """The metric of a name, title or other accepted spelling, in any case; InputError with near names otherwise.

    A cutoff does not count: recall_at_k and Recall@5 are R.
    """
    entry = spellings().get(name.casefold()) or spellings().get(_without_cutoff(name).casefold())
    if entry is None:
        raise _unknown_metric(name, with_cutoffs=False)
    return entry


def spellings() -> dict[str, Metric]:
    """Every accepted spelling, case folded."""
    return _spellings_of(tuple(METRICS), tuple(map(id, METRICS.values())))


@lru_cache(4)
def _spellings_of(names: tuple[str, ...], entries: tuple[int, ...]) -> dict[str, Metric]:
    by_spelling: dict[str, Metric] = {}
    for entry in [METRICS[name] for name in names]:
        for spelled in (entry.name, entry.title, *entry.aliases, *entry.presets):
            by_spelling.setdefault(spelled.casefold(), entry)
    return by_spelling


def _preset(entry: Metric, name: str) -> dict:
    """Parameters that this spelling of the metric means: num_rel_ret is NumRet(rel=1)."""
    folded = {spelled.casefold(): dict(params) for spelled, params in entry.presets.items()}
    return folded.get(name.casefold(), {})


def _numbered(text: str, name: str, arguments: str | None, number: str | None) -> tuple[Metric, str | None]:
    """(metric, number) of a name that ends with its number: recall_at_10, P_10, iprec_at_recall_0.20, recall_at_k."""
    cutoff = NUMBER_AT.fullmatch(name)
    entry = spellings().get(cutoff[1].casefold()) if cutoff else None
    if cutoff is not None and entry is not None and (number is None or not cutoff[2].isdigit()):
        return entry, cutoff[2] if number is None else number
    tail = NUMBER_BEHIND.fullmatch(name)
    entry = spellings().get(tail[1].casefold()) if tail and arguments is None and number is None else None
    if entry is None:
        raise _unknown_metric(text)
    return entry, tail[2]


def _with_number(text: str, entry: Metric, params: dict, number: str) -> Spec:
    """The spec of a metric whose number after @ or _ is a parameter, such as the recall level of IPrec@0.2."""
    value = float(number) if number[:1].isdigit() else number
    if entry.number in params or not _is_valid_option(entry, entry.number, value):
        raise _parameter_problem(text, entry)
    return entry.spec(None, **{**params, entry.number: value})


def _parse_cutoff(text: str, cutoff: str | None, entry: Metric) -> int | None:
    """The cutoff as a number, None where there is none; InputError where the metric wants it otherwise."""
    k = int(cutoff.lstrip("0")[:len(str(MAX_CUTOFF)) + 1] or 0) if cutoff else None  # Python reads 4,300 digits
    if entry.cutoff != "required" if k is None else entry.cutoff != "none" and 1 <= k <= MAX_CUTOFF:
        return k
    raise _missing_cutoff(text, entry) if k is None else _cutoff_problem(text, entry)


def _cutoff_problem(text: str, entry: Metric) -> InputError:
    example = f"a cutoff from 1 to {MAX_CUTOFF:,}, as in {entry.name}@10"
    wants = {"required": example, "none": f"no cutoff: {entry.name}", "optional": f"{entry.name} or {example}"}
    return InputError([Problem("metric-cutoff", {"text": text, "wanted": wants[entry.cutoff]}, field="metric")])


def _missing_cutoff(text: str, entry: Metric) -> InputError:
    """hit_rate, recall_at_k and NDCG@k name no cutoff: the same with one, ready to be copied."""
    name = _without_cutoff(text)
    whole = f"{name} for all ranks" if entry.cutoff == "optional" else ""
    facts = {"text": text, "complete": f"{name}@10", "whole": whole}
    return InputError([Problem("metric-cutoff/missing", facts, field="metric")])


def _without_cutoff(text: str) -> str:
    """The name before its cutoff: recall of recall_at_k, recall@5 and recall@."""
    cutoff = rf"\s*@\s*(?:\d+|{_OPEN})?$|[_ ]at[_ ](?:\d+|{_OPEN})(?=\s*\(|$)"
    return re.sub(cutoff, "", text.strip(), flags=re.IGNORECASE)


def _split_names(text: str) -> list[str]:
    names, depth, quote, current, escaped = [], 0, "", "", False
    for char in text:
        if escaped:
            escaped = False
        elif quote:
            quote, escaped = "" if char == quote else quote, char == "\\"
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
        if (char.isspace() or char == ",") and not depth and not quote:
            names.append(current)
            current = ""
        else:
            current += char
    return [name for name in (*names, current) if name]


def _parse_arguments(text: str, arguments: str | None, entry: Metric) -> dict:
    if not arguments:
        return {}
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        if not isinstance(call, ast.Call):
            raise ValueError(text)
        values = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        wrong = bool(call.args) or len(values) < len(call.keywords)
    except (SyntaxError, ValueError, AttributeError):
        values, wrong = {}, True
    values = dict(_translate(entry, key, value) for key, value in values.items())
    if wrong or not all(_is_valid_option(entry, key, value) for key, value in values.items()):
        raise _parameter_problem(text, entry)
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _translate(entry: Metric, key: str | None, value: object) -> tuple[str | None, object]:
    """A parameter in our words, where ir_measures or an earlier version has others: dcg='exp-log2' is gain='exp'."""
    name, words = entry.peer_params.get(key, (_EARLIER.get(key, key), None))
    if words is None:
        return name, value
    return (name, words[value]) if isinstance(value, (str, int)) and value in words else (key, value)


def _parameter_problem(text: str, entry: Metric) -> InputError:
    options = "; ".join(_describe_option(entry, key) for key in entry.params) or "none"
    return InputError([Problem("metric-parameter", {"text": text, "metric": entry.name, "known": options},
                               field="metric")])


_TYPES = {"int": int, "float": (int, float), "str": str, "tuple": (tuple, list), "None": type(None)}


def _is_valid_option(entry: Metric, key: str, value) -> bool:
    """Whether the metric has this parameter and the value is of its type and among what is allowed."""
    if key not in entry.params or isinstance(value, bool):
        return False
    if not any(isinstance(value, _TYPES[word.strip()]) for word in entry.types[key].split("|")):
        return False
    allowed = entry.allowed.get(key)
    if allowed is None or value is None:
        return True
    if isinstance(allowed[0], str):
        return value in allowed
    numbers = value if isinstance(value, (tuple, list)) else (value,)
    return len(numbers) > 0 and all(isinstance(n, (int, float)) and allowed[0] <= n <= allowed[1] for n in numbers)


def _describe_option(entry: Metric, key: str) -> str:
    """A parameter with its default and what else is allowed, in words."""
    allowed = entry.allowed.get(key)
    words = "" if allowed is None else f" ({' or '.join(map(str, allowed))})" if isinstance(allowed[0], str) \
        else f" ({allowed[0]} to {allowed[1]})"
    return f"{key}={entry.params[key]!r}{words}"


def suggest_metrics(text: str) -> list[str]:
    """Names of up to three metrics that may be meant by a name that is none, the likeliest first.

    Near in spelling (swapped, missing and wrong letters), or another word for the same thing. A cutoff, parameters
    and the words "score", "metric", "mean", "average" and "at k" do not count.
    """
    from rapidfuzz.distance import OSA  # of misspelled names only

    name = _words(re.split(r"[@(]", text)[0])
    terms = [metric for term, metrics in FIELD_TERMS.items() if term in (name, _without_fillers(name))
             or OSA.normalized_similarity(term, name) > 0.85 for metric in metrics]
    scores: dict[str, float] = {}
    for spelled, entry in spellings().items():
        for typed in {name, _without_fillers(name)} - {""}:
            scores[entry.name] = max(scores.get(entry.name, 0.0), _nearness(typed, _words(spelled)))
    near = sorted((metric for metric, score in scores.items() if score >= _NEAR), key=lambda metric: -scores[metric])
    exact = [metric for metric in near if scores[metric] == 1.0]
    known = [metric for metric in (*exact, *terms, *near) if metric in METRICS]
    return list(dict.fromkeys(known))[:_SUGGESTIONS]


def _nearness(typed: str, spelled: str) -> float:
    """1 for the same letters, less for each wrong, missing or swapped one; words in another order count half."""
    from rapidfuzz.distance import OSA

    letters = OSA.normalized_similarity(typed.replace(" ", ""), spelled.replace(" ", ""))
    words = set(typed.split()) & set(spelled.split())
    shared = len(words) / max(len(typed.split()), len(spelled.split()))
    return max(letters, min(shared, 0.9) if sum(map(len, words)) > 3 else 0.0)


def _words(name: str) -> str:
    """Lower-case words of a name: "answerCorrectness" and "answer_correctness" are the same."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", spaced).casefold().split())


def _without_fillers(name: str) -> str:
    words = re.sub(r"\b(?:at )?(?:k|n|\d+)$", "", name).split()
    return " ".join(word for word in words if word not in ("score", "metric", "mean", "average", "at", "the"))


def _unknown_metric(text: str, *, with_cutoffs: bool = True) -> InputError:
    """Few near names, with the cutoff that was typed; where the metric is known and not here, why."""
    names = suggest_metrics(text)
    if with_cutoffs:
        typed = re.search(r"(?:@|_)\s*(\d{1,9})\s*$", text) or re.match(r"top[_ -]?(\d{1,9})(?!\d)", text)
        names = [_with_cutoff(METRICS[name], typed[1] if typed else "") for name in names]
    elsewhere = absent_ragas_metric(text)
    if elsewhere:
        return InputError([Problem("unknown-metric/ragas", {"text": text, "because": elsewhere[1],
                                                            "instead": elsewhere[0]}, field="metric")])
    absent = NOT_HERE.get(_words(_without_cutoff(text)))
    if absent:
        facts = {"text": text, "names": names, "metric": absent, "needs_words": absent == "METEOR"}
        return InputError([Problem("unknown-metric/absent", facts, field="metric")])
    if names:
        return InputError([Problem("unknown-metric/near", {"text": text, "names": names}, field="metric")])
    return InputError([Problem("unknown-metric", {"text": text}, field="metric")])


def _with_cutoff(entry: Metric, typed: str) -> str:
    """R as R@5 where 5 was typed; P as P@10, as it needs a cutoff."""
    if entry.cutoff == "none" or not (int(typed or 0) or entry.cutoff == "required"):
        return entry.name
    return f"{entry.name}@{int(typed or 0) or 10}"
