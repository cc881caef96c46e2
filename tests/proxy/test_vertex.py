"""Gemini on Vertex by OAuth over real sockets: a token endpoint, the proxy, the emulated upstream on Vertex's paths."""

import json
import socket
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import jwt

from proxy.emulate import Emulation
from proxy.gateway import Gateway
from proxy.upstream import make
from proxy.upstream.google import Fetch, SignIns
from proxy.upstream.transport import Broken
from tests.serving import Served, config_of

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()
PUBLIC = KEY.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
).decode()
GOOD = "ya29x-a-good-token-0001"
REFUSED = "bad-key"
"""What the emulated upstream refuses as Vertex refuses a token that it ended early."""


class TokenEndpoint(ThreadingHTTPServer):
    """Gives out `tokens` in turn, the last one again and again. `before` runs ahead of each answer."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), TokenHandler)
        self.tokens, self.seconds, self.status, self.seen = [GOOD], 3600, 200, []
        self.before, self.answer = lambda: None, None
        self.url = f"http://127.0.0.1:{self.server_port}/token"

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join(5)
        self.server_close()


class TokenHandler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        server.before()
        server.seen.append({name: values[0] for name, values in urllib.parse.parse_qs(body).items()})
        token = server.tokens[min(len(server.seen), len(server.tokens)) - 1]
        answer = {"access_token": token, "expires_in": server.seconds, "token_type": "Bearer"}
        if server.status != 200:
            answer = {"error": "invalid_grant", "error_description": "Invalid JWT Signature: SECRET-DESCRIPTION."}
        data = json.dumps(answer).encode() if server.answer is None else server.answer
        self.send_response(server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def service_account(token_uri):
    return {
        "type": "service_account", "project_id": "p1", "private_key_id": "k1", "private_key": PEM,
        "client_email": "proxy@p1.iam.gserviceaccount.com", "token_uri": token_uri,
    }


@pytest.fixture
def endpoint():
    with TokenEndpoint() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def emulation():
    with Emulation() as emulation:
        yield emulation


@pytest.fixture
def credentials(endpoint, tmp_path):
    path = tmp_path / "account.json"
    path.write_text(json.dumps(service_account(endpoint.url)))
    return path


def config(emulation, credentials, transport="aiohttp"):
    return config_of(
        f'providers:\n  v: {{api: google-gemini, base_url: "{emulation.base_url("google-gemini")}", '
        f'transport: {transport}, vertex: {{project: p1, location: us-central1, credentials: "{credentials}"}}}}\n'
        f'  next: {{api: openai-chat, base_url: "{emulation.base_url("openai-chat")}", api_key: k}}\n'
        "models:\n  chain: {target: v/agent, fallbacks: [next/agent], retry: {attempts: 1}}\n"
    )


def asked(served, path="/v1/chat/completions", model="v/agent", **more):
    body = {"model": model, "messages": [{"role": "user", "content": "Hello"}], **more}
    return httpx2.post(served.base + path, json=body, timeout=10)


def used(emulation, since):
    """(path, token) of what has reached Vertex since."""
    return [(r.path, r.headers["authorization"].removeprefix("Bearer ")) for r in list(emulation.requests)[since:]]


PATH = "/v1/projects/p1/locations/us-central1/publishers/google/models/agent"


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_one_token_serves_all_requests(emulation, endpoint, credentials, transport):
    since = len(emulation.requests)
    with Served(config(emulation, credentials, transport)) as served:
        assert asked(served).status_code == 200
        assert asked(served, stream=True).text.endswith("data: [DONE]\n\n")
        assert asked(served, "/v1/messages/count_tokens").json()["input_tokens"] > 0
    assert used(emulation, since) == [
        (f"{PATH}:generateContent", GOOD), (f"{PATH}:streamGenerateContent", GOOD), (f"{PATH}:countTokens", GOOD)
    ]
    (grant,) = endpoint.seen
    assert grant["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
    claims = jwt.decode(grant["assertion"], certs=PUBLIC, audience="https://oauth2.googleapis.com/token")
    assert (claims["iss"], claims["scope"]) == (
        "proxy@p1.iam.gserviceaccount.com", "https://www.googleapis.com/auth/cloud-platform"
    )


def test_many_requests_wait_for_one_fetch(emulation, endpoint, credentials):
    since, gate = len(emulation.requests), threading.Event()
    endpoint.before = lambda: gate.wait(5)
    with Served(config(emulation, credentials)) as served, ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(asked, served) for _ in range(8)]
        while "toolwire_inflight_requests 8.0" not in served.metrics():
            pass
        gate.set()
        assert [one.result().status_code for one in waiting] == [200] * 8
    assert used(emulation, since) == [(f"{PATH}:generateContent", GOOD)] * 8
    assert len(endpoint.seen) == 1


def test_a_token_near_its_end_is_not_used(emulation, endpoint, credentials):
    since = len(emulation.requests)
    endpoint.tokens, endpoint.seconds = ["first-token", "second-token"], 15
    with Served(config(emulation, credentials)) as served:
        assert [asked(served).status_code for _ in range(2)] == [200, 200]
    assert [token for _, token in used(emulation, since)] == ["first-token", "second-token"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_refused_token_is_renewed_within_the_attempt(emulation, endpoint, credentials, stream):
    since = len(emulation.requests)
    endpoint.tokens = [REFUSED, GOOD]
    with Served(config(emulation, credentials)) as served:
        answer = asked(served, model="chain", stream=stream)
        assert (answer.status_code, answer.headers["x-toolwire-target"], answer.headers["x-toolwire-attempts"]) == (
            200, "v/agent", "1"
        )
        assert asked(served, "/v1/messages/count_tokens", "chain").json()["input_tokens"] > 0
    assert [token for _, token in used(emulation, since)] == [REFUSED, GOOD, GOOD]
    assert len(endpoint.seen) == 2


def test_tokens_that_stay_refused_are_renewed_once(emulation, endpoint, credentials):
    since = len(emulation.requests)
    endpoint.tokens = [GOOD, GOOD + "-renewed", GOOD + "-never"]
    with Served(config(emulation, credentials)) as served:
        first, second = asked(served, model="v/fault-401"), asked(served, model="v/fault-401")
    for answer in (first, second):
        assert (answer.status_code, answer.json()["error"]["type"]) == (502, "upstream_auth_error")
    assert [token for _, token in used(emulation, since)] == [GOOD, GOOD + "-renewed", GOOD + "-renewed"]
    assert len(endpoint.seen) == 2


def test_a_refused_sign_in_moves_the_chain_and_shows_no_secret(emulation, endpoint, credentials):
    endpoint.status = 400
    with Served(config(emulation, credentials)) as served:
        moved, alone = asked(served, model="chain"), asked(served)
        assert (moved.status_code, moved.headers["x-toolwire-target"]) == (200, "next/agent")
        error = alone.json()["error"]
        assert (alone.status_code, error["type"], error["message"]) == (
            502, "upstream_auth_error", "The proxy's Google credentials were refused (invalid_grant)."
        )
        told = alone.text + served.metrics() + repr(served.logged)
        assert 'outcome="upstream_auth_error",provider="v"' in served.metrics()
    assert not any(secret in told for secret in ("SECRET-DESCRIPTION", "assertion", "PRIVATE KEY", "127.0.0.1"))


@pytest.mark.parametrize("answer", [
    b'{"access_token": null, "expires_in": 3600}',
    b'{"access_token": ["a-token"], "expires_in": 3600}',
    b'{"access_token": "", "expires_in": 3600}',
    b'{"access_token": "a-token\\r\\nx: y", "expires_in": 3600}',
    b'{"access_token": "a-token", "expires_in": "soon"}',
    b'{"access_token": "a-token", "expires_in": [1]}',
    b'{"access_token": "a-token", "expires_in": 1e300}',
    b"<html>a-token</html>",
    b"null",
    b"[]",
    b"",
])
def test_what_is_no_token_is_not_sent(emulation, endpoint, credentials, answer):
    since = len(emulation.requests)
    endpoint.answer = answer
    with Served(config(emulation, credentials)) as served:
        error = asked(served).json()["error"]
        assert (error["type"], error["message"]) == ("api_error", "The token endpoint's answer holds no access token.")
        assert "a-token" not in repr(served.logged)
    assert used(emulation, since) == []


def test_a_token_endpoint_that_is_not_there(emulation, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    (tmp_path / "account.json").write_text(json.dumps(service_account(f"http://127.0.0.1:{port}/token")))
    with Served(config(emulation, tmp_path / "account.json")) as served:
        answer = asked(served, model="chain")
        assert answer.headers["x-toolwire-target"] == "next/agent"
        assert [line["type"] for line in served.lines("attempt", 2)] == ["connection_error", "ok"]


def test_an_upstream_that_repeats_the_token_in_its_error(endpoint, credentials):
    class Telling(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            token = self.headers["authorization"].removeprefix("Bearer ")
            data = json.dumps({"error": {"code": 403, "message": f"Denied to {token}!", "status": "PERMISSION_DENIED"}})
            self.send_response(403)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, *_):
            pass

    endpoint.tokens = ["opaque0token0of0no0known0shape"]
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Telling)
    threading.Thread(target=upstream.serve_forever, args=(0.02,), daemon=True).start()
    try:
        with Served(config_of(
            f'providers: {{v: {{api: google-gemini, base_url: "http://127.0.0.1:{upstream.server_port}", '
            f'vertex: {{project: p1, location: l, credentials: "{credentials}"}}}}}}'
        )) as served:
            assert asked(served).json()["error"]["message"] == "Denied to [redacted]!"
            assert endpoint.tokens[0] not in repr(served.logged)
    finally:
        upstream.shutdown()
        upstream.server_close()


# --- kinds of credentials ----------------------------------------------------------------------------------------


USER = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}


def external(url, subject):
    return {
        "type": "external_account", "token_url": url, "audience": "//iam.googleapis.com/pool",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "credential_source": {"file": str(subject)},
    }


def test_a_users_credentials(endpoint):
    fetch = Fetch(USER | {"quota_project_id": "billed"})
    fetch._held._token_uri = endpoint.url  # google-auth knows one endpoint for users, whatever a file says
    assert fetch().headers() == {"authorization": f"Bearer {GOOD}", "x-goog-user-project": "billed"}
    assert endpoint.seen[0] | {"scope": ""} == {
        "grant_type": "refresh_token", "client_id": "c", "client_secret": "s", "refresh_token": "r", "scope": ""
    }


def test_an_external_account(endpoint, tmp_path):
    (tmp_path / "subject").write_text("SUBJECT")
    made = Fetch(external(endpoint.url, tmp_path / "subject"))()
    assert made.headers() == {"authorization": f"Bearer {GOOD}"}
    assert (endpoint.seen[0]["subject_token"], endpoint.seen[0]["audience"]) == ("SUBJECT", "//iam.googleapis.com/pool")


def test_an_external_account_without_its_subject(endpoint, tmp_path):
    with pytest.raises(Broken) as raised:
        Fetch(external(endpoint.url, tmp_path / "absent"))()
    assert raised.value.failure.type == "upstream_auth_error"


def test_the_environments_credentials(credentials, endpoint, monkeypatch, tmp_path):
    """The file that GOOGLE_APPLICATION_CREDENTIALS names; else what google-auth finds, here nothing."""
    provider = config_of("providers: {v: {api: google-gemini, vertex: {project: p, location: l}}}").providers["v"]
    named = SignIns({"GOOGLE_APPLICATION_CREDENTIALS": str(credentials)}, lambda: 0.0)
    assert named(provider)._fetch().value == GOOD
    for name, value in {"CLOUDSDK_CONFIG": str(tmp_path), "NO_GCE_CHECK": "true", "PATH": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    with pytest.raises(Broken) as raised:
        SignIns({}, lambda: 0.0)(provider)._fetch()
    assert raised.value.failure.type == "upstream_auth_error"
    assert raised.value.failure.message == "There are no Google credentials to sign in with."


def test_equal_credentials_share_their_token_over_a_reload(emulation, credentials):
    sign_ins, read = SignIns({}, lambda: 0.0), config(emulation, credentials)
    first, again = (Gateway(read, {}, make, sign_ins)._sign_ins["v"] for _ in range(2))
    assert first is again
    assert Gateway(read, {}, make, sign_ins)._sign_ins["next"] is None


def test_what_cannot_be_used_ends_the_start(emulation, credentials):
    broken = service_account("http://127.0.0.1:1/token") | {
        "private_key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    }
    read = config(emulation, credentials)
    credentials.write_text(json.dumps(broken))
    with pytest.raises(ValueError) as raised:
        Gateway(read, {}, make, SignIns({}, lambda: 0.0))
    assert str(raised.value) == (
        'provider "v": vertex.credentials cannot be used as credentials of the type service_account'
    )
