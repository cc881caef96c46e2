"""What goes out of a text that is read for calls: its ordinary text, and what blocks in it gave."""

from __future__ import annotations

from collections.abc import Callable

from adapters.tools.grammars.reader import WHITE, Outlet, Reader
from adapters.tools.prose import Prose
from adapters.tools.recorded import Recorded

MAX_PENDING = 64
"""White space that is held because a block may follow."""


class Flow:
    """The outlet of a block's grammar. `aside` takes what a block gives as long as nobody knows whether it counts.

    `pending`: white space that waits. `fresh`: nothing visible was said yet. `after`: calls were the last thing.
    `reader` is the block's, set by whoever makes it.
    """

    reader: Reader

    def __init__(self, outlet: Outlet, warn: Callable[[str], None]) -> None:
        self._outlet = outlet
        self._warn = warn
        self.prose = Prose()
        self.aside: Recorded | None = None
        self.pending = ""
        self.calls = 0
        self.fresh = True
        self.after = False

    def say(self, text: str) -> bool:
        """Ordinary text. White space at its end waits for what follows; between and behind blocks it is dropped.

        True: the answer's first visible character was in it.
        """
        if not text:
            return False
        self.prose.feed(text)
        if self.after:
            text = text.lstrip(WHITE)
            if not text:
                return False
            self.after = False
        text = self.pending + text
        visible = len(text.rstrip(WHITE))
        end = max(visible, len(text) - MAX_PENDING)
        self.pending = text[end:]
        if end:
            self._outlet.text(text[:end])
        first = self.fresh and visible > 0
        self.fresh = self.fresh and not first
        return first

    def end(self) -> None:
        """The text is over."""
        if self.pending and not self.after:
            self._outlet.text(self.pending)
        self.pending = ""

    def text(self, text: str) -> None:
        """Text that a grammar found."""
        if self.aside is not None:
            self.aside.text(text)
            return
        pending, self.pending = self.pending, ""
        self.fresh = False
        self._outlet.text(pending + text)

    def reason(self, text: str) -> None:
        (self.aside or self._outlet).reason(text)

    def open(self, name: str, call_id: str) -> None:
        if self.aside is None:
            self.pending = ""
            self.fresh = False
            self.calls += 1
        (self.aside or self._outlet).open(name, call_id)

    def args(self, text: str) -> None:
        (self.aside or self._outlet).args(text)

    def shut(self) -> None:
        reader = self.reader
        if self.aside is None:
            name = f"call of {reader.calling:.64}, read from the text"
            if reader.notes:
                self._warn(f"{name}, repaired: {', '.join(reader.notes)}")
            if reader.broken:
                self._warn(f"{name}: its arguments are no JSON object")
        (self.aside or self._outlet).shut()
