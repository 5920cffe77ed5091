"""What is loaded, and can it be compared?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.data import page  # noqa: E402  (the shell must run first)

page.render()
