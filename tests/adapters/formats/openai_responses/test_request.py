"""Requests to Responses upstreams: full neutral input, full body, as openai-responses §1 to §4, §7 to §9, §11 say."""

import pytest
from openai.types.responses.response_create_params import ResponseCreateParamsBase
from pydantic import TypeAdapter

from adapters import json
from adapters.compat import defaults
from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.openai_responses import API
from adapters.model import (
    CacheMark,
    Citation,
    Grammar,
    Media,
    Message,
    Opaque,
    OutputFormat,
    Reasoning,
    Refusal,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)

NAME = "openai-responses"
ORIGIN = "openai/gpt-5"
FLAGS = {**defaults(NAME), "custom_tools": "native", "metadata": True, "service_tier": True, "prompt_cache_key": True}


def upstream(model="gpt-5", options=None, **flags):
    return Upstream(model, ORIGIN, {**FLAGS, **flags}, options=options or {})


PLAIN = upstream("gpt-4o")
UNKNOWN = Upstream("local", "local/local", {**defaults(NAME), "encrypted_reasoning": False})
GO = Message("user", (Text("go"),))
GO_ITEM = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CLOSED = {**CITY, "additionalProperties": False}


def ask(*messages, **fields):
    fields.setdefault("dialect", "chat")
    return Request("asked", messages or (GO,), **fields)


SDK = TypeAdapter(ResponseCreateParamsBase)
def plain(value):
    """The SDK's lists are read one by one."""
    match value:
        case dict():
            return {name: plain(one) for name, one in value.items()}
        case str() | int() | float() | None:
            return value
    return [plain(one) for one in value]


def encode(request, to=PLAIN, typed=True):
    """Body and warnings. The SDK's own types know every field of the body, and no field that they need is missing.

    `typed` False: the wire page differs from those types, which see `strict` and the id of reasoning as required.
    """
    outgoing = API.encode(request, to)
    assert outgoing.path == "/responses" and outgoing.method == "POST"
    body = json.loads(outgoing.body)
    if typed:
        assert plain(SDK.validate_python(body)) == {name: value for name, value in body.items() if name != "stream"}
    return body, outgoing.warnings


def fields(request, to=PLAIN, typed=True):
    """The body without what every request has."""
    body, _ = encode(request, to, typed)
    return {name: value for name, value in body.items() if name not in ("model", "input", "store")}


def items(*messages, to=PLAIN, typed=True, **more):
    body, _ = encode(ask(*messages, **more), to, typed)
    return body["input"]


def said(text, id="msg_1", **more):
    return {"type": "message", "role": "assistant", "id": id, "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}], **more}


# --- the whole ---------------------------------------------------------------------------------------------------


def test_a_whole_conversation():
    request = ask(
        Message("system", (Text("Be brief, in JSON."),)),
        Message("user", (Text("Weather?"), Media("image", "image/png", data="iVBOR", detail="low"))),
        Message(
            "assistant",
            (
                Reasoning("Two cities.", NAME, ORIGIN, "rs_9", data="sealed", sections=("Two cities.",)),
                Text("Looking.", extras={NAME: {"id": "msg_9", "phase": "commentary"}}),
                ToolCall("call_1", "get.weather", '{"city": "Ulm"}', extras={NAME: {"id": "fc_9"}}),
                ToolCall("call_2", "get.weather", ""),
            ),
        ),
        Message("tool", (ToolResult("call_2", (Text("sun"),)), ToolResult("call_1", (Text("rain"),)))),
        Message("user", (Text("And now?"),)),
        tools=(Tool("sql", "Runs SQL.", kind="custom", grammar=Grammar("lark", 'start: "x"')),
               Tool("get.weather", "Weather.", CITY)),
        tool_choice=ToolChoice("named", ("get.weather",)),
        parallel=False,
        sampling=Sampling(max_tokens=200),
        output=OutputFormat("json"),
        thinking=Thinking(effort="low", visible=True),
        stream=True,
        user="u1",
        metadata={"k": "v"},
        service_tier="flex",
        verbosity="low",
        cache_key="thread-1",
    )
    outgoing = API.encode(request, upstream())
    assert outgoing.warnings == ()
    assert outgoing.stream and outgoing.reading.stream
    assert outgoing.reading.names == {"get_weather": "get.weather"}
    assert outgoing.reading.origin == ORIGIN
    assert outgoing.body == json.dumps(
        {
            "model": "gpt-5",
            "input": [
                {"type": "message", "role": "system", "content": [
                    {"type": "input_text", "text": "Be brief, in JSON."}]},
                {
                    "type": "message",
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": "Weather?"},
                        {"type": "input_image", "image_url": "data:image/png;base64,iVBOR", "detail": "low"},
                    ],
                },
                {
                    "type": "reasoning",
                    "id": "rs_9",
                    "summary": [{"type": "summary_text", "text": "Two cities."}],
                    "encrypted_content": "sealed",
                },
                said("Looking.", "msg_9", phase="commentary"),
                {"type": "function_call", "id": "fc_9", "call_id": "call_1", "name": "get_weather",
                 "arguments": '{"city": "Ulm"}'},
                {"type": "function_call", "call_id": "call_2", "name": "get_weather", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call_1", "output": "rain"},
                {"type": "function_call_output", "call_id": "call_2", "output": "sun"},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And now?"}]},
            ],
            "tools": [
                {"type": "function", "name": "get_weather", "description": "Weather.", "parameters": CITY,
                 "strict": False},
                {"type": "custom", "name": "sql", "description": "Runs SQL.",
                 "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "x"'}},
            ],
            "tool_choice": {"type": "function", "name": "get_weather"},
            "parallel_tool_calls": False,
            "max_output_tokens": 200,
            "text": {"format": {"type": "json_object"}, "verbosity": "low"},
            "reasoning": {"effort": "low", "summary": "auto"},
            "include": ["reasoning.encrypted_content"],
            "store": False,
            "stream": True,
            "prompt_cache_key": "thread-1",
            "metadata": {"k": "v"},
            "service_tier": "flex",
            "user": "u1",
        }
    )
    assert API.encode(request, upstream()).body == outgoing.body


def test_the_least_request():
    assert encode(ask()) == ({"model": "gpt-4o", "input": [GO_ITEM], "store": False}, ())


# --- history -----------------------------------------------------------------------------------------------------

CALL = ToolCall("call_1", "f", "{}", extras={NAME: {"id": "fc_1"}})
CALLED = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
CALLED_BY_ID = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
RESULT = Message("tool", (ToolResult("call_1", (Text("ok"),)),))
RETURNED = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}


def sealed(id="rs_1", data="sealed", **more):
    return Reasoning("why", NAME, ORIGIN, id, data=data, sections=("why",), **more)


SEALED = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "why"}],
          "encrypted_content": "sealed"}


