"""What Mistral's errors mean (wire page §8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from adapters.errors import Failure
from adapters.formats.shared import openai_errors
from adapters.model import Json

_MODEL = "1500"
_UNPAID = re.compile(r"payment|subscription", re.IGNORECASE)
_REFUSED = frozenset({401, 402, 403})


def failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """The failure that a non-2xx answer means. A 503 is a full backend, also with the words of a rate limit."""
    found = openai_errors.failure(status, headers, body)
    if status == 503:
        return replace(found, type="overloaded_error")
    if status in _REFUSED and _UNPAID.search(found.message):
        return replace(found, type="billing_error")
    return _named(found, b'"invalid_model"' in body)


def inside(error: Json) -> Failure:
    """The failure that an error object inside a 200 means; a code of digits is Mistral's own."""
    found = openai_errors.failure_inside(error)
    return _named(found, isinstance(error, dict) and error.get("type") == "invalid_model")


def _named(found: Failure, model: bool) -> Failure:
    return replace(found, type="not_found_error") if model or found.code == _MODEL else found
