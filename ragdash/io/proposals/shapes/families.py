"""Columns or members of several configurations in one record: X_context, retrieved_ids_lexical, answers.bm25."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragdash.io.proposals.names import (
    ANSWER,
    AVERAGES,
    DOCUMENT,
    FUSED,
    GOLD,
    ID,
    LATENCIES,
    METRICS,
    MILLISECONDS,
    NOTES,
    QUESTION,
    RANKS,
    RETURNED,
    ROLE_WORDS,
    SCORES,
    SECONDS,
    SURE_METRICS,
    TEXT,
    words,
)
from ragdash.io.proposals.shapes.languages import LANGUAGES

RUN = "{run}"  # the name of the configuration, in a path
NUMBER = "{n}"  # 1, 2, 3 in columns that are spread
PLAIN = "final"  # the configuration of columns without a suffix, next to columns with one
SYSTEMS = {"hybrid", "dense", "sparse", "bm25", "graph", "vector", "semantic", "lexical", "naive", "baseline",
            "rerank", "reranked", "gpt", "llama", "colbert", "splade", "keyword", "tfidf", "faiss", "hyde", "claude",
            "gemini", "mistral", "qwen", "openai", "rag", "fusion", "rrf", "embedding", "contextual", "raptor",
            "agentic", "graphrag", "multiquery", "norag", "ada", "e5", "bge", "okf", "v1", "v2", "v3", "a", "b", "new",
            "old", "before", "after", "pre", "post", "chatgpt"}
_NO_SYSTEM = ROLE_WORDS | RANKS | {"spec", "short", "long", "cleaned", "extracted", "original", "main", "sub", "n",
    "count", "is", "has", "k", "p", "by", "from", "for", "to", "line", "name", "value", "start", "end", "begin",
    "offset", "char", "character", "span", "benchmark", "image", "author", "owner", "failure", "subtype", "editor",
    "language", "distractor", "distracting", "wrong", "incorrect", "relationship", "subgraph", "both", "either",
    "neither"}
OF_RANKINGS = {"hit", "recall", "precision", "mrr", "ndcg", "rr", "map", "ap", "at", "k", "rank", "reciprocal", "rate",
               *map(str, range(1, 101))}  # words in names of values of a ranking
_CONTENT = {"retrieved", "ranking", "returned", "hit", "top", "label", "verdict", "judgment"} | (
    TEXT | ANSWER | DOCUMENT | SCORES | LATENCIES | METRICS | ID)
_ACTORS = {"agent", "bot", "chatbot", "assistant", "system", "llm", "model", "ai"}  # one next to a known one
_ORACLE = "oracle"  # an answer with the right documents, or the right answer
_AS_IS, _SETTINGS = ("raw", "full"), {"header", "param", "parameter", "metadata"}  # texts that nobody changed; requests
_OF_METRICS = {"metric", "delta", "diff", "difference", "improvement"}  # values of a configuration, or of two
_INCUMBENTS, _CHALLENGERS = {"baseline", "control", "current", "production"}, {"candidate", "treatment", "challenger"}
_OBJECT_IN_LIST = re.compile(r".*\[\]\.(?=.*\{run\})")  # chunks[].period_type is no content of a configuration
_STAGES, _RERANKING = {"before", "after", "pre", "post"}, {"rerank", "reranking", "reranked"}
_MEMBER_NAMES = ID - {"no", "number", "num", "index", "idx", "key"} | {"name", "title", "url"}
COUNTED = re.compile(r"(pipeline|system|model|method|config|variant|arm|retriever|run|strategy|engine)[_ -]?\d+|"
                      r"chunks?[_ -]?(size)?[_ -]?\d{2,4}", re.IGNORECASE)  # pipeline1, pipeline2; chunk_256
_SIZE = 3  # digits of a number that names a configuration, such as the size of its chunks: answers_400
_WITH = re.compile(r"^(with|without|no)[._\s-]+", re.IGNORECASE)  # with_expansion next to no_expansion
_AT_CUTOFF = re.compile(r"[A-Za-z]@\d+")  # p@5: a metric, not a system
_SEPARATOR = re.compile(r"([._\s-]+|::?|[/@|]|(?<=[a-z])(?=[A-Z]))")  # also between answer and B of answerB
_MANY, _MOST_FIELDS, _MOST_OBJECTS, _FEWEST_MEMBERS = 8, 300, 12, 3  # of many configurations some are not known
_DID = {"answer", "response", "retrieved", "token", "cost", "ms"} | LATENCIES  # what a system did


@dataclass(frozen=True)
class ColumnFamily:
    """Fields that differ in the name of a configuration. members: {path with {run}: {configuration: field}}."""

    members: Mapping[str, Mapping[str, str]]

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the configurations."""
        return tuple(dict.fromkeys(name for fields in self.members.values() for name in fields))

    def has_all(self, path: str) -> bool:
        """True for a path that every configuration has, and for one without a configuration in it."""
        return RUN not in path or len(self.members.get(path, ())) == len(self.variants)


