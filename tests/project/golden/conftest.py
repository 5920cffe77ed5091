"""The pages of the golden files are opened as those of the dashboard's tests are."""

from live_dashboard import quick_app_tests  # noqa: F401
