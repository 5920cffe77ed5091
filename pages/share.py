"""How do I show it?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import sharing, view, widgets  # noqa: E402  (the shell must run first)

widgets.title("Share", "How do I show it to others?")
now = view.current()
specs = sharing.specs(now)
if not specs:
    raise view.PageEnds

sharing.report(now, specs)
sharing.tables(now, specs)
sharing.pictures(now, specs)
sharing.links()
