"""Rules that differ between Gemini models (google-gemini §4–§7, 2026-11), chosen by `agent-FAMILY`.

The family is found by the longest beginning in the table; without one everything is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass

ALL_LEVELS = ("MINIMAL", "LOW", "MEDIUM", "HIGH")
PENALTIES, VALIDATED, MEDIA_RESULTS, MIXED, JSON_WITH_TOOLS, SYSTEM = (
    "penalties", "validated", "media results", "mixed tools", "json with tools", "system instruction",
)  # fmt: skip
ALL = frozenset({PENALTIES, VALIDATED, MEDIA_RESULTS, MIXED, JSON_WITH_TOOLS, SYSTEM})


@dataclass(frozen=True, slots=True)
class Family:
    """What a model takes and gives.

    `levels` are its thinking levels, `budget` the lowest and highest thinking budget (None: levels only), `off` says
    whether a budget of 0 switches thinking off; without levels and budget it does not think. `thinks` when nobody says.
    `signs` its answers; `needs_signatures`: a call of the current turn without one is refused. `ids`: calls have them.
    `most` candidates.
    """

    can: frozenset[str] = ALL
    levels: tuple[str, ...] = ALL_LEVELS
    budget: tuple[int, int] | None = (0, 65_536)
    off: bool = True
    thinks: bool = False
    signs: bool = True
    needs_signatures: bool = False
    ids: bool = True
    most: int = 8


_OLD = Family(ALL & {SYSTEM, PENALTIES}, (), None, signs=False, ids=False)
_TWO = Family(frozenset({SYSTEM, PENALTIES}), (), None, signs=False, ids=False)
_FLASH = Family(frozenset({SYSTEM, PENALTIES, VALIDATED}), (), (0, 24_576), thinks=True, ids=False)
_LITE = Family(frozenset({SYSTEM, PENALTIES, VALIDATED}), (), (512, 24_576), ids=False)
_PRO = Family(frozenset({SYSTEM, PENALTIES, VALIDATED}), (), (128, 32_768), off=False, thinks=True, ids=False)
_THREE_CAN = frozenset({SYSTEM, VALIDATED, MEDIA_RESULTS, MIXED, JSON_WITH_TOOLS})


def _three(*levels: str, ids: bool = False) -> Family:
    return Family(
        _THREE_CAN, levels or ALL_LEVELS, (0, 32_768), off=False, thinks=True, needs_signatures=True, ids=ids, most=1
    )


FAMILIES: dict[str, Family] = {
    "": Family(),
    "gemini-1": _OLD,
    "gemini-2.0": _TWO,
    "gemma": Family(frozenset(), (), None, signs=False, ids=False),
    "gemini-2.5": _FLASH,
    "gemini-2.5-flash-lite": _LITE,
    "gemini-2.5-flash-image": Family(frozenset({SYSTEM, VALIDATED}), (), None, signs=False, ids=False),
    "gemini-2.5-pro": _PRO,
    "gemini-3": _three(),
    "gemini-3-pro-preview": _three("LOW", "HIGH"),
    "gemini-3.1-pro-preview": _three("LOW", "MEDIUM", "HIGH"),
    "gemini-3.1-flash-lite-image": _three("MINIMAL", "HIGH"),
    "gemini-3.5": _three(ids=True),
    "gemini-3.6": _three(ids=True),
    "gemini-3.7": _three(ids=True),
    "gemini-3.7-flash": _three("LOW", "MEDIUM", "HIGH", ids=True),
    "gemini-3.8": _three(ids=True),
    "gemini-3.8-flash": _three("LOW", "MEDIUM", "HIGH", ids=True),
    "gemini-3.9": _three(ids=True),
    "gemini-4": _three(ids=True),
    "gemini-4-argon": _three("LOW", "MEDIUM", "HIGH", ids=True),
    "gemini-4-carbon": _three("LOW", "MEDIUM", "HIGH", ids=True),
}


def family(name: str) -> Family:
    """The rules of a model name."""
    found = [start for start in FAMILIES if name.startswith(start)]
    return FAMILIES[max(found, key=len)]
