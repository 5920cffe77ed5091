"""Local models: what the package asks of one, where its folder is, and the cache of what it said.

Nothing here imports torch or sentence_transformers before a model is made (ragdash.models.local.sentence_transformers).
"""

from ragdash.models.local.installed import Availability, availability
from ragdash.models.local.model_folder import Folder, found
from ragdash.models.local.protocols import ENCODER, NLI, SCORER, Encoder, PairScorer
from ragdash.models.local.score_cache import Model, Store, default_store

__all__ = ["ENCODER", "NLI", "SCORER", "Availability", "Encoder", "Folder", "Model", "PairScorer", "Store",
           "availability", "default_store", "found"]
