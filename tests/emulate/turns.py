"""One answer without a server."""

from proxy.emulate.agent import plan
from proxy.emulate.api import Api, Received, Turn
from proxy.emulate.faults import mode
from proxy.emulate.usage import Usage


def turn_of(api: Api, received: Received) -> Turn:
    """What the exchange would give to the API's `whole` and `stream`."""
    ask = api.read(received)
    return Turn(ask, plan(ask.task), Usage(30, 20, 10, 0, 5), mode(ask.model, api.quirks))
