"""Streams: documents are sent in batches, each of which is a request that can be sent again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from ._calls import AnyIterable, Call, refused, to_json
from ._records import ChunksmithError, Job, StreamLine
from ._sending import Reading, Sender

# Most of the first batch, which is small so that the first answer comes soon, and how many times that a batch may have.
_BYTES, _LINES = 1 << 14, 16
_MOST_TIMES = 64
# Seconds that the first line of a batch waits for more.
_LONGEST_WAIT = 0.05


async def stream(sender: Sender, call: Call[StreamLine], items: AnyIterable[Any]) -> AsyncGenerator[StreamLine, None]:
    """Sends items, and yields the answers in their order."""
    async with aclosing(_batches(items)) as batches:
        begin = 0
        async for lines in batches:
            async with aclosing(sender.lines(_Batch(call, lines, begin))) as answers:
                async for answer in answers:
                    yield answer
            begin += len(lines)


class _Batch(Reading[StreamLine]):
    """The answers to some lines. After a failure the lines are sent that have none."""

    can_go_on = True

    def __init__(self, call: Call[StreamLine], lines: list[bytes], begin: int) -> None:
        super().__init__(call)
        self._lines = lines
        self._begin = begin
        self._sent_from = 0
        self._last: StreamLine | None = None

    def call(self) -> Call[StreamLine]:
        self._sent_from = self.count
        return replace(self._call, body=b"".join([self._call.body, *self._lines[self.count :]]))

    def take(self, line: StreamLine) -> StreamLine:
        self._last = line
        place = self._sent_from + line.index
        if line.error is not None and place >= len(self._lines):
            raise refused(line.error)
        return super().take(replace(line, index=self._begin + place))

    def check_end(self) -> None:
        if self.count >= len(self._lines):
            return
        reason = "" if self._last is None or self._last.error is None else f": {self._last.error.detail}"
        count, most = self._begin + self.count, self._begin + len(self._lines)
        detail = f"The service ended the stream after {count} answers to {most} lines{reason}"
        raise ChunksmithError(detail, code="cut_off")


class Watch(Reading[Job]):
    """The states of a job, until it is over."""

    can_go_on = True
    _is_over = False

    def take(self, line: Job) -> Job:
        self._is_over = line.is_over
        return super().take(line)

    def check_end(self) -> None:
        if not self._is_over:
            raise ChunksmithError("The service ended the events before the job was over", code="cut_off")


class _Gathering:
    """The lines of the next batch. Each may have twice as many as the one before."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.count = 0
        self._bytes = 0
        self._since = 0.0
        self._times = 1

    def add(self, item: Any) -> None:
        if not self.lines:
            self._since = time.monotonic()
        line = to_json(item, f"[{self.count}]") + b"\n"
        self.lines.append(line)
        self.count += 1
        self._bytes += len(line)

    def left(self) -> float:
        """Seconds that are waited for another line."""
        return self._since + _LONGEST_WAIT - time.monotonic()

    def is_due(self) -> bool:
        """Whether there are enough lines, or they have waited for long enough."""
        is_large = self._bytes >= _BYTES * self._times or len(self.lines) >= _LINES * self._times
        return is_large or (len(self.lines) > 0 and self.left() <= 0)

    def take(self) -> list[bytes]:
        lines, self.lines = self.lines, []
        self._bytes = 0
        self._times = min(2 * self._times, _MOST_TIMES)
        return lines


async def _batches(items: AnyIterable[Any]) -> AsyncGenerator[list[bytes], None]:
    gathering = _Gathering()
    if isinstance(items, AsyncIterable):
        async with aclosing(_arriving(items, gathering)) as batches:
            async for lines in batches:
                yield lines
    else:
        for item in items:
            gathering.add(item)
            if gathering.is_due():
                yield gathering.take()
    # Options are sent in any case, and so are checked.
    if gathering.lines or gathering.count == 0:
        yield gathering.take()


async def _arriving(items: AsyncIterable[Any], gathering: _Gathering) -> AsyncGenerator[list[bytes], None]:
    """Batches of what a task takes meanwhile. A source that pauses does not keep those waiting that have come."""
    queue: asyncio.Queue[Any] = asyncio.Queue(1)

    async def feed() -> None:
        async for item in items:
            await queue.put(item)

    feeding = asyncio.ensure_future(feed())
    coming = asyncio.ensure_future(queue.get())
    try:
        while coming.done() or not (feeding.done() and queue.empty()):
            if coming.done():
                gathering.add(coming.result())
                coming = asyncio.ensure_future(queue.get())
            else:
                seconds = gathering.left() if gathering.lines else None
                await asyncio.wait([coming, feeding], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if gathering.is_due():
                yield gathering.take()
        # Raises what the source has raised.
        await feeding
    finally:
        feeding.cancel()
        coming.cancel()
        await asyncio.gather(feeding, coming, return_exceptions=True)
