"""Can the judge's verdicts be trusted?"""

from ragdash.ui import shell

shell.ensure()

from ragdash.ui import state, trust_apart, trust_kept, trust_labelling, trust_shown, view, widgets  # noqa: E402

widgets.title("Trust", "Can the judge's verdicts be trusted?")
held = trust_shown.choices(view.current())
if state.get(state.DESK) == "label":
    trust_labelling.labelling(held)
elif state.get(state.DESK) == "kept":
    trust_kept.kept(held)
elif held.lacking:
    trust_shown.untrained(held)
else:
    trust_shown.finding(held)
    trust_shown.estimates(held)
    trust_shown.agreements(held)
    trust_shown.differences(held)
    trust_apart.one_run(held)
