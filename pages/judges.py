"""What would judging cost, how far is it, and what came of it?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import judge_asking, judge_exchange, judge_results, view, widgets  # noqa: E402

widgets.title("Judges", "What would judging cost, how far is it, and what came of it?")
now = view.current()
held = judge_results.results(now)
judge_results.finding(now, held)
judge_asking.panel(now)
if held is not None:
    judge_results.section(held)
judge_exchange.section(now, held)
