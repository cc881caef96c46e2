"""Requests of Messages clients: all forms, what becomes neutral, what stays native, and what is wrong with a body."""

import json

import pytest

from adapters.errors import Rejected
from adapters.format import Call, Upstream
from adapters.formats.anthropic_messages import API, DIALECT
from adapters.formats.anthropic_messages.decode import Reply
from adapters.formats.shared.reference import pack
from adapters.model import (
    CacheMark,
    Citation,
    Media,
    Message,
    Opaque,
    OutputFormat,
    Reasoning,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)

N = "anthropic-messages"
HI = [{"role": "user", "content": "hi"}]


def decoded(_headers=None, **body):
    body = {"model": "smart", "max_tokens": 100, "messages": HI, **body}
    return DIALECT.decode(body, Call(headers=_headers or {}, query={"beta": "true"}, new_id=lambda n: "x" * n))


def request(**body):
    return decoded(**body).request


def test_smallest_request():
    incoming = decoded()
    assert incoming.request == Request(
        "smart", (Message("user", (Text("hi"),)),), sampling=Sampling(100), dialect="messages")
    assert incoming.reply == Reply("smart", "msg_" + "x" * 24)
    assert incoming.warnings == ()


BILLING = {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.332"}
AGENT = {
    "model": "smart",
    "max_tokens": 128000,
    "stream": True,
    "thinking": {"type": "adaptive", "display": "omitted"},
    "output_config": {"effort": "medium"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "metadata": {"user_id": '{"device_id":"d","session_id":"s"}'},
    "system": [BILLING, {"type": "text", "text": "You are", "cache_control": {"type": "ephemeral"}},
               {"type": "text", "text": "an agent.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "system", "output_config": {"effort": "high"},
         "content": [{"type": "text", "text": "Now.", "cache_control": {"type": "ephemeral"}}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "t", "signature": "SIG"},
            {"type": "redacted_thinking", "data": "RED"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"cmd": "ls", "n": 12345678901234567890123}},
        ]},
        {"role": "user", "content": [
            {"tool_use_id": "toolu_1", "type": "tool_result", "content": "ok", "is_error": False,
             "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "go"},
        ]},
        {"role": "system", "content": "Later, as a plain text."},
    ],
    "tools": [
        {"name": "Bash", "description": "Runs.", "input_schema": {
            "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"cmd": {"type": "string", "maxLength": 9}}, "additionalProperties": False}},
        {"name": "Placeholder", "input_schema": {"type": "object"}, "defer_loading": True},
    ],
}
AGENT_HEADERS = {"anthropic-version": "2023-06-01", "anthropic-beta": "claude-code-20250219,effort-2025-11-24",
                 "x-api-key": "client-secret", "x-app": "cli"}


def test_an_agents_request():
    body = json.loads(json.dumps(AGENT))
    made = DIALECT.decode(body, Call(headers=AGENT_HEADERS, query={"beta": "true"})).request
    assert made == Request(
        model="smart",
        messages=(
            Message("system", (Opaque(N, BILLING), Text("You are", CacheMark()), Text("an agent.", CacheMark("1h")))),
            Message("user", (Text("a"), Text("b"))),
            Message("system", (Text("Now.", CacheMark()),), extras={N: {"output_config": {"effort": "high"}}}),
            Message("assistant", (
                Reasoning("t", N, signature="SIG"), Reasoning(api=N, data="RED"), Text("I look."),
                ToolCall("toolu_1", "Bash", '{"cmd":"ls","n":12345678901234567890123}'))),
            Message("tool", (ToolResult("toolu_1", (Text("ok"),), False, cache=CacheMark()),)),
            Message("user", (Text("go"),)),
            Message("system", (Text("Later, as a plain text."),)),
        ),
        tools=(
            Tool("Bash", "Runs.", AGENT["tools"][0]["input_schema"]),
            Tool("Placeholder", schema={"type": "object"}, deferred=True),
        ),
        sampling=Sampling(128000),
        thinking=Thinking("medium", None, False, {N: {
            "thinking": {"type": "adaptive", "display": "omitted"}, "effort": "medium"}}),
        stream=True,
        dialect="messages",
        extras={N: {"context_management": AGENT["context_management"], "metadata": AGENT["metadata"]}},
        headers={N: {"anthropic-version": "2023-06-01", "anthropic-beta": AGENT_HEADERS["anthropic-beta"]}},
    )


def test_an_agents_request_reaches_its_own_api_unchanged():
    made = DIALECT.decode(json.loads(json.dumps(AGENT)), Call(headers=AGENT_HEADERS)).request
    outgoing = API.encode(made, Upstream("claude-opus-5", "a/claude", {"sort_tools": False}))
    expected = json.loads(json.dumps(AGENT))
    expected["model"] = "claude-opus-5"
    expected["messages"][4]["content"] = [{"type": "text", "text": "Later, as a plain text."}]
    assert json.loads(outgoing.body) == expected
    assert outgoing.headers == {k: v for k, v in AGENT_HEADERS.items() if k.startswith("anthropic")}
    assert outgoing.warnings == ()


# --- thinking ----------------------------------------------------------------------------------------------------


def enabled(budget):
    return {"type": "enabled", "budget_tokens": budget}


@pytest.mark.parametrize(
    ("thinking", "effort", "expected"),
    [
        (None, None, None),
        (enabled(2048), None, Thinking("low", 2048)),
        (enabled(10000), None, Thinking("medium", 10000)),
        (enabled(16384), None, Thinking("high", 16384)),
        (enabled(31999), None, Thinking("xhigh", 31999)),
        (enabled(2048), "high", Thinking("high", 2048)),
        ({"type": "adaptive"}, None, Thinking(None, -1)),
        ({"type": "adaptive", "display": "summarized"}, "max", Thinking("max", None, True)),
        ({"type": "disabled"}, "high", Thinking("none")),
        ({"type": "between_tools"}, None, Thinking("none")),
        (None, "low", Thinking("low")),
        (None, "turbo", Thinking()),
    ],
)
def test_thinking(thinking, effort, expected):
    body = {"thinking": thinking} if thinking else {}
    if effort:
        body["output_config"] = {"effort": effort}
    made = request(**body).thinking
    if expected is None:
        assert made is None
        return
    native = ({"thinking": thinking} if thinking else {}) | ({"effort": effort} if effort else {})
    assert made == Thinking(expected.effort, expected.budget, expected.visible, {N: native})


@pytest.mark.parametrize(
    ("messages", "effort"),
    [
        ([*HI, {"role": "system", "content": [], "output_config": {"effort": "high"}}], "high"),
        ([*HI, {"role": "system", "content": "s", "output_config": {"effort": "max"}}, *HI], "max"),
        ([*HI, {"role": "system", "content": "s", "output_config": {"effort": "max"}},
          {"role": "assistant", "content": "a"}, *HI], "low"),
    ],
)
def test_effort_of_the_coming_turn(messages, effort):
    assert request(messages=messages, output_config={"effort": "low"}).thinking.effort == effort


@pytest.mark.parametrize(
    ("model", "body", "thinking", "config"),
    [
        ("claude-opus-5", {"thinking": {"type": "adaptive"}}, {"type": "adaptive"}, None),
        ("claude-opus-5", {"output_config": {"effort": "low"}}, None, {"effort": "low"}),
        ("claude-opus-5", {"thinking": enabled(2048)}, {"type": "adaptive", "display": "summarized"},
         {"effort": "low"}),
        ("claude-opus-4-6", {"thinking": enabled(50)}, enabled(50), None),
        ("claude-sonnet-4-5", {"thinking": {"type": "adaptive"}, "max_tokens": 20000}, enabled(10000), None),
        ("claude-sonnet-4-5", {"thinking": enabled(31999), "max_tokens": 32000}, enabled(31999), None),
        ("claude-sonnet-4-5", {"thinking": enabled(99999), "max_tokens": 100000},
         enabled(32000), None),
        ("claude-sonnet-4-5", {"thinking": {"type": "disabled"}}, {"type": "disabled"}, None),
        ("claude-opus-5-5", {"thinking": {"type": "disabled"}}, {"type": "adaptive"}, {"effort": "low"}),
        ("claude-sonnet-5-5", {"thinking": {"type": "disabled"}}, {"type": "between_tools"}, None),
        ("claude-opus-5", {"thinking": {"type": "between_tools"}}, {"type": "disabled"}, None),
        ("claude-opus-5", {"thinking": {"type": "dreaming", "x": 1}}, {"type": "dreaming", "x": 1}, None),
        ("claude-opus-4-6", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}},
         {"type": "adaptive"}, {"effort": "max"}),
        ("claude-sonnet-4-5", {"output_config": {"effort": "low"}}, None, None),
        ("claude-opus-4-6", {"thinking": enabled(150000), "max_tokens": 200000},
         {"type": "adaptive", "display": "summarized"}, {"effort": "max"}),
        ("glm-5", {"thinking": enabled(50), "output_config": {"effort": "odd"}}, enabled(50), {"effort": "odd"}),
        ("claude-sonnet-5", {"output_config": {"effort": "low"}, "messages": [
            *HI, {"role": "system", "content": [], "output_config": {"effort": "high"}}]}, None, {"effort": "high"}),
        ("claude-opus-5", {"output_config": {"effort": "low", "task_budget": {"total": 9}}}, None,
         {"task_budget": {"total": 9}, "effort": "low"}),
    ],
)
def test_native_words_go_on_where_the_model_takes_them(model, body, thinking, config):
    sent = json.loads(API.encode(request(**body), Upstream(model)).body)
    assert (sent.get("thinking"), sent.get("output_config")) == (thinking, config)


def test_an_overridden_effort_beats_the_native_words():
    made = request(thinking={"type": "adaptive"}, output_config={"effort": "low"})
    made.thinking = Thinking("max", None, None, made.thinking.extras)
    sent = json.loads(API.encode(made, Upstream("claude-opus-5")).body)
    assert sent["output_config"] == {"effort": "max"}


# --- fields ------------------------------------------------------------------------------------------------------


def test_sampling_and_tiers():
    made = request(max_tokens=0, temperature=0.5, top_p=0.9, top_k=5, stop_sequences=["a", "b"])
    assert made.sampling == Sampling(0, 0.5, 0.9, 5, ("a", "b"))
    assert request(service_tier="standard_only").service_tier == "default"
    assert request(service_tier="auto").service_tier == "auto"
    odd = request(service_tier="new")
    assert (odd.service_tier, odd.extras) == (None, {N: {"service_tier": "new"}})


@pytest.mark.parametrize(
    ("choice", "expected", "parallel"),
    [
        ({"type": "auto"}, ToolChoice("auto"), None),
        ({"type": "auto", "disable_parallel_tool_use": True}, ToolChoice("auto"), False),
        ({"type": "any", "disable_parallel_tool_use": False}, ToolChoice("required"), None),
        ({"type": "tool", "name": "f"}, ToolChoice("named", ("f",)), None),
        ({"type": "none"}, ToolChoice("none"), None),
        (None, None, None),
    ],
)
def test_tool_choice(choice, expected, parallel):
    made = request(tool_choice=choice)
    assert (made.tool_choice, made.parallel) == (expected, parallel)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ({"type": "custom", "name": "f", "input_schema": {}, "strict": True, "eager_input_streaming": True},
         Tool("f", schema={}, strict=True, extras={N: {"eager_input_streaming": True}})),
        ({"name": "f", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral", "scope": "x"}},
         Tool("f", schema={"type": "object"}, cache=CacheMark(),
              extras={N: {"cache_control": {"type": "ephemeral", "scope": "x"}}})),
        ({"type": "web_search_20260209", "name": "web_search", "max_uses": 3},
         Tool("web_search", kind="builtin", builtin="web_search",
              extras={N: {"type": "web_search_20260209", "name": "web_search", "max_uses": 3}})),
        ({"type": "tool_search_tool_bm25_20251119", "name": "ts", "cache_control": {"type": "ephemeral"}},
         Tool("ts", kind="builtin", builtin="tool_search", cache=CacheMark(),
              extras={N: {"type": "tool_search_tool_bm25_20251119", "name": "ts"}})),
        ({"type": "mcp_toolset", "mcp_server_name": "s"},
         Tool("mcp_toolset", kind="builtin", builtin="mcp",
              extras={N: {"type": "mcp_toolset", "mcp_server_name": "s"}})),
        ({"type": "bash_20250124", "name": "bash"},
         Tool("bash", kind="builtin", builtin="bash", extras={N: {"type": "bash_20250124", "name": "bash"}})),
    ],
)
def test_tools(tool, expected):
    assert request(tools=[tool]).tools == (expected,)


