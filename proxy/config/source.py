"""Where a server's configuration comes from: a named file, `./toolwire.yaml`, or the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from proxy.config.discover import discover
from proxy.config.load import Report, read_file
from proxy.config.model import Server
from proxy.config.problem import Problem
from proxy.config.rules import open_to_others

DEFAULT_FILE = "toolwire.yaml"


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line sets above any configuration; None leaves it."""

    host: str | None = None
    port: int | None = None
    workers: int | None = None

    def over(self, server: Server) -> Server:
        return replace(
            server,
            host=server.host if self.host is None else self.host,
            port=server.port if self.port is None else self.port,
            workers=server.workers if self.workers is None else self.workers,
        )


def configured(path: str | None, environ: Mapping[str, str], overrides: Overrides) -> Report | None:
    """The configuration to serve, with the overrides in it; None where there is nothing to make one from.

    The same call again is a reload.
    """
    if path is None and Path(DEFAULT_FILE).is_file():
        path = DEFAULT_FILE
    if path is not None:
        return with_overrides(read_file(path, environ, host=overrides.host), overrides)
    config = discover(environ)
    if config is None:
        return None
    refused = overrides.host and open_to_others(overrides.host)
    if refused:
        return Report("environment", (Problem(1, 1, "server.host", refused),))
    return with_overrides(Report("environment", config=config), overrides)


def with_overrides(report: Report, overrides: Overrides) -> Report:
    if report.config is None:
        return report
    return replace(report, config=replace(report.config, server=overrides.over(report.config.server)))
