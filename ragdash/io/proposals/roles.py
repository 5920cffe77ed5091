"""Give the fields of a list of records their meanings: the mapping of a reading, and how much it explains."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragdash.io.field_names import normalize_name
from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import Assignment, is_inside, take
from ragdash.io.proposals.documents import assign_returned, drop_unlike_ids, id_rank
from ragdash.io.proposals.fields import Field, is_missing, profile
from ragdash.io.proposals.names import (
    ANSWER,
    DOCUMENT,
    GOLD,
    ID,
    LATENCIES,
    RETURNED,
    WEAK_GOLD,
    counts_something,
    words,
)
from ragdash.io.proposals.records import KEY, RecordList
from ragdash.io.proposals.row_keys import assign_rows
from ragdash.io.proposals.shapes.families import NUMBER, PLAIN, ColumnFamily, find_family, spread_columns
from ragdash.io.proposals.shapes.logs import is_noise
from ragdash.io.proposals.shapes.ranked_lists import lists_with_scores, with_returned_lists

_AS_TRUTH = {"retrieved": "relevant", "text": "evidence", "answer": "answers"}  # roles in a file of what is right
_AS_RUN = {"relevant": "retrieved"}
KEYLESS = Field("", ())
_EARLY = {"initial", "draft", "intermediate", "previous", "old", "closed"}  # answers that were replaced, or without
# documents
_COUNTED = {"found", "total", "count", "max", "min"}  # next to num: a number of something


def assign(records: RecordList) -> list[Assignment]:
    """The plausible readings of a list of records, the likeliest first."""
    fields = profile(records.rows)
    fields = {name: item for name, item in fields.items() if item.present or meanings.is_context(item)}
    fields, family = _with_families(with_returned_lists(fields))
    result = Assignment(records, fields, runs=family.variants if family else ())
    free = {name: item for name, item in fields.items() if not is_noise(item)}
    _assign_query(result, free)
    _assign_truth(result, free)
    assign_returned(result, free, family)
    _assign_values(result, free, family)
    assign_rows(result, free)
    alternatives = _settle_paragraph(result, free)
    alternatives += _settle_neutral_documents(result, free)
    alternatives += _settle_lists(result)
    alternatives += _settle_answer(result, free)
    if family:
        _add_plain(result, free, family)
    drop_unlike_ids(result, free)
    result.ignored = [name for name in free if not name.startswith(KEY) and not is_inside(name, result.roles)]
    return [item for item in (result, *alternatives) if item.is_useful]


def _add_plain(result: Assignment, free: dict[str, Field], family: ColumnFamily) -> None:
    """Add the columns without a suffix to the paths with {run}."""
    for role, path in result.roles.items():
        plain = family.members.get(path, {}).get(PLAIN)
        if plain:
            result.roles[role] = f"{path}+{plain}"
            free.pop(plain, None)


def _with_families(fields: dict[str, Field]) -> tuple[dict[str, Field], ColumnFamily | None]:
    """The fields with those of several configurations, and spread ones, under one path each."""
    for pattern, members in spread_columns(fields).items():
        if all(name in fields for name in members):
            rows = zip(*(fields.pop(name).values for name in members), strict=True)
            fields[pattern] = Field(pattern, tuple([value for value in row if not is_missing(value)] or None
                                                   for row in rows))
    parents = {name.rpartition(".")[0] for name in fields}
    family = find_family(name for name in fields if NUMBER not in name and name not in parents)
    if family is None:
        return fields, None
    taken = {name for members in family.members.values() for name in members.values()}
    joined = {name: item for name, item in fields.items() if name not in taken}
    for pattern, columns in family.members.items():
        values = [value for column in columns.values() for value in fields[column].values]
        plain = pattern.replace("{run}", " ")
        joined[pattern] = _Named(pattern, tuple(values), plain)
    return joined, family


@dataclass(frozen=True)
class _Named(Field):
    """A field of several configurations, with the words of its path without their names."""

    plain: str = ""

    @property
    def words(self) -> tuple[str, ...]:  # type: ignore[override]
        """The words without the configuration."""
        return words(self.plain)

    @property
    def name_words(self) -> tuple[str, ...]:  # type: ignore[override]
        """The words without the configuration."""
        return words(self.plain)


def _assign_query(result: Assignment, free: dict[str, Field]) -> None:
    questions = sorted((item for item in free.values() if meanings.is_question(item)), key=meanings.question_rank)
    if not questions and ("column 2" not in free or meanings.is_question_of_text(free.get("column 1", KEYLESS))):
        questions = [item for item in result.fields.values() if meanings.is_question_of_text(item)]
    if not questions and "column 2" in free and "column 1" in free and free["column 2"].is_long_text:
        questions = [free["column 2"]]
        take(result, free, "query_id", free["column 1"])
    if questions:
        take(result, free, "query", questions[0])
    if "query_id" in result.roles:
        return
    right = [item.path for item in _gold_lists(free)]
    returned = {str(value) for item in lists_with_scores(free) for value in item.items}
    ids = [item for item in free.values() if meanings.is_query_id(item) and item.path not in right
           and (GOLD.isdisjoint(item.words) or returned.isdisjoint(map(str, item.items)))]
    keys = sorted((free[name] for name in (KEY, KEY + KEY) if name in free), key=lambda item: -item.distinct_count)
    ids = [item for item in ids if item not in keys] + keys[:1]
    if questions:
        ids = [item for item in ids if _names_questions(item, questions[0])]
        ids = [item for item in ids if _several_ids(item, questions[0]) < 0.3 or questions[0].distinct_share > 0.7]
        ids = sorted(ids, key=lambda item: (_several_ids(item, questions[0]) > 0, item.path.count(".")))
    else:
        ids = sorted(ids, key=lambda item: (item.path == KEY, not {"query", "question", "case"} & set(item.words),
                                            item.path.count(".")))
    if not ids and not questions:
        ids = [item for item in free.values() if meanings.names_query(item)]
    if not ids and not questions:
        ids = [item for item in free.values() if not item.is_list and not item.is_object and item.share == 1.0
               and item.mean_length < 100 and (item.is_text or item.is_id_like)
               and not set(item.name_words).isdisjoint(ID) and item.distinct_share > 0.2
               and _COUNTED.isdisjoint(item.name_words) and not counts_something(item.name_words)
               and (item.distinct_count > 1 or len(item.values) == 1)]
    if ids:
        take(result, free, "query_id", ids[0])


def _names_questions(item: Field, question: Field) -> bool:
    """True if an id belongs to one question only."""
    questions: dict[str, set] = {}
    for key, text in zip(item.values, question.values, strict=False):
        questions.setdefault(repr(key), set()).add(repr(text))
    return all(len(texts) == 1 for texts in questions.values())


def _several_ids(item: Field, question: Field) -> float:
    """Share of the questions that have several of these ids."""
    ids: dict[str, set] = {}
    for key, text in zip(item.values, question.values, strict=False):
        ids.setdefault(repr(text), set()).add(repr(key))
    return sum(len(keys) > 1 for keys in ids.values()) / max(len(ids), 1)


def _assign_truth(result: Assignment, free: dict[str, Field]) -> None:
    lists = _gold_lists(free)
    references = [item for item in free.values() if meanings.is_reference(item) and item not in lists]
    if references:
        references.sort(key=lambda item: (item.path.count("."), "answer" not in item.words, len(item.path)))
        take(result, free, "answers", references[0])
    deepeval = {"actualoutput", "expectedoutput", "retrievalcontext"} & {normalize_name(name) for name in result.fields}
    objects = [item for item in free.values() if meanings.is_evidence(item) or (deepeval and item.path == "context")]
    if objects:
        objects.sort(key=lambda item: (item.share < 0.5, item.path.count("."), not item.is_list, -item.mean_length))
        take(result, free, "evidence", objects[0])
    gold = [item for item in free.values() if meanings.is_gold_documents(item)
            and not is_inside(item.path, {"evidence": result.roles.get("evidence", "")})]
    gold = [item for item in gold if item.path != result.roles.get("query_id") and (not lists or item in lists)]
    gold = gold or lists
    if not gold:
        gold = [item for item in free.values() if item.is_object and not item.path.endswith("]") and not set(
            item.words).isdisjoint({"relevant", "qrels", "judgment", "relevance", "gold"}) and all(
            type(value) is dict and all(type(grade) in (int, float, list) for grade in value.values())
            for value in item.present)]
    if gold:
        full = [item for item in gold if "partial" not in item.words]
        partial = [item for item in gold if "partial" in item.words]
        full.sort(key=lambda item: (not item.is_list, item.path.count("."), id_rank(item)))
        if full and partial:
            take(result, free, "relevant", full[0], partial[0], note=f"{full[0].path}:2+{partial[0].path}:1")
        else:
            take(result, free, "relevant", (full or partial)[0])


def _gold_lists(free: dict[str, Field]) -> list[Field]:
    """Fields whose values are among those that were returned, and whose name says that they are right."""
    returned = {str(value) for item in free.values() if meanings.is_returned_list(item) or meanings.is_title(item)
                or meanings.is_returned_documents(item) or ("[]" in item.path and meanings.is_neutral_documents(item))
                for value in item.items if type(value) is str}
    gold = [item for item in free.values() if meanings.is_gold_list(item) or (
        not item.is_list and "[]" not in item.path and item.is_text and item.mean_length < 120
        and not GOLD.isdisjoint(item.name_words) and ANSWER.isdisjoint(item.name_words))]
    return [item for item in gold if not returned.isdisjoint(map(str, item.items))] or [
        item for item in gold if item.is_list and item.name_words != ("expected",) and not returned
        and ANSWER.isdisjoint(item.name_words) and meanings.is_gold_list(item)]


def _assign_values(result: Assignment, free: dict[str, Field], family: ColumnFamily | None) -> None:
    _assign_answer_objects(result, free)
    answers = sorted((item for item in free.values() if meanings.is_answer(item)), key=_answer_rank)
    answers = answers or _answer_next_to_documents(result, free) or _short_names(result, free)
    if answers and "answer" not in result.roles:
        take(result, free, "answer", answers[0])
        plain = [item for item in answers[1:] if RETURNED.isdisjoint(set(item.words) - {"response", "output"})
                 and "." not in item.path and "{run}" not in item.path]
        is_predicted = not RETURNED.isdisjoint(set(answers[0].words) - {"response", "output", "result"})
        _settle_gold_text(result, answers[0])
        plain = plain if is_predicted else [item for item in plain if item.path.lower() == "answer"]
        if plain and "answers" not in result.roles:
            take(result, free, "answers", plain[0])
    several = [item for item in free.values() if item.path.lower() in ("answer", "answers", "answers.text")
               and item.is_list and item.is_text and not item.is_object]
    if several and "answers" not in result.roles:
        take(result, free, "answers", several[0])  # several right answers
    for item in list(free.values()):
        unit = meanings.latency_unit(item)
        if unit and "latency_ms" not in result.roles and ("{run}" in item.path or not result.runs):
            take(result, free, "latency_ms", item)
    metrics = [item for item in free.values() if meanings.is_metric(item)]
    named = [item for item in free.values() if item.path.endswith("[].score") and item.path.count("[]") == 1
             and f"{item.path[:-5]}name" in result.fields and {"metric", "score"} & set(words(item.path[:-8]))]
    if result.runs and any("{run}" in path for path in result.roles.values()):
        has_plain = any(PLAIN in members for members in (family.members if family else {}).values())
        metrics = [item for item in metrics if "{run}" in item.path or has_plain]
    if metrics or named:
        take(result, free, "scores", *metrics, *named[:1])
    labels = [item for item in free.values() if meanings.is_label(item)]
    if labels:
        take(result, free, "labels", *labels)


def _settle_gold_text(result: Assignment, answer: Field) -> None:
    """`gold.text` next to `answer.text` is the right answer, not evidence."""
    parent, _, name = result.roles.get("evidence", "").rpartition(".")
    if parent and "answers" not in result.roles and answer.path.rpartition(".")[2] == name and "." in answer.path and (
            set(words(parent)) <= GOLD):
        result.roles["answers"] = result.roles.pop("evidence")


def _assign_answer_objects(result: Assignment, free: dict[str, Field]) -> None:
    """The texts in a list of answers: a system's where they come with its documents or a score, else right ones."""
    objects = [item for item in free.values() if meanings.is_answer_object(item)]
    if not objects:
        return
    parent = objects[0].path.rpartition("[].")[0]
    siblings = {word for name in result.fields if name.startswith(f"{parent}[].") for word in words(name)}
    is_of_system = bool(siblings & {"score", "confidence", "model"}) or any(
        path.startswith(f"{parent}[].") for path in result.roles.values())
    role = "answer" if is_of_system and GOLD.isdisjoint(objects[0].words) else "answers"
    if role not in result.roles:
        take(result, free, role, objects[0])


