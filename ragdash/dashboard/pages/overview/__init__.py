"""The Overview page: the result in one sentence, a card per run, open checks; before that, how to start."""
