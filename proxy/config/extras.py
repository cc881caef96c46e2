"""What toolwire's optional parts need, and how they are installed: from a checkout, as it is on no package index."""

from importlib.util import find_spec

MODULES = {"redis": ("redis",), "vertex": ("google.auth", "requests")}
"""Extra -> the modules that it brings."""


def installed(extra: str) -> bool:
    try:
        return all(find_spec(name) is not None for name in MODULES[extra])
    except (ModuleNotFoundError, ValueError):
        return False


def needs(package: str, extra: str) -> str:
    """What to do where a package is missing."""
    return f"needs the package {package}: pip install '.[{extra}]' in toolwire's folder"
