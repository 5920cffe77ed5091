"""What does judging cost, how far is it, and what came of it?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import widgets  # noqa: E402  (the shell must run first)

widgets.title("Judges", "What does judging cost, how far is it, and what came of it?")
