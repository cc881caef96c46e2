"""What no schema can say: references between parts of a config, and parts that exclude each other.

The data may still be wrong in shape (the schema tells that): whatever has another shape is passed over here.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from adapters.presets import PRESETS
from proxy.config import extras, google
from proxy.config.build import api_of, region_of
from proxy.config.nodes import Document
from proxy.config.problem import Path, quoted, suggestion

_FEW = 12

Found = Iterator[tuple[Path, str]]

_OWN_HEADERS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept-encoding"}
)


def apply(document: Document, environ: Mapping[str, str] | None, host: str | None) -> None:
    """Adds what is wrong to the document's problems. Without `environ` nothing is asked of the environment; `host` is
    the address that stands above the file's."""
    data = _mapping(document.data)
    for found in (
        _providers(data, document, environ),
        _targets(data, document),
        _routes(data),
        _clients(data, document, host),
        _state(data, environ),
    ):
        for path, message in found:
            document.problem(path, message)


def is_loopback(host: str) -> bool:
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# --- providers ---------------------------------------------------------------------------------------------------


def _providers(data: dict[str, Any], document: Document, environ: Mapping[str, str] | None) -> Found:
    for name, entry in _mapping(data.get("providers")).items():
        known = {key: value for key, value in _mapping(entry).items() if not isinstance(value, list)}
        path = "providers", name
        if isinstance(known.get("api"), str | None) and isinstance(known.get("preset"), str | None):
            yield from _preset(path, known)
            yield from _platform(path, known, environ)
            if "vertex" in known and environ is not None:
                yield from _vertex((*path, "vertex"), _mapping(known["vertex"]), document)
        for header in _mapping(known.get("headers")):
            if header.lower() in _OWN_HEADERS:
                yield (*path, "headers", header), "is set by toolwire itself"


def _preset(path: Path, entry: dict[str, Any]) -> Found:
    preset = PRESETS.get(entry.get("preset", ""))
    if preset is None:
        return
    if "api" in entry and entry["api"] not in preset.compat:
        yield (*path, "api"), f"preset {quoted(entry['preset'])} speaks {' or '.join(preset.compat)}"
    if preset.base_url is None and "base_url" not in entry:
        yield path, f'preset {quoted(entry["preset"])} needs "base_url", such as {preset.example}'


def _platform(path: Path, entry: dict[str, Any], environ: Mapping[str, str] | None) -> Found:
    api = api_of(entry)
    if "vertex" in entry and api != "google-gemini":
        yield (*path, "vertex"), "is for google-gemini only"
    if "vertex" in entry and "api_key" in entry:
        yield (*path, "api_key"), "has no place beside vertex, which uses OAuth"
    if "aws" in entry and api != "bedrock-converse":
        yield (*path, "aws"), "is for bedrock-converse only"
    region = environ is None or region_of({"aws": _mapping(entry.get("aws"))}, environ)
    if api == "bedrock-converse" and "base_url" not in entry and not region:
        yield path, "the region is missing: set aws.region, AWS_REGION or base_url"


def _vertex(path: Path, entry: dict[str, Any], document: Document) -> Found:
    if not google.installed():
        yield path, google.MISSING
    credentials, place = entry.get("credentials"), (*path, "credentials")
    if not isinstance(credentials, str) or not credentials or place in document.unknown:
        return
    try:
        google.info(credentials)
    except ValueError as error:
        shown = document.origin(place) or ("" if credentials.lstrip().startswith("{") else quoted(credentials))
        yield place, f"{shown} {error}".lstrip()


# --- routes ------------------------------------------------------------------------------------------------------


def _targets(data: dict[str, Any], document: Document) -> Found:
    providers = _mapping(data.get("providers"))
    routes = _mapping(data.get("models"))
    for name, route in routes.items():
        path = "models", name
        places = list(_named(path, route))
        for index, fallback in enumerate(_list(_mapping(route).get("fallbacks"))):
            places += _named((*path, "fallbacks", index), fallback)
        for place, target in places:
            message = None if place in document.unknown else _target(target, providers, routes)
            if message:
                origin = document.origin(place)
                yield place, f"{origin} does not name a target" if origin else message


def _named(path: Path, value: Any) -> Found:
    """Every target named in a value of whatever form, with its place."""
    match value:
        case str():
            yield path, value
        case {"target": inner}:
            yield from _named((*path, "target"), inner)
        case list():
            for index, member in enumerate(value):
                yield from _named((*path, index), member)


def _target(target: str, providers: dict[str, Any], routes: dict[str, Any]) -> str | None:
    provider, slash, model = target.partition("/")
    defined = ", ".join(providers) or "none"
    if slash and provider not in providers:
        known = f" (defined: {defined})" if len(providers) <= _FEW else suggestion(provider, providers)
        return f"provider {quoted(provider)} is not defined{known}"
    if not slash and target in routes:
        return f'{quoted(target)} is another entry of models; a target is "provider/model", chains do not nest'
    if not slash:
        return f'a target is "provider/model", not {quoted(target)} (providers: {defined})'
    return None if model else f"the model is missing after {quoted(target)}"


def _routes(data: dict[str, Any]) -> Found:
    seen: dict[str, str] = {}
    for name in _mapping(data.get("models")):
        plain = name
        while "**" in plain:
            plain = plain.replace("**", "*")
        if plain in seen:
            yield ("models", name), f"matches the same names as {quoted(seen[plain])}"
        seen.setdefault(plain, name)


# --- the rest ----------------------------------------------------------------------------------------------------


def _clients(data: dict[str, Any], document: Document, host: str | None) -> Found:
    clients = [_mapping(client) for client in _list(data.get("clients"))]
    for field in ("name", "key"):
        seen: dict[Any, int] = {}
        for index, client in enumerate(clients):
            value = client.get(field)
            if isinstance(value, str) and ("clients", index, field) not in document.unknown:
                if value in seen:
                    yield ("clients", index, field), f"is the {field} of clients[{seen[value]}] too"
                seen.setdefault(value, index)
    configured = _mapping(data.get("server")).get("host", "127.0.0.1")
    address = host or configured
    if not clients and isinstance(address, str) and (host or ("server", "host") not in document.unknown):
        message = open_to_others(address)
        if message:
            yield ("server", "host"), message


def open_to_others(host: str) -> str | None:
    """Why the proxy may not listen there without clients."""
    if is_loopback(host):
        return None
    return (
        f"{host} is reachable by others and no client keys are set: "
        'add clients: [{name: me, key: "${TOOLWIRE_KEY}"}], or listen on 127.0.0.1'
    )


def _state(data: dict[str, Any], environ: Mapping[str, str] | None) -> Found:
    state = _mapping(data.get("state"))
    if state.get("backend") == "redis" and environ is not None and not extras.installed("redis"):
        yield ("state", "backend"), extras.needs("redis", "redis")
    if state.get("backend") == "redis" and "url" not in state:
        yield ("state",), 'redis needs "url", such as redis://127.0.0.1:6379/0'
