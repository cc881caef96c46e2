"""The documentation is what the code makes of it now, its configs load, its links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx2
import pytest
from ruamel.yaml import YAML

from adapters.errors import ERROR_TYPES
from adapters.presets import PRESETS
from adapters.registry import APIS
from proxy import reference
from proxy.cli import parser
from proxy.config.load import load
from proxy.config.model import Config
from proxy.emulate import Emulation
from tests.serving import Served, config_of, demo

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
MINE = ["index", "quickstart", "cookbook", "scaling", "security", "troubleshooting", "litellm"]
CONFIGS = [
    pytest.param(text, id=f"{name}-{number}")
    for name in MINE
    for number, text in enumerate(
        re.findall(r"<!-- config -->\n```yaml\n(.*?)```", (DOCS / f"{name}.md").read_text(), re.S), 1
    )
]


@pytest.mark.parametrize("name", reference.PAGES)
def test_generated_pages_are_current(name):
    assert (DOCS / name).read_text() == reference.PAGES[name](), "run: make docs"


ROWS = {
    "errors.md": [
        "| `billing_error` | 402 | no | yes | yes | Add credit at the provider; a fallback takes over meanwhile. |",
        "| `not_found_error` | 404 | no | no | yes | Correct the model name: the message lists the nearest; "
        "`GET /v1/models` lists all. |",
        "| `billing_error`, `upstream_auth_error` | 60 s; twice as long each time it fails again, up to 600 s |",
        "| `rate_limit_error`, `overloaded_error` with a `retry-after` | that long, at most 300 s |",
    ],
    "http.md": [
        "| `POST /v1/chat/completions` | yes | `chat` | An answer in OpenAI's Chat dialect; `stream: true`: a "
        "stream. |",
        "| `POST /v1beta/models/{model}:streamGenerateContent` | yes | `gemini` | The same as a stream: events by "
        "`?alt=sse`, else a JSON array. |",
        "| `GET /readyz` | no | – | 200; 503 while it drains. |",
        "| `TOOLWIRE_PORT` | `--port` | `server.port` | `4100` |",
    ],
    "metrics.md": [
        "| `toolwire_circuit_open` | gauge | `provider`, `model` | 1 while a target is left out because it, or "
        "each of its keys, kept failing or was refused. |  |",
    ],
    "providers.md": [
        "| `n: 2` | ✓ | – | – | ✓ | ✓ | – | – | – |",
        "| `deepseek` | `openai-chat` | `https://api.deepseek.com` |",
    ],
}


@pytest.mark.parametrize(("name", "rows"), ROWS.items())
def test_rows_as_a_reader_sees_them(name, rows):
    lines = reference.PAGES[name]().splitlines()
    assert [row for row in rows if row not in lines] == []


def test_generated_pages_name_all_there_is():
    assert [type for type in ERROR_TYPES if f"\n| `{type}` |" not in reference.errors()] == []
    page = reference.providers()
    assert [name for name in (*APIS, *PRESETS) if f"`{name}`" not in page] == []


def test_the_http_page_names_the_headers_and_log_fields_that_there_are(emulated: Emulation):
    page = reference.PAGES["http.md"]()
    with Served(demo(emulated, log_content=("smart-bad-day",))) as served:
        body = {"model": "smart-bad-day", "messages": [{"role": "user", "content": "Hello"}], "logit_bias": {"1": 1}}
        answer = httpx2.post(f"{served.base}/v1/chat/completions", json=body)
        served.lines("content")
    ours = [name for name in answer.headers if name.startswith("x-toolwire-")]
    assert sorted(ours) == ["x-toolwire-attempts", "x-toolwire-target", "x-toolwire-warnings"]
    assert [name for name in ours if f"\n| `{name}` |" not in page] == []
    for event, fields in served.logged:
        (line,) = re.findall(rf"^\| `{event}` \|.*$", page, re.M)
        assert [name for name in fields if f"`{name}`: " not in line] == [], event
    assert {event for event, _ in served.logged} == {"attempt", "request", "content"}


def test_the_images_variables_are_those_of_its_file():
    said = re.findall(r"`(TOOLWIRE_\w+=[^`]+)`", reference.PAGES["http.md"]())
    assert len(said) == 3
    image = (ROOT / "deploy" / "Dockerfile").read_text()
    assert [one for one in said if not re.search(rf"\b{re.escape(one)}(\s|$)", image)] == []


def test_there_are_configs():
    assert len(CONFIGS) == 14


@pytest.mark.parametrize("text", CONFIGS)
def test_configs_load(text):
    keys = {name: name.lower() for name in re.findall(r"\$\{(\w+)", text)}
    config = load(text, "toolwire.yaml", keys)
    assert isinstance(config, Config), config
    assert config.routes


def test_litellms_example_is_converted_key_by_key():
    """By the page's own table: what its left block says, its right block does."""
    page = (DOCS / "litellm.md").read_text()
    old = YAML(typ="safe", pure=True).load(re.findall(r"```text\n(.*?)```", page, re.S)[0])
    text = re.findall(r"<!-- config -->\n```yaml\n(.*?)```", page, re.S)[0]
    new = load(text, "toolwire.yaml", {name: name for name in re.findall(r"\$\{(\w+)", text)})
    assert isinstance(new, Config)
    settings, targets = old["litellm_settings"], {}
    for entry in old["model_list"]:
        given, route = entry["litellm_params"], next(r for r in new.routes if r.pattern == entry["model_name"])
        (target,) = route.steps[0].targets
        provider = new.providers[target.provider]
        targets[entry["model_name"]] = f"{target.provider}/{target.model}"
        assert f"{target.provider}/{target.model}" == given["model"]
        assert provider.api_keys == (given["api_key"].removeprefix("os.environ/"),)
        assert provider.base_url.startswith(given.get("api_base", "https://"))
        assert route.retry.attempts == settings["num_retries"] + 1
        assert provider.timeout.total == settings["request_timeout"]
    for names in old["router_settings"]["fallbacks"]:
        for name, others in names.items():
            route = next(r for r in new.routes if r.pattern == name)
            fallbacks = [f"{t.provider}/{t.model}" for step in route.steps[1:] for t in step.targets]
            assert fallbacks == [targets[other] for other in others]
    assert [client.key for client in new.clients] == [old["general_settings"]["master_key"].removeprefix("os.environ/")]


