"""The Trust page: validates a judge against human labels."""
