"""Whatever the history looks like, what each API's encoder makes of it is what the API takes."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from starlette.routing import compile_path

from adapters import json, registry
from adapters.errors import Rejected
from adapters.format import Api, Upstream
from adapters.model import Request
from proxy.config.model import Config
from proxy.emulate.api import Received, Refused
from proxy.emulate.registry import APIS
from proxy.gateway import family
from tests.matrix.histories import requests
from tests.matrix.upstream import Target, providers, targets
from tests.serving import config_of

EMULATED = {api.name: api for api in APIS}
WITHOUT_FILES = ("ollama-chat", "cohere-chat")
"""Their refusal is the client's answer: a PDF cannot be left out."""
EXAMPLES = settings(
    max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


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


def received(request: Request, target: Target) -> Received:
    """The request as it arrives at the target."""
    api, upstream = _upstream(target)
    outgoing = api.encode(request, upstream)
    path = EMULATED[target.api].base + unquote(outgoing.path)
    (params,) = (found.groupdict() for one in _paths(target.api) if (found := one.match(path)))
    body = json.loads(outgoing.body)
    return Received(target.api, "POST", path, outgoing.query, params, dict(outgoing.headers), outgoing.body, body)


@cache
def _paths(api: str) -> list[re.Pattern[str]]:
    return [compile_path(path)[0] for path in EMULATED[api].generate]


@pytest.mark.parametrize("target", targets(), ids=lambda one: one.name)
def test_an_encoded_history_is_accepted(target: Target) -> None:
    @EXAMPLES
    @given(requests())
    def check(request: Request) -> None:
        try:
            arrived = received(request, target)
        except Rejected as error:
            assert target.api in WITHOUT_FILES and "file" in str(error)
            return
        try:
            EMULATED[target.api].read(arrived)
        except Refused as error:
            raise AssertionError(f"{error.reply.body.decode()}\n{arrived.raw.decode()}") from None

    check()
