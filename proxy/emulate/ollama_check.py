"""What Ollama's chat reads and refuses, and what its models can (ollama-chat §2–§4, §7, 2026-11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proxy.emulate.metaschema import is_schema
from proxy.emulate.ollama_rules import (
    Kind,
    Problem,
    anything,
    arguments,
    array,
    boolean,
    duration,
    image,
    integer,
    mapping,
    property_type,
    struct,
    text,
)

Json = Any

LEVELS = ("low", "medium", "high", "max")


@dataclass(frozen=True, slots=True)
class Family:
    """What a model can. `thinks`: never, when asked to, by default, or always with a `level`. `whole` schemas: the
    server's own struct keeps less of a tool's schema, which only the nameless family hides."""

    tools: bool = True
    thinks: str = "asked"
    whole: bool = False


FAMILIES: dict[str, Family] = {
    "": Family(whole=True),
    "llama": Family(thinks="never"),
    "llama2": Family(tools=False, thinks="never"),
    "gemma": Family(tools=False, thinks="never"),
    "gemma3n": Family(tools=False, thinks="never"),
    "gemma4": Family(thinks="default"),
    "phi": Family(tools=False, thinks="never"),
    "mistral": Family(thinks="never"),
    "qwen2": Family(thinks="never"),
    "qwen3": Family(thinks="default"),
    "qwen3-coder": Family(thinks="never"),
    "deepseek": Family(thinks="default"),
    "magistral": Family(thinks="default"),
    "glm": Family(thinks="default"),
    "kimi": Family(thinks="default"),
    "gpt-oss": Family(thinks="level"),
}


def family(name: str) -> Family:
    """The rules of a model name; an unlisted one can all."""
    found = [start for start in FAMILIES if name.startswith(start)]
    best = max(found, key=len)
    return FAMILIES[best] if best or not name else Family()


# the shapes


def _property(value: Json, path: str) -> Json:
    return PROPERTY(value, path)


PROPERTY: Kind = struct(
    {
        "anyOf": array(_property, "api.ToolProperty"),
        "type": property_type,
        "items": anything,
        "description": text,
        "enum": array(anything, "interface {}"),
        "properties": mapping(_property, "api.ToolProperty"),
        "required": array(text, "string"),
    },
    "api.ToolProperty",
)
PARAMETERS: Kind = struct(
    {
        "type": text,
        "$defs": anything,
        "items": anything,
        "required": array(text, "string"),
        "properties": mapping(PROPERTY, "api.ToolProperty"),
    },
    "api.ToolFunctionParameters",
)
CALL: Kind = struct(
    {"id": text, "function": struct({"index": integer, "name": text, "arguments": arguments}, "api.ToolCallFunction")},
    "api.ToolCall",
)
MESSAGE: Kind = struct(
    {
        "role": text,
        "content": text,
        "thinking": text,
        "images": array(image, "api.ImageData"),
        "tool_calls": array(CALL, "api.ToolCall"),
        "tool_name": text,
        "tool_call_id": text,
    },
    "api.Message",
)
TOOL: Kind = struct(
    {
        "type": text,
        "items": anything,
        "function": struct({"name": text, "description": text, "parameters": PARAMETERS}, "api.ToolFunction"),
    },
    "api.Tool",
)


def _think(value: Json, path: str) -> Json:
    if isinstance(value, bool) or value in LEVELS:
        return value
    shown = f'"{value}"' if isinstance(value, str) else str(value)
    raise Problem(f'invalid think value: {shown} (must be "high", "medium", "low", "max", true, or false)')


def _format(value: Json, path: str) -> Json:
    if value in ("", "json") or (isinstance(value, dict) and is_schema(value)):
        return value
    shown = f'"{value}"' if isinstance(value, str) else value
    raise Problem(f'invalid format: {shown}; expected "json" or a valid JSON Schema object')


REQUEST: Kind = struct(
    {
        "model": text,
        "messages": array(MESSAGE, "api.Message"),
        "stream": boolean,
        "format": _format,
        "keep_alive": duration,
        "tools": array(TOOL, "api.Tool"),
        "options": mapping(anything, "interface {}"),
        "think": _think,
        "truncate": boolean,
        "shift": boolean,
        "logprobs": boolean,
        "top_logprobs": integer,
    },
    "ChatRequest",
)

_INTEGERS = (
    "num_ctx", "num_predict", "num_keep", "num_gpu", "num_thread", "num_batch", "main_gpu", "seed", "top_k",
    "repeat_last_n",
)  # fmt: skip
_NUMBERS = (
    "temperature", "top_p", "min_p", "typical_p", "repeat_penalty", "presence_penalty", "frequency_penalty",
)  # fmt: skip


def read_request(body: Json) -> Json:
    """The request under its known names. Raises Problem for what the server cannot read."""
    found = REQUEST(body, "ChatRequest")
    if not found.get("model"):
        raise Problem("model is required")
    if not 0 <= found.get("top_logprobs", 0) <= 20:
        raise Problem("top_logprobs must be between 0 and 20")
    found["options"] = {name: value for name, value in found.get("options", {}).items() if value is not None}
    for name, value in found["options"].items():
        _check_option(name, value)
    found["messages"] = [_message(message or {}) for message in found.get("messages", [])]
    found["tools"] = [tool for tool in found.get("tools", []) if tool]
    return found


def _message(message: Json) -> Json:
    return {**message, "role": message.get("role", "").lower(), "content": message.get("content", "")}


def _check_option(name: str, value: Json) -> None:
    """Known options have a type, unknown ones are ignored."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in _INTEGERS and not number:
        raise Problem(f'option "{name}" must be of type integer')
    if name in _NUMBERS and not number:
        raise Problem(f'option "{name}" must be of type float32')
    if name == "stop" and not isinstance(value, list):
        raise Problem('option "stop" must be of type array')
    if name == "stop" and not all(isinstance(word, str) for word in value):
        raise Problem('option "stop" must be of an array of strings')


def check_model(request: Json, name: str) -> None:
    """Raises Problem for what the model cannot do."""
    model, shown = family(name), request["model"]
    if request["tools"] and not model.tools:
        raise Problem(f"registry.ollama.ai/library/{shown}:latest does not support tools")
    if request.get("think") and model.thinks == "never":
        raise Problem(f'"{shown}" does not support thinking')


def thinks(request: Json, name: str) -> bool:
    """Whether the answer thinks."""
    match family(name).thinks:
        case "never":
            return False
        case "level":
            return True
        case "default":
            return request.get("think") is not False
    return bool(request.get("think"))
