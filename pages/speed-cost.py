"""What does it cost?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.speed_cost import page  # noqa: E402  (the shell must run first)

page.render()
