"""Flatten records into fields with dotted paths, and profile the values of each field."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message, messages_of
from ragdash.io.field_names import QUERY_ALIASES
from ragdash.io.json.exact_parser import NumberText
from ragdash.io.proposals.content.paired_ids import PairedId
from ragdash.io.proposals.names import (
    ANSWER,
    DOCUMENT,
    GENERIC,
    QUESTION,
    RETRIEVING,
    RETURNED,
    WEAK_GOLD,
    last_words,
    without_note,
    words,
)
from ragdash.io.tables.failed_scores import without_failures

HISTORIES = QUERY_ALIASES["chat_history"]
SAMPLE = 2000  # records that are profiled
_SEEN, _DEEPEST = 500, 6  # values whose single values are looked at; members below each other
_FIRST_VARIANTS = {"original", "raw", "initial", "user", "en", "english", "full", "standalone"}  # of a question
GOLD_OBJECTS = {"relevant", "qrels", "judgment", "judgement", "relevance", "grade", "gold", "judged"}
_MOST_MEMBERS = 4000
_PATH_LIKE = re.compile(r"(https?://|[\w*.-]+/|\\\\).*|.*\.(pdf|md|txt|html?|docx?|csv|json|pptx?|xlsx?|rst|py)(#\S*)?|"
                        r"[\w.-]+\.[a-z]{1,5}:[a-z_]\w+",
                        re.IGNORECASE)
_DIGEST = re.compile(r"(?:sha\d+:)?(?:(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{24,128}|[0-9a-fA-F]{32,128})")
_FRACTION = re.compile(r"\s*\d{1,4}/\d{1,4}(?![\w./-])")  # 1/2 citations are supported
_ARXIV = re.compile(r"\d{4}\.\d{4,5}")  # an id, not a number
_SECTION = re.compile(r"[1-9]\d?(\.\d{1,2})?")  # of a contract or a law: lists of texts such as "2.6" and "3.10"
_SURE_IDS = (("doc", "id"), ("document", "id"), ("chunk", "id"), ("passage", "id"), ("docid",), ("docno",), ("qid",),
             ("query", "id"), ("question", "id"))
SENTENCE_ENDS = (".", "?", "!", "。", "？", "！")
_UNSPACED_SENTENCE = re.compile(r"[。！？；]|[\u0e01-\u0e3a\u3041-\u9fff\uac00-\ud7a3]{20}")  # needs no blank
_ID_LIKE = re.compile(r"[^\s]{1,200}")


def flatten(record: dict, whole: frozenset[str] = frozenset()) -> dict[str, object]:
    """{path: value} of a record: members of objects as a.b, of lists of objects as a[].b with a list of values, what
    was said before a question as its messages, {"role", "text"} each.

    whole: paths of objects that hold data, such as {document: grade}; their members are no fields.
    """
    fields: dict[str, object] = {}
    _flatten_into(fields, "", record, 0, whole)
    return fields


def _flatten_into(fields: dict, prefix: str, value: dict, depth: int, whole: frozenset[str]) -> None:
    for key, member in value.items():
        if len(fields) > _MOST_MEMBERS:
            return
        path = f"{prefix}.{key}" if prefix else str(key)
        if type(member) is dict and member and depth < _DEEPEST:
            fields[path] = member
            if _counts_answers(str(key), member):
                fields[path] = list(member)
            elif path not in whole and not _is_mapping(member):
                _flatten_into(fields, path, member, depth + 1, whole)
            elif all(str(key).isdecimal() and type(inner) is dict for key, inner in member.items()):
                deepest = max(member, key=int)  # a record for each cutoff: {"5": {...}, "10": {...}}
                _flatten_into(fields, f"{path}.{deepest}", member[deepest], depth + 1, whole)
            elif len(member) < 9 and words(str(key))[-1:] in (("k",), ("at",)) and all(
                    str(cutoff).isdecimal() and as_number(value) is not None for cutoff, value in member.items()):
                fields |= {f"{path}.{cutoff}": value for cutoff, value in member.items()}  # hit_at_k: {"1": 0, "3": 1}
            elif all(str(key).isdecimal() and _is_ids(inner) for key, inner in member.items()):
                deepest = max(member, key=int)  # a list for each cutoff: {"5": ["d1", ...], "10": [...]}
                fields[f"{path}.{deepest}"] = member[deepest]
        elif type(member) is list and member and any(type(item) is dict for item in member) and depth < _DEEPEST:
            message = (messages_of(member) or None) if path in HISTORIES else _chat_text(path, member)
            if message is not None:
                fields[path] = message
                continue
            fields[f"{path}[]"] = member
            _flatten_list(fields, f"{path}[]", [item for item in member if type(item) is dict], depth)
        else:
            fields[path] = member


def _flatten_list(fields: dict, path: str, items: list[dict], depth: int) -> None:
    """The members of objects in a list, each with a list of their values."""
    flat = []
    for item in items[:1000]:
        member: dict[str, object] = {}
        _flatten_into(member, "", item, depth + 1, frozenset())
        flat.append(member)
    for name in dict.fromkeys(name for member in flat for name in member):
        fields[f"{path}.{name}"] = [member.get(name) for member in flat]


def _is_ids(value) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def _counts_answers(name: str, value: dict) -> bool:
    """True for answers with how many people gave them: answers: {"an umbrella": 38, "sunscreen": 36}."""
    return "answers" in name.lower() and len(value) > 1 and RETURNED.isdisjoint(words(name)) and all(
        type(count) is int for count in value.values())


def _is_mapping(value: dict) -> bool:
    """True for an object of data, such as {document: grade} or {grade: [documents]}, not of fields."""
    return len(value) > 60 or all(str(key).lstrip("-").isdecimal() for key in value)


def _chat_text(path: str, items: list) -> str | None:
    """The text of a conversation: the user's last message for a question, else the model's."""
    if not all(type(item) is dict and {"role", "speaker"} & item.keys() and {"content", "text"} & item.keys()
               for item in items):
        return None
    asks = not QUESTION.isdisjoint(last_words(path))
    return last_message(items, USER_ROLES if asks else MODEL_ROLES)


@dataclass(frozen=True)
class Field:
    """A field of the records: values (n,) of the sampled records, None where it is missing."""

    path: str
    values: tuple
    is_shared = False  # names of documents that another field has as well

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the whole path; "reference" says nothing next to "retrieved"."""
        return _without_weak_gold(self.path)

    @cached_property
    def name_words(self) -> tuple[str, ...]:
        """The words of the last member of the path; in `response.text` those of the object."""
        return _meaningful_words(self.path)

    @cached_property
    def present(self) -> list:
        """The values that are not missing; `NA` is, as R writes it, next to numbers alone."""
        present = [value for value in self.values if not is_missing(value)]
        numbers = [value for value in present if value != "NA"] if "NA" in present else []
        return numbers if numbers and all(as_number(value) is not None for value in numbers) else present

    @cached_property
    def items(self) -> list:
        """The single values, those in lists as well."""
        return [item for value in self.present[:_SEEN] for item in leaves(value)]

    @property
    def seen_count(self) -> int:
        """About how many records `items` are from, with those among them that have no value."""
        return len(self.values) * min(len(self.present), _SEEN) // max(len(self.present), 1)

    @property
    def share(self) -> float:
        """Share of the records that have a value."""
        return len(self.present) / max(len(self.values), 1)

    @cached_property
    def is_list(self) -> bool:
        """True if the values are lists."""
        return any(type(value) is list for value in self.present)

    @cached_property
    def is_object(self) -> bool:
        """True for objects, and for lists of them."""
        return any(type(item) is dict for item in self.present[:200]) or any(
            type(item) is dict for value in self.present[:200] if type(value) is list for item in value)

    @cached_property
    def object_share(self) -> float:
        """Share of the values that are objects."""
        return sum(type(value) is dict for value in self.present) / max(len(self.present), 1)

    @cached_property
    def is_number(self) -> bool:
        """True if all single values are numbers, also as text."""
        return bool(self.items) and all(as_number(item) is not None for item in self.items) and not all(
            isinstance(item, str) and _ARXIV.fullmatch(item) for item in self.items)

    @cached_property
    def is_bool(self) -> bool:
        """True if all single values are true or false."""
        return bool(self.items) and all(as_bool(item) is not None for item in self.items)

    @cached_property
    def is_hash(self) -> bool:
        """True for digests of texts, such as SHA-256."""
        return bool(self.items) and all(type(item) is str and _DIGEST.fullmatch(item) for item in self.items)

    @property
    def says_yes_or_no(self) -> bool:
        """True for words such as yes and no, which may be answers."""
        return self.is_bool and all(type(item) is str for item in self.items)

    @cached_property
    def is_grade(self) -> bool:
        """True if all values are words such as relevant and not relevant; one of them where the name says so."""
        is_sure = self.name_words == ("relevance",) or len({str(item) for item in self.items}) > 1
        return bool(self.items) and is_sure and all(grade_of_words(item) is not None for item in self.items)

    @cached_property
    def is_text(self) -> bool:
        """True if the single values are texts."""
        return bool(self.items) and sum(type(item) is str for item in self.items) > len(self.items) / 2 and (
            not self.is_bool)

    @cached_property
    def mean_length(self) -> float:
        """Mean length of the texts."""
        texts = [item for item in self.items if isinstance(item, str)]
        return sum(map(len, texts)) / max(len(texts), 1)

    @cached_property
    def blank_share(self) -> float:
        """Share of the texts with several words."""
        texts = [item for item in self.items if isinstance(item, str)]
        return sum(item.strip().count(" ") >= 2 or (len(item) > 60 and not _ID_LIKE.fullmatch(item))
                   or bool(_UNSPACED_SENTENCE.search(item)) for item in texts) / max(len(texts), 1)

    @cached_property
    def path_share(self) -> float:
        """Share of the texts that look like a path, a file name or an address."""
        texts = [item for item in self.items if isinstance(item, str)]
        return sum(isinstance(item, PairedId) or bool(_PATH_LIKE.fullmatch(item.strip()) and not _FRACTION.match(item))
                   for item in texts) / max(len(texts), 1)

    @cached_property
    def is_id_like(self) -> bool:
        """True for short values without blanks, paths, and whole numbers."""
        if not self.items or self.is_bool or self.is_object:
            return False
        if self.is_number:
            return all(float(as_number(item)).is_integer() for item in self.items) or (self.is_list and all(
                type(item) is str and _SECTION.fullmatch(item) for item in self.items))
        least = 0.4 if self.name_words[-1:] == ("path",) else 0.6  # of files, next to folders
        is_id = self.path_share > least or self.blank_share < 0.4 or self._names_ids
        return is_id and self.mean_length <= 300 and {*map(type, self.items)} <= {str, int, NumberText, PairedId}

    @property
    def _names_ids(self) -> bool:
        """True for texts with blanks under a name that only ids have, such as titles in doc_id: no sentences."""
        texts = [item.strip() for item in self.items if isinstance(item, str)]
        return last_words(self.path)[-2:] in _SURE_IDS and self.mean_length < 160 and not any(
            "\n" in text for text in texts) and 5 * sum(text.endswith(SENTENCE_ENDS) for text in texts) < len(texts)

    @property
    def is_paired(self) -> bool:
        """True for documents that two texts name, of which the second is a part of the first."""
        return any(isinstance(item, PairedId) for item in self.items[:1])

    @cached_property
    def distinct_share(self) -> float:
        """Distinct values among those present (scalars)."""
        keys = [repr(value) for value in self.present]
        return len(set(keys)) / max(len(keys), 1)

    @cached_property
    def distinct_count(self) -> int:
        """Number of distinct values."""
        return len({repr(value) for value in self.present})

    @cached_property
    def is_long_text(self) -> bool:
        """True for texts of several words."""
        return self.is_text and (self.blank_share >= 0.4 or self.mean_length > 40 or _is_unspaced(self.items))


