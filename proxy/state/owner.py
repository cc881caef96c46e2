"""The part of a store's keys that says whose a value is."""

from __future__ import annotations


def owner(client: str | None) -> str:
    """Stands for a client, or for all of an open proxy. No other client's owner, whatever follows it, begins so: its
    name may be any text, and what follows may be the client's own words."""
    return "open" if client is None else f"{len(client)}:{client}"
