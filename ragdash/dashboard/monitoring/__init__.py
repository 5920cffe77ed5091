"""Whether this server is ready, and numbers about it for Prometheus. Off unless asked for."""
