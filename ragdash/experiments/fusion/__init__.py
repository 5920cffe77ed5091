"""Would a hybrid of these runs be better? Fusion of runs by every common method and in engines' dialects."""
