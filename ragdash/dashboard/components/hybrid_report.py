"""The report's section "Would a hybrid help?", computed when the report is downloaded: the answer of What-if."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragdash.core.errors import InputError
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.experiments.fusion.export.snippets import python_snippet
from ragdash.experiments.fusion.legs.answer import answer_of
from ragdash.metrics import Spec
from ragdash.reporting.html.content import HybridAnswer


def is_possible(context: PageContext) -> bool:
    """Whether there is something to fuse: two runs with rankings, and judgments of documents by id."""
    scope = context.scope
    ranked = [digest for digest in context.digests if scope.match_by_id(digest).run.has_rankings]
    return len(ranked) > 1 and bool(scope.truth.judgments) and not scope.by_evidence


def maker(context: PageContext, specs: Sequence[Spec]) -> Callable[[], HybridAnswer]:
    """A call that computes the answer for the runs chosen on What-if, else for those that What-if begins with; what it
    needs of the session is taken now.
    """
    asked = [digest for digest in state.get(state.FUSED_RUNS) or () if digest in context.digests]
    digests = asked if len(asked) > 1 else [context.digests[index] for index in what_if_cache.runs_to_fuse(
        context.digests, context.names, context.scope, context.selection.spec)]
    names = [context.names[context.digests.index(digest)] for digest in digests]
    scope, spec = context.scope, context.selection.spec

    def answer() -> HybridAnswer:
        try:
            pool = what_if_cache.pool(digests, names, scope)
            choice = what_if_cache.choice(pool, digests, names, scope, spec, None)
        except InputError as error:
            return HybridAnswer(spec.title, (f"No hybrid was tried: {error.problems[0].actual}.",))
        also = [other for other in specs if other != spec and other.metric.view == "Ranked" and other.metric.better]
        result = answer_of(pool, choice, also, queries=scope.queries)
        others = [name for name in context.names if name not in names]
        return HybridAnswer.of(result, python_snippet(choice.recipe, names), others=others)

    return answer