@pytest.mark.parametrize(
    ("parts", "written"),
    [
        pytest.param((sealed(), CALL), [SEALED, CALLED_BY_ID], id="reasoning leads to a call"),
        pytest.param((CALL,), [CALLED], id="no reasoning, no id"),
        pytest.param((sealed(data=None), CALL), [CALLED], id="reasoning that nobody can find"),
        pytest.param((CALL, sealed()), [CALLED], id="reasoning that leads to nothing"),
        pytest.param((sealed(), CALL, sealed("rs_2"), sealed("rs_3")), [SEALED, CALLED_BY_ID], id="trailing ones"),
        pytest.param(
            (Reasoning("mind", "anthropic-messages", "anthropic/claude", signature="s"), CALL), [CALLED], id="foreign"
        ),
        pytest.param((Reasoning("mind"), CALL), [CALLED], id="text only"),
        pytest.param(
            (Reasoning("mind", NAME, "openai/gpt-4o", "rs_1", data="x"), CALL), [CALLED], id="of another model"
        ),
        pytest.param(
            (Reasoning("mind", NAME, None, "rs_1", data="x", sections=("mi", "nd")), CALL),
            [
                {"type": "reasoning", "id": "rs_1", "encrypted_content": "x",
                 "summary": [{"type": "summary_text", "text": "mi"}, {"type": "summary_text", "text": "nd"}]},
                CALLED_BY_ID,
            ],
            id="from a client of this API",
        ),
        pytest.param(
            (Reasoning("", NAME, ORIGIN, "reasoning-1", data="x"), CALL),
            [{"type": "reasoning", "summary": [], "encrypted_content": "x"}, CALLED_BY_ID],
            id="an id of another form",
        ),
        pytest.param(
            (Reasoning("Hm.", NAME, ORIGIN, "rs_1", sections=("Hm.",), extras={NAME: {"raw": 1}}), CALL),
            [
                {"type": "reasoning", "id": "rs_1", "summary": [],
                 "content": [{"type": "reasoning_text", "text": "Hm."}]},
                CALLED_BY_ID,
            ],
            id="raw content of open models",
        ),
        pytest.param(
            (sealed(), ToolCall("call_1", "f", "{}", extras={NAME: {"id": "call-17"}})), [SEALED, CALLED],
            id="a call's id of another form",
        ),
        pytest.param((sealed(), ToolCall("call_1|fc_1", "f", "{}")), [SEALED, CALLED_BY_ID], id="both ids in one"),
        pytest.param((ToolCall("call_1|fc_1", "f", "{}"),), [CALLED], id="both ids in one, without reasoning"),
    ],
)
def test_reasoning(parts, written):
    typed = all("id" in item for item in written if item["type"] == "reasoning")
    assert items(Message("assistant", parts), RESULT, to=upstream(), typed=typed) == [*written, RETURNED]


def test_stored_reasoning_needs_no_content():
    assert items(Message("assistant", (sealed(data=None), CALL)), RESULT, to=upstream(store=True)) == [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "why"}]},
        CALLED_BY_ID,
        RETURNED,
    ]


@pytest.mark.parametrize(
    ("parts", "written"),
    [
        pytest.param((Text("a"), Text("b")), [
            {**said(""), "id": "msg_1", "content": [
                {"type": "output_text", "text": "a", "annotations": []},
                {"type": "output_text", "text": "b", "annotations": []},
            ]},
        ], id="parts of one message"),
        pytest.param(
            (Text("a", extras={NAME: {"id": "msg_a", "phase": "commentary"}}),
             Text("b", extras={NAME: {"id": "msg_b", "phase": "final_answer"}})),
            [said("a", "msg_1", phase="commentary"), said("b", "msg_2", phase="final_answer")],
            id="two messages, each with its phase",
        ),
        pytest.param(
            (Text("a", extras={NAME: {"id": "msg_a"}}), Text("b", extras={NAME: {"id": "msg_b"}})),
            [said("a", "msg_1"), said("b", "msg_2")],
            id="two messages",
        ),
        pytest.param(
            (Text("a"), Refusal("no")),
            [{**said("a"), "content": [{"type": "output_text", "text": "a", "annotations": []},
                                       {"type": "refusal", "refusal": "no"}]}],
            id="a refusal",
        ),
        pytest.param(
            (Text("a", citations=(Citation("https://x.org", "X", 0, 1), Citation(quote="q"),
                                  Citation(extras={NAME: {"type": "file_path", "file_id": "f", "index": 0}}))),),
            [{**said("a"), "content": [{"type": "output_text", "text": "a", "annotations": [
                {"type": "url_citation", "start_index": 0, "end_index": 1, "url": "https://x.org", "title": "X"},
                {"type": "file_path", "file_id": "f", "index": 0},
            ]}]}],
            id="citations",
        ),
    ],
)
def test_assistant_messages(parts, written):
    assert items(GO, Message("assistant", parts), GO)[1:-1] == written


