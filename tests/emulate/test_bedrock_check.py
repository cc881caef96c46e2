"""Every rule of Converse, with a request that breaks it and what the service says; requests as tasks; nonsense."""

import json
from typing import Any

import pytest

from proxy.emulate.agent import Result, Task, Tool
from proxy.emulate.api import Received, Refused
from proxy.emulate.bedrock_converse import API
from proxy.emulate.bedrock_families import family
from proxy.emulate.bedrock_messages import sign
from tests.emulate.breaking import broken
from tests.emulate.turns import turn_of

Json = Any
EMPTY: Json = {"type": "object", "properties": {}}
CLOSED: Json = {**EMPTY, "additionalProperties": False}
TEXT = {"text": "hi"}
PNG = {"image": {"format": "png", "source": {"bytes": "AAAA"}}}
PDF = {"document": {"format": "pdf", "name": "a b", "source": {"bytes": "AAAA"}}}
POINT: Json = {"cachePoint": {"type": "default"}}
SIGNED = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": sign("hm")}}}
UNSIGNED = {"reasoningContent": {"reasoningText": {"text": "hm"}}}


def user(*content: Json) -> Json:
    return {"role": "user", "content": list(content)}


def said(*content: Json) -> Json:
    return {"role": "assistant", "content": list(content)}


def use(identifier: str = "t1", **more: Json) -> Json:
    return {"toolUse": {"toolUseId": identifier, "name": "f", "input": {}, **more}}


def result(identifier: str = "t1", *content: Json, **more: Json) -> Json:
    return {"toolResult": {"toolUseId": identifier, "content": list(content) or [{"text": "ok"}], **more}}


def tool(name: str = "f", schema: Json = EMPTY, **more: Json) -> Json:
    return {"toolSpec": {"name": name, "inputSchema": {"json": schema}, **more}}


def tools(*entries: Json, **more: Json) -> Json:
    return {"toolConfig": {"tools": list(entries), **more}}


def talk(*messages: Json) -> Json:
    """A conversation whose tool is offered."""
    return {"messages": list(messages), **tools(tool())}


def extra(**members: Json) -> Json:
    return {"additionalModelRequestFields": members}


def config(**members: Json) -> Json:
    return {"inferenceConfig": members}


def output(schema: Json) -> Json:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    structure = {"jsonSchema": {"schema": text}}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}


def asked(changes: Json, model: str = "agent", operation: str = "converse") -> Received:
    merged = {"messages": [user(TEXT)], **changes}
    body = {name: value for name, value in merged.items() if value is not ...}
    path = f"/model/{model}/{operation}"
    return Received("bedrock-converse", "POST", path, {}, {"model": model}, {}, b"", body)


def document(**more: Json) -> Json:
    return {"messages": [user(TEXT, {"document": {**PDF["document"], **more}})]}


