"""The Data page's parts: the drop field, what was found in each file, a card per run, the card of the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.ids.normalization import CHUNK_RANKS
from ragdash.core.records import Run, Truth
from ragdash.core.records.details import filled
from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import comparability_cache
from ragdash.dashboard.pages.data import corpus_upload, loading, other_truths
from ragdash.dashboard.pages.data.relink import version_list
from ragdash.dashboard.session import data_store, run_facts, run_fixes, state
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.widgets import clicks, elements, fields
from ragdash.io import FORMATS
from ragdash.reporting.plots.common.theme import COLORED, run_look
from ragdash.reporting.sentences import comparability
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.answers import REFERENCES_FIX
from ragdash.reporting.sentences.runs.choice import uncapital

MOST_CARDS, FIRST_CARDS = 12, 9  # runs that all have a card in view; cards in view of more runs
COLOR_NAMES = ("blue", "ochre", "brown", "sky blue", "brick red", "navy")
UNBROKEN_HYPHEN = "\u2011"  # a line does not end at it
MAX_REPEATED = 3  # files with the same content that are named; more are counted
FIXED = {"scores": "scores reversed", "collapse": "chunks collapsed", "ids": "ids matched"}
ROLE_TITLES = {"run": "Run", "truth": "Ground truth", "both": "Run and ground truth", "corpus": "Documents (texts)"}
ROLE_PHRASES = {"truth": "ground truth", "corpus": "documents", "both": "run and ground truth"}
CONTENT_TITLES = {
    "answer": "answers",
    "contexts": "contexts",
    "latency_ms": "latency",
    "prompt_tokens": "tokens",
    "cost_usd": "cost",
}


def render_upload_field() -> None:
    """The upload field and the samples, side by side; neither where the workspace is only shown."""
    if data_store.read_only():
        st.caption("This server shows what its workspace keeps; nothing can be added or changed here.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="open"):
        st.file_uploader(
            "Drop runs and judgments",
            accept_multiple_files=True,
            key=state.uploads_key(),
            on_change=loading.take_uploads,
            help=tooltip("input_files"),
        )
        if loading.samples_folder():
            st.button(
                "Open the samples",
                icon=":material/science:",
                key="samples",
                on_click=loading.open_samples,
                help=tooltip("sample_runs"),
            )
    st.caption(
        "TREC, JSONL, JSON, CSV, TSV, Excel, Parquet and what evaluation tools export, compressed or not. ragdash "
        "recognizes each file by its content."
    )


def note_repeated_files() -> None:
    """Name the files that were not added, because their content is loaded already."""
    lines = [f"**{fmt.escape(record.name)}** has the same content as {fmt.escape(fmt.listed(record.loaded_as))}, which "
             "is loaded already. It is not added a second time." for record in state.files() if record.loaded_as]
    rest = len(lines) - MAX_REPEATED
    lines[MAX_REPEATED:] = [f"The same holds for {fmt.count(rest, 'more file')}."] if rest > 0 else []
    if lines:
        st.info("  \n".join(lines), icon=":material/content_copy:")


def render_files() -> None:
    """Files that failed, with their problems, and how the others were read, with a way to change the role."""
    records, is_loaded = state.files(), bool(state.runs() or state.truth())
    for record in records:
        if record.failed and record.proposal is None:
            st.markdown(f"**{fmt.escape(record.name)}** could not be read."
                        f"{' Everything loaded before is still here.' if is_loaded else ''}")
            is_loaded = False  # said once
            elements.problems(record.problems or (), f"file_{records.index(record)}")
    if not records:
        return
    with st.expander(_files_title(len(records), sum(bool(record.format) for record in records)), key="files"):
        for index, record in enumerate(records):
            _render_file(index, record)
        st.button(
            "Clear this list",
            key="forget",
            on_click=loading.clear_files,
            type="tertiary",
            help=tooltip("clear_files"),
        )


def _files_title(files: int, read: int) -> str:
    """The heading of the list of files, by how many of them were read."""
    if not read:
        return f"{fmt.count(files, 'file')} not read"
    return f"How {fmt.count(files, 'file was', 'files were')} read" if read == files else (
        f"How {read:,} of {fmt.count(files, 'file')} {'was' if read == 1 else 'were'} read")


def _render_file(index: int, record: loading.FileRecord) -> None:
    left, right = st.columns([3, 1], vertical_alignment="center")
    description = (
        f"{FORMATS.title(record.format)}, read as {ROLE_PHRASES.get(record.role, record.role)}: {record.reason}"
        if record.format
        else "not read"
    )
    left.markdown(f"**{fmt.escape(record.name)}**  \n:gray[{fmt.escape(description)}]")
    if record.content is not None:
        key = state.bound_key(f"role_{index}", record.name, record.key)
        st.session_state[key] = record.role if record.role in ROLE_TITLES else None
        right.selectbox(
            "Read it as",
            list(ROLE_TITLES),
            format_func=ROLE_TITLES.get,
            key=key,
            label_visibility="collapsed",
            placeholder="Read it as …",
            on_change=clicks.take_choice, args=(key, partial(loading.change_role, record)),
        )


def render_removed_run() -> None:
    """The way back after a run was removed."""
    removed = loading.removed_run()
    if removed is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="removed_run"):
            st.caption(f"Run removed: {fmt.escape(removed.name)}.", width="content")
            st.button("Undo", icon=":material/undo:", key=state.bound_key("restore_run", removed.digest),
                      on_click=loading.restore_run, args=(removed.digest,))


def render_runs() -> None:
    """A card for each run of the session; of many runs, all but the first are folded."""
    entries = page_context.runs_as_drawn()
    if len(entries) > COLORED:
        st.caption(tooltip("run_colors"))
    shown = entries if len(entries) <= MOST_CARDS else entries[:FIRST_CARDS]
    _render_cards(shown, "run_cards")
    if rest := entries[len(shown):]:
        with st.expander(f"{len(rest)} more runs", key="more_runs", on_change="rerun") as fold:
            if fold.open:
                _render_cards(rest, "more_run_cards")


def _render_cards(entries: Sequence[SessionRun], key: str) -> None:
    with st.grid(3, min_column_width=300, key=key):
        for entry in entries:
            run = entry.run
            if run is not None:
                _render_run(entry, run)


def _render_run(entry: SessionRun, run: Run) -> None:
    with st.container(border=True, height="stretch", key=f"card_{entry.key}"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
            st.markdown(f"**{elements.swatch(entry.slot, entry.name)}**")
            edit = st.popover("Edit", icon=":material/edit:", type="tertiary", key=f"edit_{entry.key}",
                              on_change="rerun")
            with edit:
                _render_run_editor(entry, edit.open)
        st.markdown(run_size(run))
        is_reversed = any(name == "scores" for name, _ in entry.fixes)
        hidden = [] if entry.digest in [shown.digest for shown in state.shown_runs()] else [":orange-badge[not shown]"]
        contents = [word for word in run_contents(run) if not (is_reversed and word == "scores")]
        fixes = [f":blue-badge[{FIXED[name]}]" for name, _ in entry.fixes]
        st.markdown(" ".join([*hidden, *(f":gray-badge[{label}]" for label in contents), *fixes]))
        facts = run_facts.of_run(entry)
        if facts.tags:
            st.markdown(" ".join(f":blue-badge[{fmt.escape(tag)}]" for tag in facts.tags))
        notes = [*(value if name == "fusion" else f"{name}:{fmt.NBSP}{value}" for name, value in facts.settings.items()
                   if not (is_reversed and (name, value) == ("scores", "reversed"))),
                 *([f"uploaded:{fmt.NBSP}{facts.added.replace('-', UNBROKEN_HYPHEN)}"] if facts.added else [])]
        if notes:
            st.caption(fmt.escape(" · ".join(notes)))  # a value may have commas
        _render_warnings(run, entry.name)


def _render_run_editor(entry: SessionRun, is_open: bool) -> None:
    digest, key = entry.digest, entry.key
    stored = run_facts.of_run(entry).name
    fields.stored_text(fields.text_input, "Name", f"name_{key}", entry.name,
                       lambda text: _keep(_rename, entry, text, stored), most=60)
    st.session_state[f"slot_{key}"] = state.entry(digest).slot  # its own; of many runs the best have colors
    st.selectbox(
        "Color",
        state.slots(),
        format_func=color_name,
        key=f"slot_{key}",
        help=tooltip("run_color"),
        on_change=clicks.take_choice,
        args=(f"slot_{key}", partial(_recolor, digest)),
    )
    st.caption("Name and color belong to this view: its link and its saved views keep them." if data_store.read_only()
               else "The workspace keeps the name. The color belongs to this view: its link and saved views keep it.")
    if is_open:
        _render_facts(entry)
        _render_collapse(entry)
    st.button("Remove this run", icon=":material/delete:", key=f"remove_{key}", on_click=loading.remove, args=(digest,))


def _recolor(digest: str, slot: int) -> None:
    if slot in state.slots():  # a forged message may ask for another
        state.recolor_run(digest, slot)


def _rename(entry: SessionRun, name: str, stored: str | None) -> list[Problem]:
    """Another name in this view, and in the workspace of those who may change it; an empty one changes nothing."""
    if not name.strip() or name == entry.name:
        return []
    name = state.free_name(name, entry.digest)
    warnings = [] if data_store.read_only() else run_facts.keep_name(entry, name, stored)
    state.rename_run(entry.digest, name)
    return warnings


def _render_facts(entry: SessionRun) -> None:
    """Tags and settings, kept in the workspace."""
    if data_store.read_only():
        return
    facts, key = run_facts.of_run(entry), entry.key
    known = sorted({tag for run in run_facts.of_runs(state.runs()) for tag in run.tags})
    st.session_state[f"tags_{key}"] = list(facts.tags)
    st.multiselect("Tags", known, key=f"tags_{key}", accept_new_options=True, placeholder="Type a tag",
                   help=tooltip("run_tags"),
                   on_change=clicks.take_choice, wrap=True, args=(f"tags_{key}", lambda tags: _keep(
                       run_facts.keep_tags, entry, tags, facts.tags, facts.name)))
    shown = {name: value for name, value in facts.settings.items() if name != "fusion"}  # a recipe is not typed
    settings = "\n".join(f"{name} = {value}" for name, value in shown.items())
    fields.stored_text(fields.text_area, "Settings", f"settings_{key}", settings,
                       lambda text: _keep(run_facts.keep_typed, entry, text, shown, facts.name), height=110,
                       placeholder="retriever = bm25\nchunk_size = 256", help=tooltip("run_settings"))


def _keep(save: Callable[..., list[Problem]], *args: object) -> bool:
    """Save facts of a run; a failure or a warning is shown at the top of the page. Whether they are saved."""
    try:
        state.set_notice(save(*args))
    except InputError as error:
        state.set_notice(error.problems)
        return False
    return True


def _render_collapse(entry: SessionRun) -> None:
    """How chunks become documents: the ways that find more of the judged documents, and what speaks against them."""
    if state.truth() is None or LOADED.run(entry.loaded) is None or LOADED.truth(state.truth()) is None:
        return
    choices = {choice.by: choice for choice in comparability_cache.collapse_ways(entry, state.truth())}
    source = ["source"] if LOADED.run(entry.loaded).sources is not None else []
    ways = list(dict.fromkeys([*choices, *source]))
    equal_ids = [f"{CHUNK_RANKS}id"] if LOADED.run(entry.loaded).duplicates else []
    options = list(dict.fromkeys(["", *ways, *(f"{CHUNK_RANKS}{way}" for way in ways), *equal_ids, entry.collapse]))
    if len(options) == 1:
        return
    key = f"collapse_{entry.key}"
    st.session_state[key] = entry.collapse
    st.selectbox(
        "Collapse chunks to documents",
        options,
        format_func=lambda rule: comparability.collapse_option(rule, choices.get(rule.removeprefix(CHUNK_RANKS))),
        key=key,
        help=tooltip("collapse"),
        on_change=clicks.take_choice,
        args=(key, lambda way: run_fixes.collapse(
            entry.digest, way, getattr(choices.get(way.removeprefix(CHUNK_RANKS)), "ids", None))),
    )
    for line in comparability.collapse_warnings([*choices.values()]):
        st.markdown(f":orange[:material/warning:] {line}")


def color_name(slot: int) -> str:
    """A slot in words: its color and its symbol."""
    return f"{COLOR_NAMES[slot] if slot < COLORED else 'gray'}, {run_look(slot).symbol.replace('-', ' ')}"


def run_size(run: Run) -> str:
    """The queries of a run, and the documents of each; without rankings its answers."""
    queries = fmt.query_count(len(run))
    if not run.has_rankings:
        answers = filled(run.details, "answer")
        return f"{queries}, {fmt.count(answers, 'answer') if answers else 'no answers'}, no retrieved documents"
    typical = int(np.median(run.lengths)) if len(run.lengths) else 0
    median = f" (median {typical:,})" if typical != run.depth else ""
    return f"{queries}, up to {fmt.count(run.depth, 'document')} each{median}"


def run_contents(run: Run) -> list[str]:
    """What a run holds beside the rankings' ids."""
    contents = ["scores"] if run.scores is not None else ["no scores"]
    contents += ["texts"] if run.texts is not None else []
    contents += ["metrics from the file"] if run.file_scores is not None else []
    columns = run.details.column_names if run.details is not None else []
    return contents + [
        word
        for column, word in CONTENT_TITLES.items()
        if column in columns and run.details[column].null_count < len(run)
    ]


