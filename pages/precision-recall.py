"""How do the metrics change with the cutoff k?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.rankings import precision_recall  # noqa: E402  (the shell must run first)

precision_recall.render()