REFUSED: list[tuple[str, Json, str]] = [
    # shapes
    ("unknown field", {"max_tokens": 3}, "Malformed input request: #: extraneous key [max_tokens] is not permitted"),
    ("unknown in config", config(topK=1), "#/inferenceConfig: extraneous key [topK] is not permitted"),
    ("model in the body", {"modelId": "x"}, "extraneous key [modelId]"),
    ("messages text", {"messages": "hi"}, "Unexpected value at 'messages': expected an array"),
    ("content text", {"messages": [{"role": "user", "content": "hi"}]}, "'messages.0.content': expected an array"),
    ("no role", {"messages": [{"content": [TEXT]}]},
     "'messages.0.role' failed to satisfy constraint: Member must not be"),
    ("role", {"messages": [{"role": "tool", "content": [TEXT]}]}, "enum value set: [user, assistant, system]"),
    ("two members", {"messages": [user({**TEXT, **PNG})]},
     "The ContentBlock object at messages.0.content.0 must set one"),
    ("unknown block", {"messages": [user({"type": "text", "text": "x"})]},
     "must set one of the following keys: text, im"),
    ("no member", {"messages": [user({})]}, "must set one of the following keys"),
    ("max tokens", config(maxTokens=0),
     "'inferenceConfig.maxTokens' failed to satisfy constraint: Member must have val"),
    ("temperature", config(temperature=1.1), "Member must have value less than or equal to 1"),
    ("top p", config(topP=-0.1), "Member must have value greater than or equal to 0"),
    ("empty stop", config(stopSequences=[""]), "'inferenceConfig.stopSequences.0' failed"),
    ("2501 stops", config(stopSequences=["x"] * 2501), "Member must have length less than or equal to 2500"),
    ("metadata", {"requestMetadata": {}}, "Member must have length greater than or equal to 1"),
    ("metadata value", {"requestMetadata": {"a": 1}}, "expected a string"),
    ("tier", {"serviceTier": {"type": "auto"}}, "enum value set: [priority, default, flex, reserved]"),
    ("latency", {"performanceConfig": {"latency": "fast"}}, "enum value set: [standard, optimized]"),
    ("pointer", {"additionalModelResponseFieldPaths": ["stop"]}, "regular expression pattern: /.*"),
    ("11 pointers", {"additionalModelResponseFieldPaths": ["/x"] * 11}, "less than or equal to 10"),
    ("system text", {"system": "x"}, "'system': expected an array"),
    ("empty system", {"system": [{"text": ""}]},
     "'system.0.text' failed to satisfy constraint: Member must have length"),
    # messages
    ("no messages", {"messages": []}, "A conversation must start with a user message"),
    ("no messages at all", {"messages": ...}, "A conversation must start with a user message"),
    ("only system", {"messages": [{"role": "system", "content": [TEXT]}]}, "must start with a user message"),
    ("empty content", {"messages": [user()]}, "The content field in the Message object at messages.0 is empty"),
    ("blank text", {"messages": [user({"text": " \n"})]},
     "The text field in the ContentBlock object at messages.0.content.0 is blank."),
    ("empty text", {"messages": [user(TEXT, {"text": ""})]}, "at messages.0.content.1 is blank"),
    ("trailing space", {"messages": [user(TEXT), said({"text": "so "})]}, "cannot end with trailing whitespace"),
    ("call of the user", talk(user(TEXT, use())),
     "The toolUse field in the ContentBlock object at messages.0.content.1"),
    ("result of the assistant", talk(user(TEXT), said(result())), "is not allowed for the role assistant"),
    ("image of the assistant", talk(user(TEXT), said(PNG), user(TEXT)), "is not allowed for the role assistant"),
    ("document of the assistant", talk(user(TEXT), said(TEXT, PDF), user(TEXT)), "not allowed for the role assistant"),
    ("image format", {"messages": [user({"image": {**PNG["image"], "format": "bmp"}})]}, "[png, jpeg, gif, webp]"),
    ("image url", {"messages": [user({"image": {"format": "png", "source": {"url": "https://x"}}})]},
     "The ImageSource object at messages.0.content.0.image.source must set one of"),
    ("image data", {"messages": [user({"image": {"format": "png", "source": {"bytes": "%"}}})]}, "a base64 text"),
    ("21 images", {"messages": [user(*[PNG] * 21)]}, "at most 20 images and 5 documents"),
    ("6 documents", {"messages": [user(TEXT, *[PDF] * 6)]}, "at most 20 images and 5 documents"),
    ("document alone", {"messages": [user(PDF)]}, "A text block must be included with a document"),
    ("same names", {"messages": [user(TEXT, PDF, PDF)]},
     "can't contain duplicate document names. Document names: [a b]"),
    *((f"document name {name!r}", document(name=name), "document.name' failed to satisfy constraint")
      for name in ("a.pdf", "a  b", "", "a/b", "x" * 201, "größe")),
    ("document format", document(format="rtf"), "enum value set: [pdf, csv"),
    # calls and results
    ("missing result", talk(user(TEXT), said(use()), user(TEXT)),
     "Expected toolResult blocks at messages.2.content for the following Ids: t1"),
    ("one of two", talk(user(TEXT), said(use("a"), use("b")), user(result("a"))), "for the following Ids: b"),
    ("call at the end", talk(user(TEXT), said(use())), "Expected toolResult blocks at messages.2.content"),
    ("unknown result", talk(user(TEXT), said(use()), user(result(), result("t2"))),
     "exceeds the number of toolUse blocks"),
    ("result first", talk(user(result())), "The number of toolResult blocks at messages.0.content exceeds"),
    ("two results", talk(user(TEXT), said(use()), user(result(), result())), "contain duplicate Ids: t1"),
    ("same call ids", talk(user(TEXT), said(use(), use()), user(result())), "The toolUse blocks at messages.1.content"),
    ("call id", talk(user(TEXT), said(use("a b")), user(result("a b"))), "pattern: [a-zA-Z0-9_.:-]+"),
    ("long id", talk(user(TEXT), said(use("a" * 65)), user(result("a" * 65))), "less than or equal to 64"),
    ("call name", talk(user(TEXT), said(use(name="a.b")), user(result())), "pattern: [a-zA-Z0-9_-]+"),
    ("input text", talk(user(TEXT), said(use(input="{}")), user(result())),
     "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object"),
    ("input list", talk(user(TEXT), said(use(input=[])), user(result())), "toolUse.input is invalid"),
    ("empty result", talk(user(TEXT), said(use()), user({"toolResult": {"toolUseId": "t1", "content": []}})),
     "toolResult.content' failed to satisfy constraint: Member must have length greater"),
    ("blank result", talk(user(TEXT), said(use()), user(result("t1", {"text": ""}))), "is blank"),
    ("result list", talk(user(TEXT), said(use()), user(result("t1", {"json": [1]}))),
     "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid"),
    ("status", talk(user(TEXT), said(use()), user(result(status="failed"))), "enum value set: [success, error]"),
    ("no tools", {"messages": [user(TEXT), said(use()), user(result())]},
     "The toolConfig field must be defined when using toolUse and toolResult content blocks."),
    # reasoning
    ("no signature", talk(user(TEXT), said(UNSIGNED, TEXT), user(TEXT)),
     "The model returned the following errors: messages.1.content.0.thinking.signature: Field required"),
    ("empty signature", talk(user(TEXT), said({"reasoningContent": {"reasoningText": {"text": "x", "signature": ""}}},
                                              TEXT), user(TEXT)), "Field required"),
    ("changed", talk(user(TEXT), said({"reasoningContent": {"reasoningText": {"text": "x", "signature": sign("y")}}},
     TEXT),
                     user(TEXT)), "Invalid `signature` in `thinking` block"),
    ("redacted", talk(user(TEXT), said({"reasoningContent": {"redactedContent": "AAAA"}}, TEXT), user(TEXT)),
     "Invalid `data` in `redacted_thinking` block"),
    ("missing", {**talk(user(TEXT), said(use()), user(result())),
                 **extra(thinking={"type": "enabled", "budget_tokens": 1024})},
     "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`"),
    # tools
    ("empty tools", tools(), "'toolConfig.tools' failed to satisfy constraint: Member must have length greater"),
    *((f"name {name!r}", tools(tool(name)), "toolSpec.name' failed to satisfy constraint")
      for name in ("a.b", "", "a" * 65, "a b")),
    ("empty description", tools(tool(description="")), "toolSpec.description' failed to satisfy constraint"),
    ("no schema", {"toolConfig": {"tools": [{"toolSpec": {"name": "f"}}]}},
     "inputSchema' failed to satisfy constraint"),
    ("schema text", tools(tool(schema="{}")), "inputSchema.json is invalid. Provide a json object"),
    ("no type", tools(tool(schema={})), "inputSchema.json.type must be one of the following: object."),
    ("root type", tools(tool(schema={"type": "array"})), "must be one of the following: object"),
    ("invalid schema", tools(tool(schema={"type": "object", "properties": []})), "is not a valid JSON schema"),
    ("root union", tools(tool(schema={**EMPTY, "anyOf": [{}]})), "oneOf, allOf, or anyOf at the top level"),
    ("property key", tools(tool(schema={"type": "object", "properties": {"a b": {}}})), "Property keys should match"),
    ("duplicate names", tools(tool(), tool()), "duplicate tool names"),
    ("strict open", tools(tool(strict=True)), "'additionalProperties' must be explicitly set to false"),
    ("strict bound", tools(tool(schema={**CLOSED, "properties": {"a": {"maximum": 1}}}, strict=True)), "'maximum'"),
    ("strict items", tools(tool(schema={**CLOSED, "properties": {"a": {"minItems": 2}}}, strict=True)), "'minItems'"),
    ("strict pattern", tools(tool(schema={**CLOSED, "properties": {"a": {"pattern": "(?=x)"}}}, strict=True)), "looka"),
    ("choice none", tools(tool(), toolChoice={"none": {}}),
     "The ToolChoice object at toolConfig.toolChoice must set one"),
    ("choice unknown", tools(tool(), toolChoice={"tool": {"name": "g"}}), "g in toolConfig.toolChoice is not defined"),
    ("choice twice", {**tools(tool(), toolChoice={"auto": {}}), **extra(tool_choice={"type": "none"})}, "conflicts"),
    ("forced thinking", {**tools(tool(), toolChoice={"any": {}}),
                         **extra(thinking={"type": "enabled", "budget_tokens": 1024})}, "Thinking may not be enabled"),
    # native fields
    ("extra text", {"additionalModelRequestFields": "x"}, "Provide a json object for the field"),
    ("beta text", extra(anthropic_beta="x"), "anthropic_beta: Input should be a valid list"),
    *((f"beta {name}", extra(anthropic_beta=[name]), "invalid beta flag")
      for name in ("advanced-tool-use-2025-11-20", "prompt-caching-2024-07-31", "compact-2026-01-12")),
    ("native choice", extra(tool_choice={"type": "required"}), "tool_choice: Input tag"),
    ("thinking text", extra(thinking="x"), "thinking: Input should be a valid dictionary"),
    ("small budget", extra(thinking={"type": "enabled", "budget_tokens": 1000}), "greater than or equal to 1024"),
    ("large budget", {**extra(thinking={"type": "enabled", "budget_tokens": 2000}), **config(maxTokens=2000)},
     "`max_tokens` must be greater than `thinking.budget_tokens`."),
    ("cool thinking", {**extra(thinking={"type": "enabled", "budget_tokens": 2000}), **config(temperature=0.5)},
     "`temperature` may only be set to 1"),
    # output and cache
    ("output object", {"outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {
        "schema": {}}}}}}, "expected a string"),
    ("output text", output("{"), "must be a JSON schema as a text"),
    ("output open", output(EMPTY), "'additionalProperties' must be explicitly set to false"),
    ("output type", {"outputConfig": {"textFormat": {"type": "json"}}}, "enum value set: [json_schema]"),
    ("five points", {"system": [TEXT, POINT, POINT], **tools(tool(), POINT), "messages": [user(TEXT, POINT, POINT)]},
     "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    ("first point", {"messages": [user(POINT, TEXT)]}, "must follow the content that it caches"),
    ("point type", {"system": [TEXT, {"cachePoint": {"type": "ephemeral"}}]}, "enum value set: [default]"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "changes", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, changes: Json, message: str) -> None:
    with pytest.raises(Refused) as caught:
        API.read(asked(changes))
    reply = caught.value.reply
    assert reply.status == 400
    assert message in json.loads(reply.body)["message"]
    code = dict(reply.headers)["x-amzn-errortype"].partition(":")[0]
    assert code == ("SerializationException" if "expected" in message or "base64" in message else "ValidationException")


LOOP = talk(user(TEXT), said(use("AAAAAAAA1")), user(result("AAAAAAAA1")))
BESIDE = talk(user(TEXT), said(use("AAAAAAAA1")), user(result("AAAAAAAA1"), TEXT))
PICTURE = talk(user(TEXT), said(use("AAAAAAAA1")), user(result("AAAAAAAA1", PNG)))

FAMILIES: list[tuple[str, Json, str]] = [
    ("nova-pro", {"messages": [said(TEXT), user(TEXT)]},
     "Try again with a conversation that starts with a user message"),
    ("nova-pro", {"messages": [user(TEXT), said(TEXT)]}, "does not support assistant message prefill"),
    ("nova-pro", {"messages": [user(TEXT), {"role": "system", "content": [TEXT]}, user(TEXT)]}, "[user, assistant]"),
    ("nova-pro", extra(top_k=3), "extraneous key [top_k] is not permitted"),
    ("nova-pro", {"system": [TEXT, {"cachePoint": {"type": "default", "ttl": "1h"}}]}, "did not allow prompt caching"),
    ("nova-pro", tools(tool(schema=CLOSED, strict=True)), "strict field"),
    ("nova-pro", output(CLOSED), "outputConfig.textFormat field"),
    ("nova-pro", {"messages": [user(TEXT), said(SIGNED, TEXT), user(TEXT)]},
     "This model doesn't support the reasoningContent.reasoningText.signature field."),
    ("mistral-large", talk(user(TEXT), said(use()), user(result())), "Tool call id was t1 but must be a-z, A-Z, 0-9"),
    ("mistral-large", BESIDE, "doesn't support the text field beside toolResult blocks"),
    ("mistral-large", PICTURE, "doesn't support the toolResult.content.image field"),
    ("mistral-large", {"messages": [user(TEXT), said(SIGNED, TEXT), user(TEXT)]},
     "support the reasoningContent field"),
    ("mistral-large", {"system": [TEXT, POINT]}, "did not allow prompt caching"),
    ("mistral-large", extra(safe_prompt=True), "extraneous key [safe_prompt]"),
    ("meta.llama3-3-70b", tools(tool(), toolChoice={"any": {}}),
     "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again."),
    ("meta.llama3-3-70b", BESIDE, "beside toolResult blocks"),
    ("cohere.command-r", tools(tool(), toolChoice={"auto": {}}), "toolConfig.toolChoice.auto field"),
    ("writer.palmyra-x5", talk(user(TEXT), said(use()), user(result(status="error"))), "toolResult.status field"),
    ("anthropic.claude-haiku-4-5-v1:0", {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]}},
     "system to"),
    ("anthropic.claude-haiku-4-5-v1:0", extra(guess=1), "extraneous key [guess]"),
    ("claude-opus-4-7", config(temperature=0.5), "`temperature` is deprecated for this model"),
    ("claude-opus-4-7", {"messages": [user(TEXT), said(TEXT)]}, "does not support assistant message prefill"),
    ("claude-opus-4-1", config(temperature=0.5, topP=0.5), "cannot both be specified"),
    ("claude-opus-4-1", extra(thinking={"type": "adaptive"}), "thinking.type: 'adaptive' is not supported"),
    ("claude-sonnet-4-5", extra(output_config={"effort": "low"}), "output_config.effort: 'low' is not supported"),
    ("claude-3-7-sonnet", tools(tool(schema=CLOSED, strict=True)), "strict field"),
    ("claude-mythos-5-1", tools(tool(), toolChoice={"any": {}}), "forcing tool use is not supported"),
    ("claude-sonnet-4-5", talk(user(TEXT), said(use()), user(result(), PDF, TEXT)), "document field beside toolResult"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "message"), FAMILIES)
