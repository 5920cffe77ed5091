"""What should I fix first?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.failures import page  # noqa: E402  (the shell must run first)

page.render()
