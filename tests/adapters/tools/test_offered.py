"""Tool lists that are decoded and prepared once."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from adapters import compat, json, registry
from adapters.errors import Rejected
from adapters.format import Call, Upstream
from adapters.model import Tool
from adapters.tools.offered import MOST_DERIVED, Offered, ToolLists, derive

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
           "required": ["city"]}
CHAT = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": WEATHER, "strict": True}}
    for name in ("get.weather", "find", "zip")
]


def listed(values: list[Any]) -> list[Tool]:
    if not all(isinstance(value, str) for value in values):
        raise Rejected("tools[0] must be a string", "tools[0]")
    return [Tool(value) for value in values]


def test_the_same_text_is_decoded_once() -> None:
    lists = ToolLists(listed)
    first = lists(["a", "b"])
    assert first == (Tool("a"), Tool("b"))
    assert lists(["a", "b"]) is first
    assert [tool.name for tool in lists(["b", "a"])] == ["b", "a"]
    assert lists([]) == ()


def test_what_is_refused_is_refused_each_time() -> None:
    lists = ToolLists(listed)
    for _ in range(2):
        with pytest.raises(Rejected):
            lists([1])


def test_the_lists_of_latest_use_are_kept_within_the_bytes() -> None:
    lists = ToolLists(listed, most_bytes=len(b'["aaaa"]') * 2)
    first, second = lists(["aaaa"]), lists(["bbbb"])
    assert lists(["aaaa"]) is first
    lists(["cccc"])
    assert lists(["aaaa"]) is first
    assert lists(["bbbb"]) is not second
    assert lists(["d" * 100]) is not lists(["d" * 100])


def test_what_is_derived_is_made_once_for_a_key_and_bounded() -> None:
    tools = Offered([Tool("a")])
    made: list[int] = []

    def make() -> object:
        made.append(1)
        return object()

    assert derive(tools, "k", make) is derive(tools, "k", make)
    assert derive(tools, "other", make) is not derive(tools, "k", make)
    assert len(made) == 2
    for key in range(3 * MOST_DERIVED):
        derive(tools, key, make)
    assert len(tools.derived) <= MOST_DERIVED
    plain = (Tool("a"),)
    assert derive(plain, "k", make) is not derive(plain, "k", make)


@pytest.mark.parametrize("api", sorted(registry.APIS))
def test_no_api_changes_a_list_and_the_second_request_has_the_bytes_of_the_first(api: str) -> None:
    """With cache marks of the proxy's own, names and schemas that are projected, a narrowed choice in between."""
    chat, to = registry.dialect("chat"), registry.api(api)
    assert chat is not None and to is not None
    upstream = Upstream("claude-sonnet-4-5", origin="up/x", compat=compat.defaults(api))

    def sent(**more: Any) -> bytes:
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": deepcopy(CHAT), **more}
        return to.encode(chat.decode(body, Call(now=1)).request, upstream).body

    offered = chat.decode({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": CHAT}, Call(now=1))
    before = deepcopy(tuple(offered.request.tools))
    first = sent()
    narrowed = {"type": "function", "function": {"name": "find"}}
    called = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "not.declared", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "x"},
    ]
    assert sent(tool_choice=narrowed) != first
    assert b"not" in sent(messages=called)
    assert sent() == first
    assert offered.request.tools == before
    assert json.loads(first)
