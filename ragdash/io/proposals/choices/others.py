"""What is said of something else than the system and the query: a judge, a rival, another data set, a setting."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import product

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import Assignment, take
from ragdash.io.proposals.content.ratings import is_of_settings, is_whole
from ragdash.io.proposals.content.spread import is_same_number
from ragdash.io.proposals.fields import HISTORIES, Field, as_number
from ragdash.io.proposals.names import CONFIGS, FUSED, GOLD, ID, METRICS, SCORES, words
from ragdash.io.proposals.records import KEY
from ragdash.io.proposals.shapes.families import RUN, SYSTEMS, ColumnFamily

_JUDGES = {"judge", "grader", "evaluator", "critic", "assessor"}
_RIVALS = {"baseline", "competitor", "opponent", "rival", "distractor"}
_OF_OTHERS = {"answers": _JUDGES | _RIVALS, "evidence": _JUDGES | _RIVALS, "relevant": _JUDGES | _RIVALS,
              "answer": _JUDGES, "retrieved": _JUDGES, "contexts": _JUDGES}
_NO_EVIDENCE = {"answers", "relevant", "contexts", "text", "retrieved"}  # next to what a system found
_OF_RUNS = {"retrieved", "contexts", "scores", "labels", "latency_ms", "config"}
_LATER = {"new", "after", "post", "rerank", "reranked", "hybrid", "fusion", "rrf", "b"}  # of ranks: not of a part
_SIZES = {"overlap", "chunk", "word", "size", "token", "top", "k", "window", "limit", "max", "min", "depth", "count"}
_TALKS = {"conversation", "conv", "session", "dialog", "dialogue", "topic", "thread", "chat"}  # with an id
_TURNS = ID | {"turn", "query", "question", "utterance", "step"}  # words in names of their numbers
_MOST_MARKS, _FEWEST = 6, 3  # different marks; queries
_DATA_SETS = {"dataset", "ds", "corpus", "benchmark", "subset", "collection", "bench"}


def assign_history(result: Assignment, free: dict[str, Field]) -> None:
    """What was said before the question: the first field of such a name with messages."""
    earlier = next((free[name] for name in HISTORIES if name in free and any(
        type(value) is list for value in free[name].values)), None)
    if earlier is not None:
        take(result, free, "chat_history", earlier)


def drop_of_others(result: Assignment, free: dict[str, Field]) -> None:
    """What a judge or a rival of the system wrote is neither right nor the system's."""
    for role, others in _OF_OTHERS.items():
        item = result.fields.get(result.roles.get(role, ""))
        if item is not None and not others.isdisjoint(item.words) and GOLD.isdisjoint(item.name_words):
            del result.roles[role]
            free[item.path] = item


def drop_scripted(result: Assignment, free: dict[str, Field]) -> None:
    """An answer that few test cases have, next to what is expected in them, is what a user says there."""
    answer = result.fields.get(result.roles.get("answer", ""))
    is_scripted = any("expected" in item.words for item in result.fields.values())
    if answer is not None and 2 * answer.share < 1 and is_scripted and _OF_RUNS.isdisjoint(result.roles):
        free[result.roles.pop("answer")] = answer


def ids_by_rank(result: Assignment, free: dict[str, Field], key: Field) -> list[Field]:
    """The one id of each row, whatever it is of, next to a rank that is 1, 2, 3 in the rows of each query."""
    rows = result.records.rows
    ranks = [item for item in free.values() if item.name_words == ("rank",) and item.path in rows[0]]
    places: dict[str, list[str]] = {}
    for row in rows if ranks and key.path in rows[0] else ():
        places.setdefault(str(row[key.path]), []).append(str(row.get(ranks[0].path)))
    if not places or 2 * len(places) > len(rows) or any(
            {*values} != {str(number) for number in range(1, len(values) + 1)} for values in places.values()):
        return []
    ids = [item for item in free.values() if item.name_words[-1:] == ("id",) and item.path in rows[0]
           and item.is_id_like and not item.is_list and item.share == 1.0 and item.distinct_count > 1]
    distinct = [item for item in ids if len({(str(row.get(key.path)), str(row.get(item.path))) for row in rows}) == len(
        rows) > len({str(row.get(item.path)) for row in rows})]
    return distinct if len(distinct) == 1 else []


def take_data_set(result: Assignment, free: dict[str, Field], names: Sequence[str]) -> bool:
    """True where the name of a data set makes the ids of queries distinct, which two of them share: both are the id."""
    key = result.fields.get(result.roles.get("query_id", ""))
    named = [item for item in free.values() if not item.is_list and not item.is_object and item.share == 1.0
             and {*_DATA_SETS} & {*item.name_words} and 1 < item.distinct_count < len(names)
             and len(set(zip(names, map(repr, item.values), strict=False))) == len(names)]
    asked = result.fields.get(result.roles.get("query", ""))
    if asked is not None and asked.distinct_count < len(names):
        return False  # the same questions on two collections, which are configurations
    if key is None or not named or len(named[0].values) != len(names):
        return False
    take(result, free, "query_id", named[0], key)
    return True


