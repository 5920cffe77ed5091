"""Is it good enough?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.threshold_bands import page  # noqa: E402  (the shell must run first)

page.render()
