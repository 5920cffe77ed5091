"""The Judge validation tab: validates a judge against human labels."""
