"""Every input item that the openai SDK's types allow, and Codex's results that answer no call."""

import typing

import pytest
import typing_extensions
from openai.types.responses import response_input_item_param

from adapters import json, registry
from adapters.compat import defaults
from adapters.format import Call, Upstream
from adapters.formats.openai_responses import DIALECT
from adapters.model import Text, ToolResult

ITEMS = typing.get_args(response_input_item_param.ResponseInputItemParam)


def example(kind, full):
    """A value of a type; `full`: with null for all that may be null, else with nothing that may be left out."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing_extensions.Required, typing_extensions.NotRequired, typing.Annotated):
        return example(args[0], full)
    if typing_extensions.is_typeddict(kind):
        hints = typing_extensions.get_type_hints(kind, include_extras=True)
        made = {name: example(hint, full) for name, hint in hints.items()
                if typing.get_origin(hint) is typing_extensions.Required}
        empty = {name: None for name, hint in hints.items() if name not in made and type(None) in typing.get_args(hint)}
        return {**made, **(empty if full else {})}
    if origin is typing.Literal:
        return args[0]
    if origin is typing.Union:
        return example(args[0], full)
    if origin is not None and issubclass(origin, dict):
        return {}
    return {str: "x", int: 1, float: 1.0, bool: True, object: {}}.get(kind, [])


@pytest.mark.parametrize("full", [False, True], ids=["least", "null"])
@pytest.mark.parametrize("kind", ITEMS, ids=lambda kind: kind.__name__)
def test_an_item_needs_no_more_than_its_type(kind, full):
    """Least content and null for what is optional, alone in a list: nothing more is asked for."""
    item = example(kind, full)
    body = {"model": "m", "input": [item], "store": False}
    request = DIALECT.decode(body, Call()).request
    assert request.messages or item.get("content") == []


CALLS = [
    {"type": "function_call", "status": "completed", "id": "fc_1", "name": "create_goal",
     "arguments": '{"objective":"100 %"}', "call_id": "c1"},
    {"type": "function_call", "status": "completed", "id": "fc_2", "name": "exec_command", "arguments": "{}",
     "call_id": "c2"},
]
ANSWERS = [
    {"type": "function_call_output", "id": "fco_1", "call_id": "c1", "output": "set"},
    {"type": "function_call_output", "id": "fco_2", "call_id": "c2", "output": "done"},
]
GOAL = {"type": "function_call_output", "id": "fco_3", "name": "goal_objective", "namespace": "agent",
        "output": "100 %"}
"""As Codex tells its model a goal (2026-11): no call_id, and no call."""
GO = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}


def sent(items, api):
    """The native body that goes to an API, and the warnings."""
    found = registry.api(api)
    body = {"model": "m", "input": items, "store": False}
    request = DIALECT.decode(body, Call()).request
    outgoing = found.encode(request, Upstream("m", compat=defaults(api)))
    return json.loads(outgoing.body), outgoing.warnings


@pytest.mark.parametrize("place", [1, 3, 4, 5], ids=["before the calls", "before the results", "among", "after"])
def test_a_result_without_its_call_goes_on_as_it_came(place):
    items = [GO, *CALLS, *ANSWERS]
    items.insert(place, GOAL)
    body, warnings = sent(items, "openai-responses")
    assert [item for item in body["input"] if "call_id" not in item and item["type"] != "message"] == [GOAL]
    assert [item["output"] for item in body["input"] if "output" in item and "call_id" in item] == ["set", "done"]
    assert warnings == ()


@pytest.mark.parametrize("place", [1, 3, 4, 5], ids=["before the calls", "before the results", "among", "after"])
@pytest.mark.parametrize("api", sorted(set(registry.APIS) - {"openai-responses"}))
def test_other_apis_are_told_it(api, place):
    """As text, named in a warning; no call's own result is lost, and none gets another's."""
    items = [GO, *CALLS, *ANSWERS]
    items.insert(place, GOAL)
    body, warnings = sent(items, api)
    text = json.dumps(body).decode()
    assert "[Result of a tool call that is not in this conversation, agent__goal_objective, no id]" in text
    assert text.count('"set"') == text.count('"done"') == 1 and "(no result)" not in text
    assert "a tool result without its call is told as text" in warnings


@pytest.mark.parametrize("space", [{}, {"namespace": "crm"}], ids=["plain", "namespaced"])
def test_a_result_without_an_id_answers_the_first_open_call_of_its_name(space):
    """Not one that another result names, though it comes first; a further one is without its call."""
    calls = [{"type": "function_call", "name": "find", "arguments": "{}", "call_id": f"c{n}", **space}
             for n in (1, 2, 3)]
    named = {"type": "function_call_output", "name": "find", **space}
    other = {"type": "function_call_output", "name": "find", "namespace": "other", "output": "D"}
    items = [GO, *calls, {**named, "output": "B"}, other, {**named, "call_id": "c1", "output": "A"},
             {**named, "call_id": None, "output": "C"}]
    for api in ("openai-chat", "openai-responses"):
        body, _ = sent(items, api)
        key, said = ("tool_call_id", "content") if api == "openai-chat" else ("call_id", "output")
        rows = body["messages"] if api == "openai-chat" else body["input"]
        results = [row for row in rows if row.get("role") == "tool" or row.get("type") == "function_call_output"]
        assert [(row[key], row[said]) for row in results if key in row] == [("c1", "A"), ("c2", "B"), ("c3", "C")]
        assert 'D"}' in json.dumps(body).decode()


def test_its_media_are_told_too():
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"}
    goal = {**GOAL, "output": [{"type": "input_text", "text": "see"}, image]}
    body, _ = sent([GO, goal], "anthropic-messages")
    assert [block["type"] for block in body["messages"][-1]["content"]][-3:] == ["text", "text", "image"]
    (message,) = DIALECT.decode({"model": "m", "input": [GOAL], "store": False}, Call()).request.messages
    assert message.parts == (ToolResult("", (Text("100 %"),), name="goal_objective", extras={
        "openai-responses": {"namespace": "agent", "uncalled": GOAL}}),)
