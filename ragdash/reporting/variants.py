"""Variants in words, as tables and as JSON: which setting matters, with what cautions, and the best compromises."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ragdash.analysis.variants import COST, LATENCY, MainEffects, SettingEffect, Variants
from ragdash.analysis.verdict import RunCheck
from ragdash.core.text.template import percent
from ragdash.evaluation.compare import Comparison
from ragdash.reporting.sentences.comparison import OUTCOMES
from ragdash.reporting.sentences.formatting import count, listed, query_count
from ragdash.reporting.sentences.runs.check_lines import withheld_sentence
from ragdash.reporting.sentences.runs.repeats import noise_and_design
from ragdash.reporting.tables.escaping import finite_or_none, number, p_number, sentence_text, signed, table_text

VARIANTS_FORMATS = ("table", "markdown", "json")
AIMS = {LATENCY: "latency", COST: "cost"}
REASONS = {"constant": "the same in every run", "other-in-every-run": "another value in every run",
           "many-values": "too many values"}
LEAST_SHARE = 0.005  # a setting that explains less is not named: its share would be shown as 0%
MOST_NAMED = 4
EQUAL = 1e-9  # effects that differ by less are equal


def headline(variants: Variants) -> str:
    """The finding; while a check withholds it, what must be fixed or accepted first."""
    if variants.withheld:
        return withheld_sentence(variants.withheld, "no setting is named")
    return finding(variants.effects)


def finding(effects: MainEffects) -> str:
    """Which setting explains most of the differences, and which effects are significant, in a few sentences."""
    title = effects.spec.title
    significant = [setting for setting in effects.settings if setting.is_significant()]
    if not effects.settings:
        return "No setting has an effect to estimate: each is the same in every run, or has another value in every run."
    first = effects.settings[0]
    if not significant:
        is_known = first.spread > EQUAL and not first.share < LEAST_SHARE
        largest = f"{_size_sentence(first, title)}. " if is_known else ""
        return (f"{largest}No setting has a significant effect on {title}, over "
                f"{query_count(effects.n)}. More queries would show smaller effects.")
    others = [_name(setting) for setting in significant[1:]]
    rest = f" Also significant: {listed(_short(others))}." if others else " No other setting has a significant effect."
    chosen = significant[0]
    if chosen is first:
        alone = "Together they explain" if first.together else "It alone explains"
        share = (f" {alone} {percent(first.share)} of the differences between the runs."
                 if np.isfinite(first.share) else "")
        return (f"{_with_verb(first, 'matters', 'matter')} most for {title}: {_effect_clause(first, effects)}{share}"
                f"{rest}")
    return (f"{_size_sentence(first, title)}, but {'their' if first.together else 'its'} effect is not significant "
            f"({_p_text(first)}). {_with_verb(chosen, 'is', 'are')} significant: {_effect_clause(chosen, effects)}"
            f"{rest}")


def _name(setting: SettingEffect) -> str:
    """A setting in a sentence; settings that always change together as a list."""
    return listed(setting.together) if setting.together else setting.title


def _with_verb(setting: SettingEffect, verb: str, plural: str) -> str:
    """A setting as the subject of a sentence."""
    return f"{_name(setting)} together {plural}" if setting.together else f"{setting.title} {verb}"


def _size_sentence(setting: SettingEffect, title: str) -> str:
    """How large the differences are that a setting makes, without a word on significance; ends without a period."""
    spread = f"{number(setting.spread)} between the best and the worst value"
    if not np.isfinite(setting.share):
        return f"{_with_verb(setting, 'makes', 'make')} the largest difference to {title} ({spread})"
    amount = "most" if setting.share > 0.5 else "the largest part"
    return (f"{_with_verb(setting, 'explains', 'explain')} {amount} of the differences between the runs in {title} "
            f"({percent(setting.share)}; {spread})")


def _effect_clause(setting: SettingEffect, effects: MainEffects) -> str:
    """The clearest effect of a setting, and its best values."""
    def value(text: str) -> str:  # those of settings that change together are a list: (256, 32)
        return f"({text})" if setting.together else text

    def named(text: str) -> str:
        return value(text) if setting.together else f"{setting.title} {text}"

    clearest, best = int(np.nanargmin(setting.p)), _best_levels(setting, effects)
    if len(setting.levels) == 2 and len(best) == 1 and abs(setting.effect.sum()) < 1e-9:  # twice that to the average
        leading = setting.levels.index(best[0])
        return (f"{named(best[0])} is {signed(2 * setting.effect[leading])} [{signed(2 * setting.low[leading])}, "
                f"{signed(2 * setting.high[leading])}] against {value(setting.levels[1 - leading])}.")
    kind, whose = ("combination", "their") if setting.together else ("value", "its")
    words = (f"The best {kind} is {value(best[0])}" if len(best) == 1 else
             f"The best {kind}s are {listed(list(map(value, best)))} (equal)")
    return (f"{named(setting.levels[clearest])} is {signed(setting.effect[clearest])} "
            f"[{signed(setting.low[clearest])}, {signed(setting.high[clearest])}] against the average of "
            f"{whose} values. {words}, {number(setting.spread)} from the worst.")


def _p_text(setting: SettingEffect) -> str:
    """The smallest corrected p-value of a setting."""
    smallest = p_number(float(np.nanmin(setting.p)))
    return f"p {smallest}" if smallest.startswith("<") else f"p = {smallest}"


def cautions(variants: Variants) -> list[str]:
    """What a reader must know before acting on the effects."""
    effects, lines = variants.effects, []
    tied = [setting for setting in effects.settings if setting.inseparable]
    for setting in tied[:MOST_NAMED]:
        lines.append(f"{_name(setting)} cannot be separated from {listed(_short(list(setting.inseparable)))}: these "
                     "runs change them together. Add runs that change one of them alone.")
    if not effects.balanced:
        missing = f"{effects.combinations:,} of {effects.possible:,} combinations of values have a run, and " \
            if effects.combinations < effects.possible else ""
        lines.append(f"The design is unbalanced: {missing}some values occur together more often than others. Effects "
                     "are adjusted for this by a model without interactions.")
    if np.isfinite(effects.explained) and effects.explained < 0.8:
        lines.append(f"All settings together explain {percent(effects.explained)} of the differences between the "
                     "means. The rest are interactions and noise: an effect holds on average, not for each "
                     "combination.")
    if len(variants.names) >= 10:
        lines.append(f"The best of {len(variants.names):,} runs looks better than it is, because chance helped choose "
                     "it. Check the winner on queries that did not choose it.")
    return lines


def repeats_lines(variants: Variants) -> list[str]:
    """Which runs are means of repeats, and of one of them which noise dominates and what to run next."""
    if not variants.repeated:
        return []
    merged = sum(count > 1 for count in variants.repeats)
    spread = next((spread for spread in variants.spreads if not spread.is_difference), None)
    noise = f" {noise_and_design(spread)}" if spread is not None else ""
    return [f"{merged:,} of {count(len(variants.names), 'run is', 'runs are')} means of repeats: over repeats first, "
            f"then over queries.{noise}"]


def aims_sentence(variants: Variants) -> str:
    """The aims of the best compromises, and how many runs are among them."""
    aims = [variants.effects.spec.title, *(AIMS[aim] for aim in variants.aims[1:])]
    chosen = [name for name, best in zip(variants.names, variants.best, strict=True) if best]
    return (f"Best compromises of {listed(aims)} ({count(len(chosen), 'run')}): {listed(_short(chosen))}. For each "
            "other run there is one that is at least as good in everything, and better in something.")


def left_out_sentence(effects: MainEffects) -> str:
    """The settings without an effect, and why; "" for none."""
    parts = []
    for reason, words in REASONS.items():
        names = [name for name, why in effects.left_out.items() if why == reason]
        if names:
            parts.append(f"{listed(_short(names))} ({words})")
    return f"Left out: {'; '.join(parts)}." if parts else ""


def effect_rows(effects: MainEffects) -> list[list[str]]:
    """Cells under EFFECT_HEADER."""
    rows = []
    for setting in effects.settings:
        share = percent(setting.share) if np.isfinite(setting.share) else "–"
        for index, level in enumerate(setting.levels):
            interval = f"[{signed(setting.low[index])}, {signed(setting.high[index])}]" \
                if np.isfinite(setting.low[index]) else "–"
            rows.append([setting.title, level, f"{setting.runs[index]:,}", number(setting.raw[index]),
                         signed(setting.effect[index]), interval, p_number(setting.p[index]),
                         share if not index else ""])
    return rows


EFFECT_HEADER = ["setting", "value", "runs", "mean", "effect", "95% interval", "p", "share"]


def render_variants(variants: Variants, form: str, checks: Sequence[RunCheck] = ()) -> str:
    """The runs, the effects and the compromises in one of VARIANTS_FORMATS; JSON also has what speaks against them."""
    if form == "json":
        content = {**variants_dict(variants), "checks": [check.as_dict() for check in checks]}
        return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    effects = variants.effects
    baseline = next((pair.baseline for pair in variants.against if pair is not None), "")
    compared = [f"to {baseline}", "outcome"] if baseline else []
    repeats = ["repeats"] if variants.repeated else []
    header = ["run", *variants.varying, *repeats, effects.spec.title, "95% interval", "n", *compared,
              *(f"{AIMS[aim]} {'(ms)' if aim == LATENCY else '($)'}" for aim in variants.aims[1:]), "best"]
    paid = {LATENCY: [f"{value:,.1f}" if np.isfinite(value) else "–" for value in variants.latency],
            COST: [f"{value:.5f}" if np.isfinite(value) else "–" for value in variants.cost]}
    rows = [[variants.names[run], *(variants.settings[run].get(name, "–") for name in variants.varying),
             *([f"{variants.repeats[run]:,}"] if repeats else ()), number(variants.summaries[run].mean),
             f"[{number(variants.summaries[run].low)}, {number(variants.summaries[run].high)}]",
             f"{variants.summaries[run].n:,}", *(_against_cells(variants.against[run]) if baseline else ()),
             *(paid[aim][run] for aim in variants.aims[1:]),
             "●" if variants.best[run] else ""] for run in _order(variants)]
    lines = [headline(variants), *repeats_lines(variants), *cautions(variants), left_out_sentence(effects),
             aims_sentence(variants)]
    marker = "- " if form == "markdown" else ""
    return "\n".join([table_text(EFFECT_HEADER, effect_rows(effects), form), table_text(header, rows, form),
                      *(f"{marker}{sentence_text(line, form)}" for line in lines if line), ""])


def _against_cells(pair: Comparison | None) -> list[str]:
    """The difference to the baseline with its interval, and the outcome."""
    if pair is None:
        return ["baseline", ""]
    return [f"{signed(pair.mean_difference)} [{signed(pair.low)}, {signed(pair.high)}]", OUTCOMES[pair.outcome]]


def variants_dict(variants: Variants) -> dict:
    """Everything as JSON."""
    effects = variants.effects
    return {
        "schema": 1, "metric": str(effects.spec), "n": effects.n, "balanced": effects.balanced,
        "combinations": effects.combinations, "possible": effects.possible,
        "explained": finite_or_none(effects.explained), "finding": None if variants.withheld else finding(effects),
        "withheld": [check.kind for check in variants.withheld], "cautions": cautions(variants),
        "repeats": repeats_lines(variants),
        "left_out": dict(effects.left_out), "aims": list(variants.aims),
        "settings": [{
            "setting": setting.title, "share": finite_or_none(setting.share), "spread": finite_or_none(setting.spread),
            "significant": setting.is_significant(), "inseparable": list(setting.inseparable), "values": [{
                "value": level, "runs": int(setting.runs[index]),
                **{name: finite_or_none(float(getattr(setting, name)[index]))
                   for name in ("raw", "effect", "low", "high", "p")}} for index, level in enumerate(setting.levels)]}
            for setting in effects.settings],
        "runs": [{
            "run": variants.names[run], "repeats": variants.repeats[run], "settings": dict(variants.settings[run]),
            "mean": finite_or_none(variants.summaries[run].mean), "low": finite_or_none(variants.summaries[run].low),
            "high": finite_or_none(variants.summaries[run].high), "n": variants.summaries[run].n,
            "latency_ms": finite_or_none(float(variants.latency[run])),
            "cost_usd": finite_or_none(float(variants.cost[run])), "best": bool(variants.best[run]),
            **_against_dict(variants, run)}
            for run in _order(variants)]}


def _against_dict(variants: Variants, run: int) -> dict:
    pair = variants.against[run] if variants.against else None
    if pair is None:
        return {}
    return {"baseline": pair.baseline, "outcome": pair.outcome, **{name: finite_or_none(value) for name, value in (
        ("difference", pair.mean_difference), ("difference_low", pair.low), ("difference_high", pair.high),
        ("p_corrected", pair.p_corrected))}}


def _order(variants: Variants) -> list[int]:
    """The runs, best first; undefined means last."""
    sign = 1 if variants.effects.spec.metric.better == "lower" else -1
    means = np.array([row.mean for row in variants.summaries], float)
    return np.argsort(np.where(np.isfinite(means), sign * means, np.inf), kind="stable").tolist()


def _best_levels(setting: SettingEffect, effects: MainEffects) -> list[str]:
    """Every value as good as the best."""
    better = -setting.effect if effects.spec.metric.better == "lower" else setting.effect
    near = np.isclose(better, better.max(), rtol=EQUAL, atol=EQUAL)
    return [level for level, equal in zip(setting.levels, near, strict=True) if equal]


def _short(names: Sequence[str]) -> list[str]:
    """The first names, and how many more."""
    if len(names) <= MOST_NAMED:
        return list(names)
    return [*names[:MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1:,} more"]
