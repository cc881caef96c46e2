"""Every rule of Responses, with a request that breaks it and what the API says."""

from typing import Any

import pytest

from proxy.emulate.openai_responses_check import check
from proxy.emulate.openai_responses_seal import Seal, decrypt, encrypt, item_id, reasoning_id
from proxy.emulate.openai_rules import Problem

Json = Any
MISSING, UNKNOWN, TYPE, VALUE = "missing_required_parameter", "unknown_parameter", "invalid_type", "invalid_value"
SCHEMA = "invalid_function_parameters"


def function(name: str = "f", **more: Json) -> Json:
    return {"type": "function", "name": name, **more}


def call(identifier: str = "c1", **more: Json) -> Json:
    return {"type": "function_call", "call_id": identifier, "name": "f", "arguments": "{}", **more}


def output(identifier: str = "c1", **more: Json) -> Json:
    return {"type": "function_call_output", "call_id": identifier, "output": "ok", **more}


def items(*entries: Json) -> Json:
    return {"input": list(entries)}


def closed(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def part(role: str, **content: Json) -> Json:
    return items({"role": role, "content": [content]})


USER = {"role": "user", "content": "hi"}
SQL = {"type": "custom", "name": "sql"}
CUSTOM_CALL = {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "x"}
CUSTOM_OUTPUT = {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"}
NAMESPACE = {"type": "namespace", "name": "crm", "description": "d", "tools": [function()]}
FORMAT: Json = {"type": "json_schema", "name": "a", "schema": closed()}

REFUSED: list[tuple[str, Json, str | None, str | None, str]] = [
    # fields
    ("no model", {"model": ...}, "model", MISSING, "'model'"),
    ("no input", {"input": ...}, "input", MISSING, "must be provided"),
    ("empty input", {"input": []}, "input", MISSING, "must be provided"),
    ("input number", {"input": 3}, "input", TYPE, "one of a string or an array of objects"),
    *((f"field {name}", {name: 1}, name, UNKNOWN, f"'{name}'")
      for name in ("messages", "max_tokens", "stop", "seed", "n", "logit_bias", "response_format", "reasoning_effort")),
    ("max_output_tokens", {"max_output_tokens": 15}, "max_output_tokens", "integer_below_min_value", ">= 16"),
    ("temperature", {"temperature": 2.5}, "temperature", "decimal_above_max_value", "<= 2"),
    ("top_p", {"top_p": "x"}, "top_p", TYPE, "a decimal"),
    ("top_logprobs", {"top_logprobs": 21}, "top_logprobs", "integer_above_max_value", "<= 20"),
    ("cache key", {"prompt_cache_key": "k" * 65}, "prompt_cache_key", "string_above_max_length", "64"),
    ("safety id", {"safety_identifier": "k" * 129}, "safety_identifier", "string_above_max_length", "128"),
    ("retention", {"prompt_cache_retention": "in-memory"}, "prompt_cache_retention", VALUE, "'in_memory'"),
    ("metadata", {"metadata": {"k": 1}}, "metadata.k", TYPE, "a string"),
    ("include", {"include": ["usage"]}, "include[0]", VALUE, "'usage'"),
    ("client metadata", {"client_metadata": 1}, "client_metadata", TYPE, "an object"),
    ("truncation", {"truncation": "on"}, "truncation", VALUE, "'disabled'"),
    ("service tier", {"service_tier": "slow"}, "service_tier", VALUE, "'ultrafast'"),
    ("background", {"background": True}, "background", "unsupported_parameter", "'background'"),
    ("stream options", {"stream_options": {}}, "stream_options", None, "when 'stream'"),
    ("include_usage", {"stream": True, "stream_options": {"include_usage": True}}, "stream_options.include_usage",
     UNKNOWN, "include_usage"),
    ("effort", {"reasoning": {"effort": "huge"}}, "reasoning.effort", VALUE, "'huge'"),
    ("summary", {"reasoning": {"summary": "long"}}, "reasoning.summary", VALUE, "'concise'"),
    ("reasoning field", {"reasoning": {"budget": 1}}, "reasoning.budget", UNKNOWN, ""),
    # state
    ("previous", {"previous_response_id": "resp_x"}, "previous_response_id", "previous_response_not_found",
     "Previous response with id 'resp_x' not found."),
    ("both states", {"previous_response_id": "r", "conversation": "c"}, None, "mutually_exclusive_parameters", ""),
    ("conversation", {"conversation": "c"}, "conversation", None, "'c' not found"),
    ("prompt", {"prompt": {"id": "p"}, "input": ...}, "prompt", None, "'p' not found"),
    ("reference", items({"type": "item_reference", "id": "msg_1"}), "input", None, "Item with id 'msg_1' not found"),
    # items
    ("item type", items({"type": "tool", "content": "x"}), "input[0].type", VALUE, "'function_call_output'"),
    ("null type", items({**USER, "type": None}), "input[0].type", VALUE, ""),
    ("no role", items({"content": "x"}), "input[0].role", MISSING, ""),
    ("role", items({"role": "tool", "content": "x"}), "input[0].role", VALUE, "'developer'"),
    ("no content", items({"role": "user"}), "input[0].content", MISSING, ""),
    ("null content", items({"role": "assistant", "content": None}), "input[0].content", TYPE, "objects or string"),
    ("chat's calls", items({"role": "assistant", "content": "", "tool_calls": []}), "input[0].tool_calls", UNKNOWN, ""),
    ("phase of a user", items({**USER, "phase": "commentary"}), "input[0].phase", UNKNOWN, ""),
    ("message id", items({**USER, "id": "m1"}), "input[0].id", VALUE, "begins with 'msg'"),
    ("chat's part", part("user", type="text", text="x"), "input[0].content[0]", VALUE, "'input_text'"),
    ("chat's image", part("user", type="input_image", image_url={"url": "https://x"}), "input[0].content[0].image_url",
     TYPE, "a string"),
    ("image url", part("user", type="input_image", image_url="x"), "input[0].content[0].image_url", VALUE, "valid URL"),
    ("no image", part("user", type="input_image"), "input[0].content[0]", MISSING, "image_url"),
    ("input_text of assistant", part("assistant", type="input_text", text="x"), "input[0].content[0]", VALUE,
     "'input_text'. Supported values are: 'output_text', 'refusal'"),
    ("output_text of user", part("user", type="output_text", text="x"), "input[0].content[0]", VALUE, "'output_text'"),
    ("no text", part("user", type="input_text"), "input[0].content[0].text", MISSING, ""),
    ("no call_id", items({"type": "function_call", "name": "f", "arguments": ""}), "input[0].call_id", MISSING, ""),
    ("long call_id", items(call("c" * 65)), "input[0].call_id", "string_above_max_length", "64"),
    ("empty call_id", items(call("")), "input[0].call_id", "empty_string", ""),
    ("arguments object", items(call(arguments={})), "input[0].arguments", TYPE, "a string, but got an object"),
    ("call id", items(call(id="call_1")), "input[0].id", VALUE, "begins with 'fc'"),
    ("long id", items(call(id="fc_" + "x" * 62)), "input[0].id", "string_above_max_length", "64"),
    ("call name", items(call(name="a.b")), "input[0].name", VALUE, "does not match pattern"),
    ("chat's call", items(call(function={})), "input[0].function", UNKNOWN, ""),
    ("output object", items(call(), output(output={})), "input[1].output", TYPE, ""),
    ("no output", items(call(), {"type": "function_call_output", "call_id": "c1"}), "input[1].output", MISSING, ""),
    ("long output", items(call(), output(output="x" * 10_485_761)), "input[1].output", "string_above_max_length", ""),
    ("custom id", items({**CUSTOM_CALL, "id": "fc_1"}), "input[0].id", VALUE, "'ctc'"),
    ("no summary", items({"type": "reasoning", "id": "rs_1"}), "input[0].summary", MISSING, ""),
    ("reasoning id", items({"type": "reasoning", "id": "r", "summary": []}), "input[0].id", VALUE, "'rs'"),
    # calls and outputs
    ("no output of a call", items(USER, call()), "input", None, "No tool output found for function call c1."),
    ("no call of an output", items(USER, output()), "input", None,
     "No tool call found for function call output with call_id c1."),
    ("output before its call", items(output(), call()), "input", None, "No tool call found for function call output"),
    ("another call", items(call(), output("c2")), "input", None, "No tool call found for function call output"),
    ("no output of a custom call", items(CUSTOM_CALL), "input", None, "No tool output found for custom tool call c1."),
    ("other kind of output", items(call(), output(), CUSTOM_OUTPUT), "input", None,
     "No tool call found for custom tool call output with call_id c1."),
    # tools
    ("chat's tool", {"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools[0].name", MISSING, ""),
    ("tool type", {"tools": [{"type": "web"}]}, "tools[0].type", VALUE, "'web'"),
    ("no tool type", {"tools": [{"name": "f"}]}, "tools[0].type", MISSING, ""),
    ("tool field", {"tools": [function(cache_control={})]}, "tools[0].cache_control", UNKNOWN, ""),
    ("tool name", {"tools": [function("a b")]}, "tools[0].name", VALUE, "pattern"),
    ("long name", {"tools": [function("a" * 129)]}, "tools[0].name", "string_above_max_length", "128"),
    ("129 tools", {"tools": [function(f"f{i}") for i in range(129)]}, "tools", "array_above_max_length", "128"),
    ("strict", {"tools": [function(strict="yes")]}, "tools[0].strict", TYPE, "a boolean"),
    ("nested grammar", {"tools": [{**SQL, "format": {"type": "grammar", "grammar": {}}}]}, "tools[0].format.syntax",
     MISSING, ""),
    ("deferred", {"tools": [function(defer_loading=True)]}, "tools", None, "Deferred tools require tools.tool_search."),
    ("namespace inside", {"tools": [{**NAMESPACE, "tools": [NAMESPACE]}]}, "tools[0].tools[0].type", VALUE, ""),
    ("namespace name", {"tools": [{**NAMESPACE, "name": "a.b"}]}, "tools[0].name", VALUE, "pattern"),
    ("root type", {"tools": [function(parameters={"type": "array"})]}, "tools[0].parameters", SCHEMA,
     "got 'type: \"array\"'"),
    ("root union", {"tools": [function(parameters={"type": "object", "anyOf": []})]}, "tools[0].parameters", SCHEMA,
     "at the top level"),
    ("bare array", {"tools": [function(parameters=closed(a={"type": "array"}))]}, "tools[0].parameters", SCHEMA,
     "In context=('properties', 'a'), array schema missing items"),
    ("open strict", {"tools": [function(strict=True, parameters={"type": "object", "properties": {}})]},
     "tools[0].parameters", SCHEMA, "additionalProperties"),
    ("optional strict", {"tools": [function(strict=True, parameters={**closed(a={"type": "null"}), "required": []})]},
     "tools[0].parameters", SCHEMA, "Missing 'a'"),
    ("inner strict", {"tools": [{**NAMESPACE, "tools": [function(strict=True, parameters={"type": "object"})]}]},
     "tools[0].tools[0].parameters", SCHEMA, ""),
    # choice
    ("required alone", {"tool_choice": "required"}, "tool_choice", None, "must be specified with 'tools'"),
    ("choice any", {"tools": [function()], "tool_choice": "any"}, "tool_choice", VALUE, "'any'"),
    ("chat's choice", {"tools": [function()], "tool_choice": {"type": "function", "function": {"name": "f"}}},
     "tool_choice.name", MISSING, ""),
    ("choice unknown", {"tools": [function()], "tool_choice": function("g")}, "tool_choice", None, "'g' not found"),
    ("choice kind", {"tools": [function("sql")], "tool_choice": SQL}, "tool_choice", None, "'sql' not found"),
    ("choice built-in", {"tools": [function()], "tool_choice": {"type": "web_search"}}, "tool_choice", None,
     "Tool choice 'web_search' not found"),
    ("choice type", {"tools": [function()], "tool_choice": {"type": "tool"}}, "tool_choice.type", VALUE, "'tool'"),
    ("choice list", {"tools": [function()], "tool_choice": []}, "tool_choice", TYPE, "a string or an object"),
    ("chat's allowed", {"tools": [function()], "tool_choice": {"type": "allowed_tools", "allowed_tools": {}}},
     "tool_choice.mode", MISSING, ""),
    ("allowed unknown",
     {"tools": [NAMESPACE], "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [function()]}},
     "tool_choice.tools[0]", None, "'f' not found"),
    # output format
    ("chat format", {"text": {"format": {"type": "json_schema", "json_schema": {}}}}, "text.format.name", MISSING, ""),
    ("format type", {"text": {"format": {"type": "json"}}}, "text.format.type", VALUE, "'json_schema'"),
    ("json word", {"text": {"format": {"type": "json_object"}}}, "input", None, "must contain the word 'json'"),
    ("strict format", {"text": {"format": {**FORMAT, "strict": True, "schema": {"type": "object"}}}},
     "text.format.schema", "invalid_json_schema", "Invalid schema for response_format 'a'"),
    ("verbosity", {"text": {"verbosity": "huge"}}, "text.verbosity", VALUE, "'medium'"),
]  # fmt: skip


def body(changes: Json) -> Json:
    merged = {"model": "agent", "input": "hi", **changes}
    return {name: value for name, value in merged.items() if value is not ...}


@pytest.mark.parametrize(("rule", "changes", "param", "code", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, changes: Json, param: str | None, code: str | None, message: str) -> None:
    with pytest.raises(Problem) as caught:
        check(body(changes))
    assert (caught.value.param, caught.value.code) == (param, code)
    assert message in caught.value.message


FAMILIES: list[tuple[str, Json, str, str | None]] = [
    ("o3", {"temperature": 0.2}, "temperature", "unsupported_parameter"),
    ("gpt-5", {"top_p": 0.2}, "top_p", "unsupported_parameter"),
    ("gpt-5.1", {"top_logprobs": 2, "reasoning": {"effort": "low"}}, "top_logprobs", "unsupported_parameter"),
    ("gpt-5", {"reasoning": {"effort": "none"}}, "reasoning.effort", "unsupported_value"),
    ("gpt-5.6", {"reasoning": {"effort": "minimal"}}, "reasoning.effort", "unsupported_value"),
    ("gpt-4o", {"reasoning": {"effort": "low"}}, "reasoning.effort", "unsupported_parameter"),
    ("gpt-4o", {"reasoning": {"summary": "auto"}}, "reasoning.summary", "unsupported_parameter"),
    ("gpt-4.1", {"include": ["reasoning.encrypted_content"]}, "include", None),
]


@pytest.mark.parametrize(("family", "changes", "param", "code"), FAMILIES)
def test_refused_by_a_family(family: str, changes: Json, param: str, code: str | None) -> None:
    with pytest.raises(Problem) as caught:
        check(body(changes), family)
    assert (caught.value.param, caught.value.code) == (param, code)
    check(body(changes))


TURN = "t" * 20
SEALED = {"type": "reasoning", "summary": [], "encrypted_content": encrypt(Seal("", reasoning_id(TURN, False), "c1"))}
LED = call(id=item_id("fc", TURN, True, 0))
FREE = call(id=item_id("fc", TURN, False, 0))
THOUGHT = {"type": "reasoning", "id": "rs_x", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
SAID = {"role": "assistant", "content": "x"}
STORED = {"type": "reasoning", "id": reasoning_id(TURN, True), "summary": []}

REASONING: list[tuple[str, list[Json], str | None, str]] = [
    ("foreign", [{**SEALED, "encrypted_content": "gAAAAAxyz"}, call(), output()], "invalid_encrypted_content",
     "The encrypted content gAAA...Axyz could not be verified"),
    ("another id", [{**SEALED, "id": "rs_other"}, call(), output()], "invalid_encrypted_content", "verified"),
    ("unknown id", [{"type": "reasoning", "id": "rs_x", "summary": []}, call(), output()], None,
     "Item with id 'rs_x' not found. Items are not persisted when `store` is set to false."),
    ("nothing to know it by", [{"type": "reasoning", "summary": []}, SAID], "missing_required_parameter", ".id'"),
    ("at the end", [call(), output(), SEALED], None, f"Item 'rs_{TURN}t' of type 'reasoning' was provided without its"),
    ("before an output", [call(), SEALED, output()], None, "without its required following item"),
    ("before a user", [THOUGHT, USER], None, "without its required following item"),
    ("before another call", [SEALED, call("c2"), output("c2")], None, "without its required following item"),
    ("before a text", [SEALED, SAID], None, "without its required following item"),
    ("missing", [LED, output()], None,
     f"Item '{LED['id']}' of type 'function_call' was provided without its required 'reasoning' item: 'rs_{TURN}'."),
    ("missing before a message", [{**SAID, "id": item_id("msg", TURN, True, 0)}], None, "of type 'message'"),
    ("after its call", [LED, SEALED, output()], None, "without its required 'reasoning' item"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "entries", "code", "message"), REASONING, ids=[row[0] for row in REASONING])
def test_reasoning_refused(rule: str, entries: list[Json], code: str | None, message: str) -> None:
    with pytest.raises(Problem) as caught:
        check(body(items(USER, *entries)))
    assert caught.value.code == code
    assert message in caught.value.message


def test_reasoning_of_another_model() -> None:
    with pytest.raises(Problem, match="could not be verified"):
        check(body(items(USER, SEALED, call(), output())), "gpt-5")


def test_encrypted_reasoning_is_ours_or_nothing() -> None:
    seal = Seal("gpt-5", "rs_1", "c1")
    assert decrypt(encrypt(seal)) == decrypt(encrypt(seal, 1)) == seal
    assert encrypt(seal) != encrypt(seal, 1)
    for text in ("", "x", "gAAAAA", "gAAAAA====", encrypt(seal)[:-4], "gAAAAA" + "A" * 64, "é"):
        assert decrypt(text) is None


ACCEPTED: list[Json] = [
    {},
    {"temperature": None, "tools": None, "tool_choice": None, "reasoning": None, "text": None},
    {"tools": [], "tool_choice": "auto", "parallel_tool_calls": False},
    {"tool_choice": "none"},
    items({"role": "system", "content": "s"}, {"role": "developer", "content": "d"}, USER),
    items({"type": "message", **SAID, "id": "msg_1", "status": "completed", "phase": "final_answer"}, USER),
    part("assistant", type="output_text", text="x", annotations=[], logprobs=[]),
    part("assistant", type="refusal", refusal="no"),
    part("user", type="input_image", image_url="data:image/png;base64,AA", detail="low"),
    part("user", type="input_file", file_data="data:application/pdf;base64,AA", filename="a.pdf"),
    items(USER, call("a"), call("b"), output("b"), output("a", output=[{"type": "input_text", "text": "x"}])),
    items(call("a"), output("a"), USER, call("a"), output("a")),
    items(call(arguments="{broken"), output()),
    items(CUSTOM_CALL, CUSTOM_OUTPUT),
    items(SEALED, call(), output()),
    items(SEALED, LED, output()),
    items({**SEALED, "id": reasoning_id(TURN, False)}, LED, output()),
    items(FREE, output()),
    items(STORED, LED, output()),
    items(THOUGHT, call(), output()),
    items({"type": "reasoning", "id": "rs_x", "summary": [], "content": None, "encrypted_content": encrypt(
        Seal("", "rs_x", ""))}, SAID),
    items(USER, {"type": "web_search_call", "id": "ws_1"}, {"type": "compaction", "encrypted_content": "x"}, SAID),
    {"tools": [function(parameters=None, strict=None), {"type": "web_search"}, SQL, NAMESPACE]},
    {"tools": [function(defer_loading=True), {"type": "tool_search"}]},
    {"tools": [{**SQL, "format": {"type": "grammar", "syntax": "lark", "definition": "x"}}]},
    {"tools": [function(strict=True, parameters=closed(a={"type": ["string", "null"]}))]},
    {"tools": [function(parameters={"type": "object", "properties": {"a": {"minLength": 1}}})]},
    {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}},
    {"tools": [function()], "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [
        {"type": "function", "name": "f"}]}},
    {"text": {"format": FORMAT, "verbosity": "low"}},
    {"text": {"format": {**FORMAT, "schema": {"oneOf": []}, "strict": False}}},
    {"input": "as JSON", "text": {"format": {"type": "json_object"}}},
    {"store": False, "include": ["reasoning.encrypted_content"], "max_output_tokens": 16},
    {"client_metadata": {"x-codex-installation-id": "1"}},
]  # fmt: skip


@pytest.mark.parametrize("changes", ACCEPTED)
def test_accepted(changes: Json) -> None:
    check(body(changes))


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        ("gpt-5.1", {"temperature": 0.3}),
        ("gpt-4o", {"temperature": 0.3, "top_logprobs": 2}),
        ("gpt-oss-20b", {"temperature": 0.3, "reasoning": {"effort": "low"}}),
        ("gpt-5.4", {"tools": [function()], "reasoning": {"effort": "high"}}),
    ],
)
def test_accepted_by_a_family(family: str, changes: Json) -> None:
    check(body(changes), family)


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_body_must_be_an_object(value: Json) -> None:
    with pytest.raises(Problem):
        check(value)
