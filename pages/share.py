"""How do I show it?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.share import page  # noqa: E402  (the shell must run first)

page.render()
