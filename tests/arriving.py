"""An encoded request as the provider gets it, put to the emulated provider's own strict check, without a socket."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote

from starlette.routing import compile_path

from adapters import json
from adapters.format import Outgoing
from proxy.emulate.api import Ask, Received, Refused
from proxy.emulate.registry import APIS

EMULATED = {api.name: api for api in APIS}


def taken(api: str, outgoing: Outgoing, model: str | None = None) -> Ask:
    """The request as the emulated provider read it. Fails for what the provider would refuse; `model` is put in the
    request's place."""
    path = EMULATED[api].base + unquote(outgoing.path)
    (params,) = (found.groupdict() for one in _paths(api) if (found := one.match(path)))
    body = json.loads(outgoing.body)
    if model is not None and "model" in params:
        params["model"] = model
    elif model is not None:
        body["model"] = model
    headers = dict(outgoing.headers)
    try:
        return EMULATED[api].read(Received(api, "POST", path, outgoing.query, params, headers, outgoing.body, body))
    except Refused as error:
        raise AssertionError(f"{error.reply.body.decode()}\n{outgoing.body.decode()}") from None


@cache
def _paths(api: str) -> list[re.Pattern[str]]:
    return [compile_path(path)[0] for path in EMULATED[api].generate]