def take_set(result: Assignment, free: dict[str, Field]) -> None:
    """The name of a set and the id of a query in it, where two sets of questions have the same ids and no system
    returned anything: {"easy": [{"id": 1, ...}], "hard": [{"id": 1, ...}]}.
    """
    sets = [item for path, item in free.items() if path in (KEY, f"{KEY}.name") and item.distinct_count > 1]
    ids = [item for item in free.values() if item not in sets and meanings.is_query_id(item) and item.share == 1.0]
    if not sets or not ids or "query_id" in result.roles or not _OF_RUNS.isdisjoint(result.roles):
        return
    pairs = set(zip(map(repr, sets[0].values), map(repr, ids[0].values), strict=True))
    if "answer" not in result.roles and ids[0].distinct_count < len(pairs) == len(ids[0].values):
        take(result, free, "query_id", sets[0], ids[0])


def take_turns(result: Assignment, free: dict[str, Field]) -> bool:
    """True where the id of a conversation and the number of a turn in it are the id of a query, as in TREC CAsT."""
    key = result.fields.get(result.roles.get("query_id", ""))
    if "query" not in result.roles or (key is not None and key.distinct_count == len(key.values)):
        return False
    plain = [item for item in (*free.values(), *[key] * (key is not None)) if not item.is_list and not item.is_object
             and item.is_id_like and item.share == 1.0]
    is_talk = words(result.records.path)[-1:] == ("turn",)
    talks = [item for item in plain if _TALKS & {*item.name_words} or (is_talk and item.path.startswith("*.") and (
        ID & {*item.name_words}))]
    turns = [item for item in plain if item not in talks and _TURNS.issuperset(item.name_words)]
    for talk, turn in product(talks, turns):
        pairs = list(zip(map(str, talk.values), map(str, turn.values), strict=False))
        if len(set(pairs)) == len(pairs) > max(talk.distinct_count, turn.distinct_count):
            take(result, free, "query_id", talk, turn)
            return True
    return False


def take_judged(result: Assignment, free: dict[str, Field], names: Sequence[str]) -> bool:
    """True for rows of a query and a plain `id` with a few whole numbers that come again within a query, so that they
    rank nothing, and nothing else: judged documents, as in the JSON of Cranfield. The numbers may rise or fall with
    relevance.
    """
    ids = [item for item in free.values() if item.path.lower() in ("id", "_id") and item.is_id_like
           and not item.is_list]
    marks = [item for item in free.values() if item.is_number and not item.is_list and item.name_words[-1:] in (
        ("position",), ("rank",), ("code",)) and item.distinct_count <= _MOST_MARKS and is_whole(item)]
    if result.roles.keys() != {"query_id"} or len(ids) != 1 or len(marks) != 1 or len(free) > len(ids) + len(marks):
        return False
    pairs = [set(zip(names, map(repr, item.values), strict=True)) for item in (ids[0], marks[0])
             if len(item.values) == len(names)]
    if list(map(len, pairs))[:1] != [len(names)] or 2 * len(pairs[-1]) > len(names) or len(set(names)) < _FEWEST:
        return False
    take(result, free, "relevant", ids[0])
    return True


def drop_settings(result: Assignment, free: dict[str, Field]) -> None:
    """A value that is also in an object of settings, and a whole number above 1 that is the same for all queries of
    each configuration, is a setting, not a score.
    """
    if "scores" not in result.roles:
        return
    names = result.roles.get("config", "").split("+")
    configs = [result.fields[path].values for path in names if path in result.fields]
    keys = [repr(values) for values in zip(*configs, strict=True)]
    given = [(path.rpartition(".")[2], item.values) for path, item in result.fields.items() if is_of_settings(path)]
    paths = result.roles["scores"].split("+")
    settings = [path for path in paths if path in result.fields and (
        (path.rpartition(".")[2], result.fields[path].values) in given or (
            bool(keys) and _is_setting_of(result.fields[path], keys)))]
    for path in settings:
        free[path] = result.fields[path]
    left = [path for path in paths if path not in settings]
    result.roles |= {"scores": "+".join(left)}
    if not left:
        del result.roles["scores"]


def _is_setting_of(item: Field, configs: list[str]) -> bool:
    values: dict[str, set[str]] = {}
    for name, value in zip(configs, item.values, strict=False):
        values.setdefault(name, set()).add(str(value))
    numbers = [as_number(value) for value in item.items]
    return not _SIZES.isdisjoint(item.name_words) and len(configs) >= 5 * len(values) and all(
        len(each) == 1 for each in values.values()) and all(
        number is not None and number.is_integer() and number > 1 for number in numbers)


_TRUTHS = {"truth", "groundtruth", "gt", "gold", "golden"}
_AROUND = {"pre", "post"}  # the text before a table and behind it


