"""What the Variants page shows: the runs shown in the sidebar, their settings, and what each setting does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.analysis.variants import FEWEST_RUNS, Variants, compare_variants
from ragdash.analysis.variants.setting_groups import varying_settings
from ragdash.analysis.verdict import RunCheck
from ragdash.dashboard.components import page_links, verdict_panel
from ragdash.dashboard.page_context import PageContext, PageEnds, end_unless_comparable
from ragdash.dashboard.session import run_facts
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.repeats import digests_of, spreads_of_groups
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_spec
from ragdash.reporting.sentences import formatting as fmt

MOST_COMPARED = 50  # runs whose pairs are all tested when the page opens


@dataclass(frozen=True)
class VariantsData:
    """The page's data. names: the runs' names on pages; digests: of the runs."""

    context: PageContext
    spec: Spec
    variants: Variants

    @property
    def names(self) -> Sequence[str]:
        """The runs' names."""
        return self.context.names

    @property
    def by_effect(self) -> list[str]:
        """The settings that vary, those with the largest effects first."""
        important = [name for setting in self.variants.effects.settings for name in setting.title.split(", ")]
        return sorted(self.variants.varying,
                      key=lambda name: important.index(name) if name in important else len(important))


def build_data(context: PageContext) -> VariantsData:
    """The variants; where there are none, what would help, and the page ends."""
    spec = context.selection.spec
    facts = run_facts.of_runs(context.entries)
    if len(context.entries) < FEWEST_RUNS:
        shown = fmt.count(len(context.entries), "run is", "runs are")
        elements.empty("Variants need four runs with settings", "Variants shows which setting matters most, such as "
                       "the chunk size, and which values of it are best. It compares four or more runs that differ in "
                       f"their settings; {shown} shown. `ragdash.record` keeps the settings of a run, and you can type "
                       "them on the **Data** page.")
        page_links.link("data", "Add runs or settings", icon=":material/upload_file:")
        raise PageEnds
    end_unless_comparable(context, spec, "effects")
    if not varying_settings([run.settings for run in facts]):
        elements.empty("These runs have the same settings", "Record them with the settings that differ, or type "
                       "settings on the **Data** page.")
        raise PageEnds
    settings = tuple(tuple(run.settings.items()) for run in facts)
    against = _against(context, spec)
    withheld = verdict_panel.withheld(context, spec)
    evaluations = [[context.scope.evaluation(digest, [spec]) for digest in digests_of(line)]
                   for line in context.digests]
    variants = _variants(tuple(context.digests), context.scope.cache_key([spec]), str(spec), settings,
                         tuple(context.names), context.selection.baseline if against else -1,
                         tuple(str(check) for check in withheld), _evaluations=context.results.evaluations([spec]),
                         _matches=[list(map(context.scope.match, digests_of(line))) for line in context.digests],
                         _against=against, _withheld=withheld, _repeats=evaluations)
    return VariantsData(context, spec, variants)


@st.cache_resource(max_entries=16, show_spinner="Comparing settings …")
def _variants(runs: tuple[str, ...], scope: tuple, spec: str, settings: tuple, names: tuple[str, ...], baseline: int,
              withheld: tuple[str, ...], _evaluations: Sequence[Evaluation], _matches: Sequence[Sequence[Match]],
              _against: Sequence[Comparison | None], _withheld: Sequence[RunCheck],
              _repeats: Sequence[Sequence[Evaluation]]) -> Variants:
    texts: list[Mapping[str, str]] = [dict(run) for run in settings]
    metric = parse_spec(spec)
    repeated = [(name, np.stack([repeat.column(metric) for repeat in repeats], axis=1),
                 [match.run for match in matches])
                for name, repeats, matches in zip(names, _repeats, _matches, strict=True) if len(repeats) > 1]
    return compare_variants(_matches, _evaluations, texts, metric, against=_against, withheld=_withheld,
                            spreads=spreads_of_groups(metric, repeated) if repeated else ())


def _against(context: PageContext, spec: Spec) -> list[Comparison | None]:
    """Every run against the baseline of the sidebar, as on Compare; [] for more than MOST_COMPARED runs."""
    if len(context.entries) > MOST_COMPARED:
        return []
    pairs = {run: pair for (run, _), pair in context.results.compared([spec]).items()}
    return [pairs.get(run) for run in range(len(context.entries))]
