"""Every rule of Anthropic Messages, with a request that breaks it and what the API says."""

from typing import Any

import pytest

from proxy.emulate.anthropic_check import check
from proxy.emulate.anthropic_families import FAMILIES, family
from proxy.emulate.anthropic_rules import Problem

Json = Any
OLD = {"anthropic-version": "2023-06-01"}
NEW = {"anthropic-version": "2026-10-21"}
MARK = {"type": "ephemeral"}
USER = {"role": "user", "content": "hi"}
GO_ON = {"role": "user", "content": "go on"}
OBJECT = {"type": "object", "properties": {}}


def tool(name: str = "f", **more: Json) -> Json:
    return {"name": name, "input_schema": OBJECT, **more}


def schema(**more: Json) -> Json:
    return {"tools": [tool(input_schema={"type": "object", "properties": {}, **more})]}


def strict(**properties: Json) -> Json:
    return {
        "tools": [
            tool(
                strict=True,
                input_schema={
                    "type": "object",
                    "properties": properties,
                    "required": list(properties),
                    "additionalProperties": False,
                },
            )
        ]
    }


def wanted(**more: Json) -> Json:
    return {"output_config": {"format": {"type": "json_schema", "schema": {**more}}}}


def said(*messages: Json) -> Json:
    return {"messages": list(messages)}


def text(words: str, **more: Json) -> Json:
    return {"type": "text", "text": words, **more}


def use(identifier: str = "toolu_A", **more: Json) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "f", "input": {}, **more}


def result(identifier: str = "toolu_A", **more: Json) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": "ok", **more}


def user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def thinking(kind: str, **more: Json) -> Json:
    return {"thinking": {"type": kind, **more}}


SERVER_USE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
PDF: Json = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "eA=="}}
PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
FORMAT = wanted(type="object", properties={}, additionalProperties=False)

