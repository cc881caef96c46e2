"""Every warning a row: a config that is allowed and cannot be meant."""

import pytest

from adapters import registry
from proxy.config.load import read

P = "providers: {a: {api: anthropic-messages, api_key: k}, o: {api: openai-chat, api_key: k}}\n"


@pytest.fixture(autouse=True)
def all_apis(monkeypatch):
    """These tests are about configs, not about what is built."""
    monkeypatch.setattr(registry, "built", lambda: frozenset(registry.APIS))


def provider(text: str) -> str:
    return f"providers: {{a: {{api_key: k, {text}}}}}"


def ends(end: str, appended: str) -> str:
    return f"providers.a.base_url: ends in {end}, and {appended} is appended to it: leave {end} out"


BASE_URLS = [
    ("api: openai-chat, base_url: 'https://x/v1'", []),
    ("api: openai-chat, base_url: 'https://x/v1/chat/completions'", [ends("/chat/completions", "/chat/completions")]),
    ("api: openai-chat, base_url: 'https://x/v1/v1'", [
        "providers.a.base_url: ends in /v1/v1: /v1 stands in it twice"
    ]),
    ("api: openai-chat, base_url: 'https://x/v1/chat'", [ends("/chat", "/chat/completions")]),
    ("api: openai-chat, base_url: 'https://api.openai.com'", [
        "providers.a.base_url: lacks /v1: /chat/completions is appended to it"
    ]),
    ("preset: deepseek, base_url: 'https://api.deepseek.com/v1'", []),
    ("api: openai-responses, base_url: 'https://x/v1/responses/'", [ends("/responses", "/responses")]),
    ("api: anthropic-messages, base_url: 'https://x/v1'", [ends("/v1", "/v1/messages")]),
    ("api: anthropic-messages, base_url: 'https://x/anthropic'", []),
    ("api: google-gemini, base_url: 'https://x/v1beta'", [ends("/v1beta", "/v1beta/models")]),
    ("api: google-gemini, base_url: 'https://x/v1'", [ends("/v1", "/v1/models")]),
    ("api: mistral-chat, base_url: 'https://x/v1'", [ends("/v1", "/v1/chat/completions")]),
    ("api: ollama-chat, base_url: 'http://x/api'", [ends("/api", "/api/chat")]),
    ("api: bedrock-converse, base_url: 'https://x/model'", [ends("/model", "/model")]),
    ("api: cohere-chat, base_url: 'https://x/v2'", [ends("/v2", "/v2/chat")]),
    ("api: cohere-chat, base_url: 'https://x/xv2'", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BASE_URLS)
def test_base_urls(warnings, text, expected):
    assert warnings(provider(text)) == expected


KEYS = [
    ("{a: {api: anthropic-messages}}", ["providers.a: has no api_key"]),
    ("{a: {preset: groq}}", ["providers.a: has no api_key"]),
    ("{a: {api: anthropic-messages, headers: {authorization: x}}}", []),
    ("{a: {api: openai-chat, base_url: 'http://127.0.0.1:8000/v1'}}", []),
    ("{a: {api: openai-chat, base_url: 'http://vllm.lan/v1'}}", []),
    ("{a: {preset: vllm}}", []),
    ("{a: {api: ollama-chat}}", []),
    ("{a: {api: google-gemini, vertex: {project: p, location: global}}}", []),
    ("{a: {api: bedrock-converse, aws: {region: us-east-1}}}", []),
]


LITERAL = "is sent as it is written: to take it from the environment write ${K_1}"
REFERENCES = [
    ("os.environ/K_1", True), ("$K_1", True), ("env:K_1", True), ("process.env.K_1", True), ("${K_1}", False),
    ("sk-os.environ/K_1", False), ("$K-1", False),
]  # fmt: skip


@pytest.mark.parametrize(("key", "warned"), REFERENCES)
def test_references_as_other_programs_write_them(warnings, key, warned):
    text = f"providers: {{a: {{api: openai-chat, api_key: [j, '{key}']}}}}\nclients: [{{name: n, key: '{key}'}}]\n"
    told = [f"providers.a.api_key: {LITERAL}", f"clients[0].key: {LITERAL}"]
    assert warnings(text, {"K_1": "s3cret"}) == (told if warned else [])


@pytest.mark.parametrize(("text", "expected"), KEYS)
def test_keys(warnings, text, expected):
    assert warnings(f"providers: {text}") == expected


def test_an_api_that_is_not_built(warnings, monkeypatch):
    monkeypatch.setattr(registry, "built", lambda: frozenset({"openai-chat"}))
    assert warnings(P) == ["providers.a: api anthropic-messages is not part of this version"]


ROUTES = [
    ("m: {target: a/x, fallbacks: [o/y]}", []),
    ("m: {target: a/x, fallbacks: [{target: o/y, on_errors: []}]}", [
        "models.m.fallbacks[0].on_errors: is empty: this target is never tried"
    ]),
    ("m: {target: a/x, fallbacks: [o/y, {target: o/y, on_errors: [all]}, {target: a/x}]}", [
        "models.m.fallbacks[1]: o/y is tried as fallbacks[0] already",
        "models.m.fallbacks[2]: a/x is tried as target already",
    ]),
    ("m: {target: [{target: a/x}, {target: a/y}], fallbacks: [{target: [a/z, a/y]}]}", [
        "models.m.fallbacks[0]: a/y is tried as target already"
    ]),
    ("m: {target: a/x, fallbacks: [{target: o/y, on_errors: [authentication_error, permission_error, all, "
     "stream_interrupted]}]}", [
        "models.m.fallbacks[0].on_errors[0]: authentication_error never moves a chain: an upstream's refusal of "
        "the key is upstream_auth_error",
        "models.m.fallbacks[0].on_errors[1]: permission_error never moves a chain: an upstream's refusal of the "
        "key is upstream_auth_error",
        "models.m.fallbacks[0].on_errors[3]: stream_interrupted never moves a chain: it comes after content has "
        "reached the client",
    ]),
    # time: 2 targets x (4 + 8 + 8) s of pauses
    ("m: {target: a/x, fallbacks: [o/y], retry: {attempts: 4, backoff_seconds: 4, max_backoff_seconds: 8}, "
     "deadline_seconds: 39}", [
        "models.m.deadline_seconds: is used up by the first target's timeout (120 s): no time is left for the "
        "fallbacks",
        "models.m.deadline_seconds: retries alone may wait 40 s, which is more than 39 s",
    ]),
    ("m: {target: a/x, retry: {attempts: 4, backoff_seconds: 4, max_backoff_seconds: 8}, deadline_seconds: 20}", []),
    ("m: {target: a/x, retry: {attempts: 4, backoff_seconds: 4, max_backoff_seconds: 8}, deadline_seconds: 19}", [
        "models.m.deadline_seconds: retries alone may wait 20 s, which is more than 19 s"
    ]),
    ("m: {target: a/x, fallbacks: [o/y], deadline_seconds: 121}", []),
    ("m: {target: a/x, fallbacks: [o/y], deadline_seconds: 120}", [
        "models.m.deadline_seconds: is used up by the first target's timeout (120 s): no time is left for the "
        "fallbacks"
    ]),
    # patterns
    ("'*': a/x, 'gpt-*': a/y, gpt-4o: a/z", []),
    ("'a*c': a/x, 'a*b*c': a/y", []),
    ("'*-*': a/x, 'gpt*-*': a/y", []),
    ("'gpt-*x*': a/y, 'gpt-*': a/x, 'g*': a/z", []),
    ("m: {target: a/x, tool_check: report, tool_check_hint: true}", [
        "models.m.tool_check_hint: has no effect with tool_check: report"
    ]),
    ("m: {target: a/x, tool_check: fallback, tool_check_hint: true}", []),
    ("m: {target: a/x, tool_check: repair, tool_check_hint: true}", [
        "models.m.tool_check_hint: has no effect with tool_check: repair"
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ROUTES)
def test_routes(warnings, text, expected):
    assert warnings(f"{P}models: {{{text}}}") == expected


def test_keys_multiply_the_pauses(warnings):
    text = "providers: {a: {api: anthropic-messages, api_key: [k, j, l]}}\n"
    route = "models: {m: {target: a/x, retry: {attempts: 2, backoff_seconds: 8}, deadline_seconds: 23}}\n"
    assert warnings(text + route) == ["models.m.deadline_seconds: retries alone may wait 24 s, which is more than 23 s"]


REST = [
    ("clients: [{name: n, key: k, models: [m, 'g*', a/x, '*', nope, zz/x]}]\n", [
        'clients[0].models[4]: no model is named "nope"',
        'clients[0].models[5]: no model is named "zz/x"',
    ]),
    ("server: {image_hosts: [x]}\n", ["server.image_hosts: has no effect with fetch_images: off"]),
    ("server: {log_content: [m]}\n", ["server.log_content: what these models are asked and answer is in the log"]),
    ("server: {image_hosts: [x], fetch_images: public}\n", []),
    ("server: {workers: 2}\n", ["server.workers: each worker has a memory of its own: state.backend: redis shares it"]),
    ("server: {workers: 2}\nstate: {backend: redis, url: 'redis://x'}\n", []),
    ("state: {url: 'redis://x'}\n", ["state.url: has no effect with backend: memory"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), REST)
def test_the_rest(warnings, text, expected):
    assert warnings(f"{text}{P}models: {{m: a/x}}") == expected


def test_timeouts(warnings):
    assert warnings(provider("api: cohere-chat, timeout: {first_content: 20, total: 10}")) == [
        "providers.a.timeout.first_content: has no effect beyond total (10 s)"
    ]
    assert warnings(provider("api: cohere-chat, timeout: {first_content: 601}")) == [
        "providers.a.timeout.first_content: has no effect beyond total (600 s)"
    ]
    assert warnings(provider("api: cohere-chat, timeout: {total: 30}")) == []


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ("'g*yx': a/x, '*g**yx*': a/x", [
            'models.g*yx: is never reached: "*g**yx*" is longer and takes all its names'
        ]),
        ("'g**yx': a/x, 'g*x': a/x", []),
        ("'ga*': a/x, '*ga': a/x", []),
    ],
)  # fmt: skip
def test_a_covered_pattern(warnings, routes, expected):
    assert warnings(f"{P}models: {{{routes}}}") == expected


def test_a_warning_stands_where_a_problem_would():
    found = read(f"{P}models:\n  m:\n    target: a/x\n    fallbacks: [a/x]\n", "c", {}).warnings
    assert [(w.line, w.column, w.path) for w in found] == [(5, 17, "models.m.fallbacks[0]")]
