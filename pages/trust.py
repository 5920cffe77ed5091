"""Can the judge's verdicts be trusted?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import widgets  # noqa: E402  (the shell must run first)

widgets.title("Trust", "Can the judge's verdicts be trusted?")
