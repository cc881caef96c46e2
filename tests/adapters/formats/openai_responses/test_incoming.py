"""Requests of Responses clients: full body, full neutral request (openai-responses §1 to §4)."""

import pytest

from adapters import json
from adapters.errors import Rejected
from adapters.format import Call
from adapters.formats.openai_responses import DIALECT
from adapters.formats.shared.reference import pack
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
GO = Message("user", (Text("go"),))


def decode(**body):
    body = {"model": "smart", "input": "go", "store": False, **body}
    return DIALECT.decode({name: value for name, value in body.items() if value is not ...}, Call(now=17))


def request(**body):
    return decode(**body).request


def messages(*items):
    return request(input=list(items)).messages


def refused(**body):
    with pytest.raises(Rejected) as caught:
        decode(**body)
    return caught.value.failure


def test_the_least_request():
    incoming = decode(store=...)
    assert incoming.request == Request("smart", (GO,), dialect="responses")
    assert incoming.warnings == ()
    assert incoming.reply.id == "resp_" + "0" * 32
    assert (incoming.reply.model, incoming.reply.created) == ("smart", 17)
    assert (incoming.reply.sealed, incoming.reply.scored) == (False, False)


def test_every_field():
    own = {"truncation": "auto", "max_tool_calls": 3, "safety_identifier": "s", "prompt_cache_retention": "24h",
           "context_management": [{"type": "compaction"}], "moderation": {"model": "m"}, "brand_new": 1}
    made = request(
        **own,
        instructions="Be brief.",
        tools=[{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": True}],
        tool_choice="required",
        parallel_tool_calls=False,
        max_output_tokens=100,
        temperature=0.5,
        top_p=0.9,
        top_logprobs=2,
        text={"format": {"type": "json_schema", "name": "v", "schema": {"type": "object"}, "strict": True,
                         "description": "d"}, "verbosity": "low"},
        reasoning={"effort": "low", "summary": "auto"},
        include=["reasoning.encrypted_content", "message.output_text.logprobs", "file_search_call.results"],
        stream=True,
        stream_options={"include_obfuscation": False},
        metadata={"k": "v"},
        service_tier="flex",
        user="u",
        prompt_cache_key="k",
        store=False,
        provider_options={"anthropic-messages": {"top_k": 5}},
        previous_response_id=None,
        conversation=None,
        background=False,
    )
    assert made == Request(
        "smart",
        (Message("system", (Text("Be brief."),), extras={NAME: {"instructions": True}}), GO),
        (Tool("f", schema={"type": "object"}, strict=True),),
        ToolChoice("required"),
        False,
        Sampling(max_tokens=100, temperature=0.5, top_p=0.9, logprobs=True, top_logprobs=2),
        OutputFormat("schema", {"type": "object"}, "v", "d", True),
        Thinking("low", visible=True, extras={NAME: {"summary": "auto"}}),
        True,
        "u",
        {"k": "v"},
        "flex",
        "low",
        "k",
        False,
        dialect="responses",
        extras={NAME: {**own, "stream_options": {"include_obfuscation": False},
                       "include": ["file_search_call.results"]}},
        options={"anthropic-messages": {"top_k": 5}},
    )


def test_what_the_answer_needs():
    reply = decode(include=["reasoning.encrypted_content", "message.output_text.logprobs"]).reply
    assert (reply.sealed, reply.scored) == (True, True)


@pytest.mark.parametrize(("store", "keep"), [(True, True), (None, True), (..., True), (False, False)])
def test_what_is_kept(store, keep):
    assert decode(store=store).reply.keep is keep


def test_usage_options_of_chat():
    incoming = decode(stream=True, stream_options={"include_usage": True})
    assert incoming.request == Request("smart", (GO,), stream=True, store=False, dialect="responses")
    assert incoming.warnings == ("stream_options.include_usage: left out, usage is always in the last event",)


def test_what_needs_kept_responses():
    failure = refused(previous_response_id="resp_x")
    assert (failure.message, failure.param, failure.code) == (
        "Previous response with id 'resp_x' not found.", "previous_response_id", "previous_response_not_found"
    )
    assert refused(conversation="conv_1").param == "conversation"
    assert refused(conversation={"id": "conv_1"}).param == "conversation"
    assert refused(background=True).param == "background"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"model": ...}, "model"),
        ({"model": ""}, "model"),
        ({"model": 3}, "model"),
        ({"input": ...}, "input"),
        ({"input": None}, "input"),
        ({"input": 3}, "input"),
        ({"input": {}}, "input"),
        ({"input": ["go"]}, "input[0]"),
        ({"input": [{}]}, "input[0].type"),
        ({"input": [{"type": 3}]}, "input[0].type"),
        ({"input": [{"role": "tool", "content": "x"}]}, "input[0].role"),
        ({"input": [{"type": "message", "content": "x"}]}, "input[0].role"),
        ({"input": [{"role": "user"}]}, "input[0].content"),
        ({"input": [{"role": "user", "content": 3}]}, "input[0].content"),
        ({"input": [{"role": "user", "content": ["x"]}]}, "input[0].content[0]"),
        ({"input": [{"role": "user", "content": [{}]}]}, "input[0].content[0].type"),
        ({"input": [{"role": "user", "content": [{"type": "input_text"}]}]}, "input[0].content[0].text"),
        ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input[0].content[0]"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": {"url": "x"}}]}]},
         "input[0].content[0].image_url"),
        ({"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f", "file_url": "u"}]}]},
         "input[0].content[0]"),
        ({"input": [{"type": "function_call", "name": "f", "arguments": "{}"}]}, "input[0].call_id"),
        ({"input": [{"type": "function_call", "call_id": "c", "arguments": "{}"}]}, "input[0].name"),
        ({"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": {}}]}, "input[0].arguments"),
        ({"input": [{"type": "custom_tool_call_output", "output": "x"}]}, "input[0].call_id"),
        ({"input": [{"type": "function_call_output", "call_id": 1, "output": "x"}]}, "input[0].call_id"),
        ({"input": [{"type": "function_call_output", "call_id": "c"}]}, "input[0].output"),
        ({"input": [{"type": "function_call_output", "call_id": "c", "output": {"a": 1}}]}, "input[0].output"),
        ({"input": [{"type": "reasoning", "summary": "x"}]}, "input[0].summary"),
        ({"instructions": 3}, "instructions"),
        ({"tools": {}}, "tools"),
        ({"tools": ["f"]}, "tools[0]"),
        ({"tools": [{}]}, "tools[0].type"),
        ({"tools": [{"type": "function"}]}, "tools[0].name"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools[0].name"),
        ({"tools": [{"type": "function", "name": "f", "parameters": []}]}, "tools[0].parameters"),
        ({"tools": [{"type": "function", "name": "f", "strict": "yes"}]}, "tools[0].strict"),
        ({"tools": [{"type": "custom", "name": "f", "format": {"type": "xml"}}]}, "tools[0].format.type"),
        ({"tools": [{"type": "custom", "name": "f", "format": {"type": "grammar"}}]}, "tools[0].format.syntax"),
        ({"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function"}]}]}, "tools[0].tools[0].name"),
        ({"tool_choice": "any"}, "tool_choice"),
        ({"tool_choice": {"type": "function"}}, "tool_choice"),
        ({"tool_choice": {"name": "f"}}, "tool_choice"),
        ({"tool_choice": {"type": "allowed_tools", "mode": "none"}}, "tool_choice.mode"),
        ({"tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"name": "f"}]}}, "tool_choice.tools"),
        ({"parallel_tool_calls": "no"}, "parallel_tool_calls"),
        ({"max_output_tokens": "9"}, "max_output_tokens"),
        ({"max_output_tokens": True}, "max_output_tokens"),
        ({"temperature": "hot"}, "temperature"),
        ({"text": "x"}, "text"),
        ({"text": {"format": {}}}, "text.format.type"),
        ({"text": {"format": {"type": "xml"}}}, "text.format.type"),
        ({"text": {"format": {"type": "json_schema", "name": "n"}}}, "text.format.schema"),
        ({"text": {"format": {"type": "json_schema", "schema": {}}}}, "text.format.name"),
        ({"reasoning": "low"}, "reasoning"),
        ({"reasoning": {"effort": "extreme"}}, "reasoning.effort"),
        ({"include": "x"}, "include"),
        ({"include": [3]}, "include[0]"),
        ({"store": "yes"}, "store"),
        ({"stream": 1}, "stream"),
        ({"metadata": []}, "metadata"),
        ({"provider_options": {"openai-chat": 3}}, "provider_options.openai-chat"),
    ],
)
def test_what_is_wrong_is_named(body, param):
    failure = refused(**body)
    assert (failure.type, failure.param) == ("invalid_request_error", param)


