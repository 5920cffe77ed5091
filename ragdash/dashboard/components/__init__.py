"""Parts that several pages draw: tables, curves, links to queries."""
