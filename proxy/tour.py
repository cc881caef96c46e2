"""One visible tool loop through the running demo: what the client sends, what the upstream gets, what comes back."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import httpx2

from proxy.observe.logs import Log

MODEL = "claude"
TOOL = {
    "type": "function",
    "function": {
        "name": "get.weather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "enum": ["Rome"]}},
            "required": ["city"],
        },
    },
}


class Held:
    """A log that keeps its lines back until the tour is told."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._kept: list[tuple[str, dict[str, Any]]] | None = []

    def __call__(self, event: str, **fields: Any) -> None:
        with self._lock:
            if self._kept is not None:
                self._kept.append((event, fields))
                return
        self._log(event, **fields)

    def release(self) -> None:
        """Gives out what was kept; from now on nothing is."""
        with self._lock:
            for event, fields in self._kept or ():
                self._log(event, **fields)
            self._kept = None


def _say(line: str) -> None:
    print(line, flush=True)


def play(base: str, received: Callable[[], Any], show: Callable[[str], None] = _say) -> None:
    """Plays it against `base`; `received` gives the emulated upstream's latest request body."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "What is the weather in Rome?"}]
    with httpx2.Client(base_url=base, timeout=10) as client:
        show("\nOne tool loop, as an OpenAI client and as the Anthropic upstream see it:\n")
        show("1. the client sends     POST /v1/chat/completions")
        body = {"model": MODEL, "messages": messages, "tools": [TOOL]}
        show(_short(body))
        answer = _ask(client, body)
        show("2. the upstream gets    POST /v1/messages")
        show(_short(received()))
        message = answer["choices"][0]["message"]
        show("3. the client receives  " + json.dumps(message["tool_calls"], ensure_ascii=False))
        messages.append(message)
        messages += [
            {"role": "tool", "tool_call_id": call["id"], "content": "21 degrees, clear sky"}
            for call in message["tool_calls"]
        ]
        final = _ask(client, {"model": MODEL, "messages": messages, "tools": [TOOL]})
        show("4. after the result     " + json.dumps(final["choices"][0]["message"]["content"], ensure_ascii=False))
        show("\nThe demo stays up; end it with Ctrl-C.")


def _ask(client: httpx2.Client, body: dict[str, Any]) -> dict[str, Any]:
    response = client.post("/v1/chat/completions", json=body, headers={"authorization": "Bearer unused"})
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer


def _short(body: Any) -> str:
    shown = json.dumps({key: value for key, value in body.items() if key in ("model", "messages", "tools")},
                       ensure_ascii=False)
    return "                        " + shown
