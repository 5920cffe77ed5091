"""Why does this query fail?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import judged_notes, one_query, querying, view, widgets  # noqa: E402  (the shell must run first)

widgets.title("Queries", "Why does this query fail?")
now = view.current()
specs, unfit = view.measurable(now, [now.spec])
widgets.problems(unfit, "metric")
if not specs:
    raise view.PageEnds

desk = querying.desk(now, specs[0])
asked, facts = querying.filters(desk)
judged_notes.note(now, specs, quiet=True)
rows = querying.table(desk, asked, facts)
one_query.show(desk, rows)
