"""`python -m proxy.reference FOLDER` writes the pages that are made from the code: providers, errors, metrics, http."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from prometheus_client.metrics import MetricWrapperBase

from adapters import compat, registry
from adapters.errors import DEFAULT_ON_ERRORS, ERROR_TYPES, NO_CLIENT_RETRY, RETRIED, STATUS, ErrorType, Rejected
from adapters.presets import PRESETS
from proxy.emulate.openai_chat_hosts import PLAYED
from proxy.engine import health
from proxy.observe.metrics import Metrics
from proxy.reference_http import page as http_page
from proxy.reference_http import row, table
from proxy.translate import translated

MADE = "This page is made from the code: `make docs`.\n"
MODELS = {
    "openai-chat": "gpt-5.1",
    "openai-responses": "gpt-5.1",
    "anthropic-messages": "claude-opus-4-5",
    "google-gemini": "gemini-2.5-pro",
    "mistral-chat": "mistral-large-latest",
    "ollama-chat": "llama3.1",
    "bedrock-converse": "anthropic.claude-opus-4-5-v1:0",
    "cohere-chat": "command-a-03-2025",
}
_PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)
_PDF = "data:application/pdf;base64,JVBERi0xLjQK"
_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
           "additionalProperties": False}
_FUNCTION = {"name": "get_weather", "description": "The weather in a city.", "parameters": _SCHEMA}
_TOOLS = {"tools": [{"type": "function", "function": _FUNCTION}]}


def _says(part: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, part]}]}


FEATURES: dict[str, dict[str, Any]] = {
    "Function tools": _TOOLS,
    "`tool_choice: required`": {**_TOOLS, "tool_choice": "required"},
    "A forced tool": {**_TOOLS, "tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
    "`tool_choice: none`": {**_TOOLS, "tool_choice": "none"},
    "`parallel_tool_calls: false`": {**_TOOLS, "parallel_tool_calls": False},
    "`strict` tools": {"tools": [{"type": "function", "function": {**_FUNCTION, "strict": True}}]},
    "JSON schema answers": {"response_format": {"type": "json_schema", "json_schema": {
        "name": "city", "strict": True, "schema": _SCHEMA}}},
    "Image, base64": _says({"type": "image_url", "image_url": {"url": _PIXEL}}),
    "Image, address": _says({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}),
    "PDF, base64": _says({"type": "file", "file": {"filename": "a.pdf", "file_data": _PDF}}),
    "`reasoning_effort`": {"reasoning_effort": "high"},
    "`stop`": {"stop": ["END"]},
    "`seed`": {"seed": 7},
    "`n: 2`": {"n": 2},
    "Streaming": {"stream": True},
}
"""What a Chat request says -> its fields."""

ADVICE: dict[ErrorType, str] = {
    "invalid_request_error": "Correct the request: `error.param` is the field.",
    "context_length_exceeded": "Shorten the prompt, or add a fallback with a longer window and this type in "
                               "`on_errors`.",
    "content_filter": "Change the prompt, or name `content_filter` in a fallback's `on_errors`.",
    "authentication_error": "Send a key of `clients` to the proxy.",
    "permission_error": "Add the model to `clients[].models`.",
    "billing_error": "Add credit at the provider; a fallback takes over meanwhile.",
    "not_found_error": "Correct the model name: the message lists the nearest; `GET /v1/models` lists all.",
    "request_too_large": "Send less, or raise `server.max_request_bytes` where the proxy refused it.",
    "rate_limit_error": "Wait for `retry-after`; give `api_key` a list of keys, or add a fallback.",
    "upstream_auth_error": "Correct the provider's `api_key`, account or region: `toolwire probe FILE PROVIDER`.",
    "api_error": "Nothing: it is the upstream's fault. A fallback takes over.",
    "connection_error": "Look at `base_url`, DNS, TLS (`ca_file`) and the outbound proxy.",
    "malformed_response": "Look at `base_url` and `api`: does this host speak that API?",
    "invalid_tool_call": "Set `tool_check: repair` or `fallback`, or use a stronger model.",
    "overloaded_error": "Wait, or add a fallback.",
    "timeout_error": "Raise `timeout` or `deadline_seconds`, or stream.",
    "stream_interrupted": "Ask again: content had gone out, so the proxy could not.",
}


# --- pages -------------------------------------------------------------------------------------------------------


def errors() -> str:
    """docs/errors.md."""
    lines = ["# Errors\n", MADE, "Chat and Responses bodies carry the type in `error.type`, Messages and Gemini in "
             "`error.toolwire_type`. `error.attempts` lists every attempt.\n",
             *table("Type", "HTTP status", "Same target again?", "In the default `on_errors`?",
                     "`x-should-retry: false`?", "What to do")]
    for type in ERROR_TYPES:
        status = "event in the stream" if type == "stream_interrupted" else str(STATUS[type])
        lines.append(row(f"`{type}`", status, _yes(type in RETRIED), _yes(type in DEFAULT_ON_ERRORS),
                          _yes(type in NO_CLIENT_RETRY), ADVICE[type]))
    lines.append("\nA `retry-after` above `retry.max_backoff_seconds` is not waited for. `all` in `on_errors` is every "
                 "type but `content_filter`. After content has reached the client nothing is tried again.\n")
    return "\n".join([*lines, *_circuits()]) + "\n"


def _circuits() -> Iterator[str]:
    """The section of docs/errors.md on what is left out for a while."""
    yield "## Circuits\n"
    yield ("A target that keeps failing is left out for a while, without settings. "
           f"{_types(health.OF_A_KEY)} count against the key that was used, the others against the target; a target is "
           "left out where it is, or each of its keys. Each worker counts for itself; with `state: {backend: redis}` "
           "what one leaves out, all do.\n")
    yield from table("After", "Left out for")
    for schedule in dict.fromkeys(health.SCHEDULES.values()):
        count = f"{schedule.threshold} in a row of " if schedule.threshold > 1 else ""
        named = _types(type for type, its in health.SCHEDULES.items() if its == schedule)
        yield row(f"{count}{named}", f"{schedule.first:g} s; twice as long each time it fails again, "
                   f"up to {schedule.longest:g} s")
    yield row(f"{_types(health.TIMED)} with a `retry-after`", f"that long, at most {health.LONGEST_RETRY_AFTER:g} s")
    yield ("\nThen one request tries it, and the others leave it out until that has ended, at most "
           f"{health.PROBE_SECONDS:g} s. A good answer closes the circuit. Other types say something of the request "
           "and do not count. For the chain, a target that is left out has failed with the type that opened its "
           "circuit; where nothing else answered it is asked once all the same, so no request fails by circuits alone. "
           "The log's `request` line names it in `skipped` (`\"openai/gpt-5.1: upstream_auth_error\"`), and "
           "`toolwire_circuit_open` is 1.")


def _types(names: Iterable[ErrorType]) -> str:
    """In the order of the table of types."""
    wanted = frozenset(names)
    return _names(type for type in ERROR_TYPES if type in wanted)


def metrics() -> str:
    """docs/metrics.md."""
    lines = ["# Metrics\n", MADE, "At `GET /metrics`. One scrape sums all workers of a process group; a label value "
             "that a client made up is counted as `other`. Rules and a dashboard: `deploy/`.\n",
             *table("Name", "Kind", "Labels", "What it counts", "Buckets")]
    for metric in vars(Metrics("0")).values():
        if isinstance(metric, MetricWrapperBase):
            made: Any = metric
            name = made._name + ("_total" if made._type == "counter" else "")
            bounds = [f"{bound:g}" for bound in getattr(made, "_kwargs", {}).get("buckets", ())]
            lines.append(row(f"`{name}`", made._type, ", ".join(f"`{label}`" for label in made._labelnames),
                              made._documentation, ", ".join(bounds)))
    lines.append(row("`toolwire_build_info`", "gauge", "`version`", "The running version.", ""))
    return "\n".join(lines) + "\n"


def providers() -> str:
    """docs/providers.md."""
    lines = ["# Providers\n", MADE, "## What each API carries\n",
             "A Chat request with the feature, as `toolwire translate` turns it into the native request. ✓: carried. "
             "~: carried, weakened or partly left out, with a warning that says so. –: refused with a 400 that names "
             "the field. A model may still refuse what its API carries.\n",
             *table("Feature", *(f"`{api}`" for api in compat.APIS))]
    lines += [row(feature, *(_carries(api, fields) for api in compat.APIS)) for feature, fields in FEATURES.items()]
    lines.append(row("Token counting by the upstream", *(_counts(api) for api in compat.APIS)))
    lines.append("\nWhere the upstream counts no tokens, the count is an estimate with a warning. "
                 "`server.fetch_images: public` lets"
                 f" the proxy fetch an image's address for {_names(sorted(registry.WANT_BYTES))}.\n")
    lines += ["The model in each column: "
              f"{', '.join(f'`{model}`' for model in dict.fromkeys(MODELS.values()))}. Each API is tested whole and "
              "streamed against an emulated upstream of its own, written from the provider's documentation.\n",
              "## Presets\n",
              "Hosts that speak one of these APIs with differences. Each is tested against an emulated host that "
              "refuses what the vendor's documentation says; none was tested against the live host. A preset without "
              "such a host is marked: address only. All flags: [config.md](config.md#presets).\n",
              *table("`preset`", "API", "Base URL")]
    for name, preset in PRESETS.items():
        base = f"`{preset.base_url}`" if preset.base_url else f"yours: `{preset.example}`"
        base += "" if name in PLAYED else " (address only)"
        lines.append(row(f"`{name}`", _names(preset.compat), base))
    return "\n".join(lines) + "\n"


def http() -> str:
    """docs/http.md."""
    return http_page(MADE)


PAGES: dict[str, Callable[[], str]] = {
    "errors.md": errors, "http.md": http, "metrics.md": metrics, "providers.md": providers,
}


# --- cells -------------------------------------------------------------------------------------------------------


def _carries(api: str, fields: dict[str, Any]) -> str:
    body = {"messages": [{"role": "user", "content": "Hello"}], **json.loads(json.dumps(fields)), "model": MODELS[api]}
    try:
        _, warnings = translated(body, "chat", api)
    except Rejected:
        return "–"
    return "~" if warnings else "✓"


def _counts(api: str) -> str:
    from adapters.format import Call, Upstream

    server, format = registry.dialect("chat"), registry.api(api)
    assert server is not None and format is not None
    body = {"messages": [{"role": "user", "content": "Hello"}], "model": MODELS[api]}
    upstream = Upstream(model=MODELS[api], compat=compat.resolve(api, None, {}))
    return "–" if format.count_tokens(server.decode(body, Call()).request, upstream) is None else "✓"


def _names(words: Any) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def main(folder: str) -> None:
    for name, page in PAGES.items():
        (Path(folder) / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
