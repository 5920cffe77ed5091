"""A recipe as code for an engine, and the reference of methods, normalizations and presets."""
