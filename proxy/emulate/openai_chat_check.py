"""What OpenAI Chat Completions refuses, rule by rule (openai-chat §1–§3, 2026-11)."""

from __future__ import annotations

from typing import Any

Json = Any


class Problem(Exception):
    """A rule that the request breaks, with what the API answers."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.status = status
        self.kind = "invalid_request_error"


def check(body: Json) -> None:
    """Raises Problem for the first rule that is broken."""
    if not isinstance(body, dict):
        raise Problem("The body of your request must be a JSON object.")
    for field in ("model", "messages"):
        if field not in body:
            raise Problem(f"Missing required parameter: '{field}'.", field, "missing_required_parameter")
