"""Runs deploy/Dockerfile's own instructions without a container engine, then the image as compose.yaml runs it.

    python tests/deploy/image.py ROOT        as root on Linux; ROOT is what `debootstrap` made, with python3 and venv:
    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates trixie ROOT

Each stage is an overlay over ROOT (in place of python:X-slim, which has Debian and Python too) in a mount namespace of
its own. The last one is started read-only, as the USER, without capabilities, with ENTRYPOINT and CMD: its HEALTHCHECK
must pass, a request must be answered, SIGTERM must end it with 0. What no engine is here to judge: the base images,
layers and their caching, what `docker build` says of a wrong instruction (hadolint does), published ports.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from string import Template

HERE = Path(__file__).resolve()
DEPLOY = HERE.parents[2] / "deploy"
PORT = 4187
CONFIG = """\
clients: [{name: team-a, key: team-key}]
providers: {up: {api: openai-chat, base_url: "http://127.0.0.1:9/v1", api_key: k}}
models: {one: {target: up/m, retry: {attempts: 1}}}
"""
HOST_FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs", "/etc/xdg/pip")
"""How this host reaches its package index; only while RUN lines run."""
HOST_NAMES = ("PIP_", "SSL_", "HTTP_", "HTTPS_", "NO_PROXY", "http", "no_proxy")


def instructions() -> list[tuple[str, str]]:
    """(NAME, rest) of each instruction, continued lines joined."""
    text = re.sub(r"^\s*#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.M).replace("\\\n", " ")
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in text.splitlines() if line)]


def ignored(path: str) -> bool:
    """By Dockerfile.dockerignore: the last pattern that matches the path or a folder above it decides."""
    verdict = False
    above = [path, *(str(folder) for folder in Path(path).parents if str(folder) != ".")]
    for line in (DEPLOY / "Dockerfile.dockerignore").read_text().split():
        pattern = line.removeprefix("!").removeprefix("**/")
        if any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(Path(name).name, pattern) for name in above):
            verdict = not line.startswith("!")
    return verdict


class Stage:
    """One FROM: a root file system, and what the instructions set."""

    def __init__(self, base: Path, folder: Path) -> None:
        self.root = folder / "root"
        for name in ("root", "upper", "work"):
            (folder / name).mkdir(parents=True)
        layers = f"lowerdir={base},upperdir={folder / 'upper'},workdir={folder / 'work'}"
        self._mounted: list[Path] = []
        self.mount("overlay", self.root, "-t", "overlay", "-o", layers)
        for name in ("bin/python3", "bin/pip3"):  # the base image has them without the number
            link = self.root / "usr" / name.removesuffix("3")
            if not link.exists():
                link.symlink_to(Path(name).name)
        self.environ = {"PATH": "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin", "HOME": "/root"}
        self.folder, self.user, self.said = "/", "0", dict[str, str]()

    def mount(self, what: str, where: Path, *options: str) -> None:
        subprocess.run(["mount", *options, what, str(where)], check=True)
        self._mounted.append(where)

    def unmount(self, left: int = 0) -> None:
        while len(self._mounted) > left:
            subprocess.run(["umount", "-l", str(self._mounted.pop())], check=True)

    def inside(self, path: str) -> Path:
        return self.root / os.path.normpath(os.path.join(self.folder, path)).lstrip("/")

    def run(self, command: str) -> None:
        """A RUN line, with the host's network and package index."""
        kept = len(self._mounted)
        for path in map(Path, HOST_FILES):
            if path.exists():
                inside = self.root / str(path).lstrip("/")
                inside.parent.mkdir(parents=True, exist_ok=True)
                inside.mkdir(exist_ok=True) if path.is_dir() else inside.touch()
                self.mount(str(path), inside, "--bind", "-o", "ro")
        self.mount("proc", self.root / "proc", "-t", "proc")
        host = {name: value for name, value in os.environ.items() if name.startswith(HOST_NAMES)}
        self._chroot(["sh", "-ec", f"cd {self.folder}; {command}"], {**host, **self.environ})
        self.unmount(kept)

    def _chroot(self, command: list[str], environ: dict[str, str]) -> None:
        print("RUN", shlex.join(command), flush=True)
        subprocess.run(["chroot", str(self.root), *command], check=True, env=environ)


def copied(stage: Stage, sources: list[str], target: str, origin: Path, context: bool) -> None:
    """A COPY: folders by their contents; from the context, what .dockerignore leaves."""
    to = stage.inside(target)
    for source in sources:
        found = origin / source.lstrip("/")
        if context and ignored(source):
            sys.exit(f"COPY {source}: .dockerignore leaves it out")

        def left_out(folder: str, names: list[str]) -> list[str]:
            return [name for name in names if context and ignored(str((Path(folder) / name).relative_to(origin)))]

        if found.is_dir():
            shutil.copytree(found, to, symlinks=True, dirs_exist_ok=True, ignore=left_out)
        else:
            to.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, to)


