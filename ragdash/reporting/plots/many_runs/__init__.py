"""Pictures of many runs at once: how alike they are, and what their settings do."""
