"""How do the metrics change with the cutoff k?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.rankings.precision_recall import page  # noqa: E402  (the shell must run first)

page.render()
