"""`docs/clients.md` shows what is run."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_page_shows_the_settings_that_are_tried() -> None:
    command = [sys.executable, "tests/clients/page.py"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    assert (ROOT / "docs" / "clients.md").read_text() == made.stdout, "run: make docs"
