"""The Streamlit pages, and the only part of the package that imports streamlit."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # also under `streamlit run app.py`; why: ragdash.cli.main