@lru_cache(1 << 14)
def _without_weak_gold(path: str) -> tuple[str, ...]:
    result: list[str] = []
    for part in without_note(path).split("."):
        names = words(part)
        result += [word for word in names if word not in WEAK_GOLD] if RETRIEVING & set(names) else names
    return tuple(result)


@lru_cache(1 << 14)
def _meaningful_words(path: str) -> tuple[str, ...]:
    parents, _, _last = without_note(path).rpartition(".")
    names = last_words(path)
    if parents and names and all(name.isdecimal() for name in names):
        return last_words(parents)  # a list for each cutoff
    if len(names) > 1 and names[:1] == last_words(parents) and names[0] in ("input", "output"):
        return names[1:]  # inputs.input_answer: all that is in the object is called so
    if parents and not parents.endswith("[]") and names == ("id",):
        above = last_words(parents)
        return names if (DOCUMENT | QUESTION).isdisjoint(above) else (*above, *names)
    if parents and not parents.endswith("[]") and GENERIC.issuperset(names):
        above = last_words(parents)
        if not (QUESTION | ANSWER | {"truth", "groundtruth"}).isdisjoint(above):
            return above
    if parents and not parents.endswith("[]") and _FIRST_VARIANTS.issuperset(names) and not QUESTION.isdisjoint(
            last_words(parents)):
        return last_words(parents)  # query.original next to query.rewritten
    return names


