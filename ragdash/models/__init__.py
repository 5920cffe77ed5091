"""Local models: what the package asks of one, where its folder is, and the cache of what it said.

Nothing here imports torch or sentence_transformers before a model is made (ragdash.models.sentence).
"""

from ragdash.models.cache import Model, Store, default_store
from ragdash.models.folders import Folder, found
from ragdash.models.installed import Availability, availability
from ragdash.models.protocols import ENCODER, NLI, SCORER, Encoder, PairScorer

__all__ = ["ENCODER", "NLI", "SCORER", "Availability", "Encoder", "Folder", "Model", "PairScorer", "Store",
           "availability", "default_store", "found"]