def test_text_around_a_call():
    assert items(Message("assistant", (Text("a"), CALL, Text("b"))), RESULT) == [
        said("a", "msg_0"), CALLED, said("b", "msg_2"), RETURNED
    ]


def test_messages_of_two_turns_stay_apart():
    assert items(Message("assistant", (Text("a"),)), Message("assistant", (Text("b"),))) == [
        said("a", "msg_0"), said("b", "msg_1")
    ]


@pytest.mark.parametrize("role", ["system", "developer", "user"])
def test_other_roles_keep_their_place(role):
    message = Message(role, (Text("x"),))
    written = {"type": "message", "role": role, "content": [{"type": "input_text", "text": "x"}]}
    assert items(message, GO, message) == [written, GO_ITEM, written]


def test_instructions_of_a_responses_client():
    first = Message("system", (Text("Be brief."),), extras={NAME: {"instructions": True}})
    body, _ = encode(ask(first, GO, dialect="responses"))
    assert body == {"model": "gpt-4o", "instructions": "Be brief.", "input": [GO_ITEM], "store": False}


def test_a_message_name_is_named():
    assert encode(ask(Message("user", (Text("go"),), name="eve"))) == (
        {"model": "gpt-4o", "input": [GO_ITEM], "store": False},
        ("the name of a user message is left out, openai-responses has no such field",),
    )


MEDIA = [
    (Media("image", url="https://x.org/a.png"), {"type": "input_image", "image_url": "https://x.org/a.png",
                                                  "detail": "auto"}),
    (Media("image", "image/jpeg", data="AA=="), {"type": "input_image", "image_url": "data:image/jpeg;base64,AA==",
                                                  "detail": "auto"}),
    (Media("image", file_id="file_1", detail="high"), {"type": "input_image", "file_id": "file_1", "detail": "high"}),
    (Media("file", "application/pdf", data="AA==", name="a.pdf"),
     {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="}),
    (Media("file", "application/pdf", data="AA=="),
     {"type": "input_file", "filename": "file.pdf", "file_data": "data:application/pdf;base64,AA=="}),
    (Media("file", url="https://x.org/a.pdf"), {"type": "input_file", "file_url": "https://x.org/a.pdf"}),
    (Media("file", file_id="file_1"), {"type": "input_file", "file_id": "file_1"}),
    (Media("file", "text/plain", text="words", name="a.txt"), {"type": "input_text", "text": "a.txt:\nwords"}),
    (Media("file", text="words"), {"type": "input_text", "text": "words"}),
    (Media("audio", "audio/wav", data="AA=="),
     {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}),
    (Media("audio", "audio/mpeg", data="AA=="),
     {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}}),
    (Text("x", CacheMark("30m"), extras={NAME: {"prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}}}),
     {"type": "input_text", "text": "x", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}}),
    (Text("x", CacheMark("5m")), {"type": "input_text", "text": "x"}),
    (Opaque(NAME, {"content_part": {"type": "input_smell", "smell": "sea"}}), {"type": "input_smell", "smell": "sea"}),
]


@pytest.mark.parametrize(("part", "written"), MEDIA)
def test_content_parts(part, written):
    typed = written["type"] not in ("input_audio", "input_smell")
    assert items(Message("user", (part,)), typed=typed) == [{"type": "message", "role": "user", "content": [written]}]


@pytest.mark.parametrize("part", [Media("video", url="https://x.org/a.mp4"), Media("audio", url="https://x.org/a.wav")])
def test_media_that_the_api_has_not(part):
    with pytest.raises(Rejected):
        encode(ask(Message("user", (part,))))


def test_media_of_an_assistant():
    body, warnings = encode(ask(Message("assistant", (Text("here"), Media("image", "image/png", data="AA==")))))
    assert body["input"] == [said("here", "msg_0")]
    assert warnings == ("image in an assistant message is left out, openai-responses takes none there",)


IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"}


@pytest.mark.parametrize(
    ("content", "to", "output"),
    [
        ((Text("a"),), PLAIN, "a"),
        ((), PLAIN, "(no output)"),
        ((Text("a"), Text("b")), PLAIN, [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]),
        ((Text("a"), Text("b")), UNKNOWN, "a\nb"),
        ((Text("a"), Media("image", "image/png", data="AA==")), PLAIN, [{"type": "input_text", "text": "a"}, IMAGE]),
    ],
)
def test_outputs(content, to, output):
    result = Message("tool", (ToolResult("call_1", content, extras={NAME: {"caller": {"type": "direct"}}}),))
    assert items(Message("assistant", (CALL,)), result, to=to) == [
        CALLED,
        {"type": "function_call_output", "call_id": "call_1", "output": output, "caller": {"type": "direct"}},
    ]


@pytest.mark.parametrize(("failed", "warnings"), [(None, 0), (False, 0), (True, 1)])
def test_a_failed_call_is_told_by_its_text_alone(failed, warnings):
    result = Message("tool", (ToolResult("call_1", (Text("boom"),), is_error=failed),))
    body, told = encode(ask(Message("assistant", (CALL,)), result))
    assert body["input"][1] == {"type": "function_call_output", "call_id": "call_1", "output": "boom"}
    assert len(told) == warnings


def test_a_call_without_result():
    body, told = encode(ask(Message("assistant", (CALL,)), GO))
    assert body["input"] == [
        CALLED, {"type": "function_call_output", "call_id": "call_1", "output": "(no result)"}, GO_ITEM
    ]
    assert told == ("a tool call without a result is answered with a placeholder",)


def test_custom_calls():
    call = ToolCall("call_1", "sql", "SELECT 1", "custom", extras={NAME: {"id": "ctc_1"}})
    result = Message("tool", (ToolResult("call_1", (Text("1"),), kind="custom"),))
    tool = Tool("sql", kind="custom")
    assert items(Message("assistant", (sealed(), call)), result, to=upstream(), tools=(tool,)) == [
        SEALED,
        {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "sql", "input": "SELECT 1"},
        {"type": "custom_tool_call_output", "call_id": "call_1", "output": "1"},
    ]
    assert items(Message("assistant", (call,)), result, to=UNKNOWN, tools=(tool,)) == [
        {"type": "function_call", "call_id": "call_1", "name": "sql", "arguments": '{"input":"SELECT 1"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "1"},
    ]


SPACE = Tool("find", "Finds.", CITY, namespace="crm", extras={NAME: {"namespace_description": "Customers."}})
SPACED = ToolCall("call_1", "find", "{}", extras={NAME: {"namespace": "crm", "caller": {"type": "direct"}}})


def test_namespaced_calls():
    turn = Message("assistant", (SPACED,))
    assert items(turn, RESULT, tools=(SPACE,)) == [
        {"type": "function_call", "call_id": "call_1", "name": "find", "arguments": "{}", "namespace": "crm",
         "caller": {"type": "direct"}},
        RETURNED,
    ]
    assert items(turn, RESULT, tools=(SPACE,), to=UNKNOWN)[0] == {
        "type": "function_call", "call_id": "call_1", "name": "crm__find", "arguments": "{}",
        "caller": {"type": "direct"},
    }


def test_a_call_of_a_deferred_tool_keeps_its_namespace():
    call = ToolCall("call_1", "find", "{}", extras={NAME: {"namespace": "find"}})
    assert items(Message("assistant", (call,)), RESULT)[0]["namespace"] == "find"
    assert items(Message("assistant", (call,)), RESULT, to=UNKNOWN)[0] == {
        "type": "function_call", "call_id": "call_1", "name": "find", "arguments": "{}"
    }


def test_long_ids_are_hashed_alike_on_both_sides():
    ids = ["call_" + "x" * 80 + end for end in "ab"]
    turn = Message("assistant", tuple(ToolCall(one, "f", "{}") for one in ids))
    results = Message("tool", tuple(ToolResult(one, (Text("ok"),)) for one in ids))
    written = items(turn, results)
    calls = [item["call_id"] for item in written[:2]]
    assert [item["call_id"] for item in written[2:]] == calls
    assert len(set(calls)) == 2 and all(len(one) <= 64 for one in calls)


SEARCHED = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}


def test_opaque_items_stay_in_place():
    shell = {"type": "shell_call_output", "call_id": "c", "output": []}
    assert items(
        Message("assistant", (sealed(), Opaque(NAME, SEARCHED), Text("x"))),
        Message("user", (Opaque(NAME, shell),)),
        Message("user", (Text("a"), Opaque(NAME, shell), Text("b"))),
        to=upstream(),
    ) == [
        SEALED,
        SEARCHED,
        said("x", "msg_2"),
        shell,
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        shell,
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "b"}]},
    ]


