"""Upstream chunks -> events: the merge rules of the wire page's §6, a row each, and the framing around them."""

from collections.abc import Iterable
from typing import Any

import pytest

from adapters import json
from adapters.errors import Failure, Malformed
from adapters.events import (
    CallDelta,
    CallStart,
    Choice,
    Cited,
    Event,
    Failed,
    Finish,
    Logprobs,
    Native,
    PartEnd,
    Pass,
    ReasoningDelta,
    RefusalDelta,
    Signed,
    Started,
    TextDelta,
    UsageUpdate,
    fold,
)
from adapters.format import Reading
from adapters.formats.openai_chat.api import API
from adapters.model import Citation, Usage

OWN = "openai-chat"
DONE = b"data: [DONE]\n\n"
READING = Reading(
    "m",
    "o",
    True,
    declared=frozenset({"f", "g", "look_up", "look", "client.name"}),
    names={"client_name": "client.name"},
)
NOBODY = ("f.delete", "f x", "f/delete", "f:delete", "f,g", "f→g", "functions.f.delete", "f<|", "f<|a|>b c", "x.f")
"""Names of no tool, though tools are in them."""
HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1764500000, "model": "gpt-4o"}
STARTED = Started("chatcmpl-1", "gpt-4o")
TOKEN = {"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": []}


def chunk(delta: Any, finish: Any = None, **fields: Any) -> dict[str, Any]:
    return {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **fields}


def calls(*entries: Any) -> dict[str, Any]:
    return {"tool_calls": list(entries)}


def entry(name: Any = None, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**fields, "function": {key: value for key, value in function.items() if value is not None}}


