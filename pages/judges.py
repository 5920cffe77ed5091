"""What would judging cost, how far is it, and what came of it?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.judges import page  # noqa: E402  (the shell must run first)

page.render()
