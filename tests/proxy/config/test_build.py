"""From checked data to the typed config: forms of a target, defaults, presets, what a model has of its own."""

import pytest

from adapters.errors import DEFAULT_ON_ERRORS
from proxy.config.build import vertex_url
from proxy.config.load import load
from proxy.config.model import Aws, Client, Config, ModelInfo, Provider, Server, State, Step, Target, Timeouts, Vertex
from proxy.config.patterns import covers, matches, matching

P = "providers: {a: {api: anthropic-messages}, o: {api: openai-chat}}\n"


def config(text: str, environ=()) -> Config:
    made = load(text, "toolwire.yaml", dict(environ))
    assert isinstance(made, Config), made
    return made


def provider(text: str, environ=()) -> Provider:
    return config(f"providers: {{p: {{{text}}}}}", environ).providers["p"]


TARGETS = [
    ("a/x", [Step((Target("a", "x"),), ())]),
    ("a/vendor/x:8b", [Step((Target("a", "vendor/x:8b"),), ())]),
    ("{target: a/x}", [Step((Target("a", "x"),), ())]),
    ("{target: {target: a/x, context_window: 9}}", [Step((Target("a", "x", 1.0, 9),), ())]),
    (
        "{target: [a/x, {target: o/y, weight: 3}, {target: o/z, context_window: 9}]}",
        [Step((Target("a", "x"), Target("o", "y", 3.0), Target("o", "z", 1.0, 9)), ())],
    ),
    (
        "{target: a/x, fallbacks: [o/y]}",
        [Step((Target("a", "x"),), ()), Step((Target("o", "y"),), DEFAULT_ON_ERRORS)],
    ),
    (
        "{target: a/x, fallbacks: [{target: o/y, on_errors: [429, 5xx, all], context_window: 9}]}",
        [Step((Target("a", "x"),), ()), Step((Target("o", "y", 1.0, 9),), ("429", "5xx", "all"))],
    ),
    (
        "{target: a/x, fallbacks: [{target: [o/y, {target: o/z, context_window: 5}], context_window: 9}]}",
        [
            Step((Target("a", "x"),), ()),
            Step((Target("o", "y", 1.0, 9), Target("o", "z", 1.0, 5)), DEFAULT_ON_ERRORS),
        ],
    ),
]


@pytest.mark.parametrize(("text", "steps"), TARGETS)
def test_forms_of_a_route(text, steps):
    assert list(config(f"{P}models: {{m: {text}}}").routes[0].steps) == steps


def test_defaults_are_the_contracts():
    made = config(f"{P}models: {{m: a/x}}")
    assert made.server == Server("127.0.0.1", 4100, 1, 33_554_432, 128, 30, 15, 25, "off", ())
    assert made.state == State("memory", None, 3600, 67_108_864)
    assert made.clients == ()
    assert made.providers["a"].timeout == Timeouts(10, 120, 120, 600)
    route = made.routes[0]
    assert (route.retry.attempts, route.retry.backoff_seconds, route.retry.max_backoff_seconds) == (2, 0.25, 8)
    assert (route.deadline_seconds, route.tool_check, route.tool_check_hint, route.commit) == (
        600, "report", False, "content",
    )  # fmt: skip
    assert (route.params, route.force) == ({}, {})
    assert made.prefixes == {}


def test_every_field_of_server_clients_and_state():
    made = config(
        "server: {host: 0.0.0.0, port: 1, workers: 2, max_request_bytes: 2048, max_json_depth: 9, drain_seconds: 3,"
        " keepalive_seconds: 4, early_head_seconds: 5, fetch_images: public, image_hosts: ['*.x'],"
        " log_content: [m]}\n"
        "clients: [{name: n, key: k, models: [m, 'g*'], requests_per_minute: 7, allow: [tool_check]},"
        " {name: o, key: l}]\n"
        "state: {backend: redis, url: 'redis://h', ttl_seconds: 8, max_bytes: 65536}\n" + P
    )
    assert made.server == Server("0.0.0.0", 1, 2, 2048, 9, 3, 4, 5, "public", ("*.x",), ("m",))
    assert made.clients == (Client("n", "k", ("m", "g*"), 7, ("tool_check",)), Client("o", "l"))
    assert made.state == State("redis", "redis://h", 8, 65536)


