"""Which setting matters?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.compare.variants import page  # noqa: E402  (the shell must run first)

page.render()
