"""Where a server's configuration comes from: a named file, `./toolwire.yaml`, or the environment."""

from collections.abc import Mapping
from pathlib import Path

from proxy.config.discover import discover
from proxy.config.load import Report, read_file
from proxy.config.overrides import Overrides
from proxy.config.problem import Problem
from proxy.config.rules import open_to_others

__all__ = ["DEFAULT_FILE", "Overrides", "configured"]

DEFAULT_FILE = "toolwire.yaml"


def configured(path: str | None, environ: Mapping[str, str], overrides: Overrides) -> Report | None:
    """The configuration to serve, with the overrides in it; None where there is nothing to make one from.

    The same call again is a reload.
    """
    if path is None and Path(DEFAULT_FILE).is_file():
        path = DEFAULT_FILE
    if path is not None:
        return read_file(path, environ, overrides=overrides)
    config = discover(environ)
    if config is None:
        return None
    refused = overrides.host and open_to_others(overrides.host)
    if refused:
        return Report("environment", (Problem(1, 1, "server.host", refused),))
    return Report("environment", config=overrides.over(config))