REFUSED: list[tuple[str, Json, str]] = [
    # fields
    ("no model", {"model": ...}, "model: Field required"),
    ("no max_tokens", {"max_tokens": ...}, "max_tokens: Field required"),
    ("no messages", {"messages": ...}, "messages: Field required"),
    ("unknown field", {"top_n": 1}, "top_n: Extra inputs are not permitted"),
    ("another API's field", {"response_format": {}}, "response_format: Extra inputs are not permitted"),
    ("null", {"temperature": None}, "temperature: Input should be a valid number"),
    ("max_tokens text", {"max_tokens": "9"}, "max_tokens: Input should be a valid integer"),
    ("max_tokens negative", {"max_tokens": -1}, "max_tokens: Input should be greater than or equal to 0"),
    ("max_tokens too large", {"max_tokens": 128001}, "max_tokens: 128001 > 128000, which is the maximum"),
    ("temperature", {"temperature": 1.1}, "temperature: Input should be less than or equal to 1"),
    ("stream", {"stream": "true"}, "stream: Input should be a valid boolean"),
    ("stop text", {"stop_sequences": "x"}, "stop_sequences: Input should be a valid list"),
    ("blank stop", {"stop_sequences": ["x", " "]}, "stop_sequences.1: each stop sequence must contain non-whitespace"),
    ("empty stop", {"stop_sequences": [""]}, "stop_sequences.0: String should have at least 1 character"),
    ("metadata", {"metadata": {"user": "x"}}, "metadata.user: Extra inputs are not permitted"),
    ("email", {"metadata": {"user_id": "ada@example.org"}}, "email address or phone number"),
    ("phone", {"metadata": {"user_id": "+49 170 1234567"}}, "email address or phone number"),
    ("tier", {"service_tier": "default"}, "service_tier: Input should be 'auto' or 'standard_only'"),
    ("context_management without beta", {"context_management": {}}, "context_management: Extra inputs"),
    # system
    ("system type", {"system": 3}, "system: Input should be a valid list"),
    ("empty system block", {"system": [text("")]}, "system: text content blocks must be non-empty"),
    ("system image", {"system": [PNG]}, "system.0: Input tag 'image' found using 'type'"),
    # messages
    ("no message", said(), "messages: at least one message is required"),
    ("role", said({"role": "tool", "content": "x"}), "messages.0.role: Input should be 'user' or 'assistant'"),
    ("assistant first", said(assistant(text("x")), USER), 'first message must use the "user" role'),
    ("null content", said({"role": "user", "content": None}), "messages.0.content: Input should be a valid list"),
    ("message field", said({**USER, "name": "ada"}), "messages.0.name: Extra inputs are not permitted"),
    ("empty content", said(user()), "messages.0: all messages must have non-empty content"),
    ("empty text content", said({"role": "user", "content": ""}), "messages.0: all messages must have non-empty"),
    ("empty text", said(user(text(""))), "messages: text content blocks must be non-empty"),
    ("blank text", said(user(text(" \n"))), "messages: text content blocks must contain non-whitespace text"),
    ("blank content", said({"role": "user", "content": " "}), "messages: text content blocks must contain non-white"),
    ("block type", said(user({"type": "image_url"})), "messages.0.content.0: Input tag 'image_url' found using 'type'"),
    ("no block type", said(user({"text": "x"})), "messages.0.content.0.type: Field required"),
    ("block field", said(user(text("x", index=0))), "messages.0.content.0.text.index: Extra inputs are not permitted"),
    (
        "image type",
        said(user({"type": "image", "source": {"type": "base64", "media_type": "image/tiff", "data": "x"}})),
        "image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    (
        "document type",
        said(user({"type": "document", "source": {**PDF["source"], "media_type": "text/csv"}})),
        "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
    ),
    (
        "citations on one",
        said(user({**PDF, "citations": {"enabled": True}}, PDF, text("x"))),
        "citations must be enabled on all documents or none",
    ),
    ("mixed-in system", said({"role": "system", "content": "x"}, USER), "messages.0: role 'system' must follow"),
    ("system before user", said(USER, {"role": "system", "content": "x"}, USER), "messages.1: role 'system' must"),
    ("system blocks", said(USER, {"role": "system", "content": [PNG]}), "messages.1.content.0: Input tag 'image'"),
    # calls and results
    ("result of assistant", said(USER, assistant(result())), "`tool_result` blocks can only be in `user` messages"),
    ("use of user", said(user(use())), "`tool_use` blocks can only be in `assistant` messages"),
    (
        "thinking of user",
        said(user({"type": "thinking", "thinking": "x", "signature": "x"})),
        "`thinking` blocks can only be in `assistant` messages",
    ),
    (
        "no result",
        said(USER, assistant(use()), GO_ON),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_A.",
    ),
    ("no result at the end", said(USER, assistant(use())), "messages.1: `tool_use` ids were found without"),
    ("one result missing", said(USER, assistant(use(), use("toolu_B")), user(result())), "immediately after: toolu_B."),
    ("text before result", said(USER, assistant(use()), user(text("x"), result())), "immediately after: toolu_A."),
    (
        "result elsewhere",
        said(USER, assistant(use()), GO_ON, assistant(text("x")), user(result())),
        "messages.1: `tool_use` ids were found without",
    ),
    (
        "orphan result",
        said(user(result())),
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_A.",
    ),
    ("result twice", said(USER, assistant(use()), user(result(), result())), "Found multiple `tool_result` blocks"),
    (
        "id twice",
        said(USER, assistant(use(), use()), user(result())),
        "messages.1.content: `tool_use` ids must be unique",
    ),
    (
        "id twice later",
        said(USER, assistant(use()), user(result()), assistant(use()), user(result())),
        "messages.3.content: `tool_use` ids must be unique",
    ),
    (
        "id charset",
        said(USER, assistant(use("a.b")), user(result("a.b"))),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    (
        "input text",
        said(USER, assistant(use(input="{}")), user(result())),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    (
        "no input",
        said(USER, assistant({"type": "tool_use", "id": "a", "name": "f"}), user(result("a"))),
        "messages.1.content.0.tool_use.input: Field required",
    ),
    (
        "empty result list",
        said(USER, assistant(use()), user(result(content=[]))),
        "messages.2.content.0.tool_result.content: List should have at least 1 item",
    ),
    ("empty text in a result", said(USER, assistant(use()), user(result(content=[text("")]))), "must be non-empty"),
    (
        "error without content",
        said(USER, assistant(use()), user(result(content="", is_error=True))),
        "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    ),
    (
        "is_error null",
        said(USER, assistant(use()), user(result(is_error=None))),
        "is_error: Input should be a valid bool",
    ),
    (
        "result object",
        said(USER, assistant(use()), user(result(content={"a": 1}))),
        "content: Input should be a valid list",
    ),
    ("server id", said(USER, assistant({**SERVER_USE, "id": "x"}), GO_ON), "server_tool_use.id: String should match"),
    (
        "server call without result",
        said(USER, assistant(SERVER_USE), GO_ON),
        "messages.1: `web_search` tool use with id `srvtoolu_1` was found without",
    ),
    ("blank at the end", said(USER, assistant(text("It is "))), "final assistant content cannot end with trailing"),
    # tools
    ("tool without schema", {"tools": [{"name": "f"}]}, "tools.0.custom.input_schema: Field required"),
    ("tool in chat form", {"tools": [{"type": "function", "function": {}}]}, "tools.0: Input tag 'function'"),
    ("tool field", {"tools": [tool(parameters={})]}, "tools.0.custom.parameters: Extra inputs are not permitted"),
    ("tool name", {"tools": [tool("a.b")]}, "tools.0.custom.name: String should match pattern"),
    (
        "tool name length",
        {"tools": [tool("a" * 129)]},
        "tools.0.custom.name: String should have at most 128 characters",
    ),
    ("tool twice", {"tools": [tool(), tool()]}, "tools: Tool names must be unique."),
    ("root type missing", {"tools": [tool(input_schema={})]}, "tools.0.custom.input_schema.type: Field required"),
    ("root type", {"tools": [tool(input_schema={"type": "string"})]}, "input_schema.type: Input should be 'object'"),
    *(
        (f"root {word}", schema(**{word: [{}]}), "does not support oneOf, allOf, or anyOf at the top level")
        for word in ("oneOf", "anyOf", "allOf")
    ),
    ("property key", schema(properties={"größe": {}}), "properties: Property keys should match pattern"),
    ("property key length", schema(properties={"a" * 65: {}}), "Property keys should match pattern"),
    ("null properties", schema(properties=None), "input_schema.properties: Input should be a valid dictionary"),
    ("invalid schema", schema(properties={"a": {"type": "text"}}), "JSON schema is invalid. It must match JSON Schema"),
    ("draft 7 tuple", schema(properties={"a": {"type": "array", "items": [{}]}}), "JSON schema is invalid."),
    (
        "deferred and marked",
        {"tools": [tool(), tool("g", defer_loading=True, cache_control=MARK)]},
        "tools.1: Tools with defer_loading=true cannot use prompt caching",
    ),
    ("all deferred", {"tools": [tool(defer_loading=True)]}, "At least one tool must have defer_loading=false"),
    ("strict open", {"tools": [tool(strict=True)]}, "'additionalProperties' must be explicitly set to false"),
    (
        "strict minimum",
        strict(a={"type": "integer", "minimum": 1}),
        "tools.0.custom: For 'integer' type, property 'minimum' is not supported",
    ),
    ("strict minItems", strict(a={"type": "array", "items": {"type": "string"}, "minItems": 2}), "'minItems' values"),
    ("strict format", strict(a={"type": "string", "format": "regex"}), "format 'regex' is not supported"),
    (
        "strict recursion",
        {
            "tools": [
                tool(
                    strict=True,
                    input_schema={
                        "type": "object",
                        "properties": {"a": {"$ref": "#/$defs/a"}},
                        "additionalProperties": False,
                        "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}},
                    },
                )
            ]
        },
        "Circular reference detected",
    ),
    ("strict reference", strict(a={"$ref": "#/$defs/a"}), "Reference '#/$defs/a' is not defined"),
    (
        "21 strict tools",
        {"tools": [{**strict()["tools"][0], "name": f"f{i}"} for i in range(21)]},
        "Too many strict tools (21)",
    ),
    (
        "25 optionals",
        {
            "tools": [
                tool(
                    strict=True,
                    input_schema={
                        "type": "object",
                        "properties": {f"p{i}": {"type": "string"} for i in range(25)},
                        "additionalProperties": False,
                    },
                )
            ]
        },
        "25 optional parameters",
    ),
    ("17 unions", strict(**{f"p{i}": {"type": ["string", "null"]} for i in range(17)}), "17 unions"),
    # choice
    ("choice alone", {"tool_choice": {"type": "auto"}}, "may only be specified while providing tools"),
    ("choice text", {"tools": [tool()], "tool_choice": "auto"}, "tool_choice: Input should be a valid dictionary"),
    ("choice type", {"tools": [tool()], "tool_choice": {"type": "required"}}, "tool_choice: Input tag 'required'"),
    ("choice unknown", {"tools": [tool()], "tool_choice": {"type": "tool", "name": "g"}}, "Tool 'g' not found"),
    (
        "none, not parallel",
        {"tools": [tool()], "tool_choice": {"type": "none", "disable_parallel_tool_use": True}},
        "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted",
    ),
    # thinking and output
    ("budget", thinking("enabled", budget_tokens=1000), "budget_tokens: Input should be greater than or equal to 1024"),
    ("no budget", thinking("enabled"), "thinking.enabled.budget_tokens: Field required"),
    (
        "budget not below max_tokens",
        {"max_tokens": 2000, **thinking("enabled", budget_tokens=2000)},
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ),
    ("budget of adaptive", thinking("adaptive", budget_tokens=2000), "budget_tokens: Extra inputs are not permitted"),
    (
        "temperature and budget",
        {"temperature": 0.5, **thinking("enabled", budget_tokens=1024)},
        "`temperature` may only be set to 1 when thinking is enabled.",
    ),
    ("top_k and budget", {"top_k": 5, **thinking("enabled", budget_tokens=1024)}, "`top_k` must be unset"),
    (
        "any and budget",
        {"tools": [tool()], "tool_choice": {"type": "any"}, **thinking("enabled", budget_tokens=1024)},
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    (
        "tool and budget",
        {"tools": [tool()], "tool_choice": {"type": "tool", "name": "f"}, **thinking("enabled", budget_tokens=1024)},
        "Thinking may not be enabled",
    ),
    (
        "prefill and budget",
        {**thinking("enabled", budget_tokens=1024), **said(USER, assistant(text("It is")))},
        "does not support assistant message prefill",
    ),
    ("binding without beta", thinking("adaptive", block_binding={}), "thinking.block_binding: Extra inputs"),
    ("effort", {"output_config": {"effort": "huge"}}, "output_config.effort: Input should be 'low', 'medium', 'high'"),
    ("format", {"output_config": {"format": {"type": "json"}}}, "output_config.format.schema: Field required"),
    ("old format", {"output_format": {}}, "output_format: Extra inputs are not permitted"),
    ("format open", wanted(type="object", properties={}), "output_config.format.schema: For 'object' type"),
    ("format and prefill", {**FORMAT, **said(USER, assistant(text("{")))}, "prefill is not supported with structured"),
    (
        "format and citations",
        {**FORMAT, **said(user({**PDF, "citations": {"enabled": True}}, text("x")))},
        "citations are not supported with structured outputs",
    ),
    # cache marks
    (
        "five marks",
        {
            "system": [text("s", cache_control=MARK)],
            "tools": [tool(cache_control=MARK)],
            **said(user(*(text("x", cache_control=MARK) for _ in range(3)))),
        },
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    ("mark type", said(user(text("x", cache_control={"type": "persistent"}))), "type: Input should be 'ephemeral'"),
    ("mark ttl", said(user(text("x", cache_control={**MARK, "ttl": "2h"}))), "ttl: Input should be '5m' or '1h'"),
    (
        "longer after shorter",
        {"system": [text("s", cache_control=MARK)], **said(user(text("x", cache_control={**MARK, "ttl": "1h"})))},
        "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after",
    ),
    (
        "mark on thinking",
        said(USER, assistant({"type": "thinking", "thinking": "", "signature": "x", "cache_control": MARK})),
        "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    ),
    (
        "top mark of another length",
        {"cache_control": {**MARK, "ttl": "1h"}, **said(user(text("x", cache_control=MARK)))},
        "cache_control: the last block already has",
    ),
]


def body(changes: Json) -> Json:
    merged = {"model": "agent", "max_tokens": 4096, "messages": [USER], **changes}
    return {name: value for name, value in merged.items() if value is not ...}


def message_of(changes: Json, headers: dict[str, str] = OLD, name: str = "") -> str:
    with pytest.raises(Problem) as caught:
        check(body(changes), headers, name)
    assert (caught.value.status, caught.value.kind) == (400, "invalid_request_error")
    return caught.value.message


@pytest.mark.parametrize(("rule", "changes", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, changes: Json, message: str) -> None:
    assert message in message_of(changes)


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "anthropic-version: header is required"),
        ({"anthropic-version": "2024-01-01"}, 'anthropic-version: "2024-01-01" is not a valid version'),
    ],
)
def test_the_version_header(headers: dict[str, str], message: str) -> None:
    assert message in message_of({}, headers)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"temperature": 1}, "temperature: Extra inputs are not permitted"),
        ({"top_p": 1}, "top_p: Extra inputs are not permitted"),
        ({"top_k": 1}, "top_k: Extra inputs are not permitted"),
        (said(USER, assistant(PDF), GO_ON), "messages.1.content.0: `document` blocks are not permitted in `assistant`"),
        (said(user(text("x", citations=[{"a": 1}]))), "citations are not permitted in `user` messages"),
        (
            said(user({"type": "search_result", "source": "s", "title": "t", "content": [text("x", citations=[{}])]})),
            "citations are not permitted in `user` messages",
        ),
    ],
)
def test_refused_by_the_newer_version_only(changes: Json, message: str) -> None:
    assert message in message_of(changes, NEW)
    check(body(changes), OLD)


