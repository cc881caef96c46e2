"""What the command line sets above any configuration."""

from dataclasses import dataclass, replace

from proxy.config.model import Config


@dataclass(frozen=True, slots=True)
class Overrides:
    """None leaves what is configured."""

    host: str | None = None
    port: int | None = None
    workers: int | None = None

    def over(self, config: Config) -> Config:
        server = config.server
        return replace(
            config,
            server=replace(
                server,
                host=server.host if self.host is None else self.host,
                port=server.port if self.port is None else self.port,
                workers=server.workers if self.workers is None else self.workers,
            ),
        )


NONE = Overrides()
