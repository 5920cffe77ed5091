"""One folder per page of the dashboard; `page.py` draws it."""