def test_every_field_of_a_route():
    route = config(
        f"{P}models: {{m: {{target: a/x, retry: {{attempts: 3, backoff_seconds: 1, max_backoff_seconds: 2}},"
        " deadline_seconds: 9, tool_check: repair, tool_check_hint: true, commit: answer,"
        " params: {max_tokens: 5, effort: low}, force: {temperature: 0, stop: [x]}}}\n"
    ).routes[0]
    assert (route.retry.attempts, route.retry.backoff_seconds, route.retry.max_backoff_seconds) == (3, 1, 2)
    assert (route.deadline_seconds, route.tool_check, route.tool_check_hint, route.commit) == (
        9,
        "repair",
        True,
        "answer",
    )
    assert (route.params, route.force) == ({"max_tokens": 5, "effort": "low"}, {"temperature": 0, "stop": ["x"]})


def test_every_field_of_a_provider():
    made = provider(
        "api: openai-chat, base_url: 'https://x/v1/', api_key: [k, l], headers: {h: v}, query: {q: w},"
        " timeout: {connect: 1, first_content: 2, idle: 3, total: 4}, compat: {max_tools: 5}, transport: httpx,"
        " models: {m: {context_window: 6, max_output_tokens: 7, family: f, compat: {max_tools: 8}, images: false,"
        " tools: true}},"
        " provider_options: {openai-chat: {o: 1}, cohere-chat: {}}, ca_file: c.pem"
    )
    assert (made.base_url, made.api_keys, made.headers, made.query) == (
        "https://x/v1",
        ("k", "l"),
        {"h": "v"},
        {"q": "w"},
    )
    assert (made.timeout, made.transport, made.ca_file) == (Timeouts(1, 2, 3, 4), "httpx", "c.pem")
    assert made.models == {"m": ModelInfo(6, 7, "f", {"max_tools": 8}, images=False, tools=True)}
    assert made.provider_options == {"openai-chat": {"o": 1}, "cohere-chat": {}}
    assert (made.compat["max_tools"], made.flags("m")["max_tools"]) == (5, 8)


PROVIDERS = [
    ("api: openai-chat", {}, "openai-chat", "openai", "https://api.openai.com/v1"),
    ("api: openai-responses", {}, "openai-responses", "openai", "https://api.openai.com/v1"),
    ("preset: openai", {}, "openai-responses", "openai", "https://api.openai.com/v1"),
    ("preset: openai, api: openai-chat", {}, "openai-chat", "openai", "https://api.openai.com/v1"),
    ("api: openai-chat, base_url: 'http://h/v1'", {}, "openai-chat", None, "http://h/v1"),
    ("preset: deepseek, base_url: 'http://h'", {}, "openai-chat", "deepseek", "http://h"),
    ("api: anthropic-messages", {}, "anthropic-messages", None, "https://api.anthropic.com"),
    ("api: google-gemini", {}, "google-gemini", None, "https://generativelanguage.googleapis.com"),
    ("api: mistral-chat", {}, "mistral-chat", None, "https://api.mistral.ai"),
    ("api: ollama-chat", {}, "ollama-chat", None, "http://127.0.0.1:11434"),
    ("api: cohere-chat", {}, "cohere-chat", None, "https://api.cohere.com"),
    ("api: bedrock-converse, aws: {region: eu-west-1}", {"AWS_REGION": "us-east-1"}, "bedrock-converse", None,
     "https://bedrock-runtime.eu-west-1.amazonaws.com"),
    ("api: bedrock-converse, api_key: k", {"AWS_DEFAULT_REGION": "us-east-2"}, "bedrock-converse", None,
     "https://bedrock-runtime.us-east-2.amazonaws.com"),
    ("api: google-gemini, vertex: {project: p, location: us-central1}", {}, "google-gemini", None,
     "https://us-central1-aiplatform.googleapis.com"),
    ("api: openai-chat, base_url: 'https://r.openai.azure.com/openai/v1'", {}, "openai-chat", "azure",
     "https://r.openai.azure.com/openai/v1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "environ", "api", "preset", "base_url"), PROVIDERS)
def test_api_preset_and_base_url(text, environ, api, preset, base_url):
    made = provider(text, environ)
    assert (made.api, made.preset, made.base_url) == (api, preset, base_url)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("global", "https://aiplatform.googleapis.com"),
        ("us", "https://aiplatform.us.rep.googleapis.com"),
        ("eu", "https://aiplatform.eu.rep.googleapis.com"),
        ("europe-west4", "https://europe-west4-aiplatform.googleapis.com"),
    ],
)
def test_vertex_hosts(location, url):
    assert vertex_url(location) == url


