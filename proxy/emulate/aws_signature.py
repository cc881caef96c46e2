"""Signature version 4 from the service's side: recomputed from what came, compared with what it claims."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from urllib.parse import quote

KEY_ID, SECRET = "AKIDEMULATED", "emulated-secret"
"""The only key pair that is known."""

EXPIRED_TOKEN = "expired-token"
ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "bedrock"

_AUTHORIZATION = re.compile(
    rf"{ALGORITHM} Credential=(?P<key>[^/,\s]+)/(?P<date>\d{{8}})/(?P<region>[^/,\s]+)/(?P<service>[^/,\s]+)"
    r"/aws4_request"
    r",\s*SignedHeaders=(?P<names>[a-z0-9;-]+),\s*Signature=(?P<signature>[0-9a-f]{64})"
)


class Unsigned(Exception):
    """Why a signature is refused: the error code and its sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def check(method: str, target: str, query: Mapping[str, str], headers: Mapping[str, str], raw: bytes) -> None:
    """Raises Unsigned unless the request is signed with the known key. `target` is the path as it was on the wire."""
    found = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if found is None or "x-amz-date" not in headers:
        raise Unsigned("IncompleteSignatureException", "Authorization header requires 'Credential', 'SignedHeaders', "
                       "'Signature' parameters and an 'X-Amz-Date' header.")  # fmt: skip
    if found["key"] != KEY_ID:
        raise Unsigned("UnrecognizedClientException", "The security token included in the request is invalid.")
    names = found["names"].split(";")
    needed = ["host", "x-amz-date", *(["x-amz-security-token"] if "x-amz-security-token" in headers else [])]
    if missing := [name for name in needed if name not in names]:
        raise Unsigned(
            "InvalidSignatureException", f"'{missing[0]}' must be a 'SignedHeader' in the AWS Authorization."
        )
    if found["service"] != SERVICE:
        text = f"Credential should be scoped to correct service: '{SERVICE}'."
        raise Unsigned("InvalidSignatureException", text)
    if not headers["x-amz-date"].startswith(found["date"]):
        raise Unsigned("InvalidSignatureException", "Date in Credential scope does not match YYYYMMDD from ISO-8601.")
    canonical = canonical_request(method, target, query, {name: headers.get(name, "") for name in sorted(names)}, raw)
    scope = (found["date"], found["region"], found["service"])
    if not hmac.compare_digest(signature(SECRET, headers["x-amz-date"], scope, canonical), found["signature"]):
        text = "The request signature we calculated does not match the signature you provided. Check your AWS Secret"
        raise Unsigned("InvalidSignatureException", f"{text} Access Key and signing method.")
    if headers.get("x-amz-security-token") == EXPIRED_TOKEN:
        raise Unsigned("ExpiredTokenException", "The security token included in the request is expired")


def canonical_request(method: str, target: str, query: Mapping[str, str], signed: Mapping[str, str], raw: bytes) -> str:
    """The text that is hashed. The path, encoded already, is encoded once more."""
    pairs = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in query.items())
    lines = [
        method,
        quote(target, safe="/-_.~"),
        "&".join(f"{name}={value}" for name, value in pairs),
        *(f"{name}:{' '.join(value.split())}" for name, value in signed.items()),
        "",
        ";".join(signed),
        hashlib.sha256(raw).hexdigest(),
    ]
    return "\n".join(lines)


def signature(secret: str, date: str, scope: tuple[str, str, str], canonical: str) -> str:
    """The signature of a canonical request; `scope` is day, region and service."""
    words = "/".join((*scope, "aws4_request"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    key = f"AWS4{secret}".encode()
    for part in (*scope, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, f"{ALGORITHM}\n{date}\n{words}\n{digest}".encode(), hashlib.sha256).hexdigest()
