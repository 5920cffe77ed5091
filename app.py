"""The dashboard: `streamlit run app.py`, or `ragdash dashboard`."""

from ragdash.dashboard import shell

shell.main()
