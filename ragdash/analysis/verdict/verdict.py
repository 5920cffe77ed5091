"""The verdict on a set of runs: one state, read by every page, report and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ragdash.analysis.verdict.advice import Advice, AdviceFacts, cheapest, dearer_by, leans_of, slices_against
from ragdash.analysis.verdict.answer_evidence import distinct_pairs
from ragdash.analysis.verdict.checks import RunCheck, checks_to_show, of_level, withheld_checks
from ragdash.evaluation.compare import Comparison, best_first
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec

STATES = ("clear-winner", "no-clear-difference", "too-few", "not-comparable", "one-run", "undefined")


@dataclass(frozen=True)
class Verdict:
    """Which run is best on the main metric, and whether that can be said.

    Attributes
    ----------
    state : one of STATES
        clear-winner: the best run is better than every other. no-clear-difference: it is not better than some.
        too-few: so few queries that no difference can be significant. not-comparable: a check speaks against it.
        one-run: nothing to compare with. undefined: no run has a value.
    spec
        The metric of the verdict.
    best
        Name of the run with the best mean; None where no run has one. Several can share it.
    summary
        Its mean with interval and n.
    comparisons
        Every other run against the best one as baseline.
    against_baseline
        Every other run against the baseline that the reader chose; empty where none is chosen.
    checks, accepted
        What speaks against the comparison, and which kinds of it were accepted.
    evidence
        The runs compared on the labels and scores that files give to their answers: with the chosen baseline, and with
        the best run.
    advice
        Which run to choose, and what speaks against that; of `advise`.
    """

    state: str
    spec: Spec
    names: tuple[str, ...]
    best: str | None
    summary: Summary | None
    comparisons: tuple[Comparison, ...] = ()
    checks: tuple[RunCheck, ...] = ()
    accepted: tuple[str, ...] = ()
    shared: tuple[str, ...] = field(default=())
    against_baseline: tuple[Comparison, ...] = ()
    evidence: tuple[Comparison, ...] = ()
    advice: Advice = field(default_factory=Advice)

    @property
    def differing(self) -> tuple[Comparison, ...]:
        """The evidence that shows a significant difference."""
        return tuple(pair for pair in self.evidence if pair.outcome in ("better", "worse"))

    @property
    def alike(self) -> tuple[str, ...]:
        """Titles of the evidence with a value of two runs for the same query."""
        return tuple(dict.fromkeys(pair.spec.title for pair in self.evidence if pair.outcome != "undefined"))

    @property
    def one_sided(self) -> tuple[str, ...]:
        """Titles of the evidence that no two runs have for the same query: it compares nothing."""
        return tuple(title for title in dict.fromkeys(pair.spec.title for pair in self.evidence)
                     if title not in self.alike)

    @property
    def opposed(self) -> tuple[Comparison, ...]:
        """The evidence by which another run is better than the best one."""
        return tuple(pair for pair in self.differing
                     if (pair.candidate if pair.outcome == "worse" else pair.baseline) == self.best)

    @property
    def baseline(self) -> str | None:
        """Name of the baseline that the reader chose; None where none is."""
        return self.against_baseline[0].baseline if self.against_baseline else None

    @property
    def withheld(self) -> tuple[RunCheck, ...]:
        """Checks that must be fixed or accepted first."""
        return withheld_checks(self.checks, self.spec, self.accepted)

    @property
    def qualified(self) -> tuple[RunCheck, ...]:
        """Checks that the verdict mentions."""
        return of_level(self.checks, "qualified", self.accepted)

    @property
    def explaining(self) -> tuple[RunCheck, ...]:
        """Checks that the verdict mentions and that could explain the difference."""
        return tuple(check for check in self.qualified if check.could_explain(self.spec))

    @property
    def notes(self) -> tuple[RunCheck, ...]:
        """Checks that are normal."""
        return of_level(self.checks, "note", self.accepted)

    @property
    def warnings(self) -> tuple[RunCheck, ...]:
        """What is said wherever values of these runs are shown, the worst first."""
        return checks_to_show(self.checks, self.accepted)

    @property
    def better_than(self) -> tuple[Comparison, ...]:
        """The runs that the best one is significantly better than."""
        return tuple(comparison for comparison in self.comparisons if comparison.outcome == "worse")

    @property
    def tied(self) -> tuple[Comparison, ...]:
        """The runs that do not differ significantly from the best one."""
        return tuple(comparison for comparison in self.comparisons if comparison.tied)

    @property
    def beats_baseline(self) -> bool:
        """Whether the best run is significantly better than the baseline that the reader chose."""
        return self.baseline in {comparison.candidate for comparison in self.better_than}

    def as_dict(self) -> dict:
        """The verdict for JSON; sentences are added by who prints it."""
        return {"state": self.state, "metric": str(self.spec), "best": self.best, "tied_for_best": [
                    comparison.candidate for comparison in self.tied], "better_than": [
                    comparison.candidate for comparison in self.better_than],
                "baseline": self.baseline,
                "against_baseline": [_outcome_dict(comparison) for comparison in self.against_baseline],
                "evidence": [{"metric": str(pair.spec), "baseline": pair.baseline, **_outcome_dict(pair)}
                             for pair in self.evidence],
                **self.advice.as_dict(),
                "accepted": list(self.accepted), "checks": [check.as_dict() for check in self.checks]}


def verdict_state(names: Sequence[str], summaries: Sequence[Summary], comparisons: Mapping[int, Comparison],
                  checks: Sequence[RunCheck] = (), accepted: Sequence[str] = (), *,
                  spec: Spec | None = None, against_baseline: Sequence[Comparison] = (),
                  evidence: Sequence[Comparison] = ()) -> Verdict:
    """Decide the state of a comparison.

    Parameters
    ----------
    names, summaries
        The runs and their means on the main metric; no summaries where the runs cannot be evaluated, and spec then.
    comparisons
        Every other run against the run with the best mean, by index; as `best_run` names it.
    checks
        What `find_checks` found.
    accepted
        Kinds of checks that the reader accepts in spite of what they say.
    against_baseline
        Every other run against the baseline that the reader chose, of the same family; none where none is chosen.
    evidence
        The runs compared on labels and scores of their answers; a pair can be there twice.

    Returns
    -------
    Verdict
    """
    spec = summaries[0].spec if summaries else spec
    if spec is None:
        raise ValueError("neither summaries nor a spec")
    best = best_run(summaries) if summaries else None
    given = dict(names=tuple(names), checks=tuple(checks), accepted=tuple(accepted))
    if best is None:
        state = "not-comparable" if withheld_checks(checks, spec, accepted) else "undefined"
        return Verdict(state, spec, best=None, summary=None, **given)
    pairs = tuple(comparisons[index] for index in sorted(comparisons))
    shared = tuple(name for name, summary in zip(names, summaries, strict=True) if summary.mean == summaries[best].mean)
    verdict = Verdict(_state(pairs, withheld_checks(checks, spec, accepted)), spec, best=names[best],
                      summary=summaries[best], comparisons=pairs, shared=shared, **given)
    return replace(verdict, against_baseline=tuple(withhold(pair, verdict) for pair in against_baseline),
                   evidence=tuple(withhold(pair, verdict) for pair in distinct_pairs(evidence)))


def advise(verdict: Verdict, facts: AdviceFacts) -> Verdict:
    """The verdict with what it means for a choice: nothing where it is withheld or too few queries were asked.

    Among runs that tie for best the cheapest or fastest is to be chosen, unless the answers differ: then these decide.
    """
    if verdict.state not in ("clear-winner", "no-clear-difference") or verdict.best is None:
        return verdict
    choice, paid, tied, dearer = verdict.best, None, verdict.tied, ()
    if verdict.state == "no-clear-difference":
        names = [verdict.best, *(pair.candidate for pair in tied)]
        quality = np.array([0.0, *(pair.sign * pair.mean_difference for pair in tied)])
        choice, paid = cheapest(names, quality, facts.paid)
        choice, paid = (None, None) if verdict.differing else (choice, paid)
    else:
        next_best = min(verdict.comparisons, key=lambda pair: abs(pair.mean_difference)).candidate
        rival = next_best if verdict.baseline in (None, verdict.best) else verdict.baseline
        dearer = dearer_by(verdict.best, rival, facts.paid)
    rivals = [pair.candidate for pair in verdict.comparisons if pair.tied or verdict.state == "clear-winner"]
    differing = {pair.spec for pair in verdict.differing}
    specs = [spec for spec in facts.evaluations[0].specs if spec not in differing] if facts.evaluations else []
    leans = leans_of(choice or verdict.best, [*dict.fromkeys([verdict.best, *rivals])], facts.evaluations, specs)
    others = [pair.candidate for pair in verdict.comparisons] + [verdict.best]
    kinds = slices_against(facts.by_slice(choice or verdict.best), others) if facts.by_slice else ()
    unread = next((option.column for option in facts.paid if option.column), "") if paid is None else ""
    return replace(verdict, advice=Advice(choice, paid, leans, kinds, dearer, facts.hybrid, unread))


def withhold(comparison: Comparison, verdict: Verdict) -> Comparison:
    """The same numbers with the outcome "not-comparable", where a withheld check is about one of the two runs.

    Checks that do not concern the metric of the comparison withhold nothing.
    """
    return without_outcome(comparison, withheld_checks(verdict.checks, comparison.spec, verdict.accepted))


def without_outcome(comparison: Comparison, withheld: Sequence[RunCheck]) -> Comparison:
    """The same numbers with the outcome "not-comparable", where one of these checks is about one of the two runs."""
    pair = {comparison.candidate, comparison.baseline}
    concerned = any(not check.runs or pair & set(check.runs) for check in withheld)
    return replace(comparison, outcome="not-comparable") if concerned else comparison


def best_run(summaries: Sequence[Summary]) -> int | None:
    """Index of the run with the best mean; None where the metric has no better end or no run has a mean."""
    better = summaries[0].spec.metric.better
    order = best_first(np.array([summary.mean for summary in summaries]), better)
    return order[0] if better and np.isfinite(summaries[order[0]].mean) else None


def _outcome_dict(comparison: Comparison) -> dict:
    """The outcome of a pair for JSON; null where a number is undefined."""
    numbers = {"difference": comparison.mean_difference, "low": comparison.low, "high": comparison.high,
               "p_corrected": comparison.p_corrected}
    return {"run": comparison.candidate, "outcome": comparison.outcome, "n": comparison.n,
            **{name: float(value) if np.isfinite(value) else None for name, value in numbers.items()}}


def _state(pairs: Sequence[Comparison], withheld: Sequence[RunCheck]) -> str:
    outcomes = [comparison.outcome for comparison in pairs]
    if withheld:
        return "not-comparable"
    if not pairs:
        return "one-run"
    if all(outcome == "worse" for outcome in outcomes):
        return "clear-winner"
    if "too-few" in outcomes and not any(comparison.tied for comparison in pairs):
        return "too-few"
    return "no-clear-difference" if any(comparison.tied for comparison in pairs) else "undefined"
