"""The order of rankings, and the look-up of judged documents in them."""
