"""A map of the queries: similar questions are near each other, so that failures that belong together can be seen."""

from ragdash.analysis.failure_patterns.query_map.areas import Area, measured_areas
from ragdash.analysis.failure_patterns.query_map.build import (
    EMBEDDINGS,
    VECTORS,
    WORDS,
    QueryMap,
    laid_out,
    query_map,
    texts_digest,
)
from ragdash.analysis.failure_patterns.query_map.layout import LAYOUTS, MOST_QUERIES
from ragdash.analysis.failure_patterns.query_map.words import word_vectors

__all__ = ["EMBEDDINGS", "LAYOUTS", "MOST_QUERIES", "VECTORS", "WORDS", "Area", "QueryMap", "laid_out",
           "measured_areas", "query_map", "texts_digest", "word_vectors"]
