"""Reviews as files: JSONL out and in, qrels out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields

import orjson

from ragdash.core.errors import Collector, shorten
from ragdash.core.records.arguments import checked
from ragdash.io.write.serializers import qrels
from ragdash.workspace.reviews.apply import judged_only
from ragdash.workspace.reviews.events import Event, Reviews, check_events
from ragdash.workspace.reviews.store import Imported, ReviewStore

_NAMES = ("truth", *(field.name for field in fields(Event)))
_NEEDED = ("truth", "kind", "value")


@checked
def reviews_jsonl(truth: str, events: Iterable[Event]) -> bytes:
    """Events as JSONL, one a line, with the digest of their truth; a grade is a number, empty fields are left out.

    events: what holds (Reviews.events), or a whole history, which keeps what was undone and withdrawn.
    """
    lines = []
    for event in events:
        line_fields = {
            "truth": truth,
            **{name: value for name, value in asdict(event).items() if value or name == "value"},
        }
        if event.kind == "judgement" and event.value:
            line_fields["value"] = int(event.value)
        lines.append(orjson.dumps(line_fields) + b"\n")
    return b"".join(lines)


@checked
def reviews_qrels(reviews: Reviews) -> bytes:
    """The judgments as TREC qrels. Raises InputError for ids that these cannot hold: then take the JSONL."""
    return qrels(judged_only(reviews), "qrels")


def read_events(content: bytes, file: str | None = None) -> list[tuple[str, Event]]:
    """(truth, event) of each line of such JSONL; blank lines are passed over, other fields not read.

    Raises InputError with every line that is no event.
    """
    collector, rows, lines = Collector(file), [], []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            row = _row(line, number, collector)
            rows.append(row)
            lines.append(number)
    collector.raise_errors()
    check_events([event for _, event in rows], lines, file)
    return rows


@checked
def import_reviews(store: ReviewStore, content: bytes, file: str | None = None) -> Imported:
    """Take in the events of such JSONL, all or none. Those that are there already, by their ids, are passed over.

    The others come behind what is there, so that they hold where both say something: `replaced` counts these.
    Raises InputError for lines that are no events.
    """
    return store.take_in(read_events(content, file))


def _row(line: bytes, number: int, collector: Collector) -> tuple[str, Event] | None:
    try:
        line_fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        collector.add("bad-json", {"line": shorten(line.decode('utf-8', 'replace')), "error": str(error)}, line=number)
        return None
    if not isinstance(line_fields, dict):
        collector.add("bad-review/object", {"value": shorten(str(line_fields))}, line=number)
        return None
    missing = [name for name in _NEEDED if name not in line_fields]
    if missing:
        collector.add("bad-review/missing", {"missing": missing, "needed": list(_NEEDED)}, line=number,
                      field=missing[0])
        return None
    if not isinstance(line_fields["truth"], str) or not line_fields["truth"]:
        collector.add("bad-review/truth", {"value": repr(line_fields["truth"])[:120]}, line=number, field="truth")
        return None
    if isinstance(line_fields["value"], int) and not isinstance(line_fields["value"], bool):
        line_fields["value"] = str(line_fields["value"])
    values = {name: line_fields[name] for name in _NAMES[1:] if name in line_fields}
    return line_fields["truth"], Event(**{"query_id": "", **values})
