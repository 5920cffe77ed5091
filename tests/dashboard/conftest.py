"""The fixtures of the dashboard's tests; they are in live_dashboard.py, where tests can import its helpers too."""

from live_dashboard import *  # noqa: F403
