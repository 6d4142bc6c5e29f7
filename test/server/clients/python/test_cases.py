"""Both clients pass the cases that all clients pass."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import os
import threading
import time
import unittest
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from cases import SERVER, Proxy, Step, arguments, check_answer, check_error, filled, load, plain

from chunksmith import AsyncChunksmith, Chunksmith, ChunksmithError

# A stream is sent in batches.
CASES = [case for case in load() if case.get("batches", True)]
RUNS = itertools.count()
PREFIX = f"python-{os.getpid()}"


@dataclass
class Outcome:
    answer: Any = None
    error: BaseException | None = None
    headers: dict[str, str] = field(default_factory=dict)
    # How many requests the proxy has seen.
    requests: int = 0


def sync_outcome(step: Step, proxy: Proxy, base_url: str) -> Outcome:
    name, positional, named, options = arguments(step)
    outcome = Outcome()
    with Chunksmith(base_url) as client:
        own = client.with_options(on_headers=outcome.headers.update, **options)
        if "abort" in step:
            threading.Thread(target=close_after, args=(client, proxy, step["abort"])).start()
        try:
            answer = attrgetter(name)(own)(*positional, **named)
            if inspect.isgenerator(answer):
                with closing(answer):
                    answer = list(itertools.islice(answer, step.get("take")))
            outcome.answer = plain(answer)
        except ChunksmithError as error:
            outcome.error = error
    return outcome


def close_after(client: Chunksmith, proxy: Proxy, requests: int) -> None:
    while proxy.seen() < requests:
        time.sleep(0.01)
    client.close()


async def async_outcome(step: Step, proxy: Proxy, base_url: str) -> Outcome:
    outcome = Outcome()
    asked = asyncio.ensure_future(ask(step, base_url, outcome))
    while proxy.seen() < step.get("abort", 0):
        await asyncio.sleep(0.01)
    if "abort" in step:
        asked.cancel()
    try:
        outcome.answer = plain(await asked)
    except (ChunksmithError, asyncio.CancelledError) as error:
        outcome.error = error
    return outcome


async def ask(step: Step, base_url: str, outcome: Outcome) -> Any:
    name, positional, named, options = arguments(step)
    async with AsyncChunksmith(base_url) as client:
        own = client.with_options(on_headers=outcome.headers.update, **options)
        answer = attrgetter(name)(own)(*positional, **named)
        if not inspect.isasyncgen(answer):
            return await answer
        async with aclosing(answer):
            return [one async for one in taken(answer, step.get("take"))]


async def taken(lines: AsyncIterator[Any], most: int | None) -> AsyncIterator[Any]:
    count = 0
    async for line in lines:
        yield line
        count += 1
        if count == most:
            return


def perform(case: dict[str, Any]) -> dict[bool, list[tuple[Step, Outcome]]]:
    """Does the steps of a case with the synchronous and then with the asynchronous client."""
    done: dict[bool, list[tuple[Step, Outcome]]] = {False: [], True: []}
    for is_async, outcomes in done.items():
        saved: dict[str, Any] = {}
        for asked in case["steps"]:
            step = filled(asked, saved)
            proxy = Proxy(f"{PREFIX}-{next(RUNS)}", step)
            base_url = proxy.url if "proxy" in step else SERVER
            run = (step, proxy, base_url)
            outcome = asyncio.run(async_outcome(*run)) if is_async else sync_outcome(*run)
            outcome.requests = proxy.seen()
            outcomes.append((step, outcome))
            if "save" in step:
                saved[step["save"]] = outcome.answer
    return done


class Cases(unittest.TestCase):
    plugins: set[str]
    outcomes: dict[str, Future[dict[bool, list[tuple[Step, Outcome]]]]]

    @classmethod
    def setUpClass(cls) -> None:
        with Chunksmith(SERVER) as client:
            cls.plugins = {f"{plugin.kind}/{plugin.name}" for plugin in client.plugins()}
        # Most of the time they wait for retries and jobs.
        pool = ThreadPoolExecutor(8)
        cls.outcomes = {case["name"]: pool.submit(perform, case) for case in CASES if not cls.missing(case)}
        cls.addClassCleanup(pool.shutdown)

    @classmethod
    def missing(cls, case: dict[str, Any]) -> set[str]:
        return set(case["needs"]) - cls.plugins

    def check_case(self, case: dict[str, Any], is_async: bool) -> None:
        if missing := self.missing(case):
            self.skipTest(f"without {missing}")
        for step, outcome in self.outcomes[case["name"]].result()[is_async]:
            with self.subTest(step["call"]):
                self.check(step, outcome)

    def check(self, step: Step, outcome: Outcome) -> None:
        if "requests" in step:
            self.assertEqual(outcome.requests, step["requests"], "requests")
        if "abort" in step:
            is_closed = isinstance(outcome.error, ChunksmithError) and outcome.error.code == "closed"
            self.assertTrue(is_closed or isinstance(outcome.error, asyncio.CancelledError), outcome.error)
        elif "error" in step:
            check_error(self, step["error"], outcome.error)
        elif outcome.error is not None:
            raise outcome.error
        else:
            check_answer(self, step, outcome.answer, outcome.headers)


def methods() -> Iterator[tuple[str, Any]]:
    for case, (kind, is_async) in itertools.product(CASES, [("sync", False), ("async", True)]):

        def test(self: Cases, case: dict[str, Any] = case, is_async: bool = is_async) -> None:
            self.check_case(case, is_async)

        yield f"test {case['name']}, {kind}", test


for name, method in methods():
    setattr(Cases, name, method)