def test_opaque_parts_of_other_apis():
    block = Opaque("anthropic-messages", {"type": "server_tool_use"}, "searched")
    assert items(Message("assistant", (block,))) == [said("searched", "msg_0")]


@pytest.mark.parametrize("item", [{"type": "item_reference", "id": "rs_1"}, {"id": "rs_1"}])
def test_references_need_a_store(item):
    message = Message("user", (Opaque(NAME, item),))
    with pytest.raises(Rejected, match="stores responses"):
        encode(ask(message, GO))
    assert items(message, GO, to=upstream(store=True)) == [item, GO_ITEM]


# --- tools -------------------------------------------------------------------------------------------------------

OPTIONAL = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}


@pytest.mark.parametrize(
    ("dialect", "strict", "level", "schema", "written"),
    [
        ("chat", None, "lossless", CITY, (CITY, False)),
        ("messages", None, "lossless", CITY, (CITY, False)),
        ("gemini", None, "lossless", CITY, (CITY, False)),
        ("chat", False, "lossless", CITY, (CITY, False)),
        ("chat", True, "lossless", CITY, (CLOSED, True)),
        ("messages", True, "lossless", CITY, (CLOSED, True)),
        ("chat", True, "lossless", OPTIONAL, (OPTIONAL, False)),
        (
            "chat", True, "rewrite", OPTIONAL,
            (
                {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": ["integer", "null"]}},
                 "required": ["q", "n"], "additionalProperties": False},
                True,
            ),
        ),
        ("responses", True, "lossless", CITY, (CLOSED, True)),
        ("responses", False, "lossless", CITY, (CITY, False)),
        ("responses", None, "lossless", CITY, (CITY, None)),
        ("responses", None, "rewrite", OPTIONAL, (OPTIONAL, None)),
        ("responses", None, "off", CITY, (CITY, None)),
        ("chat", True, "off", CITY, (CITY, None)),
        ("chat", None, "lossless", None, ({"type": "object", "properties": {}}, False)),
        ("responses", False, "lossless", {}, ({"type": "object", "properties": {}}, False)),
    ],
)
def test_strict(dialect, strict, level, schema, written):
    request = ask(tools=(Tool("f", schema=schema, strict=strict),), dialect=dialect)
    tool = {"type": "function", "name": "f", "parameters": written[0]}
    if written[1] is not None:
        tool["strict"] = written[1]
    assert fields(request, upstream("gpt-4o", strict_tools=level), typed="strict" in tool)["tools"] == [tool]


