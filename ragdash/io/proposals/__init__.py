"""Propose a reading for a file that no format recognizes, and read a file as a reading says.

`records` finds the lists of records in a file, `fields` flattens and profiles them, `names` knows what names mean,
`roles` gives each field a meaning, `reading` is the result, `build` makes runs and truth of it.
"""
