"""`inferenceConfig` and the sampling fields of single families (2026-11)."""

from __future__ import annotations

from dataclasses import dataclass, field

from adapters.formats.bedrock_converse.models import Known
from adapters.formats.bedrock_converse.thinking import Decided
from adapters.formats.bedrock_converse.wire import NAME
from adapters.model import Json, Sampling

_OLDER = 4096
"""What Claude models up to 4.1 get when nobody says: their maximum and the input must fit the window together."""


@dataclass(slots=True, frozen=True)
class Sampled:
    """`inferenceConfig`, and further fields of the model."""

    config: dict[str, Json] = field(default_factory=dict)
    fields: dict[str, Json] = field(default_factory=dict)


def sampled(asked: Sampling, model: Known, decided: Decided, warnings: dict[str, None]) -> Sampled:
    """What of the client's wishes the model takes."""
    wanted: dict[str, Json] = {
        "temperature": _within("temperature", asked.temperature, warnings),
        "top_p": _within("top_p", asked.top_p, warnings),
        "top_k": asked.top_k,
    }
    for name in _refused(wanted, model, decided):
        if wanted[name] is not None and (wanted[name] != 1 or name == "top_k"):
            warnings[f"{name}: left out, the model does not take it here"] = None
        wanted[name] = None
    config = {
        "maxTokens": _max_tokens(asked, model, decided, warnings),
        "temperature": wanted["temperature"],
        "topP": wanted["top_p"],
        "stopSequences": _stop(asked, model, warnings) or None,
    }
    further: dict[str, Json] = {}
    if (value := wanted["top_k"]) is not None:
        *outer, last = model.family.top_k
        further = {last: value}
        for name in reversed(outer):
            further = {name: further}
    return Sampled({key: value for key, value in config.items() if value is not None}, further)


def _refused(wanted: dict[str, Json], model: Known, decided: Decided) -> tuple[str, ...]:
    """The fields that must not be sent. For Claude the rules of the Messages API hold."""
    no_top_k = () if model.family.top_k else ("top_k",)
    if not model.family.sampling or (model.claude and model.facts.sampling == "none"):
        return ("temperature", "top_p", "top_k")
    if decided.thinks:
        return ("temperature", "top_k")
    if model.claude and model.facts.sampling == "one" and wanted["temperature"] is not None:
        return ("top_p", *no_top_k)
    return no_top_k


def _max_tokens(asked: Sampling, model: Known, decided: Decided, warnings: dict[str, None]) -> int | None:
    """Absent, the model's own maximum holds."""
    if asked.max_tokens is not None or decided.budgeted:
        if decided.max_tokens < 1:
            warnings["max_tokens: at least 1 is sent"] = None
        return max(decided.max_tokens, 1)
    older = model.claude and model.facts.known and model.facts.default_whole <= _OLDER
    return _OLDER if older else None


def _stop(asked: Sampling, model: Known, warnings: dict[str, None]) -> list[str]:
    """Empty sequences are a 400, blank ones are for Claude."""
    stop = [text for text in asked.stop if (text.strip() if model.claude else text)]
    if len(stop) < len(asked.stop):
        warnings[f"stop: blank sequences are left out, {NAME} refuses them"] = None
    return stop


def _within(name: str, value: float | None, warnings: dict[str, None]) -> float | None:
    if value is None or 0 <= value <= 1:
        return value
    nearest = min(max(value, 0), 1)
    warnings[f"{name}: {NAME} takes 0 to 1, {nearest} is sent"] = None
    return nearest
