"""Signatures that an upstream refuses (wire page, sections 6 and 12)."""

import pytest
from gemini_wire import THREE, ask, body, call, model, result, results, user

from adapters import json
from adapters.errors import Failure
from adapters.format import Mends
from adapters.formats.google_gemini import API
from adapters.model import Opaque, Reasoning, Text

BYPASS = "skip_thought_signature_validator"
SERVER = {"toolCall": {"id": "t"}, "thoughtSignature": "c2ln"}
SIGNED = ask(
    user("go"),
    model(
        Reasoning("plan", "google-gemini", signature="c2ln"),
        Reasoning("", "google-gemini", signature="c2ln"),
        Reasoning("idea", "anthropic-messages", signature="c2ln"),
        Opaque("google-gemini", SERVER),
        Text("a", signature="c2ln"),
        call(signature="c2ln"),
        call("c2"),
    ),
    results(result(), result("c2")),
)


@pytest.mark.parametrize(
    "message",
    [
        "Function call is missing a `thought_signature` in functionCall parts.",
        "Function call is missing a thought_signature in functionCall parts.",
        "Invalid thought signature.",
        "Corrupted thought signature.",
    ],
)
def test_refused_signatures_make_way_for_the_bypass(message):
    error = {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
    assert isinstance(API, Mends)
    changed = API.mended(SIGNED, THREE, API.failure(400, {}, json.dumps(error)))
    assert changed.messages[1].parts == (
        Reasoning("plan"),
        Reasoning("idea", "anthropic-messages", signature="c2ln"),
        Opaque("google-gemini", {"toolCall": {"id": "t"}}),
        Text("a"),
        call(),
        call("c2"),
    )
    calls = [part for part in body(changed, THREE)["contents"][1]["parts"] if "functionCall" in part]
    assert [part.get("thoughtSignature") for part in calls] == [BYPASS, None]


def test_an_answer_that_ends_so_is_refused_too():
    assert API.mended(SIGNED, THREE, Failure("invalid_request_error", "x", code="MISSING_THOUGHT_SIGNATURE"))


@pytest.mark.parametrize(
    ("request_", "failure"),
    [
        (SIGNED, Failure("invalid_request_error", "Please use a valid role: user, model.", 400)),
        (SIGNED, Failure("api_error", "Invalid thought signature.", 500)),
        (ask(user("go"), model(call()), results(result())),
         Failure("invalid_request_error", "Invalid thought signature.", 400)),
    ],
)
def test_nothing_to_mend(request_, failure):
    assert API.mended(request_, THREE, failure) is None
