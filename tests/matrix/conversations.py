"""The conversations of the matrix and what must come of them, whatever the client speaks and whoever answers.

The emulated agent (CONTRACT §7) echoes what it was told, calls what it is offered with arguments that fit the schema
(here: the only ones that do) and quotes the results it gets.
"""

from __future__ import annotations

from tests.matrix.neutral import Conversation, Image, Result, Results, Said, Sent, Step, Tool, User

PIXEL = Image(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOoPSECAAMfAVpz+/qWAAAAAElFTkSuQmCC"
)
assert "/" in PIXEL.data and "+" in PIXEL.data, "the alphabets of base64 differ in these"


def _only(**members: object) -> dict[str, object]:
    """A schema that one value fits."""
    return {
        "type": "object",
        "properties": {
            name: {"type": {int: "integer", str: "string"}[type(value)], "enum": [value]}
            for name, value in members.items()
        },
        "required": list(members),
        "additionalProperties": False,
    }


TIME = Tool("get_time", _only(city="Köln"))
WEATHER = Tool("get_weather", _only(city="Köln", days="3"))
CALLED_TIME = ("get_time", {"city": "Köln"})
CALLED_WEATHER = ("get_weather", {"city": "Köln", "days": "3"})


def _calls(*calls: tuple[str, object], any_order: bool = False) -> Said:
    """Claude says a sentence before its calls, Cohere tells its plan."""
    return Said(None, calls, "tool_calls", None, any_order=any_order)


BOTH = _calls(CALLED_TIME, CALLED_WEATHER)

LONG_DOTTED = "crm.customers." + "very_" * 14 + "long.name"
UNICODE = "größe.messen"
COLLIDING = ("files.read", "files/read", "files read")

TEXT = Conversation(
    "text",
    system="Be brief.",
    steps=(Step(User(("Grüße, 世界 🌍",)), Said("You said: Grüße, 世界 🌍", spent=6)),),
)

TWO_CALLS = Conversation(
    "two calls",
    tools=(TIME, WEATHER),
    steps=(
        Step(User(("Use both.",)), BOTH),
        Step(
            Results((Result(("12:00",)), Result(("rain 🌧️\nthen \"sun\"",)))),
            Said("The tools answered:\nget_time: 12:00\nget_weather: rain 🌧️\nthen \"sun\""),
        ),
        Step(User(("Thanks!",)), BOTH),
    ),
)

ROUNDS = Conversation(
    "rounds",
    tools=(TIME,),
    steps=(
        Step(User(("Go 2 rounds.",)), _calls(CALLED_TIME)),
        Step(Results((Result(("one",)),)), _calls(CALLED_TIME)),
        Step(Results((Result(("two",)),)), Said("The tools answered:\nget_time: two")),
    ),
)

CALL_AFTER_TEXT = Conversation(
    "call after text",
    tools=(TIME,),
    steps=(
        Step(User(("Hello",)), _calls(CALLED_TIME)),
        Step(Results((Result(("12:00",)),)), Said("The tools answered:\nget_time: 12:00")),
        Step(User(("Again",)), _calls(CALLED_TIME)),
        Step(Results((Result(("12:01",)),)), Said("The tools answered:\nget_time: 12:01")),
    ),
)

FORCED = Conversation(
    "forced call",
    tools=(TIME,),
    choice="required",
    steps=(Step(User(("Hello",)), _calls(CALLED_TIME)),),
)

NO_CALL = Conversation(
    "tools without calls",
    tools=(TIME,),
    choice="none",
    steps=(Step(User(("Hello",)), Said("You said: Hello")),),
)

_THOUGHT = "The user asks “Use both.”. I call 2 of 2 tools."


def _reasoning(name: str, forgets: bool) -> Conversation:
    return Conversation(
        name,
        tools=(TIME, WEATHER),
        thinking=True,
        forgets=forgets,
        steps=(
            Step(User(("Use both.",)), Said(calls=BOTH.calls, text=None, stop="tool_calls", reasoning=_THOUGHT)),
            Step(
                Results((Result(("12:00",)), Result(("rain",)))),
                Said("The tools answered:\nget_time: 12:00\nget_weather: rain", reasoning=None),
                Sent(replayed=True),
            ),
        ),
    )


REASONING = _reasoning("reasoning", forgets=False)
REASONING_FORGOTTEN = _reasoning("reasoning forgotten", forgets=True)