def test_output_format():
    form = {"type": "json_schema", "schema": {"type": "object"}}
    expected = OutputFormat("schema", {"type": "object"}, strict=True)
    assert request(output_config={"format": form}).output == expected
    assert request(output_format=form).output == expected
    odd = request(output_config={"format": {"type": "regex", "pattern": "x"}})
    assert (odd.output, odd.extras) == (None, {N: {"output_config": {"format": {"type": "regex", "pattern": "x"}}}})
    sent = json.loads(API.encode(request(output_config={"format": form}), Upstream("claude-sonnet-4-5")).body)
    assert sent["output_config"] == {"format": form}


def test_unknown_fields_and_options():
    made = request(inference_geo="eu", mcp_servers=[{"name": "s"}], provider_options={"openai-chat": {"x": 1}})
    assert made.extras == {N: {"inference_geo": "eu", "mcp_servers": [{"name": "s"}]}}
    assert made.options == {"openai-chat": {"x": 1}}


def test_token_count_needs_no_limit():
    body = {"model": "m", "messages": HI}
    assert DIALECT.decode_count(body, Call()).request.sampling == Sampling()
    assert DIALECT.decode_count({**body, "max_tokens": 5}, Call()).request.sampling == Sampling(5)


# --- blocks ------------------------------------------------------------------------------------------------------

