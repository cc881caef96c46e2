"""Every rule of generateContent, with a request that breaks it and what the API says."""

from typing import Any

import pytest

from proxy.emulate.google_gemini_check import check
from proxy.emulate.google_gemini_proto import Problem

Json = Any
MISSING = "Cannot find field."


def text(words: str = "hi", role: str = "user") -> Json:
    return {"role": role, "parts": [{"text": words}]}


def calls(*names: str, **ids: str) -> Json:
    return {"role": "model", "parts": [{"functionCall": {"name": n, "args": {}, **_id(ids, n)}} for n in names]}


def results(*names: str, **ids: str) -> Json:
    made = [{"functionResponse": {"name": n, "response": {"output": "x"}, **_id(ids, n)}} for n in names]
    return {"role": "user", "parts": made}


def _id(ids: dict[str, str], name: str) -> Json:
    return {"id": ids[name]} if name in ids else {}


def said(*contents: Json) -> Json:
    return {"contents": list(contents)}


def part(**data: Json) -> Json:
    return said({"role": "user", "parts": [data]})


def response(**members: Json) -> Json:
    return said(text(), calls("f"), {"role": "user", "parts": [{"functionResponse": {"name": "f", **members}}]})


def tool(**members: Json) -> Json:
    return {"tools": [{"functionDeclarations": [{"name": "f", **members}]}]}


def parameters(**schema: Json) -> Json:
    return tool(parameters={"type": "OBJECT", "properties": {"a": schema}})


def config(**members: Json) -> Json:
    return {"generationConfig": members}


def thinking(**members: Json) -> Json:
    return config(thinkingConfig=members)


def calling(**members: Json) -> Json:
    return {**tool(), "toolConfig": {"functionCallingConfig": members}}


PNG = {"mimeType": "image/png", "data": "AAAA"}
F = "tools[0].function_declarations[0]"
A = F + ".parameters.properties[a]"
P = F + ".parameters.properties[0].value"

