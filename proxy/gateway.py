"""Everything that one configuration stands for, made once: destinations, routes, clients."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from urllib.parse import urlsplit

from adapters import registry
from adapters.format import Upstream
from proxy.access import Access
from proxy.config.model import Config, ModelInfo, Provider, Route, Target
from proxy.engine.plan import OTHER, Destination, Member, Prepared, Table
from proxy.upstream.sign_in import SignIn
from proxy.upstream.transport import Site, Transport, site

MOST_DIRECT = 4096
"""Directly named models that are remembered."""


class Gateway:
    """A configuration at work. A reload makes a new one; requests under way keep theirs.

    Raises ValueError, with what is wrong, for a CA file, a proxy or credentials that cannot be used. Without `sign_in`
    nothing signs in.
    """

    def __init__(
        self,
        config: Config,
        environ: Mapping[str, str],
        transport: Callable[[str], Transport],
        sign_in: Callable[[Provider], SignIn | None] = lambda _: None,
    ) -> None:
        self.config = config
        self.access = Access(config.clients)
        self._transport = transport
        self._sites: dict[str, Site] = {
            name: site(provider, environ) for name, provider in config.providers.items()
        }
        self._sign_ins = {name: sign_in(provider) for name, provider in config.providers.items()}
        self._direct: OrderedDict[tuple[str, str], Destination] = OrderedDict()
        self._known = _known(config)
        prepared = [made for route in config.routes if (made := self._prepare(route)) is not None]
        self.table = Table(prepared, self._served(), self._named, config.prefixes, self._unbuilt())

    def missing(self) -> list[str]:
        """Providers whose api this version does not have."""
        return [name for name, provider in self.config.providers.items() if registry.api(provider.api) is None]

    def targets(self) -> Iterable[Destination]:
        """The destinations that routes name."""
        for (provider, model) in sorted(self._known):
            if registry.api(self.config.providers[provider].api) is not None:
                yield self._named(provider, model)

    def models(self) -> list[str]:
        """Names that a client can ask for: routes, then the models that providers list."""
        listed = [
            f"{name}/{model}" for name, provider in self.config.providers.items() for model in provider.models
            if "*" not in model
        ]
        return [*self.table.names, *(name for name in listed if name not in self.table.names)]

    def _unbuilt(self) -> dict[str, str]:
        """Providers, and routes of nothing else, whose api this version does not have."""
        lacking = {name: self.config.providers[name].api for name in self.missing()}
        for route in self.config.routes:
            of_route = [lacking.get(target.provider) for step in route.steps for target in step.targets]
            if of_route and of_route[0] is not None and None not in of_route:
                lacking[route.pattern] = of_route[0]
        return lacking

    def _served(self) -> list[str]:
        missing = set(self.missing())
        return [name for name in self.config.providers if name not in missing]

    def _prepare(self, route: Route) -> Prepared | None:
        missing = set(self.missing())
        steps = []
        for step in route.steps:
            members = tuple(self._member(target) for target in step.targets if target.provider not in missing)
            if members:
                steps.append((members, step.on_errors))
        return Prepared(route, tuple(steps)) if steps else None

    def _member(self, target: Target) -> Member:
        to = self._named(target.provider, target.model)
        window = to.context_window if target.context_window is None else target.context_window
        return Member(to, target.weight, window)

    def _named(self, provider: str, model: str) -> Destination:
        key = (provider, model)
        found = self._direct.get(key)
        if found is None:
            found = self._direct[key] = self._destination(self.config.providers[provider], model)
            if len(self._direct) > MOST_DIRECT:
                self._direct.popitem(last=False)
        return found

    def _destination(self, provider: Provider, model: str) -> Destination:
        api = registry.api(provider.api)
        assert api is not None
        info = provider.info(model)
        return Destination(
            name=f"{provider.name}/{model}",
            provider=provider.name,
            label=model if (provider.name, model) in self._known else OTHER,
            api=api,
            upstream=Upstream(
                model=model,
                origin=f"{provider.name}/{info.family or family(provider.api, model)}",
                compat=provider.flags(model),
                max_output_tokens=info.max_output_tokens,
                family=info.family,
                options=provider.provider_options.get(provider.api, {}),
            ),
            base=provider.base_url.rstrip("/"),
            keys=provider.api_keys or ("",),
            headers=provider.headers,
            query=provider.query,
            timeouts=provider.timeout,
            site=self._sites[provider.name],
            transport=self._transport(provider.transport),
            context_window=info.context_window,
            hosts=tuple(filter(None, (urlsplit(provider.base_url).hostname,))),
            secrets=_secrets(provider),
            lacks=_lacks(info, provider.flags(model)),
            sign_in=self._sign_ins[provider.name],
        )


SHORTEST_VALUE = 8
"""Shorter header and query values are words, not secrets."""


def _secrets(provider: Provider) -> tuple[str, ...]:
    """What the configuration sends to this provider and nobody else may see."""
    aws = provider.aws
    signing = (aws.access_key_id, aws.secret_access_key, aws.session_token) if aws else ()
    values = [value for value in (*provider.headers.values(), *provider.query.values()) if len(value) >= SHORTEST_VALUE]
    return tuple(filter(None, (*provider.api_keys, *signing, *values)))


def _lacks(info: ModelInfo, flags: Mapping[str, object]) -> frozenset[str]:
    """Tools that are told in the prompt need no model that knows tools."""
    lacking = {word for word in ("images", "tools") if getattr(info, word) is False}
    return frozenset(lacking - {"tools"} if flags.get("tools") == "prompted" else lacking)


def _known(config: Config) -> frozenset[tuple[str, str]]:
    """The (provider, model) pairs that the configuration names: the only ones that become metric labels."""
    routed = {(t.provider, t.model) for route in config.routes for step in route.steps for t in step.targets}
    listed = {(name, m) for name, provider in config.providers.items() for m in provider.models if "*" not in m}
    return frozenset(pair for pair in routed | listed if pair[0] in config.providers)


_GEMINI = re.compile(r"gemini-\d+")


@cache
def family(api: str, model: str) -> str:
    """Whose signed reasoning a model takes: Claude models each other's, Gemini models those of their generation, any
    other model its own."""
    if api == "anthropic-messages" or "claude" in model:
        return "claude"
    if found := _GEMINI.search(model):
        return found.group()
    return model
