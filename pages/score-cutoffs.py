"""What if documents below a score were dropped?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.rankings.score_cutoffs import page  # noqa: E402  (the shell must run first)

page.render()
