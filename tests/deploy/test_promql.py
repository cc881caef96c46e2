"""Rules and dashboard ask only for metrics and labels that there are, and a real Prometheus answers each."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import httpx2
import pytest
from ruamel.yaml import YAML

import proxy.observe.metrics
from proxy.emulate import Emulation
from tests.deploy.promql import panels, rules, used
from tests.deploy.tools import DEPLOY, free_port, needed, running, until
from tests.serving import Served, demo

CLIENT = httpx2.Client(timeout=20, trust_env=False)
SOURCE = Path(proxy.observe.metrics.__file__).read_text()
EXPRESSIONS = [*rules(), *panels()]


def metrics() -> dict[str, set[str]]:
    """Exposed name -> labels, read from the source of metrics.py."""
    found: dict[str, set[str]] = {"up": {"job", "instance"}}
    for kind, name, rest in re.findall(r'self\._(counter|gauge|histogram)\("(\w+)",((?:[^()"]|"[^"]*")*)\)', SOURCE):
        labels = {text for text in re.findall(r'"([^"]*)"', rest) if re.fullmatch("[a-z_]+", text)} - {
            "livesum", "livemax"}
        exposed = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"]}[kind]
        for suffix in exposed:
            found[f"toolwire_{name}{suffix}"] = labels | ({"le"} if suffix == "_bucket" else set())
    return found


def test_the_source_was_read():
    known = metrics()
    assert known["toolwire_requests_total"] == {"endpoint", "model", "status"}
    assert known["toolwire_overhead_seconds_bucket"] == {"endpoint", "le"}
    assert known["toolwire_circuit_open"] == {"provider", "model"}
    assert known["toolwire_inflight_requests"] == set()


@pytest.mark.parametrize(("title", "expression"), EXPRESSIONS)
def test_expressions_name_what_there_is(title, expression):
    names, selectors, grouped = used(expression)
    known = metrics()
    assert names and names <= set(known), title
    assert [(name, labels - known[name]) for name, labels in selectors if labels - known[name]] == []
    assert [(name, grouped - known[name]) for name in names if grouped - known[name]] == []


def test_summaries_use_labels_that_are_left():
    for group in YAML(typ="safe", pure=True).load((DEPLOY / "prometheus/rules.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            _, _, grouped = used(rule["expr"])
            wanted = set(re.findall(r"\$labels\.(\w+)", str(rule.get("annotations", ""))))
            assert wanted <= (grouped or {"instance", "job"}), rule


def test_every_metric_is_on_the_dashboard():
    shown = " ".join(expression for _, expression in panels())
    assert [name for name in metrics() if name != "up" and not name.endswith(("_sum", "_count", "_bucket"))
            and name not in shown] == []


def test_promtool_takes_the_rules():
    promtool = needed("promtool", "Debian: prometheus")
    done = subprocess.run([promtool, "check", "rules", str(DEPLOY / "prometheus/rules.yaml")], capture_output=True,
                          check=False, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_finds_nothing_wrong_with_the_metrics(proxied: Served):
    promtool = needed("promtool", "Debian: prometheus")
    ask(proxied, "claude")
    done = subprocess.run([promtool, "check", "metrics"], input=proxied.metrics(), capture_output=True, check=False,
                          text=True)
    assert (done.returncode, done.stderr) == (0, "")


# --- a real Prometheus -------------------------------------------------------------------------------------------

TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
MODELS = ["claude", "gpt", "smart-bad-day", "after-no-credit", "all-fail", "flaky", "openai-chat/fault-auth",
          "openai-chat/fault-500", *["after-overload"] * 6]
SILENT = {"ToolwireDown", "ToolwireStateLost", "Shared store errors", "ToolwireInvalidToolCalls", "ToolwireSlow",
          "Invalid tool calls by target", "Cached share of input"}
"""What a demo run, on a machine of any speed, need not bring out."""


def ask(served: Served, model: str) -> None:
    for stream in (False, True):
        body = {"model": model, "messages": [{"role": "user", "content": "Weather in Rome?"}], "tools": TOOLS,
                "stream": stream}
        CLIENT.post(f"{served.base}/v1/chat/completions", json=body)


def config(folder: Path, served: Served) -> Path:
    """deploy's own configuration, moved to this proxy and scraped often."""
    text = (DEPLOY / "prometheus/prometheus.yml").read_text()
    text = text.replace("toolwire:4100", f"127.0.0.1:{served.port}").replace("15s", "250ms")
    assert "250ms" in text and str(served.port) in text
    (folder / "prometheus.yml").write_text(text)
    (folder / "rules.yaml").write_text((DEPLOY / "prometheus/rules.yaml").read_text())
    return folder / "prometheus.yml"


class Prometheus:
    """The HTTP API of the one on this port."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}/api/v1"
        ready = f"http://127.0.0.1:{port}/-/ready"
        until(lambda: True if CLIENT.get(ready).status_code == 200 else None, "Prometheus is ready")

    def query(self, expression: str) -> list[str]:
        """The values, as Prometheus writes them."""
        answer = CLIENT.get(f"{self.base}/query", params={"query": expression}).json()
        assert answer["status"] == "success", (expression, answer)
        return [sample["value"][1] for sample in answer["data"]["result"]]

    def scraped(self, expression: str) -> None:
        until(lambda: self.query(expression) or None, expression)

    def scrapes(self, more: int) -> None:
        """Waits for that many scrapes from now."""
        count = "count_over_time(up[5m])"
        self.scraped(count)
        wanted = float(self.query(count)[0]) + more
        self.scraped(f"{count} >= {wanted}")


def test_a_real_prometheus_answers_each(emulated: Emulation, tmp_path: Path):
    program = needed("prometheus", "Debian: prometheus")
    port = free_port()
    with Served(demo(emulated)) as served:
        command = [program, f"--config.file={config(tmp_path, served)}", f"--storage.tsdb.path={tmp_path / 'data'}",
                   f"--web.listen-address=127.0.0.1:{port}"]
        with running(command, port, tmp_path / "log"):
            asked = Prometheus(port)
            asked.scraped("up == 1")
            asked.scrapes(2)
            before = {title: asked.query(expression) for title, expression in EXPRESSIONS}
            assert [title for title, values in before.items() if "NaN" in values] == []
            assert [title for title, _ in rules() if before[title]] == []
            for _ in range(2):
                for model in MODELS:
                    ask(served, model)
                asked.scrapes(2)
            after = [(title, asked.query(expression)) for title, expression in EXPRESSIONS]
            assert [title for title, values in after if "NaN" in values] == []
            assert [title for title, values in after if not values and title not in SILENT] == []
            groups = CLIENT.get(f"{asked.base}/rules").json()["data"]["groups"]
            assert [rule for group in groups for rule in group["rules"] if rule["health"] != "ok"] == []
