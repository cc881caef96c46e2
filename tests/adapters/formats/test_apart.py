"""Wire formats know nothing of each other: what several wires share is a module of `shared`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters import registry

ROOT = Path(__file__).parents[3]
FORMATS = ROOT / "adapters" / "formats"
FAMILIES = sorted(path.parent.name for path in FORMATS.glob("*/request.py"))
APIS = {family.replace("_", "-") for family in FAMILIES}
DIALECTS = {"chat": "openai_chat", "responses": "openai_responses", "messages": "anthropic_messages",
            "gemini": "google_gemini"}  # fmt: skip


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def compared(tree: ast.AST) -> Iterator[str]:
    """What `dialect` is compared with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and "dialect" in ast.unparse(node.left):
            yield from (
                leaf.value for side in node.comparators for leaf in ast.walk(side)
                if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
            )  # fmt: skip


def trees(folder: Path) -> Iterator[ast.Module]:
    files = sorted(folder.rglob("*.py"))
    assert files
    yield from (ast.parse(file.read_text()) for file in files)


def test_all_are_looked_at() -> None:
    assert all(registry.api(name) is not None for name in APIS)
    assert all(registry.dialect(name) is not None for name in DIALECTS)
    assert (len(APIS), set(DIALECTS.values()) <= set(FAMILIES)) == (8, True)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_format_names_another(family: str) -> None:
    others = tuple(f"adapters.formats.{other}." for other in FAMILIES if other != family)
    for tree in trees(FORMATS / family):
        assert [name for name in imported(tree) if f"{name}.".startswith(others)] == []
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert texts & (APIS - {family.replace("_", "-")}) == set()
        assert [word for word in compared(tree) if DIALECTS.get(word, family) != family] == []


def test_shared_modules_import_no_format() -> None:
    formats = tuple(f"adapters.formats.{family}." for family in FAMILIES)
    for tree in trees(FORMATS / "shared"):
        assert [name for name in imported(tree) if f"{name}.".startswith(formats)] == []


def test_adapters_do_no_input_or_output() -> None:
    """Nor know they the server, a clock, chance or the environment."""
    banned = (
        "proxy", "asyncio", "socket", "ssl", "http", "urllib.request", "time", "random", "secrets", "uuid.uuid1",
        "uuid.uuid4", "os", "subprocess", "threading", "aiohttp", "httpx", "requests",
    )  # fmt: skip
    for tree in trees(ROOT / "adapters"):
        assert [name for name in imported(tree) if f"{name}.".startswith(tuple(f"{one}." for one in banned))] == []
