"""Providers from the environment, under the names that the providers' own SDKs read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proxy.config import build
from proxy.config.model import Config


@dataclass(frozen=True, slots=True)
class _Row:
    """A provider made from the first of `keys` that is set, and the bare model names that it serves."""

    provider: str
    data: Mapping[str, Any]
    keys: tuple[str, ...]
    prefixes: tuple[str, ...] = ()


# google-genai takes GOOGLE_API_KEY where both are set, cohere CO_API_KEY (2026-11).
_ROWS = (
    _Row(
        "openai",
        {"api": "openai-responses"},
        ("OPENAI_API_KEY",),
        ("gpt-*", "o1*", "o3*", "o4*", "chatgpt-*", "codex-*", "computer-use-*"),
    ),
    _Row("anthropic", {"api": "anthropic-messages"}, ("ANTHROPIC_API_KEY",), ("claude-*",)),
    _Row("gemini", {"api": "google-gemini"}, ("GOOGLE_API_KEY", "GEMINI_API_KEY"), ("gemini-*", "gemma-*")),
    _Row(
        "mistral",
        {"api": "mistral-chat"},
        ("MISTRAL_API_KEY",),
        (
            "mistral-*",
            "open-mistral-*",
            "open-mixtral-*",
            "codestral-*",
            "ministral-*",
            "devstral-*",
            "magistral-*",
            "pixtral-*",
            "voxtral-*",
        ),
    ),
    _Row("deepseek", {"preset": "deepseek"}, ("DEEPSEEK_API_KEY",), ("deepseek-*",)),
    _Row("cohere", {"api": "cohere-chat"}, ("CO_API_KEY", "COHERE_API_KEY"), ("command-*", "c4ai-*")),
    _Row("xai", {"preset": "xai"}, ("XAI_API_KEY",), ("grok-*",)),
    _Row("groq", {"preset": "groq"}, ("GROQ_API_KEY",)),
    _Row("together", {"preset": "together"}, ("TOGETHER_API_KEY",)),
    _Row("fireworks", {"preset": "fireworks"}, ("FIREWORKS_API_KEY",)),
    _Row("openrouter", {"preset": "openrouter"}, ("OPENROUTER_API_KEY",)),
    _Row("cerebras", {"preset": "cerebras"}, ("CEREBRAS_API_KEY",)),
    _Row("moonshot", {"preset": "moonshot"}, ("MOONSHOT_API_KEY",), ("kimi-*", "moonshot-*")),
    _Row("qwen", {"preset": "qwen"}, ("DASHSCOPE_API_KEY",), ("qwen-*", "qwen3-*", "qwq-*", "qvq-*")),
    _Row("zai", {"preset": "zai"}, ("ZAI_API_KEY",), ("glm-*",)),
    _Row("minimax", {"preset": "minimax"}, ("MINIMAX_API_KEY",), ("MiniMax-*",)),
    _Row("perplexity", {"preset": "perplexity"}, ("PERPLEXITY_API_KEY",), ("sonar*",)),
    _Row("nvidia", {"preset": "nvidia"}, ("NVIDIA_API_KEY",)),
)

_BEDROCK_PREFIXES = (
    *(f"{vendor}.*" for vendor in ("amazon", "anthropic", "meta", "mistral", "cohere", "ai21", "deepseek", "openai")),
    *(f"{region}.*" for region in ("us", "eu", "apac", "au", "jp", "global")),
    "arn:aws*",
)


def discover(environ: Mapping[str, str]) -> Config | None:
    """None where the environment names no provider. The SDKs' `*_BASE_URL` are not read: they point here."""
    found: dict[str, Mapping[str, Any]] = {}
    prefixes: dict[str, tuple[str, ...]] = {}
    for row in _ROWS:
        key = next((environ[name].strip() for name in row.keys if environ.get(name, "").strip()), None)
        if key is not None:
            found[row.provider] = {**row.data, "api_key": key}
            prefixes[row.provider] = row.prefixes
    bedrock = _bedrock(environ)
    if bedrock is not None:
        found["bedrock"], prefixes["bedrock"] = bedrock, _BEDROCK_PREFIXES
    if environ.get("OLLAMA_HOST", "").strip():
        prefixes["ollama"] = () if found else ("*",)
        found["ollama"] = _ollama(environ)
    if not found:
        return None
    providers = {name: build.provider(name, data, environ) for name, data in found.items()}
    return Config(providers=providers, prefixes=prefixes, discovered=True)


def _bedrock(environ: Mapping[str, str]) -> dict[str, Any] | None:
    """A bearer key, a pair of keys or a profile; and a region, without which there is no address."""
    bearer = environ.get("AWS_BEARER_TOKEN_BEDROCK", "").strip()
    signed = environ.get("AWS_ACCESS_KEY_ID") and environ.get("AWS_SECRET_ACCESS_KEY")
    if not build.region_of({}, environ) or not (bearer or signed or environ.get("AWS_PROFILE")):
        return None
    return {"api": "bedrock-converse", **({"api_key": bearer} if bearer else {})}


def _ollama(environ: Mapping[str, str]) -> dict[str, Any]:
    key = environ.get("OLLAMA_API_KEY", "").strip()
    data = {"api": "ollama-chat", "base_url": ollama_url(environ["OLLAMA_HOST"])}
    return {**data, "api_key": key} if key else data


def ollama_url(host: str) -> str:
    """OLLAMA_HOST as a base URL: it may lack scheme and port, and name the address to listen on (wire page, 1).

    With a scheme the port is that scheme's own, as Ollama's client has it.
    """
    scheme, found, rest = host.strip().partition("://")
    if not found:
        scheme, rest = "http", host.strip()
    address, slash, path = rest.partition("/")
    name, port = _split(address)
    name = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "": "127.0.0.1"}.get(name, name)  # noqa: S104
    if not found:
        port = port or ("443" if name == "ollama.com" else "11434")
        scheme = "https" if name == "ollama.com" else scheme
    return f"{scheme}://{name}{f':{port}' if port else ''}{slash}{path}".rstrip("/")


def _split(address: str) -> tuple[str, str]:
    """Host, in brackets if it is an IPv6 address, and port or nothing."""
    if address.count(":") > 1 and not address.startswith("["):
        return f"[{address}]", ""
    head, bracket, tail = address.rpartition("]")
    name, _, port = tail.partition(":")
    return head + bracket + name, port if port.isdigit() and int(port) <= 65535 else ""