def sse(chunks: Iterable[Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(one) + b"\n\n" for one in chunks)


def read(data: bytes, reading: Reading = READING) -> list[Event]:
    decoder = API.decoder(reading)
    return decoder.feed(data) + decoder.close()


def body_of(chunks: list[Any]) -> list[Event]:
    """The events between Started and Finish."""
    events = read(sse(chunks) + DONE)
    assert events[0] == STARTED
    assert isinstance(events[-1], Finish)
    return events[1:-1]


def call(part: int, call_id: str, name: str, *texts: str) -> list[Event]:
    return [CallStart(part, call_id, name), *(CallDelta(part, text) for text in texts), PartEnd(part)]


# --- the rows of §6 ----------------------------------------------------------------------------------------------

FIN = chunk({}, "tool_calls")
ROWS: list[tuple[str, list[Any], list[Event]]] = [
    (
        "whole call in one delta with role, content null and finish",
        [chunk({"role": "assistant", "content": None, **calls(entry("f", '{"a":1}', index=0, id="c1"))}, "tool_calls")],
        call(0, "c1", "f", '{"a":1}'),
    ),
    (
        "text deltas with nulls beside them",
        [
            chunk({"role": "assistant", "content": "", "tool_calls": None, "function_call": None, "refusal": None}),
            chunk({"content": "a", "tool_calls": []}),
            chunk({"content": "b", "tool_calls": None, "refusal": None, "reasoning_content": None}),
            chunk({"content": None}, "stop"),
        ],
        [TextDelta(0, "a"), TextDelta(0, "b"), PartEnd(0)],
    ),
    ("finish in the chunk of the content", [chunk({"content": "a"}, "stop")], [TextDelta(0, "a"), PartEnd(0)]),
    (
        "finish in the chunk of a call's last piece",
        [chunk(calls(entry("f", '{"a"', index=0, id="c1"))), chunk(calls(entry(None, ":1}", index=0)), "tool_calls")],
        call(0, "c1", "f", '{"a"', ":1}"),
    ),
    (
        "role on every chunk, or on none",
        [chunk({"role": "assistant", "content": "a"}), chunk({"role": "assistant", "content": "b"}), chunk({}, "stop")],
        [TextDelta(0, "a"), TextDelta(0, "b"), PartEnd(0)],
    ),
    (
        "no index: by id",
        [
            chunk(calls(entry("f", "", id="c1"))),
            chunk(calls(entry("g", "", id="c2"))),
            chunk(calls(entry(None, '{"a":1}', id="c1"))),
            chunk(calls(entry(None, "{}", id="c2"))),
            FIN,
        ],
        [
            CallStart(0, "c1", "f"),
            CallStart(1, "c2", "g"),
            CallDelta(0, '{"a":1}'),
            PartEnd(0),
            CallDelta(1, "{}"),
            PartEnd(1),
        ],
    ),
    (
        "no index, whole calls in one array",
        [chunk(calls(entry("f", '{"a":1}', id="c1"), entry("f", '{"a":2}', id="c2"))), FIN],
        [*call(0, "c1", "f", '{"a":1}'), *call(1, "c2", "f", '{"a":2}')],
    ),
    (
        "no index and no id: by position in the array",
        [
            chunk(calls(entry("f", ""), entry("g", ""))),
            chunk(calls(entry(None, '{"a"'), entry(None, '{"b"'))),
            chunk(calls(entry(None, ":1}"), entry(None, ":2}"))),
            FIN,
        ],
        [
            CallStart(0, "", "f"),
            CallDelta(0, '{"a"'),
            CallStart(1, "", "g"),
            CallDelta(1, '{"b"'),
            CallDelta(0, ":1}"),
            CallDelta(1, ":2}"),
            PartEnd(0),
            PartEnd(1),
        ],
    ),
    (
        "no index and no id: the latest call goes on",
        [chunk(calls(entry("f", '{"a"'))), chunk(calls(entry(None, ":1}"))), FIN],
        call(0, "", "f", '{"a"', ":1}"),
    ),
    (
        "no index: a new id opens a call",
        [chunk(calls(entry("f", '{"a":1}', id="c1"))), chunk(calls(entry("f", '{"a":2}', id="c2"))), FIN],
        [*call(0, "c1", "f", '{"a":1}'), *call(1, "c2", "f", '{"a":2}')],
    ),
    (
        "no index, no id: a new name after complete arguments opens a call",
        [chunk(calls(entry("f", '{"a":1}'))), chunk(calls(entry("g", '{"b":'))), chunk(calls(entry(None, "2}"))), FIN],
        [*call(0, "", "f", '{"a":1}'), *call(1, "", "g", '{"b":', "2}")],
    ),
    (
        "no index, no id: the same name with other complete arguments opens a call",
        [chunk(calls(entry("f", '{"a":1}'))), chunk(calls(entry("f", '{"a":2}'))), FIN],
        [*call(0, "", "f", '{"a":1}'), *call(1, "", "f", '{"a":2}')],
    ),
    (
        "no index, no id: another known name opens a call, though the first has no arguments",
        [chunk(calls(entry("f", ""))), chunk(calls(entry("g", '{"a":1}'))), FIN],
        [CallStart(0, "", "f"), CallStart(1, "", "g"), CallDelta(1, '{"a":1}'), PartEnd(0), PartEnd(1)],
    ),
    (
        "indexes start at 1",
        [chunk(calls(entry("f", "", index=1, id="c1"))), chunk(calls(entry(None, "{}", index=1))), FIN],
        call(0, "c1", "f", "{}"),
    ),
    (
        "index 0 for each call, with new ids",
        [
            chunk(calls(entry("f", '{"a":1}', index=0, id="c1"))),
            chunk(calls(entry("g", "", index=0, id="c2"))),
            chunk(calls(entry(None, '{"b":2}', index=0))),
            FIN,
        ],
        [*call(0, "c1", "f", '{"a":1}'), *call(1, "c2", "g", '{"b":2}')],
    ),
    (
        "index 0 for each call of one array, without ids",
        [chunk(calls(entry("f", '{"a":1}', index=0), entry("f", '{"a":1}', index=0))), FIN],
        [*call(0, "", "f", '{"a":1}'), *call(1, "", "f", '{"a":1}')],
    ),
    (
        "gaps between indexes",
        [chunk(calls(entry("f", "{}", index=2, id="c1"))), chunk(calls(entry("g", "{}", index=7, id="c2"))), FIN],
        [
            CallStart(0, "c1", "f"),
            CallStart(1, "c2", "g"),
            CallDelta(0, "{}"),
            PartEnd(0),
            CallDelta(1, "{}"),
            PartEnd(1),
        ],
    ),
    (
        "one id for two calls, told apart by index and name",
        [
            chunk(calls(entry("f", '{"a":1}', index=0, id="c"))),
            chunk(calls(entry("f", '{"a":2}', index=1, id="c"))),
            FIN,
        ],
        [*call(0, "c", "f", '{"a":1}'), *call(1, "c", "f", '{"a":2}')],
    ),
    (
        "id empty or null later",
        [
            chunk(calls(entry("f", "", index=0, id="c1"))),
            chunk(calls(entry("", '{"a"', index=0, id=""))),
            chunk(calls(entry(None, ":1}", index=0, id=None))),
            FIN,
        ],
        call(0, "c1", "f", '{"a"', ":1}"),
    ),
    (
        "id and name on each delta",
        [
            chunk(calls(entry("f", '{"a"', index=0, id="c1"))),
            chunk(calls(entry("f", ":1}", index=0, id="c1"))),
            chunk(calls(entry("f", "", index=0, id="c1"))),
            FIN,
        ],
        call(0, "c1", "f", '{"a"', ":1}"),
    ),
    (
        "name on each delta, no id",
        [
            chunk(calls(entry("f", '{"a"', index=0))),
            chunk(calls(entry("f", ":1}", index=0))),
            chunk(calls(entry("f", "", index=0))),
            FIN,
        ],
        call(0, "", "f", '{"a"', ":1}"),
    ),
    (
        "another id on each delta of a call (GitHub)",
        [
            chunk(calls(entry("f", "", index=0, id="c1"))),
            chunk(calls(entry(None, '{"a"', index=0, id="c2"))),
            chunk(calls(entry(None, ":1}", index=0, id="c3"))),
            FIN,
        ],
        call(0, "c1", "f", '{"a"', ":1}"),
    ),
    (
        "id missing everywhere",
        [chunk(calls(entry("f", "", index=0))), chunk(calls(entry(None, "{}", index=0))), FIN],
        call(0, "", "f", "{}"),
    ),
    (
        "id after the name",
        [
            chunk(calls(entry("f", "", index=0))),
            chunk(calls({"index": 0, "id": "c1"})),
            chunk(calls(entry(None, "{}", index=0))),
            FIN,
        ],
        call(0, "c1", "f", "{}"),
    ),
    (
        'the id "null"',
        [chunk(calls(entry("f", '{"a":1}', id="null"))), chunk(calls(entry("g", '{"a":1}', id="null"))), FIN],
        [*call(0, "", "f", '{"a":1}'), *call(1, "", "g", '{"a":1}')],
    ),
    (
        "name a chunk after the id",
        [
            chunk(calls(entry("", "", index=0, id="c1"))),
            chunk(calls(entry("f", "", index=0))),
            chunk(calls(entry(None, '{"a":1}', index=0))),
            FIN,
        ],
        call(0, "c1", "f", '{"a":1}'),
    ),
    (
        "name after the arguments",
        [
            chunk(calls(entry(None, '{"a"', index=0, id="c1"))),
            chunk(calls(entry(None, ":1}", index=0))),
            chunk(calls(entry("f", "", index=0))),
            FIN,
        ],
        call(0, "c1", "f", '{"a":1}'),
    ),
    (
        "name in fragments",
        [
            chunk(calls(entry("look", "", index=0, id="c1"))),
            chunk(calls(entry("_", "", index=0))),
            chunk(calls(entry("up", "", index=0))),
            chunk(calls(entry(None, "{}", index=0))),
            FIN,
        ],
        call(0, "c1", "look_up", "{}"),
    ),
    (
        "a name that could go on, and does not",
        [chunk(calls(entry("look", "", index=0, id="c1"))), chunk(calls(entry(None, "{}", index=0))), FIN],
        call(0, "c1", "look", "{}"),
    ),
    (
        "a growing name",
        [
            chunk(calls(entry("look", "", index=0, id="c1"))),
            chunk(calls(entry("look_up", "", index=0))),
            chunk(calls(entry(None, "{}", index=0))),
            FIN,
        ],
        call(0, "c1", "look_up", "{}"),
    ),
    (
        "another name once arguments came is ignored",
        [chunk(calls(entry("f", '{"a"', index=0, id="c1"))), chunk(calls(entry("zzz", ":1}", index=0))), FIN],
        call(0, "c1", "f", '{"a"', ":1}"),
    ),
    (
        "a call without arguments",
        [chunk(calls(entry("f", "", index=0, id="c1"))), FIN],
        call(0, "c1", "f"),
    ),
    (
        "arguments null, then an object",
        [
            chunk(calls({"index": 0, "id": "c1", "function": {"name": "f", "arguments": None}})),
            chunk(calls(entry(None, {"a": 12345678901234567890123}, index=0))),
            FIN,
        ],
        call(0, "c1", "f", '{"a":12345678901234567890123}'),
    ),
    (
        "cumulative arguments",
        [
            chunk(calls(entry("f", '{"a"', index=0, id="c1"))),
            chunk(calls(entry(None, '{"a":1', index=0))),
            chunk(calls(entry(None, '{"a":1}', index=0))),
            FIN,
        ],
        call(0, "c1", "f", '{"a"', ":1", "}"),
    ),
    (
        "an object inside an object is no repetition",
        [chunk(calls(entry("f", '{"a":', index=0, id="c1"))), chunk(calls(entry(None, '{"a":1}}', index=0))), FIN],
        call(0, "c1", "f", '{"a":', '{"a":1}}'),
    ),
    (
        "arguments that are JSON on the way",
        [chunk(calls(entry("f", "1", index=0, id="c1"))), chunk(calls(entry(None, "2", index=0))), FIN],
        call(0, "c1", "f", "1", "2"),
    ),
    (
        "a first {} that is a placeholder",
        [
            chunk(calls(entry("f", "{}", index=0, id="c1"))),
            chunk(calls(entry(None, '{"a"', index=0))),
            chunk(calls(entry(None, ":1}", index=0))),
            FIN,
        ],
        call(0, "c1", "f", '{"a"', ":1}"),
    ),
    (
        "a first {} that is all",
        [chunk(calls(entry("f", "{}", index=0, id="c1"))), chunk(calls(entry(None, " ", index=0))), FIN],
        call(0, "c1", "f", "{}"),
    ),
    (
        "a trailing delta with empty arguments",
        [chunk(calls(entry("f", '{"a":1}', index=0, id="c1"))), chunk(calls(entry("", "", index=0, id=""))), FIN],
        call(0, "c1", "f", '{"a":1}'),
    ),
    (
        "repetitions after the finish",
        [
            chunk(calls(entry("f", '{"a":1}', index=0, id="c1")), "tool_calls"),
            chunk(calls(entry("f", '{"a":1}', index=0, id="c1"))),
            chunk({"content": ""}, "tool_calls"),
        ],
        call(0, "c1", "f", '{"a":1}'),
    ),
    (
        "a call after the finish of another (each call its chunk, with a finish)",
        [
            chunk(calls(entry("f", '{"a":1}', index=0, id="c1")), "tool_calls"),
            chunk(calls(entry("g", '{"a":1}', index=0, id="c2")), "tool_calls"),
        ],
        [*call(0, "c1", "f", '{"a":1}'), *call(1, "c2", "g", '{"a":1}')],
    ),
    (
        "calls that interleave by index",
        [
            chunk(calls(entry("f", "", index=0, id="c1"))),
            chunk(calls(entry("g", "", index=1, id="c2"))),
            chunk(calls(entry(None, '{"b"', index=1))),
            chunk(calls(entry(None, '{"a"', index=0))),
            chunk(calls(entry(None, ":1}", index=0), entry(None, ":2}", index=1))),
            FIN,
        ],
        [
            CallStart(0, "c1", "f"),
            CallStart(1, "c2", "g"),
            CallDelta(1, '{"b"'),
            CallDelta(0, '{"a"'),
            CallDelta(0, ":1}"),
            CallDelta(1, ":2}"),
            PartEnd(0),
            PartEnd(1),
        ],
    ),
    (
        "a thought signature on a call (Gemini)",
        [
            chunk(
                calls(
                    entry(
                        "f",
                        '{"a":1}',
                        index=0,
                        id="c1",
                        extra_content={"google": {"thought_signature": "SIG"}, "acme": 1},
                        mood=2,
                    )
                )
            ),
            FIN,
        ],
        [
            CallStart(0, "c1", "f", signature="SIG", extras={OWN: {"extra_content": {"acme": 1}, "mood": 2}}),
            CallDelta(0, '{"a":1}'),
            PartEnd(0),
        ],
    ),
    (
        "a custom call",
        [
            chunk(calls({"index": 0, "id": "c1", "type": "custom", "custom": {"name": "f", "input": "SELECT"}})),
            chunk(calls({"index": 0, "custom": {"input": " 1"}})),
            FIN,
        ],
        [CallStart(0, "c1", "f", "custom"), CallDelta(0, "SELECT"), CallDelta(0, " 1"), PartEnd(0)],
    ),
    (
        "the older function_call",
        [
            chunk({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": ""}}),
            chunk({"function_call": {"arguments": '{"a":'}}),
            chunk({"function_call": {"arguments": "1}"}}, "function_call"),
        ],
        call(0, "", "f", '{"a":', "1}"),
    ),
    (
        "text before and after calls",
        [chunk({"content": "a"}), chunk(calls(entry("f", '{"a":1}', index=0, id="c1"))), chunk({"content": "b"}), FIN],
        [
            TextDelta(0, "a"),
            PartEnd(0),
            CallStart(1, "c1", "f"),
            CallDelta(1, '{"a":1}'),
            TextDelta(2, "b"),
            PartEnd(2),
            PartEnd(1),
        ],
    ),
    (
        "chunks that say nothing",
        [
            {**HEAD, "id": "", "object": "", "model": "", "created": 0, "choices": [], "prompt_filter_results": [1]},
            {"id": "", "object": ""},
            chunk(None),
            chunk({"content": "a"}),
            {**HEAD, "choices": None},
            {**HEAD},
            chunk({}, "stop"),
            {
                "id": "",
                "object": "",
                "choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {"a": 1}}],
            },
        ],
        [TextDelta(0, "a"), PartEnd(0)],
    ),
    (
        "a whole completion in a stream",
        [
            {
                **HEAD,
                "object": "chat.completion",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "tool_calls",
                        "message": {
                            "role": "assistant",
                            "content": "a",
                            "tool_calls": [entry("f", '{"a":1}', id="c1", type="function")],
                        },
                    }
                ],
            }
        ],
        [TextDelta(0, "a"), PartEnd(0), *call(1, "c1", "f", '{"a":1}')],
    ),
    (
        "a message beside or after the deltas is no news",
        [
            {**HEAD, "choices": [{"index": 0, "delta": {"content": "a"}, "message": {"content": "a"}}]},
            {**HEAD, "choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop"}]},
        ],
        [TextDelta(0, "a"), PartEnd(0)],
    ),
    (
        "content as parts",
        [
            chunk(
                {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}, {"type": "reference"}]}]}
            ),
            chunk(
                {"content": [{"type": "thinking", "thinking": "u"}, {"type": "text", "text": "a"}, "b", {"type": "x"}]}
            ),
            chunk({"content": "c"}, "stop"),
        ],
        [
            ReasoningDelta(0, "t"),
            ReasoningDelta(0, "u"),
            PartEnd(0),
            TextDelta(1, "a"),
            TextDelta(1, "b"),
            TextDelta(1, "c"),
            PartEnd(1),
        ],
    ),
    (
        "a refusal",
        [
            chunk({"role": "assistant", "content": "", "refusal": None}),
            chunk({"refusal": "I "}),
            chunk({"refusal": "won't"}),
            chunk({}, "stop"),
        ],
        [RefusalDelta(0, "I "), RefusalDelta(0, "won't"), PartEnd(0)],
    ),
    (
        "a made-up parallel call",
        [
            chunk(
                calls(
                    entry("multi_tool_use.parallel", '{"tool_uses":[{"recipient_name":"functions.f",', index=0, id="c1")
                )
            ),
            chunk(calls(entry(None, '"parameters":{"a":1}},{"recipient_name":"functions.g"}]}', index=0))),
            FIN,
        ],
        [*call(0, "", "f", '{"a":1}'), *call(1, "", "g", "{}")],
    ),
    (
        "a function named parallel with the same content",
        [
            chunk(
                calls(
                    entry("parallel", '{"tool_uses":[{"recipient_name":"f","parameters":{"a":1}}]}', index=0, id="c1")
                )
            ),
            FIN,
        ],
        call(0, "", "f", '{"a":1}'),
    ),
    (
        "a parallel call that holds none",
        [chunk(calls(entry("parallel", '{"a":1}', index=0, id="c1"))), FIN],
        call(0, "c1", "parallel", '{"a":1}'),
    ),
    (
        "names with junk around them",
        [
            chunk(calls(entry("functions.f", '{"a":1}', index=0, id="c1"))),
            chunk(calls(entry(" g ", '{"a":1}', index=1, id="c2"))),
            chunk(calls(entry("look_up<|channel|>commentary", '{"a":1}', index=2, id="c3"))),
            chunk(calls(entry("nobody<|channel|>x", '{"a":1}', index=3, id="c4"))),
            FIN,
        ],
        [
            *call(0, "c1", "f", '{"a":1}'),
            *call(1, "c2", "g", '{"a":1}'),
            *call(2, "c3", "look_up", '{"a":1}'),
            *call(3, "c4", "nobody<|channel|>x", '{"a":1}'),
        ],
    ),
    (
        "names that only begin with a tool's",
        [
            chunk(calls(*(entry(name, '{"a":1}', index=at, id=f"c{at}") for at, name in enumerate(NOBODY)))),
            FIN,
        ],
        [event for at, name in enumerate(NOBODY) for event in call(at, f"c{at}", name, '{"a":1}')],
    ),
    (
        "the client's own spelling of a tool is that tool",
        [
            chunk(calls(entry("client.name", index=0, id="c1"))),
            chunk(calls(entry(None, '{"a":1}', index=0))),
            chunk(calls(entry("functions.functions.client.name<|constrain|>json ", '{"a":1}', index=1, id="c2"))),
            chunk(calls(entry("client", index=2, id="c3"))),
            chunk(calls(entry(".name", '{"a":1}', index=2))),
            FIN,
        ],
        [*call(0, "c1", "client_name", '{"a":1}'), *call(1, "c2", "client_name", '{"a":1}'),
         *call(2, "c3", "client_name", '{"a":1}')],
    ),
    (
        "names stay in the wire's form, case included",
        [chunk(calls(entry("client_name", '{"a":1}', index=0, id="c1"), entry("F", '{"a":1}', index=1, id="c2"))), FIN],
        [*call(0, "c1", "client_name", '{"a":1}'), *call(1, "c2", "F", '{"a":1}')],
    ),
    (
        "an entry that never says anything",
        [chunk(calls({"index": 0, "id": "c1", "type": "function", "function": {}})), chunk({"content": "a"}, "stop")],
        [TextDelta(0, "a"), PartEnd(0)],
    ),
    # reasoning, §7
    (
        "reasoning in each field, the first of several",
        [
            chunk({"reasoning_content": "a", "reasoning": "a"}),
            chunk({"reasoning": "b"}),
            chunk({"reasoning_text": "c"}),
            chunk({"reasoning_content": "", "reasoning": "d"}),
            chunk({"content": "x"}, "stop"),
        ],
        [
            ReasoningDelta(0, "a"),
            ReasoningDelta(0, "b"),
            ReasoningDelta(0, "c"),
            ReasoningDelta(0, "d"),
            PartEnd(0),
            TextDelta(1, "x"),
            PartEnd(1),
        ],
    ),
    (
        "reasoning and content in one delta",
        [chunk({"reasoning_content": "a", "content": "x"}, "stop")],
        [ReasoningDelta(0, "a"), PartEnd(0), TextDelta(1, "x"), PartEnd(1)],
    ),
    (
        "reasoning_details in pieces, signed",
        [
            chunk(
                {
                    "reasoning": "a",
                    "reasoning_details": [{"type": "reasoning.text", "text": "a", "format": "z", "index": 0}],
                }
            ),
            chunk(
                {
                    "reasoning": "b",
                    "reasoning_details": [{"type": "reasoning.text", "text": "b", "format": "z", "index": 0}],
                }
            ),
            chunk(
                {
                    "content": "",
                    "reasoning": None,
                    "reasoning_details": [
                        {"type": "reasoning.text", "signature": "S", "format": "z", "index": 0, "id": None}
                    ],
                }
            ),
            chunk({"content": "x"}, "stop"),
        ],
        [
            ReasoningDelta(0, "a"),
            ReasoningDelta(0, "b"),
            Signed(
                0,
                OWN,
                signature="S",
                extras={
                    OWN: {
                        "reasoning_details": [
                            {"type": "reasoning.text", "text": "ab", "format": "z", "index": 0, "signature": "S"}
                        ]
                    }
                },
            ),
            PartEnd(0),
            TextDelta(1, "x"),
            PartEnd(1),
        ],
    ),
    (
        "two entries of reasoning_details, told apart by index",
        [
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "b", "index": 1}]}, "stop"),
        ],
        [
            ReasoningDelta(0, "a"),
            ReasoningDelta(0, "b"),
            Signed(
                0,
                OWN,
                extras={
                    OWN: {
                        "reasoning_details": [
                            {"type": "reasoning.text", "text": "a", "index": 0},
                            {"type": "reasoning.text", "text": "b", "index": 1},
                        ]
                    }
                },
            ),
            PartEnd(0),
        ],
    ),
    (
        "reasoning_details alone: their text, and text that is the answer's",
        [
            chunk({"reasoning_details": [{"text": "a"}]}),
            chunk({"reasoning_details": [{"text": "b"}]}),
            chunk(
                {
                    "reasoning_details": [
                        {"type": "reasoning.encrypted", "data": "D", "id": "r1"},
                        {"type": "response.output_text", "text": "x"},
                    ]
                }
            ),
            chunk({}, "stop"),
        ],
        [
            ReasoningDelta(0, "a"),
            ReasoningDelta(0, "b"),
            Signed(
                0,
                OWN,
                id="r1",
                data="D",
                extras={
                    OWN: {
                        "reasoning_details": [{"text": "ab"}, {"type": "reasoning.encrypted", "data": "D", "id": "r1"}]
                    }
                },
            ),
            PartEnd(0),
            TextDelta(1, "x"),
            PartEnd(1),
        ],
    ),
    # what only clients of the same dialect get
    (
        "annotations",
        [
            chunk({"content": "see"}),
            chunk(
                {
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url_citation": {"start_index": 0, "end_index": 3, "url": "u", "title": "t"},
                        },
                        {"type": "file", "id": "f"},
                    ]
                },
                "stop",
            ),
        ],
        [
            TextDelta(0, "see"),
            Cited(0, Citation("u", "t", 0, 3)),
            Cited(0, Citation(extras={OWN: {"type": "file", "id": "f"}})),
            PartEnd(0),
        ],
    ),
    (
        "audio and images",
        [chunk({"audio": {"id": "a", "transcript": "hi"}}), chunk({"images": [1]}), chunk({}, "stop")],
        [
            Native(0, OWN, {"audio": {"id": "a", "transcript": "hi"}}, "hi"),
            PartEnd(0),
            Native(1, OWN, {"images": [1]}),
            PartEnd(1),
        ],
    ),
    (
        "log probabilities go before their text",
        [
            {
                **HEAD,
                "choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": {"content": [TOKEN], "refusal": None}}],
            },
            {**HEAD, "choices": [{"index": 0, "delta": {"content": ""}, "logprobs": {"content": [TOKEN]}}]},
            chunk({"content": "b"}, "stop"),
        ],
        [Logprobs(0, (TOKEN,)), TextDelta(0, "a"), Logprobs(0, (TOKEN,)), TextDelta(0, "b"), PartEnd(0)],
    ),
    (
        "unknown fields, once a value",
        [
            chunk({"content": "a", "mood": "x", "void": None}, citations=["u"]),
            chunk({"content": "b"}, citations=["u"]),
            {
                **HEAD,
                "choices": [
                    {
                        "index": 0,
                        "delta": {},
                        "content_filter_results": {"x": 1},
                        "stop_reason": None,
                        "matched": "z",
                        "finish_reason": "stop",
                    }
                ],
            },
        ],
        [
            TextDelta(0, "a"),
            Pass(OWN, "delta", {"mood": "x"}),
            Pass(OWN, "answer", {"citations": ["u"]}),
            TextDelta(0, "b"),
            Pass(OWN, "choice", {"matched": "z"}),
            PartEnd(0),
        ],
    ),
]
NAMES = [name for name, _, _ in ROWS]


