"""What an upstream says about itself and its keys does not reach a client."""

import pytest

from proxy.upstream.secrets import scrub

KEY = "sk-proj-Ab12Cd34Ef56Gh78/+Ij90"
PLAIN = "tw-upstream-key-of-the-provider-main"
HOSTS = ("api.acme.test", "10.1.2.3")

KEYS = [
    ("nothing to hide", "nothing to hide"),
    ("", ""),
    (f"Incorrect API key provided: {PLAIN}. Try again.", "Incorrect API key provided: [redacted]. Try again."),
    (f"{PLAIN} and {PLAIN}", "[redacted] and [redacted]"),
    (f"key {KEY}!", "key [redacted]!"),
    ("key sk-proj-Ab12Cd34Ef56Gh78%2F%2BIj90!", "key [redacted]!"),
    ("starts with tw-upstream-key-o", "starts with [redacted]"),
    ("starts with tw-upstream-key-of-the-proXYZ", "starts with [redacted]XYZ"),
    ("ends with ...e-provider-main", "ends with ...[redacted]"),
    ("ends with rovider-main", "ends with [redacted]"),
    ("eleven only: ovider-main", "eleven only: ovider-main"),
    ("short key: s3cr3t; unsecr3ted s3cr3ts", "short key: [redacted]; unsecr3ted s3cr3ts"),
    ("abc is too short to be a secret", "abc is too short to be a secret"),
]


@pytest.mark.parametrize("text, expected", KEYS)
def test_configured_keys(text: str, expected: str) -> None:
    assert scrub(text, [PLAIN, KEY, "s3cr3t", "abc", ""]) == expected


SHAPES = [
    ("Authorization: Bearer abc.def-123 was refused", "Authorization: Bearer [redacted] was refused"),
    ('"authorization": "Bearer abcdef123"', '"authorization": "Bearer [redacted]"'),
    ("authorization=Token0123", "authorization=[redacted]"),
    ("bearer of bad news", "bearer of bad news"),
    ("Basic dXNlcjpwYXNz", "Basic [redacted]"),
    ("x-api-key: 0123abcd, next", "x-api-key: [redacted], next"),
    ('{"x-api-key":"0123abcd"}', '{"x-api-key":"[redacted]"}'),
    ("X-Goog-Api-Key: zzz", "X-Goog-Api-Key: [redacted]"),
    ("api-key: 99aa", "api-key: [redacted]"),
    ("no api key was given", "no api key was given"),
    ("/v1/models?key=0123&alt=sse", "/v1/models?key=[redacted]&alt=sse"),
    ("/v1/models?alt=sse&access_token=0123", "/v1/models?alt=sse&access_token=[redacted]"),
    ("sort-key=name", "sort-key=name"),
    ("Incorrect API key provided: sk-proj-********abcd. You can", "Incorrect API key provided: [redacted]. You can"),
    ("key sk-ant-api03-Xy_z-0123456789", "key [redacted]"),
    ("key sk-abcd...wxyz is wrong", "key [redacted] is wrong"),
    ("use sk-learn or disk-usage-1234567", "use sk-learn or disk-usage-1234567"),
    ("AIzaSyA-0123456789abcdefghij_KLMNOPQRSTU is invalid", "[redacted] is invalid"),
    ("gsk_0123456789abcdefABCDEF", "[redacted]"),
    ("xai-0123456789abcdefABCDEF", "[redacted]"),
    ("credential AKIAIOSFODNN7EXAMPLE", "credential [redacted]"),
    ("token ya29.a0AfH6SMBx-yz_0123", "token [redacted]"),
    ("jwt eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJ-_x", "jwt [redacted]"),
    ("redis://user:pass@cache:6379/0", "redis://[redacted]@cache:6379/0"),
]


@pytest.mark.parametrize("text, expected", SHAPES)
def test_what_is_shaped_like_a_key(text: str, expected: str) -> None:
    assert scrub(text, []) == expected


@pytest.mark.parametrize("text, expected", [*KEYS, *SHAPES])
def test_twice_is_once(text: str, expected: str) -> None:
    secrets = [PLAIN, KEY, "s3cr3t", "abc", ""]
    assert scrub(scrub(text, secrets), secrets) == scrub(text, secrets)


ANY_URL = [
    ("POST https://api.acme.test/v1/chat?x=1 failed", "POST [upstream] failed"),
    ("see https://acme.test/docs.", "see [upstream]."),
    ('{"url":"http://10.1.2.3:8000/v1"}', '{"url":"[upstream]"}'),
    ("(https://user:pw@api.acme.test/v1)", "([upstream])"),
    ("api.acme.test stays", "api.acme.test stays"),
]


@pytest.mark.parametrize("text, expected", ANY_URL)
def test_urls_where_no_host_is_known(text: str, expected: str) -> None:
    assert scrub(text, []) == expected


OWN_URL = [
    ("POST https://api.acme.test/v1/chat?x=1 failed", "POST [upstream] failed"),
    ("POST HTTPS://API.acme.test:8443 failed", "POST [upstream] failed"),
    ("http://10.1.2.3:8000/v1, http://10.1.2.30/", "[upstream], http://10.1.2.30/"),
    ("see https://acme.test/docs.", "see https://acme.test/docs."),
    ("see https://acme.test/docs?key=0123", "see https://acme.test/docs?key=[redacted]"),
    ("cannot reach API.acme.test:443.", "cannot reach [upstream]."),
    ("eu.api.acme.test, api.acme.test.evil", "eu.api.acme.test, api.acme.test.evil"),
    ("my-api.acme.test", "my-api.acme.test"),
    ("dial tcp 10.1.2.3:443: refused by 110.1.2.3", "dial tcp [upstream]: refused by 110.1.2.3"),
]


@pytest.mark.parametrize("text, expected", OWN_URL)
def test_urls_and_names_of_the_upstream(text: str, expected: str) -> None:
    assert scrub(text, [], HOSTS) == expected


def test_a_long_text_costs_little() -> None:
    text = ("sk-" * 20000) + ("a" * 200_000) + "key=" * 5000
    assert len(scrub(text, [PLAIN, "a" * 100], HOSTS)) > 0
