"""The Variants page: many runs with other settings."""
