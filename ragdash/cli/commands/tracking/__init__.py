"""Commands that follow runs over time: pin a baseline, gate a run against it, print a history."""