def render_truth() -> None:
    """What the judgments hold, or that they are still to come."""
    truth = LOADED.truth(state.truth()) if state.truth() else None
    if truth is None or truth.queries_only:
        render_undo_of_removal()
        elements.empty(
            "No judgments yet",
            "Drop the qrels, or a file with the relevant documents of each query. Every retrieval metric is measured "
            f"against them. To measure which answers are right, {fmt.escape(uncapital(REFERENCES_FIX))}",
        )
        corpus_upload.render_note(None)
        other_truths.render()
        return
    with st.container(border=True, key="truth_card"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
            st.markdown(f"**{fmt.escape(truth.name)}**")
            st.button(
                "Remove",
                icon=":material/delete:",
                type="tertiary",
                key=state.bound_key("remove_truth", truth.digest),
                on_click=loaded_truths.remove_used,
                args=(truth.digest,),
            )
        version_list.render_choice()
        _render_truth_numbers(truth)
        corpus_upload.render_note(truth)
        _render_warnings(truth, truth.name)
    other_truths.render()


def render_undo_of_removal() -> None:
    """The way back after the judgments were removed."""
    removed = LOADED.truth(state.removed_truth() or "")
    if removed is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="removed_truth"):
            st.caption(f"Judgments removed: {fmt.escape(removed.name)}.", width="content")
            st.button("Undo", icon=":material/undo:", key=state.bound_key("restore_truth", removed.digest),
                      on_click=state.set_truth, args=(removed.digest,))


