"""One cheap look at a page in a real browser: it draws itself, and hostile texts stay text."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reports.page.document import write_page
from reports.runs.run_folder import RunFolder
from tests.twins import write_run

CHROMIUM = shutil.which("chromium")
HOSTILE = '</script><img src=x onerror="document.title=1">'


@pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium on PATH")
def test_the_page_draws_itself_and_hostile_texts_stay_text(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"x/a": "cwm", f"y/{HOSTILE}": "ccm"}, ids=[f"{n}{HOSTILE}" for n in range(3)])
    page = write_page(RunFolder(run), tmp_path / "report.html")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    flags += ["--disable-component-update", f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000"]
    line = [str(CHROMIUM), *flags, "--dump-dom", f"{page.as_uri()}#samples"]
    dom = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True).stdout
    drawn = re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)
    assert 'data-ready="yes"' in drawn
    assert drawn.count('class="row"') == 3
    assert "&lt;/script&gt;&lt;img src=x onerror=" in drawn
    assert "<img" not in drawn