def test_why_a_tool_is_not_strict():
    _, warnings = encode(ask(tools=(Tool("f", schema=OPTIONAL, strict=True),)))
    assert len(warnings) == 1 and warnings[0].startswith("tools.f: ") and "n" in warnings[0]


def test_keywords_that_a_host_refuses():
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    to = upstream("grok-4", unsupported_schema_keywords=("additionalProperties",))
    tool = fields(ask(tools=(Tool("f", schema=schema),)), to)["tools"][0]
    assert tool["parameters"].keys() == {"type", "properties"}


def names_of(tools):
    return [tool.get("name", tool["type"]) for tool in tools]


def test_tools_are_sorted_by_wire_name():
    tools = (Tool("b"), Tool("a.z"), Tool("B"), Tool("a_y"), Tool("web_search", kind="builtin", builtin="web_search"))
    assert names_of(fields(ask(tools=tools))["tools"]) == ["B", "a_y", "a_z", "b", "web_search"]
    assert names_of(fields(ask(tools=tools[::-1]))["tools"]) == ["B", "a_y", "a_z", "b", "web_search"]


@pytest.mark.parametrize(
    ("tools", "to"),
    [
        ((Tool("b"), Tool("a")), upstream("gpt-4o", sort_tools=False)),
        ((Tool("b", cache=CacheMark()), Tool("a")), PLAIN),
    ],
)
def test_tools_that_keep_their_order(tools, to):
    assert names_of(fields(ask(tools=tools), to)["tools"]) == ["b", "a"]


def test_namespaces():
    tools = (Tool("z"), SPACE, Tool("a", "A.", CITY, namespace="crm"), Tool("b"))
    assert fields(ask(tools=tools))["tools"] == [
        {"type": "function", "name": "b", "parameters": {"type": "object", "properties": {}}, "strict": False},
        {
            "type": "namespace",
            "name": "crm",
            "description": "crm",
            "tools": [
                {"type": "function", "name": "a", "description": "A.", "parameters": CITY, "strict": False},
                {"type": "function", "name": "find", "description": "Finds.", "parameters": CITY, "strict": False},
            ],
        },
        {"type": "function", "name": "z", "parameters": {"type": "object", "properties": {}}, "strict": False},
    ]
    assert names_of(fields(ask(tools=tools), UNKNOWN)["tools"]) == ["b", "crm__a", "crm__find", "z"]
    assert fields(ask(tools=(SPACE,)))["tools"][0]["description"] == "Customers."


def test_other_fields_of_a_tool():
    own = {"output_schema": {"type": "object"}, "allowed_callers": ["direct"], "async": True}
    tool = Tool("f", schema=CITY, strict=False, deferred=True, extras={NAME: own})
    written = {"type": "function", "name": "f", "parameters": CITY, "strict": False, "defer_loading": True, **own}
    assert fields(ask(tools=(tool,)))["tools"] == [written]
    del written["defer_loading"]
    assert fields(ask(tools=(tool,)), UNKNOWN)["tools"] == [written]


@pytest.mark.parametrize(
    ("tool", "written"),
    [
        (Tool("sql", "Runs.", kind="custom"), {"type": "custom", "name": "sql", "description": "Runs."}),
        (
            Tool("re", kind="custom", grammar=Grammar("regex", "a+")),
            {"type": "custom", "name": "re", "format": {"type": "grammar", "syntax": "regex", "definition": "a+"}},
        ),
    ],
)
def test_custom_tools(tool, written):
    assert fields(ask(tools=(tool,)))["tools"] == [written]


def test_custom_tools_where_there_are_none():
    tool = Tool("re", "Matches.", kind="custom", grammar=Grammar("regex", "a+"))
    outgoing = API.encode(ask(tools=(tool,)), UNKNOWN)
    assert json.loads(outgoing.body)["tools"] == [
        {
            "type": "function",
            "name": "re",
            "description": "Matches.\n\nThe input must follow this regex grammar:\na+",
            "parameters": {
                "type": "object",
                "properties": {"input": {"type": "string", "description": "The raw input of the tool."}},
                "required": ["input"],
                "additionalProperties": False,
            },
            "strict": False,
        }
    ]
    assert outgoing.reading.custom == {"re"}


def test_built_in_tools():
    given = {"type": "web_search", "filters": {"allowed_domains": ["x.org"]}}
    mcp = {"type": "mcp", "server_label": "s", "server_url": "https://x.org"}
    tools = (
        Tool("web_search", kind="builtin", builtin="web_search", extras={NAME: {"tool": given}}),
        Tool("mcp:s", kind="builtin", builtin="mcp", extras={NAME: {"tool": mcp}}),
        Tool("code_execution", kind="builtin", builtin="code_execution", extras={"anthropic-messages": {}}),
        Tool("bash", kind="builtin", builtin="bash", extras={"anthropic-messages": {}}),
    )
    body, warnings = encode(ask(tools=tools))
    assert body["tools"] == [{"type": "code_interpreter", "container": {"type": "auto"}}, mcp, given]
    assert warnings == ("tools: the built-in bash is left out, openai-responses has no such tool here",)
    assert fields(ask(tools=tools), UNKNOWN)["tools"] == [mcp, given]


