"""PostgreSQL and its blobs. Imported only where a workspace is one: it needs `ragdash[team]`."""
