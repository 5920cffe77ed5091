"""The engines that tests run over. The tests of Ray share one small cluster of this machine, on loopback alone."""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ragdash.models.engines import open_engine

HERE = Path(__file__).parent
IMPORTABLE = (HERE.parents[1], HERE.parent, HERE)  # for what workers are given


@pytest.fixture(scope="session")
def cluster():
    """Two workers of one core, started by this process and ended with it."""
    if find_spec("ray") is None:
        pytest.skip('ray is not installed: pip install -e ".[ray]"')
    settings = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token",
                "RAY_AUTH_TOKEN": secrets.token_hex(16), "PYTHONPATH": os.pathsep.join(map(str, IMPORTABLE))}
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        for name, value in settings.items():
            patch.setenv(name, value)
        import ray

        ray.init(num_cpus=2, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False,
                 logging_level="ERROR", _temp_dir=folder)
        yield
        ray.shutdown()


@pytest.fixture(params=["local", pytest.param("ray", marks=pytest.mark.slow)])
def engine(request):
    """Each engine in turn."""
    if request.param == "ray":
        request.getfixturevalue("cluster")
    return open_engine(request.param)