def test_tools_loaded_by_an_item_are_not_declared_again():
    loaded = Tool("late", schema=CITY, extras={NAME: {"loaded": True}})
    assert names_of(fields(ask(tools=(Tool("f"), loaded)))["tools"]) == ["f"]


def test_too_many_tools():
    tools = tuple(Tool(f"f{n}") for n in range(129))
    with pytest.raises(Rejected, match="129 tools"):
        encode(ask(tools=tools))
    assert len(fields(ask(tools=tools), upstream("gpt-4o", max_tools=None))["tools"]) == 129


F, G = Tool("f"), Tool("g")
SQL = Tool("sql", kind="custom")
WEB = Tool("web_search", kind="builtin", builtin="web_search", extras={NAME: {"tool": {"type": "web_search_preview"}}})
MCP = Tool("mcp:s", kind="builtin", builtin="mcp", extras={NAME: {"tool": {"type": "mcp", "server_label": "s"}}})
ALL = (F, G, SQL, WEB, MCP, SPACE)


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        (None, None),
        (ToolChoice("auto"), "auto"),
        (ToolChoice("none"), "none"),
        (ToolChoice("required"), "required"),
        (ToolChoice("named", ("f",)), {"type": "function", "name": "f"}),
        (ToolChoice("named", ("sql",)), {"type": "custom", "name": "sql"}),
        (ToolChoice("named", ("web_search",)), {"type": "web_search_preview"}),
        (ToolChoice("named", ("mcp:s",)), {"type": "mcp", "server_label": "s"}),
        (
            ToolChoice("allowed", ("f", "sql", "mcp:s"), required=True),
            {"type": "allowed_tools", "mode": "required", "tools": [
                {"type": "function", "name": "f"}, {"type": "custom", "name": "sql"},
                {"type": "mcp", "server_label": "s"},
            ]},
        ),
        (
            ToolChoice("allowed", ("g",)),
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "g"}]},
        ),
    ],
)
def test_tool_choice(choice, written):
    body = fields(ask(tools=ALL, tool_choice=choice))
    assert body.get("tool_choice") == written
    assert len(body["tools"]) == len(ALL)


@pytest.mark.parametrize(
    ("choice", "to", "written", "offered"),
    [
        (ToolChoice("named", ("find",)), PLAIN, "required", ["crm"]),
        (ToolChoice("allowed", ("find", "g")), PLAIN, "auto", ["crm", "g"]),
        (ToolChoice("allowed", ("g", "f"), required=True), UNKNOWN, "required", ["f", "g"]),
        (ToolChoice("named", ("f",)), UNKNOWN, {"type": "function", "name": "f"},
         ["crm__find", "f", "g", "sql", "mcp", "web_search_preview"]),
    ],
)
def test_a_choice_told_by_leaving_tools_out(choice, to, written, offered):
    body = fields(ask(tools=ALL, tool_choice=choice), to)
    assert (body["tool_choice"], names_of(body["tools"])) == (written, offered)


@pytest.mark.parametrize(
    ("choice", "tools", "to"),
    [
        (ToolChoice("named", ("nope",)), (F,), PLAIN),
        (ToolChoice("required"), (), PLAIN),
        (ToolChoice("named", ("bash",)), (F, Tool("bash", kind="builtin", builtin="bash")), PLAIN),
    ],
)
def test_a_choice_that_cannot_be_meant(choice, tools, to):
    with pytest.raises(Rejected, match="tool"):
        encode(ask(tools=tools, tool_choice=choice), to)


def test_no_choice_without_tools():
    assert fields(ask(tool_choice=ToolChoice("auto"), parallel=True)) == {}


@pytest.mark.parametrize(
    ("parallel", "known", "sent", "warnings"),
    [
        (None, True, None, ()), (True, True, True, ()), (False, True, False, ()), (True, False, None, ()),
        (False, False, None, ("parallel_tool_calls: left out, the upstream does not know it",)),
    ],
)
def test_parallel_calls(parallel, known, sent, warnings):
    body, told = encode(ask(tools=(F,), parallel=parallel), upstream("gpt-4o", parallel_tool_calls=known))
    assert (body.get("parallel_tool_calls"), told) == (sent, warnings)


# --- sampling, reasoning, output -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "sent", "warnings"),
    [
        (Sampling(max_tokens=16), {"max_output_tokens": 16}, ()),
        (Sampling(max_tokens=17), {"max_output_tokens": 17}, ()),
        (Sampling(max_tokens=1), {"max_output_tokens": 16},
         ("max_output_tokens: 1 is raised to 16, the least there is",)),
        (Sampling(temperature=0.0, top_p=0.5), {"temperature": 0.0, "top_p": 0.5}, ()),
        (Sampling(logprobs=True, top_logprobs=3),
         {"top_logprobs": 3, "include": ["message.output_text.logprobs"]}, ()),
        (Sampling(n=1), {}, ()),
        (Sampling(stop=("x",)), {}, ("stop: left out, openai-responses has no such field",)),
        (Sampling(seed=0), {}, ("seed: left out, openai-responses has no such field",)),
        (Sampling(presence_penalty=0.1), {}, ("presence_penalty: left out, openai-responses has no such field",)),
        (Sampling(frequency_penalty=0.1), {}, ("frequency_penalty: left out, openai-responses has no such field",)),
        (Sampling(logit_bias={"1": 1}), {}, ("logit_bias: left out, openai-responses has no such field",)),
        (Sampling(top_k=5), {}, ("top_k: left out, openai-responses has no such field",)),
    ],
)
def test_sampling(asked, sent, warnings):
    body, told = encode(ask(sampling=asked))
    assert {name: body[name] for name in body if name not in ("model", "input", "store")} == sent
    assert told == warnings


