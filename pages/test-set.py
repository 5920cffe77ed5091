"""Are these generated questions good?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.test_set import page  # noqa: E402  (the shell must run first)

page.render()