def test_vertex_goes_with_the_flags():
    compat = provider("api: google-gemini, vertex: {project: p, location: l}").compat
    assert (compat["vertex"], compat["vertex_project"], compat["vertex_location"]) == (True, "p", "l")
    assert "vertex" not in provider("api: google-gemini").compat


def test_platform_values():
    user = '{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}'
    assert provider(f"api: google-gemini, vertex: {{project: p, location: l, credentials: '{user}'}}").vertex == Vertex(
        "p", "l", user
    )
    made = provider(
        "api: bedrock-converse, aws: {region: r, access_key_id: i, secret_access_key: s, session_token: t, profile: q}"
    )
    assert made.aws == Aws("r", "i", "s", "t", "q")


FLAGS = [
    # the preset's model facts stand over its flags
    ("preset: deepseek", "deepseek-v4-pro", "reasoning_echo", "required"),
    ("preset: deepseek", "deepseek-v4-pro", "tool_choice", "auto-only"),
    ("preset: deepseek", "deepseek-chat", "tool_choice", "no-allowed_tools"),
    ("preset: deepseek", "deepseek-chat", "reasoning_echo", "drop"),
    ("preset: xai", "grok-4", "unsupported_fields", ("stop", "presence_penalty", "frequency_penalty")),
    ("preset: xai", "grok-4-fast-non-reasoning", "unsupported_fields", ()),
    ("preset: azure, base_url: 'https://r/v1'", "mistral-large", "max_tokens_field", "max_tokens"),
    ("preset: azure, base_url: 'https://r/v1'", "gpt-4o", "max_tokens_field", "max_completion_tokens"),
    # what is configured for the provider stands over both, for the model over all
    ("preset: deepseek, compat: {tool_choice: full}", "deepseek-v4-pro", "tool_choice", "full"),
    (
        "preset: deepseek, models: {'deepseek-v4-*': {compat: {tool_choice: full}}}",
        "deepseek-v4-pro",
        "tool_choice",
        "full",
    ),
    ("preset: deepseek, models: {'deepseek-v4-*': {context_window: 9}}", "deepseek-v4-pro", "tool_choice", "auto-only"),
    (
        "api: openai-chat, models: {'*': {compat: {tools: prompted}}, x: {compat: {tools: native}}}",
        "x",
        "tools",
        "native",
    ),
    (
        "api: openai-chat, models: {'*': {compat: {tools: prompted}}, x: {compat: {tools: native}}}",
        "y",
        "tools",
        "prompted",
    ),
    ("api: openai-chat, compat: {text_tool_calls: [hermes, dsml]}", "x", "text_tool_calls", ("hermes", "dsml")),
]


@pytest.mark.parametrize(("text", "model", "flag", "value"), FLAGS)
def test_flags_of_a_model(text, model, flag, value):
    assert provider(text).flags(model)[flag] == value


def test_facts_of_a_model():
    made = provider(
        "api: cohere-chat, models: {'c*': {context_window: 1, family: f}, 'co*': {context_window: 2}, com: {}}"
    )
    assert made.info("com") == ModelInfo(2, None, "f")
    assert made.info("cx") == ModelInfo(1, None, "f")
    assert made.info("x") == ModelInfo()


def test_a_presets_options_lie_under_the_configured_ones():
    assert provider("preset: minimax").provider_options == {"openai-chat": {"reasoning_split": True}}
    made = provider("preset: minimax, provider_options: {openai-chat: {reasoning_split: false, x: 1}}")
    assert made.provider_options == {"openai-chat": {"reasoning_split": False, "x": 1}}


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("gpt-4o", "gpt-4o", True), ("gpt-4o", "GPT-4o", False), ("gpt-*", "gpt-", True), ("gpt-*", "xgpt-4", False),
        ("*", "", True), ("*", "a/b\n", True), ("a*b*c", "abxbc", True), ("a*b*c", "acb", False), ("a.b", "axb", False),
        ("[ab]", "a", False), ("a?", "ab", False),
    ],
)  # fmt: skip
def test_patterns(pattern, name, expected):
    assert matches(pattern, name) is expected


def test_the_best_pattern_comes_first():
    assert matching(["*", "gpt-*", "gpt-4o", "*-4o", "gpt-4*"], "gpt-4o") == ["gpt-4o", "gpt-4*", "gpt-*", "*-4o", "*"]


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [("*", "a*", True), ("a*", "*", False), ("a*", "ab", True), ("a*c", "ab*c", True), ("a*c", "ab*", False)],
)
def test_covers(wide, narrow, expected):
    assert covers(wide, narrow) is expected
