"""The documentation as a site: it builds without a warning, holds every docstring and asks no other server."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ragdash

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = re.compile(r"""(?:<script[^>]*\bsrc|<link[^>]*\bhref|<img[^>]*\bsrc)=["'](?:https?:)?//""")

pytest.importorskip("sphinx", reason='needs pip install "ragdash[docs]"')
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "docs", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_reference_has_the_docstring_of_every_public_name_and_method(site):
    page = (site / "start" / "python-reference.html").read_text(encoding="utf-8")
    for name in ragdash.__all__:
        if callable(getattr(ragdash, name)):
            assert f'id="ragdash.{name}"' in page, name
    assert 'id="ragdash.Run.from_frame"' in page and 'id="ragdash.ComparisonTable.assert_improved"' in page
    assert "The metrics to compare, such as" in page  # a parameter of compare


def test_every_document_is_in_the_site_and_in_its_sidebar(site):
    home = (site / "index.html").read_text(encoding="utf-8")
    for document in sorted((ROOT / "docs").rglob("*.md")):
        page = document.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert (site / page).is_file() and (f'href="{page}"' in home or page == "index.html"), page


def test_the_site_asks_no_other_server(site):
    for page in site.rglob("*.html"):
        if page.name != "example-report.html":  # a report has its own test
            assert not ELSEWHERE.search(page.read_text(encoding="utf-8")), page
