"""What the semantic metrics may look at: what models said of answers, references and questions, read from the cache.

No model is loaded here. What was not computed is undefined; where nothing was, the metric is unavailable with its
reason and the command that fixes it.

Letters: Q queries (of the truth), P pairs of texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.matching.views.ranked import Values
from ragdash.models.local.installed import library
from ragdash.models.local.model_folder import OPTIONS
from ragdash.models.local.protocols import ENCODER, SCORER
from ragdash.models.local.score_cache import Model, ScoreCache, pair_key, text_key

_BLOCK = 1 << 14  # pairs whose vectors are multiplied at a time


class Need(NamedTuple):
    """What a semantic metric needs: a kind of model, and what the answer is compared with."""

    kind: str
    against: str  # "references" or "question"


NEEDS: Mapping[str, Need] = {"SBERT": Need(ENCODER, "references"), "CrossEncoder": Need(SCORER, "references"),
                             "SemanticRelevance": Need(ENCODER, "question")}


class ModelValues(NamedTuple):
    """values (Q,), NaN undefined; model: whose they are; computed of wanted queries; cut: queries a text of which the
    model did not read to its end.
    """

    values: Values
    model: Model
    computed: int
    total: int
    cut: int


@dataclass(frozen=True, eq=False)
class Scored:
    """Answers with what they are compared with, and the store with what models said of them.

    answers, questions (Q,): text or None; references (Q,): right answers, () where none is known; run: its name;
    lacking: as in Answered.
    """

    answers: tuple[str | None, ...]
    references: tuple[tuple[str, ...], ...]
    questions: tuple[str | None, ...]
    store: ScoreCache
    run: str = ""
    lacking: Mapping[str, tuple] = field(default_factory=dict)

    def need(self, what: str) -> None:
        """Raise Unavailable where no query has "references" or a "question"."""
        what = "questions" if what == "question" else what
        if what in self.lacking:
            raise Unavailable(*self.lacking[what])

    def pairs(self, against: str) -> tuple[np.ndarray, list[tuple[str, str]]]:
        """(query of each pair (P,) ascending, (reference or question, answer)); texts without a sign make no pair."""
        texts_against = self.references if against == "references" else ((question,) for question in self.questions)
        pairs = [
            (query, (text, answer))
            for query, (answer, texts) in enumerate(zip(self.answers, texts_against, strict=True))
            if _has_text(answer)
            for text in texts
            if _has_text(text)
        ]
        return np.array([query for query, _ in pairs], np.int64), [pair for _, pair in pairs]

    def values(self, name: str, model: str = "") -> Values:
        """The values of a metric of NEEDS: (Q,). model: a name or a weights' hash; "": the one last used.

        Raises Unavailable where texts are there and nothing was computed.
        """
        return self.read(name, model).values

    def read(self, name: str, model: str = "") -> ModelValues:
        """The values with how they came about; Unavailable as `values`."""
        need = NEEDS[name]
        self.need(need.against)
        try:
            model_id = self.store.find_model(need.kind, model)
            if model_id is None:
                raise _not_computed(name, model, need.kind)
            query, pairs = self.pairs(need.against)
            value, known, cut = (cosines if need.kind == ENCODER else _scores)(self.store, model_id, pairs)
        except InputError as error:
            raise Unavailable("unreadable", field=name, cause=error.problems[0]) from None
        if len(pairs) and not known.any():
            raise _not_computed(name, model_id.name, need.kind)
        best = np.full(len(self.answers), np.nan)
        complete = np.ones(len(best), bool)
        complete[query[~known]] = False
        first = np.flatnonzero(np.diff(query, prepend=-1))
        if len(first):
            best[query[first]] = np.fmax.reduceat(value, first)
        best[~complete] = np.nan
        queries = np.unique(query)
        return ModelValues(best, model_id, int(complete[queries].sum()), len(queries), len(np.unique(query[cut])))

    def problems(self, name: str, model: str = "") -> list[Problem]:
        """What to know of the values of a metric, as warnings: computed in part, texts that were cut. Never raises."""
        if name not in NEEDS:
            return []
        try:
            reading = self.read(name, model)
        except Unavailable:
            return []
        return coverage_problems(name, self.run, reading, "cut-texts/answers")

    def settings(self, names: Iterable[tuple[str, str]]) -> dict[str, str]:
        """{"SBERT": the model that its values are of} of (metric, model) pairs, to show with the numbers."""
        try:
            models = {name + (f"(model={model!r})" if model else ""): self.store.find_model(NEEDS[name].kind, model)
                    for name, model in names}
        except InputError:
            return {}
        return {name: str(model) for name, model in models.items() if model}


def needed_inputs(scored: Sequence[Scored], names: Iterable[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """(distinct texts for an encoder, distinct pairs for a cross-encoder) that the metrics need of the runs."""
    texts, pairs = {}, {}
    for need in dict.fromkeys(NEEDS[name] for name in names):
        for view in scored:
            text_pairs = view.pairs(need.against)[1]
            if need.kind == SCORER:
                pairs |= dict.fromkeys(text_pairs)
            else:
                texts |= dict.fromkeys(text for pair in text_pairs for text in pair)
    return list(texts), list(pairs)


def _has_text(text: str | None) -> bool:
    """Whether there is a text: the vector of an empty one means nothing."""
    return text is not None and bool(text.strip())


def cosines(store: ScoreCache, model: Model, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(cosine, whether both vectors are there, whether one of the texts was cut) of each pair: (P,) each."""
    index_of: dict[str, int] = {}
    indices = np.array(
        [[index_of.setdefault(text, len(index_of)) for text in pair] for pair in pairs], np.int64
    ).reshape(-1, 2)
    vectors, known, cut = store.vectors(model, [text_key(text) for text in index_of])
    value = np.full(len(pairs), np.nan)
    for start in range(0, len(pairs), _BLOCK):
        first_side, right = (vectors[side].astype(np.float64) for side in indices[start:start + _BLOCK].T)
        length = np.linalg.norm(first_side, axis=1) * np.linalg.norm(right, axis=1)
        cosine = np.divide(
            (first_side * right).sum(axis=1), length, out=np.full(len(first_side), np.nan), where=length > 0
        )
        value[start:start + _BLOCK] = np.clip(cosine, -1.0, 1.0)
    return value, known[indices].all(axis=1), cut[indices].any(axis=1)


def _scores(store: ScoreCache, model: Model, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return store.scores(model, [pair_key(pair) for pair in pairs])


def _not_computed(name: str, model: str, kind: str) -> Unavailable:
    facts = {"metric": name, "model": model, "option": OPTIONS[kind]}
    return Unavailable("not-computed", facts, name, library().problem)


def coverage_problems(name: str, run: str, reading: ModelValues, cut: str) -> list[Problem]:
    """What to know of values, as warnings: computed in part, texts that were cut. cut: the message for these."""
    facts, problems, model = {"metric": name, "run": run, "answers": reading.total}, [], reading.model
    if reading.computed < reading.total:
        problems.append(("computed-in-part", {**facts, "computed": reading.computed, "model": str(model),
                                           "option": OPTIONS[model.kind]}))
    if reading.cut:
        problems.append((cut, {**facts, "cut": reading.cut, "most": model.max_length, "model": model.name}))
    return [Problem(message, facts, field=name, severity="warning") for message, facts in problems]