def test_refused_by_a_family(name: str, changes: Json, message: str) -> None:
    with pytest.raises(Refused) as caught:
        API.read(asked(changes, f"agent-{name}"))
    assert message in json.loads(caught.value.reply.body)["message"]
    API.read(asked(changes))


ACCEPTED: list[tuple[str, Json]] = [
    ("", {"messages": [user(TEXT), user(TEXT), said(TEXT), said(TEXT), user(TEXT)]}),
    ("", {"messages": [said(TEXT), user(TEXT), said(TEXT)]}),
    ("", {"messages": [user(TEXT, PNG, PDF), {"role": "system", "content": [TEXT]}, user(TEXT)]}),
    ("", talk(user(TEXT), said(SIGNED, {"text": "x"}, use("a"), use("b")), user(result("b")), user(result("a"), TEXT))),
    ("", talk(user(TEXT), said(use()), user(result("t1", {"json": {"a": 1}}, PNG, PDF, status="error")))),
    ("", talk(user(TEXT), said({"reasoningContent": {"redactedContent": sign("")}}, TEXT), user(TEXT))),
    ("", talk(user(TEXT), said(use("s", type="server_tool_use"), TEXT), user(TEXT))),
    ("", {"system": [TEXT, POINT], **tools(tool(), POINT), "messages": [user(TEXT, POINT), said(TEXT), user(TEXT)]}),
    ("", {**tools(tool(schema={**CLOSED, "properties": {"a": {"minLength": 2}}}, strict=True)), **config(maxTokens=1)}),
    ("", {**output(CLOSED), "serviceTier": {"type": "flex"}, "performanceConfig": {"latency": "optimized"}}),
    ("", {"inferenceConfig": None, "toolConfig": None, "system": None, "guardrailConfig": {}, "promptVariables": {}}),
    ("", extra(anything=1, anthropic_beta=["interleaved-thinking-2025-05-14"])),
    ("nova-pro", {**LOOP, **extra(inferenceConfig={"topK": 3})}),
    ("nova-pro", {"system": [TEXT, POINT], **BESIDE}),
    ("nova-2-lite", extra(reasoningConfig={"type": "enabled", "maxReasoningEffort": "low"})),
    ("nova-pro", {"messages": [user(TEXT), said(UNSIGNED, TEXT), user(TEXT)]}),
    ("amazon.nova-pro-v1:0", {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]}}),
    ("mistral.mistral-large-2407-v1:0", {**LOOP, **tools(tool(), toolChoice={"any": {}})}),
    ("meta.llama3-3-70b", LOOP),
    ("qwen.qwen3-32b", {"messages": [said(TEXT), user(TEXT)], **extra(reasoning_config="high")}),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", {**PICTURE, **extra(top_k=3), **config(temperature=0.5)}),
    ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-opus-4-1-v1:0", config(topP=0.5)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes"), ACCEPTED)