def are_parts(family: ColumnFamily, fields: dict[str, Field]) -> bool:
    """True for a family that is no family of configurations: parts of one score, or members of one answer."""
    if all("[]." in stem and set(words(stem.rpartition("[].")[2].replace(RUN, " "))) <= ID for stem in family.members):
        return True  # result[].comp_id and result[].textunit_id: ids of one document
    if all(not _TRUTHS.isdisjoint(words(stem)) for stem in family.members):
        return True  # ground_truth.flat_chunks and ground_truth.nested_chunks
    if _AROUND.issuperset(family.variants) and all("text" in words(stem) for stem in family.members):
        return True
    return _are_parts_of_score(family, fields) or _are_members_of_answer(family, fields) or (
        _rate_one_ranking(family, fields))


def _rate_one_ranking(family: ColumnFamily, fields: dict[str, Field]) -> bool:
    """True for values alone, such as dense_passed and bm25_passed, next to the one ranking that a file has."""
    if not all(words(stem.replace("{run}", " ")) and METRICS | {"top", "at", "k"} >= set(
            words(stem.replace("{run}", " "))) for stem in family.members):
        return False
    if any(SYSTEMS.isdisjoint(words(name)) for name in family.variants) and any(
            meanings.is_answer(item) for item in fields.values()):
        return True  # fact_pass and overall_pass next to the one answer
    taken = {name for names in family.members.values() for name in names.values()}
    return any(name not in taken and item.is_list and not item.is_number and (
        meanings.is_returned_list(item) or meanings.is_returned_documents(item)) for name, item in fields.items())


def _are_parts_of_score(family: ColumnFamily, fields: dict[str, Field]) -> bool:
    """True for bm25_score and dense_score next to a final_score, and in the rows of several methods, which a column
    names: parts of one score.
    """
    if not all(set(words(stem.replace("{run}", " "))) <= SCORES for stem in family.members):
        return False
    if any(is_combined(item) for item in fields.values()):
        return True
    named = [item for item in fields.values() if not item.is_list and not CONFIGS.isdisjoint(item.name_words)
             and 1 < item.distinct_count < 60]
    return any(sum(any(variant.lower() in str(value).lower() for value in set(map(str, item.items)))
                   for variant in family.variants) > 1 for item in named)


def is_combined(item: Field) -> bool:
    """True for final_score and fused_score: made of other scores."""
    return not item.is_list and _is_score_of_parts(item)


def _is_score_of_parts(item: Field) -> bool:
    return item.is_number and not FUSED.isdisjoint(item.name_words) and item.name_words[-1] in SCORES


def without_ranks_of_parts(items: Sequence[Field]) -> list[Field]:
    """The fields but dense_rank and bm25_rank next to the score that is made of both, such as rrf_score."""
    is_fused = any(map(_is_score_of_parts, items))
    return [item for item in items if not (is_fused and item.name_words[-1:] == ("rank",) and (
        not (SYSTEMS - _LATER).isdisjoint(item.name_words)))]


def _are_members_of_answer(family: ColumnFamily, fields: dict[str, Field]) -> bool:
    """True for response.request_id and response.token_usage: parts of one answer, not the answers of two systems."""
    if not all(stem.endswith(f".{RUN}") for stem in family.members):
        return False
    members = [fields[path] for names in family.members.values() for path in names.values() if path in fields]
    return 2 * sum(item.is_long_text or item.is_list for item in members) < len(members)


def settle_found_evidence(result: Assignment) -> list[Assignment]:
    """`evidence` of as many texts for every query, next to answers and nothing right, is what a system found."""
    item = result.fields.get(result.roles.get("evidence", ""))
    if item is None or not item.is_list or not GOLD.isdisjoint(item.words) or not is_same_number(item.values) or (
            "answer" not in result.roles) or not _NO_EVIDENCE.isdisjoint(result.roles):
        return []
    other = replace(result, roles=dict(result.roles), penalty=result.penalty + 0.1)
    result.roles["contexts"] = result.roles.pop("evidence")
    return [other]


def take_single_config(result: Assignment, free: dict[str, Field]) -> None:
    """Take the one configuration of the file, under a name that says nothing else."""
    for item in list(free.values()):
        exact = item.path.lower() in ("config", "configuration", "system", "strategy", "method", "model", "run", "arm",
                                      "retriever")
        if exact and not item.is_list and not item.is_object and item.distinct_count == 1 and item.share == 1.0 and (
                not result.runs):
            take(result, free, "config", item)
            return


def drop_ratings(result: Assignment, paths: Collection[str]) -> None:
    """Read some fields no longer as scores or labels."""
    for rating in ("scores", "labels"):
        left = [path for path in result.roles.pop(rating, "").split("+") if path and path not in paths]
        result.roles |= {rating: "+".join(left)} if left else {}


def with_empty_members(family: ColumnFamily, names: Iterable[str], empty: Collection[str]) -> ColumnFamily:
    """The family with columns that have values for some configurations: score_graph next to an empty score_plain."""
    members = {stem: dict(fields) for stem, fields in family.members.items()}
    for name in names:
        for variant in family.variants:
            stem = name.removesuffix(variant)
            others = {other: f"{stem}{other}" for other in family.variants if f"{stem}{other}" in empty}
            if stem != name and others:
                members[f"{stem}{RUN}"] = {variant: name, **others}
    return ColumnFamily(members)
