"""Is the difference real?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.compare import page  # noqa: E402  (the shell must run first)

page.render()