@pytest.mark.parametrize("field", ["max_tokens", "stream", "temperature", "stop_sequences", "metadata", "service_tier"])
def test_counting_takes_no(field: str) -> None:
    values = {"max_tokens": 1, "stream": True, "temperature": 1, "metadata": {}, "service_tier": "auto"}
    wrong = {"model": "agent", "messages": [USER], field: values.get(field, [])}
    with pytest.raises(Problem, match=f"{field}: Extra inputs are not permitted"):
        check(wrong, OLD, counting=True)
    check({"model": "agent", "messages": [USER], "tools": [tool()], "system": "s"}, OLD, counting=True)


PREFILL = said(USER, assistant(text("It is")))
MIDDLE = said(USER, {"role": "system", "content": "x"})
FORCED = {"tools": [tool()], "tool_choice": {"type": "any"}}
BUDGET = thinking("enabled", budget_tokens=1024)

BY_FAMILY: list[tuple[str, Json, str]] = [
    ("claude-3-5-haiku", thinking("adaptive"), "thinking.type: 'adaptive' is not supported"),
    ("claude-3-haiku", {"max_tokens": 9000}, "max_tokens: 9000 > 8192"),
    ("claude-3-7-sonnet", thinking("adaptive"), "'adaptive' is not supported"),
    ("claude-sonnet-4", {"temperature": 0.5, "top_p": 0.5}, "`temperature` and `top_p` cannot both be specified"),
    ("claude-sonnet-4-20250514", strict(), "Structured outputs are not supported"),
    ("claude-sonnet-4", {"output_config": {"effort": "low"}}, "output_config.effort: 'low' is not supported"),
    ("claude-opus-4-1", {"max_tokens": 32001}, "32001 > 32000"),
    ("claude-opus-4-5", {"output_config": {"effort": "xhigh"}}, "'xhigh' is not supported"),
    ("claude-haiku-4-5", MIDDLE, "role 'system' is not supported on this model"),
    ("claude-opus-4-6", PREFILL, "does not support assistant message prefill"),
    ("claude-sonnet-4-6", {"output_config": {"effort": "xhigh"}}, "'xhigh' is not supported"),
    ("claude-opus-4-7", BUDGET, "thinking.type: 'enabled' is not supported"),
    ("claude-opus-4-7", {"temperature": 0.5}, "`temperature` is not supported on this model"),
    ("claude-opus-4-7", MIDDLE, "role 'system' is not supported on this model"),
    ("claude-opus-4-8", {"top_k": 5}, "`top_k` is not supported on this model"),
    (
        "claude-opus-5",
        {**thinking("disabled"), "output_config": {"effort": "max"}},
        "only supported with effort 'high'",
    ),
    ("claude-sonnet-5", BUDGET, "'enabled' is not supported"),
    ("claude-haiku-5-5", {**thinking("disabled"), "output_config": {"effort": "xhigh"}}, "only supported with effort"),
    ("claude-sonnet-5-5", thinking("disabled"), "'disabled' is not supported"),
    ("claude-sonnet-5-5", {**thinking("between_tools"), "output_config": {"effort": "max"}}, "only supported with"),
    ("claude-sonnet-5-5", FORCED, "forcing tool use is not supported"),
    ("claude-opus-5-5", thinking("disabled"), "'disabled' is not supported"),
    ("claude-opus-5-5", FORCED, "forcing tool use is not supported"),
    ("claude-fable-5-2", FORCED, "forcing tool use is not supported"),
    ("claude-mythos-5-1", FORCED, "forcing tool use is not supported"),
    ("claude-mythos-preview", thinking("between_tools"), "'between_tools' is not supported"),
]


