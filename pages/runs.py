"""What have I loaded?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.runs import page  # noqa: E402  (the shell must run first)

page.render()
