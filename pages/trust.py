"""Can the judge's verdicts be trusted?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.trust import page  # noqa: E402  (the shell must run first)

page.render()
