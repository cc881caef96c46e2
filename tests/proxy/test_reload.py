"""What a reload cannot change is named in its log line."""

import socket
from dataclasses import replace

import pytest

from proxy.serve import Worker
from tests.serving import config_of

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
