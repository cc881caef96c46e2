"""The emulator as a process of its own, in the running loop, and with two requests at once."""

import argparse
import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

import proxy.emulate
from proxy.emulate import Emulation, main
from proxy.emulate.registry import APIS

HEADERS = {"authorization": "Bearer k"}


def body(model: str) -> dict[str, object]:
    return {"model": model, "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_command(number: signal.Signals) -> None:
    script = (
        "import argparse, sys; from proxy.emulate import main; "
        "sys.exit(main(argparse.Namespace(host='127.0.0.1', port=0)))"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=os.getcwd())
    assert process.stdout
    lines = [process.stdout.readline() for _ in range(len(APIS) + 3)]
    found = re.search(r"openai-chat +(http://127\.0\.0\.1:\d+/openai-chat/v1)\n", "".join(lines))
    assert found
    assert "fault-429" in lines[-1] and "flaky-N" in lines[-1]
    answer = httpx2.post(found[1] + "/chat/completions", headers=HEADERS, json=body("agent"))
    assert answer.json()["choices"][0]["message"]["content"] == "You said: hi"
    process.send_signal(number)
    assert process.wait(5) == 0
    process.stdout.close()


def test_in_the_running_loop_with_clients_that_wait() -> None:
    async def run() -> None:
        async with Emulation() as emulation, httpx2.AsyncClient(headers=HEADERS, timeout=5) as client:
            url = emulation.base_url("openai-chat") + "/chat/completions"
            silent = asyncio.create_task(client.post(url, json=body("fault-silent")))
            done, _ = await asyncio.wait({silent}, timeout=0.3)
            assert not done
            answer = await client.post(url, json=body("agent"))
            assert answer.status_code == 200
            assert [request.body["model"] for request in emulation.requests] == ["fault-silent", "agent"]
        with pytest.raises(httpx2.TransportError):
            await silent

    asyncio.run(run())


def test_slow_waits_between_events_and_the_client_may_leave() -> None:
    with Emulation() as emulation, httpx2.Client(headers=HEADERS, timeout=5) as client:
        url = emulation.base_url("openai-chat") + "/chat/completions"
        with client.stream("POST", url, json={**body("slow-60"), "stream": True}) as answer:
            pieces = [piece for piece in answer.iter_raw() if piece]
        assert len(pieces) >= 3
        with client.stream("POST", url, json={**body("slow-100000"), "stream": True}) as answer:
            assert next(answer.iter_raw()).startswith(b"data: ")


def test_a_reset_is_a_reset() -> None:
    """ECONNRESET, not a clean end and not a missing last chunk."""
    with Emulation() as emulation, socket.create_connection(("127.0.0.1", emulation.port), timeout=5) as connection:
        content = b'{"model":"fault-reset","messages":[{"role":"user","content":"hi"}],"stream":true}'
        head = "POST /openai-chat/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\n"
        connection.sendall(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
        read = b""
        with pytest.raises(ConnectionResetError):
            while chunk := connection.recv(65536):
                read += chunk
    assert b"You said: hi" in read


def test_unknown_paths_are_not_found() -> None:
    with Emulation() as emulation:
        assert httpx2.get(f"http://127.0.0.1:{emulation.port}/nobody").status_code == 404
        assert httpx2.post(emulation.base_url("openai-chat") + "/nothing").status_code == 404


def test_a_port_in_use(emulation: Emulation, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argparse.Namespace(host="127.0.0.1", port=emulation.port)) == 1
    assert f"port {emulation.port} on 127.0.0.1 is taken" in capsys.readouterr().err


def test_nothing_is_shared_with_the_adapters() -> None:
    modules = list(Path(proxy.emulate.__file__).parent.glob("*.py"))
    assert len(modules) > 20
    for module in modules:
        imported = re.findall(r"^\s*(?:from|import) (\w+)", module.read_text("utf-8"), re.MULTILINE)
        assert "adapters" not in imported, module
