"""docs/http.md: endpoints, keys, headers, log lines, and what the process takes from its environment."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.access import MODES, TOOL_CHECK
from proxy.cli import VARIABLES
from proxy.endpoints import LISTED, find
from proxy.http import MAX_HEADER_VALUE

KEYLESS = ("root", "health", "ready", "metrics")

ABOUT = {
    ("generate", "chat"): "An answer in OpenAI's Chat dialect; `stream: true`: a stream.",
    ("generate", "responses"): "An answer in OpenAI's Responses dialect; `stream: true`: a stream.",
    ("generate", "messages"): "An answer in Anthropic's Messages dialect; `stream: true`: a stream.",
    ("generate", "gemini"): "An answer in Gemini's dialect.",
    ("stream", "gemini"): "The same as a stream: events by `?alt=sse`, else a JSON array.",
    ("count", "messages"): "Input tokens of a Messages request: the upstream's count, or an estimate with a warning.",
    ("count", "gemini"): "The same for a Gemini request.",
    ("response", "responses"): "A response that the proxy keeps for `state.ttl_seconds`, for the client that made it.",
    ("models", "chat"): "The names that this client may use, in the dialect of who asks (`x-goog-api-key` or "
                        "`/v1beta`: Gemini's, `anthropic-version`: Anthropic's, else OpenAI's).",
    ("models", "gemini"): "The same in Gemini's dialect.",
    ("model", "chat"): "One of them.",
    ("health", "chat"): "200 while the process runs.",
    ("ready", "chat"): "200; 503 while it drains.",
    ("metrics", "chat"): "Prometheus metrics: [metrics.md](metrics.md).",
}

CLIENT_KEYS = (
    ("Chat, Responses", "`Authorization: Bearer KEY`", "OpenAI's SDKs"),
    ("Messages", "`x-api-key: KEY`, or `Authorization: Bearer KEY` (Claude Code's `ANTHROPIC_AUTH_TOKEN`)",
     "Anthropic's SDKs"),
    ("Gemini", "`x-goog-api-key: KEY`, or `?key=KEY` in the address", "Google's SDKs"),
)

REQUEST_HEADERS = (
    (f"`{TOOL_CHECK}`", f"{', '.join(f'`{mode}`' for mode in MODES)}: the mode of the tool check for this request, "
     "where `clients[].allow` names `tool_check` (without `clients`: for everyone)."),
    ("`x-request-id`", "The request's id in answer and log, up to 200 printable characters; else one is made."),
    ("`anthropic-version`, `anthropic-beta`", "Go on to Anthropic upstreams (`anthropic-beta` as far as "
     "`compat.betas` allows). No other header of a client does."),
)

RESPONSE_HEADERS = (
    ("`x-request-id`", "every answer", "The id under which the log has this request. Messages clients also get it as "
     "`request-id`."),
    ("`x-toolwire-target`", "an upstream answered", "`provider/model` that answered."),
    ("`x-toolwire-attempts`", "an upstream was asked", "How many attempts it took, retries and fallbacks included."),
    ("`x-toolwire-warnings`", "there are some", "What was left out, weakened or mended, separated by `; ` (at most "
     f"{MAX_HEADER_VALUE} bytes). What a stream learns after its head is in the log alone."),
    ("`retry-after`, `retry-after-ms`", "an error that passes", "Seconds (milliseconds) to wait."),
    ("`x-should-retry: false`", "an error that asking again does not mend", "See [errors.md](errors.md)."),
    ("`x-ratelimit-…-requests`, `anthropic-ratelimit-requests-…`", "the client has `requests_per_minute`",
     "What is left of it, see [scaling.md](scaling.md)."),
)

LINES: dict[str, tuple[str, dict[str, str]]] = {
    "request": ("Once per request, at its end; none for the endpoints that need no key.", {
        "request_id": "as `x-request-id`",
        "endpoint": "`chat`, `responses`, `messages`, `gemini`, `count_tokens` or `models`",
        "client": "the name in `clients`",
        "model": "as the client wrote it",
        "target": "`provider/model` that answered",
        "type": "`ok`, an [error type](errors.md), `client_gone` or `cancelled` (the proxy ended)",
        "status": "the HTTP status sent; 499 where the client left before one",
        "seconds": "from the request's head to its end",
        "stream": "whether a stream was asked for",
        "attempts": "their number",
        "warnings": "as in `x-toolwire-warnings`, and what was learned later",
        "repairs": "what was done to tool calls",
        "invalid_calls": "tools and reasons",
        "skipped": "targets that were left out for an open circuit",
    }),
    "attempt": ("Once per attempt, before its `request` line.", {
        "request_id": "as above", "endpoint": "as above", "model": "as above",
        "number": "from 1",
        "target": "`provider/model` that was asked",
        "type": "`ok`, an error type or `cancelled`",
        "status": "the upstream's HTTP status, null without one",
        "seconds": "what it took",
    }),
    "content": ("Once per request to a model that `server.log_content` names.", {
        "request_id": "as above", "client": "as above", "model": "as above",
        "request": "the client's body", "answer": "the body sent",
    }),
    "reload": ("After SIGHUP.", {
        "type": "`ok` or `refused`", "models": "their number", "providers": "their number",
        "needs_restart": "changed keys that only a restart takes", "message": "why it was refused",
    }),
    "state": ("The store is lost, or back.", {"type": "an error's kind, or `ok`", "operation": "the one that told it"}),
    "worker": ("A worker died and is started again.", {
        "type": "`died`", "pid": "its process", "status": "its exit status; -N: by signal N",
    }),
    "warning": ("Of the config at start, and of libraries.", {
        "message": "what", "source": "the library", "type": "its exception's class",
    }),
    "fault": ("A mistake of the proxy itself: please report it.", {
        "request_id": "as above", "type": "the exception's class", "where": "file, line and function, innermost last",
    }),
}
"""Event -> when it is logged, and its fields beside `time` and `event`."""


def page(made: str) -> str:
    """The whole page; `made` says where it comes from."""
    return "\n".join([*_endpoints(made), *_headers(), *_log(), *_environment()]) + "\n"


def _endpoints(made: str) -> Iterator[str]:
    yield f"# HTTP\n\n{made}"
    yield ("The `/v1` of a path may be left out, double and trailing slashes are forgiven. `GET /` lists the "
           "endpoints. A `{model}` may hold `/` and `:`, raw or percent-encoded.\n")
    yield from table("Endpoint", "Key?", "`endpoint` in metrics and log", "What it answers")
    for entry in LISTED:
        path = entry.rpartition(" ")[2].replace("{model}", "m").replace("{id}", "m")
        found = find(path.encode(), {})
        assert found is not None
        key = "no" if found.kind in KEYLESS else "yes"
        label = f"`{found.label}`" if found.label else "–"
        yield row(f"`{entry}`", key, label, ABOUT["stream" if found.stream else found.kind, found.dialect])


def _headers() -> Iterator[str]:
    yield ("\n## The client's key\n\nOne of `clients[].key`; without `clients` none is asked for, and whatever a "
           "client sends is ignored. Every dialect takes it from any of the three headers, the address is read for "
           "Gemini alone. It is not the upstream's key, which stays with the proxy.\n")
    yield from table("Dialect", "Where its clients put the key", "Whose")
    yield from (row(*cells) for cells in CLIENT_KEYS)
    yield "\n## Headers of a request\n"
    yield from table("Header", "What it does")
    yield from (row(*cells) for cells in REQUEST_HEADERS)
    yield "\n## Headers of an answer\n"
    yield from table("Header", "Where", "What it says")
    yield from (row(*cells) for cells in RESPONSE_HEADERS)


def _log() -> Iterator[str]:
    yield ("\n## Log lines\n\nOn stderr, one JSON object per line, or `--log-format text` for people. Each has `time` "
           "(UTC, RFC 3339) and `event`; fields without a value are null or left out. No content and no key is in any "
           "but `content` lines.\n")
    yield from table("`event`", "When", "Fields")
    for event, (when, fields) in LINES.items():
        yield row(f"`{event}`", when, "; ".join(f"`{name}`: {about}" for name, about in fields.items()))


def _environment() -> Iterator[str]:
    yield ("\n## Environment\n\nFor `toolwire serve`: the argument wins over the variable, the variable over the "
           "config, the config over the default. An empty variable counts as none.\n")
    yield from table("Variable", "Argument", "Config", "Default")
    for name, (variable, configured, default) in VARIABLES.items():
        yield row(f"`{variable}`", f"`--{name}`", configured, default)
    yield ("\nThe image of `deploy/Dockerfile` sets `TOOLWIRE_CONFIG=/etc/toolwire/toolwire.yaml`, "
           "`TOOLWIRE_HOST=0.0.0.0` and `TOOLWIRE_PORT=4100`, which win over `server.host` and `server.port` of the "
           "config in it: for another port set `TOOLWIRE_PORT`. Further variables are those that the config names as "
           "`${NAME}`, the keys that stand for a config ([quickstart](quickstart.md)), AWS's and Google's own, and "
           "`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY` towards upstreams.")


def table(*heads: str) -> Iterator[str]:
    """The first two lines of a table."""
    yield row(*heads)
    yield row(*("---" for _ in heads))


def row(*cells: str) -> str:
    """One line of a table."""
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