GPT = Reasoning("Hm.\n\nWell.", "openai-responses", "openai/gpt-5", "rs_1", data="ENC", sections=("Hm.", "Well."))
CITED = {"type": "page_location", "cited_text": "q", "document_title": "T"}
CONTENT_DOC = {"type": "document", "title": "D", "source": {"type": "content", "content": [
    {"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]}}


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "a", "citations": [CITED], "x": 1},
         Text("a", citations=(Citation(title="T", quote="q", extras={N: CITED}),), extras={N: {"x": 1}})),
        ({"type": "text", "text": "a", "citations": None, "cache_control": None}, Text("a")),
        ({"type": "thinking", "thinking": "", "signature": "S"}, Reasoning("", N, signature="S")),
        ({"type": "thinking", "thinking": "t", "signature": ""}, Reasoning("t")),
        ({"type": "thinking", "thinking": "t"}, Reasoning("t")),
        ({"type": "thinking", "thinking": "Hm.\n\nWell.", "signature": pack(GPT)}, GPT),
        ({"type": "thinking", "thinking": "t", "signature": pack(Reasoning("t"))}, Reasoning("t")),
        ({"type": "tool_use", "id": "i", "name": "n", "input": {}, "caller": {"type": "direct"}},
         ToolCall("i", "n", "{}", extras={N: {"caller": {"type": "direct"}}})),
        ({"type": "tool_use", "id": "i", "name": "n"}, ToolCall("i", "n", "{}")),
        ({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
         Opaque(N, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        ({"type": "compaction", "content": "so far"}, Opaque(N, {"type": "compaction", "content": "so far"}, "so far")),
    ],
)
def test_assistant_blocks(block, part):
    said = {"role": "assistant", "content": [block]}
    assert request(messages=[*HI, said]).messages[1] == Message("assistant", (part,))


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
         Media("image", "image/png", "AA==")),
        ({"type": "image", "source": {"type": "url", "url": "https://x"}, "cache_control": {"type": "ephemeral"}},
         Media("image", url="https://x", cache=CacheMark())),
        ({"type": "image", "source": {"type": "file", "file_id": "f"}}, Media("image", file_id="f")),
        ({"type": "document", "title": "D", "context": "c", "source": {
            "type": "base64", "media_type": "application/pdf", "data": "AA=="}},
         Media("file", "application/pdf", "AA==", name="D", extras={N: {"context": "c"}})),
        ({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "t"}},
         Media("file", "text/plain", text="t")),
        (CONTENT_DOC, Opaque(N, CONTENT_DOC, "D\none\ntwo")),
        ({"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]},
         Opaque(N, {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]},
                "t\ns\nx")),
        ({"type": "container_upload", "file_id": "f"}, Opaque(N, {"type": "container_upload", "file_id": "f"})),
    ],
)
def test_user_blocks(block, part):
    assert request(messages=[{"role": "user", "content": [block]}]).messages == (Message("user", (part,)),)


