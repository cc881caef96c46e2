"""What a block gives, kept until it is known whether it counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from adapters import json
from adapters.tools.grammars.reader import Outlet

Said = tuple[str, str]
"""A call as name and canonical arguments, to tell whether two are the same."""


@dataclass(slots=True)
class Recorded:
    """An outlet that keeps what it is given."""

    said: list[tuple[Literal["text", "reason", "open", "args", "shut"], str, str]] = field(default_factory=list)

    def text(self, text: str) -> None:
        self.said.append(("text", text, ""))

    def reason(self, text: str) -> None:
        self.said.append(("reason", text, ""))

    def open(self, name: str, call_id: str) -> None:
        self.said.append(("open", name, call_id))

    def args(self, text: str) -> None:
        self.said.append(("args", text, ""))

    def shut(self) -> None:
        self.said.append(("shut", "", ""))

    def play(self, outlet: Outlet) -> None:
        for kind, text, more in self.said:
            match kind:
                case "open":
                    outlet.open(text, more)
                case "shut":
                    outlet.shut()
                case _:
                    getattr(outlet, kind)(text)

    def calls(self) -> list[Said]:
        found: list[Said] = []
        texts: list[str] = []
        name = ""
        for kind, text, _ in self.said:
            if kind == "open":
                name, texts = text, []
            elif kind == "args":
                texts.append(text)
            elif kind == "shut":
                found.append(said(name, "".join(texts)))
        return found


def said(name: str, arguments: str) -> Said:
    """A call in a form that is equal where two say the same."""
    try:
        return name, json.sorted_bytes(json.loads(arguments or "{}")).decode()
    except ValueError:
        return name, arguments
