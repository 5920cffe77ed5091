"""The address of an earlier version; opens Answers."""

from ragdash.dashboard import shell

shell.ensure()

from ragdash.dashboard import page_list  # noqa: E402  (the shell must run first)

page_list.redirect("judges")