def _render_truth_numbers(truth: Truth) -> None:
    numbers = {"Queries": (f"{len(truth):,}", tooltip("judged_queries"))}
    if references := filled(truth.details, "answers"):
        numbers["Reference answers"] = (f"{references:,}", tooltip("referenced_queries"))
    if truth.judgments or not references:
        numbers |= _judgment_numbers(truth)
    with st.grid(len(numbers), min_column_width=130):
        for label, (value, help) in numbers.items():
            st.metric(label, value, help=help)


def _judgment_numbers(truth: Truth) -> dict[str, tuple[str, str]]:
    """The judgments in numbers: {label: (value, tooltip)}."""
    relevant = np.bincount(truth.queries[truth.grades >= 1], minlength=len(truth))
    answerable = relevant[relevant > 0]
    grades = truth.grade_values
    return {
        "Judgments": (f"{truth.judgments:,}", tooltip("judgments")),
        "Relevant per query": (
            fmt.number(float(answerable.mean()), 2) if len(answerable) else fmt.UNDEFINED,
            tooltip("relevant_per_query"),
        ),
        "None relevant": (
            f"{truth.queries_without_relevant:,}" if truth.judgments else fmt.UNDEFINED,
            tooltip("unanswerable_queries"),
        ),
        "Grades": (
            " to ".join(dict.fromkeys(map(str, (grades.min(), grades.max())))) if len(grades) else fmt.UNDEFINED,
            tooltip("grades"),
        ),
    }


def _render_warnings(item: Run | Truth, name: str) -> None:
    problems = [
        problem
        for problem in item.problems
        if problem.severity != "error" and problem.kind not in comparability.FIX_KINDS
    ]
    if problems:
        notes = sum(problem.severity == "note" for problem in problems)
        counts = [
            fmt.count(count, word) for count, word in ((len(problems) - notes, "warning"), (notes, "note")) if count
        ]
        elements.problem_table(problems, fmt.listed(counts), f"warn_{item.digest[:8]}")
