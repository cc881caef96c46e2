"""Signatures: the wire page's vectors, Botocore's own for generated requests, and when a request is signed at all."""

import random
from datetime import UTC, datetime
from types import SimpleNamespace

import botocore.auth
import botocore.credentials
import pytest
from botocore.awsrequest import AWSRequest

from adapters.format import Outgoing, Reading
from proxy.config.model import Aws, Provider
from proxy.upstream.aws import Signer, Unsigned, region_of, signed
from proxy.upstream.aws_credentials import Credentials, Sources
from proxy.upstream.transport import Broken

KEYS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
TEMPORARY = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "TOKEN")
NOW = datetime(2026, 11, 30, tzinfo=UTC)
BASE = "https://bedrock-runtime.us-east-1.amazonaws.com"
PATH = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse"
BODY = b'{"messages":[{"role":"user","content":[{"text":"hi"}]}]}'
PAGE = Unsigned("POST", BASE + PATH, "application/json", BODY)
SCOPE = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/us-east-1/bedrock/aws4_request, SignedHeaders="


def test_the_pages_vector():
    assert signed(PAGE, KEYS, "us-east-1", NOW) == {
        "authorization": SCOPE + "content-type;host;x-amz-date, Signature="
        "7a15c813fd9b31d6523cae8d92353a3b56fc7861f621e850e63c0d4b8a1482e5",
        "x-amz-date": "20261130T000000Z",
    }


def test_the_pages_vector_with_a_session_token():
    assert signed(PAGE, TEMPORARY, "us-east-1", NOW) == {
        "authorization": SCOPE + "content-type;host;x-amz-date;x-amz-security-token, Signature="
        "df3e02dee173c4e2a55adf307f5bfca00f1dd2fb12a4bb1e74e7bea582a87497",
        "x-amz-date": "20261130T000000Z", "x-amz-security-token": "TOKEN",
    }


def botocores(request, credentials, region, now, monkeypatch):
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: now)
    found = AWSRequest(request.method, request.url, {"Content-Type": request.content_type}, request.body)
    keys = botocore.credentials.Credentials(
        credentials.access_key_id, credentials.secret_access_key, credentials.session_token)
    botocore.auth.SigV4Auth(keys, "bedrock", region).add_auth(found)
    return {name.lower(): value for name, value in found.headers.items() if name.lower() != "content-type"}


SEGMENTS = ["model", "converse", "v1%3A0", "arn%3Aaws%3Abedrock%2Fx", "a~b", "a-b_c.d", "%C3%BC", "gw", "x%20y", "+"]
HOSTS = [BASE, "https://bedrock-runtime.eu-west-1.amazonaws.com:443", "http://127.0.0.1:8080", "http://[::1]:80",
         "https://Gateway.Example:8443"]
QUERIES = ["", "?a=1", "?b=2&a=1", "?a=2&a=1", "?k=%2F%20&empty", "?x="]


def generated(seed):
    draw = random.Random(seed)
    path = "".join(f"/{draw.choice(SEGMENTS)}" for _ in range(draw.randint(0, 4)))
    request = Unsigned(
        draw.choice(["POST", "GET"]), draw.choice(HOSTS) + path + (draw.choice(QUERIES) if path else ""),
        draw.choice(["application/json", "application/json;  charset=utf-8 "]), draw.randbytes(draw.randint(0, 300)))
    token = draw.choice([None, "T" * draw.randint(1, 400)])
    region = draw.choice(["us-east-1", "eu-central-2", "us-gov-west-1"])
    now = datetime.fromtimestamp(draw.randint(1_600_000_000, 1_900_000_000), UTC)
    return request, Credentials(f"AKIA{seed}", draw.choice(["sécret", "a/b+c", "x" * 40]), token), region, now


@pytest.mark.parametrize("seed", range(200))
def test_as_botocore_signs(seed, monkeypatch):
    request, credentials, region, now = generated(seed)
    assert signed(request, credentials, region, now) == botocores(request, credentials, region, now, monkeypatch)