def _answer_next_to_documents(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """A plain `text` next to the question, in a record with a list of returned documents."""
    if "[]." not in result.roles.get("retrieved", ""):
        return []
    return [item for item in free.values() if item.path.lower() in ("text", "content", "message") and item.is_text
            and not item.is_list and item.distinct_share > 0.5]


def _short_names(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`a` next to `q`, and the second column without a header next to a question in the first."""
    pairs = {"q": "a", "column 1": "column 2"}
    other = pairs.get(result.roles.get("query", "").rpartition(".")[2])
    return [item for item in free.values() if other and item.path.rpartition(".")[2] == other and item.is_text]


def _answer_rank(item: Field) -> tuple:
    name = item.name_words
    return (not _EARLY.isdisjoint(name), item.path.count("."), not set(name) & RETURNED,
            name not in (("answer",), ("response",)), len(name))


def _settle_neutral_documents(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """Documents whose name does not say what they are: relevant in a file without anything returned.

    Next to a question alone they may as well be what was returned.
    """
    if {"relevant", "retrieved", "doc_id", "contexts", "text"} & result.roles.keys():
        return []
    neutral = [item for item in free.values() if meanings.is_neutral_documents(item) and "[]" not in item.path
               and not is_inside(item.path, {"evidence": result.roles.get("evidence", "")})]
    neutral = [item for item in neutral if item.path_share > 0.6 or not set(item.name_words).isdisjoint(DOCUMENT)]
    neutral = [item for item in neutral if not {"title", "type", "page", "name", "created", "index"} & set(
        item.name_words) or item.path_share > 0.6]
    neutral = [item for item in neutral if item.distinct_count > 1 or len(item.values) == 1]
    if not neutral:
        return []
    neutral.sort(key=lambda item: (not item.is_list, -item.path_share if not set(item.name_words) & DOCUMENT else -1,
                                   id_rank(item)))
    is_answered = not RETURNED.isdisjoint(set(words(result.roles.get("answer", ""))) - {"response", "output"})
    is_reference = "answers" in result.roles and not neutral[0].is_list and (
        {"answer", "latency_ms", "config"}.isdisjoint(result.roles))
    is_system = _is_of_system(result) and not is_reference
    name = set(neutral[0].name_words)
    is_source = "evidence" in result.roles and not neutral[0].is_list and "source" not in neutral[0].words and (
        neutral[0].path_share < 0.6) and (name.isdisjoint({"chunk", "passage"}) or name.isdisjoint(ID))
    if is_source:
        take(result, free, "source", neutral[0])
    elif is_answered or is_system or (neutral[0].is_list and {"answer", "answers"} <= result.roles.keys()):
        take(result, free, "retrieved", neutral[0])
    else:
        take(result, free, "relevant", neutral[0])
        if neutral[0].is_list and {"answers", "answer", "evidence"}.isdisjoint(result.roles):
            return [replace(result, roles={_AS_RUN.get(name, name): path for name, path in result.roles.items()})]
    return []


def _settle_paragraph(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """One text next to a question and its right answer is what the question was asked about, not what was returned."""
    text, answer = result.fields.get(result.roles.get("contexts", "")), result.roles.get("answer", "")
    if text is None or text.is_list or not RETURNED.isdisjoint(text.words) or _is_of_system(result):
        return []
    if {"retrieved", "doc_id", "relevant", "evidence"} & result.roles.keys() or {"{run}", "{n}"} & set(text.path):
        return []
    has_id = any(item.path.lower() in ("chunk_id", "passage_id", "doc_id", "document_id") for item in free.values())
    if bool(answer) == ("answers" in result.roles) or (answer and not (
            has_id and RETURNED.isdisjoint(words(answer)))):
        return []
    other = replace(result, roles=dict(result.roles))
    result.roles = {{"contexts": "evidence", "answer": "answers"}.get(name, name): path
                    for name, path in result.roles.items()}
    return [other]


def _settle_lists(result: Assignment) -> list[Assignment]:
    """Lists of objects without scores, of which nothing says that they were returned, are as likely to be right."""
    path = result.roles.get("retrieved", "")
    parent = path.rpartition("[].")[0]
    named = meanings.is_returned_documents(result.fields[path]) if path in result.fields else True
    if not parent or named or {"score", "rank", "grade", "contexts", "relevant"} & result.roles.keys():
        return []
    answer = result.roles.get("answer", "")
    if answer:
        if _is_of_system(result) or "answers" in result.roles or not RETURNED.isdisjoint(words(answer)):
            return []
        other = replace(result, roles=dict(result.roles))
        result.roles = {_AS_TRUTH.get(name, name): value for name, value in result.roles.items()}
        return [other]
    other = replace(result, roles={_AS_TRUTH.get(name, name): value
                                   for name, value in result.roles.items()})
    has_spans = any({"span", "offset", "start", "end", "answer"} & set(words(name.rpartition("[].")[2]))
                    for name in result.fields if name.startswith(f"{parent}[]."))
    if has_spans:
        result.roles, other.roles = other.roles, result.roles
    return [other]


def _is_of_system(result: Assignment) -> bool:
    """True where a file says what a system did: its configuration, its scores, how long it took."""
    measured = {"token", "cost", *LATENCIES - {"time", "took"}}
    return bool({"latency_ms", "scores", "labels", "config"} & result.roles.keys()) or any(
        not measured.isdisjoint(item.name_words) and {"start", "end"}.isdisjoint(item.name_words)
        for item in result.fields.values())


def _settle_answer(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """In a file of truth an answer is the reference; where both are plausible, both readings."""
    path = result.roles.get("answer")
    if path is None or "answers" in result.roles or "{run}" in path:
        return []
    as_truth = replace(result, roles={("answers" if name == "answer" else name): value
                                      for name, value in result.roles.items()})
    if {"retrieved", "contexts", "doc_id", "text"} & result.roles.keys() or _is_of_system(result):
        return [as_truth] if path == "answer" and not _is_of_system(result) and "doc_id" not in result.roles else []
    plain = set(words(path)).isdisjoint(RETURNED - {"response", "output"})
    if not plain:
        return []
    listed = result.fields.get(result.roles.get("relevant", ""))
    is_gold = listed is None or not set(listed.words).isdisjoint(GOLD - WEAK_GOLD)
    if listed is not None and listed.is_list and not is_gold and "evidence" not in result.roles:
        other = replace(result, roles={("retrieved" if name == "relevant" else name): value
                                       for name, value in result.roles.items()})
        result.roles = as_truth.roles
        return [other]
    if {"relevant", "evidence", "source"} & result.roles.keys():
        result.roles = as_truth.roles
        return []
    if not set(words(path)).isdisjoint(RETURNED):  # response, output: rather those of a system
        return [as_truth]
    other = replace(result, roles=dict(result.roles))
    result.roles = as_truth.roles
    return [other]
