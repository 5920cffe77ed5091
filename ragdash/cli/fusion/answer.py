"""The answer of `ragdash fuse --tune`: would a hybrid help, which, how sure, at what price, from which run?

The command prints it as text and as JSON, and the report shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.analysis.verdict import RunCheck
from ragdash.cli.fusion.changes import ceiling_dict, ceiling_table, changes_dict, changes_table, comparison_dict
from ragdash.cli.fusion.legs import legs_dict
from ragdash.core.console import aligned
from ragdash.experiments.fusion.legs.answer import Answer
from ragdash.experiments.fusion.legs.price import FusedPrice
from ragdash.experiments.fusion.legs.routing import Router
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.reporting.sentences.formatting import strip_markdown
from ragdash.reporting.sentences.hybrid_answer import answer_rows, answer_sentences
from ragdash.reporting.sentences.what_if import OPTIMISTIC


def answer_text(answer: Answer, withheld: Sequence[RunCheck]) -> str:
    """The answer as plain text, with a table of the runs; withheld: checks of the runs that withhold the decision."""
    tables = [aligned(["run", answer.choice.spec.title, "low", "high", "n"], answer_rows(answer))]
    if answer.choice.decision != "unknown":
        tables += [f"{ceiling_table(answer.ceiling).rstrip()}\n{OPTIMISTIC}", changes_table(answer.changes)]
    text = "\n".join(strip_markdown(sentence) for sentence in answer_sentences(answer, withheld=withheld))
    return "\n\n".join([text, *map(str.rstrip, tables)]) + "\n"


def answer_dict(answer: Answer, withheld: Sequence[RunCheck]) -> dict[str, object]:
    """The answer as plain data, for JSON; null where undefined."""
    cascade = answer.cascade
    return {**choice_dict(answer.choice), "withheld": [check.as_dict() for check in withheld],
            "price": price_dict(answer.price),
            "cascade": None if cascade is None else _finite({
                "depth": cascade.recipe.params["depth"], "held_out": _held_out_dict(cascade.held_out),
                "against_tuned": comparison_dict(cascade.against_tuned)}),
            "other_metrics": [_finite({
                "metric": str(row.spec), "held_out": _held_out_dict(row.value), "single": row.single,
                "gain": _held_out_dict(row.gain), "best_setting": _recipe_dict(row.best), "best_mean": row.best_mean,
                "same_setting": row.same}) for row in answer.others],
            "routers": [_finite(_router_dict(router)) for router in answer.routers],
            "ceiling": ceiling_dict(answer.ceiling), "changes": changes_dict(answer.changes),
            "legs": None if answer.legs is None else legs_dict(answer.legs)}


def _router_dict(router: Router) -> dict[str, object]:
    return {"kind": router.kind, "rule": router.words, "conditions": [
                {"feature": condition.feature, "words": condition.words} for condition in router.rule.conditions],
            "then": router.actions[router.rule.then], "otherwise": router.actions[router.rule.otherwise],
            "share": router.share, "tried": router.tried, "held_out": _held_out_dict(router.held_out),
            "against_one_weight": comparison_dict(router.against_global), "beats_one_weight": router.beats_one_weight,
            "oracle_upper_bound": router.oracle,
            "saved_ms": {"mean": router.saved.mean, "low": router.saved.low, "high": router.saved.high,
                         "n": router.saved.n}}


def _held_out_dict(result) -> dict[str, object]:
    low, high = result.interval()
    return {"mean": result.value, "low": low, "high": high, "n": result.n}


def _recipe_dict(recipe: Recipe) -> dict[str, object]:
    params = {name: list(value) if isinstance(value, tuple) else value for name, value in recipe.params.items()
              if value is not None}
    return {"method": recipe.method, "params": params, "window": recipe.window}


def choice_dict(choice: Choice) -> dict[str, object]:
    """The choice as plain data, for JSON; null where undefined."""
    result = choice.held_out
    plain: Mapping[str, object] = {
        "decision": choice.decision, "metric": str(choice.spec), "runs": list(choice.runs), "window": choice.window,
        "settings_tried": len(choice.recipes),
        "chosen": _recipe_dict(choice.recipe),
        "held_out": _held_out_dict(result),
        "in_sample": result.in_sample, "optimism": result.optimism, "share_of_gain_left": choice.survives,
        "folds_worse_than_default": result.worse,
        "flat": None if choice.flat is None else dict(zip(("parameter", "low", "high"), choice.flat, strict=True)),
        "tuned_against_single": comparison_dict(choice.against_single),
        "tuned_against_default": comparison_dict(choice.against_default),
        "default_against_single": comparison_dict(choice.default_against_single)}
    return {name: _finite(value) for name, value in plain.items()}


def price_dict(price: FusedPrice) -> dict[str, object]:
    """What the hybrid takes more than the best single run, for JSON; null where not known."""
    extras = {name: {"mean": _finite(more.mean), "low": _finite(more.low), "high": _finite(more.high), "n": more.n}
              for name, more in price.extras().items()}
    return {"parallel_ms": extras["parallel"], "sequence_ms": extras["sequence"], "cost_usd": extras["cost"],
            "context_tokens": {**extras["tokens"], "results": price.k}, "cost_reason": price.cost_reason or None}


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    return None if isinstance(value, float) and not np.isfinite(value) else value
