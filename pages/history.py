"""Is it getting better?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.history import page  # noqa: E402  (the shell must run first)

page.render()