def _reasoning_rounds(name: str, forgets: bool) -> Conversation:
    called = _calls(CALLED_TIME)
    return Conversation(
        name,
        tools=(TIME,),
        thinking=True,
        forgets=forgets,
        steps=(
            Step(User(("Go 3 rounds.",)), called),
            Step(Results((Result(("one",)),)), called, Sent(replayed=True)),
            Step(Results((Result(("two",)),)), called, Sent(replayed=True)),
            Step(Results((Result(("three",)),)), Said("The tools answered:\nget_time: three", reasoning=None)),
            Step(User(("Once more.",)), called),
        ),
    )


REASONING_ROUNDS = _reasoning_rounds("reasoning in rounds", forgets=False)
REASONING_ROUNDS_FORGOTTEN = _reasoning_rounds("reasoning in rounds forgotten", forgets=True)

IMAGE = Conversation(
    "image",
    steps=(Step(User(("What is this?", PIXEL)), Said("You said: What is this?"), Sent(images=1)),),
)

IMAGE_RESULT = Conversation(
    "image in a result",
    tools=(TIME,),
    steps=(
        Step(User(("Look",)), _calls(CALLED_TIME)),
        Step(Results((Result(("a clock:", PIXEL)),)), Said(None, None, None, None), Sent(images=1)),
    ),
)

ERROR_RESULT = Conversation(
    "error result",
    tools=(TIME, WEATHER),
    steps=(
        Step(User(("Use both.",)), BOTH),
        Step(
            Results((Result(("no such city",), error=True), Result(("rain",)))),
            Said(text=None, holds=("no such city", "get_weather: rain")),
            Sent(flagged=True),
        ),
    ),
)

STRUCTURED = Conversation(
    "structured output",
    output=_only(city="Köln", country="DE"),
    steps=(Step(User(("Where?",)), Said(text=None, output={"city": "Köln", "country": "DE"})),),
)

STRUCTURED_AFTER_TOOLS = Conversation(
    "structured output after tools",
    output=_only(city="Köln", country="DE"),
    tools=(TIME,),
    steps=(
        Step(User(("Where?",)), _calls(CALLED_TIME)),
        Step(Results((Result(("12:00",)),)), Said(None, reasoning=None, output={"city": "Köln", "country": "DE"})),
    ),
)

NAMES = Conversation(
    "odd names",
    tools=(Tool(LONG_DOTTED, _only(a="x")), Tool(UNICODE, _only(b="y")), *(Tool(n, _only(c=n)) for n in COLLIDING)),
    steps=(
        Step(
            User(("Please call 5",)),
            _calls(
                (LONG_DOTTED, {"a": "x"}), (UNICODE, {"b": "y"}), *((n, {"c": n}) for n in COLLIDING), any_order=True
            ),
        ),
        Step(
            Results(tuple(Result((f"result {n}",)) for n in range(5))),
            Said(text=None, holds=tuple(f": result {n}" for n in range(5))),
        ),
    ),
)

REFUSAL = Conversation("refusal", model="refuses", steps=(Step(User(("Hello",)), Said(text=None, stop="refusal")),))

LENGTH = Conversation(
    "max tokens",
    max_tokens=16,
    steps=(Step(User(("x" * 99,)), Said("You said: " + "x" * 54, stop="length", spent=16)),),
)

FALLBACK = Conversation(
    "fault before content",
    model="fails",
    tools=(TIME,),
    steps=(
        Step(User(("Hello",)), _calls(CALLED_TIME), attempts=2),
        Step(Results((Result(("12:00",)),)), Said("The tools answered:\nget_time: 12:00"), attempts=2),
    ),
)

BROKEN = Conversation(
    "break after content",
    model="breaks",
    steps=(
        Step(
            User(("Hello " * 9,)),
            Said(text=None, stop="none", error="connection_error", counted=None),
            streamed=Said(text=None, stop="none", error="stream_interrupted", so_far=True, counted=None),
        ),
    ),
)

STALLED = Conversation(
    "stall after content",
    model="stalls",
    steps=(
        Step(
            User(("Hello " * 9,)),
            Said(text=None, stop="none", error="timeout_error", counted=None),
            streamed=Said(text=None, stop="none", error="timeout_error", so_far=True, counted=None),
        ),
    ),
)

CONVERSATIONS = (
    TEXT, TWO_CALLS, ROUNDS, CALL_AFTER_TEXT, FORCED, NO_CALL, REASONING, REASONING_FORGOTTEN,
    REASONING_ROUNDS, REASONING_ROUNDS_FORGOTTEN, IMAGE, IMAGE_RESULT,
    ERROR_RESULT, STRUCTURED, STRUCTURED_AFTER_TOOLS, NAMES, REFUSAL, LENGTH, FALLBACK, BROKEN, STALLED,
)  # fmt: skip
