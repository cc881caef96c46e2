"""Requests before and after preparation: names, schemas, choices, custom tools, namespaces, order."""

from dataclasses import replace

import pytest

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.history import HistoryRules
from adapters.model import (
    CacheMark,
    Grammar,
    Message,
    OutputFormat,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)
from adapters.prepare import Rules, prepare, with_answer_tool
from adapters.tools import ids, names, schema

ALL = frozenset({"auto", "none", "required", "named", "allowed"})


def rules(**more):
    return Rules(
        api="a",
        names=names.OPENAI,
        ids=ids.CHAT,
        history=HistoryRules(),
        schema=lambda tool, upstream: schema.untouched(tool.schema),
        choices=more.pop("choices", ALL),
        **more,
    )


def ask(*tools, choice=None, messages=(), **more):
    first = Message("user", (Text("go"),))
    return Request("m", (first, *messages), tools=tools, tool_choice=choice, **more)


def done(request, row=None):
    return prepare(request, Upstream("up"), row or rules())


F, G = Tool("f", schema={"type": "object", "properties": {}}), Tool("g", schema={"type": "object", "properties": {}})


def test_names_change_in_declarations_history_choice_and_back():
    call = (
        Message("assistant", (ToolCall("c1", "look.up", "{}"),)),
        Message("tool", (ToolResult("c1", (Text("r"),)),)),
    )
    made = done(ask(replace(F, name="look.up"), choice=ToolChoice("named", ("look.up",)), messages=call))
    assert made.request.tools[0].name == "look_up"
    assert made.request.tool_choice == ToolChoice("named", ("look_up",))
    assert made.request.messages[1].parts[0].name == "look_up"
    assert made.request.messages[2].parts[0].name == "look_up"
    assert made.reading.names == {"look_up": "look.up"} and made.reading.declared == {"look.up"}


def test_a_tool_that_only_the_history_knows_has_its_name_changed_too():
    call = (Message("assistant", (ToolCall("c1", "old.tool", "{}"),)),)
    made = done(ask(F, messages=call))
    assert made.request.messages[1].parts[0].name == "old_tool" and made.reading.names == {"old_tool": "old.tool"}


@pytest.mark.parametrize(
    "choice, have, expected, offered",
    [
        (None, ALL, None, ["f", "g"]),
        (ToolChoice("allowed", ("g",)), ALL, ToolChoice("allowed", ("g",)), ["f", "g"]),
        (ToolChoice("allowed", ("g",), required=True), ALL - {"allowed"}, ToolChoice("required"), ["g"]),
        (ToolChoice("allowed", ("g",)), ALL - {"allowed"}, ToolChoice("auto"), ["g"]),
        (ToolChoice("named", ("g",)), ALL - {"named"}, ToolChoice("required"), ["g"]),
        (ToolChoice("named", ("g",)), frozenset({"auto"}), ToolChoice("auto"), ["g"]),
        (ToolChoice("required"), frozenset({"auto"}), ToolChoice("auto"), ["f", "g"]),
        (ToolChoice("none"), ALL, ToolChoice("none"), ["f", "g"]),
        (ToolChoice("none"), ALL - {"none"}, None, []),
        (ToolChoice("auto"), ALL - {"auto"}, None, ["f", "g"]),
    ],
)
def test_choice_in_the_modes_of_the_wire(choice, have, expected, offered):
    made = done(ask(F, G, choice=choice), rules(choices=have))
    assert made.request.tool_choice == expected
    assert [tool.name for tool in made.request.tools] == offered


def test_a_weakened_choice_is_named():
    made = done(ask(F, choice=ToolChoice("required")), rules(choices=frozenset({"auto"})))
    assert made.warnings == ("tool_choice: a cannot force a call here, the model is free to answer in text",)


@pytest.mark.parametrize(
    "tools, choice",
    [((), ToolChoice("required")), ((), ToolChoice("named", ("f",))), ((F,), ToolChoice("named", ("nope",)))],
)
def test_a_choice_that_cannot_be_meant_is_refused(tools, choice):
    with pytest.raises(Rejected) as refused:
        done(ask(*tools, choice=choice))
    assert refused.value.failure.param == "tool_choice" and refused.value.failure.type == "invalid_request_error"


def test_custom_tools_become_functions_and_their_calls_too():
    sql = Tool("sql", "Runs SQL.", kind="custom", grammar=Grammar("lark", "start: /.+/"))
    call = (Message("assistant", (ToolCall("c1", "sql", 'SELECT "x"', kind="custom"),)),)
    made = done(ask(sql, messages=call))
    tool = made.request.tools[0]
    assert tool.kind == "function" and tool.schema["required"] == ["input"]
    assert tool.description == "Runs SQL.\n\nThe input must follow this lark grammar:\nstart: /.+/"
    assert made.request.messages[1].parts[0].arguments == '{"input":"SELECT \\"x\\""}'
    assert made.reading.custom == {"sql"}
    native = done(ask(sql, messages=call), rules(custom_tools=True))
    assert native.request.tools[0] == sql and native.reading.custom == frozenset()


