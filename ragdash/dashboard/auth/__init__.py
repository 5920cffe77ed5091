"""Who may see and change what: login and roles."""
