"""Reading configs in tests: what is wrong with a text, as short lines."""

from collections.abc import Callable

import pytest

from proxy.config.load import read

Told = Callable[..., list[str]]


def _lines(found) -> list[str]:
    return [f"{p.line}:{p.column} {p.path}{': ' if p.path else ''}{p.message}" for p in found]


@pytest.fixture
def problems() -> Told:
    """(text, environ, **read's options) -> `line:column path: message` of every problem."""
    return lambda text, environ=(), **more: _lines(read(text, "toolwire.yaml", dict(environ), **more).problems)


@pytest.fixture
def warnings() -> Told:
    """`path: message` of every warning. The text must be free of problems."""

    def make(text: str, environ=(), **more) -> list[str]:
        report = read(text, "toolwire.yaml", dict(environ), **more)
        assert not report.problems
        return [f"{w.path}: {w.message}" for w in report.warnings]

    return make
