"""Columns named by a model or a retriever alone: `question, gold, gpt-4o, claude-3`, `{"query", "bm25": [...]}`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message
from ragdash.io.json.exact_parser import NumberText
from ragdash.io.proposals.fields import as_number, is_missing
from ragdash.io.proposals.names import (
    ANSWER,
    COUNTING,
    DOCUMENT,
    GOLD,
    GRADES,
    ID,
    LATENCIES,
    METRICS,
    NOTES,
    QUESTION,
    RANKS,
    SCORES,
    SURE_METRICS,
    TEXT,
    words,
)
from ragdash.io.proposals.shapes.families import RUN, SYSTEMS, ColumnFamily

KEY = "*"
_LONGEST_SETTINGS = 160  # characters of the name of a configuration, such as the path of a model
_SETTINGS = {"config", "configuration", "setting", "param", "parameter", "hyperparameter"}  # objects of them
_BOUNDS = {"threshold", "min", "max", "weight"}  # similarity_threshold is a setting, precision_at_k a mean
_SUFFIX = re.compile(r"[_\s-]*(results?|hits|top[_-]?(?:\d+|k))$", re.IGNORECASE)
_MOST_COLUMNS = 60
_FEWEST = 3  # queries of a pass
_FEWEST_ANSWERS = 5  # else they are the verdicts of a judge
_MODELS = {"mixtral", "gemma", "deepseek", "phi", "falcon", "bard", "palm", "chatgpt", "grok", "cohere", "opus",
           "sonnet", "haiku", "turbo", "flash", "bing", "perplexity", "elastic", "elasticsearch", "bm25f", "lucene",
           "anthropic", "ollama", "studio", "groq", "bedrock",
           "dpr", "contriever", "minilm", "mpnet", "jina", "nomic", "voyage", "rm3", "tct", "ance", "monot5"}
_NAMES = {"system", "retriever", "method", "model", "strategy", "config", "configuration", "pipeline", "variant",
          "approach", "engine", "name", "mode", "technique", "llm"}  # of systems
_NO_SYSTEMS = {"metric", "score", "evaluation", "criteria", "rubric", "check", "message", "turn", "conversation",
               "option", "choice", "step", "trace", "tool", "judge", "hit", "chunk", "document", "doc", "source",
               "context"}
_GIVEN = ANSWER | TEXT | {"retrieved", "returned", "hit", "result", "ranking", "ids", "source", "top"}
_OF_DOCUMENTS = LATENCIES | COUNTING | QUESTION | ID | GOLD | METRICS | {"length", "size", "offset", "start", "end",
                                                                         "token", "cost"}  # numbers that rank nothing
_LONGEST_NAME = 80
_TRIALS = {"trial", "run", "repetition", "attempt", "sample", "rollout", "pass", "repeat", "iteration", "generation"}
_ANSWERS = {("answer",), ("response",), ("output",), ("prediction",), ("generated", "answer"), ("model", "answer"),
            ("model", "response"), ("generation",), ("completion",)}
_ROLES = QUESTION | ANSWER | TEXT | DOCUMENT | ID | METRICS | SCORES | LATENCIES | GOLD | NOTES | {
    "retrieved", "returned"}
_RANK = re.compile(r"[\s_-]+rank$", re.IGNORECASE)
_SIDE = re.compile(r"(.*?[A-Za-z])[_ -]?([abAB12])")  # one of two that are compared
_OPTIONS = {"option", "choice", "opt", "alternative"}  # A to D, of which one is right
_WITHOUT = re.compile(r"^(no|with|without)[\W_]+", re.IGNORECASE)  # No RAG
_NUMBERED = re.compile(r"([A-Za-z_ -]*[A-Za-z])[_ -]?\d")
_WRITERS = {"assistant", "response", "output", "model", "bot", "chatbot", "agent", "llm", "completion", "generation"}
_STAGES = {"before", "after", "old", "new", "baseline", "v1", "v2", "v3"}  # names of lists of documents
_LETTERS = {"a", "b", "new", "old", "before", "after", "pre", "post", "v1", "v2", "v3", "rag", "baseline"}


def rows_by_system(rows: Sequence[dict]) -> list[dict]:
    """A record for each query and system, pass or trial; none where a record has one of them.

    The key above a record, which may be its question, becomes that of the level below.
    """
    if rows and KEY in rows[0]:
        if KEY + KEY in rows[0]:
            return []
        rows = [{KEY + KEY if name == KEY else name: value for name, value in row.items()} for row in rows]
    return (rows_of_sides(rows) or rows_of_systems(rows) or rows_of_passes(rows) or rows_of_listed_systems(rows)
            or rows_of_trials(rows) or rows_of_score_columns(rows) or rows_of_first_ranks(rows))


def rows_of_sides(rows: Sequence[dict]) -> list[dict]:
    """A record for each answer of a comparison of two systems: `model_a, model_b, response_a, response_b`, also where
    they are conversations, and `{"model1": {"model_name", "response"}, "model2": ...}`; none for others.
    """
    stems: dict[str, dict[str, str]] = {}
    for name in (rows[0] if len(rows) >= _FEWEST else ()):
        if matched := _SIDE.fullmatch(str(name)):
            stems.setdefault(matched[1].strip("_- "), {})[matched[2].lower()] = name
    pairs = {stem: tuple(sides.values()) for stem, sides in stems.items() if len(sides) == 2}
    taken = {name for names in pairs.values() for name in names}
    writers = [stem for stem, names in pairs.items() if _names_writers(rows, names)]
    records: list[dict] = []
    seen: set[str] = set()
    for row in rows:
        asked = {name: value for name, value in row.items() if name not in taken and type(value) is str and (
            as_number(value) is None or not ID.isdisjoint(words(name)))}  # a number says which side is better
        for place in (0, 1):
            side = {stem: row.get(names[place]) for stem, names in pairs.items()}
            for stem in [stem for stem in pairs if type(side[stem]) is dict]:
                side |= side.pop(stem)
            for stem in [stem for stem in pairs if type(side.get(stem)) is list and "answer" not in side]:
                side |= _last_exchange(side.pop(stem))
            system = next((name for name, value in side.items() if type(value) is str and len(value) < _LONGEST_NAME
                           and (set(words(name)) <= _NAMES or name in writers)), None)
            if system is None or all(ANSWER.isdisjoint(words(name)) for name in side):
                return []
            record = {KEY: side.pop(system), **asked, **side}
            if (content := repr(record)) not in seen:
                seen.add(content)
                records.append(record)
    return records if len({record[KEY] for record in records}) > 1 else []


def _names_writers(rows: Sequence[dict], names: Sequence[str]) -> bool:
    """True for a short text that is the same in all records and another one on the other side: generator_1."""
    values = [{row.get(name) for row in rows if type(row.get(name)) is str} for name in names]
    return all(len(texts) == 1 for texts in values) and len(set.union(*values)) == len(values)


def _last_exchange(messages: list) -> dict[str, str]:
    """The last question and answer of a conversation; empty for other lists."""
    texts = {"question": last_message(messages, USER_ROLES), "answer": last_message(messages, MODEL_ROLES)}
    return {name: text for name, text in texts.items() if text} if all(texts.values()) else {}


def rows_of_score_columns(rows: Sequence[dict]) -> list[dict]:
    """A record for each query, document and column of numbers, where rows of documents have neither a score nor a
    rank: `qid, docid, bm25, cross_encoder`, also `bm25_rank, dense_rank`; none for others.
    """
    names = {str(name): set(words(str(name))) for name in (rows[0] if len(rows) >= _FEWEST else ())}
    queries = [name for name, parts in names.items() if parts == {"qid"} or (
        not parts.isdisjoint(QUESTION) and parts <= QUESTION | ID)]
    documents = [name for name, parts in names.items() if parts <= DOCUMENT | ID and not parts.isdisjoint(ID)
                 and not parts.isdisjoint(DOCUMENT)]
    pairs = [(str(row.get(queries[0])), str(row.get(documents[0]))) for row in rows] if queries and documents else []
    if 10 * len(set(pairs)) < 9 * len(rows) or 2 * len({query for query, _ in pairs}) > len(rows) or any(
            parts <= SCORES | RANKS for parts in names.values()):
        return []
    ranks = {name for name in names if len(names[name]) > 1 and words(name)[-1:] == ("rank",) and (
        DOCUMENT.isdisjoint(names[name]))}
    if any(not parts.isdisjoint(SCORES | GRADES) for name, parts in names.items() if name not in ranks):
        return []
    kinds = [("rank", sorted(ranks, key=list(names).index))] if len(ranks) > 1 else [
        ("score", [name for name in names if name not in ranks and _scores_documents(rows, name, queries[0])])]
    return [{KEY: _RANK.sub("", name) if kind == "rank" else name,
             **{other: value for other, value in row.items() if other not in columns}, kind: row[name]}
            for kind, columns in kinds for name in columns for row in rows if not is_missing(row.get(name))]


def rows_of_first_ranks(rows: Sequence[dict]) -> list[dict]:
    """A record for each query and system of `question, bm25_rank, dense_rank`: where the first relevant document is."""
    asked = [name for name in (rows[0] if len(rows) >= _FEWEST else ()) if not QUESTION.isdisjoint(words(str(name)))]
    ranks = {name: _RANK.sub("", str(name)) for name in (rows[0] if asked else ()) if _RANK.search(str(name))}
    questions = {str(row.get(asked[0])) for row in rows} if asked else set()
    if len(ranks) < 2 or len(questions) < len(rows) or not all(
            _is_system(system) and not _LETTERS.issuperset(words(system)) for system in ranks.values()):
        return []
    further = _further_columns(ranks.values(), rows[0], ranks)
    return [{KEY: system, **_of_system(row, system, ranks, further), "first relevant rank": row.get(name)}
            for name, system in ranks.items() for row in rows]


def _scores_documents(rows: Sequence[dict], name: str, query: str) -> bool:
    """True for fractions that differ within a query, and for numbers under the name of a system."""
    parts = set(words(name))
    values = [as_number(row.get(name)) for row in rows if not is_missing(row.get(name))]
    known = [value for value in values if value is not None]
    if 2 * len(known) < len(rows) or len(known) < len(values) or not parts.isdisjoint(_OF_DOCUMENTS):
        return False
    is_fraction = any(value != int(value) for value in known)
    firsts: dict[str, object] = {}
    differs = any(firsts.setdefault(str(row.get(query)), row.get(name)) != row.get(name) for row in rows)
    return differs and (is_fraction or _is_system(name))


def rows_of_listed_systems(rows: Sequence[dict]) -> list[dict]:
    """A record for each query and system, where every record has a list with the same systems and what each of them
    gave: "runs": [{"system": "bm25", "retrieved_ids": [...]}, {"system": "dense", ...}]; none for others.
    """
    for name in (rows[0] if len(rows) >= _FEWEST else ()):
        lists = [row.get(name) for row in rows]
        if not _NO_SYSTEMS.isdisjoint(words(str(name))) or not all(type(items) is list and len(items) > 1 and all(
                type(item) is dict for item in items) for items in lists):
            continue
        first = lists[0][0]
        gives = any(not _GIVEN.isdisjoint(words(str(member))) and type(value) in (str, list)
                    for member, value in first.items())
        for member in (member for member in first if gives and not _NAMES.isdisjoint(words(str(member)))):
            named = [[item.get(member) for item in items] for items in lists]
            if all(type(system) is str and len(system) < _LONGEST_NAME for system in named[0]) and len(
                    set(named[0])) == len(named[0]) and all(sorted(map(str, systems)) == sorted(named[0])
                                                            for systems in named):
                return [{KEY: item[member], **{other: value for other, value in row.items() if other != name}, **{
                    other: value for other, value in item.items() if other != member}}
                    for row, items in zip(rows, lists, strict=True) for item in items]
    return []


def rows_of_systems(rows: Sequence[dict]) -> list[dict]:
    """A record for each query and system; none where fewer than two columns are named by a system alone."""
    if len(rows) < 2 or len(rows[0]) > _MOST_COLUMNS:
        return []
    names = _with_suffix(rows) or [name for name in rows[0] if _is_system(str(name))] or (
        _numbered(rows[0]) or _alike_hits(rows))
    content = {name: _content(row.get(name) for row in rows) for name in names}
    kinds = {kind for kind in content.values() if kind}
    systems = [name for name in names if content[name]]
    if len(systems) < 2 or len(kinds) != 1 or (all(
            len(words(str(name))) == 1 and _LETTERS.issuperset(words(str(name))) for name in systems) and not (
            kinds == {"retrieved"} and all(_STAGES.issuperset(words(str(name))) for name in systems))):
        return []
    kind = kinds.pop()
    if kind == "retrieved" and _are_parts_of_list(rows, systems):
        return []
    systems_of = {name: _SUFFIX.sub("", str(name)) for name in systems}
    further = _further_columns(systems_of.values(), rows[0], systems)
    others = {rest for columns in further.values() for rest in columns}
    if kind in rows[0] or (all(further.values()) and (kind != "answer" or any(
            not _GIVEN.isdisjoint(words(rest)) for rest in others))):
        return []
    return [{KEY: system, **_of_system(row, system, systems, further), kind: row[name]}
            for name, system in systems_of.items() for row in rows if row.get(name) is not None]


def _are_parts_of_list(rows: Sequence[dict], names: Sequence[str]) -> bool:
    """True for keywords_found and keywords_missing: lists of texts with a word in common in their names, and no text in
    common in any record. Two systems return the same document for some query.
    """
    common = set.intersection(*(set(words(str(name))) for name in names))
    are_texts = all(type(item) is str for row in rows for name in names for item in row.get(name) or ())
    return bool(common) and are_texts and len(rows) >= _FEWEST and not any(
        set(map(repr, row.get(one) or ())) & set(map(repr, row.get(other) or ()))
        for row in rows for one, other in itertools.combinations(names, 2))


def rows_of_passes(rows: Sequence[dict]) -> list[dict]:
    """A record for each query and pass, where all queries come again in the same order with other answers and nothing
    says which pass a row is of; none for other rows.
    """
    names = [name for name in rows[0] if {"question", "query", "prompt"} & {*words(str(name))}] if rows else []
    names = [name for name in names if all(type(row.get(name)) is str and " " in row[name] for row in rows)]
    asked = [row[names[0]] for row in rows] if names else []
    count = len(set(asked))
    if count < _FEWEST or len(asked) < 2 * count or any(
            text != asked[place % count] for place, text in enumerate(asked)):
        return []
    fields = {name: [repr(row.get(name)) for row in rows] for name in rows[0]}
    varied = [name for name, values in fields.items() if any(
        value != values[place % count] for place, value in enumerate(values))]
    if any(len(set(fields[name])) <= -(-len(rows) // count) for name in varied):
        return []  # a column says which pass it is
    return [{KEY: f"pass {place // count + 1}", **row} for place, row in enumerate(rows)] if any(
        not ANSWER.isdisjoint(words(str(name))) for name in varied) else []


def rows_of_trials(rows: Sequence[dict]) -> list[dict]:
    """A record for each query and trial, where every record has a list of trials with an answer each; none for others.
    """
    for name in (rows[0] if len(rows) >= _FEWEST else ()):
        lists = [row.get(name) for row in rows]
        if _TRIALS.isdisjoint(words(str(name))) or not all(
                type(items) is list and items and all(type(item) is dict for item in items) for items in lists):
            continue
        members = set().union(*(item for items in lists for item in items))
        answers = [member for member in members if words(str(member)) in _ANSWERS]
        several = sum(len(items) > 1 for items in lists)
        texts = {str(item.get(name)) for items in lists for item in items for name in answers}
        is_answered = len(answers) == 1 and len(texts) > _FEWEST_ANSWERS and all(
            type(item.get(answers[0], "")) is str for items in lists for item in items)
        if is_answered and 2 * several > len(rows) and members.isdisjoint(rows[0]):
            kind = words(str(name))[-1]
            return [{KEY: f"{kind} {number}", **{other: value for other, value in row.items() if other != name}, **item}
                    for row, items in zip(rows, lists, strict=True) for number, item in enumerate(items, 1)]
    return []


def _further_columns(systems: Iterable[str], names: Iterable[str], known: Collection[str]) -> dict[str, dict[str, str]]:
    """{system: {the rest of the name: its other column}}, such as dense_top_k next to dense."""
    result: dict[str, dict[str, str]] = {system: {} for system in systems}
    for name in (str(name) for name in names if name not in known):
        matches = {system: match[1] for system in result if (match := re.match(
            rf"{re.escape(system)}[\W_]+(.+)", name) or re.fullmatch(rf"(.+?)[\W_]+{re.escape(system)}", name))}
        if matches:
            system = max(matches, key=len)  # gpt-4-turbo rather than gpt-4
            result[system][matches[system]] = name
    return result


def _of_system(row: dict, system: str, known: Collection[str], further: Mapping[str, Mapping[str, str]]) -> dict:
    """A record without the columns of other systems; those of its own have the rest of their names."""
    rest_of_name = {column: rest for rest, column in further[system].items()}
    taken = {*known, *(column for columns in further.values() for column in columns.values())}
    return {rest_of_name.get(name, name): value for name, value in row.items()
            if name in rest_of_name or name not in taken}


def _numbered(names: Iterable[str]) -> list[str]:
    """The columns of the answers of several assistants: assistant_1, assistant_2."""
    groups: dict[str, list[str]] = {}
    for name in names:
        if (matched := _NUMBERED.fullmatch(str(name))) and _WRITERS.issuperset(words(matched[1])):
            groups.setdefault(matched[1], []).append(name)
    return next((columns for columns in groups.values() if len(columns) > 1), [])


def _alike_hits(rows: Sequence[dict]) -> list[str]:
    """Lists of hits with the same members and a word in common: fused_on, fused_off."""
    members = {name: {frozenset(map(str, hit)) for row in rows for hit in row[name]} for name, value in rows[0].items()
               if value and all(type(row.get(name)) is list and all(type(hit) is dict for hit in row[name])
                                for row in rows)}
    ranked = [name for name, keys in members.items() if len(keys) == 1 and not (SCORES | RANKS).isdisjoint(
        part for key in next(iter(keys)) for part in words(key)) and (
        _ROLES | {"reranked", "candidate"}).isdisjoint(words(str(name)))]
    is_alike = len({frozenset(members[name]) for name in ranked}) == 1 < len(ranked) and bool(
        set.intersection(*(set(words(str(name))) for name in ranked)))
    return ranked if is_alike else []


def _with_suffix(rows: Sequence[dict]) -> list[str]:
    """All lists of results where one is of a known system: bm25_results, vector_results, fused_results."""
    lists = [name for name in rows[0] if type(rows[0][name]) is list and _SUFFIX.search(str(name))]
    known = [name for name in lists if _is_system(_SUFFIX.sub("", str(name)))]
    return lists if known and len(lists) > 1 else []


def _is_system(name: str) -> bool:
    names = words(_WITHOUT.sub("", name))
    parts = {re.sub(r"[\d.]+$", "", part) or part for part in names} | set(names) | {
        "".join(pair) for pair in itertools.pairwise(names)}  # OpenAI
    return bool(parts & (SYSTEMS | _MODELS)) and parts.isdisjoint(_ROLES | _OPTIONS)


def _content(values: Iterator) -> str:
    """answer for texts, retrieved for lists; "" for numbers, labels and nothing."""
    present = [value for value in values if value is not None and value != ""]
    if present and all(type(value) is list for value in present):
        return "retrieved"
    if len(present) > _FEWEST and all(type(value) in (int, float, NumberText) and 0 <= float(value) <= 1
                                      for value in present):
        return "score"
    if not present or not all(type(value) is str for value in present):
        return ""
    blanks, others = sum(" " in value.strip() for value in present), len(set(present))
    if (2 * blanks > len(present) and 2 * others > len(present)) or (
            4 * blanks > len(present) and 3 * others > len(present) and others > 4):
        return "answer"
    return ""


def are_verdicts_on_systems(family: ColumnFamily) -> bool:
    """True for baseline_correct and reranked_correct next to other values of both, which are two known systems."""
    are_known = all(not SYSTEMS.isdisjoint(words(name)) for name in family.variants)
    are_crossed = len(family.members) > 1 and all(len(fields) == len(family.variants)
                                                  for fields in family.members.values())
    return are_known and are_crossed and any(words(stem.replace(RUN, " ")) == ("correct",) for stem in family.members)


def names_of_lists(rows: Sequence[Mapping]) -> list[dict[str, object]]:
    """What the records that each hold a list are called: their texts and numbers, and their objects of settings, of
    which the settings that differ are one text. Means of metrics are no names.
    """
    names = [{f"{KEY}.{name}": value for name, value in row.items() if type(value) in (str, int, NumberText)
              and len(str(value)) < _LONGEST_SETTINGS and not _is_mean(str(name), value)} for row in rows]
    for name in (name for name in rows[0] if words(str(name))[-1:] and words(str(name))[-1] in _SETTINGS):
        objects = [row.get(name) for row in rows]
        if len(rows) > 1 and all(isinstance(settings, Mapping) for settings in objects):
            differing = [key for key in objects[0] if len({str(settings.get(key)) for settings in objects}) > 1]
            for settings, row_names in zip(objects, names, strict=True):
                text = ", ".join(f"{key}={settings.get(key)}" for key in differing)
                row_names |= {f"{KEY}.{name}": text} if 0 < len(text) < _LONGEST_SETTINGS else {}
    return names


def _is_mean(name: str, value: object) -> bool:
    """True for a fraction under the name of a metric."""
    return not SURE_METRICS.isdisjoint(words(name)) and _BOUNDS.isdisjoint(words(name)) and (
        isinstance(value, NumberText) and "." in value)