@pytest.mark.parametrize(("name", "changes", "message"), BY_FAMILY)
def test_refused_by_a_family(name: str, changes: Json, message: str) -> None:
    assert message in message_of(changes, OLD, name)
    check(body(changes), OLD)


ACCEPTED: list[tuple[str, Json]] = [
    ("", {"temperature": 0.5, "top_p": 0.5, "top_k": 3, "stop_sequences": ["END"], "metadata": {"user_id": '{"a":1}'}}),
    ("", {"max_tokens": 0, "service_tier": "auto", "system": ""}),
    ("", said(USER, GO_ON, assistant(text("x")), assistant(text("y")), USER)),
    ("", said(USER, assistant(text("a"), use(), use("toolu_B")), user(result("toolu_B"), result()), user(text("x")))),
    ("", said(USER, assistant(use()), user(result()), user(text("go on")))),
    ("", said(USER, assistant(use(), use("b")), user(result()), user(result("b")))),
    ("", said(USER, assistant(use()), user({"type": "tool_result", "tool_use_id": "toolu_A"}))),
    ("", said(USER, assistant(use()), user(result(content=[text("x"), PNG, PDF], is_error=True)))),
    ("", said(USER, assistant(use(caller={"type": "direct"}, toolset_name=None)), user(result(cache_control=MARK)))),
    ("", said(user(text("see"), PNG, PDF))),
    ("", PREFILL),
    ("", said(USER, assistant())),
    ("", said(USER, assistant(SERVER_USE, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1"}), USER)),
    ("", said(USER, assistant(text("x"), SERVER_USE))),
    ("", MIDDLE),
    ("", said(USER, {"role": "system", "content": [], "output_config": {"effort": "low"}}, USER)),
    (
        "",
        said(
            USER,
            {"role": "system", "content": [text("x", cache_control=MARK)], "clear_at": "never"},
            assistant(text("x")),
            USER,
        ),
    ),
    (
        "",
        {
            "tools": [
                tool(),
                {"type": "web_search_20250305", "name": "web_search"},
                {"type": "bash_20250124", "name": "bash"},
            ]
        },
    ),
    ("", {"tools": [tool(type="custom", description="d", eager_input_streaming=None), tool("g", defer_loading=True)]}),
    (
        "",
        schema(
            **{
                "$schema": "http://json-schema.org/draft-07/schema#",
                "properties": {"a.b-c": {"anyOf": [{}, {"$ref": "#"}]}},
            }
        ),
    ),
    ("", {"tools": [tool()], "tool_choice": {"type": "none"}}),
    ("", {"tools": [tool()], "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True}}),
    ("", {**FORCED, **thinking("adaptive", display="summarized")}),
    ("", {**BUDGET, "temperature": 1}),
    ("", strict(a={"type": "array", "items": {"type": "string"}, "minItems": 1}, b={"enum": [1]})),
    ("", FORMAT),
    ("", {"cache_control": MARK, "system": [text("s", cache_control={**MARK, "ttl": "1h"})]}),
    ("claude-opus-4-7", {"temperature": 1}),
    ("claude-opus-4-6", BUDGET),
    ("claude-sonnet-5-5", thinking("between_tools")),
    ("claude-opus-4-8", MIDDLE),
    ("claude-opus-5-5", {"tools": [tool()], "tool_choice": {"type": "auto"}}),
]


@pytest.mark.parametrize(("name", "changes"), ACCEPTED)
def test_accepted(name: str, changes: Json) -> None:
    check(body(changes), OLD, name)


def test_fields_of_betas() -> None:
    beta = {**OLD, "anthropic-beta": "effort-2025-11-24, context-management-2025-06-27,mcp-client-2025-11-20"}
    check(body({"context_management": {"edits": []}, "mcp_servers": []}), beta)
    check(body({"max_tokens": 1000, **BUDGET}), {**OLD, "anthropic-beta": "interleaved-thinking-2025-05-14"})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", ""),
        ("gpt-4", ""),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-5", "claude-sonnet-5"),
        ("claude-fable-5-2", "claude-fable-5-2"),
        ("claude-fable-5", "claude-fable-5"),
    ],
)
def test_family(name: str, expected: str) -> None:
    assert family(name) is FAMILIES[expected]
