"""The same tool loops with openai 2.x and 1.x, each in a virtual environment of its own.

`TOOLWIRE_REQUIRE=all` makes a missing environment (`.venv-openai-N` beside `pyproject.toml`) once; otherwise its test
is skipped.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import venv
from pathlib import Path

import openai
import pytest

from tests.contract.chats import WAYS, loop
from tests.serving import Served

ROOT = Path(__file__).parents[2]
PINNED = {"1": "openai==1.109.1", "2": "openai==2.54.0"}
MODELS = ("openai-chat/agent", "anthropic-messages/agent")


def interpreter(major: str) -> Path:
    """The Python that has this openai; skips where there is none and none is asked for."""
    home = ROOT / f".venv-openai-{major}"
    python, made = home / "bin" / "python", home / PINNED[major]
    if made.exists():
        return python
    if os.environ.get("TOOLWIRE_REQUIRE") != "all":
        pytest.skip(f"no {home.name} with {PINNED[major]}: TOOLWIRE_REQUIRE=all makes it")
    home.mkdir(exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            venv.create(home, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-q", PINNED[major]], check=True)
            made.touch()
    return python


@pytest.mark.timeout(300)
@pytest.mark.parametrize("major", PINNED)
def test_loops(served: Served, chat: openai.OpenAI, major: str) -> None:
    script = Path(__file__).with_name("older_client.py")
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [interpreter(major), script, f"{served.base}/v1", *MODELS], capture_output=True, text=True, timeout=100,
        env=environ, check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout)
    assert told["version"] == PINNED[major].partition("==")[2]
    assert len(told["calls"]) == len(MODELS) * 2 * len(WAYS)
    mine = {model: loop(chat, WAYS[0], model, 2) for model in MODELS}
    for model, calls in mine.items():
        for way in WAYS:
            assert told["calls"][f"{model} 2 {way.__name__}"] == [list(call) for call in calls]


