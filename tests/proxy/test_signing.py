"""A request to Bedrock as it leaves the proxy, over real sockets: signed for what is really sent, or not sent."""

import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import botocore.auth
import botocore.credentials
import httpx2
import pytest
from botocore.awsrequest import AWSRequest

from tests.serving import Served, config_of

ANSWER = json.dumps({
    "output": {"message": {"role": "assistant", "content": [{"text": "ok"}]}}, "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1},
}).encode()
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


class Bedrock(ThreadingHTTPServer):
    """Answers every request, and keeps it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join(5)
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        answer = b'{"inputTokens":7}' if self.path.endswith("/count-tokens") else ANSWER
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def config(bedrock, provider, transport="aiohttp"):
    url = f"http://127.0.0.1:{bedrock.server_port}"
    return config_of(
        "providers:\n  aws:\n    api: bedrock-converse\n"
        f"    base_url: \"{url}\"\n    transport: {transport}\n    {provider}\n")


def asked(served, path="/v1/chat/completions", **more):
    body = {"model": f"aws/{MODEL}", "messages": [{"role": "user", "content": "Grüße"}], **more}
    return httpx2.post(served.base + path, json=body, timeout=10)


def signature(seen, port, session_token, monkeypatch):
    """What Botocore makes of the request that arrived."""
    path, headers, body = seen
    now = datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: now)
    assert headers["host"] == f"127.0.0.1:{port}"
    request = AWSRequest("POST", f"http://{headers['host']}{path}", {"Content-Type": headers["content-type"]}, body)
    keys = botocore.credentials.Credentials("AKIDEXAMPLE", "SECRET/+=", session_token)
    botocore.auth.SigV4Auth(keys, "bedrock", "eu-west-1").add_auth(request)
    return request.headers["Authorization"]


KEYS = "aws: {region: eu-west-1, access_key_id: AKIDEXAMPLE, secret_access_key: SECRET/+=%s}"


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
@pytest.mark.parametrize("token", [None, "TOKEN"])
def test_a_request_is_signed_as_it_is_sent(transport, token, monkeypatch):
    more = f", session_token: {token}" if token else ""
    with Bedrock() as bedrock, Served(config(bedrock, KEYS % more, transport)) as served:
        answer = asked(served)
        assert answer.status_code == 200, answer.text
        assert answer.json()["choices"][0]["message"]["content"] == "ok"
        (seen,) = bedrock.seen
        assert seen[0] == "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse"
        assert seen[1].get("x-amz-security-token") == token
        assert seen[1]["authorization"] == signature(seen, bedrock.server_port, token, monkeypatch)


def test_counting_tokens_is_signed(monkeypatch):
    with Bedrock() as bedrock, Served(config(bedrock, KEYS % "")) as served:
        answer = asked(served, "/v1/messages/count_tokens")
        assert answer.json() == {"input_tokens": 7}
        (seen,) = bedrock.seen
        assert seen[0].endswith("/count-tokens")
        assert seen[1]["authorization"] == signature(seen, bedrock.server_port, None, monkeypatch)


def test_a_key_goes_as_it_is():
    with Bedrock() as bedrock, Served(config(bedrock, "api_key: bedrock-key")) as served:
        assert asked(served).status_code == 200
        headers = bedrock.seen[0][1]
        assert headers["authorization"] == "Bearer bedrock-key"
        assert not any(name.startswith("x-amz-") for name in headers)


def test_without_credentials_nothing_is_sent():
    missing = "aws: {region: eu-west-1, profile: no-such-profile-anywhere}"
    with Bedrock() as bedrock, Served(config(bedrock, missing)) as served:
        answer = asked(served)
        assert answer.status_code == 502
        error = answer.json()["error"]
        assert (error["type"], error["message"]) == ("upstream_auth_error", "There are no AWS credentials for aws.")
        assert bedrock.seen == []
