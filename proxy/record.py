"""What is told of a request once it is over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from adapters.errors import Attempt
from proxy.engine.live import Tally
from proxy.engine.plan import OTHER
from proxy.engine.run import CANCELLED, Job


@dataclass(slots=True)
class Record:
    """What the metrics and the request's log line say at its end. `waited`: seconds that were others' (upstreams, the
    client's own body, pauses between tries); what is left is the proxy's own share."""

    endpoint: str
    id: str
    started: float
    client: str | None = None
    model: str | None = None
    label: str = OTHER
    target: str | None = None
    type: str = "ok"
    status: int = 0
    stream: bool = False
    first_content: float | None = None
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    waited: float = 0.0
    repairs: list[str] = field(default_factory=list)
    invalid_calls: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    content: tuple[bytes, bytearray] | None = None
    """The bodies of the request and of what was sent, where `server.log_content` asks for them."""

    def of(self, job: Job) -> None:
        """Tells of what this job does."""
        self.attempts, self.invalid_calls, self.skipped = job.attempts, job.invalid_calls, job.skipped

    def cut_short(self, why: str) -> None:
        """The request ended before its answer did, and with it the attempt that was under way."""
        self.type = why
        self.status = self.status or 499
        if self.attempts and self.attempts[-1].type == CANCELLED:
            self.attempts[-1] = replace(self.attempts[-1], type=why)

    def checked(self, tally: Tally) -> None:
        """The answer is complete: what became of its calls."""
        if (checked := tally.checked) is not None:
            self.warnings += checked.told()
            self.repairs += checked.repairs
            self.invalid_calls += checked.invalid