@pytest.mark.parametrize(("name", "chunks", "expected"), ROWS, ids=NAMES)
def test_merging(name: str, chunks: list[Any], expected: list[Event]) -> None:
    assert body_of(chunks) == expected


@pytest.mark.parametrize(("name", "chunks", "expected"), ROWS, ids=NAMES)
def test_bytes_in_any_pieces(name: str, chunks: list[Any], expected: list[Event]) -> None:
    data = sse(chunks) + DONE
    whole = read(data)
    decoder = API.decoder(READING)
    assert [event for i in range(len(data)) for event in decoder.feed(data[i : i + 1])] + decoder.close() == whole
    for cut in range(0, len(data), 7):
        decoder = API.decoder(READING)
        assert decoder.feed(data[:cut]) + decoder.feed(data[cut:]) + decoder.close() == whole


@pytest.mark.parametrize(("name", "chunks", "expected"), ROWS, ids=NAMES)
def test_a_stream_that_is_cut(name: str, chunks: list[Any], expected: list[Event]) -> None:
    """Without [DONE] it is complete from its first finish reason on."""
    blocks = [sse([one]) for one in chunks]
    done = next(i for i, one in enumerate(chunks) if (one.get("choices") or [{}])[0].get("finish_reason"))
    for cut in range(len(blocks)):
        decoder = API.decoder(READING)
        decoder.feed(b"".join(blocks[:cut]))
        if cut <= done:
            with pytest.raises(Malformed):
                decoder.close()
        else:
            assert isinstance(decoder.close()[-1], Finish)