def test_namespaces_are_flat_where_the_wire_has_none():
    tool = replace(F, name="read", namespace="files")
    call = Message("assistant", (ToolCall("c1", "read", "{}", extras={"openai-responses": {"namespace": "files"}}),))
    made = done(ask(tool, choice=ToolChoice("named", ("read",)), messages=(call,)))
    assert made.request.tools[0].name == "files__read" and made.request.tools[0].namespace is None
    assert made.request.messages[1].parts[0].name == "files__read"
    assert made.request.tool_choice == ToolChoice("named", ("files__read",))
    assert made.reading.namespaces == {"files__read": ("files", "read")}


def test_tools_go_by_wire_name_unless_the_client_marked_one():
    a, z = replace(F, name="z.tool"), replace(F, name="a")
    assert [t.name for t in done(ask(a, z), rules(sort_tools=True)).request.tools] == ["a", "z_tool"]
    assert [t.name for t in done(ask(a, z)).request.tools] == ["z_tool", "a"]
    marked = replace(a, cache=CacheMark())
    assert [t.name for t in done(ask(marked, z), rules(sort_tools=True)).request.tools] == ["z_tool", "a"]


def test_shortened_names_sort_by_their_full_length():
    names = [f"{'calendar_' * 8}{end}" for end in ("a", "b", "c", "d", "e")]
    made = done(ask(*(Tool(name) for name in reversed(names))), rules(sort_tools=True))
    assert [made.reading.names[t.name] for t in made.request.tools] == names


def test_a_second_declaration_is_named_and_left_out():
    made = done(ask(F, replace(F, description="again")))
    assert made.request.tools == (F,)
    assert made.warnings == ("tools: f is declared twice; the first declaration holds",)


def test_tools_from_history_where_the_api_insists():
    call = (Message("assistant", (ToolCall("c1", "old", "{}"),)),)
    row = rules()
    row = replace(row, history=replace(row.history, tools_from_history=True))
    made = done(ask(messages=call), row)
    assert [tool.name for tool in made.request.tools] == ["old"] and made.request.tool_choice == ToolChoice("none")


def test_structured_output_by_a_tool():
    output = OutputFormat("schema", {"type": "object"}, name="x")
    alone, name = with_answer_tool(ask(output=output))
    assert name == "json_response" and alone.tool_choice == ToolChoice("named", (name,)) and alone.output is None
    beside, name = with_answer_tool(ask(replace(F, name="json_response"), output=output))
    assert name == "json_response_" and beside.tool_choice == ToolChoice("required")


def test_the_same_tools_are_projected_once():
    seen = []

    def counting(tool, upstream):
        seen.append(tool.name)
        return schema.untouched(tool.schema)

    row = replace(rules(), schema=counting)
    for _ in range(3):
        done(ask(F, replace(G, schema={"type": "object", "properties": {"x": {}}})), row)
    assert seen == ["f", "g"]


def _closing(tool, upstream):
    return schema.Projection({**(tool.schema or {}), "additionalProperties": False})


def test_the_schemas_for_the_way_back_are_the_clients_own():
    tools = (
        Tool("look.up", schema={"type": "object", "properties": {"b": {}, "a": {}}}),
        Tool("bare"),
        Tool("read", schema={"type": "object"}, namespace="files"),
        Tool("sql", kind="custom"),
        Tool("web_search", kind="builtin", builtin="web_search"),
    )
    expected = {
        "look.up": b'{"type":"object","properties":{"b":{},"a":{}}}',
        "bare": b"null",
        "files__read": b'{"type":"object"}',
        "sql": b"",
        "web_search": b"",
    }
    for custom in (False, True):
        for namespaces in (False, True):
            row = replace(rules(custom_tools=custom, namespaces=namespaces), schema=_closing)
            assert done(ask(*tools), row).reading.schemas == expected
    only = done(ask(*tools, choice=ToolChoice("allowed", ("bare",))), rules(choices=frozenset({"auto"})))
    assert only.reading.schemas == {"bare": b"null"}


def test_running_answers_share_the_text_of_a_schema():
    row = rules()
    asked = [ask(Tool("f", schema={"type": "object", "title": "F"})) for _ in range(2)]
    first, second = (done(request, row).reading.schemas for request in asked)
    assert first["f"] is second["f"]


def test_fields_of_another_api_are_named_and_a_prompt_kept_there_is_refused():
    asked = ask(extras={"google-gemini": {"safetySettings": []}})
    assert done(asked).warnings == ("safetySettings: left out, a has no such field",)
    kept = ask(extras={"google-gemini": {"safetySettings": [], "cachedContent": "cachedContents/c1"}})
    with pytest.raises(Rejected) as refused:
        done(kept)
    assert refused.value.failure.param == "cachedContent"
    assert done(kept, replace(rules(), api="google-gemini")).warnings == ()
