"""What makes several rows of one query distinct: documents, configurations, repetitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import RETURNED_OR_JUDGED, RUN_CONTENT, Assignment, is_inside, take
from ragdash.io.proposals.choices.graded_texts import judged_ids
from ragdash.io.proposals.choices.others import (
    drop_ratings,
    ids_by_rank,
    is_combined,
    take_data_set,
    take_judged,
    take_set,
    take_single_config,
    take_turns,
    without_ranks_of_parts,
)
from ragdash.io.proposals.choices.repetitions import is_half_crossed, times_asked
from ragdash.io.proposals.choices.right_documents import id_rank
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.content.averages import average_places
from ragdash.io.proposals.content.spread import are_crossed, are_groups, asks_once, crosses, separates, shares_queries
from ragdash.io.proposals.fields import Field, as_number
from ragdash.io.proposals.names import CONFIGS, COUNTING, DOCUMENT, GOLD, GRADES, ID, RATERS, REPEATS, SCORES, words
from ragdash.io.proposals.records import KEY
from ragdash.io.proposals.shapes.traces.logs import is_noise

_DISTINGUISHING = CONFIGS | RATERS
_NAMING = [f"{KEY}.{name}" for name in ("name", "label", "key", "title")]  # what a report calls its configuration
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_OWN = {"example", "case", "sample", "instance"}  # in names of an id of each row
_MOST_SHARE, _FEWEST_CROSSED, _MOST_COUNTED = 0.9, 6, 12  # of the records; queries; numbers of a setting without a name
_NO_CONFIGS = {"metric", "measure", "criterion",  # several values of one query
               "conversation", "session", "dialog", "dialogue", "thread", "chat"}  # several queries each


def _names_document(item: Field) -> bool:
    """True for names such as chunk_id and chunk_rank, whose first word may otherwise name a setting."""
    return not set(item.name_words).isdisjoint(ID | {"rank"}) and not set(item.name_words).isdisjoint(DOCUMENT)


def _is_setting(item: Field) -> bool:
    """True for a name of what is compared, such as a system, and for max_tokens."""
    name = set(item.name_words)
    return not name.isdisjoint(_DISTINGUISHING) or {"max", "token"} <= name


def _describes_queries(item: Field, names: list[str]) -> bool:
    """True for what is said above the records of a query and is the same in all of them, such as its type."""
    return item.path.startswith(f"{KEY}.") and item.path not in _NAMING and len(
        set(zip(names, map(repr, item.values), strict=True))) == len(set(names))


def _own_ids(free: dict[str, Field], names: list[str]) -> list[Field]:
    """Ids of examples or cases, another one in each row."""
    return [item for item in free.values() if meanings.is_query_id(item) and item.share == 1.0
            and item.distinct_count == len(names) and not _OWN.isdisjoint(item.name_words)]


def _counts_repeats(item: Field) -> bool:
    """True for a repetition, a seed or who rated: the name of a configuration begins with what was repeated."""
    return not (REPEATS | RATERS).isdisjoint(item.name_words)


def _is_time(item: Field) -> bool:
    """True for times of day with a date: when a record was made, not by what."""
    return item.is_text and all(_TIME.match(str(value)) for value in item.items)


def _is_rank_of_documents(item: Field) -> bool:
    """True for chunk_rank: rows of documents, also where few of them are of the same query."""
    return item.name_words[-1:] == ("rank",) and not DOCUMENT.isdisjoint(item.name_words) and item.is_number and (
        not item.is_list and item.share > 0.9)


def assign_rows(result: Assignment, free: dict[str, Field]) -> None:
    """What makes rows of one query distinct: documents, configurations, repetitions."""
    keys = [result.fields[result.roles[name]] for name in ("query_id", "query") if name in result.roles]
    if not keys or take_turns(result, free):
        return
    key = keys[0]
    names, ranked = [repr(value) for value in key.values], list[Field]()
    if take_judged(result, free, names):
        return
    documents = [item for item in free.values() if not item.is_list and meanings.is_neutral_documents(item)
                 and len(item.values) == len(names)] or judged_ids(result, free, key) or (
                     meanings.names_of_hits(free.values(), names)) or (ranked := ids_by_rank(result, free, key))
    result.averages = len(_average_places(result, keys, documents))
    if len(set(names)) == len(names):
        is_ranked = any((item.name_words in (("rank",), ("score",)) or item.is_grade or ratings.rates_document(item))
                        and not item.is_list for item in result.fields.values())
        several = [item for item in documents if item.distinct_count > 1]
        if several and is_ranked and not {"retrieved", "answers", "answer", "relevant"} & result.roles.keys():
            _take_document_rows(result, free, several, key)
        take_single_config(result, free)
        take_set(result, free)
        return
    free |= {item.path: item for item in result.fields.values() if _is_hidden_config(item, result, free, names)}
    candidates = _candidates(result, free, key, names)
    named = [item for item in candidates if (_is_setting(item) and not asks_once(item, names)) or (
        item.path.startswith(KEY) and not _describes_queries(item, names))]
    single = {name for name in ("relevant", "contexts") if name in result.roles
              and (item := result.fields.get(result.roles[name].split(":")[0].split("+")[0])) and not item.is_list}
    has_texts = "contexts" in single and not _repeats_text(result, names) and not (
        not documents and _answers_differ(result, names))
    is_repeated = len(names) - len(set(names)) >= 0.3 * len(names) or any(map(_is_rank_of_documents, free.values()))
    is_long = bool(documents or has_texts) and "retrieved" not in result.roles and (is_repeated or bool(ranked))
    if not is_long and take_data_set(result, free, names):
        return
    for size in (1, 2, 3):
        for chosen in combinations(named[:8], size):
            if len(set(zip(names, *(map(repr, item.values) for item in chosen), strict=True))) == len(names) and not (
                    size > 1 and _own_ids(free, names) and not are_crossed(chosen, names)):
                take(result, free, "config", *sorted(chosen, key=_counts_repeats))
                return
    separating = [item for item in candidates if item.is_text and separates(item, names) and not _rates(item)]
    if not is_long and _take_crossed(result, free, candidates, separating, names):
        return
    if is_long:
        _take_document_rows(result, free, documents, key)
        if ("grade" not in result.roles or {"rank", "score"} & result.roles.keys()) and (
                chosen := _separate_documents(result, named, candidates, names)):
            take(result, free, "config", *sorted(chosen, key=_counts_repeats))
        _drop_of_documents(result, free, names)
        return
    _take_likely_config(result, free, named, names)
    if result.repeats and "config" not in result.roles:
        result.separating = tuple(item.path for item in separating)


def _candidates(result: Assignment, free: dict[str, Field], key: Field, names: list[str]) -> list[Field]:
    """Fields that may distinguish the rows of one query, the likeliest first."""
    is_talk = words(result.records.path)[-1:] == ("turn",)  # above it is its conversation
    candidates = [item for item in free.values() if not item.is_list and not item.is_object and item.share > 0.9
                  and len(item.values) == len(names) and item.mean_length < 80
                  and 1 < item.distinct_count <= max(2, min(60, len(names) * _most_values(item, names)))
                  and (not item.is_number or item.path == KEY or _is_setting(item))
                  and not _names_document(item) and not (item.is_number and _is_local(item, key, is_uneven=True))
                  and _NO_CONFIGS.isdisjoint(item.name_words) and not _is_time(item)
                  and not (is_talk and item.path.startswith(KEY))
                  and not (item.path == KEY and are_groups(item, names))]
    candidates.sort(key=lambda item: (not item.path.startswith(KEY), item.path not in _NAMING,
                                      set(item.name_words).isdisjoint(CONFIGS), item.path.count("."),
                                      item.name_words[-1:] in (("id",), ("uuid",)),
                                      item.distinct_count))
    return candidates


def _most_values(item: Field, names: list[str]) -> float:
    """The share of the rows that may have another configuration; a file may end before its second query does."""
    if item.path == KEY or (_is_setting(item) and len(set(names)) == 1):
        return 1
    return 0.75 if _is_setting(item) else 0.5


def _take_crossed(result: Assignment, free: dict[str, Field], candidates: list[Field], separating: list[Field],
                  names: list[str]) -> bool:
    """Take the field, or the two fields, that cross with the queries as the configuration; False where none does."""
    if label := _crossing_label(result, names):
        drop_ratings(result, {label.path})
        result.roles["config"] = label.path
        return True
    crossed = [item for item in separating if crosses(item, names)] + [
        item for item in separating if not result.runs and shares_queries(item, names)]
    chosen = crossed[:1] or _crossing_number(free, names) or _crossing_fields(candidates, free, names) or (
        _crossing_fraction(result, candidates, names))
    if chosen:
        drop_ratings(result, {item.path for item in chosen})
        take(result, free, "config", *sorted(chosen, key=_counts_repeats))
    return bool(chosen)


def separated(result: Assignment) -> list[Assignment]:
    """The reading in which a column that makes repeated queries unique is the configuration: one has to choose."""
    left = [path for path in result.separating if path in result.ignored]
    if not left or result.runs or set(RUN_CONTENT).isdisjoint(result.roles) or not is_half_crossed(result, left[0]):
        return []
    return [replace(result, roles={**result.roles, "config": left[0]}, repeats=0,
                    ignored=[path for path in result.ignored if path != left[0]])]


def _drop_of_documents(result: Assignment, free: dict[str, Field], names: list[str]) -> None:
    """Of documents, what differs within a query is said of the document: a part of its score; of judged ones a judge's
    response and its grade as well.
    """
    configs = [result.fields[path].values for path in result.roles.get("config", "").split("+")
               if path in result.fields]
    ranked = result.fields.get(result.roles.get("score", ""))
    is_made = ranked is not None and is_combined(ranked)  # of the other scores, also where they are all the same
    groups = len(set(zip(names, *configs, strict=False)))
    for role in ("scores", "labels") if "doc_id" in result.roles else ():
        paths = result.roles.pop(role, "").split("+")
        kept = [path for path in paths if path and not (
            path in result.fields and (role == "labels" or set(result.fields[path].name_words) & SCORES)
            and ((is_made and role == "scores") or groups < len(set(zip(
                names, *configs, map(repr, result.fields[path].values), strict=False)))))]
        free |= {path: result.fields[path] for path in paths if path and path not in kept}
        result.roles |= {role: "+".join(kept)} if kept else {}
    if not {"doc_id", "grade"} <= result.roles.keys():
        return
    item = result.fields.get(result.roles.get("answer", ""))
    if item is not None and len({(name, repr(value)) for name, value in zip(names, item.values, strict=False)}) > (
            2 * len(set(names))):
        free[item.path] = item
        del result.roles["answer"]
    score = result.fields.get(result.roles.get("score", ""))
    if score is not None and "rank" not in result.roles and score.distinct_count < 7 and ratings.is_whole(score):
        free[score.path] = score
        del result.roles["score"]


def _answers_differ(result: Assignment, names: list[str]) -> bool:
    """True where each text of a query has an answer of its own: what a system was given, not one of its documents."""
    texts, answers = (result.fields.get(result.roles.get(name, "")) for name in ("contexts", "answer"))
    if texts is None or answers is None or answers.share < _MOST_SHARE or {
            len(texts.values), len(answers.values)} != {len(names)}:
        return False
    with_text, with_answer = (len(set(zip(names, map(repr, item.values), strict=True))) for item in (texts, answers))
    return 4 * with_answer >= 3 * with_text > 3 * len(set(names))


def _repeats_text(result: Assignment, names: list[str]) -> bool:
    """True where every row of a query has the same text: several answers to a question about it, not its documents."""
    texts: dict[str, set[str]] = {}
    for name, text in zip(names, result.fields[result.roles["contexts"]].values, strict=False):
        texts.setdefault(name, set()).add(repr(text))
    return "answer" in result.roles and all(len(values) == 1 for values in texts.values())


def _separate_documents(result: Assignment, named: list[Field], candidates: list[Field],
                        names: list[str]) -> Sequence[Field]:
    """The fewest fields with which each rank, or each document, of a query comes once: a system, or system and trial,
    or a system and a text of another name, such as the level of noise in the query. Not whether a document is right.
    """
    named = [item for item in named if not (item.is_bool and not GOLD.isdisjoint(item.name_words))]
    places = [item for role in ("rank", "doc_id") if (item := result.fields.get(result.roles.get(role, "")))
              and not item.is_list and len(item.values) == len(names)]
    for place, size in product(places, (1, 2, 3)):
        for chosen in combinations(named[:8], size):
            columns = [map(repr, item.values) for item in (place, *chosen)]
            if len(set(zip(names, *columns, strict=True))) == len(names):
                return chosen
    if not named and (not places or len(set(zip(names, map(repr, places[0].values), strict=True))) == len(names)):
        return ()
    for item in (item for item in candidates if places and item.is_text and item not in named and not _rates(item)):
        columns = [map(repr, chosen.values) for chosen in (places[0], *named[:1], item)]
        if len(set(zip(names, *columns, strict=True))) == len(names):
            return *named[:1], item
    return named[:1]


def _take_likely_config(result: Assignment, free: dict[str, Field], named: list[Field], names: list[str]) -> None:
    """The configuration that leaves the fewest repeats, or an id of the case for each repeated question."""
    if named and named[0].path.startswith(KEY):
        take(result, free, "config", named[0])
    elif named and not result.runs and not _own_ids(free, names):
        best = max(named, key=lambda item: len(set(zip(names, map(repr, item.values), strict=True))))
        pairs = len(set(keys := list(zip(map(repr, best.values), names, strict=True))))
        if 3 * pairs > 4 * len(set(names)) and (4 * pairs > 3 * len(names) or times_asked(keys)):
            take(result, free, "config", best)
            result.repeats = len(names) - pairs
            return
    cases = _own_ids(free, names) if "query_id" in result.roles else [item for item in free.values() if (
        meanings.is_query_id(item) and item.share == 1.0 and item.distinct_count == len(names))]
    result.repeats = 0 if cases else len(names) - len(set(names))
    if cases:
        free |= {path: item for path, item in result.fields.items() if path == result.roles.get("query_id")}
        take(result, free, "query_id", cases[0])  # a question that is asked in several cases


def _counted(free: dict[str, Field], names: list[str]) -> list[Field]:
    """Fields with few whole numbers that rate nothing."""
    return [item for item in free.values() if item.is_number and not item.is_list
            and item.share > 0.5 and len(item.values) == len(names) and 1 < item.distinct_count <= _MOST_COUNTED
            and ratings.is_whole(item) and not ratings.is_metric(item)]


def _crossing_number(free: dict[str, Field], names: list[str]) -> list[Field]:
    """A number, such as an edition, that many queries have every value of once; 0 and 1 may be right and wrong."""
    return [item for item in _counted(free, names) if len(set(names)) >= _FEWEST_CROSSED and crosses(item, names)
            and not _rates(item) and not item.is_bool and {as_number(value) for value in item.items} != {0, 1}][:1]


def _crossing_fields(candidates: list[Field], free: dict[str, Field], names: list[str]) -> Sequence[Field]:
    """Two or three fields of which nearly every query has nearly all values together once: a prompt and a condition."""
    counted = [item for item in _counted(free, names) if item not in candidates]
    likely = [item for item in [*candidates, *counted] if not _rates(item) and not item.is_bool][:12]
    return next((chosen for size in (2, 3) for chosen in combinations(likely, size)
                 if any(item.is_text for item in chosen) and are_crossed(chosen, names)), ())


def _crossing_fraction(result: Assignment, candidates: list[Field], names: list[str]) -> Sequence[Field]:
    """What is compared and a number that no name calls a score, such as a ratio: no score comes out so."""
    items = [result.fields.get(path) for path in result.roles.get("scores", "").split("+")]
    numbers = [item for item in items if item is not None and len(item.values) == len(names) and item.distinct_count > 1
               and not item.is_bool and not ratings.is_metric(item)]
    return next((pair for pair in product(filter(_is_setting, candidates), numbers)
                 if len(set(names)) >= _FEWEST_CROSSED and are_crossed(pair, names)), ())


def _crossing_label(result: Assignment, names: list[str]) -> Field | None:
    """Words that every query has once each, such as right_answer and hallucinated_answer: no rating comes out so."""
    items = [result.fields.get(path) for path in result.roles.get("labels", "").split("+")]
    return next((item for item in items if item is not None and len(item.values) == len(names) and len(set(names)) >= (
        _FEWEST_CROSSED) and item.distinct_count > 1 and crosses(item, names)), None)


def _is_hidden_config(item: Field, result: Assignment, free: dict[str, Field], names: list[str]) -> bool:
    """True for a column under a word of logs of which no query has a value twice, and for chatbot_version."""
    return (item.path not in free and not is_inside(item.path, result.roles) and is_noise(item)
            and {".", "[", "{", "+"}.isdisjoint(item.path) and not item.is_list and not item.is_object
            and len(item.values) == len(names) and (
                item.name_words[-1:] == ("version",) or separates(item, names)))


def _rates(item: Field) -> bool:
    """True for labels and documents, which may be complete as well."""
    return ratings.is_label(item) or meanings.is_neutral_documents(item) or not set(item.name_words).isdisjoint(ID)


def _average_places(result: Assignment, keys: Sequence[Field], documents: list[Field]) -> set[int]:
    """The places of rows of averages; one without a key may be called so in any field."""
    count = len(keys[0].values)
    columns = [item.values for item in result.fields.values() if len(item.values) == count]
    known = [[value if value is None else str(value) for item in keys if len(item.values) == count
              for value in item.values[place:place + 1]] for place in range(count)]
    names = [texts if keys[0].values[place] is not None else [column[place] for column in columns]
             for place, texts in enumerate(known)]
    judged = [result.fields[path] for role in RETURNED_OR_JUDGED for path in result.roles.get(role, "").split("+")
            if path in result.fields]
    numbers = [item.values for item in result.fields.values() if item.is_number and not item.is_list
               and len(item.values) == count]
    return average_places(names, [item.values for item in (*documents, *judged)], numbers)


def _take_document_rows(result: Assignment, free: dict[str, Field], documents: list[Field], key: Field) -> None:
    """A row for each returned or judged document."""
    documents = [item for item in documents if not _is_local(item, key)]
    if "contexts" in result.roles:
        result.roles["text"] = result.roles.pop("contexts")
    if documents:
        most = max(item.share for item in documents)
        document = min(documents, key=lambda item: (10 * item.share < 9 * most, _repeats(item, documents, key),
                                                    id_rank(item)))
        take(result, free, "doc_id", document)
        wider = [item for item in documents if item is not document and _repeats(item, documents, key)
                 and _names_document(item)]
        if wider and "source" not in result.roles:
            take(result, free, "source", wider[0])
    elif "relevant" in result.roles and not result.fields[result.roles["relevant"]].is_list:
        return
    elif titles := [item for item in free.values() if item.name_words == ("title",) and "text" in result.roles
                    and item.is_text and not item.is_list and item.share == 1.0 and item.distinct_count > 1]:
        take(result, free, "doc_id", titles[0])
    has_ranks = any(item.name_words[-1:] == ("rank",) for item in free.values())
    for name, role in (("grade", {"final", "consensus", "majority"}),
                       ("grade", GRADES - {"relevancy", "usefulness"} | {"vote", "relevant"}),
                       ("rank", {"rank", "position"}), ("score", {"score", "similarity", "distance"})):
        rated = "+".join(result.roles.get(rating, "") for rating in ("scores", "labels")).split("+")
        values = without_ranks_of_parts([*free.values(), *(result.fields[n] for n in rated if n in result.fields)])
        values.sort(key=lambda item: {"human", "new", "reranked", "final"}.isdisjoint(item.name_words) and not (
            is_combined(item)))
        if name == "score" and "rank" in result.roles and sum("score" in words(path) for path in (*free, *rated)) > 1:
            values = list(filter(is_combined, values))  # not the parts of a score, of which the rank is made
        for item in values:
            if name == "grade" and is_combined(item) and has_ranks:
                continue
            is_value = (item.is_number or item.is_bool or (name == "grade" and item.is_grade)) and (
                name == "grade" or item.share > 0.9)
            if not item.is_list and is_value and role & set(item.name_words) and (
                    item.name_words[0] not in COUNTING and name not in result.roles):
                take(result, free, name, item)
                drop_ratings(result, {item.path})


def _repeats(item: Field, documents: list[Field], key: Field) -> bool:
    """True for ids of documents next to those of their chunks: the same ones come back within a query."""
    keys = list(map(repr, key.values))
    counts = [len(set(zip(keys, map(repr, other.values), strict=True))) for other in (item, *documents)]
    return 20 * counts[0] < 19 * max(counts)


def _is_local(item: Field, key: Field, is_uneven: bool = False) -> bool:
    """True for numbers that begin again with every query, such as [1], [2], [3]; is_uneven: of which most have others.
    """
    groups: dict[str, list[str]] = {}
    for name, value in zip(key.values, item.values, strict=True):
        groups.setdefault(repr(name), []).append(str(value).strip("[]().# "))
    counted = sum(set(values) <= {str(i) for i in range(len(values) + 1)} for values in groups.values())
    sizes = list(map(len, groups.values()))
    if is_uneven and (len(sizes) < 4 or 2 * max(map(sizes.count, sizes)) > len(sizes) or any(
            len(set(values)) < len(values) for values in groups.values())):
        return False
    return len(groups) > 1 and counted > 0.8 * len(groups)
