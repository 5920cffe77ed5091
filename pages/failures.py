"""What should I fix first?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import failing_together, failures, losses, query_exports, view, widgets  # noqa: E402  (the shell first)

widgets.title("Failures", "What should I fix first?")
now = view.current()
specs, unfit = view.measurable(now, [now.spec])
widgets.problems(unfit, "metric")

found = losses.losses(now, specs[0] if specs else None)
failures.finding(found)
failures.choices(found)
failures.way(found)
failures.stages(found)
failures.attributes(found)
failing_together.traits(found)
failing_together.clusters(found)
query_exports.failing(found)
