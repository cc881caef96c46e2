"""The pieces of a paused answer as one: part numbers, usage, the text that goes on, citations in it."""

from __future__ import annotations

import json
from typing import Any

from adapters.events import (
    CallDelta,
    CallStart,
    Cited,
    Event,
    Finish,
    Native,
    PartEnd,
    ReasoningDelta,
    Started,
    TextDelta,
    UsageUpdate,
)
from adapters.format import Outgoing, Reading
from adapters.formats.anthropic_messages.api import AnthropicMessages
from adapters.formats.google_gemini.api import GoogleGemini
from adapters.joined import TOO_MANY, Joined
from adapters.model import Citation, Usage

ASKED = Outgoing("/p", b'{"contents":[]}', Reading("m"), True)
TOKEN = {"google-gemini": {"continuationToken": "t1"}}
BROKEN_OFF = Finish("length", "CONTINUATION", extras=TOKEN)
TEXT: list[Event] = [Started("a"), TextDelta(0, "äb"), TextDelta(0, "c"), PartEnd(0)]
SPENT, MORE = Usage(10, 3, cache_read=4, reasoning=1), Usage(11, 2)


def joined(*pieces: list[Event]) -> list[Event]:
    """What is told of a Gemini answer in these pieces, event by event."""
    stage = Joined(GoogleGemini(), ASKED, [].append)
    out: list[Event] = []
    for index, piece in enumerate(pieces):
        if index:
            stage.begin()
        for event in piece:
            out += stage.feed([event])
    assert stage.next is None
    return out


def test_one_piece_is_itself() -> None:
    cited = Cited(0, Citation("u", start=0, end=2))
    piece = [*TEXT[:3], cited, PartEnd(0), UsageUpdate(SPENT), Finish("stop", "STOP")]
    assert joined(piece) == [*TEXT[:3], cited, UsageUpdate(SPENT), PartEnd(0), Finish("stop", "STOP")]


def test_a_text_goes_on() -> None:
    """As one part, its citations where they belong; usage is that of all pieces."""
    rest: list[Event] = [
        Started("b"), TextDelta(0, "de"), Cited(0, Citation("u", start=0, end=2)), PartEnd(0), CallStart(1, "", "f"),
        CallDelta(1, "{}"), PartEnd(1), UsageUpdate(MORE), Finish("tool_calls", "STOP"),
    ]  # fmt: skip
    assert joined([*TEXT, UsageUpdate(SPENT), BROKEN_OFF], rest) == [
        *TEXT[:3], UsageUpdate(SPENT), TextDelta(0, "de"), Cited(0, Citation("u", start=3, end=5)), PartEnd(0),
        CallStart(1, "", "f"), CallDelta(1, "{}"), PartEnd(1),
        UsageUpdate(Usage(21, 5, cache_read=4, reasoning=1)), Finish("tool_calls", "STOP"),
    ]  # fmt: skip


def test_another_part_is_another_part() -> None:
    rest: list[Event] = [ReasoningDelta(0, "hm"), PartEnd(0), TextDelta(1, "d"), PartEnd(1), Finish("stop", "STOP")]
    assert joined([*TEXT, BROKEN_OFF], rest) == [
        *TEXT, ReasoningDelta(1, "hm"), PartEnd(1), TextDelta(2, "d"), PartEnd(2), Finish("stop", "STOP"),
    ]  # fmt: skip


def test_a_text_after_another_part_is_another_text() -> None:
    search = Native(1, "google-gemini", {"executableCode": {}})
    first: list[Event] = [*TEXT, search, PartEnd(1), BROKEN_OFF]
    rest: list[Event] = [TextDelta(0, "d"), PartEnd(0), Finish("stop", "STOP")]
    assert joined(first, rest) == [
        *TEXT, search, PartEnd(1), TextDelta(2, "d"), PartEnd(2), Finish("stop", "STOP")
    ]  # fmt: skip


def test_a_piece_without_content() -> None:
    rest: list[Event] = [TextDelta(0, "d"), PartEnd(0), Finish("stop", "STOP")]
    assert joined([Started("a"), BROKEN_OFF], [Started("b"), BROKEN_OFF], rest) == [Started("a"), *rest]


def test_too_many_pieces_end_as_the_last_one_did() -> None:
    warnings: list[str] = []
    stage = Joined(GoogleGemini(), ASKED, warnings.append)
    out = stage.feed([*TEXT, BROKEN_OFF])
    for _ in range(5):
        assert json.loads(stage.begin().body) == {"contents": [], "continuationToken": "t1"}
        out += stage.feed([TextDelta(0, "d"), PartEnd(0), BROKEN_OFF])
    assert (out[-2:], stage.next, warnings) == ([PartEnd(0), BROKEN_OFF], None, [TOO_MANY])


# --- what is asked next ------------------------------------------------------------------------------------------


def after(api: Any, body: Any, piece: list[Event]) -> Any:
    """The body of the request for what follows."""
    stage = Joined(api, Outgoing("/p", json.dumps(body).encode(), Reading("m"), True), [].append)
    stage.feed(piece)
    return None if stage.next is None else json.loads(stage.next.body)


def test_no_token_is_an_end() -> None:
    assert after(GoogleGemini(), {}, [*TEXT, Finish("length", "CONTINUATION")]) is None
    assert after(GoogleGemini(), {}, [*TEXT, Finish("length", "MAX_TOKENS", extras=TOKEN)]) is None


def test_an_empty_pause_is_an_end() -> None:
    asked = {"messages": [{"role": "user", "content": []}]}
    assert after(AnthropicMessages(), asked, [Started(), Finish("stop", "pause_turn")]) is None
    assert after(AnthropicMessages(), asked, [*TEXT, Finish("stop", "end_turn")]) is None


def test_a_pause_goes_on_behind_a_prefilled_answer() -> None:
    begun = {"role": "assistant", "content": [{"type": "text", "text": "Well"}]}
    body = after(AnthropicMessages(), {"messages": [begun]}, [*TEXT, Finish("stop", "pause_turn")])
    assert body == {"messages": [
        {"role": "assistant", "content": [{"type": "text", "text": "Well"}, {"type": "text", "text": "äbc"}]}
    ]}  # fmt: skip
