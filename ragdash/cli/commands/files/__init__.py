"""Commands that read files and say what is in them, or write them in another way."""