def test_cut_in_the_middle_of_an_event() -> None:
    data = sse([chunk({"content": "a"}), chunk({}, "stop")])
    decoder = API.decoder(READING)
    decoder.feed(data[:-20])
    with pytest.raises(Malformed, match="no JSON"):
        decoder.close()
    decoder = API.decoder(READING)
    decoder.feed(data + b'data: {"choices":[],"us')
    assert isinstance(decoder.close()[-1], Finish)
    assert isinstance(read(data.rstrip(b"\n"))[-1], Finish)


# --- finish ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("tool_calls", "tool_calls"),
        ("tool_call", "tool_calls"),
        ("function_call", "tool_calls"),
        ("tool_use", "tool_calls"),
        ("stop", "stop"),
        ("end", "stop"),
        ("eos", "stop"),
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("STOP", "stop"),
        ("something_new", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("safety", "content_filter"),
        ("SAFETY", "content_filter"),
        ("recitation", "content_filter"),
        ("refusal", "content_filter"),
    ],
)
def test_finish(word: str, reason: Any) -> None:
    assert read(sse([chunk({"content": "a"}, word)]) + DONE)[-1] == Finish(reason, word.lower())


@pytest.mark.parametrize("word", ["", None])
def test_no_finish_before_done_is_a_stop(word: Any) -> None:
    data = sse([chunk({"content": "a"}, word), chunk({}, word)])
    assert read(data + DONE)[-1] == Finish("stop", None)
    with pytest.raises(Malformed, match="without a finish reason"):
        read(data)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("error", "api_error"),
        ("network_error", "api_error"),
        ("insufficient_system_resource", "overloaded_error"),
        ("abort", "connection_error"),
    ],
)
def test_finish_reasons_that_are_failures(word: str, kind: Any) -> None:
    events = read(sse([chunk({"content": "a"}), chunk({}, word), chunk({"content": "b"})]) + DONE)
    assert events == [STARTED, TextDelta(0, "a"), Failed(Failure(kind, f"The upstream ended its answer with {word}."))]


