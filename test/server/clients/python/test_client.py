"""What Python's client promises beyond the shared cases."""

from __future__ import annotations

import asyncio
import gc
import io
import itertools
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import tempfile
import time
import unittest
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, closing
from typing import Any

from cases import SERVER

import chunksmith
from chunksmith import AsyncChunksmith, Chunk, Chunksmith, ChunksmithError, StreamLine

SECURE = os.environ.get("CHUNKSMITH_SECURE", "")
# More than all buffers between the client and the chunks take.
MAX_WAITING = 24_000_000
DOCUMENT = {"text": "One 👍🏽 document. " * 600}
DOCUMENT_BYTES = len(DOCUMENT["text"].encode())


def kept(client: Chunksmith | AsyncChunksmith) -> list[Any]:
    """The open connections of a client that wait for another request."""
    transports: Any = [*client._sender.pool._transports.values()]
    return [one for transport in transports for one in transport._pool.connections if one.is_idle()]


class Counted:
    """Documents, which knows how many of it were taken."""

    def __init__(self, most: int, document: dict[str, str] = DOCUMENT) -> None:
        self.most = most
        self.taken = 0
        self._document = document

    def __iter__(self) -> Iterator[dict[str, str]]:
        while self.taken < self.most:
            self.taken += 1
            yield self._document


