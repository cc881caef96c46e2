"""The share of `tool_check: report` in a request, counted in instructions, which a busy machine does not change.

    python bench/instructions.py

Requests go through the whole application without sockets (`bench/tool_check.py`), so that the share is rather too
large than too small. Two runs of different length give the cost of a request without start-up. Needs `perf` with a
hardware counter (seconds), else `valgrind` (minutes).
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import tool_check

FEW, MANY = 20, 220
PERF = ["perf", "stat", "-x,", "-e", "instructions:u"]
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


async def play(mode: str, stream: bool, count: int) -> None:
    """So many requests of one mode."""
    app = tool_check.application()
    app._transports["aiohttp"] = tool_check.answered(stream)  # type: ignore[assignment]
    app.reload(app.gateway.config)
    body = tool_check.asked(mode, stream)
    for _ in range(count):
        await tool_check.once(app, body)


def counter() -> list[str]:
    """The command that counts another's instructions."""
    for command in (PERF, VALGRIND):
        if which(command[0]) and counted(command, ["-c", ""]) is not None:
            return command
    sys.exit("needs perf with a hardware counter, or valgrind")


def counted(command: list[str], arguments: list[str]) -> int | None:
    """Instructions of Python with these arguments; None where they cannot be counted."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    ran = [*command, sys.executable, *arguments]
    done = subprocess.run(ran, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    found = re.search(r"^(\d+),[^\n]*instructions:u|I +refs: +([\d,]+)", done.stderr, re.MULTILINE)
    return int((found[1] or found[2]).replace(",", "")) if found else None


def main() -> None:
    command = counter()
    runs = [(m, s, n) for s in (False, True) for m in ("off", "report") for n in (FEW, MANY)]

    def run(one: tuple[str, bool, int]) -> int:
        mode, stream, count = one
        found = counted(command, [__file__, mode, str(int(stream)), str(count)])
        assert found is not None
        return found

    with ThreadPoolExecutor(os.cpu_count() if command is VALGRIND else 1) as pool:
        found = dict(zip(runs, pool.map(run, runs), strict=True))
    print(f"instructions of a request, by {command[0]}: 20 tools, one call of 300 characters")
    for stream in (False, True):
        off, report = (
            (found[mode, stream, MANY] - found[mode, stream, FEW]) / (MANY - FEW) for mode in ("off", "report")
        )
        what = "streamed, 100 deltas" if stream else "whole"
        print(f"  {what:24}off {off:12,.0f}   report + {report - off:9,.0f}   {100 * (report / off - 1):5.2f} %")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        asyncio.run(play(sys.argv[1], sys.argv[2] == "1", int(sys.argv[3])))
    else:
        main()