def test_a_full_context_window() -> None:
    said = read(sse([chunk({"content": "a"}), chunk({}, "model_context_window_exceeded")]) + DONE)
    assert said[-1] == Finish("length", "model_context_window_exceeded")
    silent = read(sse([chunk({}, "model_context_window_exceeded")]) + DONE)
    assert isinstance(silent[-1], Failed)
    assert silent[-1].failure.type == "context_length_exceeded"


@pytest.mark.parametrize("data", [b"", DONE, b": hello\n\n", sse([{**HEAD, "choices": []}]) + DONE])
def test_nothing_at_all(data: bytes) -> None:
    with pytest.raises(Malformed, match="without any choice"):
        read(data)


def test_a_cut_call_goes_out_as_it_came() -> None:
    data = sse([chunk(calls(entry("f", '{"a": "b', index=0, id="c1")), "length")]) + DONE
    assert read(data) == [
        STARTED,
        CallStart(0, "c1", "f"),
        CallDelta(0, '{"a": "b'),
        PartEnd(0),
        Finish("length", "length"),
    ]
    nameless = sse([chunk(calls(entry(None, "{", index=0, id="c1")), "length")]) + DONE
    assert read(nameless) == [STARTED, Finish("length", "length")]


def test_a_call_that_never_gets_a_name() -> None:
    with pytest.raises(Malformed, match="a tool call without a name"):
        read(sse([chunk(calls(entry(None, "{}", index=0, id="c1")), "tool_calls")]) + DONE)


