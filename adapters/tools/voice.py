"""What was found in a text, as events: texts, reasoning and calls are parts of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from adapters.events import CallDelta, CallStart, Event, PartEnd, ReasoningDelta, TextDelta
from adapters.tools.grammars.reader import MAX_BLOCK
from adapters.tools.recorded import Said, said


class Voice:
    """Writes what was found in one choice's texts as parts of their own."""

    def __init__(self, number: Callable[[], int]) -> None:
        self._number = number
        self._kind: Literal["", "text", "reasoning", "call"] = ""
        self._name = ""
        self._texts: list[str] = []
        self._size = 0
        self.part = -1
        self.out: list[Event] = []
        self.found: list[Said] = []

    def text(self, text: str) -> None:
        self._enter("text")
        self.out.append(TextDelta(self.part, text))

    def reason(self, text: str) -> None:
        self._enter("reasoning")
        self.out.append(ReasoningDelta(self.part, text))

    def open(self, name: str, call_id: str) -> None:
        self.end()
        self._enter("call")
        self._name, self._texts, self._size = name, [], 0
        self.out.append(CallStart(self.part, call_id, name))

    def args(self, text: str) -> None:
        self._size += len(text)
        if self._size <= MAX_BLOCK:
            self._texts.append(text)
        self.out.append(CallDelta(self.part, text))

    def shut(self) -> None:
        if self._size <= MAX_BLOCK:
            self.found.append(said(self._name, "".join(self._texts)))
        self.end()

    def end(self) -> None:
        """The open part is complete."""
        if self._kind:
            self.out.append(PartEnd(self.part))
        self._kind = ""

    def enter_reasoning(self) -> int:
        self._enter("reasoning")
        return self.part

    def _enter(self, kind: Literal["text", "reasoning", "call"]) -> None:
        if self._kind != kind:
            self.end()
            self._kind, self.part = kind, self._number()
