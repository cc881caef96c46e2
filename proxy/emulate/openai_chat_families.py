"""Rules that only some models of the Chat Completions API have (openai-chat §7, 2026-11), chosen by `agent-FAMILY`.

No family: reasoning text is given when an effort is asked for, and taken back.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from proxy.emulate.openai_chat_hosts import host_of
from proxy.emulate.openai_rules import Problem

Json = Any

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")

_GPT5 = re.compile(r"gpt-5(?:\.(?P<minor>\d+))?(?P<rest>.*)")
_SAMPLING = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias")


def is_openai(family: str) -> bool:
    """Whether the family is one of OpenAI's own, which neither give nor take reasoning text here."""
    return re.match(r"gpt-|chatgpt-|o\d", family) is not None


def reasoning_fields(family: str) -> tuple[str, ...]:
    """Members of an assistant message that carry reasoning and are taken."""
    return () if is_openai(family) else REASONING_FIELDS


def extra_fields(family: str) -> tuple[str, ...]:
    """Top-level fields that only this family's hosts know."""
    for prefix, names in _EXTRA.items():
        if family.startswith(prefix):
            return names
    return ()


_EXTRA: dict[str, tuple[str, ...]] = {
    "deepseek": ("thinking",),
    "qwen": ("enable_thinking", "thinking_budget", "top_k"),
    "kimi": ("thinking",),
    "glm": ("thinking", "tool_stream"),
    "vllm": ("chat_template_kwargs", "top_k", "min_p", "guided_json", "structured_outputs", "stop_token_ids"),
    "openrouter": ("reasoning", "provider", "models", "transforms", "plugins", "usage", "top_k"),
}


def missing_fields(family: str) -> tuple[str, ...]:
    """Top-level fields that this family's hosts do not know yet."""
    return ("stream_options", "parallel_tool_calls") if family.startswith("azure-old") else ()


def takes_marks(family: str) -> bool:
    """Whether tools and content parts may carry Anthropic's `cache_control` (openai-chat §2)."""
    return family.startswith(("openrouter", "qwen", "zai", "glm"))


def unmarked(value: Json) -> Json:
    """The same without well-formed cache marks."""
    match value:
        case dict():
            kept = {name: one for name, one in value.items() if name != "cache_control" or not _is_mark(one)}
            return {name: unmarked(one) for name, one in kept.items()}
        case list():
            return [unmarked(one) for one in value]
    return value


