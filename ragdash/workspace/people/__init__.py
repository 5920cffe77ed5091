"""Who did what in a workspace, and the data of one person in it."""
