"""A coding agent's request with 20 tools as each API gets it: `pytest tests/golden --update` writes, the diff is read.

The files were read against the wire's documentation of 2026-11 when they changed.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from adapters.compat import FLAGS
from tests.arriving import taken
from tests.golden.hosts import AGENT, HOSTS, sent, target

Json = Any
SORTED = [host for host in HOSTS if any(f.name == "sort_tools" and f.default for f in FLAGS[target(host)[0].name])]


def text(host: str) -> str:
    outgoing = sent(host, AGENT)
    whole: Json = {
        "path": outgoing.path,
        "query": dict(outgoing.query),
        "headers": dict(outgoing.headers),
        "warnings": list(outgoing.warnings),
        "names": dict(outgoing.reading.names),
        "body": json.loads(outgoing.body),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("host", HOSTS)
def test_agent_request(host: str, request: pytest.FixtureRequest) -> None:
    file = Path(__file__).parent / f"{host}.json"
    made = text(host)
    if request.config.getoption("update"):
        file.write_text(made, "utf-8")
    assert made == file.read_text("utf-8")


def test_sorting_apis() -> None:
    assert set(HOSTS) - set(SORTED) == {"cohere-chat"}


@pytest.mark.parametrize("host", SORTED)
def test_the_order_of_the_tools_does_not_matter(host: str) -> None:
    """Byte for byte the same, so that a prompt cache still holds."""
    expected = sent(host, AGENT).body
    order = random.Random(20)
    for _ in range(5):
        tools = list(AGENT["tools"])
        order.shuffle(tools)
        assert sent(host, {**AGENT, "tools": tools}).body == expected


@pytest.mark.parametrize("host", SORTED)
def test_the_order_of_a_functions_members_does_not_matter(host: str) -> None:
    """What the client wrote of a schema keeps its own order: models read it."""
    turned = [{**tool, "function": dict(reversed(tool["function"].items()))} for tool in AGENT["tools"]]
    assert sent(host, {**AGENT, "tools": turned}).body == sent(host, AGENT).body


@pytest.mark.parametrize("host", HOSTS)
def test_the_provider_would_take_it(host: str) -> None:
    """The strict check of the emulated upstream, under the rules of the very model."""
    api, upstream = target(host)
    taken(api.name, sent(host, AGENT), f"agent-{upstream.model}")
