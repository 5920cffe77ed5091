"""Results as text, tables and files for other programs: one set of numbers, several spellings."""
