"""Emulated upstreams: each API's wire format from the provider's side, deterministic, with faults by model name.

Nothing here is shared with `adapters`: the two are written from the same documents and check each other.
"""

from proxy.emulate.server import Emulation, app, main

__all__ = ["Emulation", "app", "main"]
