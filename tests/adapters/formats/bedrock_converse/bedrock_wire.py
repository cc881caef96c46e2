"""Event-stream messages, and Botocore's own reading of requests."""

import base64
import json
import struct
import zlib

import botocore.session
from botocore.validate import ParamValidator

from adapters.model import Message, Text, Tool, ToolCall, ToolResult

MODEL = botocore.session.get_session().get_service_model("bedrock-runtime")

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
EMPTY = {"type": "object", "properties": {}}
WEATHER = Tool("get_weather", "Weather in a city.", CITY)
NOW = Tool("now", "The time.", EMPTY)
WIRED = {"toolSpec": {"name": "get_weather", "description": "Weather in a city.", "inputSchema": {"json": CITY}}}
WIRED_NOW = {"toolSpec": {"name": "now", "description": "The time.", "inputSchema": {"json": EMPTY}}}

SONNET = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
OPUS = "global.anthropic.claude-opus-4-8-v1:0"


def user(*parts):
    return Message("user", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def model(*parts):
    return Message("assistant", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def call(id="c1", name="get_weather", arguments='{"city":"Ulm"}', **more):
    return ToolCall(id, name, arguments, **more)


def results(*parts):
    return Message("tool", tuple(parts))


def result(id="c1", content="rain", **more):
    return ToolResult(id, (Text(content),) if isinstance(content, str) else tuple(content), **more)


# --- event streams -----------------------------------------------------------------------------------------------


def header(name, value):
    raw = value.encode()
    return bytes([len(name)]) + name.encode() + b"\x07" + struct.pack("!H", len(raw)) + raw


def message(headers, payload):
    packed = b"".join(header(name, value) for name, value in headers.items())
    prelude = struct.pack("!II", 16 + len(packed) + len(payload), len(packed))
    made = prelude + struct.pack("!I", zlib.crc32(prelude)) + packed + payload
    return made + struct.pack("!I", zlib.crc32(made))


def event(name, payload):
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return message(headers, json.dumps({**payload, "p": "abcdefgh"}, ensure_ascii=False).encode())


def exception(name, payload):
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, json.dumps(payload).encode())


def start():
    return "messageStart", {"role": "assistant"}


def delta(index, **what):
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": what}


def begin(index, **what):
    return "contentBlockStart", {"contentBlockIndex": index, "start": what}


def stop(index):
    return "contentBlockStop", {"contentBlockIndex": index}


def end(reason="end_turn", **more):
    return "messageStop", {"stopReason": reason, **more}


def metadata(**usage):
    return "metadata", {"usage": usage, "metrics": {"latencyMs": 9}}


def stream(*events):
    return b"".join(event(*one) for one in events)


# --- requests ----------------------------------------------------------------------------------------------------


def check(body, model_id="m", operation="Converse"):
    """Fails where Botocore would not send the body, or the service model bounds a text."""
    params = {**_decoded(body), "modelId": model_id}
    shape = MODEL.operation_model(operation).input_shape
    report = ParamValidator().validate(params, shape)
    assert not report.has_errors(), report.generate_report()


def _decoded(value, key=""):
    """The JSON as parameters: blobs as bytes."""
    if isinstance(value, dict):
        return {name: _decoded(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_decoded(inner, key) for inner in value]
    return base64.b64decode(value, validate=True) if key in ("bytes", "redactedContent") else value
