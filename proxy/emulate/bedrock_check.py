"""What Converse refuses beside messages: fields, tools, choice, native fields, output, cache points.

bedrock-converse §2, §4, §7, §8 (2026-11).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from proxy.emulate.anthropic_schemas import PROPERTY_KEY
from proxy.emulate.bedrock_blocks import CACHE_POINT, MESSAGE, SYSTEM, TOOL_NAME, kind
from proxy.emulate.bedrock_families import Family
from proxy.emulate.bedrock_messages import check_messages
from proxy.emulate.bedrock_rules import (
    Problem,
    Rule,
    anything,
    array,
    boolean,
    document,
    fields,
    integer,
    mapping,
    model,
    number,
    one_of,
    record,
    string,
    union,
)
from proxy.emulate.metaschema import is_schema

Json = Any

STRICT_FORBIDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems", "contains",
)  # fmt: skip
REFUSED_BETAS = ("advanced-tool-use", "prompt-caching", "compact-2026-01-12")
MOST_CACHE_POINTS = 4
_LOOKS = re.compile(r"\(\?(?:=|!|<=|<!)|\\\d")


def check(body: Json, rules: Family) -> None:
    """Raises Problem for the first rule that is broken."""
    fields(body, FIELDS, (), "")
    extra = body.get("additionalModelRequestFields") or {}
    _check_extra(extra, rules)
    check_messages(body.get("messages") or [], rules, extra.get("thinking"))
    _check_tools(body, rules)
    _check_choice(body, rules, extra)
    _check_thinking(body, rules, extra)
    _check_output(body, rules)
    _check_cache(body, rules)


# tools


def specs(body: Json) -> list[Json]:
    """The tools that a client offers."""
    tools = (body.get("toolConfig") or {}).get("tools") or []
    return [tool["toolSpec"] for tool in tools if tool.get("toolSpec")]


def _check_tools(body: Json, rules: Family) -> None:
    kinds = [kind(block) for message in body["messages"] for block in message["content"]]
    if not body.get("toolConfig") and {"toolUse", "toolResult"} & set(kinds):
        raise Problem("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
    names = [spec["name"] for spec in specs(body)]
    if len(set(names)) < len(names):
        raise Problem("The toolConfig field contains duplicate tool names.")
    for index, tool in enumerate((body.get("toolConfig") or {}).get("tools") or []):
        path = f"toolConfig.tools.{index}"
        if tool.get("systemTool") and rules.name not in ("", "nova"):
            raise Problem(f"This model doesn't support system tools. Remove {path}.systemTool and try again.")
        if spec := tool.get("toolSpec"):
            _check_spec(spec, f"{path}.toolSpec", rules)


def _check_spec(spec: Json, path: str, rules: Family) -> None:
    schema, at = spec["inputSchema"]["json"], f"{path}.inputSchema.json"
    if schema.get("type") != "object":
        raise Problem(f"The value at {at}.type must be one of the following: object.")
    if not is_schema(schema):
        raise Problem(f"The value at {at} is not a valid JSON schema.")
    if rules.name in ("", "claude"):
        if any(keyword in schema for keyword in ("oneOf", "anyOf", "allOf")):
            raise model("tools.0.custom.input_schema: does not support oneOf, allOf, or anyOf at the top level")
        if not all(re.fullmatch(PROPERTY_KEY, key) for key in schema.get("properties", {})):
            raise model(f"tools.0.custom.input_schema.properties: Property keys should match pattern '{PROPERTY_KEY}'")
    if spec.get("strict"):
        if not rules.strict:
            raise Problem(f"This model doesn't support the {path}.strict field. Remove it and try again.")
        check_strict(schema, at)


def check_strict(schema: Json, path: str) -> None:
    """The subset of strict tools and output schemas."""
    for node in _nodes(schema):
        is_object = node.get("type") == "object" or "properties" in node
        if is_object and node.get("additionalProperties") is not False:
            raise model(f"{path}: For 'object' type, 'additionalProperties' must be explicitly set to false")
        for keyword in STRICT_FORBIDS:
            if keyword in node:
                raise model(f"{path}: property '{keyword}' is not supported")
        if node.get("minItems", 0) > 1:
            raise model(f"{path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported")
        if _LOOKS.search(str(node.get("pattern", ""))):
            raise model(f"{path}: 'pattern' uses lookaround or backreferences")


def _nodes(schema: Json) -> Iterator[Json]:
    if not isinstance(schema, dict):
        return
    yield schema
    inner = [*(schema.get("properties") or {}).values(), *(schema.get("$defs") or {}).values(), schema.get("items")]
    inner += [node for key in ("anyOf", "oneOf", "allOf", "prefixItems") for node in schema.get(key) or ()]
    for node in inner:
        yield from _nodes(node)


def _check_choice(body: Json, rules: Family, extra: Json) -> None:
    choice = (body.get("toolConfig") or {}).get("toolChoice")
    if choice is None:
        return
    name = kind(choice)
    if not rules.choice:
        text = f"This model doesn't support the toolConfig.toolChoice.{name} field. Remove toolConfig.toolChoice.{name}"
        raise Problem(f"{text} and try again.")
    if name == "tool" and choice["tool"]["name"] not in [spec["name"] for spec in specs(body)]:
        raise Problem(f"The tool {choice['tool']['name']} in toolConfig.toolChoice is not defined in toolConfig.tools.")
    if "tool_choice" in extra:
        raise Problem("The additional field tool_choice conflicts with an existing field. Remove it and try again.")
    if name != "auto" and (extra.get("thinking") or {}).get("type") == "enabled":
        raise model("Thinking may not be enabled when tool_choice forces tool use.")
    if name != "auto" and rules.claude and not rules.claude.forcing:
        raise model("tool_choice: forcing tool use is not supported on this model")


# native fields


def _check_extra(extra: Json, rules: Family) -> None:
    for name in extra:
        if rules.known is not None and name not in rules.known:
            text = f"Malformed input request: #: extraneous key [{name}] is not permitted, please reformat your input"
            raise Problem(f"{text} and try again.")
    betas = extra.get("anthropic_beta", [])
    if not isinstance(betas, list) or not all(isinstance(beta, str) for beta in betas):
        raise model("anthropic_beta: Input should be a valid list")
    for beta in betas:
        if beta.startswith(REFUSED_BETAS):
            raise Problem("invalid beta flag")
    for name in ("thinking", "output_config"):
        if not isinstance(extra.get(name) or {}, dict):
            raise model(f"{name}: Input should be a valid dictionary")
    choice = extra.get("tool_choice")
    if choice is not None and (not isinstance(choice, dict) or choice.get("type") not in CHOICES):
        raise model("tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'")


CHOICES = ("auto", "any", "tool", "none")


def _check_thinking(body: Json, rules: Family, extra: Json) -> None:
    """What a Claude model says to thinking, effort and sampling."""
    thinking, claude = extra.get("thinking") or {}, rules.claude
    budget = thinking.get("budget_tokens")
    config = body.get("inferenceConfig") or {}
    if thinking.get("type") == "enabled":
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1024:
            raise model("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
        if budget >= config.get("maxTokens", 128_000):
            raise model("`max_tokens` must be greater than `thinking.budget_tokens`.")
        if config.get("temperature", 1) != 1:
            raise model("`temperature` may only be set to 1 when thinking is enabled.")
    if claude is None:
        return
    if thinking.get("type") is not None and thinking["type"] not in claude.modes:
        raise model(f"thinking.type: '{thinking['type']}' is not supported on this model.")
    effort = (extra.get("output_config") or {}).get("effort")
    if effort is not None and effort not in claude.efforts:
        raise model(f"output_config.effort: '{effort}' is not supported on this model")
    for name in ("temperature", "topP"):
        if claude.sampling == "none" and name in config:
            raise model(f"`{name}` is deprecated for this model.")
    if claude.sampling == "one" and {"temperature", "topP"} <= config.keys():
        raise model("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")


# output and cache


def output_schema(body: Json) -> Json:
    """The schema of a structured answer, None if there is none."""
    wanted = (body.get("outputConfig") or {}).get("textFormat") or {}
    return json.loads(wanted["structure"]["jsonSchema"]["schema"]) if wanted else None


def _check_output(body: Json, rules: Family) -> None:
    if not (body.get("outputConfig") or {}).get("textFormat"):
        return
    if not rules.strict:
        raise Problem("This model doesn't support the outputConfig.textFormat field. Remove it and try again.")
    try:
        schema = output_schema(body)
    except ValueError:
        schema = None
    if not isinstance(schema, dict) or not is_schema(schema):
        raise Problem("outputConfig.textFormat.structure.jsonSchema.schema must be a JSON schema as a text.")
    check_strict(schema, "output_config.format.schema")


def cache_points(body: Json) -> Iterator[tuple[str, Json]]:
    """Every cache point with the place it stands in, in prompt order."""
    for index, tool in enumerate((body.get("toolConfig") or {}).get("tools") or []):
        yield from _points(tool, f"tools.{index}")
    for index, block in enumerate(body.get("system") or []):
        yield from _points(block, f"system.{index}")
    for index, message in enumerate(body["messages"]):
        for at, block in enumerate(message["content"]):
            yield from _points(block, f"messages.{index}.content.{at}")


def _points(block: Json, path: str) -> Iterator[tuple[str, Json]]:
    if block.get("cachePoint"):
        yield path, block["cachePoint"]


def _check_cache(body: Json, rules: Family) -> None:
    found = list(cache_points(body))
    if len(found) > MOST_CACHE_POINTS:
        raise model(f"A maximum of 4 blocks with cache_control may be provided. Found {len(found)}.")
    for path, point in found:
        if point.get("ttl", "5m") not in rules.cache:
            text = "You invoked an unsupported model or your request did not allow prompt caching."
            raise Problem(f"{text} See the documentation for more information.")
        if path.endswith(".0"):
            raise Problem(f"The cachePoint at {path} must follow the content that it caches.")


# the table of fields


def _strings(value: Json, path: str) -> None:
    mapping(value, path)
    array(string(), 1, 16)(list(value.values()), path)


_SCHEMA: Rule = record({"schema": string(1), "name": string(), "description": string()}, "schema")
_SPEC: Rule = record(
    {
        "name": TOOL_NAME,
        "description": string(1),
        "inputSchema": union("ToolInputSchema", {"json": document}),
        "strict": boolean,
    },
    "name", "inputSchema",
)  # fmt: skip
_TOOL: Rule = union("Tool", {"toolSpec": _SPEC, "systemTool": record({"name": TOOL_NAME}, "name"),
                             "cachePoint": CACHE_POINT})  # fmt: skip
_CHOICE: Rule = union(
    "ToolChoice", {"auto": record({}), "any": record({}), "tool": record({"name": TOOL_NAME}, "name")}
)
_TEXT_FORMAT: Rule = record(
    {"type": one_of("json_schema"), "structure": union("OutputFormatStructure", {"jsonSchema": _SCHEMA})},
    "type", "structure",
)  # fmt: skip

FIELDS: dict[str, Rule] = {
    "messages": array(MESSAGE),
    "system": SYSTEM,
    "inferenceConfig": record(
        {
            "maxTokens": integer(1),
            "temperature": number(0, 1),
            "topP": number(0, 1),
            "stopSequences": array(string(1), 0, 2500),
        }
    ),
    "toolConfig": record({"tools": array(_TOOL, 1), "toolChoice": _CHOICE}, "tools"),
    "guardrailConfig": mapping,
    "additionalModelRequestFields": document,
    "promptVariables": mapping,
    "additionalModelResponseFieldPaths": array(string(1, 256, r"/.*"), 0, 10),
    "requestMetadata": _strings,
    "performanceConfig": record({"latency": one_of("standard", "optimized")}),
    "serviceTier": record({"type": one_of("priority", "default", "flex", "reserved")}, "type"),
    "outputConfig": record({"textFormat": _TEXT_FORMAT, "effort": one_of("low", "medium", "high", "xhigh", "max")}),
    "projectIdentifier": anything,
}
