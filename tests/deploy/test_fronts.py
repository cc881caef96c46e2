"""What passes a real nginx and a real Envoy with the configurations of deploy/, and what a drain behind them loses."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from proxy.emulate import Emulation
from tests.deploy.fronts import FRONTS, fronted
from tests.deploy.tools import steady_port, until
from tests.proxy.process import Process
from tests.serving import Served

CHAT = "/v1/chat/completions"


@pytest.fixture(scope="module", params=FRONTS)
def front(request: pytest.FixtureRequest, proxied: Served, tmp_path_factory: pytest.TempPathFactory
          ) -> Iterator[httpx2.Client]:
    with fronted(request.param, tmp_path_factory.mktemp(request.param), [proxied.port]) as client:
        until(lambda: True if client.get("/readyz").status_code == 200 else None, "the front knows the proxy")
        yield client


def body(model: str, **more: object) -> dict[str, object]:
    return {"model": model, "messages": [{"role": "user", "content": "Hello"}], **more}


def test_pieces_of_a_stream_arrive_while_it_still_runs(front: httpx2.Client):
    """The upstream says something and then nothing more for good: a buffer would keep what it said."""
    with front.stream("POST", CHAT, json=body("openai-chat/fault-stall", stream=True)) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        first = next(answer.iter_lines())
    assert first.startswith("data: {")


def test_a_whole_answer_and_its_headers_pass(front: httpx2.Client):
    answer = front.post(CHAT, json=body("claude"))
    assert (answer.status_code, answer.headers["x-toolwire-target"]) == (200, "anthropic-messages/agent")


def test_the_proxys_own_error_passes(front: httpx2.Client):
    answer = front.post(CHAT, json=body("openai-chat/fault-context"))
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "context_length_exceeded")


def test_metrics_are_for_the_operator(front: httpx2.Client):
    """Written in any way that toolwire takes. nginx lets this host see them, so here its rule is another."""
    for path in ("/metrics", "/metrics/", "//metrics", "/%6Detrics", "/healthz/%2E%2E/metrics"):
        url = httpx2.URL(scheme="https", host="127.0.0.1", port=front.base_url.port, raw_path=path.encode())
        assert front.get(url).status_code == 403, path


def test_a_body_near_the_limit_passes(front: httpx2.Client):
    text = "x" * (20 << 20)
    answer = front.post(CHAT, json={"model": "nobody", "messages": [{"role": "user", "content": text}]})
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found_error")


# --- a rolling restart -----------------------------------------------------------------------------------------------


class Asking:
    """A client that asks without a pause."""

    def __init__(self, client: httpx2.Client) -> None:
        self._client = client
        self._over = threading.Event()
        self.lost: list[str] = []
        self.answered = 0
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        while not self._over.is_set():
            answer = self._client.post(CHAT, json=body("up/agent"))
            if answer.status_code == 200:
                self.answered += 1
            else:
                self.lost.append(f"{answer.status_code} {answer.text[:200]}")

    def __enter__(self) -> Asking:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(20)


def more(askings: list[Asking]) -> None:
    """Waits until each has five more answers."""
    wanted = [asking.answered + 5 for asking in askings]
    until(lambda: True if all(a.answered >= w or a.lost for a, w in zip(askings, wanted, strict=True)) else None,
          "five answers more")


def stream(client: httpx2.Client, began: threading.Barrier) -> str:
    """The last line of a stream that has begun before what the barrier waits for."""
    with client.stream("POST", CHAT, json=body("up/slow-150", stream=True)) as answer:
        lines = answer.iter_lines()
        next(lines)
        began.wait(20)
        return [line for line in lines if line][-1]


def serving(folder: Path, url: str, port: int) -> Process:
    file = folder / "toolwire.yaml"
    file.write_text(f"providers:\n  up: {{api: openai-chat, base_url: \"{url}\", api_key: up-key}}\n")
    return Process("--config", str(file), "--port", str(port), cwd=folder).__enter__()


def test_a_rolling_restart_loses_nothing(emulated: Emulation, tmp_path: Path):
    """Running streams end as they should, and every request is answered, while one replica after the other drains:
    both replicas behind both fronts."""
    url, ports = emulated.base_url("openai-chat"), (steady_port(), steady_port())
    with ExitStack() as stack, ThreadPoolExecutor(8) as pool:
        first, second = pool.map(lambda port: serving(tmp_path, url, port), ports)
        stack.callback(lambda: [replica.__exit__(None, None, None) for replica in (first, second)])
        folders = {name: tmp_path / name for name in FRONTS}
        for folder in folders.values():
            folder.mkdir()
        clients = [stack.enter_context(fronted(name, folder, ports)) for name, folder in folders.items()]
        askings = [stack.enter_context(Asking(client)) for client in clients]
        until(lambda: True if first.told and second.told else None, "both are asked")
        began = threading.Barrier(9)
        streams = [pool.submit(stream, client, began) for client in clients for _ in range(4)]
        began.wait(20)
        first.signal(signal.SIGTERM)
        assert [done.result(20) for done in streams] == ["data: [DONE]"] * 8
        assert first.ended() == 0
        assert any(line["stream"] and line["type"] == "ok" for line in first.lines("request"))
        more(askings)
        first = serving(tmp_path, url, ports[0])
        until(lambda: True if len(first.told) > 10 else None, "the new one is asked")
        second.signal(signal.SIGTERM)
        assert second.ended() == 0
        more(askings)
        assert [asking.lost for asking in askings] == [[], []]
