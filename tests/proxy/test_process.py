"""The process: what it prints, how it drains, reloads and refuses to start; several workers as one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from proxy.cli import main
from proxy.emulate import Emulation
from tests.proxy.process import ROOT, SECONDS, Process
from tests.proxy.talk import DONE, END, HELLO, START, STOP, STREAM, Talk, asked, each, http, say, talk
from tests.proxy.upstream.peer import Line, serve

pytestmark = pytest.mark.anyio

LINUX = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes by /proc")


def config(tmp_path: Path, url: str, server: str = "", models: str = "", clients: str = "") -> str:
    """A configuration file in this folder."""
    file = tmp_path / "toolwire.yaml"
    file.write_text(
        f"server: {{port: 0{server}}}\n{clients}"
        f"providers:\n  up: {{api: openai-chat, base_url: \"{url}\", api_key: up-key}}\n"
        f"models:\n  one: {{target: up/m, retry: {{attempts: 1}}}}\n{models}"
    )
    return str(file)


def ask(process: Process, model: str = "one") -> httpx2.Response:
    path, body = asked("chat", model, stream=False)
    with httpx2.Client(verify=False, trust_env=False, timeout=SECONDS) as client:  # a new connection each time
        return client.post(f"{process.base}{path}", json=body)


async def refused(port: int) -> bool:
    """Whether no new connection is taken, once the process had time to notice its signal."""
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                return True
            except ConnectionResetError:  # it waited to be taken when the listener closed
                continue
            writer.close()
            await asyncio.sleep(0.02)


class Held:
    """An upstream whose streams say hello and wait for `go`."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def answer(self, line: Line, request: bytes) -> None:
        line.send(STREAM)
        say(line, START, HELLO)
        await self.go.wait()
        say(line, STOP, DONE)
        line.send(END)


async def streaming(client: Talk) -> None:
    client.send(*asked("chat"))
    assert await client.head() == 200
    assert b"Hello" in await client.piece()


def started(*arguments: str, cwd: Path, **environ: str) -> Process:
    process = Process(*arguments, cwd=cwd, **environ)
    process.__enter__()
    return process


async def test_start_up_and_drain(tmp_path: Path) -> None:
    """SIGTERM: no new connections, the running stream finishes, exit 0."""
    up_side = Held()
    async with serve(each(up_side.answer)) as up:
        process = await asyncio.to_thread(started, "--config", config(tmp_path, up.url), cwd=tmp_path)
        try:
            said = "\n".join(process.said)
            assert f"curl {process.base}/v1/chat/completions" in said
            assert f'OpenAI(base_url="{process.base}/v1"' in said
            assert re.search(r"^  models +one$", said, re.MULTILINE)
            async with talk(process.port) as client, talk(process.port) as idle:
                await streaming(client)
                idle.send("/healthz", method="GET")
                assert await idle.head() == 200
                await idle.body()
                process.signal(signal.SIGTERM)
                assert await refused(process.port)
                assert await idle.over(), "idle connections are closed"
                assert process.popen.poll() is None, "a stream still runs"
                up_side.go.set()
                assert (await client.body()).endswith(DONE)
            assert await asyncio.to_thread(process.ended) == 0
            (line,) = process.lines("request")
            assert (line["type"], line["status"], line["target"]) == ("ok", 200, "up/m")
            assert {"time", "event", "request_id", "endpoint", "model", "seconds"} <= line.keys()
        finally:
            process.__exit__(None, None, None)


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_who_connects_before_the_listener_closes_is_answered(
    tmp_path: Path, emulated: Emulation, workers: str
) -> None:
    """All but the one that connects in the very moment of the close: no system call accepts and closes at once."""
    file = config(tmp_path, emulated.base_url("openai-chat"))
    process = await asyncio.to_thread(started, "--config", file, "--workers", workers, cwd=tmp_path)
    try:
        async with contextlib.AsyncExitStack() as stack:
            process.signal(signal.SIGTERM)
            clients: list[Talk] = []
            with contextlib.suppress(ConnectionError):
                while True:
                    clients.append(await stack.enter_async_context(talk(process.port)))
                    clients[-1].send(*asked("chat", "up/agent", stream=False))
            answers = await asyncio.gather(*(client.head() for client in clients), return_exceptions=True)
        assert len([answer for answer in answers if answer != 200]) <= 1
        assert await asyncio.to_thread(process.ended) == 0
    finally:
        process.__exit__(None, None, None)


