"""The part of the config schema that describes providers."""

from adapters.compat import APIS, FLAGS, Flag
from adapters.presets import PRESETS
from proxy.config.blocks import (
    Schema,
    choice,
    closed,
    default_of,
    mapping,
    open_object,
    ref,
    seconds,
    secret,
    text,
    whole,
)
from proxy.config.model import Provider, Timeouts


def provider() -> Schema:
    header = text("A value.", pattern="^[^\\r\\n\\0]*$", patternErrorMessage="must be one line", minLength=0)
    return {
        **closed(
            "One upstream account. It needs `api` or `preset`.",
            {
                "api": choice("The wire format it speaks.", APIS),
                "preset": choice("A known host: its API, base URL and compat flags.", tuple(PRESETS)),
                "base_url": text(
                    "What the provider's own SDK takes as base URL; the API's path is appended.",
                    pattern="^https?://[^\\s/?#@]+(/[^\\s?#]*)?$",
                    patternErrorMessage="must be an http:// or https:// URL without user, query or fragment",
                ),
                "api_key": _keys(),
                "headers": mapping("Further headers of every request.", header, "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"),
                "query": mapping("Further query parameters of every request.", text("A value.", minLength=0), "^.+$"),
                "timeout": _timeout(),
                "compat": open_object("Quirk flags of this API; the reference lists them."),
                "transport": choice(
                    "The HTTP client; `httpx` brings HTTP/2 and SOCKS.",
                    ("aiohttp", "httpx"),
                    default_of(Provider, "transport"),
                ),
                "models": mapping("Facts about its models; a name may be a pattern with `*`.", _model(), "^\\S+$"),
                "provider_options": mapping(
                    "API name to fields that are merged last into that API's native body.",
                    open_object("Native fields."),
                    f"^({'|'.join(APIS)})$",
                ),
                "ca_file": text("PEM file of the authorities to trust, instead of the system's."),
                "vertex": _vertex(),
                "aws": _aws(),
            },
        ),
        "anyOf": [{"required": ["api"]}, {"required": ["preset"]}],
        "allOf": [_by_api(api) for api in APIS] + [_by_preset(api) for api in _preset_apis()],
    }


def _keys() -> Schema:
    several = {"type": ["string", "array"], "minItems": 1, "uniqueItems": True, "items": secret("A key.")}
    told = "The key, or a list of keys: where one is limited, refused or out of credit, the next is asked."
    return {**secret(told), **several}


def _timeout() -> Schema:
    d = Timeouts()
    return closed(
        "What one attempt may take, in seconds.",
        {
            "connect": seconds("To a connection.", d.connect),
            "first_content": seconds("From the request to the first content.", d.first_content),
            "idle": seconds("Between two reads, once the answer has begun.", d.idle),
            "total": seconds("The whole attempt.", d.total),
        },
    )


def _model() -> Schema:
    return closed(
        "Facts about one model.",
        {
            "context_window": whole("Tokens that prompt and answer share.", 1),
            "max_output_tokens": whole("The most tokens of an answer.", 1),
            "images": {"type": "boolean", "description": "False: it takes none; requests with some skip it."},
            "tools": {"type": "boolean", "description": "False: it calls none; requests with some skip it."},
            "family": text("Whose rules and signatures it follows, where its name does not tell."),
            "compat": ref("compat-model"),
        },
    )


def _vertex() -> Schema:
    return closed(
        "`google-gemini` on Vertex, by OAuth instead of an API key.",
        {
            "project": text("The Google Cloud project."),
            "location": text("Such as `global`, `us-central1`."),
            "credentials": text(
                "A Google credentials file (service account, authorized user, external account) or its JSON; absent: "
                "Application Default Credentials. Needs the extra `vertex`."
            ),
        },
        required=("project", "location"),
    )


def _aws() -> Schema:
    made = closed(
        "What signs `bedrock-converse` requests where there is no `api_key`.",
        {
            "region": text(
                "Such as `us-east-1`; absent: `AWS_REGION`, `AWS_DEFAULT_REGION`.",
                pattern="^[a-z0-9-]+$",
                patternErrorMessage="is no region",
            ),
            "access_key_id": secret("With `secret_access_key`; absent: the environment's credentials."),
            "secret_access_key": secret("The secret to `access_key_id`."),
            "session_token": secret("For temporary credentials."),
            "profile": text("A profile of the shared AWS files."),
        },
    )
    pair = {"access_key_id": ["secret_access_key"], "secret_access_key": ["access_key_id"]}
    return {**made, "dependentRequired": {**pair, "session_token": ["access_key_id"]}}


def _by_api(api: str) -> Schema:
    return {"if": {"properties": {"api": {"const": api}}, "required": ["api"]}, "then": _flags_of(api)}


def _by_preset(api: str) -> Schema:
    names = [name for name, preset in PRESETS.items() if preset.api == api]
    asked = {"properties": {"preset": {"enum": names}}, "required": ["preset"], "not": {"required": ["api"]}}
    return {"if": asked, "then": _flags_of(api)}


def _preset_apis() -> list[str]:
    return sorted({preset.api for preset in PRESETS.values()})


def _flags_of(api: str) -> Schema:
    flags = ref(f"compat-{api}")
    models = {"additionalProperties": {"properties": {"compat": flags}}}
    return {"properties": {"compat": flags, "models": models}}


def compat(api: str) -> Schema:
    return closed(f"Compat flags of `{api}`.", {flag.name: flag_schema(flag) for flag in FLAGS[api]})


def flag_schema(flag: Flag) -> Schema:
    kinds: list[Schema] = [{"enum": list(flag.values)}] if flag.values else []
    if flag.words is not None:
        word = {"enum": list(flag.words)} if flag.words else {"type": "string", "minLength": 1}
        kinds.append({"type": "array", "items": word, "uniqueItems": True})
    if flag.counts:
        kinds.append({"type": "integer", "minimum": 1})
    made = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    default = list(flag.default) if isinstance(flag.default, tuple) else flag.default
    return {**made, "description": flag.doc, "default": default}
