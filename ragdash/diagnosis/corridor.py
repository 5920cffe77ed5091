"""(Match, Rules, Corpus) -> Diagnosis: every check of the corridor for every query, and the first that fails."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from ragdash.bands import bands_of
from ragdash.diagnosis.corpus import Corpus
from ragdash.diagnosis.gains import Best
from ragdash.diagnosis.kinds import kinds
from ragdash.diagnosis.result import Diagnosis
from ragdash.diagnosis.rules import Rules
from ragdash.diagnosis.stages import FINE, STAGES
from ragdash.evaluation import Evaluation
from ragdash.matching import Match
from ragdash.metrics import Spec, parse_specs


def text_specs() -> tuple[Spec, ...]:
    """What the checks of answers look at: evaluate them once (a page keeps them) and pass them to `diagnose`."""
    return parse_specs(["EM", bands_of("TokenF1")[0].spec, "Refusal", "SupportCoverage"])


def diagnose(match: Match, rules: Rules | None = None, corpus: Corpus | pa.Array | Iterable[str] | None = None,
             answers: Evaluation | None = None) -> Diagnosis:
    """The first stage at which each query went wrong. answers: the run evaluated on text_specs()."""
    q = len(match.query_ids)
    known = np.zeros((len(STAGES), q), bool)
    return Diagnosis(match.run.name, match.run.digest, match.truth.digest, match.query_ids, rules or Rules(),
                     np.full(q, FINE, np.int8), known, {}, kinds(match.truth), Best(q))
