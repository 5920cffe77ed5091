"""Columns of a file on the Data page: a reading that is proposed, or what each column means, kept under a name."""
