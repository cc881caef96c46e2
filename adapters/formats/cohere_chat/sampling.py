"""Sampling fields in Cohere's names and ranges (2026-11)."""

from __future__ import annotations

from adapters.model import Json, Sampling

MOST_STOPS = 5


def fields(asked: Sampling, warnings: dict[str, None]) -> dict[str, Json]:
    """Those that were asked for; None for the others."""
    stop = [text for text in asked.stop if text]
    if len(stop) > MOST_STOPS:
        warnings[f"stop: only the first {MOST_STOPS} sequences are sent, cohere-chat takes no more"] = None
    frequency = _within("frequency_penalty", asked.frequency_penalty, 0, 1, warnings)
    presence = _within("presence_penalty", asked.presence_penalty, 0, 1, warnings)
    if frequency and presence:
        warnings["presence_penalty: left out, cohere-chat takes only one of both penalties"] = None
    if frequency is not None and presence is not None:
        frequency, presence = (frequency, None) if frequency else (None, presence)
    return {
        "max_tokens": asked.max_tokens,
        "stop_sequences": stop[:MOST_STOPS] or None,
        "temperature": _within("temperature", asked.temperature, 0, 1, warnings),
        "p": _within("top_p", asked.top_p, 0.01, 0.99, warnings),
        "k": _within("top_k", asked.top_k, 0, 500, warnings),
        "seed": asked.seed,
        "frequency_penalty": frequency,
        "presence_penalty": presence,
        "logprobs": asked.logprobs or None,
    }


def _within(
    name: str, value: float | None, least: float, most: float, warnings: dict[str, None]
) -> float | None:
    if value is None or least <= value <= most:
        return value
    nearest = least if value < least else most
    warnings[f"{name}: cohere-chat takes {least} to {most}, {nearest} is sent"] = None
    return nearest