def test_several_answers():
    with pytest.raises(Rejected) as caught:
        encode(ask(sampling=Sampling(n=2)))
    assert caught.value.failure.param == "n"


HOT = Sampling(temperature=0.5, top_p=0.9, logprobs=True, top_logprobs=2)
SECRET = ["reasoning.encrypted_content"]
SCORED = ["message.output_text.logprobs"]


@pytest.mark.parametrize(
    ("model", "effort", "kept"),
    [
        ("gpt-5", None, False), ("gpt-5", "low", False), ("o3", None, False), ("gpt-5.1", None, True),
        ("gpt-5.1", "none", True), ("gpt-5.1", "high", False), ("gpt-5.5", None, False), ("gpt-5.5", "none", True),
        ("gpt-4o", None, True), ("grok-4", "high", True),
    ],
)
def test_reasoning_models_refuse_sampling(model, effort, kept):
    body, warnings = encode(ask(sampling=HOT, thinking=Thinking(effort) if effort else None), upstream(model))
    assert [name in body for name in ("temperature", "top_p", "top_logprobs")] == [kept] * 3
    assert ("message.output_text.logprobs" in body.get("include", [])) is kept
    assert len(warnings) == (0 if kept else 4)


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        ("gpt-5", None, None),
        ("gpt-5", Thinking("high"), {"effort": "high"}),
        ("gpt-5", Thinking("none"), {"effort": "minimal"}),
        ("gpt-5", Thinking("xhigh"), {"effort": "high"}),
        ("gpt-5.2", Thinking("max"), {"effort": "xhigh"}),
        ("gpt-5.6", Thinking("minimal"), {"effort": "low"}),
        ("gpt-5.1-chat-latest", Thinking("low"), None),
        ("o3", Thinking("minimal"), {"effort": "low"}),
        ("gpt-5", Thinking(budget=2048), {"effort": "low"}),
        ("gpt-5", Thinking(budget=20_000), {"effort": "high"}),
        ("gpt-5", Thinking(budget=-1), None),
        ("gpt-5", Thinking(visible=True), {"summary": "auto"}),
        ("gpt-5", Thinking("low", visible=False), {"effort": "low"}),
        ("gpt-5", Thinking("low", visible=True, extras={NAME: {"summary": "detailed", "context": "all_turns"}}),
         {"effort": "low", "summary": "detailed", "context": "all_turns"}),
        ("gpt-5", Thinking(visible=True, extras={NAME: {"generate_summary": "concise"}}),
         {"generate_summary": "concise"}),
        ("gpt-4o", Thinking("low", visible=True), None),
        ("gpt-4o", Thinking("none"), None),
        ("gpt-oss-120b", Thinking("minimal"), {"effort": "low"}),
        ("grok-4", Thinking("max"), {"effort": "max"}),
    ],
)
def test_effort(model, thinking, sent):
    assert fields(ask(thinking=thinking), upstream(model)).get("reasoning") == sent


@pytest.mark.parametrize(
    ("model", "effort", "warning"),
    [
        ("gpt-5", "none", "reasoning effort: gpt-5 takes minimal instead of none"),
        ("gpt-4o", "low", "reasoning effort: left out, gpt-4o takes none"),
    ],
)
def test_another_effort_is_named(model, effort, warning):
    assert encode(ask(thinking=Thinking(effort)), upstream(model))[1] == (warning,)


@pytest.mark.parametrize(
    ("to", "asked", "sent"),
    [
        (upstream("gpt-5"), [], SECRET),
        (upstream("gpt-5"), ["file_search_call.results"], [*SECRET, "file_search_call.results"]),
        (upstream("gpt-4o"), [], None),
        (upstream("gpt-4o"), ["file_search_call.results"], ["file_search_call.results"]),
        (upstream("grok-4"), [], SECRET),
        (upstream("grok-4", encrypted_reasoning=False), [], None),
        (upstream("gpt-5", store=True), [], None),
    ],
)
def test_include(to, asked, sent):
    assert fields(ask(extras={NAME: {"include": asked}} if asked else {}), to).get("include") == sent


def test_a_responses_client_gets_encrypted_reasoning_of_stored_responses_too():
    assert fields(ask(dialect="responses"), upstream("gpt-5", store=True))["include"] == SECRET


@pytest.mark.parametrize(
    ("asked", "stores", "sent"),
    [(None, False, False), (True, False, False), (False, False, False), (None, True, True), (True, True, True),
     (False, True, False)],
)
def test_store(asked, stores, sent):
    assert encode(ask(store=asked), upstream(store=stores))[0]["store"] is sent


def form(**more):
    return {"type": "json_schema", "name": "verdict", "schema": CITY, **more}


@pytest.mark.parametrize(
    ("dialect", "output", "sent"),
    [
        ("chat", OutputFormat("text"), None),
        ("responses", OutputFormat("text"), {"type": "text"}),
        ("chat", OutputFormat("json"), {"type": "json_object"}),
        ("chat", OutputFormat("schema", CITY, "verdict", strict=True), form(schema=CLOSED, strict=True)),
        ("chat", OutputFormat("schema", CITY, "verdict", "Judges.", False), form(description="Judges.", strict=False)),
        ("chat", OutputFormat("schema", CITY, "verdict"), form(strict=False)),
        ("responses", OutputFormat("schema", CITY, "verdict"), form()),
        ("responses", OutputFormat("schema", CITY, "verdict", strict=False), form(strict=False)),
        ("gemini", OutputFormat("schema", CITY), form(name="response", schema=CLOSED, strict=True)),
        ("messages", OutputFormat("schema", OPTIONAL), form(name="response", schema=OPTIONAL, strict=False)),
        ("chat", OutputFormat("schema", CITY, "a verdict/" + "x" * 70, strict=False),
         form(name="a_verdict_" + "x" * 54, strict=False)),
    ],
)
def test_output_format(dialect, output, sent):
    text = fields(ask(output=output, dialect=dialect)).get("text")
    assert text == (None if sent is None else {"format": sent})


