"""What a person says of queries: notes, verdicts, judgments; kept on disk, exported, applied on request."""

from ragdash.workspace.reviews.apply import judged_only, reviewed
from ragdash.workspace.reviews.events import KINDS, VERDICTS, Event, Reviews, holding
from ragdash.workspace.reviews.import_export import import_reviews, read_events, reviews_jsonl, reviews_qrels
from ragdash.workspace.reviews.store import FILE, EventStore, Imported, ReviewStore

__all__ = ["FILE", "KINDS", "VERDICTS", "Event", "EventStore", "Imported", "ReviewStore", "Reviews", "holding",
           "import_reviews", "judged_only", "read_events", "reviewed", "reviews_jsonl", "reviews_qrels"]