def _is_unspaced(items: list) -> bool:
    """True for texts of scripts without blanks (Chinese, Japanese, Thai)."""
    texts = [item for item in items if isinstance(item, str)]
    wide = sum(any(ord(char) > 0x0E00 for char in item) and len(item) > 6 for item in texts)
    return wide > len(texts) / 2


@dataclass(frozen=True)
class ReturnedField(Field):
    """A member of a list of objects that a retriever returned, whatever the list is called."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the path, with one for what it is."""
        return ("retrieved", *(word for word in super().words if word not in WEAK_GOLD))


def profile(rows: Sequence[dict]) -> dict[str, Field]:
    """{path: field} of the records, in the order of the file."""
    step = max(1, len(rows) // SAMPLE)
    sample = rows[::step][:SAMPLE]
    whole = data_objects(sample)
    flat = [flatten(row, whole) for row in sample]
    names = dict.fromkeys(name for row in flat for name in row)
    return {name: Field(name, without_failures([row.get(name) for row in flat])) for name in [*names][:_MOST_MEMBERS]}


def data_objects(rows: Sequence[dict]) -> frozenset[str]:
    """Paths of objects whose keys are data: they differ from record to record, or belong to judgments."""
    whole = set()
    for key in {key for row in rows[:50] for key, value in row.items() if type(value) is dict and value}:
        members = [row[key] for row in rows if type(row.get(key)) is dict and row[key]]
        numbers = all(type(value) in (int, float) for member in members for value in member.values())
        judged = numbers and not GOLD_OBJECTS.isdisjoint(words(key))
        if judged or (len(members) > 2 and (
                len(members) * (len(set().union(*members)) - 2) > 2 * sum(map(len, members)))):
            whole.add(key)
    return frozenset(whole)


def is_missing(value) -> bool:
    """True for no value: null, NaN, an empty text or list."""
    if value is None or value == "" or value == [] or value == {}:
        return True
    return (type(value) is float and math.isnan(value)) or (type(value) is str and value.strip() in (
        "", "NaN", "nan", "None", "null", "N/A"))


def leaves(value) -> Iterable:
    """The single values of a value, also of nested lists; missing ones are left out."""
    if type(value) is list:
        for item in value:
            yield from leaves(item)
    elif not is_missing(value):
        yield value


def as_number(value) -> float | None:
    """A number, also as text; None for anything else."""
    if type(value) in (int, float):
        return float(value)
    if isinstance(value, str) and len(value) < 40:
        try:
            return float(value)
        except ValueError:
            return None
    return None


_TRUTH_VALUES = {"true": True, "false": False, "yes": True, "no": False, "y": True, "n": False, "ja": True,
                 "nein": False, "oui": True, "non": False, "✅": True, "❌": False, "✓": True, "✗": False, "✔": True,
                 "✘": False}
_GRADES = {"relevant": 1, "notrelevant": 0, "irrelevant": 0, "nonrelevant": 0, "partiallyrelevant": 0.5,
           "somewhatrelevant": 0.5, "marginallyrelevant": 0.5, "highlyrelevant": 2, "veryrelevant": 2,
           "fullyrelevant": 1, "perfectlyrelevant": 3, "partial": 0.5,
           "definitelyrelevant": 2, "possiblyrelevant": 0.5, "exact": 1, "substitute": 0.5, "complement": 0.25}


def grade_of_words(value) -> float | None:
    """The grade of words such as "not relevant" (0), "partially relevant" (0.5), "relevant" (1); None for others."""
    return _GRADES.get(re.sub(r"[\W_]+", "", value.lower())) if isinstance(value, str) else None


def id_text(value) -> str:
    """An id as text; a whole float of a table is written without its point."""
    if type(value) is float and value.is_integer():
        return str(int(value))
    return value.strip() if type(value) is str else str(value)


def as_bool(value) -> bool | None:
    """True or false, also as text; None for anything else."""
    if type(value) is bool:
        return value
    return _TRUTH_VALUES.get(value.strip().lower()) if type(value) is str else None
