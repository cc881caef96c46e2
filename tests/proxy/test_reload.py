"""What a reload cannot change is named in its log line."""

import socket
from dataclasses import replace

import httpx2
import pytest

from proxy.serve import Worker
from tests.serving import Served, config_of

TEXT = 'providers: {p: {api: openai-chat, base_url: "http://127.0.0.1:9/v1"}}\nmodels: {m: p/x}\n'


@pytest.mark.parametrize(
    "change, named",
    [
        ({}, []),
        ({"max_request_bytes": 1000}, []),
        ({"port": 4999}, ["server.port"]),
        ({"host": "::1", "workers": 2}, ["server.host", "server.workers"]),
    ],
)
def test_needs_restart(change, named):
    old = config_of(TEXT)
    logged = []
    new = replace(old, server=replace(old.server, **change))
    worker = Worker(socket.socket(), old, lambda event, **fields: logged.append((event, fields)), lambda: new)

    class Taken:
        def reload(self, config):
            assert config is new

    worker._read_again(Taken())
    ((event, fields),) = logged
    assert (event, fields["type"], fields.get("needs_restart", [])) == ("reload", "ok", named)


def test_a_key_that_was_refused_is_asked_again_once_it_is_another(emulated):
    """Also the same provider's other models; what is known of other providers stays."""

    def config(key):
        url = emulated.base_url("openai-chat")
        return config_of(
            f'providers:\n  a: {{api: openai-chat, base_url: "{url}", api_key: {key}}}\n'
            f'  b: {{api: openai-chat, base_url: "{url}", api_key: bad-key}}\n'
            "models:\n  m: {target: a/agent, fallbacks: [{target: b/agent, on_errors: [all]}]}\n"
        )

    def ask():
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        return httpx2.post(f"{served.base}/v1/chat/completions", json=body)

    with Served(config("bad-key")) as served:
        assert [attempt["target"] for attempt in ask().json()["error"]["attempts"]] == ["a/agent", "b/agent"]
        served.app.reload(config("bad-key"))
        assert {name for name, _ in served.app.circuits.records} == {"a/agent", "b/agent"}
        served.app.reload(config("good"))
        assert {name for name, _ in served.app.circuits.records} == {"b/agent"}
        answer = ask()
        assert (answer.status_code, answer.headers["x-toolwire-target"]) == (200, "a/agent")
