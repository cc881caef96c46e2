"""Content in the log: only for the models that are named."""

from __future__ import annotations

import json

import httpx2
import pytest

from proxy.emulate import Emulation
from tests.proxy.talk import asked, http
from tests.serving import Served, demo


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_what_is_asked_and_answered_is_told_where_a_name_says_so(emulated: Emulation, stream: bool) -> None:
    """With both bodies as they went over the wire, cut where they are long; of no other model and of no refusal."""
    def ask(model: str, text: str, key: str = "client-key") -> httpx2.Response:
        path, body = asked("chat", model, text, stream)
        return http.post(f"{served.base}{path}", json=body, headers={"x-api-key": key})

    config = demo(emulated, log_content=("gp*",))
    with Served(config) as served:
        ask("claude", "a secret")
        answer = ask("gpt", "a word")
        long = ask("gpt", "x" * 100_000)
        served.lines("request", 3)
        first, second = served.lines("content", 2)
        assert first == {"request_id": answer.headers["x-request-id"], "client": None, "model": "gpt",
                         "request": answer.request.content.decode(), "answer": answer.text}
        assert json.loads(first["request"])["messages"][0]["content"] == "a word"
        assert first["answer"].startswith("data: {" if stream else "{")
        assert second["request"] == long.request.content.decode()[:65_536]
        assert second["answer"] == long.text[:65_536]
        told = json.dumps(served.logged)
    assert "a secret" not in told and "client-key" not in told
