"""What goes wrong: queries without a relevant document, and the first stage at which each query went wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from ragdash.analysis.diagnosis import FINE, STAGES, Diagnosis, Gain, Rules, diagnose
from ragdash.evaluation.compare import comparable
from ragdash.metrics import parse_spec
from ragdash.reporting.html.blocks import Facts, Grid, Heading, Section, Words
from ragdash.reporting.html.content import Content
from ragdash.reporting.html.sections import cells
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences.fmt import count, escape


def failures(content: Content, title: str) -> Section:
    """How many queries find nothing relevant in each run and in all, then the stages."""
    return Section("failures", title, [*_missed(content), *_stages(content)])


def _missed(content: Content) -> list:
    """Queries without a relevant document among the first k."""
    spec = parse_spec(f"Success@{content.request.k}")
    found = np.array([one.column(spec) for one in content.evaluate([spec])])
    known = np.isfinite(found).all(axis=0)
    if not known.any():
        return [Words("No query has a relevant document, so none can be missed.")]
    missed = found[:, known] == 0
    n, every = int(known.sum()), int(missed.all(axis=0).sum())
    alone = (~missed) & (missed.sum(axis=0) == len(missed) - 1)
    several = len(missed) > 1
    rows = [[cells.run(name, slot), f"{int(row.sum()):,}", f"{row.mean():.0%}",
             *([f"{int(only.sum()):,}"] if several else [])]
            for name, slot, row, only in zip(content.names, content.slots, missed, alone, strict=True)]
    said = (f"Of {count(n, 'query', 'queries')} with a relevant document, {every:,} ({every / n:.0%}) have none among "
            f"the first {content.request.k:,} of {'any run' if several else escape(content.names[0])}.")
    header = ["Run", "Queries with none", "Share", *(["Found by this run alone"] if several else [])]
    return [Words(said), Grid(f"Nothing relevant among the first {content.request.k:,} documents", header, rows,
                              frozenset({1, 2, 3}))]


def _stages(content: Content) -> list:
    """The first stage at which each query went wrong, and what fixing it could gain at most."""
    rules = Rules(k=content.request.k)
    found = [diagnose(match, rules) for match in content.request.matches]
    gains = [_gains(content, at, one) for at, one in enumerate(found)]
    counts = np.array([one.counts(content.inside) for one in found])
    shown = [at for at in range(len(STAGES)) if counts[:, at].any()]
    rows = [[STAGES[at].title, *(_cell(content, int(counts[run, at]), gains[run], at) for run in range(len(found)))]
            for at in shown]
    header = ["Stage", *(cells.run(name, slot) for name, slot in zip(content.names, content.slots, strict=True))]
    note = ("Each query stands at the first stage at which it went wrong, as far as that can be assessed; those that "
            "are fine are counted too.")
    if any(gains):
        note += (f" In small: by how much the mean {content.lead.title} could rise at most if every query of the stage "
                 "were fixed.")
    fixes = [(STAGES[at].title, f"{STAGES[at].meaning} {STAGES[at].fix}") for at in shown if at != FINE]
    return [Heading("Where queries go wrong first"), Words(_worst(content, counts)),
            Grid(f"Queries by stage, of {int(content.inside.sum()):,}", header, rows), Words(note, quiet=True),
            *([Heading("What usually fixes it"), Facts(fixes)] if fixes else [])]


def _gains(content: Content, at: int, one: Diagnosis) -> Sequence[Gain]:
    """By stage; none where a part of the queries counts or the metric has no better end."""
    evaluation = content.evaluations[at]
    fits = content.inside.all() and comparable(evaluation, [content.lead])[0]
    return one.gains(evaluation, content.lead) if fits else ()


def _cell(content: Content, many: int, gains: Sequence[Gain], at: int) -> Markup:
    total = max(int(content.inside.sum()), 1)
    cell = Markup("{:,} ({:.0%})").format(many, many / total)
    gain = gains[at].at_most if at != FINE and many and len(gains) > at else np.nan
    if not np.isfinite(gain):
        return cell
    return cell + Markup(' <span class="quiet">{}</span>').format(f"at most {fmt.number(gain, signed=True)}")


def _worst(content: Content, counts: np.ndarray) -> str:
    """Where most of each run's queries go wrong, those with the same stage together."""
    lines = []
    wrong = counts[:, :FINE]
    for stage in dict.fromkeys(int(row.argmax()) for row in wrong if row.any()):
        runs = [f"**{escape(name)}** ({int(row[stage]):,} of {int(row.sum()):,})"
                for name, row in zip(content.names, wrong, strict=True) if row.any() and int(row.argmax()) == stage]
        lines.append(f"{fmt.listed(runs)} lose{'s' if len(runs) == 1 else ''} most at “{STAGES[stage].title}”")
    return f"Of the queries that go wrong {'; '.join(lines)}." if lines else "Nothing goes wrong that can be assessed."