REFUSED: list[tuple[str, Json, str, str]] = [
    # names and types
    *((f"unknown {name}", {name: 1}, "", f'Unknown name "{name}": {MISSING}')
      for name in ("messages", "max_tokens", "stream", "model_armor_config", "outputConfig")),
    ("unknown in config", config(maxTokens=1), "generation_config",
     "Unknown name \"maxTokens\" at 'generation_config'"),
    ("unknown in part", part(text="x", type="text"), "contents[0].parts[0]",
     "Unknown name \"type\" at 'contents[0].parts[0]'"),
    ("unknown in tool", {"tools": [{"type": "function", "function": {}}]}, "tools[0]",
     "Unknown name \"type\" at 'tools[0]'"),
    ("unknown in declaration", tool(strict=True), F, f"Unknown name \"strict\" at '{F}'"),
    ("vertex only", calling(streamFunctionCallArguments=True), "tool_config.function_calling_config", MISSING),
    ("contents text", {"contents": "hi"}, "contents", "v1beta.Content), \"hi\""),
    ("part text", said({"role": "user", "parts": "hi"}), "contents[0].parts", "v1beta.Part), \"hi\""),
    ("text list", part(text=["x"]), "contents[0].parts[0]", "Proto field is not repeating, cannot start list."),
    ("content list", {"contents": [[text()]]}, "", "Proto field is not repeating"),
    ("temperature", config(temperature="1"), "generation_config.temperature", "(TYPE_FLOAT), \"1\""),
    ("boolean", thinking(includeThoughts="yes"), "generation_config.thinking_config.include_thoughts", "(TYPE_BOOL)"),
    ("seed", config(seed=2**31), "generation_config.seed", "(TYPE_INT32), 2147483648"),
    ("fraction", config(maxOutputTokens=1.5), "generation_config.max_output_tokens", "(TYPE_INT32), 1.5"),
    ("mode", calling(mode="MAYBE"), "tool_config.function_calling_config.mode", "\"MAYBE\""),
    ("bytes", part(inlineData={"mimeType": "image/png", "data": "%"}), "contents[0].parts[0].inline_data.data",
     "Base64 decoding failed for \"%\""),
    ("both spellings", {"generationConfig": {"topK": 1, "top_k": 2}}, "generation_config", "'top_k' is already set"),
    ("surrogate", part(text="\ud800"), "", "not valid UTF-8"),
    # contents
    ("no contents", {"contents": []}, "contents", "contents is not specified"),
    ("no contents at all", {"contents": ...}, "contents", "contents is not specified"),
    ("role", said(text(role="assistant")), "contents[0].role", "Please use a valid role: user, model."),
    ("system role", said(text(role="system"), text()), "contents[0].role", "valid role"),
    ("function role", said(text(), calls("f"), {**results("f"), "role": "function"}), "contents[2].role", "valid role"),
    ("no parts", said({"role": "user", "parts": []}), "contents[0].parts", "must have at least one Part"),
    ("parts absent", said(text(), {"role": "model"}), "contents[1].parts", "must have at least one Part"),
    ("empty part", part(), "contents[0].parts[0].data", "required oneof field 'data' must have one initialized field"),
    ("thought alone", part(thought=True), "contents[0].parts[0].data", "required oneof field 'data'"),
    ("two kinds", part(text="x", inlineData=PNG), "contents[0].parts[0]", "oneof field 'data' is already set"),
    ("no mime type", part(inlineData={"data": "AA"}), "contents[0].parts[0].mime_type", "must be specified"),
    ("uri without mime type", part(fileData={"fileUri": "https://x"}), "contents[0].parts[0].mime_type", "specified"),
    ("no uri", part(fileData={"mimeType": "image/png"}), "contents[0].parts[0].file_uri", "must be specified"),
    ("model first", said(text(role="model"), text()), "contents[0]", "first content is the user's"),
    ("system without parts", {"systemInstruction": {}}, "system_instruction.parts", "at least one Part"),
    ("system text", {"systemInstruction": "x"}, "system_instruction", "v1beta.Content), \"x\""),
    ("system image", {"systemInstruction": {"parts": [{"inlineData": PNG}]}}, "system_instruction", "only text"),
    # calls and responses
    ("no call name", said(text(), calls(""), results("f")), "contents[1].parts[0].function_call.name",
     "cannot be empty"),
    ("call name", said(text(), calls("a b")), "contents[1].parts[0].function_call.name", "Invalid function name"),
    ("args text", said(text(), {"role": "model", "parts": [{"functionCall": {"name": "f", "args": "{}"}}]}),
     "contents[1].parts[0].function_call.args", "google.protobuf.Struct), \"{}\""),
    ("response text", response(response="x"), "contents[2].parts[0].function_response.response", "Struct"),
    ("response list", response(response=["x"]), "contents[2].parts[0].function_response.response", "Struct"),
    ("no response", response(), "contents[2].parts[0].function_response", "is not specified"),
    ("no response name", response(response={}, name=""), "contents[2].parts[0].function_response.name",
     "cannot be empty"),
    ("reference", response(response={"a": [{"$ref": "#/x"}]}), "contents[2].parts[0].function_response", "$ref"),
    ("media type", response(response={}, parts=[{"inlineData": {"mimeType": "audio/wav", "data": "AA"}}]),
     "contents[2].parts[0].function_response", "Unsupported MIME type: audio/wav"),
    ("call of the user", said({**calls("f"), "role": "user"}, results("f")), "contents", "function call turn comes"),
    ("response without call", said(text(), results("f")), "contents", "comes immediately after a function call turn"),
    ("response after text", said(text(), calls("f"), results("f"), text("x", "model"), results("f")), "contents",
     "comes immediately after a function call turn"),
    ("too few", said(text(), calls("f", "g"), results("f")), "contents", "number of function response parts is equal"),
    ("too many", said(text(), calls("f"), results("f", "f")), "contents", "number of function response parts is equal"),
    ("none", said(text(), calls("f"), text()), "contents", "number of function response parts is equal"),
    ("split", said(text(), calls("f", "g"), results("f"), results("g")), "contents", "number of function response"),
    ("order", said(text(), calls("f", "g"), results("g", "f")), "contents", "in its order"),
    ("another name", said(text(), calls("f"), results("g")), "contents", "in its order"),
    ("another id", said(text(), calls("f", f="1"), results("f", f="2")), "contents", "in its order"),
    ("partial arguments", said(text(), {"role": "model", "parts": [{"functionCall": {"name": "f",
     "partialArgs": []}}]}),
     "contents[1].parts[0].function_call.partial_args", "not supported"),
    # tools
    *((f"name {name!r}", tool(name=name), F + ".name", "Invalid function name")
      for name in ("", "1a", "a b", "größe", "a" * 129)),
    ("duplicate", {"tools": [*tool()["tools"], *tool()["tools"]]}, "tools", "Duplicate function declaration found: f"),
    ("513 functions", {"tools": [{"functionDeclarations": [{"name": f"f{i}"} for i in range(513)]}]}, "tools", "512"),
    ("both schemas", tool(parameters={"type": "OBJECT"}, parametersJsonSchema={}), F + ".parameters", "exclusive"),
    ("both responses", tool(response={"type": "STRING"}, responseJsonSchema={}), F + ".response", "exclusive"),
    ("empty object", tool(parameters={"type": "OBJECT", "properties": {}}), F + ".parameters.properties",
     "should be non-empty for OBJECT type"),
    ("not an object", tool(parameters={"type": "STRING"}), F + ".parameters", "should be of type OBJECT"),
    *((f"keyword {name}", parameters(type="STRING", **{name: 1}), P, f"Unknown name \"{name}\" at '{P}'")
      for name in ("additionalProperties", "$ref", "$schema", "oneOf", "allOf", "const", "exclusiveMinimum",
       "default_")),
    ("type list", parameters(type=["string", "null"]), P, "Unknown name \"type\" at '" + P + "': Proto field is not"),
    ("unknown type", parameters(type="DATE"), P + ".type", "\"DATE\""),
    ("enum of numbers", parameters(type="STRING", enum=[1]), P + ".enum[0]", "(TYPE_STRING), 1"),
    ("enum on integer", parameters(type="INTEGER", enum=["1"]), A + ".enum", "only allowed for STRING type"),
    ("enum without type", parameters(enum=["a"]), A + ".enum", "only allowed for STRING type"),
    ("empty enum value", parameters(type="STRING", enum=[""]), A + ".enum", "cannot be empty"),
    ("format", parameters(type="STRING", format="email"), A + ".format", "only 'enum' and 'date-time' are supported"),
    ("number format", parameters(type="NUMBER", format="int32"), A + ".format", "only 'float' and 'double'"),
    ("no items", parameters(type="ARRAY"), A + ".items", "missing field."),
    ("items list", parameters(type="ARRAY", items=[{"type": "STRING"}]), P, "cannot start list"),
    ("nested empty object", parameters(type="ARRAY", items={"type": "OBJECT"}), A + ".items.properties", "non-empty"),
    ("required", parameters(type="OBJECT", properties={"b": {"type": "STRING"}}, required=["c"]), A + ".required[0]",
     "property is not defined"),
    ("beside anyOf", parameters(type="STRING", anyOf=[{"type": "STRING"}]), A + ".any_of", "only field set"),
    ("inside anyOf", parameters(anyOf=[{"type": "ARRAY"}]), A + ".any_of[0].items", "missing field."),
    ("bound text", parameters(type="ARRAY", items={"type": "STRING"}, minItems="x"), P + ".min_items", "(TYPE_INT64)"),
    ("json schema root", tool(parametersJsonSchema={"type": "string"}), F + ".parameters_json_schema", "type OBJECT"),
    ("json schema union", tool(parametersJsonSchema={"anyOf": []}), F + ".parameters_json_schema", "not a valid JSON"),
    ("json schema reference", tool(parametersJsonSchema={"$ref": "#/$defs/a"}), F + ".parameters_json_schema",
     "OBJECT"),
    ("no json schema", tool(parametersJsonSchema={"type": 3}), F + ".parameters_json_schema",
     "not a valid JSON schema"),
    ("mixed", {"tools": [*tool()["tools"], {"googleSearch": {}}]}, "tool_config",
     "include_server_side_tool_invocations"),
    # calling
    ("no functions", {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}, "tool_config.function_calling_config",
     "Function calling config is set without function_declarations."),
    ("no functions among tools", {"tools": [{"googleSearch": {}}], "toolConfig": {"functionCallingConfig": {}}},
     "tool_config.function_calling_config", "without function_declarations"),
    ("names with auto", calling(mode="AUTO", allowedFunctionNames=["f"]),
     "tool_config.function_calling_config.allowed_function_names", "only be set when the function calling mode is ANY"),
    ("names without mode", calling(allowedFunctionNames=["f"]),
     "tool_config.function_calling_config.allowed_function_names", "ANY or VALIDATED"),
    ("undeclared name", calling(mode="ANY", allowedFunctionNames=["g"]),
     "tool_config.function_calling_config.allowed_function_names", "'g' is not declared"),
    # generation
    ("hot", config(temperature=2.1), "generation_config.temperature", "[0.0, 2.0]"),
    ("top_p", config(topP=1.1), "generation_config.top_p", "[0.0, 1.0]"),
    ("six stops", config(stopSequences=list("abcdef")), "generation_config.stop_sequences", "at most 5"),
    ("no tokens", config(maxOutputTokens=0), "generation_config.max_output_tokens", "must be positive"),
    ("candidates", config(candidateCount=9), "generation_config.candidate_count", "[1, 8]"),
    ("logprobs alone", config(logprobs=1), "generation_config.logprobs", "response_logprobs must be set"),
    ("21 logprobs", config(logprobs=21, responseLogprobs=True), "generation_config.logprobs", "[0, 20]"),
    ("mime type", config(responseMimeType="text/html"), "generation_config.response_mime_type", "allowed mimetypes"),
    ("schema without mime", config(responseSchema={"type": "STRING"}), "generation_config.response_schema",
     "mime types"),
    ("two schemas", config(responseMimeType="application/json", responseSchema={}, responseJsonSchema={}),
     "generation_config.response_json_schema", "only one"),
    ("output keyword", config(responseMimeType="application/json", responseSchema={"additionalProperties": False}),
     "generation_config.response_schema", "Unknown name \"additionalProperties\""),
    ("output schema", config(responseMimeType="application/json", responseSchema={"type": "ARRAY"}),
     "generation_config.response_schema.items", "missing field."),
    ("level and budget", thinking(thinkingLevel="LOW", thinkingBudget=1), "generation_config.thinking_config",
     "only one"),
    ("level", thinking(thinkingLevel="HUGE"), "generation_config.thinking_config.thinking_level", "\"HUGE\""),
    ("budget", thinking(thinkingBudget=-2), "generation_config.thinking_config", "between 0 and 65536"),
    # cache
    ("cache with tools", {"cachedContent": "cachedContents/x", **tool()}, "cached_content", "can not be used"),
    ("cache", {"cachedContent": "cachedContents/x"}, "", "CachedContent not found"),
]  # fmt: skip


