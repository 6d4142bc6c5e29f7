"""Answers that no service of this version gives, but proxies, other versions and broken ones do."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from chunksmith import AsyncChunksmith, Chunksmith, ChunksmithError

HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"


@contextmanager
def answering(answer: bytes) -> Iterator[Chunksmith]:
    """A client of what reads one request to its end and answers it with these bytes."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            request = b""
            while not is_whole(request):
                request += connection.recv(65536)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve)
        thread.start()
        with Chunksmith(f"http://127.0.0.1:{server.getsockname()[1]}", max_retries=0) as client:
            yield client
        thread.join()


@contextmanager
def trickling() -> Iterator[str]:
    """The URL of what answers with a byte every now and then."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    connection.sendall(HEAD + b"content-length: 1000\r\n\r\n")
                    while True:
                        connection.sendall(b" ")
                        time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def is_whole(request: bytes) -> bool:
    head, end, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    return end != b"" and len(body) >= (0 if length is None else int(length[1]))


class Answers(unittest.TestCase):
    def check_health(self, answer: bytes) -> None:
        with answering(answer) as client:
            self.assertEqual(client.health().to_dict(), {"status": "ok"})

    def test_an_answer_may_come_as_http_lets_it(self) -> None:
        body = b'{"status":"ok"}'
        self.check_health(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n" + body)
        pieces = b'5;a="b"\r\n{"sta\r\nA\r\ntus":"ok"}\r\n0\r\nX-Trailer: 1\r\n\r\n'
        self.check_health(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + pieces)
        self.check_health(HEAD + b"content-LENGTH: 15\r\n\r\n" + body)

    def refused(self, answer: bytes, lines: int = 0) -> ChunksmithError:
        with answering(answer) as client, self.assertRaises(ChunksmithError) as caught:
            if lines == 0:
                client.health()
            for _ in client.stream("token", [{"text": "a"}] * lines):
                pass
        return caught.exception

    def test_what_is_no_answer_of_a_service_is_said(self) -> None:
        for answer in [b"SSH-2.0-x\r\n\r\n", HEAD + b"content-length: x\r\n\r\n", HEAD + b"\r\n[]", HEAD + b"\r\n{}"]:
            error = self.refused(answer)
            self.assertEqual((error.code, error.status), ("invalid_answer", None), answer)
        error = self.refused(b"HTTP/1.1 301 Moved\r\ncontent-length: 0\r\n\r\n")
        self.assertEqual((error.code, error.status), ("invalid_answer", 301))

    def test_what_is_missing_at_the_end_is_said(self) -> None:
        line = b'{"index":0,"chunks":[]}'
        self.assertIn("cut off: the connection", str(self.refused(HEAD + b"content-length: 9\r\n\r\n{}")))
        self.assertIn("the last line has no end", str(self.refused(HEAD + b"\r\n" + line, 1)))
        self.assertIn("1 answers to 2 lines", str(self.refused(HEAD + b"\r\n" + line + b"\n", 2)))
        end = b'\n{"index":1,"error":{"status":503,"detail":"It stops."}}\n'
        error = self.refused(HEAD + b"\r\n" + line + end, 1)
        self.assertEqual((error.code, error.status, error.detail), ("refused", 503, "It stops."))
        error = self.refused(HEAD + b"\r\n" + line + end, 3)
        self.assertRegex(str(error), "2 answers to 3 lines: It stops")

    def test_an_answer_that_trickles_in_has_no_more_time_than_another(self) -> None:
        async def ask(url: str) -> None:
            async with AsyncChunksmith(url, timeout=0.3) as client:
                await client.health()

        with trickling() as url, Chunksmith(url, timeout=0.3) as client:
            for work in (client.health, lambda: asyncio.run(ask(url))):
                begin = time.monotonic()
                with self.assertRaises(ChunksmithError) as caught:
                    work()
                self.assertEqual(caught.exception.code, "timeout")
                self.assertLess(time.monotonic() - begin, 2)

    def test_problems_and_the_time_to_wait_are_read(self) -> None:
        body = b'{"detail":"no","problems":["a","b"]}'
        for header, seconds in [(b"120", 120.0), (b"Mon, 01 Jan 2001 00:00:00 GMT", 0.0), (b"nan", None)]:
            head = b"HTTP/1.1 503 Busy\r\nconnection: close\r\nretry-after: " + header
            error = self.refused(head + b"\r\n\r\n" + body)
            self.assertEqual((error.problems, error.retry_after), (("a", "b"), seconds))
