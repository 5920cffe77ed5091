"""Follow judged documents to their new ids after the documents were indexed again, by their content."""

from ragdash.matching.relink.links import KINDS, Link, Relinking, propose_links, texts_by_id
from ragdash.matching.relink.relinked_truth import ACCEPTED, relinked

__all__ = ["ACCEPTED", "KINDS", "Link", "Relinking", "propose_links", "relinked", "texts_by_id"]
