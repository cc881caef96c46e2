"""Google credentials as a file or as its text, judged as far as it goes without asking Google (2026-11)."""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

from proxy.config.extras import installed as extra
from proxy.config.extras import needs

NEEDED = {
    "service_account": ("client_email", "private_key", "token_uri"),
    "authorized_user": ("client_id", "client_secret", "refresh_token"),
    "external_account": ("audience", "subject_token_type", "token_url", "credential_source"),
    "external_account_authorized_user": ("client_id", "client_secret", "refresh_token", "token_url"),
    "impersonated_service_account": ("source_credentials", "service_account_impersonation_url"),
}
"""Types that google-auth turns into access tokens -> the keys that each must have."""

MISSING = needs("google-auth", "vertex")

_OBJECTS = ("credential_source", "source_credentials")
_PEM = re.compile(r"\s*-----BEGIN ([A-Z ]*PRIVATE KEY)-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END \1-----\s*")


def installed() -> bool:
    """Whether the extra `vertex` is there."""
    return extra("vertex")


def info(credentials: str) -> dict[str, Any]:
    """The content of a file (or of the JSON text itself). Raises ValueError with what is wrong, quoting nothing."""
    text = credentials.encode("utf-8", "replace") if credentials.lstrip().startswith("{") else _read(credentials)
    try:
        made = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON, as a Google credentials file would be") from None
    if not isinstance(made, dict):
        raise ValueError("is no JSON object, as in a Google credentials file")
    kind = made.get("type")
    if not isinstance(kind, str) or kind not in NEEDED:
        raise ValueError(f'has no known "type" of Google credentials (known: {", ".join(NEEDED)})')
    for key in NEEDED[kind]:
        if not isinstance(made.get(key), dict if key in _OBJECTS else str) or not made[key]:
            raise ValueError(f'lacks "{key}", which credentials of the type {kind} have')
    if kind == "service_account" and not _is_key(made["private_key"]):
        raise ValueError('has a "private_key" that is no PEM private key')
    return made


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or 'an unusable path'}") from None
    except ValueError:
        raise ValueError("cannot be read: an unusable path") from None


def _is_key(text: str) -> bool:
    found = _PEM.fullmatch(text)
    try:
        return found is not None and len(b64decode("".join(found[2].split()), validate=True)) > 0
    except (binascii.Error, ValueError):
        return False
