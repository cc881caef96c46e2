"""Random requests, as the dialects' decoders could have made them: odd, but none that an API must refuse."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from adapters.model import (
    CacheMark,
    Media,
    Message,
    OutputFormat,
    Part,
    Reasoning,
    Refusal,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)
from tests.matrix.conversations import PIXEL

Json = Any

NAMES = ("get_time", "files.read", "files/read", "größe", "a b", "x" * 90, "1st", "_", "mcp__srv__do-it", "$", "日付")
IDS = (
    "", "null", "call_0", "call_0", "call_1", "toolu_01", "fc_1", "a" * 90, "id with spaces", "ü-1", "functions.f:0",
    "call_2|fc_2", "call_2|fc_3",
)  # fmt: skip
BLANKS = ("", " ", "\n", "\u00a0")
ARGUMENTS = ("", "{}", '{"city":"Köln"}', '{"n":123456789012345678901234567890}', "[1]", "{", '"text"', "null", " {} ")
SCHEMAS: tuple[Json, ...] = (
    None,
    {},
    {"type": "object"},
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False},
    {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"enum": ["x", 1, None]}}},
    {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/p"}, "more": {"type": "array", "items": {"$ref": "#/$defs/p"}}},
        "$defs": {"p": {"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}}},
    },
    {"anyOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "object"}]},
    {"type": "object", "properties": {"when": {"type": "string", "format": "date-time"}, "tags": {"type": "array"}}},
    {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"x": True, "y": {}}},
)

texts = st.one_of(st.sampled_from(BLANKS), st.text(max_size=12), st.just("Hello"), st.just("lone \ud83d surrogate"))
names = st.sampled_from(NAMES)
ids = st.sampled_from(IDS)
caches = st.sampled_from((None, None, None, CacheMark()))
PDF = "JVBERi0xLjQKMSAwIG9iago8PD4+CmVuZG9iagp0cmFpbGVyPDw+PgolJUVPRgo="
images = st.sampled_from(
    (Media("image", "image/png", data=PIXEL.data), Media("image", "image/png", data=PIXEL.data, detail="low"))
)
files = st.sampled_from(
    (Media("file", "application/pdf", data=PDF, name="a.pdf"), Media("file", "text/plain", text="so", name="b.txt"))
)
"""Not for every API: some refuse a request with one, and say so."""
reasonings = st.builds(
    lambda text, made: Reasoning(text, *made),
    texts,
    st.sampled_from(
        (
            (None, None),
            ("anthropic-messages", "elsewhere/claude", None, "c2lnbmF0dXJl"),
            ("openai-responses", "elsewhere/gpt", "rs_1", None, "gAAAAA"),
            ("google-gemini", "elsewhere/gemini", None, "c2lnbmF0dXJl"),
            ("openai-chat", "elsewhere/x", None, "s"),
        )
    ),
)
plain = st.builds(Text, texts, cache=caches)
calls = st.builds(ToolCall, ids, names, st.sampled_from(ARGUMENTS), st.sampled_from(("function", "function", "custom")))
content = st.lists(st.one_of(plain, images), max_size=3).map(tuple)
results = st.builds(ToolResult, ids, content, st.sampled_from((None, True, False)), st.one_of(st.none(), names))


def _message(role: Any, parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Message]:
    return st.builds(Message, st.just(role), parts.map(tuple))


said: st.SearchStrategy[list[Part]] = st.one_of(
    st.lists(st.one_of(plain, reasonings, calls), max_size=4),
    st.lists(st.one_of(plain, st.builds(Refusal, texts)), max_size=2),
    st.lists(calls, min_size=1, max_size=3),
)
messages = st.one_of(
    _message("user", st.lists(st.one_of(plain, images), max_size=3)),
    _message("user", st.lists(st.one_of(plain, images, files), max_size=2)),
    _message("assistant", said),
    _message("assistant", said),
    _message("tool", st.lists(results, min_size=1, max_size=3)),
    _message("tool", st.lists(results, min_size=1, max_size=3)),
    _message("system", st.lists(plain, max_size=2)),
    _message("developer", st.lists(plain, max_size=2)),
)


@st.composite
def tool_turns(draw: st.DrawFn) -> list[Message]:
    """Calls and the results of some of them, in any order, in one message or several."""
    made = draw(st.lists(calls, min_size=1, max_size=3))
    answered = draw(st.permutations(made))[: draw(st.integers(0, 3))]
    given = [
        ToolResult(call.id, draw(content), draw(st.sampled_from((None, True))), named)
        for call in answered
        for named in (draw(st.sampled_from((None, call.name))),)
    ]
    before = draw(st.lists(st.one_of(plain, reasonings), max_size=2))
    turn = [Message("assistant", (*before, *made))]
    if draw(st.booleans()):
        return [*turn, *(Message("tool", (one,)) for one in given)]
    return [*turn, Message("tool", tuple(given))] if given else turn


histories = st.lists(st.one_of(messages.map(lambda one: [one]), tool_turns()), max_size=5).map(
    lambda turns: [message for turn in turns for message in turn]
)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """A request of any dialect. The user says something somewhere: an empty conversation is refused by all."""
    history = draw(histories)
    history.insert(draw(st.integers(0, len(history))), Message("user", (Text("Go on, as JSON."),)))
    system = draw(st.sampled_from(((), (Message("system", (Text("Be brief."),)),))))
    tools = tuple(
        Tool(name, draw(st.sampled_from((None, "Does it."))), draw(st.sampled_from(SCHEMAS)),
             draw(st.sampled_from((None, True, False))), draw(_kinds), cache=draw(caches))
        for name in draw(st.lists(names, max_size=4, unique=True))
    )  # fmt: skip
    dialect = draw(st.sampled_from(("chat", "responses", "messages", "gemini")))
    output = draw(_outputs if dialect in ("chat", "gemini") else _exact_outputs)
    return Request(
        "asked",
        (*system, *history),
        tools=tools,
        tool_choice=draw(_choices(tools)) if tools else None,
        parallel=draw(st.sampled_from((None, True, False))),
        sampling=draw(_sampling),
        output=output,
        thinking=draw(_thinking),
        stream=draw(st.booleans()),
        dialect=dialect,
    )


def _choices(tools: tuple[Tool, ...]) -> st.SearchStrategy[ToolChoice | None]:
    one = tools[0].name
    return st.sampled_from(
        (
            None,
            None,
            ToolChoice("auto"),
            ToolChoice("none"),
            ToolChoice("required"),
            ToolChoice("named", (one,)),
            ToolChoice("allowed", (one,)),
            ToolChoice("allowed", (one,), required=True),
        )
    )


_kinds: st.SearchStrategy[Any] = st.sampled_from(("function", "function", "function", "custom"))
_sampling = st.builds(
    Sampling,
    max_tokens=st.sampled_from((None, None, 1, 20, 5000)),
    temperature=st.sampled_from((None, None, 0, 0.5, 1, 2)),
    top_p=st.sampled_from((None, None, 0.5, 1)),
    top_k=st.sampled_from((None, None, 5)),
    stop=st.sampled_from(((), (), ("END",), (" ", "a", "b", "c"))),
    seed=st.sampled_from((None, 7)),
    presence_penalty=st.sampled_from((None, 0.5)),
)
_exact_outputs = st.sampled_from(
    (None, None, OutputFormat("text"), OutputFormat("json"), OutputFormat("schema", SCHEMAS[4], "answer", strict=True))
)
"""Of clients whose own API refuses others."""
_outputs = st.sampled_from(
    (
        None,
        None,
        None,
        OutputFormat("text"),
        OutputFormat("json"),
        OutputFormat("schema", SCHEMAS[4], "answer", strict=True),
        OutputFormat("schema", SCHEMAS[5], "an answer"),
    )
)
_thinking = st.sampled_from(
    (None, Thinking("low"), Thinking("high", visible=True), Thinking("none"), Thinking(budget=2000), Thinking("max"))
)
