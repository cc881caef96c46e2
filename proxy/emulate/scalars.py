"""Strings and numbers for a JSON Schema, chosen so that they also try what sits between: quotes, accents, newlines."""

from __future__ import annotations

import math
from decimal import Decimal
from random import Random
from typing import Any

from proxy.emulate.patterns import Unsupported, matching

Json = Any

WORDS = (
    "Rome", "São Paulo", "Zürich", "東京", 'the "Blue" one', "O'Brien & Söhne", "line one\nline two", "back\\slash",
    "naïve café", "rocket 🚀", "<b>bold</b>", "100 % – sure?", "Привет", "tab\there", "plain words", "{braces}",
)  # fmt: skip

FORMATS: dict[str, tuple[str, ...]] = {
    "date-time": ("2026-11-30T09:15:00Z", "2024-02-29T23:59:59.250+02:00"),
    "date": ("2026-11-30", "2024-02-29"),
    "time": ("09:15:00Z", "23:59:59+02:00"),
    "duration": ("P3DT4H", "PT15M"),
    "email": ("ada@example.org", "o.brien+news@mail.example.com"),
    "idn-email": ("jörg@example.org",),
    "hostname": ("api.example.org", "db-1.internal.example"),
    "idn-hostname": ("münchen.example",),
    "ipv4": ("192.0.2.17", "198.51.100.4"),
    "ipv6": ("2001:db8::17", "fe80::1"),
    "uri": ("https://example.org/a/b?c=d%20e#f", "urn:isbn:9780141036144"),
    "uri-reference": ("/a/b?c=d", "https://example.org/"),
    "iri": ("https://example.org/größe",),
    "iri-reference": ("/größe?x=1",),
    "uri-template": ("https://example.org/{user}/items{?page}",),
    "uuid": ("6fa459ea-ee8a-3ca4-894e-db77e160355e", "123e4567-e89b-42d3-a456-426614174000"),
    "json-pointer": ("/a/0/b~1c",),
    "relative-json-pointer": ("1/a",),
    "regex": ("^[a-z]+$",),
    "byte": ("aGVsbG8=",),
    "binary": ("aGVsbG8=",),
}


def text(schema: dict[str, Json], random: Random) -> str:
    """A string for the keywords format, pattern, minLength and maxLength. Lengths are in code points."""
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if isinstance(pattern := schema.get("pattern"), str):
        return _fitting(pattern, least, most, random)
    if (name := schema.get("format")) in FORMATS:
        return random.choice(FORMATS[name])
    found = random.choice(WORDS)
    while len(found) < least:
        found += " " + random.choice(WORDS)
    return found if most is None else found[:most]


def _fitting(pattern: str, least: int, most: int | None, random: Random) -> str:
    found = ""
    for _ in range(20):
        try:
            found = matching(pattern, random)
        except (Unsupported, ValueError, OverflowError):
            return random.choice(WORDS)
        if least <= len(found) and (most is None or len(found) <= most):
            break
    return found


def integer(schema: dict[str, Json], random: Random) -> int:
    """A whole number within minimum, maximum, their exclusive forms, and multipleOf."""
    step = Decimal(str(schema.get("multipleOf", 1)))
    step = step if step == step.to_integral_value() else Decimal(1)
    low, high = _bounds(schema, Decimal(1))
    low, high = _opened(low, high, Decimal(100) * step)
    return int(random.randint(math.ceil(low / step), max(math.ceil(low / step), math.floor(high / step))) * step)


def number(schema: dict[str, Json], random: Random) -> int | float:
    """A number within the same keywords."""
    low, high = _bounds(schema, Decimal(0))
    if "multipleOf" in schema:
        return _multiple(low, high, Decimal(str(schema["multipleOf"])), random)
    low, high = _opened(low, high, Decimal(100))
    middle = low + (high - low) * Decimal(random.choice(("0.25", "0.5", "0.75")))
    rounded = round(middle, 2)
    return float(rounded if low < rounded < high else middle)


def _multiple(low: Decimal | None, high: Decimal | None, step: Decimal, random: Random) -> int | float:
    low, high = _opened(low, high, 100 * step)
    first, last = math.ceil(low / step), max(math.ceil(low / step), math.floor(high / step))
    value = 0.0
    for _ in range(50):  # 19.99 / 0.01 is no whole number in binary: validators disagree about such multiples
        value = float(random.randint(first, last) * step)
        if (value / float(step)).is_integer():
            break
    return value


def _bounds(schema: dict[str, Json], beyond: Decimal) -> tuple[Decimal | None, Decimal | None]:
    """Lowest and highest value; an exclusive bound moves by `beyond`."""
    lows = [Decimal(str(schema["minimum"]))] if "minimum" in schema else []
    highs = [Decimal(str(schema["maximum"]))] if "maximum" in schema else []
    match schema.get("exclusiveMinimum"):
        case bool(only) if only and lows:
            lows = [lows[0] + beyond]
        case int() | float() as bound if not isinstance(bound, bool):
            lows.append(Decimal(str(bound)) + beyond)
    match schema.get("exclusiveMaximum"):
        case bool(only) if only and highs:
            highs = [highs[0] - beyond]
        case int() | float() as bound if not isinstance(bound, bool):
            highs.append(Decimal(str(bound)) - beyond)
    return max(lows, default=None), min(highs, default=None)


def _opened(low: Decimal | None, high: Decimal | None, width: Decimal) -> tuple[Decimal, Decimal]:
    """Both bounds, a missing one set `width` away; from 0 on if both are missing."""
    if low is None and high is None:
        return Decimal(0), width
    if low is None:
        low = min(Decimal(0), high - width) if high is not None and high <= 0 else Decimal(0)
    return low, high if high is not None else low + width
