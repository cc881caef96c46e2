"""What a stream that broke off had cost so far, where the upstream tells it at the start."""

from __future__ import annotations

import re

import pytest

from tests.matrix.conversations import BROKEN
from tests.matrix.neutral import Asked, Client
from tests.matrix.test_matrix import DIALECTS
from tests.serving import Served

TOLD = re.compile(r'toolwire_tokens_total\{kind="input",model="fault-cut",provider="anthropic-messages"\} (\S+)')


def counted(served: Served) -> float:
    found = TOLD.search(served.metrics())
    return float(found[1]) if found else 0.0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_usage_so_far_is_counted(dialect: str, clients: dict[str, Client], served: Served) -> None:
    served.app.circuits.records.clear()
    served.logged.clear()
    before = counted(served)
    said = clients[dialect].ask(Asked(BROKEN, "anthropic-messages/fault-cut", (BROKEN.steps[0].turn,), True)).said
    served.lines("request")
    assert (said.error, said.so_far) == ("stream_interrupted", True)
    assert counted(served) > before
    assert said.counted or dialect != "messages", "message_start tells it"
