"""Starts `make demo` and runs the README's Python snippets against it, as they stand there."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
SECONDS = 180.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(url: str, demo: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends:
        if demo.poll() is not None:
            sys.exit(f"make demo ended with {demo.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    sys.exit("make demo did not come up")


def main() -> int:
    readme = (ROOT / "README.md").read_text()
    snippets = re.findall(r"<!-- snippet: (\w+) -->\n```python\n(.*?)```", readme, re.DOTALL)
    port = free_port()
    demo = subprocess.Popen(["make", "demo", f"PORT={port}"], cwd=ROOT, start_new_session=True)
    try:
        wait_for(f"http://127.0.0.1:{port}/readyz", demo)
        for name, code in snippets:
            print(f"-- README snippet: {name}", flush=True)
            moved = code.replace("http://127.0.0.1:4100", f"http://127.0.0.1:{port}")
            subprocess.run([sys.executable, "-c", moved], check=True, timeout=60, cwd=ROOT)
    finally:
        os.killpg(demo.pid, signal.SIGTERM)
        demo.wait(20)
    print(f"{len(snippets)} README snippets ran")
    return 0 if snippets else 1


if __name__ == "__main__":
    sys.exit(main())