@pytest.mark.parametrize("dialect", ["chat", "messages"])
async def test_a_drain_that_takes_too_long(tmp_path: Path, dialect: str) -> None:
    """After `drain_seconds` a stream is told that it breaks off."""
    up_side = Held()
    async with serve(each(up_side.answer)) as up:
        file = config(tmp_path, up.url, ", drain_seconds: 1")
        process = await asyncio.to_thread(started, "--config", file, cwd=tmp_path)
        try:
            async with talk(process.port) as client, talk(process.port) as silent:
                client.send(*asked(dialect))
                assert await client.head() == 200
                await client.piece()
                silent.send(*asked(dialect, stream=False))  # its upstream says nothing it could be told
                process.signal(signal.SIGTERM)
                body = await client.body()
                assert b"stream_interrupted" in body and b"[DONE]" not in body and b"message_stop" not in body
                assert await silent.head() == 503
                assert b"overloaded_error" in await silent.body()
            assert await asyncio.to_thread(process.ended) == 0
            assert {line["type"] for line in process.lines("request", 2)} == {"stream_interrupted", "overloaded_error"}
            assert [line["type"] for line in process.lines("attempt", 2)] == ["cancelled"] * 2
            up_side.go.set()
        finally:
            process.__exit__(None, None, None)


def test_reload(tmp_path: Path, emulated: Emulation) -> None:
    """SIGHUP takes a good configuration and keeps the old one where the new is bad."""
    url = emulated.base_url("openai-chat")
    more = "  two: up/agent\n"
    with Process("--config", config(tmp_path, url), cwd=tmp_path) as process:
        assert ask(process, "two").status_code == 404
        config(tmp_path, url, models=more)
        process.signal(signal.SIGHUP)
        assert process.lines("reload")[0].items() >= {"type": "ok", "models": 2, "providers": 1}.items()
        assert ask(process, "two").status_code == 200
        config(tmp_path, url, models="  two: nobody/agent\n")
        process.signal(signal.SIGHUP)
        refused_line = process.lines("reload", 2)[1]
        assert refused_line["type"] == "refused"
        assert "models.two" in refused_line["message"] and "nobody" in refused_line["message"]
        assert ask(process, "two").status_code == 200
        (tmp_path / "toolwire.yaml").unlink()
        process.signal(signal.SIGHUP)
        assert process.lines("reload", 3)[2]["type"] == "refused"
        config(tmp_path, url, models=more, clients="clients: [{name: a, key: b}]\n")
        process.signal(signal.SIGHUP)
        assert process.lines("reload", 4)[3]["type"] == "ok"
        assert ask(process, "two").status_code == 401
        process.signal(signal.SIGTERM)
        assert process.ended() == 0