def body(changes: Json) -> Json:
    merged = {"contents": [text()], **changes}
    return {name: value for name, value in merged.items() if value is not ...}


@pytest.mark.parametrize(("rule", "changes", "field", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, changes: Json, field: str, message: str) -> None:
    with pytest.raises(Problem) as caught:
        check(body(changes))
    assert caught.value.field == field
    assert message in caught.value.message


FAMILIES: list[tuple[str, Json, str]] = [
    ("gemini-2.5-pro", thinking(thinkingBudget=0), "Budget 0 is invalid. This model only works in thinking mode."),
    ("gemini-2.5-pro", thinking(thinkingBudget=32_769), "choose a value between 128 and 32768"),
    ("gemini-2.5-flash", thinking(thinkingBudget=24_577), "between 0 and 24576"),
    ("gemini-2.5-flash-lite", thinking(thinkingBudget=511), "between 512 and 24576"),
    ("gemini-2.5-flash", thinking(thinkingLevel="LOW"), "Thinking level is not supported"),
    ("gemini-2.5-flash-image", thinking(includeThoughts=True), "Thinking is not enabled"),
    ("gemini-2.0-flash", thinking(thinkingBudget=1024), "Thinking is not enabled"),
    ("gemma-3-27b", thinking(thinkingBudget=0), "Thinking is not enabled"),
    ("gemini-3-pro-preview", thinking(thinkingLevel="MEDIUM"), "Thinking level MEDIUM is not supported"),
    ("gemini-3.1-pro-preview", thinking(thinkingLevel="MINIMAL"), "MINIMAL is not supported"),
    ("gemini-3.1-flash-lite-image", thinking(thinkingLevel="LOW"), "LOW is not supported"),
    ("gemini-3.8-flash", thinking(thinkingLevel="MINIMAL"), "MINIMAL is not supported"),
    ("gemini-3-pro-preview", thinking(thinkingBudget=0), "Budget 0 is invalid"),
    ("gemma-3-27b", {"systemInstruction": text()}, "Developer instruction is not enabled"),
    ("gemini-3.5-flash", config(presencePenalty=0.5), "Penalty is not enabled"),
    ("gemini-3.5-flash", config(candidateCount=2), "Multiple candidates is not enabled"),
    ("gemini-2.0-flash", calling(mode="VALIDATED"), "VALIDATED is not supported"),
    ("gemini-2.5-pro", {"tools": [*tool()["tools"], {"googleSearch": {}}]}, "all search tools"),
    ("gemini-2.5-pro", {"toolConfig": {"includeServerSideToolInvocations": True}}, "not supported for this model"),
    ("gemini-2.5-pro", {**tool(), **config(responseMimeType="application/json")},
     "Function calling with a response mime type: 'application/json' is unsupported"),
    ("gemini-2.5-pro", {"tools": [{"googleSearch": {}}], **config(responseMimeType="application/json")},
     "Tool use with"),
    ("gemini-2.5-pro", response(response={}, parts=[{"inlineData": PNG}]), "not supported for this model"),
]  # fmt: skip


@pytest.mark.parametrize(("family", "changes", "message"), FAMILIES)
def test_refused_by_a_family(family: str, changes: Json, message: str) -> None:
    with pytest.raises(Problem, match=message):
        check(body(changes), family)
    if "all search tools" not in message:
        check(body(changes))


ON_VERTEX: list[tuple[Json, str]] = [
    (said({"parts": [{"text": "x"}]}), "Please use a valid role"),
    ({"toolConfig": {"includeServerSideToolInvocations": True}}, MISSING),
    ({"tools": [{"fileSearch": {}}]}, MISSING),
    ({"store": False}, MISSING),
    (part(toolCall={"id": "1"}), "tool calls of the server"),
]


@pytest.mark.parametrize(("changes", "message"), ON_VERTEX)
def test_refused_by_vertex(changes: Json, message: str) -> None:
    check(body(changes))
    with pytest.raises(Problem, match=message):
        check(body(changes), vertex=True)


def test_accepted_by_vertex_alone() -> None:
    known: tuple[Json, ...] = (
        tool(parameters={"type": "OBJECT", "properties": {"a": {"type": "OBJECT", "additionalProperties": True}}}),
        {"tools": [{"enterpriseWebSearch": {}}], "modelArmorConfig": {}},
        calling(streamFunctionCallArguments=True),
    )
    for changes in known:
        check(body(changes), vertex=True)
        with pytest.raises(Problem):
            check(body(changes))


ACCEPTED: list[tuple[str, Json]] = [
    ("", {}),
    ("", {"contents": {"parts": {"text": "x"}}}),
    ("", {"contents": [{"parts": [{"text": ""}]}], "tools": None, "generationConfig": None}),
    ("", said(text(), text(), text("x", "model"), text("y", "model"), text())),
    ("", said(text(), calls("f", "g"), results("f", "g"), calls("f"), results("f"), text("x", "model"), text())),
    ("", said(text(), calls("f"), {"role": "model", "parts": [{"text": ""}]}, results("f"))),
    ("", said(text(), calls("f"), calls("g"), results("f", "g"))),
    ("", said(text(), calls("f", "g", f="1", g="2"), results("g", "f", f="1", g="2"))),
    ("", said(text(), calls("f", f="1"), results("f"))),
    ("", said(text(), calls("f"))),
    ("", response(response={}, parts=[{"inlineData": PNG}])),
    ("", part(inline_data={"mime_type": "image/png", "data": "_-8"})),
    ("", {"system_instruction": {"role": "system", "parts": [{"text": "x"}]}, "tool_config": {}}),
    ("", config(thinking_config={"thinking_level": "low", "include_thoughts": True}, seed="7", top_k=3.0)),
    ("", tool(parameters={"type": "object", "properties": {
        "a": {"type": "string", "enum": ["x"], "format": "enum", "nullable": True},
        "b": {"type": "ARRAY", "items": {"type": "NUMBER", "format": "float"}, "min_items": "1", "maxItems": 3},
        "c": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}], "nullable": True, "description": "x"},
        "d": {"description": "anything"}, "type": {"type": "STRING"}, "$ref": {"type": "STRING"},
    }, "required": ["a", "$ref"], "propertyOrdering": ["a"]})),
    ("", tool(parametersJsonSchema={"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {}},
                                    "additionalProperties": False})),
    ("", tool(parameters_json_schema={})),
    ("", tool(name="a.b:c-d_1", behavior="BLOCKING", response={"type": "STRING"})),
    ("", calling(mode="any", allowed_function_names=["f"])),
    ("", calling(mode="VALIDATED", allowedFunctionNames=["f"])),
    ("", {"tools": [*tool()["tools"], {"googleSearch": {}}], "toolConfig": {"includeServerSideToolInvocations": True}}),
    ("", {**tool(), **config(responseMimeType="application/json", responseJsonSchema={"oneOf": [{}]})}),
    ("", config(responseFormat=[{"text": {"mimeType": "application/json", "schema": {}}}])),
    ("", config(presencePenalty=1, candidateCount=8, stopSequences=list("abcde"), temperature=0, topP=1)),
    ("", thinking(thinkingBudget=-1)),
    ("gemini-2.5-pro", thinking(thinkingBudget=128, includeThoughts=True)),
    ("gemini-2.5-flash", thinking(thinkingBudget=0)),
    ("gemini-3.5-flash", thinking(thinkingLevel="MINIMAL")),
    ("gemini-3.5-flash", {**tool(), **config(responseMimeType="application/json")}),
    ("gemini-2.0-flash", {"systemInstruction": text(), **config(frequencyPenalty=1)}),
]  # fmt: skip


@pytest.mark.parametrize(("family", "changes"), ACCEPTED)
def test_accepted(family: str, changes: Json) -> None:
    check(body(changes), family)


@pytest.mark.parametrize("value", [[], "x", 3, True])
def test_a_body_must_be_an_object(value: Json) -> None:
    with pytest.raises(Problem):
        check(value)


def test_one_spelling() -> None:
    found = check({
        "contents": [{"parts": {"inline_data": {"mime_type": "image/png", "data": "AA=="}}}],
        "tools": [{"function_declarations": [{"name": "f", "parameters": {"type": "object", "properties": {
            "snake_case": {"type": "array", "items": {"type": "string"}, "min_items": "2"}}}}]}],
        "tool_config": {"function_calling_config": {"mode": "any"}},
    })  # fmt: skip
    assert found == {
        "contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {
            "snake_case": {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": 2}}}}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    }  # fmt: skip