@pytest.mark.parametrize(("url", "region"), [
    (f"{BASE}/model/x", "us-east-1"),
    ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
    ("https://bedrock-runtime.cn-north-1.amazonaws.com.cn/", "cn-north-1"),
    ("https://vpce-0a1b.bedrock-runtime.eu-west-1.vpce.amazonaws.com", "eu-west-1"),
    ("https://gateway.example/bedrock-runtime.eu-west-1.x/", None),
    ("http://127.0.0.1:9", None),
])
def test_the_hosts_region(url, region):
    assert region_of(url) == region


# --- the engine's hook -------------------------------------------------------------------------------------------


OUTGOING = Outgoing(PATH, BODY, Reading("m"), False)


def destination(api="bedrock-converse", keys=("",), headers=()):
    return SimpleNamespace(
        api=SimpleNamespace(name=api), keys=keys, provider="bedrock", headers=dict(headers))


def signer(aws=None, environ=(), lookup=lambda profile: None):
    provider = Provider("bedrock", "bedrock-converse", BASE, aws=aws)
    env = {"HOME": "/nowhere", **dict(environ)}
    return Signer({"bedrock": provider}.get, env, NOW.timestamp, Sources(env, lookup))


CONFIGURED = Aws("us-east-1", "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")


def test_a_request_without_a_key_is_signed():
    assert signer(CONFIGURED)(destination(), OUTGOING, BASE + PATH) == signed(PAGE, KEYS, "us-east-1", NOW)


def test_other_requests_are_not():
    sign = signer(CONFIGURED)
    assert sign(destination(keys=("K",)), OUTGOING, BASE + PATH) == {}
    assert sign(destination(keys=("", "K")), OUTGOING, BASE + PATH) == {}
    assert sign(destination(api="anthropic-messages"), OUTGOING, BASE + PATH) == {}


def test_the_content_type_that_is_sent_is_signed():
    to = destination(headers={"Content-Type": "application/x-amz-json-1.1"})
    changed = Unsigned("POST", BASE + PATH, "application/x-amz-json-1.1", BODY)
    assert signer(CONFIGURED)(to, OUTGOING, BASE + PATH) == signed(changed, KEYS, "us-east-1", NOW)


@pytest.mark.parametrize(("url", "aws", "environ", "region"), [
    (BASE + PATH, Aws("eu-west-1"), {}, "us-east-1"),
    ("https://gateway.example" + PATH, Aws("eu-west-1"), {"AWS_REGION": "us-west-2"}, "eu-west-1"),
    ("https://gateway.example" + PATH, None, {"AWS_REGION": "us-west-2"}, "us-west-2"),
])
def test_region(url, aws, environ, region):
    keys = {"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S", **environ}
    made = signer(aws, keys)(destination(), OUTGOING, url)
    assert f"/20261130/{region}/bedrock/" in made["authorization"]


def test_without_credentials_or_region_there_is_no_request():
    with pytest.raises(Broken) as caught:
        signer(Aws("us-east-1"))(destination(), OUTGOING, BASE + PATH)
    assert (caught.value.failure.type, caught.value.failure.message) == (
        "upstream_auth_error", "There are no AWS credentials for bedrock.")
    keys = {"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"}
    with pytest.raises(Broken, match="no AWS region"):
        signer(None, keys)(destination(), OUTGOING, "https://gateway.example" + PATH)


def test_a_provider_that_a_reload_took_away_takes_the_environments():
    env = {"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"}
    sign = Signer({}.get, env, NOW.timestamp, Sources(env, lambda profile: None))
    assert "Credential=A/" in sign(destination(), OUTGOING, BASE + PATH)["authorization"]


def test_warming_looks_only_for_what_is_needed():
    asked = []
    providers = {
        "keyed": Provider("keyed", "bedrock-converse", BASE, api_keys=("K",), aws=Aws(profile="a")),
        "static": Provider("static", "bedrock-converse", BASE, aws=CONFIGURED),
        "other": Provider("other", "openai-chat", BASE),
        "role": Provider("role", "bedrock-converse", BASE, aws=Aws(profile="role")),
    }
    sources = Sources({"HOME": "/nowhere"}, lambda profile: asked.append(profile) or KEYS)
    sign = Signer(providers.get, {}, NOW.timestamp, sources)
    sign.warm(providers)
    assert sources.find(Aws(profile="role"), NOW.timestamp()) == KEYS
    assert asked == ["role"]
