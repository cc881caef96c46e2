"""A conversation that moves from one upstream to another in the middle of a tool turn, and back: what one answered and
signed stands in the other's history."""

from __future__ import annotations

from itertools import permutations

import pytest

from proxy.emulate import Emulation
from proxy.emulate.registry import APIS
from tests.contract.native import accepted
from tests.matrix.conversations import BOTH, TIME, WEATHER
from tests.matrix.neutral import Asked, Client, Conversation, Result, Results, Said, Turn, User, differences
from tests.matrix.test_matrix import DIALECTS
from tests.matrix.upstream import THINKING, Target, targets
from tests.serving import Served

_READ = {api.name: api.read for api in APIS}
PLACES = [target for target in targets() if not target.only]
SIGNING = [target for target in targets() if target.only == THINKING]
PAIRS = [*permutations(PLACES, 2), *permutations(SIGNING, 2)]
ABOUT = Conversation("moving", (), (TIME, WEATHER), "Be brief.", thinking=True)
ANSWER = "The tools answered:\nget_time: 12:00\nget_weather: rain"


@pytest.mark.parametrize(
    ("number", "here", "there"),
    [(number, *pair) for number, pair in enumerate(PAIRS)],
    ids=[f"{here.name}--{there.name}" for here, there in PAIRS],
)
def test_moving(
    number: int, here: Target, there: Target, clients: dict[str, Client], emulated: Emulation, served: Served
) -> None:
    """Each pair with one dialect, whole and streamed in turn: the dialects go round. No request is refused first."""
    served.app.circuits.records.clear()
    client, stream = clients[DIALECTS[number % 4]], number % 8 < 4
    turns: list[Turn] = []
    steps: list[tuple[User | Results, Target, Said | None]] = [
        (User(("Use both.",)), here, BOTH),
        (Results((Result(("12:00",)), Result(("rain",)))), there, None),
        (User(("Use both.",)), here, BOTH),
        (Results((Result(("12:00",)), Result(("rain",)))), here, None),
    ]
    for turn, target, expected in steps:
        turns.append(turn)
        emulated.requests.clear()
        answer = client.ask(Asked(ABOUT, f"{target.name}/{target.model}", tuple(turns), stream))
        assert answer.said.error == ""
        if expected is None:
            assert (answer.said.text, answer.said.stop) == (ANSWER, "stop")
        else:
            assert not list(differences(expected, answer.said)), answer.said
        (received,) = emulated.requests
        _READ[received.api](received)
        if not target.only:
            accepted(received)
        turns.append(answer)
