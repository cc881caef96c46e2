"""The official openai SDK as the client: tool loops, whole and streamed, over each upstream and transport."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from jsonschema import validate

from tests.contract.chats import TIME, WAYS, WEATHER, loop


@pytest.mark.parametrize("count", [1, 2, 20])
def test_loop(chat: openai.OpenAI, model: str, count: int) -> None:
    first, *others = [loop(chat, way, model, count) for way in WAYS]
    assert others == [first, first], "each way of asking gives the same calls"
    for _, name, arguments in first:
        tool: Any = WEATHER if name == "get_weather" else TIME
        validate(json.loads(arguments), tool["function"]["parameters"])
