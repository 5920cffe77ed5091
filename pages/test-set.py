"""Are these generated questions good?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import widgets  # noqa: E402  (the shell must run first)

widgets.title("Test set", "Are these generated questions good?")
