"""What a person says of queries: notes, verdicts, judgements; kept on disk, exported, applied on request."""

from ragdash.reviews.apply import judged_only, reviewed
from ragdash.reviews.events import KINDS, VERDICTS, Event, Reviews
from ragdash.reviews.exchange import Imported, read_events, reviews_jsonl, reviews_qrels
from ragdash.reviews.store import FILE, ReviewStore

__all__ = ["FILE", "KINDS", "VERDICTS", "Event", "Imported", "ReviewStore", "Reviews", "judged_only", "read_events",
           "reviewed", "reviews_jsonl", "reviews_qrels"]
