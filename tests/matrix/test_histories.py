"""Whatever the history looks like, what each API's encoder makes of it is what the API takes."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings

from adapters import registry
from adapters.compat import defaults
from adapters.errors import Rejected
from adapters.format import Api, Upstream
from adapters.model import Request
from proxy.config.model import Config
from proxy.gateway import family
from tests.arriving import EMULATED, taken
from tests.matrix.histories import requests
from tests.matrix.upstream import Target, providers, targets
from tests.serving import config_of

WITHOUT_FILES = ("ollama-chat", "cohere-chat")
"""Their refusal is the client's answer: a PDF cannot be left out."""
EXAMPLES = settings(max_examples=40, suppress_health_check=list(HealthCheck))


@cache
def _config() -> Config:
    return config_of(providers(lambda api: f"http://127.0.0.1:9/{api}{EMULATED[api].base}"))


@cache
def _upstream(target: Target) -> tuple[Api, Upstream]:
    provider = _config().providers[target.name]
    api = registry.api(target.api)
    assert api is not None
    info = provider.info(target.model)
    origin = f"{target.name}/{info.family or family(target.api, target.model)}"
    return api, Upstream(target.model, origin, provider.flags(target.model), family=info.family)


VERTEX = Target("vertex", "google-gemini", "gemini-3-pro-preview")


def _on_vertex() -> tuple[Api, Upstream]:
    api = registry.api(VERTEX.api)
    assert api is not None
    flags = {**defaults(VERTEX.api), "vertex": True, "vertex_project": "p", "vertex_location": "l"}
    return api, Upstream(VERTEX.model, "vertex/gemini-3", flags)


@pytest.mark.parametrize("target", (*targets(), VERTEX), ids=lambda one: one.name)
def test_an_encoded_history_is_accepted(target: Target) -> None:
    @EXAMPLES
    @given(requests())
    def check(request: Request) -> None:
        api, upstream = _on_vertex() if target is VERTEX else _upstream(target)
        try:
            outgoing = api.encode(request, upstream)
        except Rejected as error:
            assert target.api in WITHOUT_FILES and "file" in str(error)
            return
        taken(target.api, outgoing)

    check()