# --- usage -------------------------------------------------------------------------------------------------------

PLAIN = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
TOLD = UsageUpdate(Usage(9, 4))


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk({"content": "a"}), chunk({}, "stop", usage=PLAIN)],
        [chunk({"content": "a"}, usage=None), chunk({}, "stop"), {**HEAD, "choices": [], "usage": PLAIN}],
        [chunk({"content": "a"}), chunk({}, "stop"), {**HEAD, "choices": [], "x_groq": {"usage": PLAIN}}],
        [
            chunk({"content": "a"}),
            {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": PLAIN}]},
        ],
        [chunk({"content": "a"}), chunk({}, "stop", usage=PLAIN), {**HEAD, "choices": [], "usage": None}],
        [*(chunk({"content": "a"}, usage=u) for u in (None, None, PLAIN, None)), chunk({}, "stop", usage=None)],
        [chunk({"content": "a"}), chunk({}, "stop", usage=PLAIN), {**HEAD, "choices": [], "usage": PLAIN}],
    ],
)
def test_where_usage_stands(chunks: list[Any]) -> None:
    updates = [event for event in read(sse(chunks) + DONE) if isinstance(event, UsageUpdate)]
    assert updates == [TOLD]


def test_running_usage_is_replaced() -> None:
    chunks = [chunk({"content": "a"}, usage={"prompt_tokens": 9, "completion_tokens": i}) for i in (1, 2)]
    chunks.append(chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 3}))
    assert fold(read(sse(chunks) + DONE)).usage == Usage(9, 3)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (PLAIN, Usage(9, 4)),
        (
            {
                **PLAIN,
                "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2, "audio_tokens": 1},
                "completion_tokens_details": {"reasoning_tokens": 1, "audio_tokens": 0},
                "cost": 0.5,
            },
            Usage(
                9,
                4,
                3,
                2,
                1,
                {
                    OWN: {
                        "prompt_tokens_details": {"audio_tokens": 1},
                        "completion_tokens_details": {"audio_tokens": 0},
                        "cost": 0.5,
                    }
                },
            ),
        ),
        ({**PLAIN, "prompt_cache_hit_tokens": 3, "prompt_cache_miss_tokens": 6}, Usage(9, 4, 3)),  # DeepSeek
        ({**PLAIN, "cached_tokens": 3}, Usage(9, 4, 3)),  # Moonshot
        ({**PLAIN, "reasoning_tokens": 2}, Usage(9, 4, None, None, 2)),  # Perplexity
        (  # xAI: reasoning is not in the completion, as the total shows; more is cached than there is
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "total_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 30},
                "completion_tokens_details": {"reasoning_tokens": 7},
            },
            Usage(9, 11, 9, None, 7),
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 11,
                "total_tokens": 20,
                "completion_tokens_details": {"reasoning_tokens": 7},
            },
            Usage(9, 11, None, None, 7),
        ),
        ({"prompt_tokens": None, "completion_tokens": "4", "total_tokens": True}, Usage()),
    ],
)
def test_usage(raw: Any, expected: Usage) -> None:
    assert fold(read(sse([chunk({"content": "a"}, "stop", usage=raw)]) + DONE)).usage == expected


