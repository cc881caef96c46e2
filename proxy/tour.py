"""One visible tool loop through the running demo: what the client sends, what the upstream gets, what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2

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
