"""What is known of a run besides its rankings: settings (of its file, or typed), tags, day of upload, prices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.storage.shown_values import CHANGED
from ragdash.dashboard.auth import rights
from ragdash.dashboard.caches.shared_cache import once_a_run, shared
from ragdash.dashboard.session.data_store import SessionRun, workspace
from ragdash.evaluation.latency_cost import PriceTable, read_prices
from ragdash.experiments.fusion.methods import METHODS
from ragdash.reporting.sentences.what_if import setting_text
from ragdash.workspace import Workspace
from ragdash.workspace.people.concurrent_edits import TypedText, merged_list, merged_values, overwritten

_NEXT_SETTING = re.compile(r",\s*(?=[^,=()]+=)")  # a comma in front of another name
NOT_SETTINGS = ("ids", "collapse", "scores")  # notes on how a run was fixed


@dataclass(frozen=True)
class RunFacts:
    """settings: {name: value as text}; typed: those typed by hand; added: the day of the upload, empty if unknown;
    name: the one that the workspace has, None where it has no such run.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    typed: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    added: str = ""
    name: str | None = None


def of_run(entry: SessionRun) -> RunFacts:
    """The facts of a run of the session."""
    return of_runs([entry])[0]


def of_runs(entries: Sequence[SessionRun]) -> list[RunFacts]:
    """The facts of several runs; typed settings replace those of the file."""
    saved = _saved(tuple(sorted({entry.loaded for entry in entries})))
    result = []
    for entry in entries:
        facts = saved.get(entry.loaded, RunFacts())
        run = entry.run
        settings = {} if run is None else flat_settings(run.settings)
        result.append(RunFacts({**settings, **facts.typed}, facts.typed, facts.tags, facts.added, facts.name))
    return result


def is_recipe(value: object) -> bool:
    """Whether a setting is the recipe of a run that was fused here, not one of the same name from elsewhere."""
    if not isinstance(value, Mapping) or not isinstance(value.get("params"), Mapping):
        return False
    names, params = value.get("runs"), value["params"]
    weights, norm = params.get("weights"), params.get("norm", "")
    return (value.get("method") in METHODS and isinstance(names, list)
            and (weights is None or (isinstance(weights, list) and len(weights) == len(names)
                                     and all(isinstance(weight, (int, float)) for weight in weights)))
            and (isinstance(norm, str) or (isinstance(norm, list) and all(isinstance(name, str) for name in norm))))


def recipe_words(recipe: Mapping[str, Any]) -> str:
    """The recipe of a fused run in words, without digests and such.

    Examples
    --------
    >>> recipe_words({"method": "weighted", "params": {"norm": "z-score", "weights": [0.5, 0.5]},
    ...               "runs": ["dense", "sparse"], "digests": ["3f...", "a0..."], "tuned_on": {"metric": "nDCG@10"}})
    'Weighted sum of scores, z-score, weight 0.5 for dense, weight 0.5 for sparse, tuned on nDCG@10'
    """
    names, tuned_on = recipe["runs"], recipe.get("tuned_on")
    text = setting_text(METHODS[recipe["method"]].title, recipe["params"], names, recipe.get("window"))
    if not recipe["params"].get("weights"):
        text += f", of {' and '.join(map(str, names))}"
    return text + (f", tuned on {tuned_on['metric']}" if isinstance(tuned_on, Mapping) and "metric" in tuned_on else "")