# --- choices and fields ------------------------------------------------------------------------------------------


def test_choices_interleave_and_count_their_own_calls() -> None:
    def of(index: int, delta: Any, finish: Any = None) -> Any:
        return {**HEAD, "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}

    chunks = [
        of(0, {"content": "a"}),
        of(1, calls(entry("f", '{"a":1}', index=0, id="c1"))),
        of(0, {"content": "b"}),
        of(1, {}, "tool_calls"),
        of(0, {}, "stop"),
    ]
    assert read(sse(chunks) + DONE) == [
        STARTED,
        TextDelta(0, "a"),
        Choice(1),
        CallStart(1, "c1", "f"),
        CallDelta(1, '{"a":1}'),
        Choice(0),
        TextDelta(0, "b"),
        Choice(1),
        Choice(0),
        PartEnd(0),
        Finish("stop", "stop"),
        Choice(1),
        PartEnd(1),
        Finish("tool_calls", "tool_calls"),
    ]


def test_short_fields_of_the_answer_come_with_its_start() -> None:
    one = chunk(
        {"content": "a"}, "stop", system_fingerprint="fp", service_tier="flex", obfuscation="zzz", x_groq={"id": 1}
    )
    extras = {OWN: {"answer": {"system_fingerprint": "fp", "service_tier": "flex"}}}
    events = read(sse([one]) + DONE)
    assert events[0] == Started("chatcmpl-1", "gpt-4o", extras)
    assert not any(isinstance(event, Pass) for event in events)
    assert fold(events).extras == {
        OWN: {"answer": {"system_fingerprint": "fp", "service_tier": "flex", "x_groq": {"id": 1}}}
    }


def test_an_unknown_field_that_changes_on_the_way() -> None:
    tiers = ("x", "x", "y", "y")
    events = read(sse([*(chunk({"content": "a"}, service_tier=tier) for tier in tiers), chunk({}, "stop")]) + DONE)
    assert [event for event in events if isinstance(event, Pass)] == [Pass(OWN, "answer", {"service_tier": "y"})]
    assert [type(event) for event in events[1:-2]] == [TextDelta, TextDelta, TextDelta, Pass, TextDelta]


def test_unknown_fields_are_in_the_whole_answer() -> None:
    one = {
        **HEAD,
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "content_filter_results": {"x": 1},
                "message": {"role": "assistant", "content": "a", "mood": "x"},
            }
        ],
    }
    events = API.whole(json.dumps(one), READING, {})
    assert fold(events).extras == {OWN: {"choice": {"content_filter_results": {"x": 1}}, "message": {"mood": "x"}}}


# --- failures inside a 200 ---------------------------------------------------------------------------------------

