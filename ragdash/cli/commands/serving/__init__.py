"""Commands of the dashboard's server and its storage."""