def test_accepted(name: str, changes: Json) -> None:
    API.read(asked(changes, f"agent-{name}" if name else "agent"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", ""),
        ("claude-opus-4-7", "claude"),
        ("us.anthropic.claude-opus-4-7-v1:0", "claude"),
        ("amazon.nova-pro-v1:0", "nova"),
        ("nova-2-lite", "nova"),
        ("mistral.ministral-3-8b", "mistral"),
        ("openai.gpt-oss-120b-1:0", "gpt-oss"),
        ("openai.gpt-5.6", "gpt"),
        ("llama3.1", "llama"),
        ("unheard-of", "other"),
    ],
)
def test_families(name: str, expected: str) -> None:
    assert family(name).name == expected


OFFERED = (Tool("f", EMPTY), Tool("g", EMPTY))
TWO = (tool(), tool("g"))


@pytest.mark.parametrize(
    ("model", "changes", "expected"),
    [
        ("agent", {}, Task("hi", aloud=True)),
        ("agent", {"messages": [user(TEXT), said(TEXT), user({"text": "a"}), user({"text": "b"}, PNG)]},
         Task("a\nb", aloud=True)),
        ("agent", tools(*TWO), Task("hi", OFFERED, aloud=True)),
        ("agent", tools(*TWO, toolChoice={"auto": {}}), Task("hi", OFFERED, aloud=True)),
        ("agent", tools(*TWO, toolChoice={"any": {}}), Task("hi", OFFERED, "required", aloud=True)),
        ("agent", tools(*TWO, toolChoice={"tool": {"name": "g"}}), Task("hi", OFFERED, "required", ("g",), aloud=True)),
        ("agent", {**tools(*TWO), **extra(tool_choice={"type": "none"})}, Task("hi", OFFERED, "none", aloud=True)),
        ("agent", {**tools(*TWO), **extra(tool_choice={"type": "tool", "name": "g"})},
         Task("hi", OFFERED, "required", ("g",), aloud=True)),
        ("agent", {**tools(*TWO), **extra(tool_choice={"type": "auto", "disable_parallel_tool_use": True})},
         Task("hi", OFFERED, parallel=False, aloud=True)),
        ("agent", {"messages": [user(TEXT), said(use("a"), use("b", name="g")), user(result("b", {"json": {"x": 1}})),
                                user(result("a", {"text": "1"}, {"text": "2"}))], **tools(*TWO)},
         Task("hi", OFFERED, results=(Result("b", "g", '{"x":1}'), Result("a", "f", "1\n2")), rounds=1, aloud=True)),
        ("agent", extra(thinking={"type": "adaptive"}), Task("hi", reasoning=True, aloud=True)),
        ("agent", extra(thinking={"type": "disabled"}), Task("hi", aloud=True)),
        ("agent", extra(reasoning_effort="low"), Task("hi", reasoning=True, aloud=True)),
        ("agent", extra(reasoning={"effort": "none"}), Task("hi", aloud=True)),
        ("agent", {"outputConfig": {"effort": "low"}}, Task("hi", reasoning=True, aloud=True)),
        ("agent-nova-2-lite", extra(reasoningConfig={"type": "enabled", "maxReasoningEffort": "low"}),
         Task("hi", reasoning=True, aloud=True)),
        ("agent-claude-opus-5", {}, Task("hi", reasoning=True, aloud=True)),
        ("agent-mistral-large", {"outputConfig": {"effort": "low"}}, Task("hi", aloud=True)),
        ("agent", config(maxTokens=5, stopSequences=["x"]), Task("hi", stop=("x",), max_tokens=5, aloud=True)),
        ("agent", output(CLOSED), Task("hi", output=CLOSED, aloud=True)),
    ],
)  # fmt: skip
def test_task(model: str, changes: Json, expected: Task) -> None:
    assert API.read(asked(changes, model)).task == expected