def test_results():
    content = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"type": "url", "url": "https://x"}},
        {"type": "tool_reference", "tool_name": "later"},
    ]
    results = [
        {"type": "text", "text": "before"},
        {"type": "tool_result", "tool_use_id": "a", "content": content, "is_error": True, "toolset_name": "t"},
        {"type": "tool_result", "tool_use_id": "b"},
    ]
    calls = [{"type": "tool_use", "id": "a", "name": "f"}, {"type": "tool_use", "id": "b", "name": "f"}]
    made = request(messages=[*HI, {"role": "assistant", "content": calls}, {"role": "user", "content": results}])
    assert made.messages[2:] == (
        Message("tool", (
            ToolResult("a", (Text("see"), Media("image", url="https://x"), Opaque(N, content[2], "later")), True,
                       extras={N: {"toolset_name": "t"}}),
            ToolResult("b", ()),
        )),
        Message("user", (Text("before"),)),
    )


@pytest.mark.parametrize(
    "turns",
    [
        [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
        [*AGENT["messages"][:1], *AGENT["messages"][2:4]],
        [{"role": "user", "content": [CONTENT_DOC, {"type": "document", "title": "D", "source": {
            "type": "url", "url": "https://x/d.pdf"}, "citations": {"enabled": True}}]},
         {"role": "assistant", "content": [{"type": "text", "text": "a", "citations": [CITED]}]},
         {"role": "user", "content": [{"type": "text", "text": "b"}]}],
    ],
)
def test_conversations_come_out_as_they_went_in(turns):
    made = request(messages=json.loads(json.dumps(turns)))
    body = json.loads(API.encode(made, Upstream("claude-opus-5", compat={"cache": "client"})).body)
    assert body["messages"] == turns


# --- mistakes ----------------------------------------------------------------------------------------------------


def said(*blocks, role="user"):
    return {"messages": [{"role": role, "content": list(blocks)}]}


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"model": None}, "model"),
        ({"model": ""}, "model"),
        ({"model": 3}, "model"),
        ({"max_tokens": None}, "max_tokens"),
        ({"max_tokens": "9"}, "max_tokens"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages.0"),
        ({"messages": [{"content": "a"}]}, "messages.0.role"),
        ({"messages": [{"role": "tool", "content": "a"}]}, "messages.0.role"),
        ({"messages": [{"role": "user"}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": 3}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": [3]}]}, "messages.0.content.0"),
        (said({"text": "a"}), "messages.0.content.0.type"),
        (said({"type": "text"}), "messages.0.content.0.text"),
        (said({"type": "text", "text": 3}), "messages.0.content.0.text"),
        (said({"type": "text", "text": "a", "cache_control": 1}), "messages.0.content.0.cache_control"),
        (said({"type": "text", "text": "a", "citations": [1]}), "messages.0.content.0.citations"),
        (said({"type": "image"}), "messages.0.content.0.source"),
        (said({"type": "image", "source": {"type": "base64", "data": "x"}}), "messages.0.content.0.source.media_type"),
        (said({"type": "tool_result", "content": "a"}), "messages.0.content.0.tool_use_id"),
        (said({"type": "tool_result", "tool_use_id": "a", "content": [{"type": "tool_use", "id": "i", "name": "n"}]}),
         "messages.0.content.0.content.0"),
        (said({"type": "tool_result", "tool_use_id": "a", "is_error": "yes"}), "messages.0.content.0.is_error"),
        (said({"type": "tool_use", "id": "i", "name": "n", "input": {}}), "messages.0.content.0"),
        (said({"type": "tool_use", "id": "i", "name": "n", "input": "{}"}, role="assistant"),
         "messages.0.content.0.input"),
        (said({"type": "tool_use", "name": "n", "input": {}}, role="assistant"), "messages.0.content.0.id"),
        (said({"type": "tool_result", "tool_use_id": "a"}, role="assistant"), "messages.0.content.0"),
        (said({"type": "thinking", "thinking": "t", "signature": 1}, role="assistant"),
         "messages.0.content.0.signature"),
        (said({"type": "redacted_thinking"}, role="assistant"), "messages.0.content.0.data"),
        (said({"type": "image", "source": {"type": "url", "url": "u"}}, role="system"), "messages.0.content.0"),
        ({"system": 3}, "system"),
        ({"system": [{"type": "image", "source": {"type": "url", "url": "u"}}]}, "system.0"),
        ({"tools": {}}, "tools"),
        ({"tools": [{}]}, "tools.0.name"),
        ({"tools": [{"name": "f"}]}, "tools.0.input_schema"),
        ({"tools": [{"name": "f", "input_schema": []}]}, "tools.0.input_schema"),
        ({"tools": ["f"]}, "tools.0"),
        ({"tool_choice": "auto"}, "tool_choice"),
        ({"tool_choice": {}}, "tool_choice.type"),
        ({"tool_choice": {"type": "some"}}, "tool_choice.type"),
        ({"tool_choice": {"type": "tool"}}, "tool_choice.name"),
        ({"thinking": "on"}, "thinking"),
        ({"output_config": []}, "output_config"),
        ({"output_config": {"effort": 3}}, "output_config.effort"),
        ({"output_config": {"format": "json"}}, "output_config.format"),
        ({"temperature": "hot"}, "temperature"),
        ({"top_k": 1.5}, "top_k"),
        ({"stop_sequences": "END"}, "stop_sequences"),
        ({"stop_sequences": [1]}, "stop_sequences"),
        ({"stream": "yes"}, "stream"),
        ({"provider_options": {"openai-chat": 1}}, "provider_options.openai-chat"),
    ],
)
def test_mistakes_are_named(body, param):
    with pytest.raises(Rejected) as refused:
        request(**body)
    failure = refused.value.failure
    assert (failure.type, failure.param) == ("invalid_request_error", param)
    assert param in failure.message


def test_a_body_that_is_no_object():
    with pytest.raises(Rejected):
        DIALECT.decode([], Call())
