"""The commands of `ragdash`, one file each."""
