"""How many strict tools one request to a Claude model may have, and how many optional and union-typed parameters those
may have together (2026-11). More is a 400."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.model import Json
from adapters.tools.schema.claude import MAX_OPTIONAL, MAX_UNIONS, strict_load

MOST_STRICT = 20


@dataclass(slots=True)
class Left:
    """What the limits still allow."""

    tools: int = MOST_STRICT
    optional: int = MAX_OPTIONAL
    unions: int = MAX_UNIONS

    def takes(self, schema: Json) -> bool:
        """Whether one more strict schema fits; if so it is counted."""
        optional, unions = strict_load(schema)
        if self.tools < 1 or self.optional < optional or self.unions < unions:
            return False
        self.tools, self.optional, self.unions = self.tools - 1, self.optional - optional, self.unions - unions
        return True
