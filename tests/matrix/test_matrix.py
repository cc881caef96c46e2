"""The same conversations over every dialect and every upstream, whole and streamed, by the official SDKs.

What must come of a conversation stands in `conversations.py`, once for all pairs. A pair may differ by a row of
`docs/cannot-carry.toml` only, and must differ where there is one.
"""

from __future__ import annotations

import pytest

from proxy.emulate import Emulation
from proxy.emulate.registry import APIS
from tests.contract.native import accepted
from tests.matrix.cannot_carry import excused, warned
from tests.matrix.neutral import Answered, Asked, Client, Conversation, Turn, differences, sent_differences
from tests.matrix.upstream import Target, asked, model, sent
from tests.serving import Served

DIALECTS = ("chat", "responses", "messages", "gemini")
_READ = {api.name: api.read for api in APIS}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("target", "conversation"), asked(), ids=lambda one: one.name.replace(" ", "-").replace(".", "-")
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_pair(
    dialect: str,
    target: Target,
    conversation: Conversation,
    stream: bool,
    clients: dict[str, Client],
    emulated: Emulation,
    served: Served,
) -> None:
    served.app.circuits.records.clear()
    served.logged.clear()
    turns: list[Turn] = []
    found: set[str] = set()
    told = []
    for step in conversation.steps:
        turns.append(step.turn)
        emulated.requests.clear()
        answer: Answered = clients[dialect].ask(
            Asked(conversation, model(target, conversation), tuple(turns), stream)
        )
        found.update(differences(step.streamed if stream and step.streamed else step.said, answer.said))
        told.append(answer.said)
        for received in emulated.requests:
            _READ[received.api](received)
            if not target.only:
                accepted(received)
        assert len(emulated.requests) == step.attempts, (answer.said, emulated.requests)
        found.update(sent_differences(step.sent, sent(emulated.requests[-1], conversation)))
        if answer.said.error:
            break
        turns.append(answer)
    assert found == excused(dialect, target.name, conversation.name), "\n".join(map(str, told))
    warnings = [one for line in served.lines("request", len(told)) for one in line.get("warnings", [])]
    for beginning in warned(dialect, target.name, conversation.name):
        assert any(one.startswith(beginning) for one in warnings), warnings
