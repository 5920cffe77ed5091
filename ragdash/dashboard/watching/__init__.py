"""The log folder that `ragdash view` watches: its runs appear when they are closed, and their progress before."""
