"""Providers from the environment (contract, section 1)."""

import pytest

from proxy.config.discover import discover, ollama_url
from proxy.config.patterns import matches

FOUND = [
    ("OPENAI_API_KEY", "openai", "openai-responses", "https://api.openai.com/v1"),
    ("ANTHROPIC_API_KEY", "anthropic", "anthropic-messages", "https://api.anthropic.com"),
    ("GEMINI_API_KEY", "gemini", "google-gemini", "https://generativelanguage.googleapis.com"),
    ("GOOGLE_API_KEY", "gemini", "google-gemini", "https://generativelanguage.googleapis.com"),
    ("MISTRAL_API_KEY", "mistral", "mistral-chat", "https://api.mistral.ai"),
    ("DEEPSEEK_API_KEY", "deepseek", "openai-chat", "https://api.deepseek.com"),
    ("COHERE_API_KEY", "cohere", "cohere-chat", "https://api.cohere.com"),
    ("CO_API_KEY", "cohere", "cohere-chat", "https://api.cohere.com"),
    ("XAI_API_KEY", "xai", "openai-chat", "https://api.x.ai/v1"),
    ("OPENROUTER_API_KEY", "openrouter", "openai-chat", "https://openrouter.ai/api/v1"),
]


@pytest.mark.parametrize(("variable", "provider", "api", "base_url"), FOUND)
def test_a_key_makes_a_provider(variable, provider, api, base_url):
    config = discover({variable: " k1\n"})
    assert config is not None and config.discovered
    assert list(config.providers) == [provider]
    made = config.providers[provider]
    assert (made.api, made.base_url, made.api_keys) == (api, base_url, ("k1",))
    assert (config.clients, config.routes, config.server.host) == ((), (), "127.0.0.1")


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "  "}, {"PATH": "/bin"}])
def test_nothing_to_discover(environ):
    assert discover(environ) is None


def test_base_urls_of_the_sdks_are_not_read():
    config = discover(
        {
            "OPENAI_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:4100/v1",
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:4100",
            "GEMINI_API_KEY": "k",
            "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:4100",
        }
    )
    assert config is not None
    assert all(provider.base_url.startswith("https://") for provider in config.providers.values())


def test_both_names_of_a_key():
    config = discover({"GEMINI_API_KEY": "a", "GOOGLE_API_KEY": "b", "COHERE_API_KEY": "c", "CO_API_KEY": "d"})
    assert config is not None
    assert config.providers["gemini"].api_keys == ("b",)
    assert config.providers["cohere"].api_keys == ("d",)


PAIR = {"AWS_ACCESS_KEY_ID": "i", "AWS_SECRET_ACCESS_KEY": "s"}
BEDROCK = "https://bedrock-runtime.eu-west-1.amazonaws.com"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"AWS_BEARER_TOKEN_BEDROCK": "b", "AWS_REGION": "eu-west-1"}, (BEDROCK, ("b",))),
        ({**PAIR, "AWS_REGION": "eu-west-1"}, (BEDROCK, ())),
        ({**PAIR, "AWS_DEFAULT_REGION": "eu-west-1"}, (BEDROCK, ())),
        ({"AWS_PROFILE": "p", "AWS_REGION": "eu-west-1"}, (BEDROCK, ())),
        (PAIR, None),
        ({"AWS_REGION": "eu-west-1"}, None),
        ({"AWS_ACCESS_KEY_ID": "i", "AWS_REGION": "eu-west-1"}, None),
    ],
)
def test_bedrock(environ, expected):
    config = discover(environ)
    if expected is None:
        assert config is None
        return
    assert config is not None
    made = config.providers["bedrock"]
    assert (made.base_url, made.api_keys) == expected
    assert made.aws is not None and made.aws.region == "eu-west-1"
    assert made.aws.access_key_id is None


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        (" gpu.lan ", "http://gpu.lan:11434"),
        ("host:1234", "http://host:1234"),
        (":1234", "http://127.0.0.1:1234"),
        ("host:port", "http://host:11434"),
        ("http://host", "http://host"),
        ("http://0.0.0.0:1234", "http://127.0.0.1:1234"),
        ("https://host:1234/", "https://host:1234"),
        ("https://ollama.com", "https://ollama.com"),
        ("ollama.com", "https://ollama.com:443"),
        ("host:1234/path/", "http://host:1234/path"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:1234", "http://[::1]:1234"),
        ("::1", "http://[::1]:11434"),
        ("[::]:1234", "http://[::1]:1234"),
    ],
)
def test_ollama_host(host, url):
    assert ollama_url(host) == url


def test_ollama():
    config = discover({"OLLAMA_HOST": "0.0.0.0", "OLLAMA_API_KEY": "k"})
    assert config is not None
    made = config.providers["ollama"]
    assert (made.api, made.base_url, made.api_keys) == ("ollama-chat", "http://127.0.0.1:11434", ("k",))
    assert config.prefixes == {"ollama": ("*",)}


def test_beside_others_ollama_serves_no_bare_name():
    config = discover({"OLLAMA_HOST": "127.0.0.1", "OPENAI_API_KEY": "k"})
    assert config is not None and config.prefixes["ollama"] == ()


ALL = {variable: "k" for variable, *_ in FOUND} | {
    "OLLAMA_HOST": "127.0.0.1", "AWS_BEARER_TOKEN_BEDROCK": "b", "AWS_REGION": "us-east-1", "GROQ_API_KEY": "k",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("gpt-4o", "openai"), ("gpt-5.6", "openai"), ("o1", "openai"), ("o3-mini", "openai"), ("o4-mini", "openai"),
        ("chatgpt-4o-latest", "openai"), ("claude-opus-4-5", "anthropic"), ("gemini-3-pro-preview", "gemini"),
        ("mistral-large-latest", "mistral"), ("codestral-latest", "mistral"), ("ministral-8b-latest", "mistral"),
        ("devstral-medium-2507", "mistral"), ("magistral-small-2509", "mistral"), ("pixtral-12b", "mistral"),
        ("deepseek-chat", "deepseek"), ("command-a-03-2025", "cohere"), ("grok-4", "xai"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock"), ("amazon.nova-pro-v1:0", "bedrock"),
        ("llama3.1:8b", None), ("GPT-4o", None), ("my-gpt-4o", None),
    ],
)  # fmt: skip
def test_bare_names(name, provider):
    config = discover(ALL)
    assert config is not None
    serving = [who for who, patterns in config.prefixes.items() if any(matches(pattern, name) for pattern in patterns)]
    assert serving == ([provider] if provider else [])
    assert set(config.prefixes) == set(config.providers)
