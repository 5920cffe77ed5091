"""Pictures: pure functions from numbers to plotly figures. No files, no pages, no state."""
