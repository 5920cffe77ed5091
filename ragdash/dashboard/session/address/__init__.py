"""The address of a view: how it is kept short, and which of two addresses is the newer one."""
