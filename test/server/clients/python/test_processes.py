"""A client may be used in threads, in tasks and in processes, however these have come about."""

from __future__ import annotations

import asyncio
import functools
import gc
import itertools
import multiprocessing
import os
import pickle
import signal
import threading
import unittest
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from cases import SERVER
from test_client import SECURE, kept

from chunksmith import AsyncChunksmith, Chunk, Chunksmith, ChunksmithError

# How many each way of sharing out work is tried with.
REQUESTS = int(os.environ.get("CHUNKSMITH_REQUESTS", "60"))
CAN_FORK = unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")


def text_of(number: int) -> str:
    return f"document {number}"


def ask(client: Chunksmith, number: int) -> str:
    return "".join(one.text for one in client.chunk("token", text_of(number), chunk_size=5))


async def ask_async(client: AsyncChunksmith, number: int) -> str:
    return "".join([one.text for one in await client.chunk("token", text_of(number), chunk_size=5)])


def ask_wrongly(client: Chunksmith, size: int) -> list[Chunk]:
    return client.chunk("token", "a", chunk_size=size)


def forked(work: Callable[[], Any]) -> Callable[[], str]:
    """Does the work in a process that is forked now. What is returned waits for what it has come to."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        # What waits for ever ends without an answer.
        signal.alarm(20)
        try:
            answer = str(work())
        except BaseException as error:
            answer = f"{getattr(error, 'code', type(error).__name__)}: {error}"
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)

    def wait() -> str:
        with open(reading, "rb") as pipe:
            answer = pipe.read().decode()
        os.waitpid(pid, 0)
        return answer

    return wait


@CAN_FORK
class Forks(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Chunksmith(SERVER, timeout=10)
        self.addCleanup(self.client.close)

    def check_rounds(self, client: Chunksmith, rounds: int) -> None:
        for number in range(0, 5 * rounds, 5):
            client.health()
            self.assertEqual(len(kept(client)), 1)
            children = [forked(functools.partial(ask, client, number + child)) for child in range(4)]
            answers = [ask(client, number + 4), *(wait() for wait in children)]
            self.assertEqual(answers, [text_of(number + place) for place in (4, 0, 1, 2, 3)])

    def test_no_process_gets_the_answer_of_another(self) -> None:
        self.check_rounds(self.client, 60)

    @unittest.skipUnless(SECURE, "there is no openssl")
    def test_nor_by_https(self) -> None:
        with Chunksmith(SECURE, timeout=10) as client:
            self.check_rounds(client, 5)

    def test_connections_of_the_parent_are_closed_in_the_child_alone(self) -> None:
        self.client.health()
        pool: Any = self.client._sender.pool
        [connection] = pool._sockets
        descriptor = connection.fileno()
        self.assertRegex(forked(lambda: os.fstat(descriptor))(), "^OSError")
        self.assertEqual(self.client.with_options(max_retries=0).health().status, "ok")
        self.assertEqual(connection.fileno(), descriptor)

    def test_closing_the_client_of_a_child_ends_nothing_in_the_parent(self) -> None:
        documents = [{"text": text_of(number)} for number in range(50)]
        lines = self.client.stream("token", documents)
        texts = [next(lines).chunks[0].text]
        self.assertEqual(forked(self.client.close)(), "None")
        texts += [line.chunks[0].text for line in lines]
        self.assertEqual(texts, [one["text"] for one in documents])
        self.assertEqual(self.client.health().status, "ok")

    def test_a_client_that_was_closed_is_closed_in_the_child(self) -> None:
        self.client.close()
        self.assertRegex(forked(self.client.health)(), "^closed: The client was closed")

    def test_a_stream_that_is_half_read_goes_on_in_the_parent_alone(self) -> None:
        # Of the answers to the first documents, more than one has come when the first is read.
        for taken, documents in [(1, 3), (1, 3000), (1000, 3000)]:
            lines: Any = self.client.stream("token", ({"text": text_of(number)} for number in range(documents)))
            texts = [line.chunks[0].text for line in itertools.islice(lines, taken)]
            self.assertRegex(forked(lambda: [*lines])(), "^closed: The process that made this request", f"{documents}")
            self.assertEqual(forked(lambda: (lines.close(), ask(self.client, 1)))(), f"(None, '{text_of(1)}')")
            texts += [line.chunks[0].text for line in lines]
            self.assertEqual(texts, [text_of(number) for number in range(documents)])

    def test_locks_that_another_thread_holds_do_not_stay_locked(self) -> None:
        def ask_and_close() -> str:
            lines.close()
            answer = ask(self.client, 1)
            self.client.close()
            return answer

        lines = self.client.stream("token", itertools.repeat({"text": "a"}))
        next(lines)
        self.addCleanup(lines.close)

        pool: Any = self.client._sender.pool
        self.client.health()
        connections = pool._transports[True]._pool
        for lock in (connections._optional_thread_lock, pool._closing._cond):
            is_held, is_over = threading.Event(), threading.Event()

            def hold() -> None:
                with lock:
                    is_held.set()
                    is_over.wait()

            thread = threading.Thread(target=hold)
            thread.start()
            is_held.wait()
            wait = forked(ask_and_close)
            is_over.set()
            thread.join()
            self.assertEqual(wait(), text_of(1))

    def test_threads_and_their_children_ask_at_once(self) -> None:
        def ask_and_fork(number: int) -> list[str]:
            wait = forked(functools.partial(ask, self.client, number))
            return [ask(self.client, -number), wait()]

        with ThreadPoolExecutor(8) as pool:
            answers = [*pool.map(ask_and_fork, range(100))]
        self.assertEqual(answers, [[text_of(-number), text_of(number)] for number in range(100)])

    def test_asynchronous_clients_do_not_share_connections_either(self) -> None:
        async def main() -> None:
            async with AsyncChunksmith(SERVER, timeout=5, max_retries=0) as client:
                for number in range(5):
                    await client.health()
                    self.assertEqual(len(kept(client)), 1)
                    children = [
                        forked(lambda: asyncio.run(ask_async(client, number))),
                        forked(lambda: asyncio.run(client.close())),
                        forked(lambda: len(kept(client))),
                    ]
                    answers = [wait() for wait in children]
                    self.assertEqual(answers, [text_of(number), "None", "0"])
                    # The child has closed its loop and what it had inherited, and the parent still hears its answers.
                    self.assertEqual(await ask_async(client, number + 1), text_of(number + 1))
                    self.assertEqual(len(kept(client)), 1)

        asyncio.run(main())


class Settings(Chunksmith):
    """A client that has something of its own."""

    own = 0


class Pickles(unittest.TestCase):
    def test_a_client_travels_with_all_its_settings_and_without_connections(self) -> None:
        made = Settings(f"{SERVER}/", api_key="k", timeout=7, max_retries=2, headers={"X-A": "b"})
        self.addCleanup(made.close)
        made.own = 1
        made.health()
        other: Any = made.with_options(timeout=8, headers={"x-c": "d"}, on_headers=len)
        for client in (made, other, made.asynchronous()):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                other = pickle.loads(pickle.dumps(client, protocol))
                self.assertIs(type(other), type(client))
                self.assertEqual(other._sender.settings, client._sender.settings)
                self.assertEqual(other._sender.pool.url, client._sender.pool.url)
                self.assertEqual(kept(other), [])
                self.assertEqual(vars(other).keys(), vars(client).keys())
        self.assertEqual(pickle.loads(pickle.dumps(made)).own, 1)
        self.assertEqual(pickle.loads(pickle.dumps(made.pipelines)).list(name="no such"), [])

    def test_what_came_by_pickle_leaves_nothing_open(self) -> None:
        with Chunksmith(SERVER) as client, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            copy = pickle.loads(pickle.dumps(client))
            copy.health()
            [connection] = copy._sender.pool._sockets
            descriptor = connection.fileno()
            del connection
            del copy
            gc.collect()
            self.assertRaises(OSError, os.fstat, descriptor)
        self.assertEqual([str(one.message) for one in caught], [])

    def test_an_error_travels_with_all_that_it_says(self) -> None:
        with Chunksmith(SERVER) as client, self.assertRaises(ChunksmithError) as caught:
            client.chunk("token", "a", chunk_sise=1)
        waits = ChunksmithError("later", code="refused", status=429, request_id="r", problems=["p"], retry_after=2.0)
        for error in (caught.exception, waits):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                other = pickle.loads(pickle.dumps(error, protocol))
                self.assertIs(type(other), ChunksmithError)
                self.assertEqual((str(other), other.args, vars(other)), (str(error), error.args, vars(error)))

    def test_answers_travel(self) -> None:
        with Chunksmith(SERVER) as client:
            answers: list[Any] = [client.chunk("token", "a"), client.info(), *client.stream("token", [{"text": "a"}])]
        self.assertEqual(pickle.loads(pickle.dumps(answers)), answers)


class Shared(unittest.TestCase):
    """One client, with which requests were made before, in all that shares out work."""

    def setUp(self) -> None:
        self.client = Chunksmith(SERVER, timeout=20)
        self.addCleanup(self.client.close)
        self.client.health()
        self.ask = functools.partial(ask, self.client)

    def check(self, answers: Iterable[str]) -> None:
        self.assertEqual([*answers], [text_of(number) for number in range(REQUESTS)])

    def check_executor(self, executor: Executor) -> None:
        with executor:
            self.check(executor.map(self.ask, range(REQUESTS), chunksize=5))
            with self.assertRaisesRegex(ChunksmithError, "chunk_size"):
                executor.submit(ask_wrongly, self.client, 0).result(60)

    def check_pool(self, method: str) -> None:
        with multiprocessing.get_context(method).Pool(4) as pool:
            self.check(pool.map(self.ask, range(REQUESTS)))
            # It ends at the first error, which once could not be read there.
            with self.assertRaisesRegex(ChunksmithError, "chunk_size") as caught:
                pool.map_async(functools.partial(ask_wrongly, self.client), range(5)).get(60)
        self.assertEqual((caught.exception.code, caught.exception.status), ("refused", 400))

    @CAN_FORK
    def test_in_multiprocessing_with_fork(self) -> None:
        self.check_pool("fork")

    def test_in_multiprocessing_with_spawn(self) -> None:
        self.check_pool("spawn")

    @CAN_FORK
    def test_in_multiprocessing_with_a_server_of_forks(self) -> None:
        self.check_pool("forkserver")

    def test_in_an_executor_of_processes(self) -> None:
        self.check_executor(ProcessPoolExecutor(4))

    def test_in_an_executor_of_threads(self) -> None:
        self.check_executor(ThreadPoolExecutor(8))

    def test_in_tasks(self) -> None:
        async def main() -> list[str]:
            async with self.client.asynchronous() as client:
                waiting = asyncio.Semaphore(50)

                async def one(number: int) -> str:
                    async with waiting:
                        return await ask_async(client, number)

                answers = await asyncio.gather(*(one(number) for number in range(REQUESTS)))
                self.assertLessEqual(len(kept(client)), 16)
                return answers

        self.check(asyncio.run(main()))

    def test_in_loops_of_several_threads(self) -> None:
        client = self.client.asynchronous()

        async def some(numbers: Iterable[int]) -> list[str]:
            answers = [await ask_async(client, number) for number in numbers]
            # Each loop has kept one connection for all, which no other has taken or closed.
            pool: Any = client._sender.pool
            transport = pool._transports[asyncio.get_running_loop(), True]
            self.assertEqual(len(transport._pool.connections), 1)
            await transport.aclose()
            return answers

        with ThreadPoolExecutor(4) as pool:
            parts = [*pool.map(lambda place: asyncio.run(some(range(place, REQUESTS, 4))), range(4))]
        self.check(parts[number % 4][number // 4] for number in range(REQUESTS))

    @unittest.skipUnless(find_spec("datasets"), "datasets is not installed")
    def test_in_a_map_of_datasets(self) -> None:
        datasets = import_module("datasets")
        datasets.disable_progress_bars()
        rows = datasets.Dataset.from_dict({"number": [*range(REQUESTS)]})
        self.check(rows.map(lambda row: {"text": self.ask(row["number"])}, num_proc=2)["text"])

    @unittest.skipUnless(find_spec("ray"), "ray is not installed")
    def test_in_tasks_of_ray(self) -> None:
        ray = import_module("ray")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        self.addCleanup(ray.shutdown)
        own_ask = self.ask
        remote = ray.remote(lambda number: own_ask(number))
        self.check(ray.get([remote.remote(number) for number in range(REQUESTS)]))