class Sync(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Chunksmith(SERVER)
        self.addCleanup(self.client.close)

    def test_a_stream_of_thousands_takes_no_more_than_it_answers(self) -> None:
        documents, waiting = Counted(3000), []
        self.assertGreater(documents.most * DOCUMENT_BYTES, 1.5 * MAX_WAITING)
        for line in self.client.stream("token", documents, chunk_size=500, include=[]):
            waiting.append(documents.taken - line.index)
        self.assertEqual((len(waiting), documents.taken), (3000, 3000))
        self.assertLess(max(waiting) * DOCUMENT_BYTES, MAX_WAITING)

    def test_the_first_answer_needs_few_documents(self) -> None:
        for text in ("a", "a" * 100_000):
            documents = Counted(1000, {"text": text})
            with closing(self.client.stream("token", documents, chunk_size=1000)) as lines:
                next(lines)
                self.assertLessEqual(documents.taken * len(text), max(16, len(text)))

    def test_who_waits_long_for_a_document_gets_the_answers_to_those_before(self) -> None:
        taken = 0

        def slow() -> Iterator[dict[str, str]]:
            nonlocal taken
            for taken in range(1, 6):
                time.sleep(0.06)
                yield {"text": "a"}

        waiting = [taken - line.index for line in self.client.stream("token", slow())]
        self.assertLessEqual(max(waiting), 2)

    def test_an_asynchronous_source_is_for_the_asynchronous_client(self) -> None:
        async def source() -> AsyncIterator[dict[str, str]]:
            yield {"text": "a"}

        with self.assertRaisesRegex(TypeError, "not iterable"):
            self.client.stream("token", source())  # type: ignore[arg-type]

    def test_it_can_be_used_where_an_event_loop_runs(self) -> None:
        async def main() -> None:
            lines = self.client.stream("token", itertools.repeat(DOCUMENT))
            self.assertEqual([next(lines).index, next(lines).index], [0, 1])
            del lines
            gc.collect()
            self.assertEqual(len([*self.client.stream("token", [DOCUMENT] * 50)]), 50)

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            asyncio.run(main())
        self.assertEqual([str(one.message) for one in caught], [])

    def test_documents_are_taken_in_the_thread_of_the_caller(self) -> None:
        with closing(sqlite3.connect(":memory:")) as database:
            rows = database.execute("select 'a' union all select 'b'")
            lines = list(self.client.stream("token", ({"text": text} for (text,) in rows)))
        self.assertEqual([line.chunks[0].text for line in lines], ["a", "b"])

    def test_what_the_source_of_a_stream_raises_comes_through(self) -> None:
        def failing() -> Iterator[dict[str, str]]:
            yield {"text": "a"}
            raise OSError("no such file")

        with self.assertRaisesRegex(OSError, "no such file"):
            list(self.client.stream("token", failing()))
        self.assertEqual(self.client.health().status, "ok")

    def test_connections_are_kept_and_one_that_was_closed_is_not_used(self) -> None:
        for _ in range(3):
            self.client.health()
        self.assertEqual(len(kept(self.client)), 1)
        pool: Any = self.client._sender.pool
        [connection] = pool._sockets
        connection.shutdown(socket.SHUT_RDWR)
        self.assertEqual(self.client.with_options(max_retries=0).health().status, "ok")

    def test_waiting_for_a_job_may_be_longer_than_the_timeout(self) -> None:
        steps = [{"type": "chunk", "chunker": "token", "config": {}}]
        job = self.client.jobs.create({"documents": [{"text": "a"}]}, steps=steps)
        states = []
        done = self.client.with_options(timeout=0.2).jobs.wait(job.id, lambda job: states.append(job.state))
        self.assertEqual((done.state, states[-1]), ("done", "done"))

    def test_nothing_is_left_open(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with Chunksmith(SERVER) as client:
                next(client.stream("token", itertools.repeat(DOCUMENT)))
                client.health()
            gc.collect()
        self.assertEqual([str(one.message) for one in caught], [])

    def test_a_file_is_a_path_bytes_or_an_open_file(self) -> None:
        if not any(one.kind == "reader" and one.available for one in self.client.plugins()):
            self.skipTest("there is no reader")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'thé "1".md')
            path.write_text("# Thé\n\nUn peu de lait.\n", "utf-8")
            ask = self.client.with_options(max_retries=0).chunk_file
            expected = ask("token", path, chunk_size=10)
            with path.open("rb") as opened:
                files: list[Any] = [str(path), path.read_bytes(), opened, io.BytesIO(path.read_bytes())]
                # Without a name, which is the id of the document.
                nameless = ask("token", path.read_bytes(), chunk_size=10)
                self.assertEqual([one.text for one in nameless], [one.text for one in expected])
                for file in files:
                    self.assertEqual(ask("token", file, name=path.name, chunk_size=10), expected)
            with path.open() as text, self.assertRaisesRegex(TypeError, "mode 'rb'"):
                ask("token", text)  # type: ignore[arg-type]

    def test_what_cannot_be_sent_is_said_before_it_is(self) -> None:
        with self.assertRaisesRegex(TypeError, "one of these alone"):
            self.client.chunk("token")  # type: ignore[call-overload]
        with self.assertRaisesRegex(TypeError, "one of these alone"):
            self.client.chunk("token", "a", documents=[])
        with self.assertRaisesRegex(ValueError, "line break"):
            self.client.with_options(headers={"x-a": "b\r\nx-c: d"}).health()
        for url in ["localhost:8000", "ftp://localhost", "http://", "http://a:b@localhost", "http://localhost?a"]:
            with self.assertRaisesRegex(ValueError, "base_url"):
                Chunksmith(url)

    def test_a_number_that_json_has_not_is_refused_with_its_place(self) -> None:
        document = {"text": "Tea", "metadata": {"a": [1, float("inf")]}}
        with Chunksmith(SERVER) as client:
            with self.assertRaisesRegex(ValueError, r"^documents\[0\]\.metadata\.a\[1\]: JSON has no inf;"):
                client.chunk("token", documents=[document])
            with self.assertRaisesRegex(ValueError, r"^\[1\]\.metadata\.a\[1\]: JSON has no inf;"):
                list(client.stream("token", [{"text": "Tea"}, document]))

    def test_halves_of_surrogate_pairs_are_sent(self) -> None:
        text = "a\ud800é"
        self.assertEqual("".join(one.text for one in self.client.chunk("token", text, chunk_size=1)), text)

    def test_nobody_there_is_an_error_that_says_so(self) -> None:
        with Chunksmith("http://127.0.0.1:1", max_retries=1) as client, self.assertRaises(ChunksmithError) as caught:
            client.health()
        self.assertEqual((caught.exception.code, caught.exception.status), ("unreachable", None))
        self.assertIn("http://127.0.0.1:1 cannot be reached", str(caught.exception))

    @unittest.skipUnless(SECURE, "there is no openssl")
    def test_it_speaks_https(self) -> None:
        text = str(DOCUMENT["text"]) * 300
        with Chunksmith(SECURE) as client:
            chunks = client.chunk("token", text, chunk_size=100_000)
            self.assertTrue(all(text[one.start_index : one.end_index] == one.text for one in chunks))
            lines = list(client.stream("token", Counted(300), chunk_size=500))
        self.assertEqual(len(lines), 300)

        async def ask() -> list[Chunk]:
            async with AsyncChunksmith(SECURE) as client:
                return await client.chunk("token", text, chunk_size=100_000)

        self.assertEqual(asyncio.run(ask()), chunks)


class Async(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.client = AsyncChunksmith(SERVER)
        self.addAsyncCleanup(self.client.close)

    async def test_who_does_not_read_is_sent_no_more(self) -> None:
        documents = Counted(4 * MAX_WAITING // DOCUMENT_BYTES)
        async with aclosing(self.client.stream("token", documents, chunk_size=500)) as lines:
            await anext(lines)
            before = -1
            while documents.taken != before:
                before = documents.taken
                await asyncio.sleep(0.2)
        self.assertLess(documents.taken * DOCUMENT_BYTES, MAX_WAITING)

    async def test_answers_come_while_the_source_waits_for_them(self) -> None:
        answered = asyncio.Event()

        async def source() -> AsyncIterator[dict[str, str]]:
            yield {"text": "a"}
            # Longer than the timeout, which is not for the time that the source takes.
            await asyncio.sleep(0.5)
            await answered.wait()
            yield {"text": "b"}

        client = self.client.with_options(timeout=0.25)
        texts = []
        async for line in client.stream("token", source()):
            texts.append(line.chunks[0].text)
            answered.set()
        self.assertEqual(texts, ["a", "b"])

    async def test_what_the_source_of_a_stream_raises_comes_through(self) -> None:
        async def failing() -> AsyncIterator[dict[str, str]]:
            yield {"text": "a"}
            raise OSError("no such file")

        with self.assertRaisesRegex(OSError, "no such file"):
            async for _ in self.client.stream("token", failing()):
                pass

    async def test_a_task_that_is_cancelled_ends_its_stream(self) -> None:
        async def read() -> None:
            async for _ in self.client.stream("token", itertools.repeat(DOCUMENT)):
                begun.set()

        begun = asyncio.Event()
        task = asyncio.ensure_future(read())
        await begun.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.05)
        transports: Any = [*self.client._sender.pool._transports.values()]
        connections = [one for transport in transports for one in transport._pool.connections]
        self.assertEqual([one for one in connections if not one.is_idle()], [])

    def test_a_client_can_be_used_in_one_loop_after_the_other(self) -> None:
        with warnings.catch_warnings():
            # Of connections in a loop that has ended.
            warnings.simplefilter("ignore", ResourceWarning)
            client = AsyncChunksmith(SERVER)
            for _ in range(2):
                self.assertEqual(asyncio.run(client.health()).status, "ok")
            asyncio.run(client.close())
            del client
            gc.collect()


class Records(unittest.TestCase):
    def test_nothing_is_lost(self) -> None:
        given = {"text": "a", "start_index": 0, "end_index": 1, "token_count": 1, "context": None, "new_field": [1]}
        chunk = Chunk.from_dict(given)
        self.assertEqual(chunk.to_dict(), given)
        self.assertEqual((chunk.context, chunk.extra["new_field"]), (None, [1]))
        line = {"index": 1, "error": {"status": 400, "detail": "no", "code": "x"}, "more": 1}
        self.assertEqual(StreamLine.from_dict(line).to_dict(), line)
        self.assertEqual(
            repr(chunk), "Chunk(context=None, new_field=[1], text='a', start_index=0, end_index=1, token_count=1)"
        )

    def test_vectors_are_numbers_however_they_are_sent(self) -> None:
        with Chunksmith(SERVER) as client:
            if not client.models():
                self.skipTest("there is no embedding model")
            vectors = [client.embed("tea", encoding=encoding).vectors[0] for encoding in ("float", "base64")]
        for one, other in zip(*vectors):
            self.assertAlmostEqual(one, other, places=6)

    def test_versions_agree(self) -> None:
        package = pathlib.Path(chunksmith.__file__).parents[4] / "package.json"
        self.assertEqual(chunksmith.__version__, json.loads(package.read_text("utf-8"))["version"])


class Collection(dict[str, Any]):
    """A collection of Chroma, and the client that has it."""

    def get_or_create_collection(self, name: str, metadata: dict[str, str]) -> Collection:
        return self

    def upsert(self, **columns: list[Any]) -> None:
        rows = [dict(zip(columns, row)) for row in zip(*columns.values(), strict=True)]
        self.update({row["ids"]: row for row in rows})

    def get(self, *, where: dict[str, str], include: list[str]) -> dict[str, list[str]]:  # type: ignore[override]
        own = where["document_id"]
        return {"ids": [id for id, row in self.items() if row["metadatas"]["document_id"] == own]}

    def delete(self, *, ids: list[str]) -> None:
        for id in ids:
            del self[id]


class Recipes(unittest.TestCase):
    def test_what_the_readme_stores_in_chroma_is_what_documents_have_now(self) -> None:
        page = (pathlib.Path(chunksmith.__file__).parents[1] / "README.md").read_text("utf-8")
        [recipe] = [one for one in re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S) if "def store(" in one]
        names: dict[str, Any] = {}
        exec(recipe, names)
        stored, before = Collection(), set[str]()
        steps = [{"type": "chunk", "chunker": "token", "config": {"chunk_size": 2}}]
        with Chunksmith(SERVER) as client:
            client.pipelines.put("recipe", steps)
            for texts, count, kept in [(["abcd", "x"], 3, 0), (["abcd", "x"], 3, 3), (["ab", ""], 1, 1)]:
                documents = [{"id": str(place), "text": text} for place, text in enumerate(texts)]
                for line in client.pipelines.stream("recipe", documents):
                    names["store"](stored, line)
                self.assertEqual("".join(row["documents"] for row in stored.values()), "".join(texts))
                self.assertEqual((len(stored), len(before & stored.keys())), (count, kept))
                before = set(stored)


class Killed(unittest.TestCase):
    """Last of all, since it ends the server of its own."""

    @unittest.skipUnless("CHUNKSMITH_VICTIM" in os.environ, "there is no server to be killed")
    def test_a_server_that_is_killed_is_an_error(self) -> None:
        url, pid = os.environ["CHUNKSMITH_VICTIM"].split()
        with Chunksmith(url, max_retries=0) as client, self.assertRaises(ChunksmithError) as caught:
            for line in client.stream("token", itertools.repeat(DOCUMENT)):
                if line.index == 20:
                    os.kill(int(pid), signal.SIGKILL)
        # Cut off, or between two batches.
        self.assertIn(caught.exception.code, ("cut_off", "unreachable"))
        with Chunksmith(url, max_retries=0) as client, self.assertRaises(ChunksmithError) as caught:
            client.health()
        self.assertEqual(caught.exception.code, "unreachable")
