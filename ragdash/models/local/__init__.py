"""Local models: what the package asks of one, where its folder is, and the cache of what it said.

Nothing here imports torch or sentence_transformers before a model is made (ragdash.models.local.sentence_transformers).
"""

from ragdash.models.local.installed import Availability, availability
from ragdash.models.local.model_folder import Folder, find_model_folder
from ragdash.models.local.opening import default_score_cache
from ragdash.models.local.protocols import ENCODER, NLI, SCORER, Encoder, PairScorer
from ragdash.models.local.score_cache import Model, ScoreCache

__all__ = ["ENCODER", "NLI", "SCORER", "Availability", "Encoder", "Folder", "Model", "PairScorer", "ScoreCache",
           "availability", "default_score_cache", "find_model_folder"]
