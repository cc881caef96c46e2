"""A real nginx with deploy/nginx.conf in front of the proxy."""

from __future__ import annotations

import datetime
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.deploy.tools import DEPLOY, free_port, needed, running
from tests.serving import Served

FRAME = """\
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error;
events {{}}
http {{
  access_log off; proxy_ignore_headers X-Accel-Buffering;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  include {folder}/toolwire.conf;
}}
"""


def certificate(folder: Path) -> None:
    """cert.pem and key.pem for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "llm.example.com")])
    now = datetime.datetime.now(datetime.UTC)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("llm.example.com")]), False)
            .sign(key, hashes.SHA256()))
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


def written(folder: Path, upstream: int, port: int) -> Path:
    """nginx's configuration with deploy's in it, moved to these ports and this folder."""
    text = (DEPLOY / "nginx.conf").read_text()
    for old, new in (("127.0.0.1:4100", f"127.0.0.1:{upstream}"), ("listen 443", f"listen 127.0.0.1:{port}"),
                     ("/etc/nginx/tls", str(folder))):
        assert old in text
        text = text.replace(old, new)
    certificate(folder)
    (folder / "toolwire.conf").write_text(text)
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder))
    return folder / "nginx.conf"


@pytest.fixture
def fronted(proxied: Served, tmp_path: Path) -> Iterator[httpx2.Client]:
    """A client of an nginx in front of the proxy."""
    nginx, port = needed("nginx", "nginx-light"), free_port()
    command = [nginx, "-c", str(written(tmp_path, proxied.port, port))]
    done = subprocess.run([*command, "-t"], capture_output=True, check=False, text=True)
    assert done.returncode == 0 and "[warn]" not in done.stderr, done.stderr
    trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    trusted.check_hostname = False
    with running(command, port, tmp_path / "log"), httpx2.Client(
        base_url=f"https://127.0.0.1:{port}", verify=trusted, timeout=5, trust_env=False
    ) as client:
        yield client


def body(model: str, **more: object) -> dict[str, object]:
    return {"model": model, "messages": [{"role": "user", "content": "Hello"}], **more}


def test_pieces_of_a_stream_arrive_while_it_still_runs(fronted: httpx2.Client):
    """The upstream says something and then nothing more for good: a buffer would keep what it said."""
    request = body("openai-chat/fault-stall", stream=True)
    with fronted.stream("POST", "/v1/chat/completions", json=request) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        first = next(answer.iter_lines())
    assert first.startswith("data: {")


def test_a_whole_answer_and_its_headers_pass(fronted: httpx2.Client):
    answer = fronted.post("/v1/chat/completions", json=body("claude"))
    assert (answer.status_code, answer.headers["x-toolwire-target"]) == (200, "anthropic-messages/agent")


def test_the_proxys_own_error_passes(fronted: httpx2.Client):
    answer = fronted.post("/v1/chat/completions", json=body("all-fail"))
    assert (answer.status_code, answer.json()["error"]["type"]) == (429, "rate_limit_error")
    assert fronted.get("/metrics").status_code == 200
