"""What a local judge looks at: numbers of each query's texts, all made here or read from the cache. No model is loaded.

Letters: Q queries of the truth, F features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from ragdash.core.errors import InputError, Unavailable
from ragdash.core.text import listed
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.matching.views.local_models import cosines
from ragdash.metrics import parse_specs
from ragdash.models.local import ENCODER

LEXICAL = ("SupportCoverage", "SupportDensity", "UnsupportedNumbers", "AnswerRelevance", "TokenF1", "CoverEM",
           "Refusal")
OF_MODELS = ("SemanticRelevance", "SBERT", "CrossEncoder", "NLIFaithfulness")
CONTEXT_COSINES = ("best cosine of answer and context", "mean cosine of answer and context")


@dataclass(frozen=True, eq=False)
class Features:
    """values (Q, F) float64, NaN where not known; answered (Q,) bool: whether there is an answer to judge; left_out:
    {feature that no query has: why}; models: {feature: the model whose values it is made of}.
    """

    names: tuple[str, ...]
    values: np.ndarray
    answered: np.ndarray
    left_out: Mapping[str, str]
    models: Mapping[str, str] = field(default_factory=dict)


def features_of(match: Match) -> Features:
    """The features of a run's queries: metrics that look at texts or read what local models said, lengths, scores.

    Scores of the ranking are brought to mean 0 and standard deviation 1 within the run, since those of two searches
    have no common scale. Neither judgments of documents nor verdicts of judges are among them. Raises Unavailable
    where the run has no answers.
    """
    answers = match.answered.answers
    evaluation = evaluate_match(match, parse_specs([*LEXICAL, *OF_MODELS]))
    columns = {spec.name: np.asarray(evaluation.column(spec), np.float64) for spec in evaluation.specs}
    columns |= _lengths(match) | _scores(match) | _cosines(match)
    reasons = {problem.field: problem.actual for problem in evaluation.problems if problem.kind == "unavailable"}
    available = {name: column for name, column in columns.items() if not np.isnan(column).all()}
    values = np.stack([*available.values()], axis=1) if available else np.zeros((len(answers), 0))
    answered = np.array([answer is not None and bool(answer.strip()) for answer in answers], bool)
    return Features(tuple(available), values, answered,
                    {name: reasons.get(name) or reasons.get(_NEEDED.get(name)) or _WHY.get(name, "defined nowhere")
                     for name in columns if name not in available},
                    {name: str(evaluation.settings[name]) for name in OF_MODELS if name in available
                     and name in evaluation.settings})


_NEEDED = {"SupportCoverage": "contexts", "SupportDensity": "contexts", "UnsupportedNumbers": "contexts",
           "NLIFaithfulness": "contexts", "AnswerRelevance": "query", "SemanticRelevance": "query",
           "TokenF1": "answers", "CoverEM": "answers", "SBERT": "answers", "CrossEncoder": "answers"}
_WHY = {"top score": "a run without falling scores", "score margin": "a run without falling scores",
        "length of contexts": "a run without contexts", "number of contexts": "a run without contexts",
        **dict.fromkeys(CONTEXT_COSINES, "no vectors of answers and contexts in the cache")}


def _lengths(match: Match) -> dict[str, np.ndarray]:
    """Logarithms of 1 + signs of the texts: the difference of 10 and 100 matters as that of 100 and 1,000 does."""
    answered = match.answered
    contexts = _contexts(match)
    return {"length of answer": _logs(answered.answers, len), "length of question": _logs(answered.questions, len),
            "length of contexts": _logs(contexts, lambda texts: sum(map(len, texts))),
            "number of contexts": _logs(contexts, len)}


def _logs(items: tuple, size: Callable[..., int]) -> np.ndarray:
    return np.array([np.nan if item is None else np.log1p(size(item)) for item in items], np.float64)


def _contexts(match: Match) -> tuple[tuple[str, ...] | None, ...]:
    """The texts that belong to each answer, None where they are not known."""
    with suppress(Unavailable):
        return tuple(None if texts is None else tuple(listed(texts)) for texts in match.grounded.contexts)
    return (None,) * len(match.query_ids)


def _scores(match: Match) -> dict[str, np.ndarray]:
    """Score of the first document, and how far the second is behind, within the run."""
    run, rows = match.run, match.run_query
    top, margin = np.full((2, len(rows)), np.nan)
    if run.scores is not None and run.scores_fall:
        first = run.starts[:-1][rows]
        some, two = (rows >= 0) & (run.lengths[rows] > 0), (rows >= 0) & (run.lengths[rows] > 1)
        top[some] = run.scores[first[some]]
        margin[two] = run.scores[first[two]] - run.scores[first[two] + 1]
    return {"top score": _standardized(top), "score margin": _standardized(margin)}


def _standardized(values: np.ndarray) -> np.ndarray:
    defined = values[np.isfinite(values)]
    spread = defined.std() if len(defined) else 0.0
    return np.where(np.isfinite(values), (values - defined.mean()) / spread, np.nan) if spread > 0 else values * np.nan


def _cosines(match: Match) -> dict[str, np.ndarray]:
    """Best and mean cosine of an answer and its contexts, by the embedding model last used; NaN without a vector."""
    best_and_mean = np.full((2, len(match.query_ids)), np.nan)
    pairs, owner = [], []
    for q, (answer, contexts) in enumerate(zip(match.answered.answers, _contexts(match), strict=True)):
        if answer and answer.strip():
            texts = [text for text in contexts or () if text.strip()]
            pairs += [(text, answer) for text in texts]
            owner += [q] * len(texts)
    store = match.scored.store
    with suppress(InputError):  # the metrics that read an unusable cache report it
        model = store.find_model(ENCODER)
        if model is not None and pairs:
            value = cosines(store, model, pairs)[0]
            owner = np.array(owner, np.int64)
            first = np.flatnonzero(np.diff(owner, prepend=-1))
            count = np.diff(np.append(first, len(owner)))
            best_and_mean[0, owner[first]] = np.maximum.reduceat(value, first)  # NaN where one is
            best_and_mean[1, owner[first]] = np.add.reduceat(value, first) / count
    return dict(zip(CONTEXT_COSINES, best_and_mean, strict=True))
