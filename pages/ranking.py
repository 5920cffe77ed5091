"""Where does the first good document stand?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.rankings import ranking  # noqa: E402  (the shell must run first)

ranking.render()
