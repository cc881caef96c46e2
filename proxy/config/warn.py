"""What is allowed but cannot be meant: rules that never match, settings without effect, chains that take too long."""

import re
from collections.abc import Container, Iterable, Iterator
from urllib.parse import urlsplit

from adapters import registry
from adapters.compat import BASE_URLS, PATHS
from adapters.presets import PRESETS
from proxy.config.model import Config, Provider, Retry, Route, Step
from proxy.config.patterns import covers
from proxy.config.problem import Path, dotted, quoted
from proxy.config.rules import is_loopback

_REFERENCE = re.compile(r"(?:os\.environ/|env[:.]|process\.env\.|\$)([A-Za-z_]\w*)")
"""How other programs name a variable."""

_TWICE = re.compile(r"(/v\d\w*)\1$")

Found = Iterator[tuple[Path, str]]

_NEVER = {
    "authentication_error": "an upstream's refusal of the key is upstream_auth_error",
    "permission_error": "an upstream's refusal of the key is upstream_auth_error",
    "stream_interrupted": "it comes after content has reached the client",
}


def warnings(config: Config, written: Container[Path]) -> Iterator[tuple[Path, str]]:
    """Of a config without problems. `written`: the keys that stand in the file."""
    built = registry.built()
    for provider in config.providers.values():
        yield from _provider(provider, built, written)
    for index, route in enumerate(config.routes):
        yield from _steps(route)
        yield from _time(route, config)
        yield from _shadow(index, config.routes)
    yield from _clients(config)
    yield from _server(config)


# --- providers ---------------------------------------------------------------------------------------------------


def _provider(provider: Provider, built: frozenset[str], written: Container[Path]) -> Found:
    path = "providers", provider.name
    if provider.api not in built:
        yield path, f"api {provider.api} is not part of this version"
    repeated = _repeats(provider)
    if repeated:
        yield (*path, "base_url"), repeated
    if not provider.api_keys and not provider.headers and _needs_key(provider):
        yield path, "has no api_key"
    if any(_REFERENCE.fullmatch(key) for key in provider.api_keys):
        yield (*path, "api_key"), _not_taken(provider.api_keys)
    timeout, first = provider.timeout, (*path, "timeout", "first_content")
    if timeout.first_content > timeout.total and first in written:
        yield first, f"has no effect beyond total ({timeout.total:g} s)"


def _not_taken(keys: Iterable[str]) -> str:
    """What is written as another program's reference is the key itself here."""
    name = next(found[1] for key in keys if (found := _REFERENCE.fullmatch(key)))
    return f"is sent as it is written: to take it from the environment write ${{{name}}}"


def _repeats(provider: Provider) -> str | None:
    """A base URL that ends in the beginning of what the API appends, or that lacks OpenAI's own `/v1`."""
    path = urlsplit(provider.base_url).path
    host = urlsplit(provider.base_url).hostname
    for appended in PATHS[provider.api]:
        parts = appended.strip("/").split("/")
        for count in range(len(parts), 0, -1):
            end = "/" + "/".join(parts[:count])
            if path.endswith(end):
                return f"ends in {end}, and {appended} is appended to it: leave {end} out"
    if twice := _TWICE.search(path):
        return f"ends in {twice[0]}: {twice[1]} stands in it twice"
    if host == "api.openai.com" and not path.endswith("/v1"):
        return f"lacks /v1: {PATHS[provider.api][0]} is appended to it"
    return None


def _needs_key(provider: Provider) -> bool:
    if provider.vertex is not None or provider.api in ("bedrock-converse", "ollama-chat"):
        return False
    known = [BASE_URLS[provider.api], *(preset.base_url for preset in PRESETS.values())]
    host = urlsplit(provider.base_url).hostname or ""
    return not is_loopback(host) and host in {urlsplit(url).hostname for url in known if url}


# --- routes ------------------------------------------------------------------------------------------------------


def _steps(route: Route) -> Found:
    seen: dict[str, str] = {target.name: "target" for target in route.steps[0].targets}
    for index, step in enumerate(route.steps[1:]):
        part: Path = "fallbacks", index
        path: Path = "models", route.pattern, *part
        yield from _errors(path, step)
        names = {target.name for target in step.targets}
        for name in sorted(names & seen.keys()):
            yield path, f"{name} is tried as {seen[name]} already"
        seen.update({name: dotted(part) for name in names - seen.keys()})
    if route.tool_check_hint and route.tool_check != "fallback":
        yield ("models", route.pattern, "tool_check_hint"), f"has no effect with tool_check: {route.tool_check}"


def _errors(path: Path, step: Step) -> Found:
    if not step.on_errors:
        yield (*path, "on_errors"), "is empty: this target is never tried"
    for position, word in enumerate(step.on_errors):
        if word in _NEVER:
            yield (*path, "on_errors", position), f"{word} never moves a chain: {_NEVER[word]}"


def _time(route: Route, config: Config) -> Found:
    path = "models", route.pattern, "deadline_seconds"
    waits = sum(
        max(1, len(config.providers[target.provider].api_keys)) * _waiting(route.retry)
        for step in route.steps
        for target in step.targets
    )
    if waits > route.deadline_seconds:
        yield path, f"retries alone may wait {waits:g} s, which is more than {route.deadline_seconds:g} s"
    first = min(config.providers[target.provider].timeout.first_content for target in route.steps[0].targets)
    if len(route.steps) > 1 and first >= route.deadline_seconds:
        yield path, f"is used up by the first target's timeout ({first:g} s): no time is left for the fallbacks"


def _waiting(retry: Retry) -> float:
    """The longest that the pauses between all tries of one target with one key may take."""
    return sum(min(retry.backoff_seconds * 2.0**n, retry.max_backoff_seconds) for n in range(retry.attempts - 1))


def _shadow(index: int, routes: tuple[Route, ...]) -> Found:
    mine = routes[index].pattern
    for position, other in enumerate(routes):
        ahead = (-len(other.pattern), position) < (-len(mine), index)
        if position != index and ahead and covers(other.pattern, mine):
            yield ("models", mine), f"is never reached: {quoted(other.pattern)} is longer and takes all its names"


# --- the rest ----------------------------------------------------------------------------------------------------


def _clients(config: Config) -> Found:
    for index, client in enumerate(config.clients):
        if _REFERENCE.fullmatch(client.key):
            yield ("clients", index, "key"), _not_taken([client.key])
        for position, pattern in enumerate(client.models):
            known = pattern.partition("/")[0] in config.providers or any(
                covers(route.pattern, pattern) for route in config.routes
            )
            if "*" not in pattern and not known:
                yield ("clients", index, "models", position), f"no model is named {quoted(pattern)}"


def _server(config: Config) -> Found:
    if config.server.image_hosts and config.server.fetch_images == "off":
        yield ("server", "image_hosts"), "has no effect with fetch_images: off"
    if config.server.log_content:
        yield ("server", "log_content"), "what these models are asked and answer is in the log"
    if config.server.workers > 1 and config.state.backend == "memory":
        yield ("server", "workers"), "each worker has a memory of its own: state.backend: redis shares it"
    if config.state.url and config.state.backend == "memory":
        yield ("state", "url"), "has no effect with backend: memory"
