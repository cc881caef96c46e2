"""The last word of clients and operators on a native body (`provider_options`)."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.model import Json


def merge(body: Mapping[str, Json], options: Mapping[str, Json]) -> dict[str, Json]:
    """The body with the options laid over it: objects merge key by key, null removes a key, all else replaces.

    New keys come last; nothing that was given is written to.
    """
    merged = dict(body)
    for key, value in options.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            before = merged.get(key)
            merged[key] = merge(before if isinstance(before, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged
