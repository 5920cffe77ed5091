"""The truths of a session: those that files hold, and versions of the one in use."""
