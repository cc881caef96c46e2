"""Requests per second and CPU per request with one worker and with two: `python bench/workers.py [--seconds 4]`.

A canned Chat upstream and the clients are processes of their own on the same machine, so where there are few cores they
take some from the workers: the rate is what this machine gave, the CPU per request (of the workers alone, from /proc)
is what to calculate with. Prints the rows of the table in docs/scaling.md. Linux; under half a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import orjson
import uvloop

TICK = os.sysconf("SC_CLK_TCK")
CLIENTS = 16
EVENTS = 50
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "The weather in a city.", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
ASKED = {"model": "one", "tools": [TOOL], "messages": [
    {"role": "system", "content": "Be brief. " * 40}, {"role": "user", "content": "What is the weather in Rome?"}]}
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'}}
WHOLE = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [{
    "index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [CALL]}, "finish_reason": "tool_calls",
}], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}


def chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return b"data: " + orjson.dumps({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                                     "choices": choices}) + b"\n\n"


STREAM = b"".join([chunk({"role": "assistant", "content": ""}), *[chunk({"content": "hello "})] * EVENTS,
                   chunk({}, "stop"), b"data: [DONE]\n\n"])
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n"
ANSWERS = {
    False: HEAD % (b"application/json", len(orjson.dumps(WHOLE))) + orjson.dumps(WHOLE),
    True: HEAD % (b"text/event-stream", len(STREAM)) + STREAM,
}


async def body_of(reader: asyncio.StreamReader) -> bytes:
    """The next message's body, by content-length or to the last chunk. Raises IncompleteReadError at the end."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if (at := head.find(b"content-length: ")) >= 0:
        return await reader.readexactly(int(head[at + 16 : head.index(b"\r\n", at)]))
    return await reader.readuntil(b"\r\n0\r\n\r\n")


def upstream(ready: Connection) -> None:
    """Answers every request at once, streamed where it asks for that."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(ANSWERS[b'"stream":true' in await body_of(reader)])
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(main())


async def asking(port: int, stream: bool, ends: float, took: list[float]) -> None:
    """One client, one request after the other on one connection."""
    body = orjson.dumps({**ASKED, "stream": stream})
    request = b"POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n" \
              b"content-length: %d\r\n\r\n" % len(body) + body
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    while (began := time.perf_counter()) < ends:
        writer.write(request)
        answer = await body_of(reader)
        if (b"[DONE]" if stream else b'"tool_calls"') not in answer:
            raise SystemExit(f"not an answer: {answer[:300]!r}")
        took.append(time.perf_counter() - began)
    writer.close()


def clients(port: int, stream: bool, seconds: float, told: Connection) -> None:
    async def main() -> list[float]:
        took: list[float] = []
        ends = time.perf_counter() + seconds
        await asyncio.gather(*(asking(port, stream, ends, took) for _ in range(CLIENTS)))
        return took

    told.send(uvloop.run(main()))


def cpu(pids: list[int]) -> float:
    """Seconds of these processes so far."""
    def ticks(pid: int) -> int:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    return sum(map(ticks, pids)) / TICK


def serving(workers: int, port: int, folder: Path) -> tuple[subprocess.Popen[str], int, list[int]]:
    """toolwire over that upstream: the process, its port, and the processes that serve."""
    file = folder / "toolwire.yaml"
    file.write_text(f"server: {{port: 0, workers: {workers}}}\nproviders:\n  up: {{api: openai-chat, base_url: "
                    f"\"http://127.0.0.1:{port}/v1\", api_key: k}}\nmodels: {{one: up/m}}\n")
    command = [sys.executable, "-m", "proxy", "serve", "--config", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return process, int(first.rpartition(":")[2]), [int(pid) for pid in children] or [process.pid]


def measured(port: int, stream: bool, seconds: float, pids: list[int]) -> tuple[float, float, float, float]:
    """Requests per second, CPU ms per request, median and 99th percentile of the time to the last byte in ms."""
    mine, theirs = multiprocessing.Pipe()
    before = cpu(pids)
    load = multiprocessing.Process(target=clients, args=(port, stream, seconds, theirs))
    load.start()
    took: list[float] = mine.recv()
    load.join()
    spent = cpu(pids) - before
    cuts = statistics.quantiles(took, n=100)
    return len(took) / seconds, spent / len(took) * 1000, cuts[49] * 1000, cuts[98] * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each of the four passes")
    seconds = min(parser.parse_args().seconds, 6.0)
    mine, theirs = multiprocessing.Pipe()
    canned = multiprocessing.Process(target=upstream, args=(theirs,), daemon=True)
    canned.start()
    port = mine.recv()
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    print(f"{machine}, {CLIENTS} clients, streams of {EVENTS} events\n")
    print("| workers | answers | requests/s | CPU per request | median | 99 % |\n| --- | --- | --- | --- | --- | --- |")
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            process, own, pids = serving(workers, port, Path(folder))
            try:
                for stream in (False, True):
                    measured(own, stream, 0.5, pids)
                    rate, spent, middle, late = measured(own, stream, seconds, pids)
                    print(f"| {workers} | {'streamed' if stream else 'whole'} | {rate:.0f} | {spent:.2f} ms | "
                          f"{middle:.1f} ms | {late:.1f} ms |", flush=True)
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(20)
    canned.terminate()


if __name__ == "__main__":
    main()
