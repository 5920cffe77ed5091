"""Are these generated questions good?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import testset_one, testset_table, testsets, widgets  # noqa: E402  (the shell must run first)

widgets.title("Test set", "Are these generated questions good?")
desk = testsets.desk()
testset_table.summary(desk)
rows = testset_table.table(desk)
testset_one.show(desk, rows)
testset_table.take_along(desk)