def test_what_is_streamed_and_what_is_marked() -> None:
    changes = {"system": [TEXT, POINT], **tools(tool(), POINT), "messages": [user(TEXT), said(TEXT), user(TEXT, POINT)]}
    ask = API.read(asked(changes, operation="converse-stream"))
    assert (ask.stream, ask.marks) == (True, (1, 2, 5))
    assert ask.prompt[0] == json.dumps([tool()], separators=(",", ":"))
    assert API.read(asked({})).marks == ()


BODY: Json = {
    "messages": [
        user(TEXT, PNG, PDF),
        said(SIGNED, {"text": "x"}, use(input={"a": 1})),
        user(result("t1", {"json": {"a": 1}}, {"text": "x"}, status="success"), POINT),
    ],
    "system": [TEXT, POINT],
    **tools(
        tool(schema={
            "type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]}},
            "required": ["a"], "additionalProperties": False, "$defs": {"x": {"type": "array",
             "items": {"enum": ["a"]}}},
        }, description="x", strict=True),
        toolChoice={"tool": {"name": "f"}},
    ),
    **extra(thinking={"type": "adaptive"}, output_config={"effort": "low"}, anthropic_beta=["x"],
            reasoning={"effort": "low"}, reasoningConfig={"maxReasoningEffort": "low"}, reasoning_config="low"),
    **config(maxTokens=99, stopSequences=["x"]), **output(CLOSED),
    "additionalModelResponseFieldPaths": ["/stop_sequence"], "requestMetadata": {"a": "b"},
}  # fmt: skip


@pytest.mark.parametrize("model", ["agent", "agent-claude-opus-4-7", "agent-nova-pro"])
def test_nonsense_is_read_or_refused_but_never_an_error(model: str) -> None:
    read = 0
    for body in broken(BODY if model == "agent" else {**BODY, "additionalModelRequestFields": {}}):
        try:
            turn = turn_of(API, asked(body, model))
            read += 1
        except Refused as refused:
            assert refused.reply.status == 400
            continue
        API.whole(turn)
        API.stream(turn)
    assert read or model == "agent-nova-pro"
    nonsense: list[Json] = [[], "x", 3]
    for value in nonsense:
        with pytest.raises(Refused):
            API.read(Received("", "POST", "", {}, {"model": "agent"}, {}, b"", value))


def test_nonsense_is_counted_or_refused() -> None:
    ((_, _, count),) = API.others
    nonsense: list[Json] = [[], "x", {}, {"input": 3}, {"input": {"converse": []}}, {"input": {"invokeModel": {}}}]
    for body in nonsense:
        received = Received("", "POST", "", {}, {"model": "agent"}, {}, b"", body)
        assert count(received).status == 400
