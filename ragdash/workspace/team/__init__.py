"""A workspace that several servers share: the list in PostgreSQL, files in a bucket, a folder or the database."""
