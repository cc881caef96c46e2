"""What start-up prints: base URL, models, one curl, one SDK snippet."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.config.model import Config

MOST_MODELS = 24


def lines(config: Config, port: int) -> Iterator[str]:
    """The lines, for stdout."""
    host = config.server.host
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104 - only shown
    base = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
    names = [route.pattern for route in config.routes]
    direct = [f"{name}/MODEL" for name in config.providers]
    model = next((name for name in names if "*" not in name), None) or (direct[0] if direct else "MODEL")
    key = "YOUR_CLIENT_KEY" if config.clients else "unused"
    yield f"toolwire is ready at {base}"
    yield f"  OpenAI SDKs      base_url={base}/v1"
    yield f"  Anthropic SDKs   base_url={base}"
    yield f"  Google SDKs      base_url={base}"
    if names:
        yield f"  models           {', '.join(names[:MOST_MODELS])}{', …' if len(names) > MOST_MODELS else ''}"
        yield f"  and any model of {', '.join(direct)}"
    else:
        yield f"  models           any of {', '.join(direct)}: put its name for MODEL"
    if bare := [prefix for prefixes in config.prefixes.values() for prefix in prefixes]:
        yield f"  by bare name     {', '.join(bare[:MOST_MODELS])}{', …' if len(bare) > MOST_MODELS else ''}"
    if config.discovered:
        yield "  No config: the providers come from the environment's keys. GET /v1/models lists a config's routes."
    yield ""
    yield f"  curl {base}/v1/chat/completions -H 'authorization: Bearer {key}' -H 'content-type: application/json' \\"
    yield f"""    -d '{{"model": "{model}", "messages": [{{"role": "user", "content": "Hello"}}]}}'"""
    yield ""
    yield "  from openai import OpenAI"
    yield f'  client = OpenAI(base_url="{base}/v1", api_key="{key}")'
    yield f'  client.chat.completions.create(model="{model}", messages=[{{"role": "user", "content": "Hello"}}])'
