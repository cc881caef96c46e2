"""Writes `docs/clients.md` from the table and the scripts that are run: `python tests/clients/page.py`."""

from __future__ import annotations

import re
from pathlib import Path

from table import CLIENTS, Client

HEAD = """\
# Clients

This page is made from what `make test-clients` runs: `make docs`. It installs each client (PyPI and npm; Node 24 comes
from PyPI), runs it in an empty environment against `toolwire serve --demo`, and lets it carry out a tool loop over
Anthropic Messages, OpenAI Responses, Gemini and OpenAI chat upstreams, whole and streamed where the client has both.

`http://127.0.0.1:4100` is toolwire, `MODEL` a model name of your config. `unused` stands for one of `clients[].key`; if
the config has no `clients`, any text does. `cat >` writes a whole file: where there is one already, add to it instead.
"""

LANGUAGES = {".py": "python", ".mjs": "js", ".sh": "sh"}
SETTINGS = re.compile(r"^(?:#|//) settings\n(.*?)^(?:#|//) end$", re.MULTILINE | re.DOTALL)


def page() -> str:
    """The whole page. Clients that share a script share a section."""
    scripts: dict[str, list[Client]] = {}
    for client in CLIENTS:
        scripts.setdefault(client.file, []).append(client)
    return "\n".join([HEAD, *(_section(file, clients) for file, clients in scripts.items())])


def _section(file: str, clients: list[Client]) -> str:
    path = Path(__file__).parent / "scripts" / file
    found = SETTINGS.search(path.read_text())
    assert found is not None, f"{file} shows no settings"
    title = ", ".join(client.name for client in clients)
    first = clients[0]
    packages = ", ".join(f"`{one}`" for client in clients for one in client.packages)
    lines = [f"## {title}", "", f"{'PyPI' if first.kind == 'pip' else 'npm'}: {packages}. Speaks {first.speaks}."]
    if first.note:
        lines += ["", first.note]
    if first.lacks:
        lines += ["", f"Does not work: {first.lacks}"]
    return "\n".join([*lines, "", f"```{LANGUAGES[path.suffix]}", found[1].rstrip("\n"), "```", ""])


if __name__ == "__main__":
    print(page(), end="")