def find_family(names: Iterable[str], lists: Collection[str] = (), numbers: Collection[str] = (),
                texts: Collection[str] = ()) -> ColumnFamily | None:
    """The fields of several configurations; None where there are none.

    lists: fields whose values are lists of ids, which count as returned under more names; numbers: those of numbers,
    which say something else of an answer than the answer; texts: those of long texts, of which a known system wrote
    one, whatever it is called: rag_translation, plain_translation.
    """
    names = [name for name in names if not name.endswith("[]") and _SETTINGS.isdisjoint(words(name))]
    if len(names) > _MOST_FIELDS:
        return None
    stems: dict[str, dict[str, str]] = {}
    for name in names:
        for stem, variant in _splits(name):
            stem_words = set(words(stem.replace(RUN, " ")))
            if name not in numbers or "." in stem or ANSWER.isdisjoint(stem_words) or stem_words & SURE_METRICS:
                stems.setdefault(stem, {})[variant] = name
    for stem, fields in _texts_of_systems(texts).items():
        stems.setdefault(stem, fields)
    if sum(_ORACLE in fields for fields in stems.values()) == 1:  # the right answer; what is rated as well is a system
        stems = {stem: {name: field for name, field in fields.items() if name != _ORACLE}
                 for stem, fields in stems.items()}
    stems = {stem: settled for stem, fields in stems.items() if len(settled := _settled(fields)) > 1}
    groups: dict[frozenset[str], list[str]] = {}
    for stem, fields in stems.items():
        groups.setdefault(frozenset(fields), []).append(stem)
    best, best_score = None, (False, 0.0)
    for variants in groups:
        members = {stem: {name: field for name, field in fields.items() if name in variants}
                   for stem, fields in stems.items() if len(variants & fields.keys()) > 1}
        members = _each_once(members)
        if all(_MEMBER_NAMES & {*words(name)[-1:]} and " ".join(words(name)) not in SYSTEMS for name in variants):
            continue  # retrieved_recipe_id and retrieved_dish_name: members of one document
        if _splits_measure(members, variants, numbers) or not (
                _is_plausible(members, variants) or _are_returned_lists(members, lists)):
            continue
        covered = {field for fields in members.values() for field in fields.values()}
        systems = [not SYSTEMS.isdisjoint(words(name)) for name in variants]
        are_known = all(systems) or len(systems) >= _MANY < 2 * sum(systems) or (
            any(systems) and all(f".{RUN}." in stem for stem in members))
        known = are_known and any(not ANSWER.isdisjoint(words(stem.replace(RUN, ""))) for stem in members)
        score = (known, len(covered) - 0.01 * len(members) - 0.0002 * sum(map(len, variants)))
        if score > best_score:
            best, best_score = ColumnFamily(members), score
    if best is None:
        return _sibling_objects(names) or _changed_inputs(names)
    family = _with_plain(_with_single(_with_further(_without_mere_values(best), names), names), names)
    return None if _asks_in_languages(family) else family


