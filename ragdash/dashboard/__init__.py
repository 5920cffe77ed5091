"""The Streamlit pages, and the only part of the package that imports streamlit."""
