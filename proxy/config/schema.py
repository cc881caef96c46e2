"""The published JSON Schema of the config file, and the one source of its validation.

Every key has a description. Where a value may be text or structure, one schema with several types says so (its keywords
each look at their own type), so that what is wrong is always found at the innermost place.
"""

from adapters.compat import APIS
from proxy.config.blocks import (
    DAY,
    HOUR,
    Schema,
    choice,
    closed,
    default_of,
    listing,
    mapping,
    open_object,
    ref,
    seconds,
    secret,
    text,
    whole,
)
from proxy.config.model import Client, Server, State
from proxy.config.schema_provider import compat, provider
from proxy.config.schema_route import fallback, params, route, target

URI = "https://json-schema.org/draft/2020-12/schema"


def schema() -> Schema:
    """JSON Schema, draft 2020-12."""
    return {
        "$schema": URI,
        "title": "toolwire configuration",
        "description": "One YAML 1.2 file. ${NAME}, ${NAME:-default} and ${file:PATH} work in every text value.",
        **closed(
            "",
            {
                "server": _server(),
                "clients": listing(
                    "Inbound keys. None: the proxy is open, which only a loopback host may be.", _client()
                ),
                "state": _state(),
                "providers": mapping("Upstream accounts by name.", ref("provider"), "^[^/\\s]+$", minProperties=1),
                "models": mapping(
                    "Routes by model name; `*` in a name is any text: the exact name is taken first, then the longest.",
                    ref("route"),
                    "^\\S+$",
                ),
            },
            required=("providers",),
        ),
        "$defs": {
            "provider": provider(),
            "route": route(),
            "target": target(),
            "fallback": fallback(),
            "params": params(),
            **{f"compat-{api}": compat(api) for api in APIS},
            "compat-model": open_object("As `compat` of the provider, for this model alone."),
        },
    }


def _server() -> Schema:
    d = Server()
    return closed(
        "The listener and its limits.",
        {
            "host": text("The address to listen on.", default=d.host),
            "port": whole("The port; 0 takes a free one.", 0, 65535, d.port),
            "workers": whole("Worker processes.", 1, 256, d.workers),
            "max_request_bytes": whole("The largest request body.", 1024, 2**31, d.max_request_bytes),
            "max_json_depth": whole("The deepest nesting of a request's JSON.", 8, 256, d.max_json_depth),
            "drain_seconds": seconds("How long running answers may take after SIGTERM.", d.drain_seconds, DAY, 0),
            "keepalive_seconds": seconds(
                "The pause between signs of life in a silent stream.", d.keepalive_seconds, HOUR
            ),
            "early_head_seconds": seconds(
                "After this long without content a stream's head goes out all the same.", d.early_head_seconds, HOUR
            ),
            "fetch_images": choice(
                "`public`: remote images are fetched from public addresses, for APIs that want bytes.",
                ("off", "public"),
                d.fetch_images,
            ),
            "image_hosts": listing(
                "Patterns of hosts to fetch images from; none is any.", text("A host, or `*.domain`.")
            ),
            "log_content": listing(
                "Patterns of model names, as clients ask for them, whose requests and answers go to the log.",
                text("A pattern."),
            ),
        },
    )


def _client() -> Schema:
    return closed(
        "One inbound key.",
        {
            "name": text("Its name in logs and metrics."),
            "key": secret("The key as the client sends it."),
            "models": listing(
                "Patterns of model names it may use.", text("A pattern."), default=list(default_of(Client, "models"))
            ),
            "requests_per_minute": whole("The most requests a minute; absent is no limit.", 1),
            "allow": listing(
                "What it may choose by header.", choice("A permission.", ("tool_check",)), uniqueItems=True
            ),
        },
        required=("name", "key"),
    )


def _state() -> Schema:
    d = State()
    return closed(
        "Where stored responses and signed reasoning are kept.",
        {
            "backend": choice("`memory` of each worker, or `redis`, shared by all.", ("memory", "redis"), d.backend),
            "url": text(
                "Redis: `redis://`, `rediss://` or `unix://`.",
                pattern="^(rediss?|unix)://",
                patternErrorMessage="must begin with redis://, rediss:// or unix://",
            ),
            "ttl_seconds": seconds("How long an entry is kept.", d.ttl_seconds, 30 * DAY),
            "max_bytes": whole("The memory it may take; the oldest entries go first.", 65536, None, d.max_bytes),
        },
    )
