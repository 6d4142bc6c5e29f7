"""How requests are sent, and what their answers mean.

All is written once, as coroutines. Those of a synchronous client never wait for an event loop, since what they await
blocks: `run` and `iterate` call them as functions and generators.
"""

from __future__ import annotations

import email.utils
import json
import os
import random
import re
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx

from ._calls import Call
from ._connections import INHERITED, Deadline, Pool, closed
from ._records import ChunksmithError

T = TypeVar("T")
V = TypeVar("V")
OnHeaders = Callable[[Mapping[str, str]], object]

_FIRST_DELAY = 0.1
_LONGEST_DELAY = 10.0
_FORKED = "The process that made this request goes on with it, and this one was forked from it: make another here"
# A service that asks for more is not waited for.
_LONGEST_WAIT = 60.0


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine of a synchronous client returns."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    raise RuntimeError("A coroutine of a synchronous client has to be awaited")


def iterate(lines: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """What an asynchronous generator of a synchronous client yields."""
    try:
        while True:
            try:
                line = run(lines.asend(None))
            except StopAsyncIteration:
                return
            yield line
    finally:
        run(lines.aclose())


@dataclass(frozen=True)
class Settings:
    timeout: float
    max_retries: int
    headers: Mapping[str, str]
    on_headers: OnHeaders | None = None


class Reading(Generic[T]):
    """Lines of an answer: what has come of them, and what is sent if it was not all."""

    # Whether `call` may be sent after an answer that broke off within its lines.
    can_go_on = False

    def __init__(self, call: Call[T]) -> None:
        self._call = call
        self.count = 0

    def call(self) -> Call[T]:
        """What is sent now."""
        return self._call

    def take(self, line: T) -> T | None:
        """Notes a line; `None` if it is not one of those that are yielded. Raises `ChunksmithError` if it says that the whole has failed."""
        self.count += 1
        return line

    def check_end(self) -> None:
        """Raises `ChunksmithError` if lines are missing at the end of an answer."""


@dataclass(frozen=True)
class Sender:
    """Sends requests over the connections of a pool, again if that may help."""

    pool: Pool
    settings: Settings

    async def ask(self, call: Call[T], on_headers: OnHeaders | None = None) -> T:
        """The answer to a request. `on_headers` is called with the headers of each answer to it."""
        tries = 0
        while True:
            answer = _Answer(self.pool.url, call)
            deadline = Deadline(self.settings.timeout, is_total=True)
            try:
                async with aclosing(self._body(answer, deadline, on_headers)) as parts:
                    return answer.whole(b"".join([part async for part in parts]))
            except ChunksmithError as error:
                delay = self._delay_after(error, call, tries)
            await self.pool.sleep(delay)
            tries += 1

    async def lines(self, reading: Reading[T]) -> AsyncGenerator[T, None]:
        """The lines of an answer, as they come."""
        tries = 0
        while True:
            before = reading.count
            call = reading.call()
            try:
                async with aclosing(self._lines(call)) as lines:
                    async for line in lines:
                        taken = reading.take(line)
                        if taken is not None:
                            yield taken
                reading.check_end()
                return
            except ChunksmithError as error:
                if reading.count > 0 and not reading.can_go_on:
                    raise
                tries = 0 if reading.count > before else tries
                delay = self._delay_after(error, call, tries)
            await self.pool.sleep(delay)
            tries += 1

    async def _lines(self, call: Call[T]) -> AsyncGenerator[T, None]:
        process = os.getpid()
        answer = _Answer(self.pool.url, call)
        timeout = self.settings.timeout
        deadline = Deadline(max(timeout, call.idle_timeout) if timeout > 0 else 0.0, is_total=False)
        async with aclosing(self._body(answer, deadline)) as parts:
            async for part in parts:
                for line in answer.lines(part):
                    yield line
                    if process != os.getpid():
                        raise ChunksmithError(_FORKED, code="closed")
        answer.check_end()

    async def _body(
        self, answer: _Answer[Any], deadline: Deadline, on_headers: OnHeaders | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Sends a request, and yields the body of its answer."""
        if self.pool.is_closed:
            raise closed()
        process = os.getpid()
        request = self._request(answer.call, deadline)
        try:
            response = await self.pool.send(request, deadline, is_idempotent=answer.call.is_idempotent)
            parts = self.pool.body(response)
            try:
                answer.begin(response, self.settings.on_headers, on_headers)
                async for part in parts:
                    deadline.check()
                    yield part
            finally:
                if process == os.getpid():
                    await parts.aclose()
                    await self.pool.end(response)
                else:
                    INHERITED.append(parts)
        except httpx.HTTPError as error:
            raise closed() if self.pool.is_closed else answer.broken(error, deadline) from error

    def _request(self, call: Call[Any], deadline: Deadline) -> httpx.Request:
        """Raises `ValueError` for a header that cannot be sent."""
        given = {name: value for name, value in call.headers.items() if value is not None}
        headers = {**self.settings.headers, **given}
        for name, value in headers.items():
            if "\r" in name + value or "\n" in name + value:
                raise ValueError(f"The header {name} has a line break, and cannot be sent")
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        url, extensions = self.pool.url + call.path, {"timeout": deadline.timeouts}
        return httpx.Request(call.method, url, headers=encoded, content=call.body, extensions=extensions)

    def _delay_after(self, error: ChunksmithError, call: Call[Any], tries: int) -> float:
        """Seconds to wait before the call is sent again. Raises the error if it is not."""
        retry_after = error.retry_after or 0.0
        if tries >= self.settings.max_retries or not _may_pass(error, call) or retry_after > _LONGEST_WAIT:
            raise error
        own = min(_FIRST_DELAY * float(2**tries), _LONGEST_DELAY)
        return max(retry_after, own) + random.uniform(0, own)


def _may_pass(error: ChunksmithError, call: Call[Any]) -> bool:
    if error.status in (429, 503) and error.retry_after is not None:
        # It was refused before anything was done.
        return True
    # A gateway that has no service behind it gives no reason in JSON.
    is_of_gateway = error.code == "invalid_answer" and error.status in (502, 503)
    return call.is_idempotent and (is_of_gateway or error.code in ("unreachable", "cut_off"))


class _Answer(Generic[T]):
    """The answer to a request: first its head, then what its body says."""

    def __init__(self, url: str, call: Call[T]) -> None:
        self.call = call
        self._url = url
        self._status = 0
        self._headers = httpx.Headers()
        self._rest: list[bytes] = []

    def begin(self, response: httpx.Response, *on_headers: OnHeaders | None) -> None:
        self._status, self._headers = response.status_code, response.headers
        for told in on_headers:
            if told is not None:
                told(dict(response.headers))

    def whole(self, body: bytes) -> T:
        """What the body is read as. Raises `ChunksmithError` if the request was refused."""
        self._check_status(body)
        return self._checked(self.call.read, self._checked(json.loads, body) if self.call.is_json else body.decode())

    def lines(self, body: bytes) -> Iterator[T]:
        """What the lines say that end in this part of the body."""
        if self._status != 200 or b"\n" not in body:
            self._rest.append(body)
            return
        *lines, last = b"".join([*self._rest, body]).split(b"\n")
        self._rest = [last]
        for line in lines:
            yield self._checked(self.call.read, self._checked(json.loads, line))

    def check_end(self) -> None:
        """Raises `ChunksmithError` if the request was refused, or the last line has no end."""
        rest = b"".join(self._rest)
        self._check_status(rest)
        if rest:
            raise self._error("cut_off", f"The answer of {self._url} was cut off: the last line has no end")

    def broken(self, error: httpx.HTTPError, deadline: Deadline) -> ChunksmithError:
        """What it means that there is no answer, or no end of it."""
        if isinstance(error, httpx.ConnectTimeout):
            return self._error("timeout", f"{self._url} could not be reached within the timeout")
        if isinstance(error, httpx.TimeoutException):
            return deadline.error()
        if isinstance(error, httpx.ConnectError):
            return self._error("unreachable", f"{self._url} cannot be reached ({error}): is the service running there?")
        if self._status == 0 and _is_no_http(error):
            detail = f"What {self._url} answers is no HTTP that can be read, and no JSON: {error}"
            return self._error("invalid_answer", detail)
        if self._status == 0:
            detail = f"The connection to {self._url} was closed without an answer ({error})"
            return self._error("unreachable", detail)
        return self._error("cut_off", f"The answer of {self._url} was cut off: the connection was closed ({error})")

    def _check_status(self, body: bytes) -> None:
        if 200 <= self._status < 300:
            return
        code, problems = "refused", ()
        try:
            content = json.loads(body)
            detail, problems = str(content["detail"]), content.get("problems") or ()
        except (ValueError, KeyError, TypeError):
            code = "invalid_answer"
            detail = f"{self._url} answered {self._status}: {body[:200].decode(errors='replace')}"
        retry_after = _seconds(self._headers.get("retry-after", ""))
        raise self._error(code, detail, status=self._status, problems=problems, retry_after=retry_after)

    def _checked(self, read: Callable[[Any], V], value: Any) -> V:
        """What is read of a part of the answer."""
        try:
            return read(value)
        except ChunksmithError as error:
            error.request_id = error.request_id or self._headers.get("x-request-id")
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = "is no JSON" if isinstance(error, ValueError) else "is not the JSON that was expected"
            detail = f"What {self._url} answers {what}: is it a Chunksmith service? ({error})"
            raise self._error("invalid_answer", detail) from error

    def _error(self, code: str, detail: str, **rest: Any) -> ChunksmithError:
        return ChunksmithError(detail, code=code, request_id=self._headers.get("x-request-id"), **rest)


def _is_no_http(error: httpx.HTTPError) -> bool:
    """Whether something has come that cannot be read, which httpx tells from an early end by its message alone."""
    return isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error)


def _seconds(retry_after: str) -> float | None:
    """What `Retry-After` asks for: seconds, or a date."""
    if re.fullmatch(r"\d+(\.\d+)?", retry_after):
        return float(retry_after)
    with suppress(ValueError, TypeError):
        return max(email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time(), 0.0)
    return None
