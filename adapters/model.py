"""The neutral request and answer: what four dialects and eight APIs have in common.

Values are slotted dataclasses that nobody changes after they are made (`dataclasses.replace` makes a changed one).
What only one API knows travels in `extras`, by API name and in its order, and is written back by that API alone:
the neutral fields never hold a wire's spelling. Sources: the wire files of 2026-11; `tests/adapters/test_model_doc.py`
walks one rich conversation of each API and dialect through these types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

Json = Any
"""Decoded JSON."""

Extras = Mapping[str, Mapping[str, Json]]
"""API name -> that API's own fields, in their order."""


class _Nothing(dict[str, Any]):
    """An empty dictionary that stays empty and can be a dataclass default (those must be hashable)."""

    __slots__ = ()

    def __setitem__(self, key: str, value: Any) -> NoReturn:
        raise TypeError("NOTHING stays empty")

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


NOTHING: Extras = _Nothing()

Role = Literal["system", "developer", "user", "assistant", "tool"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
StopReason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(slots=True)
class CacheMark:
    """A prompt-cache breakpoint right after what carries it. `ttl` such as "5m", "1h"; None: the API's default."""

    ttl: str | None = None


# --- parts of messages and answers -------------------------------------------------------------------------------


@dataclass(slots=True)
class Citation:
    """A source of a stretch of text. `start` and `end` count characters of the part's text."""

    url: str | None = None
    title: str | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class Text:
    """Plain text. `signature` is a Gemini thought signature that came on a text part."""

    text: str
    cache: CacheMark | None = None
    citations: tuple[Citation, ...] = ()
    signature: str | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class Refusal:
    """The model's own words of refusal, where an API keeps them apart from text."""

    text: str
    extras: Extras = NOTHING


@dataclass(slots=True)
class Media:
    """An image, a file, audio or video. Exactly one of `data`, `url`, `file_id`, `text` is set.

    `data` is base64 without a `data:` prefix, `mime` its type; `text` is a plain-text document. `detail` is OpenAI's
    image detail.
    """

    kind: Literal["image", "file", "audio", "video"]
    mime: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    text: str | None = None
    name: str | None = None
    detail: str | None = None
    cache: CacheMark | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class Reasoning:
    """One block of a model's reasoning: readable text, an opaque signed part, or both.

    `api` names the API whose native block this is (None: text only, nobody can verify it). `origin` says who made it
    (`Upstream.origin`), so that it is never sent to another provider or model family; None with an `api`: it came
    from a client of the API's own dialect, which does not say. `sections` are the texts of a Responses summary, one
    an entry; `text` then is their join by a blank line. `signature` is Anthropic's or Gemini's, `data` an encrypted
    or redacted payload, `id` a Responses item id. `extras` holds what else the native block had.
    """

    text: str = ""
    api: str | None = None
    origin: str | None = None
    id: str | None = None
    signature: str | None = None
    data: str | None = None
    sections: tuple[str, ...] | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class ToolCall:
    """A call of a tool. `arguments` is the JSON text exactly as the model wrote it; for a custom tool the raw input."""

    id: str
    name: str
    arguments: str
    kind: Literal["function", "custom"] = "function"
    signature: str | None = None
    origin: str | None = None
    """Who made `signature` (as `Reasoning.origin`)."""
    cache: CacheMark | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class ToolResult:
    """What a tool call returned. `content` holds Text, Media and Opaque parts; `is_error` None where nobody said."""

    call_id: str
    content: tuple[Part, ...]
    is_error: bool | None = None
    name: str | None = None
    kind: Literal["function", "custom"] = "function"
    cache: CacheMark | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class Opaque:
    """A native block of one API that others have no word for (server tools and their results, compaction, …).

    Echoed unchanged and in place to `api`; others get `text` if there is some, else it is left out with a warning.
    """

    api: str
    data: Json
    text: str = ""


Part = Text | Refusal | Media | Reasoning | ToolCall | ToolResult | Opaque


@dataclass(slots=True)
class Message:
    """A turn. ToolResult parts stand in messages of role "tool" only, ToolCall and Reasoning in "assistant" only."""

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    extras: Extras = NOTHING


# --- tools -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Grammar:
    """The input format of a custom tool. `syntax` is "lark" or "regex"."""

    syntax: str
    definition: str


@dataclass(slots=True)
class Tool:
    """A tool the client offers.

    function: `schema` is the JSON Schema of its arguments (None: none was declared). custom: free text input, maybe
    under a `grammar`. builtin: run by the upstream; `builtin` is a neutral word ("web_search", "web_fetch",
    "code_execution", "file_search", "computer", "image_generation", "mcp", …) and `extras[api]` the native declaration.
    `strict` keeps the client's true, false or unset (None): their meaning differs per API.
    """

    name: str
    description: str | None = None
    schema: Json = None
    strict: bool | None = None
    kind: Literal["function", "custom", "builtin"] = "function"
    grammar: Grammar | None = None
    namespace: str | None = None
    builtin: str | None = None
    deferred: bool = False
    cache: CacheMark | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class ToolChoice:
    """`names`: the one tool of "named", the allowed set of "allowed" (there `required` says must or may).

    A forced built-in tool is "named" with its Tool.name.
    """

    mode: Literal["auto", "none", "required", "named", "allowed"]
    names: tuple[str, ...] = ()
    required: bool = False
    extras: Extras = NOTHING


# --- request -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class OutputFormat:
    """Structured output. kind "json" is any JSON object, "schema" one that fits `schema`.

    `extras` is the native form, for the API whose client said it.
    """

    kind: Literal["text", "json", "schema"]
    schema: Json = None
    name: str | None = None
    description: str | None = None
    strict: bool | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class Thinking:
    """How much to reason and whether to show it. `budget` in tokens where the client named one (-1: dynamic)."""

    effort: Effort | None = None
    budget: int | None = None
    visible: bool | None = None
    extras: Extras = NOTHING


@dataclass(slots=True)
class Sampling:
    """None: the client did not say."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    logit_bias: Json = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    n: int | None = None


@dataclass(slots=True)
class Request:
    """What the client asked, whatever it speaks.

    `modalities`: what the answer may hold besides text ("audio", "image"). `extras[api]` are top-level fields that only
    that API knows, `headers[api]` headers that go to that API alone (`anthropic-beta`, `anthropic-version`),
    `options[api]` the client's `provider_options`, merged last.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice | None = None
    parallel: bool | None = None
    sampling: Sampling = field(default_factory=Sampling)
    output: OutputFormat | None = None
    thinking: Thinking | None = None
    stream: bool = False
    user: str | None = None
    metadata: Mapping[str, Json] | None = None
    service_tier: str | None = None
    verbosity: str | None = None
    cache_key: str | None = None
    store: bool | None = None
    modalities: tuple[str, ...] = ()
    dialect: str = ""
    extras: Extras = NOTHING
    headers: Mapping[str, Mapping[str, str]] = NOTHING
    options: Extras = NOTHING


# --- answer ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Usage:
    """Token counts. `input` includes cached tokens, `output` includes reasoning; None: the upstream did not say."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    extras: Extras = NOTHING

    def updated(self, later: Usage) -> Usage:
        """The later count wins field by field; a missing one never overwrites a known one."""
        return Usage(
            self.input if later.input is None else later.input,
            self.output if later.output is None else later.output,
            self.cache_read if later.cache_read is None else later.cache_read,
            self.cache_write if later.cache_write is None else later.cache_write,
            self.reasoning if later.reasoning is None else later.reasoning,
            {**self.extras, **later.extras} if later.extras else self.extras,
        )


@dataclass(slots=True)
class Answer:
    """A whole answer, as folded from its events. `others` are the further choices of a request with n > 1.

    `native_stop` is the API's own word for `stop`, `sequence` the stop text that matched; `logprobs` in the shape of
    Chat Completions (`{token, logprob, bytes, top_logprobs}`).
    """

    parts: tuple[Part, ...]
    stop: StopReason | None = None
    usage: Usage = field(default_factory=Usage)
    id: str | None = None
    model: str | None = None
    native_stop: str | None = None
    sequence: str | None = None
    logprobs: tuple[Json, ...] = ()
    extras: Extras = NOTHING
    others: tuple[Answer, ...] = ()
