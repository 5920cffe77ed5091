"""Cached links from judged documents to their new ids, by digests of the judgments and of the texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from ragdash.core.corpus import Corpus
from ragdash.core.records import Run, Truth
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.matching.relink import Relinking, propose_links, relinked, texts_by_id

Source = Corpus | Run


@shared(max_entries=64, key=lambda truth, source: (truth.judged_digest, source.digest))
def judged_share(truth: Truth, source: Source) -> float:
    """The share of the judged documents that are in a corpus or in a run; NaN without judgments."""
    judged = pc.unique(truth.docs)
    ids = source.doc_ids if isinstance(source, Corpus) else pc.unique(source.docs)
    return float(np.mean(pc.is_in(judged, value_set=ids).to_numpy(False))) if len(judged) else np.nan


@shared(max_entries=8, show_spinner="Comparing the old and the new texts …",
        key=lambda truth, old, new: (truth.judged_digest, tuple(old), tuple(new)))
def links(truth: Truth, old: Sequence[str], new: Sequence[str]) -> Relinking:
    """What each judged document is now; old, new: digests of corpora and runs with texts."""
    return propose_links(truth, texts(old), texts(new))


@shared(max_entries=4, key=lambda sources: tuple(sources))
def texts(sources: Sequence[str]) -> dict[str, str]:
    """{document id: text} of corpora and runs."""
    records = map(LOADED.get, sources)
    return texts_by_id(record for record in records if isinstance(record, (Corpus, Run)))


@shared(max_entries=8, key=lambda truth, old, new, accept, drop_gone, rejected: (
    truth.digest, tuple(old), tuple(new), tuple(accept), drop_gone, tuple(rejected)))
def relinked_truth(truth: Truth, old: Sequence[str], new: Sequence[str], accept: Sequence[str], drop_gone: bool,
                   rejected: Sequence[str]) -> Truth:
    """The judgments with the new ids, next to the documents that have these ids."""
    after = relinked(truth, links(truth, old, new), accept, drop_gone=drop_gone, rejected=rejected)
    corpus = next(filter(None, map(LOADED.corpus, new)), None)
    return after if corpus is None else after.with_corpus(corpus)