@pytest.mark.parametrize(
    ("dialect", "said", "told"),
    [
        ("chat", "go", True), ("gemini", "go", True), ("responses", "go", False), ("gemini", "as Json", False)
    ],
)
def test_json_mode_has_the_word_in_the_prompt(dialect, said, told):
    """OpenAI refuses `json_object` without it: a Responses client is answered so, for the others it is put in."""
    sent = items(Message("user", (Text(said),)), output=OutputFormat("json"), dialect=dialect)
    words = [part["text"] for item in sent for part in item["content"]]
    assert words == (["Answer with one JSON object.", said] if told else [said])
    assert (sent[0]["role"] == "system") is told


@pytest.mark.parametrize(
    ("dialect", "path"), [("chat", "response_format.json_schema.schema"), ("responses", "text.format.schema")]
)
def test_a_strict_format_is_not_weakened(dialect, path):
    with pytest.raises(Rejected, match="strict") as caught:
        encode(ask(output=OutputFormat("schema", OPTIONAL, "v", strict=True), dialect=dialect))
    assert caught.value.failure.param == path


# --- fields ------------------------------------------------------------------------------------------------------


def test_fields_that_a_host_is_not_known_to_take():
    request = ask(metadata={"k": "v"}, service_tier="flex", cache_key="k", user="u")
    body, warnings = encode(request, UNKNOWN)
    assert body == {"model": "local", "input": [GO_ITEM], "store": False, "user": "u"}
    assert warnings == (
        "prompt_cache_key: left out, the upstream is not known to take it",
        "metadata: left out, the upstream is not known to take it",
        "service_tier: left out, the upstream is not known to take it",
    )


def test_cache_keys():
    assert fields(ask(cache_key="k" * 64))["prompt_cache_key"] == "k" * 64
    keys = [fields(ask(cache_key="k" * 64 + end))["prompt_cache_key"] for end in ("a", "b", "a")]
    assert keys[0] == keys[2] != keys[1] and len(keys[0]) <= 64


def test_fields_of_a_responses_client():
    extra = {"truncation": "auto", "max_tool_calls": 3, "safety_identifier": "s", "prompt_cache_retention": "24h",
             "context_management": [{"type": "compaction"}], "brand_new": {"x": 1}, "text": {"style": "dry"},
             "stream_options": {"include_obfuscation": False}}
    request = ask(dialect="responses", verbosity="high", extras={NAME: extra}, stream=True)
    sent = fields(request, typed=False)
    assert sent == {
        **{name: value for name, value in extra.items() if name != "text"},
        "text": {"verbosity": "high", "style": "dry"},
        "stream": True,
    }
    still = fields(ask(dialect="responses", extras={NAME: extra}), typed=False)
    assert "stream_options" not in still and "stream" not in still


def test_fields_of_other_apis_are_named():
    body, warnings = encode(ask(extras={"openai-chat": {"prediction": {"type": "content"}}}))
    assert body == {"model": "gpt-4o", "input": [GO_ITEM], "store": False}
    assert warnings == ("prediction: left out, openai-responses has no such field",)


def test_fields_that_the_upstream_refuses():
    body, warnings = encode(ask(user="u", sampling=Sampling(temperature=0.5)),
                            upstream("grok-4", unsupported_fields=("user", "store", "top_p")))
    assert body == {"model": "grok-4", "input": [GO_ITEM], "temperature": 0.5, "include": SECRET}
    assert warnings == ("user: left out, the upstream refuses it", "store: left out, the upstream refuses it")


def test_options_come_last_the_operators_over_the_clients():
    request = ask(thinking=Thinking("low"), options={NAME: {"reasoning": {"summary": "auto"}, "truncation": "auto"},
                                                     "openai-chat": {"x": 1}})
    to = upstream(options={"reasoning": {"effort": "high"}, "truncation": "disabled", "safety_identifier": "s"})
    body = fields(request, to)
    assert body == {"reasoning": {"effort": "high", "summary": "auto"}, "include": SECRET,
                    "truncation": "disabled", "safety_identifier": "s"}


# --- beside the body -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "headers"),
    [("authorization", {"authorization": "Bearer k1"}), ("api-key", {"api-key": "k1"})],
)
def test_auth(header, headers):
    assert API.auth("k1", upstream(key_header=header)) == headers


def test_counting_tokens():
    request = ask(tools=(F,), stream=True, user="u", sampling=Sampling(max_tokens=50))
    outgoing = API.count_tokens(request, PLAIN)
    assert (outgoing.path, outgoing.stream) == ("/responses/input_tokens", False)
    assert json.loads(outgoing.body) == {
        "model": "gpt-4o",
        "input": [GO_ITEM],
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}},
                   "strict": False}],
    }
    assert API.counted(b'{"object":"response.input_tokens","input_tokens":11}') == 11


def test_an_error_answer():
    failure = API.failure(429, {"retry-after": "3"}, b'{"error":{"message":"m","code":"rate_limit_exceeded"}}')
    assert (failure.type, failure.status, failure.retry_after) == ("rate_limit_error", 429, 3.0)
