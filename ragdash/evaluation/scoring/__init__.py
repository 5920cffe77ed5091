"""Plans and runs local models and judges: which texts a metric needs, how long that takes, and the work itself.

Run in a process of its own (`python -m ragdash score`); evaluations read the cache. Each distinct text goes to the
model once, longest first, in blocks that are stored as soon as they are done, so that a stopped run can continue.
"""
