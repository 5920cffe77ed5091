"""What is the result?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.overview import page  # noqa: E402  (the shell must run first)

page.render()
