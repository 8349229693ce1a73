"""Which requests are sent again, and when. The service that answers here follows a script."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from atelier import AsyncAtelier, Atelier, AtelierError, NoAnswerError, transport

BODY = b'{"balance":7}'


class Script:
    """Gives its answers one after the other: bytes as they are, or a status."""

    def __init__(self, answers: list[bytes | int], retry_after: str = "0") -> None:
        self.answers = answers
        self.retry_after = retry_after
        self.seen: list[tuple[float, str, str]] = []
        self.bodies: list[bytes] = []

    def next(self) -> bytes:
        answer = self.answers[len(self.seen) - 1]
        if isinstance(answer, bytes):
            return answer
        head = f"HTTP/1.1 {answer} Said\r\nretry-after: {self.retry_after}\r\n"
        return f"{head}content-length: {len(BODY)}\r\n\r\n".encode() + BODY


@contextmanager
def serving(script: Script, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            script.bodies.append(self.rfile.read(length))
            script.seen.append((time.monotonic(), self.command, self.path))
            self.wfile.write(script.next())
            self.close_connection = True

        do_GET = do_POST = answer

        def log_message(self, format: str, *args: Any) -> None:
            """The tests look at what was seen."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def blocking(url: str, post: bool, retries: int = 5) -> Any:
    client = Atelier(base_url=url, api_key="sk_test_x", retries=retries)
    if post:
        return client.post("/v1/products", {"title": "Shirt", "upload_asset_public_id": "x"})
    return client.get("/v1/credits")


def on_asyncio(url: str, post: bool, retries: int = 5) -> Any:
    async def ask() -> Any:
        client = AsyncAtelier(base_url=url, api_key="sk_test_x", retries=retries)
        if post:
            return await client.post("/v1/products", {"title": "Shirt", "upload_asset_public_id": "x"})
        return await client.get("/v1/credits")

    return asyncio.run(ask())


Asking = Callable[..., Any]
both = pytest.mark.parametrize("asking", [blocking, on_asyncio])

CUT = b""
HALF_A_BODY = b"HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n" + BODY[:6]
HALF_A_CHUNK = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n" + BODY[:6]
NO_LAST_CHUNK = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n" + BODY + b"\r\n"
NO_CHUNK = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nbalance\r\n"
HALF_A_HEAD = b"HTTP/1.1 200 OK\r\nconte"
OTHER_PROTOCOL = b"SSH-2.0-OpenSSH_9.2\r\n\r\n"


@both
@pytest.mark.parametrize(
    ("answers", "post", "sent"),
    [
        ([503, 500, 200], False, 3),
        ([CUT, 502, 200], False, 3),
        ([HALF_A_BODY, 200], False, 2),
        ([HALF_A_CHUNK, 200], False, 2),
        ([NO_LAST_CHUNK, 200], False, 2),
        ([NO_CHUNK, 200], False, 2),
        ([HALF_A_HEAD, 200], False, 2),
        ([OTHER_PROTOCOL, 200], False, 2),
        ([404], False, 1),
        ([429, 200], True, 2),
        ([503], True, 1),
        ([CUT], True, 1),
        ([HALF_A_BODY], True, 1),
    ],
)
def test_is_sent_again_only_if_that_changes_nothing(
    asking: Asking, answers: list[bytes | int], post: bool, sent: int
) -> None:
    script = Script(answers)
    with serving(script) as url:
        if answers[-1] == 200:
            assert asking(url, post) == {"balance": 7}
        elif isinstance(answers[-1], int):
            with pytest.raises(AtelierError) as refused:
                asking(url, post)
            assert (refused.value.status, refused.value.code) == (answers[-1], "UNEXPECTED_ANSWER")
        else:
            with pytest.raises(NoAnswerError):
                asking(url, post)
    assert len(script.seen) == sent
    if post:
        assert script.bodies == [b'{"title": "Shirt", "upload_asset_public_id": "x"}'] * sent


@both
@pytest.mark.parametrize(
    "head",
    [
        "HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{:.6}\r\n7;a=b\r\n{:.0}{}\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n{}",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{}",
    ],
)
def test_reads_each_form_of_an_answer(asking: Asking, head: str) -> None:
    text = BODY.decode()
    rest = text[6:] if "chunked" in head else text
    script = Script([head.format(*([text, "", rest] if "chunked" in head else [text])).encode()])
    with serving(script) as url:
        assert asking(url, False) == {"balance": 7}


@both
def test_says_what_stood_in_place_of_an_answer(asking: Asking) -> None:
    with serving(Script([b"HTTP/1.0 200 OK\r\n\r\n<h1>Log in</h1>"])) as url:
        with pytest.raises(AtelierError, match="answered 200: <h1>Log in"):
            asking(url, False)


@both
def test_waits_as_long_as_the_service_asks(asking: Asking) -> None:
    script = Script([503, 200], retry_after="1")
    with serving(script) as url:
        asking(url, False)
    (first, _, _), (second, _, _) = script.seen
    assert second - first >= 1


@both
def test_waits_until_the_time_that_a_proxy_on_the_way_names(asking: Asking) -> None:
    with serving(Script([503], retry_after=formatdate(time.time() + 3_600, usegmt=True))) as url:
        with pytest.raises(AtelierError) as refused:
            asking(url, False, retries=0)
    assert refused.value.retry_after_seconds is not None
    assert refused.value.retry_after_seconds > 3_590


def test_fills_paths_and_queries_so_that_nothing_leaks_into_another_part() -> None:
    script = Script([200, 200])
    with serving(script) as url:
        client = Atelier(base_url=f"{url}/", api_key="x")
        client.get("/v1/jobs/{public_id}", public_id="../a b?c")
        client.get("/v1/jobs", job_type=["TRY_ON", "LOOK"], created_after="2026-01-31T12:00:00+01:00")
    paths = [path for _, _, path in script.seen]
    assert paths == [
        "/v1/jobs/..%2Fa%20b%3Fc",
        "/v1/jobs?job_type=TRY_ON&job_type=LOOK&created_after=2026-01-31T12%3A00%3A00%2B01%3A00",
    ]


def test_a_key_with_a_line_break_reaches_nobody() -> None:
    script = Script([200, 200])
    with serving(script) as url:
        with pytest.raises(ValueError, match="line break|Invalid header"):
            Atelier(base_url=url, api_key="x\r\nhost: y").get("/v1/credits")
        with pytest.raises(ValueError, match="line break"):
            asyncio.run(AsyncAtelier(base_url=url, api_key="x\r\nhost: y").get("/v1/credits"))
    assert script.seen == []


@both
@pytest.mark.parametrize("name", ["IP:127.0.0.1", "DNS:other.example"])
def test_speaks_tls_only_with_whom_the_certificate_names(
    asking: Asking, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    made = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=test -addext subjectAltName=".split(" ")
    made[-1] += name
    command = ["openssl", *made, "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    monkeypatch.setenv("SSL_CERT_FILE", certificate)
    transport.tls_context.cache_clear()
    script = Script([200])
    with serving(script, tls) as url:
        if name.startswith("IP:"):
            assert asking(url, False) == {"balance": 7}
        else:
            with pytest.raises(NoAnswerError, match="CERTIFICATE_VERIFY_FAILED"):
                asking(url, False, retries=0)
            assert script.seen == []
    transport.tls_context.cache_clear()
