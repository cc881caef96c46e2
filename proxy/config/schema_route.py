"""The part of the config schema that describes routes: the entries of `models`."""

from adapters.errors import DEFAULT_ON_ERRORS, ERROR_TYPES
from proxy.config.blocks import HOUR, Schema, choice, closed, default_of, listing, ref, seconds, switch, text, whole
from proxy.config.model import Retry, Route


def route() -> Schema:
    retry = Retry()
    made = closed(
        "One model name, or pattern, that clients may ask for; a bare target is enough.",
        {
            "target": ref("target", description="What is tried first."),
            "fallbacks": listing("What is tried after it, in order.", ref("fallback")),
            "retry": closed(
                "Tries of one target with one key.",
                {
                    "attempts": whole("All tries, the first included.", 1, 20, retry.attempts),
                    "backoff_seconds": seconds("The first pause; it doubles.", retry.backoff_seconds, HOUR, 0),
                    "max_backoff_seconds": seconds("The longest pause.", retry.max_backoff_seconds, HOUR, 0),
                },
            ),
            "deadline_seconds": seconds(
                "One budget for the chain, to a stream's first content or the whole answer.",
                default_of(Route, "deadline_seconds"),
            ),
            "tool_check": choice(
                "What happens to a tool call that does not fit the request's schema.",
                ("off", "report", "repair", "fallback"),
                default_of(Route, "tool_check"),
            ),
            "tool_check_hint": switch("A retry after an invalid call says what was wrong with it.", False),
            "commit": choice(
                "`answer` holds reasoning back too, so that a model that fails after it can be replaced.",
                ("content", "answer"),
                default_of(Route, "commit"),
            ),
            "params": ref("params", description="Values for what the client left out."),
            "force": ref("params", description="Values that win over the client's."),
        },
        required=("target",),
    )
    return {**made, "type": ["string", "object"], "minLength": 1}


def target() -> Schema:
    one = {
        "target": text("`provider/model`."),
        "context_window": whole("Tokens; a prompt that surely does not fit skips this target.", 1),
    }
    member = closed(
        "", {**one, "weight": {"type": "number", "description": "Its share.", "exclusiveMinimum": 0, "default": 1}}
    )
    return {
        **closed(
            "`provider/model`, one with its context window, or a list to spread over by weight.", one, ("target",)
        ),
        "type": ["string", "object", "array"],
        "minLength": 1,
        "minItems": 1,
        "items": {**member, "type": ["string", "object"], "minLength": 1, "required": ["target"]},
    }


def fallback() -> Schema:
    made = closed(
        "A bare target, or one with the errors after which it is tried.",
        {
            "target": ref("target", description="What is tried."),
            "on_errors": listing(
                "Error types, HTTP statuses (`429`, `5xx`), or `all`.",
                _error(),
                uniqueItems=True,
                default=list(DEFAULT_ON_ERRORS),
            ),
            "context_window": whole("Tokens; a prompt that surely does not fit skips this target.", 1),
        },
        required=("target",),
    )
    return {**made, "type": ["string", "object"], "minLength": 1}


def _error() -> Schema:
    return {
        "title": "error type",
        "description": "An error type, an HTTP status, or `all`.",
        "anyOf": [
            {"enum": [*ERROR_TYPES, "all"]},
            {"type": "string", "pattern": "^[45]([0-9][0-9]|xx)$"},
            {"type": "integer", "minimum": 400, "maximum": 599},
        ],
    }


def params() -> Schema:
    penalty = {"type": "number", "minimum": -2, "maximum": 2}
    return closed(
        "Request values by their neutral names.",
        {
            "max_tokens": whole("The most tokens of the answer.", 1),
            "temperature": {"type": "number", "minimum": 0, "maximum": 2, "description": "Sampling temperature."},
            "top_p": {"type": "number", "minimum": 0, "maximum": 1, "description": "Nucleus sampling."},
            "top_k": whole("Sample from the k likeliest tokens.", 1),
            "stop": listing("Texts that end the answer.", text("A text."), minItems=1),
            "seed": {"type": "integer", "description": "For repeatable sampling."},
            "presence_penalty": {**penalty, "description": "Against tokens that occurred."},
            "frequency_penalty": {**penalty, "description": "Against tokens by how often they occurred."},
            "effort": choice("How much to reason.", ("none", "minimal", "low", "medium", "high", "xhigh", "max")),
            "parallel_tool_calls": {"type": "boolean", "description": "Whether several calls may come at once."},
            "verbosity": choice("How much to say.", ("low", "medium", "high")),
            "service_tier": text("The upstream's processing tier."),
        },
    )
