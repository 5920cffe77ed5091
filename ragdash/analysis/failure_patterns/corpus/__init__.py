"""The corpus seen from its failures: hubs, copies that take ranks, documents that no run returns or finds."""

from ragdash.analysis.failure_patterns.corpus.copies import Copy, RankCopies, find_copies
from ragdash.analysis.failure_patterns.corpus.hubs import Hub, Hubs, find_hubs
from ragdash.analysis.failure_patterns.corpus.unfound import Part, Unfound, find_unfound, source_of
from ragdash.analysis.failure_patterns.corpus.view import CorpusView, corpus_view

__all__ = ["Copy", "CorpusView", "Hub", "Hubs", "Part", "RankCopies", "Unfound", "corpus_view", "find_copies",
           "find_hubs", "find_unfound", "source_of"]
