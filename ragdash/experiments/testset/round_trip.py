"""The round trip: whether a question leads back to its document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragdash.core.corpus import Corpus
from ragdash.core.records import Run
from ragdash.experiments.testset.bm25 import Lookup
from ragdash.experiments.testset.drafts import ANSWERED, Check, Draft


@dataclass(frozen=True, eq=False)
class RoundTrip:
    """A document of the draft has to be among the first k: those of a run that was asked the question (known by the
    draft's id, else by the question as it is written), else those found by its words (BM25 over the documents); the
    check says which. run None: by words alone. Drafts without an answer are not looked for.
    """

    run: Run | None = None
    k: int = 10
    _queries: frozenset[str] = field(init=False, repr=False, default=frozenset())
    _texts: dict[str, str] = field(init=False, repr=False, default_factory=dict)

    def checks(self, drafts: Sequence[Draft], corpus: Corpus) -> list[Check | None]:
        """The rule found for each draft; None for one that is not looked for."""
        by_run = [self._in_run(draft) if draft.type in ANSWERED else None for draft in drafts]
        rest = [index for index, draft in enumerate(drafts) if draft.type in ANSWERED and by_run[index] is None]
        if rest:
            wanted = [corpus.rows(drafts[index].documents).tolist() for index in rest]
            ranks = Lookup(corpus, [drafts[index].question for index in rest]).ranks(wanted)
            for index, rank in zip(rest, ranks, strict=True):
                by_run[index] = self._check(rank, "its words (BM25)")
        return by_run

    def _in_run(self, draft: Draft) -> Check | None:
        """By the run; None where it was not asked the question."""
        if self.run is None:
            return None
        query = draft.id if draft.id in self._queries else self._texts.get(" ".join(draft.question.split()))
        if query is None:
            return None
        docs = self.run.ranking(query, self.k)["doc_id"].to_pylist()
        rank = next((rank for rank, doc in enumerate(docs, 1) if doc in draft.documents), None)
        return self._check(rank, f"the run {self.run.name}")

    def _check(self, rank: int | None, by: str) -> Check:
        if rank is not None and rank <= self.k:
            return Check("found", True, f"its document is found by {by} at rank {rank}")
        return Check("found", False, f"its document is not among the first {self.k} by {by}")

    def __post_init__(self) -> None:
        ids = [] if self.run is None else self.run.query_ids.to_pylist()
        details = None if self.run is None else self.run.details
        asked = details["query"].to_pylist() if details is not None and "query" in details.column_names else ids
        object.__setattr__(self, "_queries", frozenset(ids))
        object.__setattr__(self, "_texts", {" ".join((text or "").split()): id for text, id in
                                            zip(asked, ids, strict=True)})
