"""Beta values for Claude models, which its Messages clients send and more than one API takes (2026-11)."""

from __future__ import annotations

from fnmatch import fnmatchcase

from adapters.format import Upstream
from adapters.model import NOTHING, Request

MESSAGES = "anthropic-messages"
"""Whose headers they stand in."""


def betas(request: Request, upstream: Upstream) -> dict[str, bool]:
    """Each value once, in the client's order, and whether `compat.betas` allows it."""
    said = str(request.headers.get(MESSAGES, NOTHING).get("anthropic-beta", ""))
    patterns = upstream.compat.get("betas", ("*",))
    values = [value.strip() for value in said.split(",") if value.strip()]
    return {value: any(fnmatchcase(value, pattern) for pattern in patterns) for value in values}
