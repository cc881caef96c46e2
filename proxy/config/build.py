"""Checked data -> typed config."""

from collections.abc import Mapping
from typing import Any

from adapters.compat import BASE_URLS, resolve
from adapters.errors import DEFAULT_ON_ERRORS
from adapters.presets import PRESETS, preset_of
from proxy.config.model import (
    Aws,
    Client,
    Config,
    ModelInfo,
    Provider,
    Retry,
    Route,
    Server,
    State,
    Step,
    Target,
    Timeouts,
    Vertex,
)

Data = Mapping[str, Any]


def config(data: Data, environ: Mapping[str, str]) -> Config:
    """`data` is free of problems. The environment says a Bedrock region that the file leaves out."""
    return Config(
        server=Server(**_frozen(data.get("server", {}))),
        clients=tuple(Client(**_frozen(client)) for client in data.get("clients", ())),
        state=State(**data.get("state", {})),
        providers={name: provider(name, entry, environ) for name, entry in data["providers"].items()},
        routes=tuple(_route(pattern, entry) for pattern, entry in data.get("models", {}).items()),
    )


def _frozen(data: Data) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


# --- providers ---------------------------------------------------------------------------------------------------


def api_of(data: Data) -> str | None:
    """The provider's API; None where neither `api` nor `preset` names one."""
    preset = PRESETS.get(data.get("preset", ""))
    api: str | None = data.get("api") or (preset.api if preset else None)
    return api


def region_of(data: Data, environ: Mapping[str, str]) -> str | None:
    configured: str | None = data.get("aws", {}).get("region")
    return configured or environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or None


def provider(name: str, data: Data, environ: Mapping[str, str]) -> Provider:
    api = api_of(data)
    assert api is not None
    preset = data.get("preset") or preset_of(api, data.get("base_url"))
    region = region_of(data, environ) if api == "bedrock-converse" else None
    aws = Aws(**{**data.get("aws", {}), "region": region}) if "aws" in data or region else None
    vertex = Vertex(**data["vertex"]) if "vertex" in data else None
    keys = data.get("api_key", [])
    compat = _frozen(data.get("compat", {}))
    return Provider(
        name=name,
        api=api,
        preset=preset,
        base_url=_base_url(api, data, vertex, region).rstrip("/"),
        api_keys=(keys,) if isinstance(keys, str) else tuple(keys),
        headers=data.get("headers", {}),
        query=data.get("query", {}),
        timeout=Timeouts(**data.get("timeout", {})),
        compat=resolve(api, preset, compat) | _platform(vertex),
        transport=data.get("transport", "aiohttp"),
        models=_models(api, preset, compat, data.get("models", {})),
        provider_options=_options(api, preset, data.get("provider_options", {})),
        ca_file=data.get("ca_file"),
        vertex=vertex,
        aws=aws,
    )


def _base_url(api: str, data: Data, vertex: Vertex | None, region: str | None) -> str:
    if "base_url" in data:
        return str(data["base_url"])
    if vertex is not None:
        return vertex_url(vertex.location)
    preset = PRESETS.get(data.get("preset", ""))
    return ((preset and preset.base_url) or BASE_URLS[api]).replace("REGION", region or "")


def vertex_url(location: str) -> str:
    """Multi-regions have a host form of their own (2026-11)."""
    if location == "global":
        return "https://aiplatform.googleapis.com"
    if location in ("us", "eu"):
        return f"https://aiplatform.{location}.rep.googleapis.com"
    return f"https://{location}-aiplatform.googleapis.com"


def _platform(vertex: Vertex | None) -> dict[str, Any]:
    """What the Gemini format must know of Vertex goes with the flags."""
    if vertex is None:
        return {}
    return {"vertex": True, "vertex_project": vertex.project, "vertex_location": vertex.location}


def _models(api: str, preset: str | None, compat: Data, configured: Data) -> dict[str, ModelInfo]:
    """The preset's facts, under what is configured: for the model, or for the whole provider."""
    models: dict[str, ModelInfo] = {}
    for pattern, facts in PRESETS[preset].models.items() if preset else ():
        flags = {flag: value for flag, value in facts.compat.get(api, {}).items() if flag not in compat}
        models[pattern] = ModelInfo(facts.context_window, facts.max_output_tokens, facts.family, flags)
    for pattern, entry in configured.items():
        info = ModelInfo(**{**entry, "compat": _frozen(entry.get("compat", {}))})
        models[pattern] = info.over(models.get(pattern, ModelInfo()))
    return models


def _options(api: str, preset: str | None, configured: Data) -> dict[str, Mapping[str, Any]]:
    known = PRESETS[preset].options if preset else {}
    return {**configured, api: {**known, **configured.get(api, {})}} if known else dict(configured)


# --- routes ------------------------------------------------------------------------------------------------------


def _route(pattern: str, data: Any) -> Route:
    if isinstance(data, str):
        data = {"target": data}
    further = {
        key: data[key]
        for key in ("deadline_seconds", "tool_check", "tool_check_hint", "commit", "params", "force")
        if key in data
    }
    first = Step(targets(data["target"]), ())
    return Route(
        pattern=pattern,
        steps=(first, *map(_step, data.get("fallbacks", ()))),
        retry=Retry(**data.get("retry", {})),
        **further,
    )


def _step(data: Any) -> Step:
    if isinstance(data, str):
        return Step(targets(data))
    errors = data.get("on_errors", DEFAULT_ON_ERRORS)
    return Step(targets(data["target"], data.get("context_window")), tuple(map(str, errors)))


def targets(data: Any, context_window: int | None = None) -> tuple[Target, ...]:
    """A target in each of its forms. `context_window` is for those that have none of their own."""
    if isinstance(data, list):
        return tuple(target for member in data for target in targets(member, context_window))
    if isinstance(data, str):
        data = {"target": data}
    name, _, model = data["target"].partition("/")
    return (Target(name, model, float(data.get("weight", 1)), data.get("context_window", context_window)),)
