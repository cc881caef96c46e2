"""Every rule of Chat Completions, with a request that breaks it and what the API says."""

from typing import Any

import pytest

from proxy.emulate.openai_chat_check import check
from proxy.emulate.openai_chat_families import signature
from proxy.emulate.openai_rules import Problem

Json = Any


def function(name: str = "f", **more: Json) -> Json:
    return {"type": "function", "function": {"name": name, **more}}


def call(identifier: str = "call_1", name: str = "f") -> Json:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": "{}"}}


def strict(schema: Json) -> Json:
    return {"tools": [function(strict=True, parameters=schema)]}


def plain(schema: Json) -> Json:
    return {"tools": [function(parameters=schema)]}


def said(*messages: Json) -> Json:
    return {"messages": list(messages)}


def closed(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


USER = {"role": "user", "content": "hi"}
CALLS = {"role": "assistant", "content": None, "tool_calls": [call()]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
TEXT = {"type": "text", "text": "x"}
DEEP: Json = {"type": "string"}
for _ in range(11):
    DEEP = closed(a=DEEP)

REFUSED: list[tuple[str, Json, str | None, str | None, str]] = [
    # fields
    ("no model", {"model": ...}, "model", "missing_required_parameter", "'model'"),
    ("no messages", {"messages": ...}, "messages", "missing_required_parameter", "'messages'"),
    ("empty messages", {"messages": []}, "messages", "empty_array", "minimum length 1"),
    ("unknown field", {"top_k": 3}, "top_k", "unknown_parameter", "Unknown parameter: 'top_k'"),
    ("text for a number", {"temperature": "1"}, "temperature", "invalid_type", "a decimal, but got a string"),
    ("text for a boolean", {"stream": "yes"}, "stream", "invalid_type", "a boolean"),
    ("decimal for an integer", {"seed": 1.5}, "seed", "invalid_type", "an integer, but got a decimal"),
    ("temperature above 2", {"temperature": 2.1}, "temperature", "decimal_above_max_value", "<= 2"),
    ("top_p below 0", {"top_p": -0.1}, "top_p", "decimal_below_min_value", ">= 0"),
    ("penalty", {"presence_penalty": 3}, "presence_penalty", "decimal_above_max_value", "<= 2"),
    ("top_logprobs", {"logprobs": True, "top_logprobs": 21}, "top_logprobs", "integer_above_max_value", "<= 20"),
    ("top_logprobs alone", {"top_logprobs": 2}, "top_logprobs", None, "only allowed when 'logprobs'"),
    ("n", {"n": 129}, "n", "integer_above_max_value", "<= 128"),
    ("max_tokens 0", {"max_tokens": 0}, "max_tokens", "integer_below_min_value", ">= 1"),
    ("both limits", {"max_tokens": 5, "max_completion_tokens": 5}, "max_tokens", None, "at the same time"),
    ("five stops", {"stop": list("abcde")}, "stop", "array_above_max_length", "maximum length 4"),
    ("effort", {"reasoning_effort": "huge"}, "reasoning_effort", "invalid_value", "'huge'"),
    ("retention", {"prompt_cache_retention": "in-memory"}, "prompt_cache_retention", "invalid_value", "'in_memory'"),
    ("metadata", {"metadata": {str(i): "" for i in range(17)}}, "metadata", "object_above_max_properties", "16"),
    ("metadata key", {"metadata": {"k" * 65: ""}}, "metadata", "string_above_max_length", "64"),
    ("metadata value", {"metadata": {"k": "v" * 513}}, "metadata.k", "string_above_max_length", "512"),
    ("stream_options", {"stream_options": {"include_usage": True}}, "stream_options", None, "when 'stream'"),
    (
        "stream_options unknown",
        {"stream": True, "stream_options": {"usage": True}},
        "stream_options.usage",
        "unknown_parameter",
        "'stream_options.usage'",
    ),
    # tools
    ("no tools", {"tools": []}, "tools", "empty_array", "empty array"),
    ("129 tools", {"tools": [function(f"f{i}") for i in range(129)]}, "tools", "array_above_max_length", "128"),
    ("tool type", {"tools": [{"type": "web", "web": {}}]}, "tools[0].type", "invalid_value", "'web'"),
    ("tool field", {"tools": [{**function(), "x": 1}]}, "tools[0].x", "unknown_parameter", "tools[0].x"),
    (
        "function field",
        {"tools": [function(cache_control={})]},
        "tools[0].function.cache_control",
        "unknown_parameter",
        "",
    ),
    (
        "no name",
        {"tools": [{"type": "function", "function": {}}]},
        "tools[0].function.name",
        "missing_required_parameter",
        "",
    ),
    ("name charset", {"tools": [function("a.b")]}, "tools[0].function.name", "invalid_value", "does not match pattern"),
    ("name length", {"tools": [function("a" * 65)]}, "tools[0].function.name", "string_above_max_length", "64"),
    ("empty name", {"tools": [function("")]}, "tools[0].function.name", "empty_string", "empty string"),
    ("strict", {"tools": [function(strict="yes")]}, "tools[0].function.strict", "invalid_type", "a boolean"),
    (
        "grammar flat",
        {"tools": [{"type": "custom", "custom": {"name": "q", "format": {"type": "grammar", "syntax": "lark"}}}]},
        "tools[0].custom.format.grammar",
        "missing_required_parameter",
        "",
    ),
    ("choice alone", {"tool_choice": "auto"}, "tool_choice", None, "only allowed when 'tools'"),
    ("parallel alone", {"parallel_tool_calls": True}, "parallel_tool_calls", None, "only allowed when 'tools'"),
    ("choice any", {"tools": [function()], "tool_choice": "any"}, "tool_choice", "invalid_value", "'any'"),
    (
        "choice flat",
        {"tools": [function()], "tool_choice": {"type": "function", "name": "f"}},
        "tool_choice.function",
        "missing_required_parameter",
        "",
    ),
    ("choice unknown", {"tools": [function()], "tool_choice": function("g")}, "tool_choice", None, "'g' not found"),
    (
        "choice tool",
        {"tools": [function()], "tool_choice": {"type": "tool"}},
        "tool_choice.type",
        "invalid_value",
        "'tool'",
    ),
    (
        "allowed flat",
        {"tools": [function()], "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": []}},
        "tool_choice.allowed_tools",
        "missing_required_parameter",
        "",
    ),
    (
        "allowed unknown",
        {
            "tools": [function()],
            "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [function("g")]}},
        },
        "tool_choice.allowed_tools.tools[0]",
        None,
        "'g' not found",
    ),
    ("function_call alone", {"function_call": "auto"}, "function_call", None, "'functions'"),
    # schemas
    (
        "root type",
        plain({"type": "array", "items": {}}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "got 'type: \"array\"'",
    ),
    (
        "no root type",
        plain({"properties": {}}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "got 'type: \"None\"'",
    ),
    (
        "root union",
        plain({"type": "object", "anyOf": []}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "at the top level",
    ),
    (
        "bare array",
        plain({"type": "object", "properties": {"a": {"type": "array"}}}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "In context=('properties', 'a'), array schema missing items",
    ),
    (
        "open",
        strict({"type": "object", "properties": {}}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "'additionalProperties' is required",
    ),
    (
        "optional",
        strict({**closed(a={"type": "string"}), "required": []}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "Missing 'a'",
    ),
    (
        "extra required",
        strict({**closed(), "required": ["a"]}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "Extra required key 'a'",
    ),
    (
        "deep open",
        strict(closed(a={"type": "object", "properties": {}})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "In context=('properties', 'a')",
    ),
    *(
        (
            f"strict {keyword}",
            strict(closed(a={"type": "string", keyword: value})),
            "tools[0].function.parameters",
            "invalid_function_parameters",
            f"'{keyword}' is not permitted",
        )
        for keyword, value in [
            ("default", "x"),
            ("minLength", 1),
            ("allOf", []),
            ("oneOf", []),
            ("not", {}),
            ("uniqueItems", True),
        ]
    ),
    (
        "untyped",
        strict(closed(a={})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "must have a 'type' key",
    ),
    (
        "strict items",
        strict(closed(a={"type": "array", "items": {}})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "array schema missing items",
    ),
    (
        "ref sibling",
        strict({**closed(a={"$ref": "#/$defs/x", "description": ""}), "$defs": {"x": {"type": "string"}}}),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "$ref cannot have keywords {'description'}",
    ),
    (
        "ref elsewhere",
        strict(closed(a={"$ref": "#/$defs/x"})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "reference can only point",
    ),
    (
        "strict format",
        strict(closed(a={"type": "string", "format": "uri"})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "'uri' is not a valid format",
    ),
    (
        "lookahead",
        strict(closed(a={"type": "string", "pattern": "^(?=a)"})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "lookaround",
    ),
    (
        "first keys",
        strict(closed(a={"anyOf": [closed(k={"const": 1}), closed(k={"const": 2})]})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "identical first keys",
    ),
    ("nesting", strict(DEEP), "tools[0].function.parameters", "invalid_function_parameters", "11 levels"),
    (
        "enum",
        strict(closed(a={"enum": list(range(1001))})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "1000 enum values",
    ),
    (
        "long enum",
        strict(closed(a={"enum": [f"{i:061}" for i in range(251)]})),
        "tools[0].function.parameters",
        "invalid_function_parameters",
        "15000 characters",
    ),
    # output format
    ("format type", {"response_format": {"type": "json"}}, "response_format.type", "invalid_value", "'json'"),
    ("json word", {"response_format": {"type": "json_object"}}, "messages", None, "must contain the word 'json'"),
    (
        "schema name",
        {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
        "response_format.json_schema.name",
        "missing_required_parameter",
        "",
    ),
    (
        "schema name charset",
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a b"}}},
        "response_format.json_schema.name",
        "invalid_value",
        "pattern",
    ),
    (
        "schema flat",
        {"response_format": {"type": "json_schema", "name": "a", "schema": {}}},
        "response_format.json_schema",
        "missing_required_parameter",
        "",
    ),
    (
        "schema strict",
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "a", "strict": True, "schema": {"type": "object"}},
            }
        },
        "response_format",
        None,
        "Invalid schema for response_format 'a'",
    ),
    # messages
    ("role", said({"role": "model", "content": "x"}), "messages[0].role", "invalid_value", "'model'"),
    ("message field", said({**USER, "cache_control": {}}), "messages[0].cache_control", "unknown_parameter", ""),
    ("null user", said({"role": "user", "content": None}), "messages[0].content", "invalid_type", "got null"),
    ("no parts", said({"role": "user", "content": []}), "messages[0].content", "empty_array", ""),
    (
        "part type",
        said({"role": "user", "content": [{"type": "input_text", "text": "x"}]}),
        "messages[0].content[0].type",
        "invalid_value",
        "'input_text'",
    ),
    (
        "part field",
        said({"role": "user", "content": [{**TEXT, "cache_control": {}}]}),
        "messages[0].content[0].cache_control",
        "unknown_parameter",
        "",
    ),
    (
        "image in system",
        said({"role": "system", "content": [{"type": "image_url", "image_url": {"url": "https://x"}}]}),
        "messages[0].content[0].type",
        "invalid_value",
        "",
    ),
    (
        "image text",
        said({"role": "user", "content": [{"type": "image_url", "image_url": "https://x"}]}),
        "messages[0].content[0].image_url",
        "invalid_type",
        "an object",
    ),
    (
        "image url",
        said({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x.png"}}]}),
        "messages[0].content[0].image_url.url",
        "invalid_image_url",
        "",
    ),
    (
        "image detail",
        said({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x", "detail": "max"}}]}),
        "messages[0].content[0].image_url.detail",
        "invalid_value",
        "",
    ),
    (
        "image in a result",
        said(USER, CALLS, {**RESULT, "content": [{"type": "image_url", "image_url": {"url": "https://x"}}]}),
        "messages[2].content[0].type",
        "invalid_value",
        "",
    ),
    (
        "null assistant",
        said(USER, {"role": "assistant", "content": None}),
        "messages.[1].content",
        None,
        "expected a string, got null",
    ),
    (
        "no calls",
        said(USER, {"role": "assistant", "content": "x", "tool_calls": []}),
        "messages[1].tool_calls",
        "empty_array",
        "",
    ),
    (
        "long id",
        said(USER, {**CALLS, "tool_calls": [call("c" * 41)]}),
        "messages[1].tool_calls[0].id",
        "string_above_max_length",
        "maximum length 40",
    ),
    (
        "call name",
        said(USER, {**CALLS, "tool_calls": [call(name="a.b")]}),
        "messages[1].tool_calls[0].function.name",
        "invalid_value",
        "pattern",
    ),
    (
        "call without type",
        said(USER, {**CALLS, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": ""}}]}),
        "messages[1].tool_calls[0].type",
        "invalid_value",
        "",
    ),
    (
        "object arguments",
        said(USER, {**CALLS, "tool_calls": [{**call(), "function": {"name": "f", "arguments": {}}}]}),
        "messages[1].tool_calls[0].function.arguments",
        "invalid_type",
        "a string, but got an object",
    ),
    (
        "index in history",
        said(USER, {**CALLS, "tool_calls": [{**call(), "index": 0}]}),
        "messages[1].tool_calls[0].index",
        "unknown_parameter",
        "",
    ),
    (
        "same id twice",
        said(USER, {**CALLS, "tool_calls": [call(), call()]}, RESULT),
        "messages.[1].tool_calls",
        None,
        "Duplicate value for 'tool_call_id'",
    ),
    ("orphan result", said(USER, RESULT), "messages.[1].role", None, "must be a response to a preceding message"),
    (
        "result too late",
        said(USER, CALLS, RESULT, USER, RESULT),
        "messages.[4].role",
        None,
        "must be a response to a preceding message",
    ),
    (
        "unknown id",
        said(USER, CALLS, {**RESULT, "tool_call_id": "call_2"}),
        "messages.[2].tool_call_id",
        None,
        "'call_2' not found",
    ),
    (
        "two results",
        said(USER, CALLS, RESULT, RESULT),
        "messages.[3].tool_call_id",
        None,
        "in messages[2] and messages[3]",
    ),
    ("no result", said(USER, CALLS, USER), "messages.[2].role", None, "did not have response messages: call_1"),
    ("no result at the end", said(USER, CALLS), "messages.[2].role", None, "did not have response messages: call_1"),
    (
        "one result missing",
        said(USER, {**CALLS, "tool_calls": [call(), call("call_2")]}, RESULT, USER),
        "messages.[3].role",
        None,
        "response messages: call_2",
    ),
    (
        "result without id",
        said(USER, CALLS, {"role": "tool", "content": "x"}),
        "messages[2].tool_call_id",
        "missing_required_parameter",
        "",
    ),
    (
        "function without name",
        said({"role": "function", "content": "x"}),
        "messages[0].name",
        "missing_required_parameter",
        "",
    ),
]


def body(changes: Json) -> Json:
    merged = {"model": "agent", "messages": [USER], **changes}
    return {name: value for name, value in merged.items() if value is not ...}


@pytest.mark.parametrize(("rule", "changes", "param", "code", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, changes: Json, param: str | None, code: str | None, message: str) -> None:
    with pytest.raises(Problem) as caught:
        check(body(changes))
    assert (caught.value.status, caught.value.param, caught.value.code) == (400, param, code)
    assert message in caught.value.message


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_body_must_be_an_object(value: Json) -> None:
    with pytest.raises(Problem):
        check(value)


FAMILIES: list[tuple[str, str, Json, str, str | None]] = [
    ("max_tokens", "o3", {"max_tokens": 9}, "max_tokens", "unsupported_parameter"),
    ("max_tokens", "gpt-5-mini", {"max_tokens": 9}, "max_tokens", "unsupported_parameter"),
    ("temperature", "o3", {"temperature": 0.2}, "temperature", "unsupported_value"),
    ("top_p", "gpt-5.5", {"top_p": 0.2}, "top_p", "unsupported_parameter"),
    ("logprobs", "o4-mini", {"logprobs": True}, "logprobs", "unsupported_parameter"),
    ("temperature", "gpt-5.1", {"temperature": 0.2, "reasoning_effort": "low"}, "temperature", "unsupported_value"),
    ("stop", "gpt-5", {"stop": "x"}, "stop", "unsupported_parameter"),
    ("effort", "gpt-5", {"reasoning_effort": "none"}, "reasoning_effort", "unsupported_value"),
    ("effort", "gpt-5.1", {"reasoning_effort": "xhigh"}, "reasoning_effort", "unsupported_value"),
    ("effort", "gpt-5.6", {"reasoning_effort": "minimal"}, "reasoning_effort", "unsupported_value"),
    ("effort", "gpt-5.2-pro", {"reasoning_effort": "none"}, "reasoning_effort", "unsupported_value"),
    ("effort", "gpt-5.2-chat-latest", {"reasoning_effort": "low"}, "reasoning_effort", "unsupported_parameter"),
    ("tools", "gpt-5.4", {"tools": [function()], "reasoning_effort": "low"}, "reasoning_effort", None),
    ("tools", "gpt-5.6", {"tools": [function()]}, "reasoning_effort", None),
    ("system", "o1-mini", said({"role": "system", "content": "x"}, USER), "messages[0].role", "unsupported_value"),
    ("temperature", "gpt-4o-search-preview", {"temperature": 1}, "temperature", "unsupported_parameter"),
    (
        "reasoning text",
        "gpt-4o",
        said(USER, {"role": "assistant", "content": "x", "reasoning_content": "y"}, USER),
        "messages[1].reasoning_content",
        "unknown_parameter",
    ),
]


@pytest.mark.parametrize(("rule", "family", "changes", "param", "code"), FAMILIES)
def test_refused_by_a_family(rule: str, family: str, changes: Json, param: str, code: str | None) -> None:
    with pytest.raises(Problem) as caught:
        check(body(changes), family)
    assert (caught.value.param, caught.value.code) == (param, code)
    check(body(changes))


@pytest.mark.parametrize(
    ("family", "changes", "message"),
    [
        ("deepseek-v4", said(USER, {"role": "assistant", "content": "x"}, USER), "must be passed back"),
        (
            "kimi-k2.5",
            said(USER, CALLS, RESULT),
            "reasoning_content is missing in assistant tool call message at index 1",
        ),
        ("kimi-k2.5", {"tools": [function()], "tool_choice": "required"}, "tool_choice"),
        ("deepseek-v4", {"tools": [function()], "tool_choice": function()}, "tool_choice"),
    ],
)
def test_refused_by_reasoning_hosts(family: str, changes: Json, message: str) -> None:
    with pytest.raises(Problem) as caught:
        check(body(changes), family)
    assert message in caught.value.message


def test_signed_reasoning_comes_back_unchanged() -> None:
    detail = {"type": "reasoning.text", "text": "hm", "signature": signature("hm"), "index": 0}
    calling = {**CALLS, "reasoning_details": [detail]}
    turn = {"reasoning": {"effort": "low"}, "tools": [function()]}
    check(body({**turn, **said(USER, calling, RESULT)}), "openrouter")
    check(body({**turn, **said(USER, CALLS, RESULT, USER)}), "openrouter")
    check(body({"tools": [function()], **said(USER, CALLS, RESULT)}), "openrouter")
    with pytest.raises(Problem, match=r"messages\.1\.content\.0\.type: Expected `thinking`"):
        check(body({**turn, **said(USER, CALLS, RESULT)}), "openrouter")
    with pytest.raises(Problem, match=r"messages\.1: Invalid `signature`"):
        changed = {**calling, "reasoning_details": [{**detail, "text": "hm."}]}
        check(body({**turn, **said(USER, changed, RESULT)}), "openrouter")


def test_cache_marks_where_hosts_take_them() -> None:
    mark: Json = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    marked = {"tools": [{**function(), **mark}], **said({"role": "user", "content": [{**TEXT, **mark}]})}
    check(body(marked), "openrouter")
    check(body(marked), "qwen3")
    wrong = said({"role": "user", "content": [{**TEXT, "cache_control": {"type": "for ever"}}]})
    for changes, family in ((marked, ""), (marked, "gpt-4o"), (wrong, "openrouter")):
        with pytest.raises(Problem, match=r"Unknown parameter: .*cache_control"):
            check(body(changes), family)


ACCEPTED: list[tuple[str, Json]] = [
    ("", {}),
    ("", {"temperature": None, "stop": "x", "tools": None, "tool_choice": None}),
    ("", said({"role": "system", "content": "s"}, {"role": "developer", "content": [TEXT]}, {**USER, "name": "ada"})),
    ("", said(USER, CALLS, RESULT, USER, CALLS, RESULT)),
    (
        "",
        said(
            USER,
            {**CALLS, "tool_calls": [call("b"), call("a")]},
            {**RESULT, "tool_call_id": "a"},
            {**RESULT, "tool_call_id": "b"},
        ),
    ),
    ("", said(USER, {**CALLS, "content": "x", "refusal": None, "annotations": [], "function_call": None}, RESULT)),
    ("", said(USER, {**CALLS, "tool_calls": [{**call(), "function": {"name": "f", "arguments": "{broken"}}]}, RESULT)),
    ("", said(USER, {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, USER)),
    ("", said(USER, {"role": "assistant", "content": "x", "reasoning_content": "y"}, USER)),
    ("", {"tools": [function(parameters={})], "tool_choice": function(), "parallel_tool_calls": False}),
    (
        "",
        {
            "tools": [
                function(),
                {
                    "type": "custom",
                    "custom": {
                        "name": "q",
                        "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "x"}},
                    },
                },
            ]
        },
    ),
    ("", {"tools": [function(f"f{i}") for i in range(128)]}),
    ("", strict(closed(a={"type": ["string", "null"]}, b={"anyOf": [closed(k={"const": 1}), {"type": "null"}]}))),
    (
        "",
        strict(
            {
                **closed(a={"$ref": "#/$defs/x"}),
                "$defs": {"x": closed(self={"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]})},
            }
        ),
    ),
    ("", strict(closed(a={"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1}))),
    (
        "",
        plain(
            {
                "type": "object",
                "properties": {"type": {"type": "string"}, "default": {"minLength": 1}, "not": {"oneOf": [{}]}},
            }
        ),
    ),
    ("", {"response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "as JSON"}]}),
    ("", {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"oneOf": []}}}}),
    ("", {"functions": [{"name": "f", "parameters": {}}], "function_call": {"name": "f"}}),
    ("gpt-5", {"temperature": 1, "max_completion_tokens": 9, "reasoning_effort": "minimal"}),
    ("gpt-5.1", {"temperature": 0.3}),
    ("gpt-5.4", {"tools": [function()], "reasoning_effort": "none"}),
    ("gpt-5.4", {"tools": [{"type": "custom", "custom": {"name": "q"}}], "reasoning_effort": "high"}),
    ("gpt-4o", {"temperature": 0.3, "max_tokens": 9, "stop": ["x"]}),
    ("kimi-k2.5", said(USER, {**CALLS, "reasoning_content": ""}, RESULT)),
    ("deepseek-v4", {"thinking": {"type": "disabled"}, **said(USER, {"role": "assistant", "content": "x"}, USER)}),
    ("vllm", {"top_k": 3, "chat_template_kwargs": {}}),
]


@pytest.mark.parametrize(("family", "changes"), ACCEPTED)
def test_accepted(family: str, changes: Json) -> None:
    check(body(changes), family)