def built(base: Path, scratch: Path) -> Stage:
    """The last stage, after all instructions."""
    stages: dict[str, Stage] = {}
    stage: Stage | None = None
    for name, rest in instructions():
        if name == "ARG":
            continue
        if name == "FROM":
            label = rest.partition(" AS ")[2] or str(len(stages))
            stage = stages[label] = Stage(base, scratch / label)
            continue
        assert stage is not None
        match name:
            case "WORKDIR":
                stage.folder = rest
                stage.inside(".").mkdir(parents=True, exist_ok=True)
            case "COPY":
                words = rest.split()
                from_stage = stages[words.pop(0).removeprefix("--from=")] if words[0].startswith("--from=") else None
                origin = from_stage.root if from_stage else DEPLOY.parent
                copied(stage, words[:-1], words[-1], origin, from_stage is None)
            case "RUN":
                stage.run(rest)
            case "ENV":
                for word in shlex.split(rest):
                    key, _, value = word.partition("=")
                    stage.environ[key] = Template(value).substitute(stage.environ)
            case "USER":
                stage.user = rest
            case "HEALTHCHECK" | "ENTRYPOINT" | "CMD" | "STOPSIGNAL" | "EXPOSE":
                stage.said[name] = rest
            case _:
                sys.exit(f"{name}: not known to this script")
    assert stage is not None
    return stage


def locked(stage: Stage, command: list[str]) -> list[str]:
    """The command in the image as its user, without capabilities."""
    own = ["setpriv", "--reuid", stage.user, "--regid", stage.user, "--clear-groups", "--no-new-privs",
           "--bounding-set", "-all", "--inh-caps", "-all"]
    return ["chroot", str(stage.root), *own, "--", "sh", "-c", f'cd {stage.folder}; exec "$@"', "sh", *command]


def tried(stage: Stage) -> None:
    """The image as compose.yaml runs it: read-only, /tmp in memory, the config mounted."""
    config = stage.inside("/etc/toolwire/toolwire.yaml")
    config.parent.mkdir(parents=True)
    config.write_text(CONFIG)
    stage.mount("tmpfs", stage.root / "tmp", "-t", "tmpfs")
    stage.mount("proc", stage.root / "proc", "-t", "proc")
    subprocess.run(["mount", "-o", "remount,ro", str(stage.root)], check=True)
    environ = {**stage.environ, "TOOLWIRE_PORT": str(PORT), "TOOLWIRE_WORKERS": "2", "HOME": "/"}
    writing = subprocess.run(locked(stage, ["touch", "/opt/x"]), env=environ, check=False, capture_output=True)
    if writing.returncode == 0:
        sys.exit("the root can be written")
    command = [*json.loads(stage.said["ENTRYPOINT"]), *json.loads(stage.said["CMD"])]
    check = json.loads(stage.said["HEALTHCHECK"].partition(" CMD ")[2])
    print("START", command, "as", stage.user, flush=True)
    process = subprocess.Popen(locked(stage, command), env=environ)
    try:
        ends = time.monotonic() + 30
        while subprocess.run(locked(stage, check), env=environ, check=False, capture_output=True).returncode != 0:
            if process.poll() is not None or time.monotonic() > ends:
                sys.exit("HEALTHCHECK does not pass")
            time.sleep(0.5)
        print("HEALTHCHECK passes")
        asked({"authorization": "Bearer team-key"}, 502, b"connection_error")
        asked({}, 401, b"authentication_error")
        process.send_signal(getattr(signal, stage.said["STOPSIGNAL"]))
        if process.wait(20) != 0:
            sys.exit(f"{stage.said['STOPSIGNAL']} ends it with {process.returncode}")
        print("drains and ends with 0")
    finally:
        process.kill()


def asked(headers: dict[str, str], status: int, word: bytes) -> None:
    body = json.dumps({"model": "one", "messages": [{"role": "user", "content": "Hello"}]}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/v1/chat/completions", body,
                                     {"content-type": "application/json", **headers})
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20)
        got, told = 200, b""
    except urllib.error.HTTPError as error:
        got, told = error.code, error.read()
    if got != status or word not in told:
        sys.exit(f"answered {got} {told!r}, not {status}")
    print("answers", got, word.decode())


def main() -> int:
    if len(sys.argv) == 2:  # mounts of its own, which end with it
        with tempfile.TemporaryDirectory(prefix="toolwire-image-") as scratch:
            own = ["unshare", "--mount", "--propagation", "private", sys.executable, str(HERE), sys.argv[1], scratch]
            return subprocess.run(own, check=False).returncode
    base, scratch = (Path(argument).resolve() for argument in sys.argv[1:])
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(scratch)], check=True)
    tried(built(base, scratch))
    return 0


if __name__ == "__main__":
    sys.exit(main())