INSIDE: list[tuple[Any, Failure]] = [
    (
        {
            "error": {"message": "m", "code": 502, "metadata": {"provider_name": "x"}},
            "choices": [{"delta": {}, "finish_reason": "error"}],
        },
        Failure("api_error", "m", 502),
    ),
    (
        {"error": {"message": "m", "type": "BadRequestError", "param": None, "code": 400}},
        Failure("invalid_request_error", "m", 400),
    ),
    (
        {"error": {"message": "m", "code": "rate_limit_exceeded"}},
        Failure("rate_limit_error", "m", code="rate_limit_exceeded"),
    ),
    ({"error": "text"}, Failure("api_error", "text")),
    ({"object": "error", "message": "m", "type": "x", "code": 503}, Failure("overloaded_error", "m", 503)),
    ({"code": "InvalidParameter", "msg": "m"}, Failure("api_error", "m", code="InvalidParameter")),
    ({"base_resp": {"status_code": 1008, "status_msg": "m"}, "choices": None}, Failure("billing_error", "m")),
    ({"x_groq": {"error": "m"}, "choices": []}, Failure("api_error", "m")),
    (
        {**HEAD, "choices": [{"index": 0, "delta": {}, "error": {"message": "m", "code": 429}}]},
        Failure("rate_limit_error", "m", 429),
    ),
]


@pytest.mark.parametrize(("one", "expected"), INSIDE)
def test_errors_inside_a_stream(one: Any, expected: Failure) -> None:
    def failure(events: list[Event]) -> Failure:
        assert isinstance(events[-1], Failed)
        return events[-1].failure

    found = failure(read(sse([one]) + DONE))
    assert found == expected
    assert failure(read(sse([chunk({"content": "a"}), one, chunk({"content": "b"})]))) == expected
    assert failure(API.whole(json.dumps(one), READING, {})) == expected


def test_a_named_error_event() -> None:
    assert read(b'event: error\ndata: {"message":"m"}\n\n') == [Failed(Failure("api_error", "m"))]
    assert read(b"event: error\ndata: went wrong\n\n") == [Failed(Failure("api_error", "went wrong"))]


def test_an_array_of_errors() -> None:
    body = b'[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]'
    assert API.whole(body, READING, {}) == [Failed(Failure("rate_limit_error", "m", 429))]


def test_base_resp_of_success_is_no_error() -> None:
    events = read(sse([chunk({"content": "a"}, "stop", base_resp={"status_code": 0, "status_msg": ""})]) + DONE)
    assert events == [STARTED, TextDelta(0, "a"), PartEnd(0), Finish("stop", "stop")]


@pytest.mark.parametrize(
    "data",
    [
        b"data: nonsense\n\n",
        b"data: 7\n\n",
        b'data: {"choices":{"a":1}}\n\n',
        b'data: {"choices":[1]}\n\n',
        sse([chunk({"content": 7})]),
        sse([chunk({"tool_calls": {"a": 1}})]),
    ],
)
def test_what_no_host_may_send(data: bytes) -> None:
    with pytest.raises(Malformed):
        read(data)


# --- framing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + sse([chunk({"content": "a"}, "stop")]) + DONE,
        b": OPENROUTER PROCESSING\n\n: ping\n\n" + sse([chunk({"content": "a"}, "stop")]) + b": x\n\n" + DONE,
        (b"id: 1\nretry: 5\n" + sse([chunk({"content": "a"}, "stop")]) + DONE).replace(b"data: ", b"data:"),
        (sse([chunk({"content": "a"}, "stop")]) + DONE).replace(b"\n", b"\r\n"),
        sse([chunk({"content": "a"}, "stop")]) + b"\n\ndata:\n\n" + DONE + sse([chunk({"content": "late"})]),
        sse([chunk({"content": "a"}, "stop")]),
    ],
)
def test_framing(data: bytes) -> None:
    assert read(data) == [STARTED, TextDelta(0, "a"), PartEnd(0), Finish("stop", "stop")]


def test_text_is_exact() -> None:
    text = 'Grüße 🌧️ "\\\n\u2028 東京'
    data = sse([chunk({"content": text}), chunk({}, "stop")]) + DONE
    decoder = API.decoder(READING)
    events = [event for i in range(len(data)) for event in decoder.feed(data[i : i + 1])]
    assert events[1] == TextDelta(0, text)


# --- whole answers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "chunks", "expected"), ROWS, ids=NAMES)
def test_a_whole_answer_means_what_its_stream_means(name: str, chunks: list[Any], expected: list[Event]) -> None:
    """The stream's answer, written as a client gets it, read again as if an upstream had sent it whole."""
    from adapters.formats.openai_chat.dialect import DIALECT
    from adapters.formats.openai_chat.request import Reply

    streamed = fold(read(sse(chunks) + DONE))
    body = DIALECT.answer(streamed, Reply("chatcmpl-1", 1764500000, "gpt-4o"))
    again = fold(API.whole(body, READING, {}))
    assert json.loads(DIALECT.answer(again, Reply("chatcmpl-1", 1764500000, "gpt-4o"))) == json.loads(body)


@pytest.mark.parametrize("body", [b"", b"<html>", b"7", b"[]", b"{}", b'{"choices":[]}', b'{"choices":[7]}', b"null"])
def test_a_whole_answer_that_is_none(body: bytes) -> None:
    with pytest.raises(Malformed):
        API.whole(body, READING, {})


def test_blank_lines_before_a_whole_answer() -> None:
    """DeepSeek keeps a connection alive with them (2026-11)."""
    one = {**HEAD, "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]}
    events = API.whole(b"\n\n\n" + json.dumps(one), READING, {})
    assert events == [STARTED, TextDelta(0, "a"), PartEnd(0), Finish("stop", "stop")]
