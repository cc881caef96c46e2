"""The files under deploy/ parse, fit each other and fit the program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from proxy.config.load import load
from proxy.config.model import Config
from proxy.emulate import Emulation
from proxy.serve import SUPERVISOR_GRACE
from tests.deploy import image
from tests.deploy.tools import DEPLOY, free_port
from tests.serving import Served, demo

ROOT = DEPLOY.parent
KEYS = {"TEAM_A_KEY": "t", "ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}
YAMLS = sorted(str(path.relative_to(DEPLOY)) for pattern in ("*.yaml", "*.yml") for path in DEPLOY.rglob(pattern))


def documents(name: str) -> list[dict]:
    return list(YAML(typ="safe", pure=True).load_all((DEPLOY / name).read_text()))


def kubernetes() -> dict[str, dict]:
    """All objects by kind."""
    found = [d for path in (DEPLOY / "kubernetes").glob("*.yaml") for d in documents(f"kubernetes/{path.name}")]
    return {d["kind"]: d for d in found}


def configured(text: str) -> Config:
    config = load(text, "toolwire.yaml", KEYS)
    assert isinstance(config, Config), config
    return config


@pytest.mark.parametrize("name", YAMLS)
def test_yaml_parses(name):
    assert all(isinstance(document, dict) and document for document in documents(name))


def test_there_are_the_files_that_the_docs_name():
    assert {"compose.yaml", "toolwire.yaml", "prometheus/rules.yaml", "prometheus/prometheus.yml",
            "kubernetes/deployment.yaml"} <= set(YAMLS)


def test_the_compose_config_is_valid_and_not_open():
    config = configured((DEPLOY / "toolwire.yaml").read_text())
    assert (config.server.host, config.server.port) == ("0.0.0.0", 4100)
    assert [client.name for client in config.clients] == ["team-a"]


def test_the_kubernetes_config_is_valid_and_each_secret_is_told():
    text = kubernetes()["ConfigMap"]["data"]["toolwire.yaml"]
    assert configured(text).clients
    told = (DEPLOY / "kubernetes/deployment.yaml").read_text().split("apiVersion")[0]
    assert [name for name in re.findall(r"\$\{(\w+)", text) if name not in told] == []


def test_a_pod_is_not_killed_while_it_drains():
    found = kubernetes()
    pod = found["Deployment"]["spec"]["template"]["spec"]
    drain = configured(found["ConfigMap"]["data"]["toolwire.yaml"]).server.drain_seconds
    before = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] >= before + drain + SUPERVISOR_GRACE


def test_neither_are_the_container_and_the_unit():
    drain = configured((DEPLOY / "toolwire.yaml").read_text()).server.drain_seconds + SUPERVISOR_GRACE
    grace = documents("compose.yaml")[0]["services"]["toolwire"]["stop_grace_period"]
    unit = (DEPLOY / "systemd/toolwire.service").read_text()
    stop = re.search(r"^TimeoutStopSec=(\d+)$", unit, re.M)
    assert int(grace.removesuffix("s")) > drain
    assert stop is not None and int(stop[1]) > drain


def test_kubernetes_objects_name_each_other():
    found = kubernetes()
    pod = found["Deployment"]["spec"]["template"]["spec"]
    assert found["Service"]["spec"]["selector"].items() <= found["Deployment"]["spec"]["template"]["metadata"][
        "labels"].items()
    assert found["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] == found["Deployment"]["metadata"]["name"]
    assert found["PodDisruptionBudget"]["spec"]["selector"] == found["Deployment"]["spec"]["selector"]
    assert {"name": "config", "configMap": {"name": found["ConfigMap"]["metadata"]["name"]}} in pod["volumes"]
    assert pod["initContainers"][0]["args"] == ["check", "/etc/toolwire/toolwire.yaml"]
    probes = [pod["containers"][0][f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "readiness", "liveness")]
    assert probes == ["/readyz", "/readyz", "/healthz"]


def test_files_that_compose_mounts_exist():
    mounts = [volume for service in documents("compose.yaml")[0]["services"].values()
              for volume in service.get("volumes", [])]
    assert mounts
    assert [mount for mount in mounts if not (DEPLOY / mount.split(":")[0]).exists()] == []


def dockerfile() -> str:
    return (DEPLOY / "Dockerfile").read_text()


def test_the_image_copies_what_there_is_and_drops_root():
    copied = [words.split()[:-1] for words in re.findall(r"^COPY (?!--)(.+)$", dockerfile(), re.M)]
    assert [name for names in copied for name in names if not (ROOT / name).exists()] == []
    assert re.search(r"^USER 10001$", dockerfile(), re.M)
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text()
    assert [name for names in copied for name in names if f"!{name}\n" not in ignored] == []
    install = re.search(r"'\.\[(.+)\]'", dockerfile())
    extras = (ROOT / "pyproject.toml").read_text()
    assert install is not None
    assert [name for name in install[1].split(",") if f"\n{name} = [" not in extras] == []


def test_the_script_that_builds_the_image_reads_the_dockerfile():
    """tests/deploy/image.py runs it, as root and with debootstrap."""
    read = image.instructions()
    assert [name for name, _ in read].count("FROM") == 2 and len([name for name, _ in read if name == "RUN"]) == 2
    assert dict(read)["ENTRYPOINT"] == '["toolwire"]' and "venv" in next(rest for name, rest in read if name == "RUN")
    paths = ("proxy/cli.py", "README.md", "proxy/__pycache__/cli.pyc", "tests/serving.py", "docs/index.md")
    assert [image.ignored(path) for path in paths] == [False, False, True, True, True]


def health(port: int) -> int:
    """Exit status of the image's HEALTHCHECK."""
    check = re.search(r"^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$", dockerfile(), re.M)
    assert check is not None
    command = json.loads(check[1])
    assert command[0] == "python"
    environ = {**os.environ, "TOOLWIRE_PORT": str(port)}
    done = subprocess.run([sys.executable, *command[1:]], env=environ, stderr=subprocess.DEVNULL, check=False)
    return done.returncode


def test_the_health_check_tells_ready_from_draining_and_gone(emulated: Emulation):
    with Served(demo(emulated)) as served:
        assert health(served.port) == 0
        served.app.draining = True
        assert health(served.port) == 1
    assert health(free_port()) != 0


def test_the_unit_runs_commands_that_there_are():
    from proxy.cli import parser

    unit = (DEPLOY / "systemd/toolwire.service").read_text()
    commands = re.findall(r"^ExecStart(?:Pre)?=\S+/toolwire (.+)$", unit, re.M)
    assert [parser({}).parse_args(command.split()).run.__name__ for command in commands] == ["_check", "_serve"]
    assert Path("/opt/toolwire/bin/toolwire").as_posix() in unit
