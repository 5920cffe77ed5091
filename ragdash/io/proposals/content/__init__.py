"""What the values of a record are under a reading: ids, texts, grades, times."""
