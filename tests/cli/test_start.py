"""What a command imports before it does its work: the start of the program is most of the time of a short command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import ragdash

SAMPLES = Path(ragdash.__file__).parents[1] / "sample_runs"
AT_ONCE = {"numpy", "pyarrow", "ragdash.core.records", "ragdash.io"}
JUDGES = {"ragdash.models.judge", "ragdash.models.local", "ragdash.matching.views.judged", "sqlite3"}
RESULTS = {"ragdash.analysis", "ragdash.evaluation", "ragdash.experiments", "ragdash.reporting", "ragdash.workspace"}
HEAVY = {"pandas", "scipy", "plotly", "streamlit", "torch", "requests", "rapidfuzz", "jinja2", "openpyxl", "numpy.ma"}
UNASKED = {"pandas", "scipy.stats", "plotly", "streamlit", "requests", "ragdash.models.judge.endpoint",
           "ragdash.analysis.test_set.check", "ragdash.core.text.refusals.positions",
           "ragdash.core.text.amounts.quantities"}
NEVER = {  # what a command, with its work done, must not have imported
    ("--version",): AT_ONCE | JUDGES | RESULTS | HEAVY,
    ("metrics",): JUDGES | RESULTS | HEAVY | {"ragdash.io"},
    ("check", "dense.jsonl"): JUDGES | RESULTS | HEAVY | {"ragdash.metrics", "ragdash.matching.match"},
    ("check", "truth.jsonl"): JUDGES | RESULTS | HEAVY | {"ragdash.metrics", "ragdash.matching.match"},
    ("evaluate", "dense.jsonl", "--truth", "truth.jsonl"): UNASKED,
    ("compare", "dense.jsonl", "sparse.jsonl", "--truth", "truth.jsonl"): UNASKED,
}


@pytest.mark.parametrize("arguments", NEVER, ids=" ".join)
def test_a_command_imports_nothing_that_its_work_does_not_need(arguments):
    code = ("import sys\nfrom ragdash.cli.main import main\ntry:\n    status = main(sys.argv[1:])\n"
            "except SystemExit as exit:\n    status = exit.code or 0\nprint('---', status, *sys.modules)")
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True,
                          cwd=SAMPLES)
    output, _, modules = done.stdout.rpartition("--- ")
    status, *imported = modules.split()
    assert status == "0" and output.strip()
    assert sorted(NEVER[arguments] & set(imported)) == []


def test_pandas_is_there_for_whoever_asks_after_a_command_left_it_out():
    code = ("import sys\nimport pyarrow as pa\nfrom ragdash.core.arrow_columns import leave_pandas_out\n"
            "leave_pandas_out()\nassert pa.array([1, None]).to_pylist() == [1, None]\n"
            "assert 'pandas' not in sys.modules\n"
            "import pandas as pd\nassert pa.array(pd.Series(['x', None, float('nan')])).null_count == 2\n"
            "frame = pa.table({'a': ['x', None]}).to_pandas()\nassert frame['a'].isna().tolist() == [False, True]\n"
            "assert pa.Table.from_pandas(pd.DataFrame({'a': [1.5]}))['a'].to_pylist() == [1.5]\nleave_pandas_out()\n"
            "assert 'pandas' in sys.modules and pa.array(pd.Series([float('nan')])).null_count == 1")
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64, np.uint8])
def test_a_plain_array_is_the_array_of_pyarrow(dtype):
    from ragdash.core.arrow_columns import plain_array

    numbers = np.arange(12).astype(dtype)
    for part in (numbers, numbers[::2], numbers[:0], numbers[3:7]):
        assert plain_array(part).equals(pa.array(part))


def test_what_pages_compute_does_not_import_the_half_second_of_scipy_stats():
    code = ("import sys\nimport numpy as np\n"
            "from ragdash.analysis.comparability.run_coverage import look_like_distances\n"
            "from ragdash.core.records import Run\nfrom ragdash.evaluation.compute import exact_interval\n"
            "from ragdash.evaluation.stats.multiple_testing import benjamini_hochberg\n"
            "assert benjamini_hochberg([0.01, 0.02]).tolist() == [0.02, 0.02]\n"
            "low, high = exact_interval(np.zeros(100), 0.95)\nassert low == 0 and round(high, 3) == 0.036\n"
            "run = Run.build('a', ['q'] * 9, [f'd{i}' for i in range(9)], np.arange(9.0))\n"
            "assert look_like_distances(run, 1, 1)\nassert 'scipy.stats' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)
