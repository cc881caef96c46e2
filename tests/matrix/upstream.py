"""The upstreams of the matrix, and what a request that reached one had in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from proxy.demo import emulated
from proxy.emulate import Emulation
from proxy.emulate.api import Received
from tests.matrix.conversations import CONVERSATIONS
from tests.matrix.neutral import Conversation, Image, Sent, User

Json = Any


@dataclass(frozen=True, slots=True)
class Target:
    """An upstream: a provider of the proxy on one emulated API. `more` is YAML of the provider.

    `only`: the conversations that are held with it, empty for all.
    """

    name: str
    api: str
    model: str = "agent"
    more: str = ""
    only: tuple[str, ...] = ()


THINKING = ("reasoning", "reasoning forgotten", "reasoning in rounds", "reasoning in rounds forgotten")

_FAMILIES = (
    ("anthropic-messages", "claude-sonnet-4-5"),
    ("anthropic-messages", "claude-opus-4-6"),
    ("anthropic-messages", "claude-opus-5-5"),
    ("openai-responses", "gpt-5"),
    ("openai-responses", "gpt-5.4"),
    ("openai-responses", "o3"),
    ("mistral-chat", "mistral-small-latest"),
    ("google-gemini", "gemini-2.5-flash"),
    ("google-gemini", "gemini-3-pro-preview"),
    ("google-gemini", "gemini-3.7"),
    ("bedrock-converse", "anthropic.claude-sonnet-4-5-v1"),
    ("bedrock-converse", "anthropic.claude-opus-4-6-v1"),
    ("bedrock-converse", "amazon.nova-2-lite-v1"),
    ("bedrock-converse", "openai.gpt-oss-120b-1"),
)
"""Model families that think and sign in a way of their own."""

_HOSTS = (
    ("deepseek-v4-pro", "preset: deepseek", "reasoning_echo: required, tool_choice: auto-only, tool_id: max-40"),
    ("openrouter-claude", "preset: openrouter", "tool_id: max-40"),
)
"""Hosts of openai-chat that want reasoning back."""


_KNOWN = {
    "openai-chat": "compat: {reasoning_style: effort, tool_id: max-40}",
    "bedrock-converse": "models: {agent: {family: claude-sonnet-4-5}}",
}
"""What the operator says of a host or model that nobody knows by its name."""


def targets() -> tuple[Target, ...]:
    """Every API that exists on both sides; model families and hosts of its own way to think for the ones that do."""
    built = emulated()
    return (
        *(Target(api, api, more=_KNOWN.get(api, "")) for api in built),
        *(
            Target(family, api, f"agent-{family}", f"models: {{agent-{family}: {{family: {family}}}}}", THINKING)
            for api, family in _FAMILIES
            if api in built
        ),
        *(
            Target(name, "openai-chat", f"agent-{name}", f"{preset}, compat: {{{flags}}}", THINKING)
            for name, preset, flags in _HOSTS
        ),
    )


def asked() -> tuple[tuple[Target, Conversation], ...]:
    """Every conversation with every target that holds it."""
    return tuple(
        (target, conversation)
        for target in targets()
        for conversation in CONVERSATIONS
        if not target.only or conversation.name in target.only
    )


def providers(base_url: Callable[[str], str]) -> str:
    """The targets as providers; `base_url` gives an API's. `NAME-hurried` waits for nothing."""
    lines = ["providers:"]
    for one in targets():
        kind = "" if "preset:" in one.more else f"api: {one.api}, "
        more = f", {one.more}" if one.more else ""
        known = f'{kind}base_url: "{base_url(one.api)}", api_key: k{more}'
        lines.append(f'  "{one.name}": {{{known}}}')
        if not one.only:
            lines.append(f'  "{one.name}-hurried": {{{known}, timeout: {{idle: 0.2, total: 0.6}}}}')
    return "\n".join(lines) + "\n"


def config(emulation: Emulation) -> str:
    """Providers and, for each API, the routes of the models that fail: `NAME--fails` falls back to the next one."""
    lines = ["models:"]
    apis = [target.name for target in targets() if not target.only]
    for api, other in zip(apis, (*apis[1:], apis[0]), strict=True):
        retry = "retry: {attempts: 1}"
        lines.append(f"  {api}--fails: {{target: {api}/fault-error-first, fallbacks: [{other}/agent], {retry}}}")
        lines.append(f"  {api}--cut: {{target: {api}/fault-cut, {retry}}}")
        lines.append(f"  {api}--stall: {{target: {api}-hurried/fault-stall, {retry}}}")
        lines.append(f"  {api}--refusal: {{target: {api}/fault-refusal, {retry}}}")
    return providers(emulation.base_url) + "\n".join(lines) + "\n"


_FAULTS = {"refuses": "refusal", "fails": "fails", "breaks": "cut", "stalls": "stall"}


def model(target: Target, conversation: Conversation) -> str:
    """The model name that the client asks for."""
    if conversation.model == "agent":
        return f"{target.name}/{target.model}"
    return f"{target.name}--{_FAULTS[conversation.model]}"


# --- what went up --------------------------------------------------------------------------------------------------


def sent(received: Received, conversation: Conversation) -> Sent:
    """What the request had in it, in no wire's form."""
    images = {part.data for step in conversation.steps for part in _parts(step.turn) if isinstance(part, Image)}
    objects = list(_objects(received.body))
    return Sent(
        images=sum(received.raw.count(data.encode()) for data in images),
        replayed=any(_is_reasoning(one) for one in objects),
        flagged=any(_is_flagged(one) for one in objects),
    )


def _parts(turn: Any) -> Iterator[Any]:
    if isinstance(turn, User):
        yield from turn.content
    else:
        for result in turn.results:
            yield from result.content


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    match value:
        case dict():
            yield value
            for one in value.values():
                yield from _objects(one)
        case list():
            for one in value:
                yield from _objects(one)


def _is_reasoning(one: dict[str, Json]) -> bool:
    match one:
        case {"type": "thinking", "signature": str(sign)} | {"thoughtSignature": str(sign)}:  # Anthropic; Gemini
            return bool(sign) and "skip_thought" not in sign
        case {"type": "redacted_thinking", "data": str()} | {"encrypted_content": str()}:  # Anthropic; Responses
            return True
        case {"reasoningText": {"signature": str()}} | {"type": "reasoning.text", "signature": str()}:
            return True  # Bedrock; OpenRouter
        case {"role": "assistant", "reasoning_content": str()} | {"role": "assistant", "thinking": str()}:
            return True  # DeepSeek and its like; Ollama
        case {"type": "thinking", "thinking": [*_]} | {"tool_plan": str()}:  # Mistral; Cohere
            return True
        case {"type": "thinking", "thinking": str()}:  # Cohere
            return "signature" not in one
    return False


def _is_flagged(one: dict[str, Json]) -> bool:
    match one:
        case {"type": "tool_result", "is_error": True} | {"toolUseId": _, "status": "error"}:
            return True
        case {"functionResponse": {"response": {"error": _}}}:
            return True
        case {"role": "tool", "content": str(text)}:
            return text.startswith("error: ")
    return False
