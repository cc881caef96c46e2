"""Every metric of the contract (§5), and how each label value is bounded.

One registry per process. Children are cached by their label values, counted once per request or attempt, never per
event. Labels: `endpoint`, `outcome`, `kind`, `reason` come from closed lists; `model` and targets from the
configuration, with `other` for what a client makes up; `status` is one of the statuses that toolwire sends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

disable_created_metrics()  # type: ignore[no-untyped-call]

OVERHEAD = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0)
FIRST_CONTENT = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
DURATION = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)


class _Circuits(Collector):
    """`toolwire_circuit_open`, read when it is scraped: a window that is over shows as closed without an event."""

    def __init__(self, targets: Callable[[], Iterable[tuple[str, str, bool]]]) -> None:
        self._targets = targets

    def collect(self) -> Iterable[GaugeMetricFamily]:
        family = GaugeMetricFamily(
            "toolwire_circuit_open",
            "1 while a target is left out because it kept failing.",
            labels=["provider", "model"],
        )
        for provider, model, opened in self._targets():
            family.add_metric([provider, model], float(opened))
        yield family


class Metrics:
    """The process's metrics. `circuits` gives (provider, model, open) when asked."""

    def __init__(self, version: str, circuits: Callable[[], Iterable[tuple[str, str, bool]]]) -> None:
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
        self.inflight = Gauge("toolwire_inflight_requests", "Requests under way.", registry=self.registry)
        build = Gauge("toolwire_build_info", "The running version.", ["version"], registry=self.registry)
        build.labels(version).set(1)
        self.registry.register(_Circuits(circuits))
        self._child: Callable[..., Any] = cache(lambda metric, *labels: metric.labels(*labels))

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"toolwire_{name}", text, labels, registry=self.registry)

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
        if count > 0:
            self._child(self._tokens, provider, model, kind).inc(count)

    def tool_calls(self, provider: str, model: str, outcome: str, count: int) -> None:
        """Tool calls of one outcome."""
        if count > 0:
            self._child(self._calls, provider, model, outcome).inc(count)

    def render(self) -> bytes:
        """The text exposition format. Takes milliseconds: call it in a thread."""
        return generate_latest(self.registry)
