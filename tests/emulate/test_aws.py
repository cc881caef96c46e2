"""Signatures as AWS computes them, and event stream messages as botocore reads them."""

from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.eventstream import ChecksumMismatch, EventStreamBuffer

from proxy.emulate.aws_frames import damaged, error, event, exception, message
from proxy.emulate.aws_signature import Unsigned, canonical_request, check, signature

Json = Any
BODY = b'{"messages":[{"role":"user","content":[{"text":"hi"}]}]}'
TARGET = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse"
HOST = "bedrock-runtime.us-east-1.amazonaws.com"
DATE = "20261130T000000Z"
SIGNED = {"content-type": "application/json", "host": HOST, "x-amz-date": DATE}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (SIGNED, "7a15c813fd9b31d6523cae8d92353a3b56fc7861f621e850e63c0d4b8a1482e5"),
        (
            {**SIGNED, "x-amz-security-token": "TOKEN"},
            "df3e02dee173c4e2a55adf307f5bfca00f1dd2fb12a4bb1e74e7bea582a87497",
        ),
    ],
)
def test_the_known_signatures(headers: dict[str, str], expected: str) -> None:
    canonical = canonical_request("POST", TARGET, {}, headers, BODY)
    assert "%253A0/converse" in canonical
    assert canonical.endswith("c3335e07d6e89650bf94cb98664be69f8774dbc3198df221f113db0a59ea14f0")
    scope = ("20261130", "us-east-1", "bedrock")
    assert signature("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", DATE, scope, canonical) == expected


def signed(key: str = "AKIDEMULATED", secret: str = "emulated-secret", token: str | None = None) -> dict[str, str]:
    """Headers of a request that botocore signed."""
    request: Any = AWSRequest("POST", f"https://{HOST}{TARGET}", {"content-type": "application/json"}, BODY)
    SigV4Auth(Credentials(key, secret, token), "bedrock", "us-east-1").add_auth(request)
    return {"host": HOST, **{name.lower(): value for name, value in request.headers.items()}}


def test_what_botocore_signs_is_accepted() -> None:
    check("POST", TARGET, {}, signed(), BODY)
    check("POST", TARGET, {}, signed(token="t"), BODY)
    spaced = signed()
    check("POST", TARGET, {}, {**spaced, "content-type": " application/json "}, BODY)


def changed(**headers: str | None) -> dict[str, str]:
    merged = {**signed(), **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {name: value for name, value in merged.items() if value is not None}


REFUSED: list[tuple[str, dict[str, str], str]] = [
    ("another key", signed("AKIDOTHER"), "UnrecognizedClientException"),
    ("another secret", signed(secret="x"), "InvalidSignatureException"),
    ("an expired token", signed(token="expired-token"), "ExpiredTokenException"),
    ("no date", changed(x_amz_date=None), "IncompleteSignatureException"),
    ("another date", changed(x_amz_date="20200101T000000Z"), "InvalidSignatureException"),
    ("a token that was not signed", changed(x_amz_security_token="t"), "InvalidSignatureException"),
    ("another host", changed(host="elsewhere"), "InvalidSignatureException"),
    ("another content type", changed(content_type="text/plain"), "InvalidSignatureException"),
    ("no parts", changed(authorization="AWS4-HMAC-SHA256 Credential=x"), "IncompleteSignatureException"),
    ("nothing", changed(authorization=None), "IncompleteSignatureException"),
    (
        "another service",
        changed(authorization=signed()["authorization"].replace("/bedrock/", "/s3/")),
        "InvalidSignatureException",
    ),
    (
        "host not signed",
        changed(authorization=signed()["authorization"].replace(";host;", ";")),
        "InvalidSignatureException",
    ),
]


@pytest.mark.parametrize(("rule", "headers", "code"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule: str, headers: dict[str, str], code: str) -> None:
    with pytest.raises(Unsigned) as caught:
        check("POST", TARGET, {}, headers, BODY)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("method", "target", "query", "body"),
    [
        ("GET", TARGET, {}, BODY),
        ("POST", TARGET.replace("%3A", ":"), {}, BODY),
        ("POST", TARGET, {"a": "b"}, BODY),
        ("POST", TARGET, {}, BODY + b" "),
    ],
)
def test_everything_is_signed(method: str, target: str, query: dict[str, str], body: bytes) -> None:
    with pytest.raises(Unsigned, match="does not match"):
        check(method, target, query, signed(), body)


def read(data: bytes) -> tuple[dict[str, Any], bytes]:
    buffer: Any = EventStreamBuffer()
    buffer.add_data(data)
    (found,) = list(buffer)
    return found.headers, found.payload


def test_the_known_message() -> None:
    headers = {":event-type": "messageStop", ":content-type": "application/json", ":message-type": "event"}
    known = (
        "0000007b00000051f74c6fd50b3a6576656e742d7479706507000b6d65737361676553746f700d3a636f6e74656e742d747970650700"
        "106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b2273746f70526561736f6e223a20"
        "22656e645f7475726e227de70e424b"
    )
    assert message(headers, b'{"stopReason": "end_turn"}').hex() == known
    assert read(event("messageStop", {"stopReason": "end_turn"})) == (headers, b'{"stopReason":"end_turn"}')


def test_exceptions_and_errors() -> None:
    headers, payload = read(exception("throttlingException", {"message": "é"}))
    assert (headers[":message-type"], headers[":exception-type"]) == ("exception", "throttlingException")
    assert payload == '{"message":"é"}'.encode()
    headers, payload = read(error("InternalFailure", "x"))
    assert (headers, payload) == (
        {":error-code": "InternalFailure", ":error-message": "x", ":message-type": "error"}, b"",
    )  # fmt: skip


def test_a_damaged_message_has_the_length_of_a_good_one() -> None:
    good = event("messageStart", {"role": "assistant"})
    assert len(damaged(good)) == len(good)
    with pytest.raises(ChecksumMismatch):
        read(damaged(good))
