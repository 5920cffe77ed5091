"""Which configuration is best?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.leaderboard import page  # noqa: E402  (the shell must run first)

page.render()
