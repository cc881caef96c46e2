"""`thoughtSignature`: base64 bytes that a client returns on the part they came with (2026-11)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error

BYPASS = "skip_thought_signature_validator"
"""Documented for calls that another model made: Gemini 3 checks no signature on such a step (2026-11)."""

_TWIN = "context_engineering_is_the_way_to_go"
_URL_SAFE = str.maketrans("-_", "+/")


def decoded(signature: str) -> bytes | None:
    """The bytes of a signature in either base64 alphabet, padded or not; None for what is no base64."""
    body = signature.translate(_URL_SAFE).rstrip("=")
    try:
        return b64decode(body + "=" * (-len(body) % 4), validate=True) or None
    except (Error, ValueError):
        return None


_BYPASSES = frozenset(
    value for word in (BYPASS, _TWIN) for value in (word.encode(), decoded(word)) if value is not None
)
"""Clients write the word itself or its base64 into the field, and the SDK re-encodes either: bytes are compared."""


def is_bypass(signature: str) -> bool:
    """Whether it stands for no signature at all."""
    return decoded(signature) in _BYPASSES


def standard(signature: str) -> str | None:
    """The same bytes in padded base64 of the standard alphabet, which is all that the Python SDK takes."""
    value = decoded(signature)
    return None if value is None else b64encode(value).decode("ascii")
