"""Takes keys and the upstream's whereabouts out of a text that an upstream wrote."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
UPSTREAM = "[upstream]"

_PART = 12
"""Characters of a key's beginning or end that give it away."""

_SHORTEST = 4
"""Shorter configured keys are no secrets, but would be found in every word."""

_HEADER = r"(?:x-)?(?:goog-)?api[-_ ]?key|x-goog-api-key|(?:proxy-)?authorization|x-amz-security-token|cookie"
_PARAMETER = r"key|api[-_]?key|access_token|token|sig|signature|x-amz-(?:credential|signature|security-token)"

_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<=://)[^\s/@\"'<>]+@"), f"{REDACTED}@"),
    (re.compile(r"\b(bearer|basic)(\s+)[\w.~+/=*-]{6,}", re.IGNORECASE), rf"\1\2{REDACTED}"),
    (
        re.compile(rf"\b({_HEADER})([\"']?\s*[:=]\s*[\"']?)(?!bearer\b|basic\b|\[)[^\s\"',;)}}]+", re.IGNORECASE),
        rf"\1\2{REDACTED}",
    ),
    (re.compile(rf"(?<![\w-])({_PARAMETER})=(?!\[)[^\s&\"'<>)#]+", re.IGNORECASE), rf"\1={REDACTED}"),
    (re.compile(r"(?<![\w-])sk-(?:[\w-]*(?:\*{2,}|\.{3})[\w*-]*|(?=[\w-]*\d|[\w-]{20})[\w-]{8,})"), REDACTED),
    (re.compile(r"\bAIza[\w-]{10,}"), REDACTED),
    (re.compile(r"\b(?:gsk|xai|csk|fw|hf|r8|pplx|nvapi|tgp|pk|rk)[-_](?=[\w*-]*[\d*])[\w*-]{12,}"), REDACTED),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}"), REDACTED),
    (re.compile(r"\bya29\.[\w.-]{10,}"), REDACTED),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"), REDACTED),
)
"""Tokens as providers shape them (wire pages, 2026-11), and the places where a key stands."""

_URL = re.compile(r"\b(?:https?|wss?)://[^\s\"'<>`]+", re.IGNORECASE)
_TRAILING = ".,;:!?)]}"


def scrub(text: str, secrets: Iterable[str], hosts: Collection[str] | None = None) -> str:
    """The text with `[redacted]` for each secret (whole, percent-encoded, or its first or last 12 characters and more)
    and for what is shaped like one, and `[upstream]` for each URL.

    With `hosts` (the upstream's own, without port), only URLs of these are replaced, and the bare names as well.
    """
    forms = _forms(tuple(secrets))
    for form in forms:
        text = _whole(text, form)
    for form in forms:
        text = _parts(text, form)
    for shape, instead in _SHAPES:
        text = shape.sub(instead, text)
    text = _URL.sub(lambda found: _url(found[0], hosts), text)
    for host in hosts or ():
        text = re.sub(rf"(?<![\w.-]){re.escape(host)}(?::\d+)?(?![\w-]|\.\w)", UPSTREAM, text, flags=re.IGNORECASE)
    return text


def _url(url: str, hosts: Collection[str] | None) -> str:
    """The URL's replacement; what follows a sentence's URL belongs to the sentence."""
    kept = url.rstrip(_TRAILING)
    tail = url[len(kept) :]
    authority = re.split(r"[/?#]", kept.partition("://")[2], maxsplit=1)[0].rpartition("@")[2]
    host = re.sub(r":\d+$", "", authority).strip("[]").lower()
    if hosts is None or host in {one.lower() for one in hosts}:
        return UPSTREAM + tail
    return url


@lru_cache(maxsize=256)
def _forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """The secrets as they may be written, longer ones first."""
    forms = {form for secret in secrets for form in (secret, quote(secret), quote(secret, safe=""), quote_plus(secret))}
    return tuple(sorted((form for form in forms if len(form) >= _SHORTEST), key=lambda form: (-len(form), form)))


def _whole(text: str, secret: str) -> str:
    if len(secret) < _PART:
        return re.sub(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", REDACTED, text)
    return text.replace(secret, REDACTED)


def _parts(text: str, secret: str) -> str:
    if len(secret) < _PART:
        return text
    text = _cut(text, secret)
    return _cut(text[::-1], secret[::-1], REDACTED[::-1])[::-1]


def _cut(text: str, secret: str, instead: str = REDACTED) -> str:
    """Without each run that begins like the secret, for as long as it goes on like it."""
    pieces: list[str] = []
    at = 0
    while (found := text.find(secret[:_PART], at)) >= 0:
        pieces += (text[at:found], instead)
        at = found + _PART
        for expected in secret[_PART:]:
            if text[at : at + 1] != expected:
                break
            at += 1
    pieces.append(text[at:])
    return "".join(pieces)