def _texts_of_systems(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """{path with {run}: {configuration: field}} of texts of which a known system wrote one."""
    stems: dict[str, dict[str, str]] = {}
    for name in texts:
        for stem, variant in _splits(name, of_content=False):
            if (QUESTION | GOLD | NOTES | METRICS).isdisjoint(words(stem.replace(RUN, " "))):
                stems.setdefault(stem, {})[variant] = name
    return {stem: fields for stem, fields in stems.items() if any(map(is_known_system, fields))}


def _without_mere_values(family: ColumnFamily) -> ColumnFamily:
    """The family without what has one value and nothing that it gave, next to those that gave answers or documents:
    classifier_correct next to plain_answer and plain_correct.
    """
    giving = [fields for stem, fields in family.members.items() if (METRICS | LATENCIES).isdisjoint(
        parts := words(stem.replace(RUN, " "))) and not (ANSWER | TEXT | DOCUMENT).isdisjoint(parts)]
    counts = Counter(name for fields in family.members.values() for name in fields)
    shared = {name for name in counts if counts[name] > 1 or any(name in fields for fields in giving)}
    if not giving or len(shared) < 2:
        return family
    members = {stem: {name: field for name, field in fields.items() if name in shared}
               for stem, fields in family.members.items()}
    return ColumnFamily({stem: fields for stem, fields in members.items() if len(fields) > 1})


def _splits_measure(members: Mapping[str, Mapping[str, str]], variants: Collection[str],
                    numbers: Collection[str]) -> bool:
    """True for graph_coverage and edge_coverage next to as many other metrics: two metrics, no two systems."""
    columns = {name for fields in members.values() for name in fields.values()}
    others = [name for name in numbers if name not in columns and not SURE_METRICS.isdisjoint(words(name))]
    return len(members) == 1 and columns <= {*numbers} and len(others) >= len(columns) and not all(
        map(is_known_system, variants))


def _asks_in_languages(family: ColumnFamily) -> bool:
    """True for a question in several languages, which no system differs in: question_en and question_de."""
    return all(name.lower() in LANGUAGES for name in family.variants) and any(
        words(stem.replace(RUN, " ")) in (("question",), ("query",), ("prompt",)) for stem in family.members)


def is_known_system(variant: str) -> bool:
    """True for a name such as bm25, gpt-4o or pipeline2, which nothing but a system has."""
    return not SYSTEMS.isdisjoint(words(variant)) or any(map(str.isdigit, variant))


def has_times(family: ColumnFamily) -> bool:
    """True where each configuration has a time of its own: classical_time, quantum_time."""
    return any(set(words(stem.replace(RUN, ""))) <= LATENCIES | SECONDS | MILLISECONDS for stem in family.members)


def _settled(fields: dict[str, str]) -> dict[str, str]:
    """{configuration: field} without columns of another kind, and without `model` and `agent` next to nothing known.

    Of correctness_open, correctness_closed, correctness_rationale_open and correctness_rationale_closed the last two
    hold rationales for the same two configurations.
    """
    if not any(not _ACTORS.issuperset(words(variant)) for variant in fields):
        return {}
    if not any(not SYSTEMS.isdisjoint(words(variant)) for variant in fields):
        fields = {variant: name for variant, name in fields.items() if not _ACTORS.issuperset(words(variant))}
    if _INCUMBENTS.isdisjoint(map(str.lower, fields)):
        fields = {variant: name for variant, name in fields.items() if variant.lower() not in _CHALLENGERS}
    crossed: dict[str, list[str]] = {}
    for variant in fields:
        for core in fields:
            if variant != core and variant.endswith((f"_{core}", core[:1].upper() + core[1:])):
                crossed.setdefault(variant[:-len(core)], []).append(variant)
    others = {variant for variants in crossed.values() if len(variants) > 1 for variant in variants}
    others |= {variant for variant in fields for core in fields if variant.startswith(f"{core}.")}  # what is in another
    return {variant: name for variant, name in fields.items() if variant not in others}


def _each_once(members: Mapping[str, Mapping[str, str]]) -> dict[str, Mapping[str, str]]:
    """The members with each field below one path: gpt-5-nano is a configuration, not a `nano` of gpt-5."""
    taken: set[str] = set()
    result = {}
    for stem, fields in sorted(members.items(), key=lambda item: -len(item[1])):
        if taken.isdisjoint(fields.values()):
            result[stem] = fields
            taken |= set(fields.values())
    return {stem: result[stem] for stem in members if stem in result}


def _with_further(family: ColumnFamily, names: Sequence[str]) -> ColumnFamily:
    """The family with columns that every configuration has too, whatever they say: dense_ids next to dense_answer."""
    members, variants = dict(family.members), family.variants
    taken = {field for fields in members.values() for field in fields.values()}
    for name in names:
        for stem, variant in _splits(name, of_content=False):
            fields = {other: stem.replace(RUN, other) for other in variants}
            if variant in variants and taken.isdisjoint(fields.values()) and set(fields.values()) <= set(names):
                members[stem] = fields
                taken |= set(fields.values())
    return ColumnFamily(members)


def _with_single(family: ColumnFamily, names: Sequence[str]) -> ColumnFamily:
    """The family with what one configuration alone was given: rag_context next to rag_answer and llm_answer."""
    members = dict(family.members)
    taken = {field for fields in members.values() for field in fields.values()}
    for name in names:
        for stem, variant in _splits(name) if name not in taken else ():
            rest = words(stem.replace(RUN, " "))
            is_given = not {"context", "source", "chunk", "document", "doc"}.isdisjoint(rest) or (
                stem.startswith(f"{RUN}.") and not SURE_METRICS.isdisjoint(rest))
            if variant in family.variants and stem.startswith(RUN) and stem not in members and is_given:
                members[stem] = {variant: name}
    return ColumnFamily(members)


def _sibling_objects(names: Iterable[str]) -> ColumnFamily | None:
    """Objects next to each other with the same members, of which some say what a system did, whatever they are called:
    {"verbose": {"ms": 12, "tokens": 80, "text": ...}, "concise": {...}}. Members of an evaluator are none.
    """
    members: dict[str, dict[str, set[str]]] = {}
    for name in names:
        parts = name.split(".")
        for place in range(len(parts) - 1):
            if "[]" not in name and _is_variant(parts[place]) and ROLE_WORDS.isdisjoint(words(parts[place])):
                members.setdefault(".".join(parts[:place]), {}).setdefault(parts[place], set()).add(
                    ".".join(parts[place + 1:]))
    for parent, objects in members.items():
        common = set.intersection(*objects.values())
        member_words = {word for name in common for word in words(name)}
        is_alike = all(4 * len(common) >= 3 * len(names) for names in objects.values())
        if 1 < len(objects) < _MOST_OBJECTS and len(common) >= _FEWEST_MEMBERS and is_alike and (
                not _DID.isdisjoint(member_words)):
            prefix = f"{parent}." if parent else ""
            return ColumnFamily({f"{prefix}{RUN}.{name}": {variant: f"{prefix}{variant}.{name}" for variant in objects}
                                 for name in common})
    return None


def _changed_inputs(names: Collection[str]) -> ColumnFamily | None:
    """raw_answer and raw_context_tokens next to the same of `pruned`: answers to a text as it is, and to a changed one.
    """
    for state in _AS_IS:
        rests = [name.removeprefix(state) for name in names if name.startswith(f"{state}_")]
        variants = {name.removesuffix(rests[0]) for name in names if rests and name.endswith(rests[0])} - {state}
        variants = {name for name in variants if _is_variant(name) and all(f"{name}{rest}" in names for rest in rests)}
        parts = [set(words(rest)) for rest in rests]
        is_asked = all(part.isdisjoint(QUESTION) for part in parts)  # once for all
        if variants and is_asked and any(part <= ANSWER for part in parts) and any(
                part.isdisjoint(ANSWER) and part & (TEXT | DOCUMENT | LATENCIES) for part in parts):
            return ColumnFamily({f"{RUN}{rest}": {name: f"{name}{rest}" for name in (state, *sorted(variants))}
                                 for rest in rests})
    return None


def _with_plain(family: ColumnFamily, names: list[str]) -> ColumnFamily:
    """The family with columns of the same name without a suffix: `ids` next to `ids_lexical`."""
    members = {stem: dict(fields) for stem, fields in family.members.items()}
    for stem, fields in members.items():
        plain = re.sub(r"^[._\s:-]+|[._\s:-]+$", "", re.sub(r"[._\s:-]*\{run\}", "", stem))
        if stem.endswith(RUN) and plain in names:
            fields[PLAIN] = plain
    return ColumnFamily(members)


@lru_cache(1 << 14)
def _splits(name: str, *, of_content: bool = True) -> tuple[tuple[str, str], ...]:
    """(path with {run}, configuration) for each way to see a configuration in a name.

    of_content: only where the rest of the name says what a system has, such as an answer or documents.
    """
    return tuple(_each_split(name, of_content))


def _each_split(name: str, of_content: bool) -> Iterator[tuple[str, str]]:
    parts = _SEPARATOR.split(name)
    count = len(parts[::2])
    members = name.split(".")
    for place in range(1, len(members) - 1):  # names of more parts than are looked at below
        content = words(" ".join(members[:place] + members[place + 1:]))
        if len(_SEPARATOR.split(members[place])) > 10 and not _CONTENT.isdisjoint(content):
            yield ".".join([*members[:place], RUN, *members[place + 1:]]), members[place]
    for start in range(min(count, 8)):
        for end in range(start + 1, min(count, start + 5) + 1):
            if end - start == count:
                continue
            before, after = "".join(parts[:2 * start]), "".join(parts[2 * end - 1:])
            variant = _without_capital(before, "".join(parts[2 * start:2 * end - 1]))
            if not _is_variant(variant):
                continue
            if before.endswith("@") or (not after and before.endswith("[].")):
                continue  # a cutoff, and members of objects in a list, are not configurations
            content = words(f"{before} {after}")
            stems = {*content, *(part.rstrip("0123456789") for part in content)}
            is_result = "result" in stems and not SYSTEMS.isdisjoint(words(variant))
            is_content = not _CONTENT.isdisjoint(stems) or (variant in _STAGES and not _RERANKING.isdisjoint(stems))
            is_content = is_content and (not variant.isdecimal() or not (ANSWER | METRICS).isdisjoint(stems))
            is_of_runs = not after and before.lower().endswith("runs.")  # {"runs": {"bm25": ["d7", "d2"], ...}}
            if is_result or is_content or is_of_runs or not of_content:
                yield f"{before}{RUN}{after}", variant


def _is_variant(variant: str) -> bool:
    parts = words(re.sub(r"(?i)multi[ _-]?query", "multiquery", variant))
    stripped = [re.sub(r"\d+$", "", part) if not part[:1].isdigit() else part for part in parts]
    if not parts or "[]" in variant or all(part.isdecimal() and len(part) < _SIZE for part in parts) or (
            _AT_CUTOFF.search(variant) and SYSTEMS.isdisjoint(parts)):
        return False
    if any(_CONTENT.issuperset(words(part)) and SYSTEMS.isdisjoint(words(part)) for part in variant.split(".")[1:]):
        return False  # hybrid.answer: a member of a configuration
    if not (SURE_METRICS | _OF_METRICS | GOLD - {_ORACLE} | QUESTION - {"q"}).isdisjoint(parts):
        return False
    return not {*SYSTEMS, _ORACLE}.isdisjoint(parts) or any(part and part not in _NO_SYSTEM for part in stripped) or (
        len(parts) == 1 and _ACTORS.issuperset(parts)) or bool(COUNTED.fullmatch(variant)) or (
        variant.lower() in _CHALLENGERS)


def _is_plausible(members: Mapping[str, Mapping[str, str]], variants: frozenset[str]) -> bool:
    """True where configurations are the likelier meaning: content of each, or names of known systems."""
    known = any(not SYSTEMS.isdisjoint({*words(name), *(re.sub(r"[\d.]+$", "", part) for part in words(name))})
                for name in variants) or (len(variants) == 2 and len({_WITH.sub("", name) for name in variants}) == 1)
    stems = [set(words(stem.replace(RUN, ""))) for stem in members]
    is_fused = any(not FUSED.isdisjoint(words(name)) for name in variants)
    if all(("[]." in stem or is_fused) and set(words(stem.rpartition("[].")[2].replace(RUN, ""))) <= SCORES | RANKS
           for stem in members):
        return False  # the parts of the score of each document
    if all(set(words(stem.rpartition(".")[2].replace(RUN, ""))) <= SCORES and not _OF_METRICS.isdisjoint(
            words(stem.rpartition(".")[0])) for stem in members):
        return False  # metrics.keyword_score
    if all(stem <= LATENCIES | SECONDS | MILLISECONDS for stem in stems):
        return False  # how long the stages of one configuration took
    if len(stems) > 1 and has_times(ColumnFamily(members)) and all(
            set(fields) == variants for fields in members.values()) and all(
            AVERAGES.isdisjoint(words(name)) for name in variants):
        return True  # what takes a time of its own and is measured by itself is a system: quantum_time
    if known or all(COUNTED.fullmatch(name) for name in variants):
        return True
    if all(stem.startswith(f"answer.{RUN}") for stem in members):
        return False  # parts of one answer
    content = TEXT | {"answer", "response", "output", "completion", "generation"}
    stems = [set(words(_OBJECT_IN_LIST.sub("", stem).replace(RUN, ""))) for stem in members]
    return any(not content.isdisjoint(stem) and SURE_METRICS.isdisjoint(stem) for stem in stems) or any(
        (ID & stem and DOCUMENT & stem) or {"retrieved"} & stem for stem in stems)


def _are_returned_lists(members: Mapping[str, Mapping[str, str]], lists: Collection[str]) -> bool:
    """True for lists such as selected_articles_aegon and selected_articles_asr, whatever the systems are called."""
    stems = {stem: set(words(stem.replace(RUN, " "))) for stem in members}
    return any(bool(names & (RETURNED | {"selected"})) and bool(names & (DOCUMENT | ID)) and names.isdisjoint(GOLD)
               and all(field in lists for field in members[stem].values()) for stem, names in stems.items())


def fields_of(pattern: str, names: Collection[str]) -> dict[str, str]:
    """{configuration: field} for a path with {run}."""
    before, _, after = pattern.partition(RUN)
    result = {}
    for name in names:
        if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
            written = name[len(before):len(name) - len(after)]
            variant = _without_capital(before, written)
            is_word = not before[-1:].isalnum() or written[:1].isupper()  # answers is no answer of s
            if is_word and _is_variant(variant):
                result[variant] = name
    changed = _changed_inputs(list(names)) if len(result) == 1 and not before else None
    return dict(changed.members[pattern]) if changed and pattern in changed.members else _settled(result)


def _without_capital(before: str, variant: str) -> str:
    """The name of a configuration behind another word: open in answerOpen, as in openAnswer; RAG stays."""
    is_behind = before[-1:].islower() and variant[:1].isupper() and not variant[1:2].isupper()
    return variant[:1].lower() + variant[1:] if is_behind else variant
