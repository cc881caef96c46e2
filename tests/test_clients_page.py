"""`docs/clients.md` shows what is run."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "clients.md"


def test_the_page_shows_the_settings_that_are_tried() -> None:
    command = [sys.executable, "tests/clients/page.py"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    assert PAGE.read_text() == made.stdout, "run: make docs"


def test_settings_in_files_are_written_in_an_empty_home(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.S)
    written = [name for block in blocks for name in re.findall(r"cat > ([^\s<]+)", block)]
    assert len(written) == 4
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run(["sh", "-eu", "-c", "\n".join(blocks)], cwd=tmp_path, env=environ, check=True)
    for name in written:
        assert (tmp_path / name.removeprefix("~/")).read_text(), name