@pytest.mark.parametrize("body", [None, [], "x", 3])
def test_what_is_no_object(body):
    with pytest.raises(Rejected):
        DIALECT.decode(body, Call())


def test_a_prompt_template_may_stand_for_the_input():
    made = request(input=..., prompt={"id": "pmpt_1"})
    assert (made.messages, made.extras) == ((), {NAME: {"prompt": {"id": "pmpt_1"}}})


# --- items -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["user", "system", "developer", "assistant"])
@pytest.mark.parametrize("type", [{}, {"type": "message"}])
def test_easy_messages(role, type):
    assert messages({**type, "role": role, "content": "x"}) == (Message(role, (Text("x"),)),)


PNG = "data:image/png;base64,iVBOR"
PARTS = [
    ({"type": "input_text", "text": "x"}, Text("x")),
    ({"type": "input_text", "text": ""}, Text("")),
    (
        {"type": "input_text", "text": "x", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}},
        Text("x", CacheMark("30m"), extras={NAME: {"prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}}}),
    ),
    ({"type": "input_image", "image_url": "https://x.org/a.png", "detail": "low"},
     Media("image", url="https://x.org/a.png", detail="low")),
    ({"type": "input_image", "image_url": PNG}, Media("image", "image/png", data="iVBOR")),
    ({"type": "input_image", "file_id": "file_1", "image_url": None}, Media("image", file_id="file_1")),
    ({"type": "input_file", "file_data": "data:application/pdf;base64,AA==", "filename": "a.pdf"},
     Media("file", "application/pdf", data="AA==", name="a.pdf")),
    ({"type": "input_file", "file_data": "AA==", "filename": "a.pdf"}, Media("file", data="AA==", name="a.pdf")),
    ({"type": "input_file", "file_url": "https://x.org/a.pdf"}, Media("file", url="https://x.org/a.pdf")),
    ({"type": "input_file", "file_id": "file_1"}, Media("file", file_id="file_1")),
    ({"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}},
     Media("audio", "audio/mpeg", data="AA==")),
    ({"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
     Media("audio", "audio/wav", data="AA==")),
    ({"type": "input_smell", "smell": "sea"}, Opaque(NAME, {"content_part": {"type": "input_smell", "smell": "sea"}})),
]


@pytest.mark.parametrize(("part", "neutral"), PARTS)
def test_content_parts(part, neutral):
    assert messages({"role": "user", "content": [part]}) == (Message("user", (neutral,)),)
    output = {"type": "function_call_output", "call_id": "c", "output": [part]}
    assert messages(output) == (Message("tool", (ToolResult("c", (neutral,)),)),)


def test_a_turn():
    link = {"type": "url_citation", "url": "https://x.org", "title": "X", "start_index": 0, "end_index": 1}
    assert messages(
        {"role": "user", "content": "go"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"},
                                                       {"type": "summary_text", "text": "b"}],
         "encrypted_content": "sealed", "status": None},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
         "content": [{"type": "output_text", "text": "x", "annotations": [link], "logprobs": []},
                     {"type": "refusal", "refusal": "no"}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a":1}',
         "status": "completed", "namespace": "crm", "caller": {"type": "direct"}},
        {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c2", "name": "sql", "input": "SELECT 1"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "1"},
        {"type": "function_call_output", "id": "o1", "status": "completed", "call_id": "c1", "output": "rain",
         "name": "f", "namespace": "crm"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks"},
    ) == (
        GO,
        Message(
            "assistant",
            (
                Reasoning("a\n\nb", NAME, None, "rs_1", None, "sealed", ("a", "b")),
                Text("x", citations=(Citation("https://x.org", "X", 0, 1, extras={NAME: link}),),
                     extras={NAME: {"id": "msg_1", "phase": "commentary"}}),
                Refusal("no", {NAME: {"id": "msg_1", "phase": "commentary"}}),
                ToolCall("c1", "f", '{"a":1}',
                         extras={NAME: {"id": "fc_1", "namespace": "crm", "caller": {"type": "direct"}}}),
                ToolCall("c2", "sql", "SELECT 1", "custom", extras={NAME: {"id": "ctc_1"}}),
            ),
        ),
        Message(
            "tool",
            (
                ToolResult("c2", (Text("1"),), kind="custom"),
                ToolResult("c1", (Text("rain"),), name="f", extras={NAME: {"namespace": "crm"}}),
            ),
        ),
        Message("assistant", (Text("done"),)),
        Message("user", (Text("thanks"),)),
    )


def test_raw_reasoning():
    item = {"type": "reasoning", "id": "rs_1", "summary": [],
            "content": [{"type": "reasoning_text", "text": "Hm."}]}
    assert messages(item)[0].parts == (
        Reasoning("Hm.", NAME, None, "rs_1", sections=("Hm.",), extras={NAME: {"raw": 1}}),
    )


@pytest.mark.parametrize(
    "foreign",
    [
        Reasoning("mind", "anthropic-messages", "anthropic/claude", signature="sig", sections=("mind",)),
        Reasoning("", "anthropic-messages", "anthropic/claude", data="redacted"),
        Reasoning("a\n\nb", "google-gemini", "gemini/gemini-3", signature="sig", sections=("a", "b")),
    ],
)
def test_reasoning_of_others_comes_back(foreign):
    summary = [{"type": "summary_text", "text": text} for text in foreign.sections or ()]
    item = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": pack(foreign)}
    assert messages(item)[0].parts == (foreign,)


MODEL_SIDE = [
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    {"type": "file_search_call", "id": "fs_1", "queries": ["q"], "status": "completed"},
    {"type": "computer_call", "id": "cu_1", "call_id": "c", "action": {}},
    {"type": "image_generation_call", "id": "ig_1", "result": "AA=="},
    {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []},
    {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"},
    {"type": "tool_search_call", "execution": "server", "arguments": {}},
    {"type": "program", "id": "p", "call_id": "c", "code": "x", "fingerprint": "f"},
    {"type": "program_output", "id": "p", "call_id": "c", "result": "x", "status": "completed"},
]
BETWEEN = [
    {"type": "computer_call_output", "call_id": "c", "output": {}},
    {"type": "apply_patch_call_output", "call_id": "c", "status": "completed"},
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    {"type": "compaction", "encrypted_content": "x"},
    {"type": "compaction_trigger"},
    {"type": "configuration_update"},
    {"type": "item_reference", "id": "msg_1"},
    {"id": "msg_1"},
    {"type": "brand_new", "x": 1},
]


@pytest.mark.parametrize("item", MODEL_SIDE)
def test_opaque_items_of_the_model(item):
    call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    assert messages({"role": "assistant", "content": "a"}, item, call) == (
        Message("assistant", (Text("a"), Opaque(NAME, item), ToolCall("c1", "f", "{}"))),
    )


@pytest.mark.parametrize("item", BETWEEN)
def test_opaque_items_between_turns(item):
    assert messages({"role": "assistant", "content": "a"}, item, {"role": "user", "content": "go"}) == (
        Message("assistant", (Text("a"),)),
        Message("user", (Opaque(NAME, item),)),
        GO,
    )


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"type": "mcp_call", "name": "f", "arguments": "{}", "output": "rain"}, "[f({}): rain]"),
        ({"type": "mcp_call", "name": "f", "arguments": "{}"}, "[f({}): no output]"),
        ({"type": "local_shell_call", "action": {"command": ["ls", "-l"]}}, "[shell: ls -l]"),
        ({"type": "local_shell_call_output", "id": "c", "output": "a.txt"}, "a.txt"),
        ({"type": "shell_call", "action": {"commands": ["ls", "pwd"]}}, "[shell: ls]\n[shell: pwd]"),
        ({"type": "shell_call_output", "output": [{"stdout": "a"}, {"stdout": "b"}]}, "a\nb"),
        ({"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}},
         '[patch: {"type":"delete_file","path":"a"}]'),
        ({"type": "apply_patch_call_output", "output": "done"}, "done"),
        ({"type": "code_interpreter_call", "code": "1+1"}, "[code: 1+1]"),
    ],
)
def test_what_opaque_items_say_to_others(item, text):
    assert messages(item)[0].parts == (Opaque(NAME, item, text),)


def test_tools_in_the_middle_of_a_conversation():
    late = {"type": "function", "name": "late", "parameters": {"type": "object"}}
    again = {"type": "function", "name": "f", "parameters": {"type": "object"}}
    item = {"type": "additional_tools", "role": "developer", "tools": [late, again]}
    found = {"type": "tool_search_output", "tools": [{"type": "namespace", "name": "crm", "tools": [late]}, late]}
    made = request(input=[item, found, {"role": "user", "content": "go"}], tools=[again])
    assert made.messages == (Message("user", (Opaque(NAME, item),)), Message("user", (Opaque(NAME, found),)), GO)
    loaded = {NAME: {"loaded": True}}
    assert made.tools == (
        Tool("f", schema={"type": "object"}),
        Tool("late", schema={"type": "object"}, extras=loaded),
        Tool("late", schema={"type": "object"}, namespace="crm", extras=loaded),
    )


# --- tools -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "neutral"),
    [
        ({"type": "function", "name": "f"}, (Tool("f"),)),
        (
            {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}, "strict": False,
             "defer_loading": True, "output_schema": {}, "allowed_callers": ["direct"], "async": True},
            (Tool("f", "d", {"type": "object"}, False, deferred=True,
                  extras={NAME: {"output_schema": {}, "allowed_callers": ["direct"], "async": True}}),),
        ),
        ({"type": "function", "name": "f", "parameters": None, "strict": None}, (Tool("f"),)),
        ({"type": "custom", "name": "c"}, (Tool("c", kind="custom"),)),
        ({"type": "custom", "name": "c", "format": {"type": "text"}}, (Tool("c", kind="custom"),)),
        (
            {"type": "custom", "name": "c", "description": "d",
             "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
            (Tool("c", "d", kind="custom", grammar=Grammar("lark", "x")),),
        ),
        (
            {"type": "namespace", "name": "crm", "description": "d",
             "tools": [{"type": "function", "name": "f", "strict": True}, {"type": "custom", "name": "c"}]},
            (
                Tool("f", strict=True, namespace="crm", extras={NAME: {"namespace_description": "d"}}),
                Tool("c", kind="custom", namespace="crm", extras={NAME: {"namespace_description": "d"}}),
            ),
        ),
        *(
            ({"type": kind}, (Tool(kind, kind="builtin", builtin=word, extras={NAME: {"tool": {"type": kind}}}),))
            for kind, word in [
                ("web_search", "web_search"), ("web_search_preview", "web_search"), ("file_search", "file_search"),
                ("code_interpreter", "code_execution"), ("computer_use_preview", "computer"),
                ("image_generation", "image_generation"), ("local_shell", "local_shell"), ("shell", "shell"),
                ("apply_patch", "apply_patch"), ("tool_search", "tool_search"),
                ("programmatic_tool_calling", "programmatic_tool_calling"), ("brand_new", "brand_new"),
            ]
        ),
        (
            {"type": "mcp", "server_label": "s", "server_url": "https://x.org"},
            (Tool("mcp:s", kind="builtin", builtin="mcp", extras={
                NAME: {"tool": {"type": "mcp", "server_label": "s", "server_url": "https://x.org"}}}),),
        ),
    ],
)
def test_tools(tool, neutral):
    assert request(tools=[tool]).tools == neutral


TOOLS = [{"type": "function", "name": "f"}, {"type": "web_search_preview_2025_03_11"},
         {"type": "mcp", "server_label": "s"}]


@pytest.mark.parametrize(
    ("choice", "neutral"),
    [
        (None, None),
        ("auto", ToolChoice("auto")),
        ("none", ToolChoice("none")),
        ("required", ToolChoice("required")),
        ({"type": "function", "name": "f"}, ToolChoice("named", ("f",))),
        ({"type": "custom", "name": "c"}, ToolChoice("named", ("c",))),
        ({"type": "mcp", "server_label": "s", "name": "x"}, ToolChoice("named", ("mcp:s",))),
        ({"type": "web_search_preview"}, ToolChoice("named", ("web_search_preview_2025_03_11",))),
        ({"type": "shell"}, ToolChoice("named", ("shell",))),
        (
            {"type": "allowed_tools", "mode": "required",
             "tools": [{"type": "function", "name": "f"}, {"type": "mcp", "server_label": "s"}]},
            ToolChoice("allowed", ("f", "mcp:s"), required=True),
        ),
        ({"type": "allowed_tools", "mode": "auto", "tools": []}, ToolChoice("allowed")),
    ],
)
def test_tool_choice(choice, neutral):
    assert request(tools=TOOLS, tool_choice=choice).tool_choice == neutral


@pytest.mark.parametrize(
    ("text", "output", "verbosity", "extras"),
    [
        (None, None, None, {}),
        ({}, None, None, {}),
        ({"format": {"type": "text"}}, OutputFormat("text"), None, {}),
        ({"format": {"type": "json_object"}}, OutputFormat("json"), None, {}),
        ({"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}, "verbosity": "high"},
         OutputFormat("schema", {"type": "object"}, "n"), "high", {}),
        ({"style": "dry"}, None, None, {NAME: {"text": {"style": "dry"}}}),
    ],
)
def test_text(text, output, verbosity, extras):
    made = request(text=text)
    assert (made.output, made.verbosity, made.extras) == (output, verbosity, extras)


@pytest.mark.parametrize(
    ("reasoning", "thinking"),
    [
        (None, None),
        ({"effort": None}, Thinking()),
        ({"effort": "none"}, Thinking("none")),
        ({"effort": "max", "summary": None}, Thinking("max")),
        ({"summary": "detailed"}, Thinking(visible=True, extras={NAME: {"summary": "detailed"}})),
        ({"generate_summary": "auto"}, Thinking(visible=True, extras={NAME: {"generate_summary": "auto"}})),
        ({"effort": "low", "context": "all_turns", "mode": "pro"},
         Thinking("low", extras={NAME: {"context": "all_turns", "mode": "pro"}})),
    ],
)
def test_reasoning_wishes(reasoning, thinking):
    assert request(reasoning=reasoning).thinking == thinking


def test_integers_beyond_64_bits_stay_exact():
    big = 123456789012345678901234567890
    body = json.loads(b'{"model":"m","input":"x","metadata":{"n":%d}}' % big)
    incoming = DIALECT.decode(body, Call())
    assert incoming.request.metadata == {"n": big}
    assert str(big).encode() in incoming.reply.echo
