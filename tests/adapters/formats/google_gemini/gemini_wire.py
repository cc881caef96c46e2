"""Chunks and requests of the Gemini API as data, and helpers that feed them in pieces."""

from adapters import json
from adapters.errors import Malformed
from adapters.format import Reading, Upstream
from adapters.formats.google_gemini import API
from adapters.formats.google_gemini.stream import Decoder
from adapters.model import Message, Request, Text, Tool, ToolCall, ToolResult

READING = Reading("gemini-2.5-flash", origin="gemini/gemini-2", stream=True)

FLASH = Upstream("gemini-2.5-flash", origin="gemini/gemini-2")
THREE = Upstream("gemini-3-pro-preview", origin="gemini/gemini-3")
VERTEX = Upstream("gemini-3-pro-preview", origin="vertex/gemini-3",
                  compat={"vertex": True, "vertex_project": "p1", "vertex_location": "us-east1"})

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = Tool("get_weather", "Weather in a city.", CITY)
NOW = Tool("now", "The time.", {"type": "object", "properties": {}})


def user(*parts):
    return Message("user", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def model(*parts):
    return Message("assistant", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def call(id="c1", name="get_weather", arguments='{"city":"Ulm"}', **more):
    return ToolCall(id, name, arguments, **more)


def results(*parts):
    return Message("tool", tuple(parts))


def result(id="c1", text="rain", **more):
    return ToolResult(id, (Text(text),) if isinstance(text, str) else tuple(text), **more)


def ask(*messages, **more):
    return Request("m", messages or (user("go"),), dialect=more.pop("dialect", "chat"), **more)


def sent(request, upstream=FLASH):
    """The body of a request, and its warnings."""
    made = API.encode(request, upstream)
    return json.loads(made.body), made.warnings


def body(request, upstream=FLASH):
    return sent(request, upstream)[0]


# --- answers -----------------------------------------------------------------------------------------------------


def candidate(*parts, finish=None, index=0, **more):
    made = {"content": {"parts": list(parts), "role": "model"}, "index": index, **more}
    return made if finish is None else {**made, "finishReason": finish}


def chunk(*candidates, usage=None, **more):
    made = {"candidates": list(candidates), "modelVersion": "gemini-2.5-flash", "responseId": "resp-1", **more}
    return made if usage is None else {**made, "usageMetadata": usage}


def frame(data):
    return b"data: " + json.dumps(data) + b"\r\n\r\n"


def read(pieces, reading=READING):
    """All events of a stream that comes in these pieces."""
    decoder = Decoder(reading)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.close()


def broken(pieces, reading=READING):
    """The events before a stream is found to be broken, None where it is not."""
    decoder = Decoder(reading)
    events = []
    try:
        for piece in pieces:
            events += decoder.feed(piece)
        decoder.close()
    except Malformed:
        return events
    return None


def by_bytes(data):
    return [data[i : i + 1] for i in range(len(data))]
