"""Are the answers right and grounded?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.answers import page  # noqa: E402  (the shell must run first)

page.render()