def flat_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as text, those inside an object under "object.name".

    Examples
    --------
    >>> flat_settings({"chunk": {"size": 256.0, "overlap": None}, "rerank": True})
    {'chunk.size': '256', 'rerank': 'true'}
    """
    texts: dict[str, str] = {}
    for name, value in settings.items():
        if name == "fusion" and is_recipe(value):
            texts["fusion"] = recipe_words(value)
        elif isinstance(value, Mapping):
            texts |= {f"{name}.{inner}": text for inner, text in flat_settings(value).items()}
        elif value is not None and name not in NOT_SETTINGS:
            whole = isinstance(value, float) and value.is_integer()
            texts[str(name)] = str(value).lower() if isinstance(value, bool) else f"{value:.0f}" if whole \
                else " ".join(str(value).split())
    return {name: text for name, text in texts.items() if text}


def parse_typed(lines: str) -> dict[str, str]:
    """Settings typed as "name = value", one a line; a comma separates two only where another "name =" follows it.

    Raises
    ------
    InputError
        A line without a name or a value, or a name twice.

    Examples
    --------
    >>> parse_typed("retriever = BM25 (k1 1.5, b 0.75), stems\\ntop_k = 5, chunk_size=256")
    {'retriever': 'BM25 (k1 1.5, b 0.75), stems', 'top_k': '5', 'chunk_size': '256'}
    """
    parts = [part.strip() for line in lines.splitlines() for part in _NEXT_SETTING.split(line) if part.strip()]
    pairs = [tuple(side.strip() for side in part.split("=", 1)) for part in parts]
    names = Counter(pair[0] for pair in pairs)
    wrong = [part for part, pair in zip(parts, pairs, strict=True) if len(pair) < 2 or not all(pair)
             or names[pair[0]] > 1]
    if wrong:
        raise InputError([Problem("typed-settings", {"lines": [shorten(part) for part in wrong]}, field="Settings")])
    return dict(pairs)


def keep_typed(entry: SessionRun, lines: str, shown: Mapping[str, str],
               stored_name: str | None = None) -> list[Problem]:
    """Keep the settings of a run that these lines hold in the workspace; shown: those before. Raises InputError.

    stored_name: as for `keep_name`. Returns warnings of values that somebody else has changed meanwhile, which are
    replaced.
    """
    settings = parse_typed(lines)
    warnings: list[Problem] = []

    def merged(stored: dict[str, str]) -> dict[str, str]:
        warnings[:] = overwritten(shown, settings, stored, entry.name)
        return merged_values(shown, settings, stored)

    with rights.change("describe-run", entry.loaded):
        _require_stored(entry, stored_name)
        workspace().keep_settings(entry.loaded, merged)
    return warnings


def keep_tags(entry: SessionRun, tags: Sequence[str], shown: Sequence[str],
              stored_name: str | None = None) -> list[Problem]:
    """Keep tags of a run in the workspace, where it is put if it is not there; shown: those before; stored_name: as for
    `keep_name`.

    Raises
    ------
    InputError
        If the workspace cannot be used.
    """
    with rights.change("describe-run", entry.loaded):
        _require_stored(entry, stored_name)
        _home_of(entry).tag(entry.loaded, lambda stored: merged_list(shown, tags, stored), "run")
    return []


def keep_name(entry: SessionRun, name: str, stored_name: str | None) -> list[Problem]:
    """Keep another name of a run in the workspace, where it is put if it is not there. Raises InputError.

    stored_name: the one that the workspace had when the page was drawn, None for none. Returns a warning where somebody
    else has changed it meanwhile. A run that somebody else has deleted meanwhile is not stored again: InputError.
    """
    text = TypedText(name)
    with rights.change("describe-run", entry.loaded):
        _require_stored(entry, stored_name)
        _home_of(entry).rename(entry.loaded, text, "run")
    return [] if stored_name is None else text.warnings(stored_name, "name", entry.name)


def _require_stored(entry: SessionRun, stored_name: str | None) -> None:
    """Raise InputError where the workspace had the run when the page was drawn, and has it no longer."""
    if stored_name is not None and workspace().find(entry.loaded, "run") is None:
        raise InputError([Problem(CHANGED, {"what": f"the run {entry.name!r}"})])


def _home_of(entry: SessionRun) -> Workspace:
    """The workspace, which keeps the run of this entry from now on."""
    home = workspace()
    if home.find(entry.loaded, "run") is None and entry.run is not None:
        home.add_run(entry.run, entry.name)
    return home


@once_a_run
def _saved(digests: tuple[str, ...]) -> dict[str, RunFacts]:
    """What the workspace knows of these runs, by digest; nothing where it cannot be used."""
    try:
        home = workspace()
        return _read(home.location, home.stamp(), digests, _home=home)
    except InputError:
        return {}


@shared(max_entries=64)
def _read(folder: str, stamp: int, digests: tuple[str, ...], _home: Any) -> dict[str, RunFacts]:
    typed = {digest: settings for digest, settings in _home.settings().items() if digest in digests}
    saved = {entry.digest: RunFacts({}, typed.get(entry.digest, {}), entry.tags, entry.facts.get("added", ""),
                                    entry.name)
             for entry in _home.runs_of(digests)}
    return {**{digest: RunFacts({}, settings) for digest, settings in typed.items()}, **saved}


@once_a_run
def known_prices() -> PriceTable:
    """The prices of the workspace, none where there are none. Raises InputError where they cannot be read."""
    home = workspace()
    return _read_prices(home.location, home.stamp(), _home=home)


@shared(max_entries=8)
def _read_prices(folder: str, stamp: int, _home: Any) -> PriceTable:
    text = _home.prices()
    return read_prices(("prices.toml", text.encode())) if text else PriceTable()