def test_a_second_signal_does_not_wait(tmp_path: Path, emulated: Emulation) -> None:
    file = config(tmp_path, emulated.base_url("openai-chat"), models="  silent: up/fault-stall\n")
    with Process("--config", file, cwd=tmp_path) as process:
        path, body = asked("chat", "silent")
        with http.stream("POST", f"{process.base}{path}", json=body) as answer:
            pieces = answer.iter_raw()  # held: without it the connection is closed
            next(pieces)
            process.signal(signal.SIGINT)
            assert asyncio.run(refused(process.port))
            assert process.popen.poll() is None, "the stream still runs"
            process.signal(signal.SIGINT)
            assert process.ended() == 0


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "proxy", "serve", *arguments], cwd=cwd, env=environ, text=True, capture_output=True,
        timeout=SECONDS, check=False,
    )


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        ended = run("--config", config(tmp_path, "http://127.0.0.1:1"), "--port", str(port), cwd=tmp_path)
    assert ended.returncode == 1
    assert f"port {port} on 127.0.0.1 is taken" in ended.stderr
    assert "--port" in ended.stderr and "TOOLWIRE_PORT" in ended.stderr and "server.port" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_port_that_is_taken_by_the_time_of_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for more, how in (["--tour"], "make demo PORT=N"), ([], "--port N"):
            assert main(["serve", "--demo", "--port", str(port), *more]) == 1
            told = capsys.readouterr().err
            assert f"port {port} on 127.0.0.1 is taken. Choose another with {how}, or stop" in told


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--host", "0.0.0.0"], ["server.host", "clients"]),
        (["--demo", "--host", "0.0.0.0", "--port", "0"], ["loopback", "--print-config"]),
    ],
    ids=["config", "demo"],
)
def test_an_open_proxy_for_everyone(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    file = [] if "--demo" in arguments else ["--config", config(tmp_path, "http://127.0.0.1:1")]
    ended = run(*file, *arguments, cwd=tmp_path)
    assert ended.returncode == 1
    assert all(word in ended.stdout + ended.stderr for word in words)


def test_a_proxy_with_clients_may_listen_for_everyone(tmp_path: Path) -> None:
    file = config(tmp_path, "http://127.0.0.1:1", clients="clients: [{name: a, key: b}]\n")
    with Process("--config", file, "--host", "0.0.0.0", cwd=tmp_path) as process:
        assert ask(process).status_code == 401
        assert "YOUR_CLIENT_KEY" in "\n".join(process.said)


# --- several workers -------------------------------------------------------------------------------------------------


@LINUX
async def test_workers(tmp_path: Path, emulated: Emulation) -> None:
    """Each of two serves; a killed one is replaced; one scrape sums all, the dead included; a drain is over all."""
    url = emulated.base_url("openai-chat")
    process = await asyncio.to_thread(
        started, "--config", config(tmp_path, url, models="  slow: up/slow-100\n"), "--workers", "2", cwd=tmp_path)
    try:
        await asyncio.to_thread(_each_serves, process)
        await asyncio.to_thread(_one_is_replaced, process)
        await asyncio.to_thread(_one_scrape_sums_all, process, 5)
        async with talk(process.port) as client:
            client.send(*asked("chat", "slow"))
            assert await client.head() == 200
            await client.piece()
            workers = process.children()
            process.signal(signal.SIGTERM)
            assert await refused(process.port)
            assert (await client.body()).endswith(DONE)
        assert await asyncio.to_thread(process.ended) == 0
        assert not [pid for pid in workers if _is_there(pid)]
    finally:
        process.__exit__(None, None, None)


def _is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _each_serves(process: Process) -> None:
    """With the other one stopped."""
    ask(process)
    first, second = process.children()
    for stopped in (first, second):
        os.kill(stopped, signal.SIGSTOP)
        try:
            for _ in range(2):
                assert ask(process, "up/agent").status_code == 200
        finally:
            os.kill(stopped, signal.SIGCONT)


def _one_is_replaced(process: Process) -> None:
    process.lines("request", 5)  # a worker killed before it has written its line leaves one fewer
    old = process.children()
    path, body = asked("chat", "up/fault-stall")
    os.kill(old[1], signal.SIGSTOP)
    with http.stream("POST", f"{process.base}{path}", json=body) as answer:
        pieces = answer.iter_raw()  # of the one that is killed; held, or the connection is closed
        next(pieces)
        os.kill(old[1], signal.SIGCONT)
        assert "toolwire_inflight_requests 1.0" in http.get(f"{process.base}/metrics").text
        os.kill(old[0], signal.SIGKILL)
    (line,) = process.lines("worker")
    assert (line["type"], line["pid"], line["status"]) == ("died", old[0], -signal.SIGKILL)
    new = _until_two(process)
    assert old[1] in new and old[0] not in new
    os.kill(old[1], signal.SIGSTOP)
    try:
        assert ask(process, "up/agent").status_code == 200, "the new one serves"
    finally:
        os.kill(old[1], signal.SIGCONT)


def _until_two(process: Process) -> list[int]:
    while len(children := process.children()) < 2:
        os.sched_yield()
    return children


def _one_scrape_sums_all(process: Process, count: int) -> None:
    process.lines("request", count + 1)
    metrics = http.get(f"{process.base}/metrics").text
    assert f'toolwire_requests_total{{endpoint="chat",model="other",status="200"}} {count}.0' in metrics
    assert "toolwire_inflight_requests 0.0" in metrics
    assert metrics.count("toolwire_build_info{") == 1


@LINUX
def test_workers_end_with_their_supervisor(tmp_path: Path) -> None:
    with Process("--config", config(tmp_path, "http://127.0.0.1:1"), "--workers", "2", cwd=tmp_path) as process:
        assert ask(process, "nobody").status_code == 404
        process.popen.kill()
        process.ended()
        assert asyncio.run(refused(process.port)), "nobody listens any more"