def _is_mark(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == "ephemeral" and value.keys() <= {"type", "ttl"}


def has_details(family: str) -> bool:
    """Whether reasoning comes signed, in `reasoning_details` (OpenRouter)."""
    return family.startswith("openrouter")


def signature(text: str) -> str:
    """What signs a reasoning text in `reasoning_details`."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def thinks(body: Json, family: str) -> bool:
    """Whether the answer shows reasoning."""
    if is_openai(family):
        return False
    if family.startswith(("deepseek", "kimi")):
        return (body.get("thinking") or {}).get("type") != "disabled"
    if (host := host_of(family)) is not None:
        return host.asked(body)
    if has_details(family) and isinstance(wanted := body.get("reasoning"), dict):
        return wanted.get("enabled") is not False and wanted.get("effort") != "none"
    return body.get("reasoning_effort") not in (None, "none")


def check_family(body: Json, family: str) -> None:
    """Raises Problem for the first rule of the family that is broken."""
    if family.startswith(("deepseek", "kimi")):
        _check_echo(body, family)
        _check_forced(body, family)
    elif has_details(family):
        _check_details(body, family)
    elif is_reasoning(family):
        _check_reasoning(body, family)
    elif "search-preview" in family and body.get("temperature") is not None:
        raise unsupported("temperature")


def is_reasoning(family: str) -> bool:
    """OpenAI's reasoning models."""
    return re.match(r"o\d|gpt-5", family) is not None


def _check_echo(body: Json, family: str) -> None:
    if not thinks(body, family):
        return
    for index, message in enumerate(body["messages"]):
        if message["role"] != "assistant" or message.get("reasoning_content") is not None:
            continue
        if family.startswith("deepseek"):
            raise Problem("The `reasoning_content` in the thinking mode must be passed back to the API.")
        if message.get("tool_calls"):
            text = "thinking is enabled but reasoning_content is missing in assistant tool call message at index"
            raise Problem(f"{text} {index}")


def _check_details(body: Json, family: str) -> None:
    """Signed reasoning comes back unchanged with the calls of the running turn."""
    messages = body["messages"]
    last_user = max((index for index, message in enumerate(messages) if message["role"] == "user"), default=-1)
    for index, message in enumerate(messages):
        details = message.get("reasoning_details")
        found = [entry for entry in details if isinstance(entry, dict)] if isinstance(details, list) else []
        for entry in found:
            if entry.get("type") == "reasoning.text" and entry.get("signature") != signature(str(entry.get("text"))):
                raise Problem(f"Provider returned error: messages.{index}: Invalid `signature` in `thinking` block")
        if index > last_user and message.get("tool_calls") and thinks(body, family) and not found:
            text = "Expected `thinking` or `redacted_thinking`, but found `tool_use`"
            raise Problem(f"Provider returned error: messages.{index}.content.0.type: {text}")


def _check_forced(body: Json, family: str) -> None:
    choice = body.get("tool_choice")
    if choice not in (None, "none", "auto") and (family.startswith("deepseek-") or choice == "required"):
        raise Problem(f"{family} does not support this tool_choice")


def _check_reasoning(body: Json, family: str) -> None:
    if body.get("max_tokens") is not None:
        text = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        raise Problem(text, "max_tokens", "unsupported_parameter")
    effort = effort_in_force(body.get("reasoning_effort"), family, "reasoning_effort")
    if body.get("temperature") not in (None, 1) and effort != "none":
        text = "Unsupported value: 'temperature' does not support "
        text += f"{body['temperature']} with this model. Only the default (1) value is supported."
        raise Problem(text, "temperature", "unsupported_value")
    for field in _SAMPLING[1:]:
        if body.get(field) not in (None, False) and effort != "none":
            raise unsupported(field)
    if body.get("stop") is not None and not family.startswith("o1"):
        raise unsupported("stop")
    if family.startswith("o1-mini") and any(m["role"] in ("system", "developer") for m in body["messages"]):
        text = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
        raise Problem(text, "messages[0].role", "unsupported_value")
    functions = any(tool["type"] == "function" for tool in body.get("tools") or [])
    if functions and effort != "none" and generation(family) >= 4:
        text = f"Function tools with reasoning_effort are not supported for {family} in /v1/chat/completions."
        raise Problem(f"{text} Please use /v1/responses instead.", "reasoning_effort")


def unsupported(field: str) -> Problem:
    """The API's sentence about a field that the model does not take."""
    text = f"Unsupported parameter: '{field}' is not supported with this model."
    return Problem(text, field, "unsupported_parameter")


def generation(family: str) -> int:
    """The N of gpt-5.N; 0 for gpt-5, -1 for others."""
    found = _GPT5.match(family)
    return int(found["minor"] or 0) if found else -1


def effort_in_force(asked: str | None, family: str, param: str) -> str:
    """The effort of a request; raises Problem for one that the generation does not know."""
    minor, found = generation(family), _GPT5.match(family)
    if asked is not None and found and "-chat" in found["rest"]:
        raise unsupported(param)
    known = _efforts(family, minor)
    if asked is not None and asked not in known:
        names = ", ".join(f"'{name}'" for name in known)
        text = f"Unsupported value: '{param}' does not support '{asked}' with this model."
        raise Problem(f"{text} Supported values are: {names}.", param, "unsupported_value")
    return asked or ("none" if 1 <= minor <= 4 and "-pro" not in family else "medium")


def _efforts(family: str, minor: int) -> tuple[str, ...]:
    known = {"low", "medium", "high"}
    if 0 <= minor < 6:
        known |= {"minimal"}
    if minor >= 1 and "-pro" not in family:
        known |= {"none"}
    if minor >= 2:
        known |= {"xhigh"}
    if minor >= 6:
        known |= {"max"}
    order = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
    return tuple(name for name in order if name in known)
