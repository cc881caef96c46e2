"""What hosts of the Chat Completions API refuse of what OpenAI takes, and how they are told to reason, by
`agent-HOST` (openai-chat §10, §11, 2026-11). A host is named like its preset, or by the family of its models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from proxy.emulate.openai_rules import Problem

Json = Any

_PENALTIES = ("presence_penalty", "frequency_penalty")
_OPENAI = ("store", "metadata", "service_tier", "prompt_cache_key", "safety_identifier", "moderation")
_PARALLEL = "parallel_tool_calls"
_SONAR = (_PARALLEL, "tools", "tool_choice", "stop", "seed", "n", "logit_bias", "logprobs", "top_logprobs")


@dataclass(frozen=True, slots=True)
class Host:
    """`fields`: top-level fields that are refused. `choices`: forms of `tool_choice` that are. `developer`, `strict`,
    `custom`, `name`: whether the role, the switch, such tools and a message's name are taken. `only_json`: no schema in
    `response_format`. `words`: what is refused in
    schemas. `echo`: the one field in which reasoning is taken
    back (None: any). `asked`: where the wish to reason stands. `most_tools`: None is no limit.
    """

    fields: tuple[str, ...] = _OPENAI
    choices: tuple[Literal["required", "named", "object"], ...] = ()
    developer: bool = False
    strict: bool = True
    custom: bool = False
    name: bool = True
    only_json: bool = False
    words: tuple[str, ...] = ()
    echo: str | None = None
    asked: Callable[[Json], bool] = lambda body: body.get("reasoning_effort") not in (None, "none")
    most_tools: int | None = 128


def _by_thinking(body: Json) -> bool:
    return (body.get("thinking") or {}).get("type") == "enabled"


def _by_template(body: Json) -> bool:
    return bool((body.get("chat_template_kwargs") or {}).get("enable_thinking"))


def _by_switch(body: Json) -> bool:
    return (body.get("reasoning") or {}).get("enabled") is True


_MOONSHOT = Host(
    fields=(*_OPENAI, _PARALLEL), choices=("required",), strict=False, only_json=True, words=("type:beside-anyOf",),
)  # fmt: skip
_ZAI = Host(
    fields=(*_OPENAI, _PARALLEL, "n", "seed", "logit_bias", "logprobs", "top_logprobs", *_PENALTIES),
    choices=("required", "named"), strict=False, only_json=True, echo="reasoning_content", asked=_by_thinking,
)  # fmt: skip

HOSTS: Mapping[str, Host] = {
    "azure": Host(fields=(), developer=True, custom=True),
    "deepseek": Host(fields=(*_OPENAI, _PARALLEL), strict=False, only_json=True),
    "qwen": Host(choices=("required",), strict=False, asked=lambda body: body.get("enable_thinking") is True),
    "xai": Host(fields=(*_OPENAI, "stop", *_PENALTIES), name=False, words=("additionalProperties:false",)),
    "groq": Host(fields=(*_OPENAI, "logprobs", "top_logprobs", "logit_bias", "n"), name=False, echo="reasoning"),
    "together": Host(echo="reasoning_content", asked=_by_switch),
    "fireworks": Host(strict=False),
    "cerebras": Host(fields=(*_OPENAI, _PARALLEL, "logit_bias", "max_tokens", *_PENALTIES), echo="reasoning"),
    "moonshot": _MOONSHOT,
    "kimi": _MOONSHOT,
    "zai": _ZAI,
    "glm": _ZAI,
    "minimax": Host(fields=(*_OPENAI, _PARALLEL, "n", "max_tokens"), strict=False, echo="reasoning_details"),
    "vllm": Host(asked=_by_template, most_tools=None),
    "llama-cpp": Host(words=("pattern:unanchored",), asked=_by_template, most_tools=None),
    "lm-studio": Host(choices=("object",), most_tools=None),
    "perplexity": Host(fields=(*_OPENAI, *_SONAR)),
    "nvidia": Host(asked=_by_template),
}

PLAYED = frozenset({*HOSTS, "openai", "openrouter"})
"""Presets whose host is emulated with what it refuses."""

EXTRA = ("thinking", "enable_thinking", "thinking_budget", "reasoning", "reasoning_split", "chat_template_kwargs")
"""Fields beside OpenAI's own that tell hosts how to reason."""


_CASES: Mapping[str, Callable[[Json], bool]] = {
    "additionalProperties:false": lambda schema: schema.get("additionalProperties") is False,
    "pattern:unanchored": lambda schema: re.fullmatch(r"\^.*\$", str(schema.get("pattern", "^$"))) is None,
    "type:beside-anyOf": lambda schema: "type" in schema and "anyOf" in schema,
}

def host_of(family: str) -> Host | None:
    """The host of a model family: the one whose name it is, or begins with."""
    return next((host for name, host in HOSTS.items() if family == name or family.startswith(f"{name}-")), None)


def check_host(body: Json, family: str) -> None:
    """Raises Problem for the first thing that the host refuses."""
    host = host_of(family)
    if host is None:
        return
    for field in host.fields:
        if body.get(field) is not None:
            raise Problem(f"Unrecognized request argument supplied: {field}", field)
    for index, message in enumerate(body["messages"]):
        _message(message, f"messages[{index}]", host)
    for index, tool in enumerate(body.get("tools") or []):
        _tool(tool, f"tools[{index}]", host)
    _choice(body.get("tool_choice"), host)
    if host.only_json and (body.get("response_format") or {}).get("type") == "json_schema":
        raise Problem("This response_format type is unavailable now", "response_format")


def _message(message: Json, path: str, host: Host) -> None:
    if message["role"] == "developer" and not host.developer:
        raise Problem("unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`", path)
    if message.get("name") is not None and not host.name:
        raise Problem("property 'name' is unsupported", f"{path}.name")
    if host.echo is not None:
        for field in ("reasoning_content", "reasoning", "reasoning_details"):
            if field != host.echo and message.get(field) is not None:
                raise Problem(f"property '{field}' is unsupported", f"{path}.{field}")


def _tool(tool: Json, path: str, host: Host) -> None:
    if tool["type"] == "custom" and not host.custom:
        raise Problem("unknown variant `custom`, expected `function`", f"{path}.type")
    function = tool.get("function") or {}
    if function.get("strict") is not None and not host.strict:
        raise Problem("property 'strict' is unsupported", f"{path}.function.strict")
    for word in host.words:
        if word in _words(function.get("parameters")):
            raise Problem(f"failed to parse the schema: {word} is not supported", f"{path}.function.parameters")


def _choice(choice: Json, host: Host) -> None:
    if isinstance(choice, dict) and "object" in host.choices:
        text = "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"
        raise Problem(text, "tool_choice")
    form = "named" if isinstance(choice, dict) else choice
    if form in host.choices or (isinstance(choice, dict) and choice["type"] == "allowed_tools" and not host.custom):
        raise Problem(f"tool_choice {form!r} is not supported", "tool_choice")


def _words(schema: Json) -> Iterator[str]:
    """Which cases there are in a schema; names of properties are no keywords."""
    if isinstance(schema, dict):
        yield from (word for word, is_in in _CASES.items() if is_in(schema))
        for word, inner in schema.items():
            for one in inner.values() if word in ("properties", "$defs") and isinstance(inner, dict) else (inner,):
                yield from _words(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _words(one)
