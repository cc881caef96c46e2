"""The typed configuration. Values only: `load` makes them, nobody changes them.

Times are in seconds, sizes in bytes. Fields that may carry a secret stay out of `repr`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from adapters.errors import DEFAULT_ON_ERRORS
from proxy.config.patterns import matching

ToolCheck = Literal["off", "report", "repair", "fallback"]
Commit = Literal["content", "answer"]
Transport = Literal["aiohttp", "httpx"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """What one upstream attempt may take."""

    connect: float = 10.0
    first_content: float = 120.0
    idle: float = 120.0
    total: float = 600.0


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Facts about one upstream model; `None` is unknown. `family` names whose signatures and rules it follows,
    `compat` the flags in which it differs from its provider; `images` and `tools` False: it takes none, and chains
    skip it for requests that have some."""

    context_window: int | None = None
    max_output_tokens: int | None = None
    family: str | None = None
    compat: Mapping[str, Any] = field(default_factory=dict)
    images: bool | None = None
    tools: bool | None = None

    def over(self, other: "ModelInfo") -> "ModelInfo":
        """These facts, and the other's where this says nothing."""
        return ModelInfo(
            other.context_window if self.context_window is None else self.context_window,
            other.max_output_tokens if self.max_output_tokens is None else self.max_output_tokens,
            other.family if self.family is None else self.family,
            {**other.compat, **self.compat},
            other.images if self.images is None else self.images,
            other.tools if self.tools is None else self.tools,
        )


@dataclass(frozen=True, slots=True)
class Vertex:
    """Gemini on Vertex by OAuth. `credentials` is a path or the JSON text; `None`: Application Default Credentials."""

    project: str
    location: str
    credentials: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Aws:
    """What signs Bedrock requests. Without keys the environment's credentials (or `profile`) are used."""

    region: str | None = None
    access_key_id: str | None = field(default=None, repr=False)
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """One upstream account. `compat` is complete: the API's defaults, the preset's, then the configured flags, and
    `vertex`, `vertex_project`, `vertex_location` on Vertex. `flags` adds what a model has of its own. The names in
    `models` may be patterns."""

    name: str
    api: str
    base_url: str
    preset: str | None = None
    api_keys: tuple[str, ...] = field(default=(), repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: Timeouts = Timeouts()
    compat: Mapping[str, Any] = field(default_factory=dict)
    transport: Transport = "aiohttp"
    models: Mapping[str, ModelInfo] = field(default_factory=dict)
    provider_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    ca_file: str | None = None
    vertex: Vertex | None = None
    aws: Aws | None = None

    def info(self, model: str) -> ModelInfo:
        """What all matching entries of `models` say, the most specific first."""
        info = ModelInfo()
        for pattern in matching(self.models, model):
            info = info.over(self.models[pattern])
        return info

    def flags(self, model: str) -> Mapping[str, Any]:
        """All compat flags for this model."""
        own = self.info(model).compat
        return {**self.compat, **own} if own else self.compat


@dataclass(frozen=True, slots=True)
class Target:
    """One model of one provider. `context_window` wins over what the provider's `models` say."""

    provider: str
    model: str
    weight: float = 1.0
    context_window: int | None = None

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class Step:
    """Targets tried for one another; `on_errors` says after which failures a chain comes here."""

    targets: tuple[Target, ...]
    on_errors: tuple[str, ...] = DEFAULT_ON_ERRORS


@dataclass(frozen=True, slots=True)
class Retry:
    """`attempts` counts all tries of one target with one key, the first included."""

    attempts: int = 2
    backoff_seconds: float = 0.25
    max_backoff_seconds: float = 8.0


@dataclass(frozen=True, slots=True)
class Route:
    """One entry of `models`. `steps[0]` is the target itself, with empty `on_errors`; the others are its fallbacks."""

    pattern: str
    steps: tuple[Step, ...]
    retry: Retry = Retry()
    deadline_seconds: float = 600.0
    tool_check: ToolCheck = "report"
    tool_check_hint: bool = False
    commit: Commit = "content"
    params: Mapping[str, Any] = field(default_factory=dict)
    force: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Client:
    """One inbound key. `models` are patterns on the name as the client wrote it."""

    name: str
    key: str = field(repr=False)
    models: tuple[str, ...] = ("*",)
    requests_per_minute: int | None = None
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    host: str = "127.0.0.1"
    port: int = 4100
    workers: int = 1
    max_request_bytes: int = 33_554_432
    max_json_depth: int = 128
    drain_seconds: float = 30.0
    keepalive_seconds: float = 15.0
    early_head_seconds: float = 25.0
    fetch_images: Literal["off", "public"] = "off"
    image_hosts: tuple[str, ...] = ()
    log_content: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    backend: Literal["memory", "redis"] = "memory"
    url: str | None = field(default=None, repr=False)
    ttl_seconds: float = 3600.0
    max_bytes: int = 67_108_864


@dataclass(frozen=True, slots=True)
class Config:
    """Everything the server needs to know. `prefixes` (provider -> patterns of bare model names) is for
    discovered providers only, as is `discovered`."""

    server: Server = Server()
    clients: tuple[Client, ...] = ()
    state: State = State()
    providers: Mapping[str, Provider] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()
    discovered: bool = False
    prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
