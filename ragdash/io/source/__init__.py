"""Opens what is read: paths, uploads, archives, compressed files; limits."""
