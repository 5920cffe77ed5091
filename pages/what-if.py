"""Would a hybrid of these runs be better?"""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard.pages.what_if import page  # noqa: E402  (the shell must run first)

page.render()
