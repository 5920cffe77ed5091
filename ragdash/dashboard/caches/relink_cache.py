"""Cached links from judged documents to their new ids, by digests of the judgments and of the texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc
import streamlit as st

from ragdash.core.corpus import Corpus
from ragdash.core.records import Run, Truth
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.matching.relink import Relinking, propose_links, relinked, texts_by_id

Source = Corpus | Run


def judged_share(truth: Truth, source: Source) -> float:
    """The share of the judged documents that are in a corpus or in a run; NaN without judgments."""
    return _judged_share(truth.judged_digest, source.digest, _truth=truth, _source=source)


@st.cache_data(max_entries=64, show_spinner=False)
def _judged_share(truth: str, source: str, _truth: Truth, _source: Source) -> float:
    judged = pc.unique(_truth.docs)
    ids = _source.doc_ids if isinstance(_source, Corpus) else pc.unique(_source.docs)
    return float(np.mean(pc.is_in(judged, value_set=ids).to_numpy(False))) if len(judged) else np.nan


def links(truth: Truth, old: Sequence[str], new: Sequence[str]) -> Relinking:
    """What each judged document is now; old, new: digests of corpora and runs with texts."""
    return _links(truth.judged_digest, tuple(old), tuple(new), _truth=truth)


@shared(max_entries=8, show_spinner="Comparing the old and the new texts …")
def _links(judged: str, old: tuple[str, ...], new: tuple[str, ...], _truth: Truth) -> Relinking:
    return propose_links(_truth, texts(old), texts(new))


def texts(sources: tuple[str, ...]) -> dict[str, str]:
    """{document id: text} of corpora and runs."""
    return _texts(tuple(sources))


@shared(max_entries=4)
def _texts(sources: tuple[str, ...]) -> dict[str, str]:
    records = map(LOADED.get, sources)
    return texts_by_id(record for record in records if isinstance(record, (Corpus, Run)))


def relinked_truth(truth: Truth, old: Sequence[str], new: Sequence[str], accept: Sequence[str], drop_gone: bool,
                   rejected: Sequence[str]) -> Truth:
    """The judgments with the new ids, next to the documents that have these ids."""
    return _relinked_truth(truth.digest, tuple(old), tuple(new), tuple(accept), drop_gone, tuple(rejected),
                           _truth=truth)


@shared(max_entries=8)
def _relinked_truth(digest: str, old: tuple[str, ...], new: tuple[str, ...], accept: tuple[str, ...], drop_gone: bool,
                    rejected: tuple[str, ...], _truth: Truth) -> Truth:
    after = relinked(_truth, links(_truth, old, new), accept, drop_gone=drop_gone, rejected=rejected)
    corpus = next(filter(None, map(LOADED.corpus, new)), None)
    return after if corpus is None else after.with_corpus(corpus)