def test_the_quickstarts_own_route_does_what_it_says(emulated: Emulation):
    page = (DOCS / "quickstart.md").read_text()
    text = next(text for text in re.findall(r"<!-- config -->\n```yaml\n(.*?)```", page, re.S) if "fault-429" in text)
    asked = json.loads(re.findall(r"-d '(\{\"model\": \"mine\".*?\})' \|", page)[0])
    up = emulated.base_url("anthropic-messages").removesuffix("/anthropic-messages")
    with Served(config_of(text.replace("http://127.0.0.1:4101", up))) as served:
        answer = httpx2.post(f"{served.base}/v1/chat/completions", json=asked)
        served.request(answer.headers["x-request-id"])
        for name in ("x-toolwire-target", "x-toolwire-attempts"):
            assert f"`{name}: {answer.headers[name]}`" in page
        types = ", ".join(f"`{line['type']}`" for line in served.lines("attempt", 3))
        assert f"`type` {types}" in page
        assert re.findall(r"`(toolwire_fallbacks_total\{.*)`", page)[0] in served.metrics()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    assert [t for t in targets if "://" not in t and not (page.parent / t).exists()] == []


def test_the_index_lists_every_page():
    index = (DOCS / "index.md").read_text()
    assert [page.name for page in DOCS.glob("*.md") if page.name != "index.md" and f"({page.name})" not in index] == []


def test_files_under_deploy_that_pages_name_exist():
    named = {name for page in PAGES for name in re.findall(r"`(deploy/[\w./-]*)`", page.read_text())}
    assert named and [name for name in named if not (ROOT / name).exists()] == []


def test_the_deploy_page_names_all_there_is_and_its_commands_apply_it():
    page, deploy = (DOCS / "deploy.md").read_text(), ROOT / "deploy"
    top = [path.name for path in deploy.iterdir() if path.name not in ("Dockerfile.dockerignore", "toolwire.yaml")]
    assert [name for name in top if not re.search(rf"^\|.*`deploy/{re.escape(name)}/?`.*\|.*\|", page, re.M)] == []
    applied = re.findall(r"-f (deploy/kubernetes/\S+)", page)
    assert set(applied) == {f"deploy/kubernetes/{path.name}" for path in (deploy / "kubernetes").iterdir()}
    job = re.search(r'up\{job="(\w+)"\}', (deploy / "prometheus/rules.yaml").read_text())
    assert job is not None and f"job_name: {job[1]}\n" in (deploy / "prometheus/prometheus.yml").read_text()
    assert f"`{job[0]}`" in page


def test_commands_parse():
    texts = [(DOCS / f"{name}.md").read_text() for name in MINE]
    blocks = [block for text in texts for block in re.findall(r"```sh\n(.*?)```", text, re.S)]
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("toolwire ")]
    assert len(commands) == 11
    for line in commands:
        parser({}).parse_args(re.split("[#>&]", line)[0].split()[1:])
