"""Where the tool loop under way begins."""

import pytest

from adapters.formats.shared.turns import loop_start
from adapters.model import Message

ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}


@pytest.mark.parametrize(("roles", "start"), [
    ("", 0),
    ("u", 0),
    ("su", 1),
    ("suat", 1),
    ("uatatu", 0),
    ("uau", 2),
    ("uatau", 4),
    ("uatauatu", 4),
    ("atat", 0),
])
def test_start(roles, start):
    assert loop_start([Message(ROLES[role], ()) for role in roles]) == start
