"""Where does the first good document stand?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.rankings.ranking import page  # noqa: E402  (the shell must run first)

page.render()
