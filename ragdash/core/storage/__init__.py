"""Where data is kept: SQLite files in a folder, or a PostgreSQL database with blobs that several servers share."""
