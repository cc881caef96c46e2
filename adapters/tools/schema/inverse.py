"""Arguments between the client's schema and its projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, frozen=True)
class Inverse:
    """Undoes a projection on an instance."""

    def backward(self, value: Any) -> Any:
        """The client's arguments for the wire's."""
        return value

    def forward(self, value: Any) -> Any:
        """The wire's arguments for the client's."""
        return value
