"""The connections of a client: those of this process, and of event loops in it."""

from __future__ import annotations

import asyncio
import functools
import os
import socket
import ssl
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any, ClassVar, Union

# httpx imports it with the first request, perhaps while another thread forks.
import httpcore as httpcore
import httpx

from ._records import ChunksmithError

# Connections that are kept for later requests.
_MOST_IDLE = 16
# What children of a fork have inherited. It is never collected there: that takes locks which another thread may have
# held, and takes descriptors out of the selector that an event loop of the parent waits with.
INHERITED: list[object] = []


class Deadline:
    """How long is waited: for all of a try, or at each step. httpx reads the `timeouts` when a step begins."""

    def __init__(self, seconds: float, *, is_total: bool) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds if is_total and seconds > 0 else None
        self.timeouts: dict[str, float | None] = {}
        self.renew()

    def renew(self) -> None:
        left = self._seconds if self._seconds > 0 else None
        if self._end is not None:
            left = max(self._end - time.monotonic(), 0.001)
        self.timeouts.update(connect=left, write=left, read=left, pool=left)

    def check(self) -> None:
        """Raises `ChunksmithError` if there is no time left."""
        if self._end is not None and time.monotonic() > self._end:
            raise self.error()

    def error(self) -> ChunksmithError:
        detail = f"No answer within the timeout of {self._seconds:g} s: give a longer timeout, or send less at once"
        return ChunksmithError(detail, code="timeout")


def closed() -> ChunksmithError:
    return ChunksmithError("The client was closed", code="closed")


class _PoolOfProcess:
    """A copy, or what is unpickled elsewhere, begins without connections."""

    _all: ClassVar[weakref.WeakSet[_PoolOfProcess]] = weakref.WeakSet()
    _transports: object
    is_closed = False

    def __init__(self, url: str) -> None:
        self.url = url
        self._begin()
        # Last of all, since another thread may fork at any time.
        self._all.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.url,)

    def _begin(self) -> None:
        """Has no connections."""

    def leave(self) -> None:
        """Leaves the connections to the process that this one was forked from."""
        INHERITED.append(self._transports)
        self._begin()

    @classmethod
    def leave_all(cls) -> None:
        for pool in [*cls._all]:
            pool.leave()


# Two processes that ask over the same connection read the answers of each other.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PoolOfProcess.leave_all)


@functools.lru_cache(maxsize=2)
def _options(*, is_kept: bool) -> dict[str, Any]:
    """What all transports have: no proxy, and the certificates of the system or of SSL_CERT_FILE."""
    limits = httpx.Limits(max_keepalive_connections=_MOST_IDLE if is_kept else 0)
    return {"verify": ssl.create_default_context(), "trust_env": False, "limits": limits}


class SyncPool(_PoolOfProcess):
    """The connections of a synchronous client. Its coroutines block."""

    def _begin(self) -> None:
        self._closing = threading.Event()
        self._transports: dict[bool, httpx.HTTPTransport] = {}
        self._sockets: set[socket.socket] = set()

    def leave(self) -> None:
        for one in self._sockets:
            one.close()
        super().leave()
        if self.is_closed:
            self._closing.set()

    async def send(self, request: httpx.Request, deadline: Deadline, *, is_idempotent: bool) -> httpx.Response:
        """Begins an answer. What is not safe to repeat has a new connection, which is surely open."""

        def trace(event: str, info: Mapping[str, Any]) -> None:
            deadline.renew()
            if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
                self._add(info["return_value"].get_extra_info("socket"))

        request.extensions["trace"] = trace
        transport = self._transports.get(is_idempotent)
        if transport is None:
            made = httpx.HTTPTransport(**_options(is_kept=is_idempotent))
            transport = self._transports.setdefault(is_idempotent, made)
        return transport.handle_request(request)

    def _add(self, new: socket.socket) -> None:
        """Notes a socket: who closes the client wakes up whoever waits for it, which httpx does not."""
        for one in [*self._sockets]:
            if one.fileno() == -1:
                self._sockets.discard(one)
        self._sockets.add(new)
        if self.is_closed:
            _interrupt(new)

    async def body(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """The body of an answer, as it comes."""
        assert isinstance(response.stream, httpx.SyncByteStream)
        for part in response.stream:
            yield part

    async def end(self, response: httpx.Response) -> None:
        """Ends an answer, of which there may be more."""
        response.close()

    async def sleep(self, seconds: float) -> None:
        """Waits. Raises `ChunksmithError` if the client is closed meanwhile."""
        if self._closing.wait(seconds):
            raise closed()

    async def close(self) -> None:
        """Ends all connections, and what is sent over them."""
        self.is_closed = True
        self._closing.set()
        for one in [*self._sockets]:
            _interrupt(one)
        self.__del__()

    def __del__(self) -> None:
        # Who gets a client from another process may not know that there is something to close.
        for transport in [*self._transports.values()]:
            transport.close()


def _interrupt(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


class AsyncPool(_PoolOfProcess):
    """The connections of an asynchronous client, with the methods of `SyncPool`, for whichever event loops use it."""

    def _begin(self) -> None:
        self._transports: dict[tuple[asyncio.AbstractEventLoop, bool], httpx.AsyncHTTPTransport] = {}

    async def send(self, request: httpx.Request, deadline: Deadline, *, is_idempotent: bool) -> httpx.Response:
        async def trace(event: str, info: Mapping[str, Any]) -> None:
            deadline.renew()

        request.extensions["trace"] = trace
        for key in [*self._transports]:
            if key[0].is_closed():
                self._transports.pop(key, None)
        own = (asyncio.get_running_loop(), is_idempotent)
        if own not in self._transports:
            self._transports[own] = httpx.AsyncHTTPTransport(**_options(is_kept=is_idempotent))
        return await self._transports[own].handle_async_request(request)

    async def body(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        assert isinstance(response.stream, httpx.AsyncByteStream)
        async for part in response.stream:
            yield part

    async def end(self, response: httpx.Response) -> None:
        # If it is cancelled, the connection would never be free again, nor closed.
        await asyncio.shield(asyncio.ensure_future(response.aclose()))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if self.is_closed:
            raise closed()

    async def close(self) -> None:
        self.is_closed = True
        for loop, is_idempotent in [*self._transports]:
            transport = self._transports.pop((loop, is_idempotent))
            if loop is asyncio.get_running_loop():
                await transport.aclose()
            elif loop.is_running():
                asyncio.run_coroutine_threadsafe(transport.aclose(), loop)


Pool = Union[SyncPool, AsyncPool]
