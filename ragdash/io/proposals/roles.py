"""Give the fields of a list of records their meanings: the mapping of a reading, and how much it explains."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from ragdash.io.field_names import normalize_name
from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import Assignment, is_inside, take
from ragdash.io.proposals.choices.answers import (
    agreeing_values,
    answer_next_to_documents,
    assign_task,
    code_answers,
    gathered_answers,
    is_expected_text,
    is_right_one,
    less_sure_answers,
    marks_of_agreement,
    predicted_class,
    settle_answer_of_question,
    settle_prediction,
    settle_right_answers,
    settle_single_text,
    settle_two_answers,
    short_names,
    spans_of_answers,
    text_of_answer,
    without_gap_fillers,
    without_written_queries,
    written_in_several_ways,
)
from ragdash.io.proposals.choices.documents import (
    assign_returned,
    drop_unlike_ids,
    settle_units,
    shares_ids,
)
from ragdash.io.proposals.choices.durations import assign_times, settle_times, settle_units_of_times
from ragdash.io.proposals.choices.graded_texts import (
    settle_graded_texts,
    settle_judged,
    settle_judged_texts,
    settle_raters,
    settle_relevant_texts,
    settle_whole_scores,
)
from ragdash.io.proposals.choices.others import (
    are_parts,
    assign_history,
    drop_of_others,
    drop_scripted,
    drop_settings,
    settle_found_evidence,
    with_empty_members,
)
from ragdash.io.proposals.choices.pages import settle_numbered_chunks, settle_pages
from ragdash.io.proposals.choices.queries import assign_query, settle_origin
from ragdash.io.proposals.choices.right_documents import (
    assign_relevant,
    gold_lists,
    settle_found_document,
    settle_gold_sets,
    settle_overlapping,
    settle_quoted_documents,
    settle_shared_document,
    take_whole_list,
)
from ragdash.io.proposals.choices.row_keys import assign_rows, separated
from ragdash.io.proposals.choices.settle import (
    is_of_system,
    settle_answer,
    settle_contexts,
    settle_leftover_text,
    settle_lists,
    settle_neutral_documents,
    settle_paragraph,
    settle_same_answers,
    settle_single_documents,
)
from ragdash.io.proposals.choices.weak_names import (
    settle_expected,
    settle_expected_classes,
    settle_hits_of_data_set,
    settle_lists_of_words,
    settle_measured_lists,
    settle_part_of_answer,
    settle_rows_of_documents,
    settle_sources,
    settle_texts_below_ids,
)
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.content.first_ranks import is_first_rank
from ragdash.io.proposals.content.places import without_places
from ragdash.io.proposals.content.spread import with_spread_columns
from ragdash.io.proposals.content.usage import usage_fields
from ragdash.io.proposals.fields import Field, leaves, profile
from ragdash.io.proposals.meanings.actual_values import with_right_values
from ragdash.io.proposals.names import (
    ANSWER,
    GOLD,
    ID,
    RETURNED,
    WEAK_GOLD,
    words,
)
from ragdash.io.proposals.records import KEY, RecordList
from ragdash.io.proposals.shapes.answers_in_parts import is_in_parts
from ragdash.io.proposals.shapes.families import (
    NUMBER,
    PLAIN,
    SYSTEMS,
    ColumnFamily,
    find_family,
)
from ragdash.io.proposals.shapes.ranked_lists import with_returned_lists
from ragdash.io.proposals.shapes.traces.logs import is_noise

_DEEPEVAL = {"actualoutput", "expectedoutput", "retrievalcontext"}
_EARLY = {"raw", "initial", "draft", "intermediate", "previous", "old", "closed"}  # replaced answers
_RIGHT_TEXTS = (("target", "text"), ("expected", "text"), ("correct", "text"), ("reference", "text"),
                ("text", "reference"))  # short ones are answers, not evidence
_VARIED = 0.5  # share of different texts
_CITING = {"cited", "citation"}  # what an answer quotes is of the system


def assign(records: RecordList, without: str = "") -> list[Assignment]:
    """The plausible readings of a list of records, the likeliest first; without a field and what is in it."""
    every_field = profile(records.rows)
    fields = {name: item for name, item in every_field.items() if not without or not _is_in(name, without)}
    fields = {name: item for name, item in fields.items() if name and (item.present or (
        f"{name}[]" not in fields and meanings.is_context(item)))}
    fields, family = _with_families(with_right_values(with_returned_lists(fields)), every_field.keys() - fields.keys())
    result = Assignment(records, fields, runs=family.variants if family else ())
    free = {name: item for name, item in without_places(fields).items() if not is_noise(item)} or dict(fields)
    assign_history(result, free)
    assign_query(result, free)
    assign_task(result, free)
    _assign_truth(result, free)
    if parts := [item for item in free.values() if is_in_parts(item.path) and GOLD.isdisjoint(item.words)]:
        take(result, free, "answer", parts[0])
    elif named := text_of_answer(result, free):
        take(result, free, "answer", named)
    assign_returned(result, free, family)
    _assign_values(result, free, family)
    settle_right_answers(result)
    assign_rows(result, free)
    alternatives = cited = _drop_cited(result, free)
    drop_scripted(result, free)
    settle_judged_texts(result)
    alternatives = alternatives + settle_sources(result) + settle_overlapping(result, free)
    alternatives += settle_single_text(result) + settle_found_evidence(result)
    alternatives += settle_paragraph(result, free) or settle_graded_texts(result, free) or settle_contexts(result)
    settle_origin(result, free)
    alternatives += settle_neutral_documents(result, free) + settle_lists(result) + settle_raters(result, family)
    alternatives += settle_shared_document(result, free)
    settle_found_document(result)
    alternatives += settle_single_documents(result, free) + settle_units(result) + settle_answer(result, free)
    alternatives += settle_same_answers(result) + settle_leftover_text(result, free) + settle_prediction(result, free)
    alternatives += settle_part_of_answer(result) + settle_hits_of_data_set(result) + settle_lists_of_words(result)
    alternatives += settle_rows_of_documents(result)
    alternatives += settle_texts_below_ids(result) + settle_relevant_texts(result) + settle_measured_lists(result)
    alternatives += settle_expected(result) + settle_answer_of_question(result)
    alternatives += settle_two_answers(result, family) + settle_gold_sets(result)
    if family:
        _add_plain(result, free, family)
    for item in (result, *alternatives):
        drop_unlike_ids(item, free)
    drop_of_others(result, free)
    drop_settings(result, free)
    settle_times(result)
    timed = [other for item in (result, *alternatives) for other in settle_units_of_times(item)]
    alternatives += settle_pages(result) + timed
    alternatives += [other for item in (result, *alternatives) for other in settle_numbered_chunks(item)]
    take_whole_list(result, free)
    alternatives += [other for item in (result, *alternatives) for other in settle_quoted_documents(item)]
    alternatives += settle_whole_scores(result) + settle_expected_classes(result)
    alternatives += settle_judged(result, free)
    for item in cited:
        item.penalty = max(item.weight - result.weight, 0) + 0.1
    for item in (result, *alternatives):
        item.ignored = [name for name in free if not name.startswith(KEY) and not is_inside(name, item.roles)]
    return [item for item in (*separated(result), result, *alternatives) if item.is_useful]


def _is_in(name: str, path: str) -> bool:
    return name == path or name.startswith((f"{path}[]", f"{path}."))


def _drop_cited(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """What an answer cites, or its evidence if none of it was retrieved, is of the system, not what is right.

    Where nothing was retrieved the other reading is plausible as well.
    """
    quoted = result.fields.get(result.roles.get("evidence", ""))
    if quoted is not None and "answer" in result.roles and not _CITING.isdisjoint(quoted.words) and (
            GOLD - {"cited"}).isdisjoint(quoted.words):
        free[result.roles.pop("evidence")] = quoted
    cited = result.fields.get(result.roles.get("relevant", ""))
    is_returned = "retrieved" in result.roles
    if cited is None or ("answer" not in result.roles and not (is_returned and _is_among_returned(result, cited))):
        return []
    is_measured = is_of_system(result)
    is_system = is_returned or is_measured or result.roles["answer"].lower() != "answer"  # of a data set as well
    is_cited = ("cited" in cited.name_words and is_system) or (is_returned and "evidence" in cited.words and (
        "answers" not in result.roles and not shares_ids(result, cited)))
    if not is_cited or not (GOLD - {"cited"}).isdisjoint(cited.words):
        return []
    other = replace(result, roles=dict(result.roles))
    del result.roles["relevant"]
    free[cited.path] = cited
    return [] if is_returned or is_measured else [other]


def _is_among_returned(result: Assignment, cited: Field) -> bool:
    """True for ids of which each was returned for its query: only a system knows them."""
    returned = result.fields.get(result.roles["retrieved"])
    return returned is not None and len(returned.values) == len(cited.values) and all(
        set(map(str, leaves(ids))) <= set(map(str, leaves(docs)))
        for ids, docs in zip(cited.values, returned.values, strict=True))


def _add_plain(result: Assignment, free: dict[str, Field], family: ColumnFamily) -> None:
    """Add the columns without a suffix to the paths with {run}."""
    for role, path in result.roles.items():
        plain = family.members.get(path, {}).get(PLAIN)
        if plain:
            result.roles[role] = f"{path}+{plain}"
            free.pop(plain, None)


def _with_families(fields: dict[str, Field], empty: Collection[str] = ()) -> tuple[
        dict[str, Field], ColumnFamily | None]:
    """The fields with those of several configurations, and spread ones, under one path each."""
    fields = with_spread_columns(fields)
    parents = {name.rpartition(".")[0] for name in fields}
    family = find_family((name for name, item in fields.items() if NUMBER not in name and name not in parents
                          and not _is_setting(item) and not (item.is_bool and item.name_words[:1] == ("answer",))),
                         {name for name, item in fields.items() if item.is_list and item.is_id_like},
                         {name for name, item in fields.items() if item.is_number and not item.is_list},
                         {name for name, item in fields.items() if item.is_long_text and not item.is_list
                          and item.distinct_share > _VARIED and "[]" not in name})
    if family is None or are_parts(family, fields):
        return fields, None
    family = with_empty_members(family, fields, empty)
    taken = {name for members in family.members.values() for name in members.values()}
    joined = {name: item for name, item in fields.items() if name not in taken}
    for pattern, columns in family.members.items():
        values = [value for column in columns.values() if column in fields for value in fields[column].values]
        plain = pattern.replace("{run}", " ")
        joined[pattern] = _Named(pattern, tuple(values), plain)
    return joined, family


def _is_setting(item: Field) -> bool:
    """True for similarity_top_k_dense: how many are asked for, the same in all records."""
    return item.is_number and not item.is_list and item.distinct_count < 2 and (
        {"top", "k"} <= set(item.words) or "topk" in item.words)


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
        """The words without the configuration; next to it in the last member those of this member."""
        last = self.path.rpartition(".")[2]
        return (words(last.replace("{run}", " ")) if "{run}" in last else ()) or words(self.plain)


def _assign_truth(result: Assignment, free: dict[str, Field]) -> None:
    lists = gold_lists(free)
    references = [item for item in free.values() if meanings.is_reference(item) and item not in lists]
    references.sort(key=lambda item: (not {"claim", "variant", "oracle"}.isdisjoint(item.name_words),
                                      item.path.count("."), "answer" not in item.words, len(item.path)))
    if references := references or less_sure_answers(result, free):
        take(result, free, "answers", *[item for item in references if item is references[0] or (
            "variant" in item.name_words)])
    elif several := written_in_several_ways(free):
        take(result, free, "answers", *several)
    else:
        expected = [item for item in free.values() if is_expected_text(item) or (
            item.name_words in _RIGHT_TEXTS and item.is_text and not item.is_list and item.mean_length < 80)]
        if expected:
            take(result, free, "answers", max(expected, key=lambda item: item.share))
    deepeval = _DEEPEVAL & {normalize_name(name) for name in result.fields}
    objects = [item for item in free.values() if meanings.is_evidence(item) or (deepeval and item.path == "context")]
    objects = objects or spans_of_answers(result, free)
    if objects:
        objects.sort(key=lambda item: (item.share < 0.5, item.path.count("."), not item.is_list,
                                       "page" in item.name_words, -item.mean_length))
        take(result, free, "evidence", objects[0])
    assign_relevant(result, free, lists)


def _assign_values(result: Assignment, free: dict[str, Field], family: ColumnFamily | None) -> None:
    _assign_answer_objects(result, free)
    nouns = ANSWER & set(words(result.roles.get("answers", "")))  # "Gold answers" go with "Model answer"
    answers = sorted((item for item in free.values() if meanings.is_answer(item)),
                     key=lambda item: (_answer_rank(item)[:3], "{run}" not in item.path, bool(nouns) and (
                         nouns.isdisjoint(item.name_words)), _answer_rank(item)))
    answers = answers or answer_next_to_documents(result, free) or short_names(result, free)
    answers = answers or predicted_class(result, free) or agreeing_values(result, free)
    if not _several_answers(free):
        answers = answers or code_answers(result, free)
    answers = without_written_queries(without_gap_fillers(answers, result, free), result, free)
    if answers and "answer" not in result.roles:
        take(result, free, "answer", answers[0])
        plain = [item for item in answers[1:] if RETURNED.isdisjoint(set(item.words) - {"response", "output"})
                 and item.path.rpartition(".")[0] in ("", answers[0].path.rpartition(".")[0])
                 and "{run}" not in item.path and SYSTEMS.isdisjoint(item.words)]  # baseline_answer: of another system
        is_predicted = not RETURNED.isdisjoint(set(answers[0].words) - {"response", "output", "result"})
        _settle_gold_text(result, answers[0])
        plain = plain if is_predicted else [item for item in plain if is_right_one(item, answers[0], result)]
        if plain and "answers" not in result.roles:
            take(result, free, "answers", plain[0])
    if (several := _several_answers(free)) and "answers" not in result.roles:
        take(result, free, "answers", several[0])
    has_runs = any("{run}" in path for path in result.roles.values())
    assign_times(result, free, has_runs)
    for role, item in usage_fields(item for item in free.values() if "{run}" in item.path or not has_runs).items():
        take(result, free, role, item)
    metrics = [item for item in free.values() if ratings.is_metric(item)]
    if not any({"reciprocal", "rr", "mrr"} & set(item.words) for item in metrics):
        metrics += [item for item in free.values() if is_first_rank(item)][:1]
    texts = result.fields.get(result.roles.get("contexts", ""))
    is_returned = not {"answer", "retrieved"}.isdisjoint(result.roles) or (
        texts is not None and not RETURNED.isdisjoint(texts.words))
    if is_returned or any("{run}" in item.path for item in metrics):
        metrics += [item for item in free.values() if item not in metrics and ratings.is_unnamed_metric(item)
                    and (is_returned or "{run}" in item.path)]
    metrics += ratings.rate_alike(free.values(), metrics)
    metrics = [item for item in ratings.without_copies(metrics) if not _rates_others(item, answers)]
    if result.runs and (has_runs or any("{run}" in item.path for item in metrics)):
        has_plain = any(PLAIN in members for members in (family.members if family else {}).values())
        metrics = [item for item in metrics if "{run}" in item.path or has_plain]
    metrics += [item for item in marks_of_agreement(result, free) if item not in metrics]
    if metrics:
        take(result, free, "scores", *metrics)
    labels = [item for item in free.values() if ("{run}" in item.path or not has_runs) and (
        ratings.is_label(item) or (is_returned and ratings.is_unnamed_label(item)))]
    if labels:
        take(result, free, "labels", *labels)


def _several_answers(free: dict[str, Field]) -> list[Field]:
    """Lists of right answers to a question."""
    return [item for item in free.values() if item.path.lower() in (
        "ans", "answer", "answers", "answers.text", "answer_{n}") and (
            item.is_list and item.is_text and not item.is_object)] or gathered_answers(free)


def _rates_others(item: Field, answers: list[Field]) -> bool:
    """True for closed_book_judge.accuracy next to closed_book_answer: of an answer that is not read."""
    chosen = set(answers[0].words) if answers else set()
    kinds = ANSWER | RETURNED | ID
    prefixes = [set(other.words) - kinds - chosen for other in answers[1:] if "{run}" not in other.path]
    return any(len(prefix) > 1 and prefix <= set(item.words) for prefix in prefixes)


def _settle_gold_text(result: Assignment, answer: Field) -> None:
    """`gold.text` next to `answer.text`, and golden_text next to generated_text, is the right answer, not evidence."""
    parent, _, name = result.roles.get("evidence", "").rpartition(".")
    named, written = words(result.roles.get("evidence", "")), words(answer.path)
    is_alike = len(named) == 2 and named[1:] == written[1:] == ("text",) and {*named[:1]} <= GOLD - WEAK_GOLD
    is_member = parent and answer.path.rpartition(".")[2] == name and "." in answer.path and set(words(parent)) <= GOLD
    if "answers" not in result.roles and (is_alike or is_member):
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


def _answer_rank(item: Field) -> tuple:
    name = item.name_words
    return (not _EARLY.isdisjoint(name), item.path.count("."), not set(name) & RETURNED,
            name not in (("answer",), ("response",), ("prediction",)), name == ("response",), len(name))
