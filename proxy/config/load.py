"""The config file: text -> typed config, or everything that is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from proxy.config import build, check, rules, warn
from proxy.config.env import Sources
from proxy.config.model import Config
from proxy.config.nodes import Document, parse
from proxy.config.overrides import NONE, Overrides
from proxy.config.problem import Problem, Problems, dotted


@dataclass(frozen=True, slots=True)
class Report:
    """`config` is None where there are problems, and where values that `need_env=False` spares decide its shape."""

    name: str
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    config: Config | None = None


def load(text: str, name: str, environ: Mapping[str, str]) -> Config | Problems:
    """`name` is the file's path: `${file:PATH}` is relative to its directory, problems begin with it."""
    return _outcome(read(text, name, environ))


def load_file(path: str, environ: Mapping[str, str]) -> Config | Problems:
    return _outcome(read_file(path, environ))


def read_file(path: str, environ: Mapping[str, str], *, need_env: bool = True, overrides: Overrides = NONE) -> Report:
    try:
        content = FilePath(path).read_bytes()
    except OSError as error:
        return Report(path, (Problem(1, 1, "", f"cannot be read: {error.strerror or error}"),))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        return Report(path, (Problem(line, column, "", "is not UTF-8 text"),))
    return read(text, path, environ, need_env=need_env, overrides=overrides)


def read(
    text: str, name: str, environ: Mapping[str, str], *, need_env: bool = True, overrides: Overrides = NONE
) -> Report:
    """With `need_env=False` nothing that the environment or a file lacks is a problem. `overrides` stand above the
    file's `server`."""
    document = parse(text, Sources(environ, FilePath(name).parent), need_env)
    if document.data is None:
        if not document.problems:
            document.problem((), "the file is empty")
        return Report(name, tuple(document.problems))
    check.check(document)
    rules.apply(document, environ if need_env else None, overrides.host)
    if document.problems:
        return Report(name, tuple(sorted(set(document.problems))))
    if document.partial or any(build.api_of(provider) is None for provider in document.data["providers"].values()):
        return Report(name)
    config = overrides.over(build.config(document.data, environ))
    if not _whole(config):
        return Report(name)
    return Report(name, (), _placed(document, config), config)


def _whole(config: Config) -> bool:
    """False where a target's provider is a reference without a value."""
    steps = [step for route in config.routes for step in route.steps]
    return all(target.provider in config.providers for step in steps for target in step.targets)


def _placed(document: Document, config: Config) -> tuple[Problem, ...]:
    found = warn.warnings(config, document.keys)
    return tuple(sorted(Problem(*document.at(path), dotted(path), message) for path, message in found))


def _outcome(report: Report) -> Config | Problems:
    return report.config or Problems(report.name, report.problems)
