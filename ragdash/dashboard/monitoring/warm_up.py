"""What the first page of a server would otherwise wait for: the modules of all pages and the packages they use."""

from __future__ import annotations

import gc
import importlib
import inspect
import logging
import pkgutil

PACKAGES = ("pandas", "pandas.io.formats.style", "scipy.stats", "plotly.graph_objects", "pyarrow.compute",
            "pyarrow.pandas_compat", "pyarrow.parquet", "PIL.Image", "streamlit.material_icon_names",
            "ragdash.dashboard.shell")


def warm_up() -> None:
    """Import them. It takes about two seconds of processor time, which no visitor waits for then."""
    from ragdash.dashboard import pages

    modules = [module.name for module in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}.")]
    logging.disable(logging.WARNING)  # Streamlit warns at each cached function that no server runs yet
    try:
        for name in (*PACKAGES, *modules):
            importlib.import_module(name)
        inspect.stack()  # Streamlit looks at it before its first element, which looks up the file of every module
    finally:
        logging.disable(logging.NOTSET)
    gc.collect()
    gc.freeze()  # the first page would look through all of it when its runs are loaded
