"""What numbers in a text are made of: dates and times, units, words, fractions and ordinals."""
