"""The dashboard: `streamlit run app.py`, or `ragdash dashboard`."""

from ragdash.ui import shell

shell.main()
