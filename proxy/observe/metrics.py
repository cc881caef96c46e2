"""Every metric of the contract (§5), and how each label value is bounded.

One registry per process. Children are cached by their label values, counted once per request or attempt, never per
event. Labels: `endpoint`, `outcome`, `kind`, `reason` come from closed lists; `model` and targets from the
configuration, with `other` for what a client makes up; `status` is one of the statuses that toolwire sends.

With several workers (`PROMETHEUS_MULTIPROC_DIR` is set before this module is imported) any worker's scrape sums all:
counters and histograms add up, `inflight` adds up over live workers, a circuit is open if it is in any live worker.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

disable_created_metrics()  # type: ignore[no-untyped-call]

OVERHEAD = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0)
FIRST_CONTENT = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
MOST_TOKENS = 10**9
"""A count beyond this is an upstream's mistake and would spoil the sum for good."""

DURATION = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)


class Metrics:
    """The process's metrics."""

    def __init__(self, version: str) -> None:
        self.registry = CollectorRegistry()
        self._requests = self._counter("requests", "Client requests by the HTTP status sent.",
                                       "endpoint", "model", "status")
        self._duration = self._histogram("request_duration_seconds", "From the request to the end of its answer.",
                                         DURATION, "endpoint")
        self._overhead = self._histogram("overhead_seconds", "The proxy's own share of a request.",
                                         OVERHEAD, "endpoint")
        self._first = self._histogram("time_to_first_content_seconds", "From the attempt to the first content.",
                                      FIRST_CONTENT, "provider", "model")
        self._attempts = self._counter("upstream_attempts", "Upstream attempts by outcome: ok or an error type.",
                                       "provider", "model", "outcome")
        self._fallbacks = self._counter("fallbacks", "Moves along a fallback chain.",
                                        "model", "from_target", "to_target", "reason")
        self._tokens = self._counter("tokens", "Tokens that upstreams counted; cache_* and reasoning are shares of "
                                     "input and output.", "provider", "model", "kind")
        self._calls = self._counter("tool_calls", "Tool calls by the validity of their arguments.",
                                    "provider", "model", "outcome")
        self.inflight = self._gauge("inflight_requests", "Requests under way.", "livesum")
        self._circuit = self._gauge("circuit_open", "1 while a target is left out because it, or each of its keys, "
                                    "kept failing or was refused.", "livemax", "provider", "model")
        self._state_errors = self._counter("state_errors", "Operations on the shared store that failed, by operation.",
                                           "operation")
        self._gauge("build_info", "The running version.", "livemax", "version").labels(version).set(1)
        self._child: Callable[..., Any] = cache(lambda metric, *labels: metric.labels(*labels))

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"toolwire_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, mode: Any, *labels: str) -> Gauge:
        return Gauge(f"toolwire_{name}", text, labels, registry=self.registry, multiprocess_mode=mode)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"toolwire_{name}", text, labels, buckets=buckets, registry=self.registry)

    def request(self, endpoint: str, model: str, status: int, seconds: float, overhead: float) -> None:
        """A client request has ended."""
        self._child(self._requests, endpoint, model, str(status)).inc()
        self._child(self._duration, endpoint).observe(seconds)
        self._child(self._overhead, endpoint).observe(overhead)

    def attempt(self, provider: str, model: str, outcome: str) -> None:
        """An upstream attempt has ended."""
        self._child(self._attempts, provider, model, outcome).inc()

    def first_content(self, provider: str, model: str, seconds: float) -> None:
        """Content came."""
        self._child(self._first, provider, model).observe(seconds)

    def fallback(self, model: str, from_target: str, to_target: str, reason: str) -> None:
        """A chain moved on."""
        self._child(self._fallbacks, model, from_target, to_target, reason).inc()

    def tokens(self, provider: str, model: str, kind: str, count: int) -> None:
        """Tokens of one kind."""
        if 0 < count < MOST_TOKENS:
            self._child(self._tokens, provider, model, kind).inc(count)

    def tool_calls(self, provider: str, model: str, outcome: str, count: int) -> None:
        """Tool calls of one outcome."""
        if count > 0:
            self._child(self._calls, provider, model, outcome).inc(count)

    def state_error(self, operation: str) -> None:
        """The shared store did not answer."""
        self._child(self._state_errors, operation).inc()

    def circuits(self, states: Iterable[tuple[str, str, bool]]) -> None:
        """What is open now: (provider, model, open) of all configured targets."""
        for provider, model, opened in states:
            self._child(self._circuit, provider, model).set(float(opened))

    def render(self) -> bytes:
        """The text exposition format. Takes milliseconds: call it in a thread."""
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self.registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
