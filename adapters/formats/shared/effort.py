"""Reasoning effort in words and in tokens: one table for all wires that have a thinking budget (2026-11)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.model import Effort

BUDGETS: Mapping[Effort, int] = {
    "none": 0,
    "minimal": 1024,
    "low": 2048,
    "medium": 10_000,
    "high": 16_384,
    "xhigh": 32_768,
    "max": 32_768,
}
"""Effort -> thinking tokens."""


def effort_of(budget: int) -> Effort | None:
    """The effort that a budget amounts to; None for a dynamic one (-1)."""
    if budget < 0:
        return None
    if budget == 0:
        return "none"
    for effort in ("low", "medium", "high"):
        if budget <= BUDGETS[effort]:
            return effort
    return "xhigh"
