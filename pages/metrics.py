"""What does each number mean?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.metrics import page  # noqa: E402  (the shell must run first)

page.render()
