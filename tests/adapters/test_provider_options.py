"""`provider_options` on every API: the client's over what was translated, the operator's over both."""

import pytest

from adapters import json, registry
from adapters.compat import defaults
from adapters.format import Upstream
from adapters.model import Message, Request, Text

APIS = sorted(registry.built())


@pytest.mark.parametrize("name", APIS)
def test_the_operator_has_the_last_word(name):
    request = Request(
        "asked",
        (Message("user", (Text("go"),)),),
        options={name: {"x": {"a": 1, "b": 1}, "y": 1}, "another-api": {"x": {"c": 1}}},
    )
    operator = {"x": {"a": 2}, "z": 2}
    upstream = Upstream("some-model", "here/some-model", defaults(name), options=operator)
    api = registry.api(name)
    assert api is not None
    body = json.loads(api.encode(request, upstream).body)
    assert {key: body.get(key) for key in "xyz"} == {"x": {"a": 2, "b": 1}, "y": 1, "z": 2}
