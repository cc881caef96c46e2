"""Model name -> the chain of targets to try. Pure: the random source is an argument."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from adapters.errors import DEFAULT_ON_ERRORS, Failure
from adapters.format import Api, Upstream
from adapters.model import Media, Message, Part, Reasoning, Refusal, Request, Text, ToolCall, ToolResult
from proxy.config.model import Retry, Route, Timeouts, ToolCheck
from proxy.config.patterns import matching
from proxy.http import shortened
from proxy.upstream.secrets import scrub
from proxy.upstream.sign_in import SignIn
from proxy.upstream.transport import Site, Transport

OTHER = "other"
"""The metric label of a model that a client made up."""

MAX_NAME = 2048
"""Characters of a name that is looked for, which bounds what is remembered of names (an ARN has up to 2,048)."""

MOST_CHARACTERS_PER_TOKEN = 8
"""A prompt of more characters than this times the window surely does not fit (common text has about 4)."""


@dataclass(slots=True, frozen=True, eq=False)
class Destination:
    """One model of one provider, with everything that is the same for each request to it.

    `name` is provider/model as headers, logs and errors show it, `label` its bounded model label. `keys` holds ""
    alone where the provider needs none. `lacks`: what it cannot take, of "images" and "tools".
    `hosts` and `secrets`: names and values that no error may show. `sign_in`: tokens in place of keys.
    """

    name: str
    provider: str
    label: str
    api: Api
    upstream: Upstream
    base: str
    keys: tuple[str, ...]
    headers: Mapping[str, str]
    query: Mapping[str, str]
    timeouts: Timeouts
    site: Site
    transport: Transport
    context_window: int | None = None
    lacks: frozenset[str] = frozenset()
    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    sign_in: SignIn | None = None

    def cleaned(self, failure: Failure) -> Failure:
        """The failure as a client may see it, whichever field the upstream put its keys and addresses in."""
        secrets = self.secrets if self.sign_in is None else (*self.secrets, *self.sign_in.secrets())
        message, code, param = (
            text and scrub(text, secrets, self.hosts) for text in (failure.message, failure.code, failure.param)
        )
        return replace(failure, message=message or "", code=code, param=param)


@dataclass(slots=True, frozen=True)
class Candidate:
    """A place in a chain. `on_errors` says after which failures of an earlier one it is tried."""

    to: Destination
    on_errors: tuple[str, ...]
    context_window: int | None = None


@dataclass(slots=True, frozen=True)
class Plan:
    """What is tried for a request. `label` is the bounded model label of the route."""

    label: str
    chain: tuple[Candidate, ...]
    retry: Retry
    deadline: float
    tool_check: ToolCheck
    tool_check_hint: bool
    commit_answer: bool
    params: Mapping[str, object]
    force: Mapping[str, object]


@dataclass(slots=True, frozen=True)
class Member:
    """A target of a step, resolved."""

    to: Destination
    weight: float
    context_window: int | None


@dataclass(slots=True, frozen=True)
class Prepared:
    """A route with its targets resolved."""

    route: Route
    steps: tuple[tuple[tuple[Member, ...], tuple[str, ...]], ...]


class Table:
    """The routes and providers of one configuration. `direct` resolves provider and model of a direct name. `unbuilt`:
    provider or route -> the api that this version does not have."""

    def __init__(
        self,
        routes: Sequence[Prepared],
        providers: Iterable[str],
        direct: Callable[[str, str], Destination],
        prefixes: Mapping[str, Sequence[str]],
        unbuilt: Mapping[str, str] | None = None,
    ) -> None:
        self._routes = {prepared.route.pattern: prepared for prepared in routes}
        self._providers = frozenset(providers)
        self._direct = direct
        self._prefixes = prefixes
        self._unbuilt = unbuilt or {}

    @property
    def names(self) -> list[str]:
        """Route names that a client can ask for as they stand (no patterns)."""
        return [pattern for pattern in self._routes if "*" not in pattern]

    def find(
        self, name: str, random: Callable[[], float], may_ask: Callable[[str], bool] = lambda name: True
    ) -> Plan | Failure:
        """The plan for a model name as the client wrote it, or not_found_error with the nearest of the names that this
        client may ask for."""
        prepared = self._routes.get(name)
        if prepared is None and len(name) > MAX_NAME:
            return self._unknown(shortened(name), "", [], may_ask)
        if prepared is None and (best := matching(self._routes, name)):
            prepared = self._routes[best[0]]
        if prepared is not None:
            return self._routed(prepared, random)
        provider, _, model = name.partition("/")
        if provider in self._providers and model:
            return self._alone(self._direct(provider, model))
        serving = [p for p, patterns in self._prefixes.items() if matching(patterns, name)]
        if len(serving) == 1:
            return self._alone(self._direct(serving[0], name))
        return self._unknown(shortened(name), provider, serving, may_ask)

    def _routed(self, prepared: Prepared, random: Callable[[], float]) -> Plan:
        chain: list[Candidate] = []
        for members, on_errors in prepared.steps:
            for place, member in enumerate(_spread(members, random)):
                # The members of a list stand in for each other after any failure that is not the request's own.
                on = on_errors if place == 0 else tuple(dict.fromkeys((*on_errors, *DEFAULT_ON_ERRORS)))
                chain.append(Candidate(member.to, on, member.context_window))
        route = prepared.route
        return Plan(
            label=route.pattern,
            chain=tuple(chain),
            retry=route.retry,
            deadline=route.deadline_seconds,
            tool_check=route.tool_check,
            tool_check_hint=route.tool_check_hint,
            commit_answer=route.commit == "answer",
            params=route.params,
            force=route.force,
        )

    def _alone(self, to: Destination) -> Plan:
        label = to.name if to.label != OTHER else OTHER
        plain = Route(pattern=to.name, steps=())
        return Plan(
            label, (Candidate(to, (), to.context_window),), plain.retry, plain.deadline_seconds,
            plain.tool_check, plain.tool_check_hint, False, {}, {},
        )

    def _unknown(
        self, name: str, provider: str, serving: Sequence[str], may_ask: Callable[[str], bool]
    ) -> Failure:
        lacking = self._unbuilt.get(name) or self._unbuilt.get(provider)
        known = [route for route in self._routes if may_ask(route)]
        known += [f"{one}/…" for one in sorted(self._providers) if may_ask(f"{one}/…")]
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or known[:10]
        if lacking is not None:
            text = f"The model {name!r} needs the api {lacking}, which this version of toolwire does not have."
        elif serving:
            several = ", ".join(f"{one}/{name}" for one in serving)
            text = f"The model {name!r} is served by several providers: ask for one of {several}."
        else:
            text = f"There is no model {name!r} here. Nearest: {', '.join(near) or 'none'}."
        return Failure("not_found_error", text, code="model_not_found", param="model")


def _spread(members: Sequence[Member], random: Callable[[], float]) -> list[Member]:
    """The members in a weighted random order."""
    left = list(members)
    order: list[Member] = []
    while len(left) > 1:
        point = random() * sum(member.weight for member in left)
        index = 0
        for index, member in enumerate(left):  # noqa: B007 - the last index stays for a point rounded past the end
            point -= member.weight
            if point < 0:
                break
        order.append(left.pop(index))
    return order + left


def fits(candidate: Candidate, characters: int) -> bool:
    """False where a prompt of this many characters surely exceeds the candidate's context window."""
    window = candidate.context_window
    return window is None or characters <= window * MOST_CHARACTERS_PER_TOKEN


def needs(request: Request) -> frozenset[str]:
    """What the request has that some models lack."""
    found = {"tools"} if request.tools else set()
    if any(_has_image(part) for message in request.messages for part in message.parts):
        found.add("images")
    return frozenset(found)


def _has_image(part: Part) -> bool:
    match part:
        case Media(kind="image"):
            return True
        case ToolResult():
            return any(_has_image(inner) for inner in part.content)
    return False


def characters(request: Request) -> int:
    """Characters of all texts of the request's messages (media not counted)."""
    return sum(_of_message(message) for message in request.messages)


def _of_message(message: Message) -> int:
    total = 0
    for part in message.parts:
        match part:
            case Text(text=text) | Refusal(text=text) | Reasoning(text=text):
                total += len(text)
            case ToolCall():
                total += len(part.arguments)
            case ToolResult():
                total += sum(len(inner.text) for inner in part.content if isinstance(inner, Text))
            case Media(text=str() as text):
                total += len(text)
    return total
