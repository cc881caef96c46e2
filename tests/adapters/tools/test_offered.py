"""Tool lists that are decoded and prepared once."""

from __future__ import annotations

import gc
import tracemalloc
from copy import deepcopy
from typing import Any

import pytest

from adapters import compat, json, prepare, registry
from adapters.errors import Rejected
from adapters.format import Call, Upstream
from adapters.model import Tool
from adapters.tools import check
from adapters.tools.offered import MOST_DERIVED, Offered, ToolLists, derive, size

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
    """The older half goes when the younger is full; a list that would push out all others is not kept."""
    lists = ToolLists(listed, most_bytes=8 * size(b'["aaaa"]', 1))
    first, second = lists(["aaaa"]), lists(["bbbb"])
    for number in range(12):
        lists([f"{number:04}"])
        assert lists(["aaaa"]) is first
    assert lists(["bbbb"]) is not second
    large = ["d" * 100_000]
    assert lists(large) is not lists(large)
    assert lists(["aaaa"]) is first


SCHEMA = {"type": "object", "properties": {f"field_{n}": {"type": "string", "description": "d" * 40} for n in range(6)}}


def chat(count: int, mark: str) -> dict[str, Any]:
    tools = [
        {"type": "function", "function": {"name": f"{mark}_{n}", "description": "d" * 90, "parameters": SCHEMA}}
        for n in range(count)
    ]
    return {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": tools}


@pytest.mark.parametrize("count", [1, 20])
def test_a_list_takes_no_more_memory_than_it_counts_for(count: int) -> None:
    """With all that is made of it for more targets than it may remember."""
    dialect = registry.dialect("chat")
    assert dialect is not None
    targets = [
        (api, Upstream(f"model-{n}", origin="up/x", compat=compat.defaults(name)))
        for name in registry.APIS for n in range(3) if (api := registry.api(name)) is not None
    ]

    def play(mark: str, kept: list[Any]) -> int:
        body = chat(count, mark)
        request = dialect.decode(body, Call(now=1)).request
        kept.append(request.tools)
        for api, upstream in targets:
            api.encode(request, upstream)
        return size(json.dumps(body["tools"]), count)

    lists: list[Any] = []
    play("warm", lists)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        counted = sum(play(f"list{n}", lists) for n in range(4))
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    projected = 4 * count * len(targets) * (prepare._SIZE * len(json.dumps(SCHEMA)) + 1000)
    assert taken < counted + projected


def test_large_schemas_are_not_remembered() -> None:
    """Neither by the list, nor by what projects and judges them."""
    dialect, api = registry.dialect("chat"), registry.api("anthropic-messages")
    assert dialect is not None and api is not None
    upstream = Upstream("claude-sonnet-4-5", origin="up/x", compat=compat.defaults("anthropic-messages"))

    def play(mark: str) -> None:
        huge = {"type": "object", "properties": {"a": {"enum": [f"{mark}{n}" for n in range(150_000)]}}}
        body = {**chat(0, ""), "tools": [{"type": "function", "function": {"name": "f", "parameters": huge}}]}
        reading = api.encode(dialect.decode(body, Call(now=1)).request, upstream).reading
        assert check.check(reading.schemas["f"], "{}") == check._TOO_LARGE

    play("warm")
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for n in range(4):
            play(f"s{n}")
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 2 * 1024 * 1024
    finally:
        tracemalloc.stop()


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
