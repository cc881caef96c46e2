"""Our own instructions stand after the client's, before the conversation."""

from adapters.formats.shared.instructions import instructed, json_only
from adapters.model import Message, OutputFormat, Request, Text

SYSTEM, GO = Message("system", (Text("a"),)), Message("user", (Text("go"),))


def test_place():
    assert instructed(Request("m", (SYSTEM, GO)), "b").messages == (SYSTEM, Message("system", (Text("b"),)), GO)
    assert instructed(Request("m", (GO,)), "b").messages == (Message("system", (Text("b"),)), GO)


def test_json():
    words = "Reply with one JSON object and nothing else: no text around it and no code fence."
    made = json_only(Request("m", (GO,), output=OutputFormat("json")))
    assert (made.messages[0].parts, made.output) == ((Text(words),), None)
    made = json_only(Request("m", (GO,), output=OutputFormat("schema", {"type": "object"})), {"type": "object"})
    assert made.messages[0].parts == (Text(words + ' It must fit this JSON Schema:\n{"type":"object"}'),)
