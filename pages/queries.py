"""Why does this query fail?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.queries import page  # noqa: E402  (the shell must run first)

page.render()
