"""Access tokens for Vertex by google-auth (extra `vertex`): from a credentials file, its text, or the environment.

All of it blocks: it runs in the thread of `sign_in.Tokens`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Any

from adapters.errors import Failure
from proxy.config import google
from proxy.config.model import Provider
from proxy.upstream.sign_in import SignIn, Token, Tokens
from proxy.upstream.transport import Broken

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
SECONDS = 10.0
"""What one request to a token endpoint may take."""

_AWS_TOKEN = "urn:ietf:params:aws:token-type:aws4_request"
NO_TOKEN = "The token endpoint's answer holds no access token."
_TOKEN = re.compile(r"[!-~]+")
_WORD = re.compile(r"[a-z][a-z_]{2,40}")


class SignIns:
    """The sign-ins of Vertex providers. Those with equal credentials share one, also over a reload."""

    def __init__(self, environ: Mapping[str, str], wall: Callable[[], float]) -> None:
        self._environ = environ
        self._wall = wall
        self._known: dict[str, SignIn] = {}

    def __call__(self, provider: Provider) -> SignIn | None:
        """None for a provider of another kind. Raises ValueError for credentials that cannot be used."""
        if provider.vertex is None:
            return None
        if not google.installed():
            raise ValueError(f'provider "{provider.name}": vertex {google.MISSING}')
        named = provider.vertex.credentials or self._environ.get("GOOGLE_APPLICATION_CREDENTIALS")
        try:
            info = google.info(named) if named else None
            key = json.dumps(info, sort_keys=True)
            if key not in self._known:
                self._known[key] = Tokens(Fetch(info), self._wall)
        except ValueError as error:
            place = "vertex.credentials" if provider.vertex.credentials else "GOOGLE_APPLICATION_CREDENTIALS"
            raise ValueError(f'provider "{provider.name}": {place} {error}') from None
        return self._known[key]


class Fetch:
    """Fetches a token each time it is called. `info` None: Application Default Credentials. Raises ValueError for
    credentials that google-auth does not take."""

    def __init__(self, info: Mapping[str, Any] | None) -> None:
        self._held: Any = None if info is None else _made(info)

    def __call__(self) -> Token:
        """Raises Broken: an upstream_auth_error, or another type where the token endpoint itself is in trouble."""
        import google.auth as library
        from google.auth import exceptions

        try:
            if self._held is None:
                self._held, _ = library.default(scopes=SCOPES)
        except (exceptions.GoogleAuthError, OSError, ValueError):
            raise Broken(Failure("upstream_auth_error", "There are no Google credentials to sign in with.")) from None
        try:
            return _fetched(self._held)
        except (exceptions.GoogleAuthError, OSError) as error:
            raise Broken(_failure(error)) from None
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError):  # of an answer of another shape
            raise Broken(Failure("api_error", NO_TOKEN)) from None


def _fetched(held: Any) -> Token:
    """Raises what google-auth raises, and ValueError for a token that is none: google-auth takes anything (2.63,
    2026-11)."""
    import requests
    from google.auth.transport.requests import Request

    with requests.Session() as session:
        inner = Request(session)

        def request(*args: Any, **named: Any) -> Any:
            return inner(*args, **{**named, "timeout": named.get("timeout") or SECONDS})

        held.refresh(request)
    if not isinstance(held.token, str) or not _TOKEN.fullmatch(held.token):
        raise ValueError("no token")
    ends = float("inf") if held.expiry is None else held.expiry.replace(tzinfo=UTC).timestamp()
    return Token(held.token, ends, getattr(held, "quota_project_id", None))


def _failure(error: Exception) -> Failure:
    """Names the OAuth error's code, and nothing else of what was sent or answered."""
    from google.auth import exceptions

    if isinstance(error, exceptions.TransportError) or isinstance(error.__cause__, exceptions.TransportError):
        return Failure("connection_error", "The token endpoint cannot be reached.")
    if getattr(error, "retryable", False):
        return Failure("api_error", "The token endpoint is out of order.")
    code = next((given["error"] for given in error.args if isinstance(given, dict) and "error" in given), None)
    said = f" ({code})" if isinstance(code, str) and _WORD.fullmatch(code) else ""
    return Failure("upstream_auth_error", f"The proxy's Google credentials were refused{said}.")


def _made(info: Mapping[str, Any]) -> Any:
    """google-auth's credentials. Its loaders for files of any type are deprecated (2.63, 2026-11)."""
    from google.auth import aws, external_account_authorized_user, identity_pool, impersonated_credentials, pluggable
    from google.oauth2 import credentials, service_account

    match info:
        case {"type": "service_account"}:
            make: Any = service_account.Credentials.from_service_account_info
        case {"type": "authorized_user"}:
            make = credentials.Credentials.from_authorized_user_info
        case {"type": "external_account", "subject_token_type": kind} if kind == _AWS_TOKEN:
            make = aws.Credentials.from_info
        case {"type": "external_account", "credential_source": {"executable": _}}:
            make = pluggable.Credentials.from_info
        case {"type": "external_account"}:
            make = identity_pool.Credentials.from_info
        case {"type": "external_account_authorized_user"}:
            return _taken(external_account_authorized_user.Credentials.from_info, info)
        case _:
            make = impersonated_credentials.Credentials.from_impersonated_service_account_info
    return _taken(make, info, scopes=SCOPES)


def _taken(make: Any, info: Mapping[str, Any], **more: Any) -> Any:
    from google.auth import exceptions

    try:
        return make(dict(info), **more)
    except (exceptions.GoogleAuthError, ValueError, TypeError, AttributeError, KeyError):
        raise ValueError(f"cannot be used as credentials of the type {info['type']}") from None
