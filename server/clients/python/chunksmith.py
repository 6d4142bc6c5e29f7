"""Client of Chunksmith, a service that splits text into chunks. Needs the standard library alone.

    with Chunksmith("http://localhost:8000") as client:
        for chunk in client.chunk("sentence", text, chunk_size=200):
            assert text[chunk.start_index : chunk.end_index] == chunk.text

Offsets count code points, as Python does, unless a request says otherwise. Options have the names of the service.
`AsyncChunksmith` has the same methods to await.
"""

from __future__ import annotations

import asyncio
import base64
import email.utils
import functools
import http.client
import io
import itertools
import json
import math
import os
import random
import re
import selectors
import socket
import ssl
import threading
import time
import urllib.parse
import uuid
import weakref
from abc import ABC, abstractmethod
from array import array
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field, fields
from email.message import Message
from sys import byteorder
from types import TracebackType
from typing import Any, BinaryIO, ClassVar, Generic, List, TypeVar, Union, overload

__version__ = "0.1.0"
__all__ = [
    "AsyncChunksmith",
    "AsyncJobs",
    "AsyncPipelines",
    "Chunk",
    "Chunksmith",
    "ChunksmithError",
    "DocumentChunks",
    "EmbeddingModel",
    "Embeddings",
    "ErrorDetail",
    "EvaluatedCandidate",
    "EvaluatedQuestion",
    "Evaluation",
    "FoundChunk",
    "Health",
    "Job",
    "JobCounts",
    "JobError",
    "JobManifest",
    "Jobs",
    "Pipeline",
    "PipelineConfig",
    "PipelineStep",
    "Pipelines",
    "Plugin",
    "Record",
    "ServiceInfo",
    "Shard",
    "StreamLine",
    "Tokenizer",
    "TokenizedTexts",
    "Tokens",
]

T = TypeVar("T")
R = TypeVar("R", bound="Record")

# What requests take. Documents have `text` and, if you like, `id`, `title`, `filename`, `metadata` and `pages`.
Document = Mapping[str, Any]
AnyChunk = Union["Chunk", Mapping[str, Any]]
AnyChunks = Union["StreamLine", Sequence[AnyChunk], Mapping[str, Any]]
Texts = Union[list[str], tuple[str, ...]]
Steps = Sequence[Mapping[str, Any]]
ChunkLists = list[list["Chunk"]]
File = Union[str, "os.PathLike[str]", bytes, BinaryIO]
OnHeaders = Callable[[Mapping[str, str]], object]
JobLine = Union["Chunk", "DocumentChunks"]


class ChunksmithError(Exception):
    """Why there is no answer. `detail` says what to change.

    `code` is `refused` if the service answered with an error, whose HTTP status is `status`. Without a status it is
    `unreachable` (no connection, or one that was closed without an answer), `timeout`, `cut_off` (the answer has no
    end), or `closed` (`close` was called meanwhile, or the request is that of the process before it was forked). What
    answers with `invalid_answer` is no Chunksmith service, but perhaps a gateway, whose status it then has.
    """

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        problems: Sequence[str] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        # That of the answer, which the log of the service has too.
        self.request_id = request_id
        self.problems = tuple(problems)
        # Seconds after which the service asked to try again.
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are made again of `args` alone, and pools of processes wait for ever for one that cannot be.
        return functools.partial(type(self), code=self.code), self.args, self.__dict__


class Chunksmith:
    """A service. Its methods may be called from several threads at once, and in processes that are forked.

    `timeout` is how many seconds one try of a request may take, and for streams the longest silence; 0 is no limit.
    Requests that are refused because the service is busy, and those that are safe to repeat if the connection fails,
    are sent again up to `max_retries` times. Connections are kept open: use it in a `with` statement, or call `close`.
    Each process has its own: a client that is pickled travels as its settings, of which `api_key` is one.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 4,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._settings = _Settings.of(api_key, timeout, max_retries, headers)
        self._pool = _Pool(_Address.of(base_url))

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        on_headers: OnHeaders | None = None,
    ) -> Chunksmith:
        """The same service with other settings, over the same connections.

        `on_headers` is called with the headers of each answer; their names are in lower case.
        """
        other = Chunksmith.__new__(Chunksmith)
        other._settings = self._settings.changed(timeout, max_retries, headers, on_headers)
        other._pool = self._pool
        return other

    def asynchronous(self) -> AsyncChunksmith:
        """An asynchronous client with the same address and settings, and connections of its own."""
        other = AsyncChunksmith.__new__(AsyncChunksmith)
        other._settings = self._settings
        other._pool = _AsyncPool(self._pool.address)
        return other

    def close(self) -> None:
        """Ends all connections, from any thread. Requests in flight fail with the code `closed`."""
        self._pool.close()

    def __enter__(self) -> Chunksmith:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pipelines(self) -> Pipelines:
        """The stored pipelines of the service."""
        return Pipelines(self)

    @property
    def jobs(self) -> Jobs:
        """The jobs of the service."""
        return Jobs(self)

    @overload
    def chunk(self, chunker: str, text: str, **options: Any) -> list[Chunk]: ...
    @overload
    def chunk(self, chunker: str, text: Texts, **options: Any) -> ChunkLists: ...
    @overload
    def chunk(self, chunker: str, *, documents: Iterable[Document], **options: Any) -> ChunkLists: ...
    def chunk(self, chunker: str, text: Any = None, **options: Any) -> Any:
        """Chunks a text. A list of texts, or `documents`, gives a list of chunks for each, in their order."""
        return self._ask(_with_texts(f"/v1/chunk/{_quoted(chunker)}", text, options))

    def chunk_file(
        self, chunker: str, file: File, *, name: str | None = None, media_type: str | None = None, **options: Any
    ) -> list[Chunk]:
        """Chunks a file: its path, its bytes, or an open binary file. Offsets are those of the text that is read in it.

        Name and media type say how it is read, and by `auto` how it is cut; the name of the file is the default.
        """
        return self._ask(_file_call(f"/v1/chunk/{_quoted(chunker)}/file", file, name, media_type, options))

    def stream(self, chunker: str, documents: Iterable[Document], **options: Any) -> Generator[StreamLine, None, None]:
        """Chunks any number of documents in one request: an answer for each, in their order. One may fail alone.

        Documents are taken in this thread, while the loop over the answers asks for more. Leaving the loop ends the
        request. A stream is never sent again.
        """
        return self._stream(_stream_call(f"/v1/chunk/{_quoted(chunker)}", options), documents)

    @overload
    def refine(self, refinery: str, chunks: Sequence[AnyChunk], **options: Any) -> list[Chunk]: ...
    @overload
    def refine(self, refinery: str, chunks: Sequence[Sequence[AnyChunk]], **options: Any) -> ChunkLists: ...
    def refine(self, refinery: str, chunks: Any, **options: Any) -> Any:
        """Enriches a list of chunks, or a list of lists."""
        return self._ask(_refine_call(refinery, {"chunks": chunks, **options}))

    def refine_stream(
        self, refinery: str, lists: Iterable[AnyChunks], **options: Any
    ) -> Generator[StreamLine, None, None]:
        """Refines any number of lists of chunks, as `stream` chunks documents; its answers are such lists too."""
        return self._stream(_stream_call(f"/v1/refine/{_quoted(refinery)}", options), lists)

    def embed(self, text: str | Texts, **options: Any) -> Embeddings:
        """Vectors of a text or of several."""
        return self._ask(_work_call("/v1/embed", Embeddings, {"text": text, **options}))

    def tokenize(self, text: str | Texts, **options: Any) -> TokenizedTexts:
        """How many tokens a text has, or several, and with `include` where they are."""
        return self._ask(_work_call("/v1/tokenize", TokenizedTexts, {"text": text, **options}))

    def evaluate(self, **request: Any) -> Evaluation:
        """Compares `candidates` by the chunks of `documents` that `questions` find."""
        return self._ask(_work_call("/v1/evaluate", Evaluation, request))

    def evaluate_stream(self, **request: Any) -> Generator[EvaluatedCandidate, None, None]:
        """The same, with each candidate as soon as it is there."""
        return self._lines_with_retries(_evaluate_lines(request))

    def plugins(self) -> list[Plugin]:
        """Every plugin, and what it lacks if it cannot run."""
        return self._ask(_list_call("/v1/plugins", Plugin))

    def models(self) -> list[EmbeddingModel]:
        """The embedding models that are ready."""
        return self._ask(_list_call("/v1/models", EmbeddingModel))

    def tokenizers(self) -> list[Tokenizer]:
        """The tokenizers that requests may name."""
        return self._ask(_list_call("/v1/tokenizers", Tokenizer))

    def info(self) -> ServiceInfo:
        """Name, version and endpoints of the service."""
        return self._ask(_get_call("/", ServiceInfo))

    def health(self) -> Health:
        """Answers if the service is alive."""
        return self._ask(_get_call("/health", Health))

    def ready(self) -> Health:
        """Fails with status 503 if no work can be sent to the service now."""
        return self._ask(_get_call("/ready", Health))

    def metrics(self) -> str:
        """Counters, in the text format of Prometheus."""
        return self._ask(_METRICS)

    def _ask(self, call: _Call[T]) -> T:
        tries = 0
        while True:
            try:
                return call.answered(self._exchange(call))
            except ChunksmithError as error:
                self._pool.sleep(_delay_before_retry(call, error, tries, self._settings.max_retries))
            tries += 1

    def _exchange(self, call: _Call[T]) -> _Reply:
        answer = _Answer(self._pool.address.url, self._settings.on_headers)
        patience = _Patience(self._settings.timeout, is_total=True)
        with closing(self._bodies(call, answer, patience)) as bodies:
            return _Reply(answer, b"".join(bodies))

    def _stream(self, call: _Call[StreamLine], items: Iterable[Any]) -> Generator[StreamLine, None, None]:
        flow = _Flow()
        pieces = itertools.chain([call.body], map(flow.line, items), [_LAST_PIECE])
        with closing(self._lines(call, pieces)) as lines:
            for line in lines:
                yield flow.answered(line)
        flow.check_end()

    def _lines_with_retries(self, call: _Call[T]) -> Generator[T, None, None]:
        tries = 0
        while True:
            has_begun = False
            try:
                for line in self._lines(call):
                    has_begun = True
                    yield line
                return
            except ChunksmithError as error:
                if has_begun:
                    raise
                self._pool.sleep(_delay_before_retry(call, error, tries, self._settings.max_retries))
            tries += 1

    def _lines(self, call: _Call[T], pieces: Iterator[bytes] | None = None) -> Generator[T, None, None]:
        answer = _Answer(self._pool.address.url, self._settings.on_headers)
        lines = _Lines(call, answer)
        patience = _Patience(self._settings.silence_of(call))
        with closing(self._bodies(call, answer, patience, pieces)) as bodies:
            for body in bodies:
                yield from lines.read(body)
        lines.end()

    def _bodies(
        self, call: _Call[Any], answer: _Answer, patience: _Patience, pieces: Iterator[bytes] | None = None
    ) -> Generator[bytes, None, None]:
        """Sends the call, or its head and the pieces, while it reads; yields the body of the answer as it comes."""
        head = call.head(self._pool.address, self._settings)
        with self._pool.connection(call, patience) as connection:
            yield from connection.talk(itertools.chain([head], pieces or [call.body]), answer, patience)


class Pipelines:
    """Stored pipelines. Where a name is taken as well as an id, an id saves a request."""

    def __init__(self, client: Chunksmith) -> None:
        self._client = client

    def create(self, name: str, steps: Steps, **options: Any) -> Pipeline:
        """Makes a pipeline, with a `description` if you like: 409 if the name is taken."""
        return self._client._ask(_create_pipeline({"name": name, "steps": steps, **options}))

    def put(self, name: str, steps: Steps, *, if_match: str | None = None, **options: Any) -> Pipeline:
        """Makes the pipeline of this name, or replaces it."""
        return self._client._ask(_put_pipeline(name, {"steps": steps, **options}, if_match))

    def list(self, *, name: str | None = None, limit: int | None = None, cursor: str | None = None) -> List[Pipeline]:
        """The pipelines, the newest first; all of them without a limit. The cursor is the header `x-next-cursor`."""
        return self._client._ask(_list_call("/v1/pipelines", Pipeline, name=name, limit=limit, cursor=cursor))

    def get(self, id: str) -> Pipeline:
        """The pipeline of this id."""
        return self._client._ask(_get_call(f"/v1/pipelines/{_quoted(id)}", Pipeline))

    def update(self, id: str, *, if_match: str | None = None, **changes: Any) -> Pipeline:
        """Changes `name`, `description` or `steps`; what is not given stays.

        `if_match` is the header `etag` of the pipeline as it was read: one that has changed since is refused with 412.
        """
        return self._client._ask(_update_pipeline(id, changes, if_match))

    def delete(self, id: str, *, if_match: str | None = None) -> None:
        """Deletes the pipeline of this id."""
        self._client._ask(_delete_call(f"/v1/pipelines/{_quoted(id)}", if_match))

    @overload
    def execute(self, id_or_name: str, text: str, **options: Any) -> List[Chunk]: ...
    @overload
    def execute(self, id_or_name: str, text: Texts, **options: Any) -> ChunkLists: ...
    @overload
    def execute(self, id_or_name: str, *, documents: Iterable[Document], **options: Any) -> ChunkLists: ...
    def execute(self, id_or_name: str, text: Any = None, **options: Any) -> Any:
        """Runs the steps on a text, on several, or on `documents`, as `Chunksmith.chunk`."""
        return self._client._ask(_with_texts(self._path(id_or_name), text, options))

    def execute_file(
        self, id_or_name: str, file: File, *, name: str | None = None, media_type: str | None = None, **options: Any
    ) -> List[Chunk]:
        """Runs the steps on a file, as `Chunksmith.chunk_file`."""
        return self._client._ask(_file_call(f"{self._path(id_or_name)}/file", file, name, media_type, options))

    def stream(
        self, id_or_name: str, documents: Iterable[Document], **options: Any
    ) -> Generator[StreamLine, None, None]:
        """Runs the steps on any number of documents, as `Chunksmith.stream`."""
        yield from self._client._stream(_stream_call(self._path(id_or_name), options), documents)

    def _path(self, id_or_name: str) -> str:
        known = _path_of_id(id_or_name)
        return known if known is not None else self._client._ask(_find_pipeline(id_or_name))


class Jobs:
    """Jobs, which chunk whole corpora in the background."""

    def __init__(self, client: Chunksmith) -> None:
        self._client = client

    def create(self, source: Mapping[str, Any], *, idempotency_key: str | None = None, **options: Any) -> Job:
        """Makes a job. The same key with the same request is the same job.

        Without a key, it is not sent again if the connection fails.
        """
        return self._client._ask(_create_job({"source": source, **options}, idempotency_key))

    def list(self, *, state: str | None = None, limit: int | None = None, cursor: str | None = None) -> List[Job]:
        """A page of jobs, the newest first. The cursor of the next one is the header `x-next-cursor`."""
        return self._client._ask(_list_call("/v1/jobs", Job, state=state, limit=limit, cursor=cursor))

    def get(self, id: str) -> Job:
        """The job as it is now."""
        return self._client._ask(_get_call(_job(id), Job))

    def delete(self, id: str) -> None:
        """Deletes a job with its output: 409 if it is not over."""
        self._client._ask(_delete_call(_job(id)))

    def cancel(self, id: str) -> Job:
        """Ends a job; one that is over stays as it is."""
        return self._client._ask(_change_job(id, "cancel", is_safe=True))

    def retry(self, id: str) -> Job:
        """Does again what failed."""
        return self._client._ask(_change_job(id, "retry", is_safe=False))

    def shards(
        self, id: str, *, state: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> List[Shard]:
        """A page of the shards of a job, in the order of the source."""
        return self._client._ask(_list_call(_job(id, "shards"), Shard, state=state, limit=limit, cursor=cursor))

    def events(self, id: str) -> Generator[Job, None, None]:
        """The job now and whenever it has changed, until it is over."""
        return self._client._lines_with_retries(_job_lines(id, "events", Job.from_dict))

    def result(self, id: str) -> Generator[JobLine, None, None]:
        """What the job has made: chunks, or documents with their chunks if its `group` is `document`.

        409 if it is not done.
        """
        return self._client._lines_with_retries(_job_lines(id, "result", _job_line))

    def manifest(self, id: str) -> JobManifest:
        """What files the job has written, with their sizes and hashes. 409 if it is not done."""
        return self._client._ask(_get_call(_job(id, "result"), JobManifest))

    def errors(self, id: str) -> Generator[JobError, None, None]:
        """The documents that failed, and those that were skipped."""
        return self._client._lines_with_retries(_job_lines(id, "errors", JobError.from_dict))

    def wait(self, id: str, on_progress: Callable[[Job], object] | None = None) -> Job:
        """Waits until a job is over, whatever its `state` then is. Connections that are lost are made again."""
        watch = _Watch(id, on_progress, self._client._settings.max_retries)
        while True:
            try:
                for job in self._client._lines(watch.call):
                    watch.tell(job)
                return watch.end()
            except ChunksmithError as error:
                delay = watch.delay_after(error)
            self._client._pool.sleep(delay)


class AsyncChunksmith:
    """A service, with the methods of `Chunksmith` to await. A task that is cancelled ends its request.

    Use it in an `async with` statement, or await `close`. Streams take asynchronous iterables too.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 4,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._settings = _Settings.of(api_key, timeout, max_retries, headers)
        self._pool = _AsyncPool(_Address.of(base_url))

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        on_headers: OnHeaders | None = None,
    ) -> AsyncChunksmith:
        """As `Chunksmith.with_options`."""
        other = AsyncChunksmith.__new__(AsyncChunksmith)
        other._settings = self._settings.changed(timeout, max_retries, headers, on_headers)
        other._pool = self._pool
        return other

    async def close(self) -> None:
        """Ends all connections. Requests in flight fail with the code `closed`."""
        self._pool.close()
        # Connections that are aborted are gone in the next turn of the loop.
        await asyncio.sleep(0)

    async def __aenter__(self) -> AsyncChunksmith:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def pipelines(self) -> AsyncPipelines:
        """The stored pipelines of the service."""
        return AsyncPipelines(self)

    @property
    def jobs(self) -> AsyncJobs:
        """The jobs of the service."""
        return AsyncJobs(self)

    @overload
    async def chunk(self, chunker: str, text: str, **options: Any) -> list[Chunk]: ...
    @overload
    async def chunk(self, chunker: str, text: Texts, **options: Any) -> ChunkLists: ...
    @overload
    async def chunk(self, chunker: str, *, documents: Iterable[Document], **options: Any) -> ChunkLists: ...
    async def chunk(self, chunker: str, text: Any = None, **options: Any) -> Any:
        """As `Chunksmith.chunk`."""
        return await self._ask(_with_texts(f"/v1/chunk/{_quoted(chunker)}", text, options))

    async def chunk_file(
        self, chunker: str, file: File, *, name: str | None = None, media_type: str | None = None, **options: Any
    ) -> list[Chunk]:
        """As `Chunksmith.chunk_file`."""
        return await self._ask(_file_call(f"/v1/chunk/{_quoted(chunker)}/file", file, name, media_type, options))

    def stream(
        self, chunker: str, documents: Iterable[Document] | AsyncIterable[Document], **options: Any
    ) -> AsyncGenerator[StreamLine, None]:
        """As `Chunksmith.stream`, but a task takes and sends documents while the loop waits for answers."""
        return self._stream(_stream_call(f"/v1/chunk/{_quoted(chunker)}", options), documents)

    @overload
    async def refine(self, refinery: str, chunks: Sequence[AnyChunk], **options: Any) -> list[Chunk]: ...
    @overload
    async def refine(self, refinery: str, chunks: Sequence[Sequence[AnyChunk]], **options: Any) -> ChunkLists: ...
    async def refine(self, refinery: str, chunks: Any, **options: Any) -> Any:
        """As `Chunksmith.refine`."""
        return await self._ask(_refine_call(refinery, {"chunks": chunks, **options}))

    def refine_stream(
        self, refinery: str, lists: Iterable[AnyChunks] | AsyncIterable[AnyChunks], **options: Any
    ) -> AsyncGenerator[StreamLine, None]:
        """As `Chunksmith.refine_stream`."""
        return self._stream(_stream_call(f"/v1/refine/{_quoted(refinery)}", options), lists)

    async def embed(self, text: str | Texts, **options: Any) -> Embeddings:
        """As `Chunksmith.embed`."""
        return await self._ask(_work_call("/v1/embed", Embeddings, {"text": text, **options}))

    async def tokenize(self, text: str | Texts, **options: Any) -> TokenizedTexts:
        """As `Chunksmith.tokenize`."""
        return await self._ask(_work_call("/v1/tokenize", TokenizedTexts, {"text": text, **options}))

    async def evaluate(self, **request: Any) -> Evaluation:
        """As `Chunksmith.evaluate`."""
        return await self._ask(_work_call("/v1/evaluate", Evaluation, request))

    def evaluate_stream(self, **request: Any) -> AsyncGenerator[EvaluatedCandidate, None]:
        """As `Chunksmith.evaluate_stream`."""
        return self._lines_with_retries(_evaluate_lines(request))

    async def plugins(self) -> list[Plugin]:
        """As `Chunksmith.plugins`."""
        return await self._ask(_list_call("/v1/plugins", Plugin))

    async def models(self) -> list[EmbeddingModel]:
        """As `Chunksmith.models`."""
        return await self._ask(_list_call("/v1/models", EmbeddingModel))

    async def tokenizers(self) -> list[Tokenizer]:
        """As `Chunksmith.tokenizers`."""
        return await self._ask(_list_call("/v1/tokenizers", Tokenizer))

    async def info(self) -> ServiceInfo:
        """As `Chunksmith.info`."""
        return await self._ask(_get_call("/", ServiceInfo))

    async def health(self) -> Health:
        """As `Chunksmith.health`."""
        return await self._ask(_get_call("/health", Health))

    async def ready(self) -> Health:
        """As `Chunksmith.ready`."""
        return await self._ask(_get_call("/ready", Health))

    async def metrics(self) -> str:
        """As `Chunksmith.metrics`."""
        return await self._ask(_METRICS)

    async def _ask(self, call: _Call[T]) -> T:
        tries = 0
        while True:
            try:
                return call.answered(await self._exchange(call))
            except ChunksmithError as error:
                delay = _delay_before_retry(call, error, tries, self._settings.max_retries)
            await self._pool.sleep(delay)
            tries += 1

    async def _exchange(self, call: _Call[T]) -> _Reply:
        answer = _Answer(self._pool.address.url, self._settings.on_headers)
        patience = _Patience(self._settings.timeout, is_total=True)
        async with aclosing(self._bodies(call, answer, patience)) as bodies:
            return _Reply(answer, b"".join([body async for body in bodies]))

    async def _stream(
        self, call: _Call[StreamLine], items: Iterable[Any] | AsyncIterable[Any]
    ) -> AsyncGenerator[StreamLine, None]:
        flow = _Flow()
        async with aclosing(self._lines(call, _stream_pieces(call, items, flow), flow)) as lines:
            async for line in lines:
                yield flow.answered(line)
        flow.check_end()

    async def _lines_with_retries(self, call: _Call[T]) -> AsyncGenerator[T, None]:
        tries = 0
        while True:
            has_begun = False
            try:
                async with aclosing(self._lines(call)) as lines:
                    async for line in lines:
                        has_begun = True
                        yield line
                return
            except ChunksmithError as error:
                if has_begun:
                    raise
                delay = _delay_before_retry(call, error, tries, self._settings.max_retries)
            await self._pool.sleep(delay)
            tries += 1

    async def _lines(
        self, call: _Call[T], pieces: AsyncGenerator[bytes, None] | None = None, flow: _Flow | None = None
    ) -> AsyncGenerator[T, None]:
        answer = _Answer(self._pool.address.url, self._settings.on_headers)
        lines = _Lines(call, answer)
        patience = _Patience(self._settings.silence_of(call), flow=flow)
        async with aclosing(self._bodies(call, answer, patience, pieces)) as bodies:
            async for body in bodies:
                for line in lines.read(body):
                    yield line
        lines.end()

    async def _bodies(
        self,
        call: _Call[Any],
        answer: _Answer,
        patience: _Patience,
        pieces: AsyncGenerator[bytes, None] | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """As `Chunksmith._bodies`."""
        head = call.head(self._pool.address, self._settings)
        async with self._pool.connection(call, patience) as connection:
            async with aclosing(connection.talk(_pieces_of(head, pieces or call.body), answer, patience)) as bodies:
                async for body in bodies:
                    yield body


class AsyncPipelines:
    """As `Pipelines`."""

    def __init__(self, client: AsyncChunksmith) -> None:
        self._client = client

    async def create(self, name: str, steps: Steps, **options: Any) -> Pipeline:
        """As `Pipelines.create`."""
        return await self._client._ask(_create_pipeline({"name": name, "steps": steps, **options}))

    async def put(self, name: str, steps: Steps, *, if_match: str | None = None, **options: Any) -> Pipeline:
        """As `Pipelines.put`."""
        return await self._client._ask(_put_pipeline(name, {"steps": steps, **options}, if_match))

    async def list(
        self, *, name: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> List[Pipeline]:
        """As `Pipelines.list`."""
        return await self._client._ask(_list_call("/v1/pipelines", Pipeline, name=name, limit=limit, cursor=cursor))

    async def get(self, id: str) -> Pipeline:
        """As `Pipelines.get`."""
        return await self._client._ask(_get_call(f"/v1/pipelines/{_quoted(id)}", Pipeline))

    async def update(self, id: str, *, if_match: str | None = None, **changes: Any) -> Pipeline:
        """As `Pipelines.update`."""
        return await self._client._ask(_update_pipeline(id, changes, if_match))

    async def delete(self, id: str, *, if_match: str | None = None) -> None:
        """As `Pipelines.delete`."""
        await self._client._ask(_delete_call(f"/v1/pipelines/{_quoted(id)}", if_match))

    @overload
    async def execute(self, id_or_name: str, text: str, **options: Any) -> List[Chunk]: ...
    @overload
    async def execute(self, id_or_name: str, text: Texts, **options: Any) -> ChunkLists: ...
    @overload
    async def execute(self, id_or_name: str, *, documents: Iterable[Document], **options: Any) -> ChunkLists: ...
    async def execute(self, id_or_name: str, text: Any = None, **options: Any) -> Any:
        """As `Pipelines.execute`."""
        return await self._client._ask(_with_texts(await self._path(id_or_name), text, options))

    async def execute_file(
        self, id_or_name: str, file: File, *, name: str | None = None, media_type: str | None = None, **options: Any
    ) -> List[Chunk]:
        """As `Pipelines.execute_file`."""
        path = await self._path(id_or_name)
        return await self._client._ask(_file_call(f"{path}/file", file, name, media_type, options))

    async def stream(
        self, id_or_name: str, documents: Iterable[Document] | AsyncIterable[Document], **options: Any
    ) -> AsyncGenerator[StreamLine, None]:
        """As `Pipelines.stream`."""
        call = _stream_call(await self._path(id_or_name), options)
        async with aclosing(self._client._stream(call, documents)) as lines:
            async for line in lines:
                yield line

    async def _path(self, id_or_name: str) -> str:
        known = _path_of_id(id_or_name)
        return known if known is not None else await self._client._ask(_find_pipeline(id_or_name))


class AsyncJobs:
    """As `Jobs`."""

    def __init__(self, client: AsyncChunksmith) -> None:
        self._client = client

    async def create(self, source: Mapping[str, Any], *, idempotency_key: str | None = None, **options: Any) -> Job:
        """As `Jobs.create`."""
        return await self._client._ask(_create_job({"source": source, **options}, idempotency_key))

    async def list(self, *, state: str | None = None, limit: int | None = None, cursor: str | None = None) -> List[Job]:
        """As `Jobs.list`."""
        return await self._client._ask(_list_call("/v1/jobs", Job, state=state, limit=limit, cursor=cursor))

    async def get(self, id: str) -> Job:
        """As `Jobs.get`."""
        return await self._client._ask(_get_call(_job(id), Job))

    async def delete(self, id: str) -> None:
        """As `Jobs.delete`."""
        await self._client._ask(_delete_call(_job(id)))

    async def cancel(self, id: str) -> Job:
        """As `Jobs.cancel`."""
        return await self._client._ask(_change_job(id, "cancel", is_safe=True))

    async def retry(self, id: str) -> Job:
        """As `Jobs.retry`."""
        return await self._client._ask(_change_job(id, "retry", is_safe=False))

    async def shards(
        self, id: str, *, state: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> List[Shard]:
        """As `Jobs.shards`."""
        call = _list_call(_job(id, "shards"), Shard, state=state, limit=limit, cursor=cursor)
        return await self._client._ask(call)

    def events(self, id: str) -> AsyncGenerator[Job, None]:
        """As `Jobs.events`."""
        return self._client._lines_with_retries(_job_lines(id, "events", Job.from_dict))

    def result(self, id: str) -> AsyncGenerator[JobLine, None]:
        """As `Jobs.result`."""
        return self._client._lines_with_retries(_job_lines(id, "result", _job_line))

    async def manifest(self, id: str) -> JobManifest:
        """As `Jobs.manifest`."""
        return await self._client._ask(_get_call(_job(id, "result"), JobManifest))

    def errors(self, id: str) -> AsyncGenerator[JobError, None]:
        """As `Jobs.errors`."""
        return self._client._lines_with_retries(_job_lines(id, "errors", JobError.from_dict))

    async def wait(self, id: str, on_progress: Callable[[Job], object] | None = None) -> Job:
        """As `Jobs.wait`."""
        watch = _Watch(id, on_progress, self._client._settings.max_retries)
        while True:
            try:
                async with aclosing(self._client._lines(watch.call)) as jobs:
                    async for job in jobs:
                        watch.tell(job)
                return watch.end()
            except ChunksmithError as error:
                delay = watch.delay_after(error)
            await self._client._pool.sleep(delay)


@dataclass(frozen=True, kw_only=True, repr=False)
class Record:
    """Something that the service has answered. `to_dict` is all that it said, also what has no field here."""

    # Members of the answer that have no field, and fields that are null.
    extra: Mapping[str, Any] = field(default_factory=dict)
    _parts: ClassVar[Mapping[str, type[Record]]] = {}

    @classmethod
    def from_dict(cls: type[R], data: Mapping[str, Any]) -> R:
        """Reads an answer. Raises `TypeError` or `AttributeError` if it is no such one."""
        known = cls._names()
        own = {name: value for name, value in data.items() if name in known and value is not None}
        for name in cls._parts.keys() & own.keys():
            own[name] = _part(cls._parts[name], own[name])
        return cls(**own, extra={name: value for name, value in data.items() if name not in own})

    def to_dict(self) -> dict[str, Any]:
        """Members as in the JSON of the service."""
        own = {name: getattr(self, name) for name in self._names()}
        return {**self.extra, **{name: _plain(value) for name, value in own.items() if value is not None}}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"

    @classmethod
    @functools.lru_cache(maxsize=None)
    def _names(cls) -> tuple[str, ...]:
        return tuple(one.name for one in fields(cls) if one.name != "extra")


def _part(kind: type[Record], value: Any) -> Any:
    return [kind.from_dict(one) for one in value] if isinstance(value, list) else kind.from_dict(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    # A list has records or none: vectors are not walked through.
    return (
        [one.to_dict() for one in value]
        if isinstance(value, list) and value and isinstance(value[0], Record)
        else value
    )


@dataclass(frozen=True, kw_only=True, repr=False)
class Chunk(Record):
    """A stretch of a text: `text[start_index:end_index]`, in the unit of the request. Some fields must be asked for."""

    text: str
    start_index: int
    end_index: int
    token_count: int
    id: str | None = None
    document_id: str | None = None
    index: int | None = None
    hash: str | None = None
    metadata: Mapping[str, Any] | None = None
    first_line: int | None = None
    last_line: int | None = None
    first_page: int | None = None
    last_page: int | None = None
    previous_id: str | None = None
    next_id: str | None = None
    context: str | None = None
    embedding: list[float] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ErrorDetail(Record):
    """Why a part of a request failed: the status that a request with it alone would have, and what to change."""

    status: int
    detail: str


@dataclass(frozen=True, kw_only=True, repr=False)
class StreamLine(Record):
    """The answer to one document of a stream, or list of chunks: its `chunks`, or the `error` of this one alone."""

    index: int
    id: str | None = None
    chunks: list[Chunk] = field(default_factory=list)
    error: ErrorDetail | None = None
    _parts: ClassVar[Mapping[str, type[Record]]] = {"chunks": Chunk, "error": ErrorDetail}

    def chunks_or_raise(self) -> list[Chunk]:
        """The chunks. Raises `ChunksmithError` if it failed."""
        if self.error is not None:
            raise ChunksmithError(self.error.detail, code="refused", status=self.error.status)
        return self.chunks

    def to_dict(self) -> dict[str, Any]:
        """Members as in the JSON of the service."""
        whole = super().to_dict()
        if self.error is not None:
            del whole["chunks"]
        return whole


@dataclass(frozen=True, kw_only=True, repr=False)
class DocumentChunks(Record):
    """A line of the output of a job whose `group` is `document`."""

    chunks: list[Chunk]
    document_id: str | None = None
    _parts: ClassVar[Mapping[str, type[Record]]] = {"chunks": Chunk}


@dataclass(frozen=True, kw_only=True, repr=False)
class Embeddings(Record):
    """Vectors in the order of the texts."""

    model: str
    dimensions: int
    # Lists of numbers, or texts if the request asks for base64.
    embeddings: list[list[float]] | list[str]

    @property
    def vectors(self) -> list[list[float]]:
        """The vectors as numbers, however they were sent."""
        return [_floats(one) if isinstance(one, str) else one for one in self.embeddings]


def _floats(encoded: str) -> list[float]:
    numbers = array("f", base64.b64decode(encoded))
    if byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


@dataclass(frozen=True, kw_only=True, repr=False)
class Tokens(Record):
    """How many tokens a text has and, if asked for, where they begin and end, their ids and their texts."""

    count: int
    offsets: list[list[int]] | None = None
    ids: list[int] | None = None
    tokens: list[str] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TokenizedTexts(Record):
    """Results in the order of the texts."""

    tokenizer: str
    results: list[Tokens]
    _parts: ClassVar[Mapping[str, type[Record]]] = {"results": Tokens}


@dataclass(frozen=True, kw_only=True, repr=False)
class FoundChunk(Record):
    """A chunk that a question found; `document` is the place of its document."""

    document: int
    start_index: int
    end_index: int
    token_count: int
    score: float


@dataclass(frozen=True, kw_only=True, repr=False)
class EvaluatedQuestion(Record):
    """The scores of one question, from 0 to 1, and what it found."""

    recall: float
    precision: float
    iou: float
    precision_at_full_recall: float
    tokens: int
    found: list[FoundChunk]
    _parts: ClassVar[Mapping[str, type[Record]]] = {"found": FoundChunk}


@dataclass(frozen=True, kw_only=True, repr=False)
class EvaluatedCandidate(Record):
    """The means over all questions, or the `error` of this candidate alone."""

    index: int
    name: str
    same_as: int | None = None
    recall: float | None = None
    precision: float | None = None
    iou: float | None = None
    precision_at_full_recall: float | None = None
    tokens_per_question: float | None = None
    chunks: int | None = None
    questions: list[EvaluatedQuestion] | None = None
    error: ErrorDetail | None = None
    _parts: ClassVar[Mapping[str, type[Record]]] = {"questions": EvaluatedQuestion, "error": ErrorDetail}


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation(Record):
    """Candidates in the order of the request."""

    embedding_model: str
    k: int
    candidates: list[EvaluatedCandidate]
    _parts: ClassVar[Mapping[str, type[Record]]] = {"candidates": EvaluatedCandidate}


@dataclass(frozen=True, kw_only=True, repr=False)
class PipelineStep(Record):
    """A step: `type` is `chunk` or `refine`, and `config` has the options of the plugin."""

    type: str
    chunker: str | None = None
    refinery: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, repr=False)
class PipelineConfig(Record):
    """What a pipeline does."""

    steps: list[PipelineStep]
    _parts: ClassVar[Mapping[str, type[Record]]] = {"steps": PipelineStep}


@dataclass(frozen=True, kw_only=True, repr=False)
class Pipeline(Record):
    """A stored pipeline. Times are UTC."""

    id: str
    name: str
    description: str | None = None
    config: PipelineConfig
    created_at: str
    updated_at: str
    _parts: ClassVar[Mapping[str, type[Record]]] = {"config": PipelineConfig}


@dataclass(frozen=True, kw_only=True, repr=False)
class JobCounts(Record):
    """How many are done and failed, of how many if that is known. Files that are no text are skipped."""

    done: int
    failed: int
    skipped: int | None = None
    total: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Job(Record):
    """A job as it was when it was asked for. Times are UTC."""

    id: str
    state: str
    error: ErrorDetail | None = None
    source: Mapping[str, Any]
    target: Mapping[str, Any]
    group: str
    shards: JobCounts
    documents: JobCounts
    # How many files were skipped for each reason, and how many documents are done that have no text: `empty`.
    skipped_reasons: Mapping[str, int] = field(default_factory=dict)
    chunks: int
    # Texts of which the model knows no word.
    embedding_empty: int = 0
    # Documents that were deleted from the sink, and those that may be gone and were not.
    pruned: int = 0
    unpruned: int = 0
    # Members `read` and `total`.
    bytes: Mapping[str, int]
    bytes_per_second: int
    seconds_left: int | None = None
    created_at: str
    finished_at: str | None = None
    expires_at: str
    _parts: ClassVar[Mapping[str, type[Record]]] = {
        "error": ErrorDetail,
        "shards": JobCounts,
        "documents": JobCounts,
    }

    @property
    def is_over(self) -> bool:
        """Whether it is done, failed or cancelled."""
        return self.finished_at is not None


@dataclass(frozen=True, kw_only=True, repr=False)
class Shard(Record):
    """A part of the source of a job, which is done by itself."""

    seq: int
    state: str
    attempt: int
    failures: int
    worker: str | None = None
    source: Mapping[str, Any]
    documents: Mapping[str, int] | None = None
    chunks: int | None = None
    error: ErrorDetail | None = None
    _parts: ClassVar[Mapping[str, type[Record]]] = {"error": ErrorDetail}


@dataclass(frozen=True, kw_only=True, repr=False)
class JobManifest(Record):
    """The files of the output of a job, shard by shard, and how much there is of what."""

    shards: list[Mapping[str, Any]]
    counts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, repr=False)
class JobError(Record):
    """A document that failed, or one that was skipped: it has the reason as `skipped`, and no `status`."""

    status: int | None = None
    skipped: str | None = None
    detail: str
    source: str | None = None
    id: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Plugin(Record):
    """A plugin of the service, and what it lacks if it cannot run."""

    kind: str
    name: str
    summary: str
    available: bool
    missing: list[str]


@dataclass(frozen=True, kw_only=True, repr=False)
class EmbeddingModel(Record):
    """An embedding model that is ready; `version` changes with its weights."""

    name: str
    aliases: list[str]
    provider: str
    version: str | None = None
    dimensions: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Tokenizer(Record):
    """A tokenizer, and what is missing if it cannot be opened now."""

    name: str
    aliases: list[str]
    provider: str
    available: bool
    missing: list[str]


@dataclass(frozen=True, kw_only=True, repr=False)
class ServiceInfo(Record):
    """What the service is: method and path of its endpoints, and the plugins that cannot run there."""

    name: str
    version: str
    docs: str
    redoc: str
    openapi: str
    endpoints: list[str]
    unavailable: list[Plugin]
    playground: str | None = None
    _parts: ClassVar[Mapping[str, type[Record]]] = {"unavailable": Plugin}


@dataclass(frozen=True, kw_only=True, repr=False)
class Health(Record):
    """`ok` or `ready`."""

    status: str


# Requests: what is sent, and how the answer is read. Both clients share all from here on but the connections.


@dataclass(frozen=True)
class _Settings:
    timeout: float
    max_retries: int
    headers: Mapping[str, str]
    on_headers: OnHeaders | None = None

    @classmethod
    def of(cls, api_key: str | None, timeout: float, max_retries: int, headers: Mapping[str, str] | None) -> _Settings:
        key = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
        return cls(timeout, max_retries, {**key, **_lower(headers)})

    def changed(
        self,
        timeout: float | None,
        max_retries: int | None,
        headers: Mapping[str, str] | None,
        on_headers: OnHeaders | None,
    ) -> _Settings:
        return _Settings(
            self.timeout if timeout is None else timeout,
            self.max_retries if max_retries is None else max_retries,
            {**self.headers, **_lower(headers)},
            on_headers or self.on_headers,
        )

    def silence_of(self, call: _Call[Any]) -> float:
        return max(self.timeout, call.silence) if self.timeout > 0 else 0.0


def _lower(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {name.lower(): value for name, value in (headers or {}).items()}


@dataclass(frozen=True)
class _Address:
    url: str
    host: str
    port: int
    path: str
    is_secure: bool

    @classmethod
    def of(cls, base_url: str) -> _Address:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"base_url: expected a URL such as http://localhost:8000, got {base_url!r}")
        if parts.username is not None:
            raise ValueError("base_url: expected a URL without user and password; give api_key or headers instead")
        is_secure = parts.scheme == "https"
        port = parts.port or (443 if is_secure else 80)
        return cls(base_url.rstrip("/"), parts.hostname, port, parts.path.rstrip("/"), is_secure)

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class _Call(Generic[T]):
    """A request, and how the JSON of its answer, or each line of it, is read."""

    method: str
    path: str
    read: Callable[[Any], T]
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    # Whether it may be sent again if nobody knows what became of it.
    is_safe: bool = True
    # Whether the body is sent in pieces, of which `body` is the first.
    is_stream: bool = False
    # Whether the answer is JSON; else it is a text.
    is_json: bool = True
    # Seconds of silence that a stream of answers may have, if the timeout is shorter.
    silence: float = 0.0

    def head(self, address: _Address, settings: _Settings) -> bytes:
        """The head of the request. Raises `ValueError` for a header that cannot be sent."""
        length = {} if self.method in ("GET", "DELETE") else {"content-length": str(len(self.body))}
        length = {"transfer-encoding": "chunked"} if self.is_stream else length
        headers = {"host": address.authority, "user-agent": f"chunksmith-python/{__version__}", "accept": "*/*"}
        headers.update({**settings.headers, **self.headers, **length})
        for name, value in headers.items():
            if "\r" in name + value or "\n" in name + value:
                raise ValueError(f"The header {name} has a line break, and cannot be sent")
        lines = [f"{self.method} {address.path}{self.path} HTTP/1.1", *(f"{n}: {v}" for n, v in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def answered(self, reply: _Reply) -> T:
        """What is asked for. Raises `ChunksmithError` if it is refused."""
        reply.check_status()
        value = reply.json() if self.is_json else reply.body.decode()
        return reply.checked(self.read, value)


def _quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _json(value: Any, place: str = "") -> bytes:
    """JSON in UTF-8. Halves of surrogate pairs are escaped. `ValueError` names the place of NaN, which JSON has not."""
    write = functools.partial(json.dumps, allow_nan=False, separators=(",", ":"), default=_plain_of)
    try:
        return write(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return write(value).encode()
    except ValueError:
        found = _not_finite(value, place)
        if found is None:
            raise
        found_at, number = found
        raise ValueError(f"{found_at}: JSON has no {number}; give a finite number, or None") from None


def _not_finite(value: Any, place: str = "") -> tuple[str, float] | None:
    """The first number that JSON has not, and its place; None for what refers to itself."""
    if isinstance(value, float):
        return None if math.isfinite(value) else (place.removeprefix("."), value)
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, (Mapping, Record)):
        members = ((f".{name}", one) for name, one in dict(_plain_of(value)).items())
    elif isinstance(value, (list, tuple)):
        members = ((f"[{at}]", one) for at, one in enumerate(value))
    with suppress(RecursionError):
        for name, one in members:
            found = _not_finite(one, f"{place}{name}")
            if found is not None:
                return found
    return None


def _plain_of(value: Any) -> Any:
    """What `json` does not know: records, and whatever stands for an object or a list."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON can say")


_JSON = {"content-type": "application/json"}
_LINES = "application/x-ndjson"


def _json_call(
    method: str,
    path: str,
    read: Callable[[Any], T],
    body: Mapping[str, Any],
    *,
    is_safe: bool,
    headers: Mapping[str, str] | None = None,
) -> _Call[T]:
    return _Call(method, path, read, _json(body), {**_JSON, **(headers or {})}, is_safe)


def _work_call(path: str, kind: type[R], body: Mapping[str, Any]) -> _Call[R]:
    return _json_call("POST", path, kind.from_dict, body, is_safe=True)


def _get_call(path: str, kind: type[R]) -> _Call[R]:
    return _Call("GET", path, kind.from_dict)


_METRICS: _Call[str] = _Call("GET", "/metrics", str, is_json=False)


def _list_call(path: str, kind: type[R], **query: str | int | None) -> _Call[list[R]]:
    asked = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
    return _Call("GET", f"{path}?{asked}" if asked else path, lambda given: [kind.from_dict(one) for one in given])


def _delete_call(path: str, if_match: str | None = None) -> _Call[None]:
    # One that is repeated after it was carried out would be answered with 404.
    return _Call("DELETE", path, lambda _: None, headers=_if_match(if_match), is_safe=False, is_json=False)


def _if_match(etag: str | None) -> dict[str, str]:
    return {} if etag is None else {"if-match": etag}


def _with_texts(path: str, text: Any, options: Mapping[str, Any]) -> _Call[Any]:
    """A request with a text, a list of texts, or `documents`."""
    if (text is None) == ("documents" not in options):
        raise TypeError("Give a text, a list of texts, or documents=, and one of these alone")
    body = options if text is None else {"text": text, **options}
    return _json_call("POST", path, _chunks_of, body, is_safe=True)


def _refine_call(refinery: str, body: Mapping[str, Any]) -> _Call[Any]:
    return _json_call("POST", f"/v1/refine/{_quoted(refinery)}", _chunks_of, body, is_safe=True)


def _chunks_of(answer: Any) -> list[Any]:
    """Chunks, or lists of them."""
    return [_chunks_of(one) if isinstance(one, list) else Chunk.from_dict(one) for one in answer]


def _stream_call(path: str, options: Mapping[str, Any]) -> _Call[StreamLine]:
    headers = {"content-type": _LINES, "accept": _LINES}
    return _Call("POST", path, StreamLine.from_dict, _piece(options), headers, is_safe=False, is_stream=True)


def _piece(value: Any, place: str = "") -> bytes:
    """A line of JSON, as a chunk of a body."""
    line = _json(value, place)
    return b"%x\r\n%b\n\r\n" % (len(line) + 1, line)


_LAST_PIECE = b"0\r\n\r\n"


def _evaluate_lines(request: Mapping[str, Any]) -> _Call[EvaluatedCandidate]:
    headers = {"accept": _LINES}
    return _json_call("POST", "/v1/evaluate", _candidate, request, is_safe=True, headers=headers)


def _candidate(line: Mapping[str, Any]) -> EvaluatedCandidate:
    if "name" not in line and "error" in line:
        error = ErrorDetail.from_dict(line["error"])
        raise ChunksmithError(error.detail, code="refused", status=error.status)
    return EvaluatedCandidate.from_dict(line)


def _create_pipeline(body: Mapping[str, Any]) -> _Call[Pipeline]:
    return _json_call("POST", "/v1/pipelines", Pipeline.from_dict, body, is_safe=False)


def _put_pipeline(name: str, body: Mapping[str, Any], if_match: str | None) -> _Call[Pipeline]:
    path = f"/v1/pipelines?{urllib.parse.urlencode({'name': name})}"
    return _changing_call(path, body, if_match)


def _update_pipeline(id: str, changes: Mapping[str, Any], if_match: str | None) -> _Call[Pipeline]:
    return _changing_call(f"/v1/pipelines/{_quoted(id)}", changes, if_match)


def _changing_call(path: str, body: Mapping[str, Any], if_match: str | None) -> _Call[Pipeline]:
    # With If-Match, a change that is repeated after it was made would be refused.
    headers = _if_match(if_match)
    return _json_call("PUT", path, Pipeline.from_dict, body, is_safe=if_match is None, headers=headers)


_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def _path_of_id(id_or_name: str) -> str | None:
    return f"/v1/pipelines/{id_or_name}/execute" if _ID.fullmatch(id_or_name) else None


def _find_pipeline(name: str) -> _Call[str]:
    def path_of(found: list[Mapping[str, Any]]) -> str:
        if not found:
            detail = (
                f"There is no pipeline {json.dumps(name, ensure_ascii=False)}: pipelines.list() has those there are."
            )
            raise ChunksmithError(detail, code="refused", status=404)
        return f"/v1/pipelines/{found[0]['id']}/execute"

    return _Call("GET", f"/v1/pipelines?{urllib.parse.urlencode({'name': name})}", path_of)


def _job(id: str, part: str | None = None) -> str:
    return f"/v1/jobs/{_quoted(id)}" + ("" if part is None else f"/{part}")


def _create_job(body: Mapping[str, Any], key: str | None) -> _Call[Job]:
    headers = {} if key is None else {"idempotency-key": key}
    return _json_call("POST", "/v1/jobs", Job.from_dict, body, is_safe=key is not None, headers=headers)


def _change_job(id: str, verb: str, *, is_safe: bool) -> _Call[Job]:
    return _Call("POST", _job(id, verb), Job.from_dict, is_safe=is_safe)


def _job_lines(id: str, part: str, read: Callable[[Any], T]) -> _Call[T]:
    # While nothing changes, the service says so every 15 s.
    return _Call("GET", _job(id, part), read, headers={"accept": _LINES}, silence=45.0)


def _job_line(line: Mapping[str, Any]) -> JobLine:
    return DocumentChunks.from_dict(line) if "chunks" in line else Chunk.from_dict(line)


def _file_call(
    path: str, file: File, name: str | None, media_type: str | None, options: Mapping[str, Any]
) -> _Call[list[Chunk]]:
    """A form with the file and the options."""
    own_name, data = _read_file(file)
    boundary = f"chunksmith-{uuid.uuid4().hex}"
    # A name that is not known is empty, and then the service goes by the media type.
    part = f'form-data; name="file"; filename="{_form_name(name or own_name)}"'
    parts = [
        _form_part(boundary, f'form-data; name="{_form_name(key)}"', _form_value(value))
        for key, value in options.items()
    ]
    parts.append(_form_part(boundary, part, data, media_type or "application/octet-stream"))
    body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
    return _Call("POST", path, _chunks_of, body, {"content-type": f"multipart/form-data; boundary={boundary}"})


def _read_file(file: File) -> tuple[str, bytes]:
    if isinstance(file, bytes):
        return "", file
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened:
            return os.path.basename(os.fspath(file)), opened.read()
    data = file.read()
    if not isinstance(data, bytes):
        raise TypeError(
            "The file is open for text: open it with mode 'rb', so that the service can find out its encoding"
        )
    name = getattr(file, "name", "")
    return os.path.basename(name) if isinstance(name, str) else "", data


def _form_part(boundary: str, disposition: str, value: bytes, media_type: str | None = None) -> bytes:
    kind = "" if media_type is None else f"Content-Type: {media_type}\r\n"
    if "\n" in kind[:-2] or "\r" in kind[:-2]:
        raise ValueError("The media type has a line break, and cannot be sent")
    return f"--{boundary}\r\nContent-Disposition: {disposition}\r\n{kind}\r\n".encode() + value + b"\r\n"


def _form_name(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _form_value(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else _json(value)


# Retries.

_FIRST_DELAY = 0.1
_LONGEST_DELAY = 10.0
# A service that asks for more is not waited for.
_LONGEST_WAIT = 60.0


def _delay_before_retry(call: _Call[Any], error: ChunksmithError, tries: int, max_retries: int) -> float:
    """Seconds to wait before the call is sent again. Raises the error if it is not."""
    asked = error.retry_after or 0.0
    if tries >= max_retries or not _may_pass(call, error) or asked > _LONGEST_WAIT:
        raise error
    own = min(_FIRST_DELAY * float(2**tries), _LONGEST_DELAY)
    return max(asked, own) + random.uniform(0, own)


def _may_pass(call: _Call[Any], error: ChunksmithError) -> bool:
    if error.status in (429, 503) and error.retry_after is not None:
        # It was refused before anything was done.
        return not call.is_stream
    # A gateway that has no service behind it gives no reason in JSON.
    is_of_gateway = error.code == "invalid_answer" and error.status in (502, 503)
    return call.is_safe and (is_of_gateway or error.code in ("unreachable", "cut_off"))


# Answers.


@dataclass
class _Reply:
    answer: _Answer
    body: bytes

    def check_status(self) -> None:
        """Raises `ChunksmithError` if the request was refused."""
        if 200 <= self.answer.status < 300:
            return
        code, problems = "refused", ()
        try:
            told = json.loads(self.body)
            detail, problems = str(told["detail"]), told.get("problems") or ()
        except (ValueError, KeyError, TypeError):
            code = "invalid_answer"
            detail = f"{self.answer.url} answered {self.answer.status}: {self.body[:200].decode(errors='replace')}"
        raise ChunksmithError(
            detail,
            code=code,
            status=self.answer.status,
            request_id=self.answer.headers.get("x-request-id"),
            problems=problems,
            retry_after=_seconds(self.answer.headers.get("retry-after")),
        )

    def json(self) -> Any:
        return self.checked(json.loads, self.body)

    def checked(self, read: Callable[[Any], T], value: Any) -> T:
        """What is read of a part of the answer."""
        request_id = self.answer.headers.get("x-request-id")
        try:
            return read(value)
        except ChunksmithError as error:
            error.request_id = error.request_id or request_id
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            said = "is no JSON" if isinstance(error, ValueError) else "is not the JSON that was expected"
            detail = f"What {self.answer.url} answers {said}: is it a Chunksmith service? ({error})"
            raise ChunksmithError(detail, code="invalid_answer", request_id=request_id) from error


def _seconds(header: str | None) -> float | None:
    """What `Retry-After` asks for: seconds, or a date."""
    if header is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", header):
        return float(header)
    with suppress(ValueError, TypeError):
        return max(email.utils.parsedate_to_datetime(header).timestamp() - time.time(), 0.0)
    return None


class _Lines(Generic[T]):
    """Reads the lines of an answer as they come."""

    def __init__(self, call: _Call[T], answer: _Answer) -> None:
        self._call = call
        self._answer = answer
        self._process = os.getpid()
        self._rest: list[bytes] = []

    def read(self, body: bytes) -> Iterator[T]:
        if self._answer.status != 200 or b"\n" not in body:
            self._rest.append(body)
            return
        *lines, last = b"".join([*self._rest, body]).split(b"\n")
        self._rest = [last]
        reply = _Reply(self._answer, b"")
        for line in lines:
            if self._process != os.getpid():
                raise _forked()
            yield reply.checked(self._call.read, reply.checked(json.loads, line))

    def end(self) -> None:
        """Raises `ChunksmithError` if the request was refused, or the last line has no end."""
        rest = b"".join(self._rest)
        _Reply(self._answer, rest).check_status()
        if rest:
            raise self._answer.cut_off("the last line has no end")


class _Flow:
    """What of a stream was sent and answered."""

    def __init__(self) -> None:
        self._begun = 0
        self._answered = 0
        self._last_error: ErrorDetail | None = None
        # Whether the source is waited for.
        self.is_waiting = False

    def line(self, item: Any) -> bytes:
        piece = _piece(item, f"[{self._begun}]")
        self._begun += 1
        return piece

    def answered(self, line: StreamLine) -> StreamLine:
        """Notes an answer. Raises `ChunksmithError` if it is for none of the lines but for the whole stream."""
        self._last_error = line.error
        if line.error is not None and line.index >= self._begun:
            raise ChunksmithError(line.error.detail, code="refused", status=line.error.status)
        self._answered += 1
        return line

    @property
    def is_idle(self) -> bool:
        """Whether all that was sent is answered, and there is nothing to send yet."""
        return self.is_waiting and self._answered >= self._begun

    def check_end(self) -> None:
        """Raises `ChunksmithError` if lines have no answer."""
        if self._answered >= self._begun:
            return
        reason = "" if self._last_error is None else f": {self._last_error.detail}"
        detail = f"The service ended the stream after {self._answered} answers to {self._begun} lines{reason}"
        raise ChunksmithError(detail, code="cut_off")


class _Watch:
    """The waiting for a job."""

    def __init__(self, id: str, on_progress: Callable[[Job], object] | None, max_retries: int) -> None:
        self.call = _job_lines(id, "events", Job.from_dict)
        self._on_progress = on_progress
        self._max_retries = max_retries
        self._job: Job | None = None
        self._tries = 0

    def tell(self, job: Job) -> None:
        has_changed = job != self._job
        self._job = job
        self._tries = 0
        if has_changed and self._on_progress is not None:
            self._on_progress(job)

    def end(self) -> Job:
        """The job, once there are no more events. Raises `ChunksmithError` if it is not over."""
        if self._job is None or not self._job.is_over:
            raise ChunksmithError("The service ended the events before the job was over", code="cut_off")
        return self._job

    def delay_after(self, error: ChunksmithError) -> float:
        """Seconds to wait before events are asked for again. Raises the error if they are not."""
        delay = _delay_before_retry(self.call, error, self._tries, self._max_retries)
        self._tries += 1
        return delay


# HTTP/1.1. The answer is read here and not by `http.client`, which cannot read while it sends, nor be awaited.

_PART = 65536
_LONGEST_HEAD = 1 << 20


class _Patience:
    """How long is waited: for all of a try, or for the next sign of life."""

    def __init__(self, timeout: float, *, is_total: bool = False, flow: _Flow | None = None) -> None:
        self._timeout = timeout
        self._is_total = is_total
        self._flow = flow
        self._since = time.monotonic()

    def moved(self) -> None:
        """Something was sent or received, or nothing was waited for."""
        if not self._is_total:
            self._since = time.monotonic()

    def left(self) -> float | None:
        """Seconds that may be waited now. Raises `ChunksmithError` if there are none left."""
        if self._timeout <= 0:
            return None
        if self._flow is not None and self._flow.is_idle:
            self.moved()
        left = self._since + self._timeout - time.monotonic()
        if left <= 0:
            detail = f"No answer within the timeout of {self._timeout:g} s: give a longer timeout, or send less at once"
            raise ChunksmithError(detail, code="timeout")
        return left


class _Answer:
    """Reads one answer from bytes as they come."""

    def __init__(self, url: str, on_headers: OnHeaders | None) -> None:
        self.url = url
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.is_over = False
        # Whether the connection can take another request.
        self.can_follow = True
        self._on_headers = on_headers
        self._buffer = bytearray()
        # The reader of what comes next, which gives the bytes of the body, or None if it needs more.
        self._next: Callable[[], bytes | None] = self._read_head
        self._left = 0

    def feed(self, data: bytes) -> bytes:
        """The part of the body that the data has."""
        self._buffer += data
        parts: list[bytes] = []
        while not self.is_over and (part := self._next()) is not None:
            parts.append(part)
        return b"".join(parts)

    def end(self) -> None:
        """The connection has ended. Raises `ChunksmithError` if the answer has not."""
        if self._next != self._read_to_end:
            raise self.broken(None)
        self.can_follow = False
        self.is_over = True

    def broken(self, error: OSError | None) -> ChunksmithError:
        """What it means that the connection has ended before the answer."""
        reason = "" if error is None else f" ({error})"
        if self.status > 0:
            return self.cut_off(f"the connection was closed{reason}")
        return ChunksmithError(f"The connection to {self.url} was closed without an answer{reason}", code="unreachable")

    def cut_off(self, reason: str) -> ChunksmithError:
        detail = f"The answer of {self.url} was cut off: {reason}"
        return ChunksmithError(detail, code="cut_off", request_id=self.headers.get("x-request-id"))

    def _read_head(self) -> bytes | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end == -1:
            if len(self._buffer) > _LONGEST_HEAD:
                raise self._invalid("its head has no end")
            return None
        line, _, fields_ = bytes(self._buffer[: end + 4]).partition(b"\r\n")
        del self._buffer[: end + 4]
        match = re.fullmatch(rb"HTTP/1\.([01]) (\d{3})(?: .*)?", line)
        if match is None:
            raise self._invalid(f"it begins with {line[:40]!r}")
        status = int(match[2])
        if status >= 200:
            self._take_head(status, http.client.parse_headers(io.BytesIO(fields_)), match[1] == b"1")
        return b""

    def _take_head(self, status: int, message: Message, is_current: bool) -> None:
        headers = {name.lower(): ", ".join(message.get_all(name, [])) for name in message.keys()}
        self.status, self.headers = status, headers
        is_kept = is_current and "close" not in headers.get("connection", "").lower()
        # Of a request that was refused, the service may not read the rest.
        self.can_follow = is_kept and status < 400
        if self._on_headers is not None:
            self._on_headers(headers)
        if status in (204, 304):
            self.is_over = True
        elif "chunked" in headers.get("transfer-encoding", "").lower():
            self._next = self._read_size
        elif "content-length" in headers:
            self._left = self._number(headers["content-length"], 10)
            self._next, self.is_over = self._read_length, self._left == 0
        else:
            self._next = self._read_to_end

    def _read_to_end(self) -> bytes | None:
        return self._take(len(self._buffer))

    def _read_length(self) -> bytes | None:
        part = self._take(self._left)
        self.is_over = self._left == 0
        return part

    def _read_size(self) -> bytes | None:
        line = self._line()
        if line is None:
            return None
        self._left = self._number(line.split(b";")[0].decode("latin-1"), 16)
        self._next = self._read_piece if self._left > 0 else self._read_trailer
        return b""

    def _read_piece(self) -> bytes | None:
        part = self._take(self._left)
        if self._left == 0:
            self._next = self._read_gap
        return part

    def _read_gap(self) -> bytes | None:
        if self._line() is None:
            return None
        self._next = self._read_size
        return b""

    def _read_trailer(self) -> bytes | None:
        line = self._line()
        self.is_over = line == b""
        return None if line is None else b""

    def _take(self, most: int) -> bytes | None:
        part = bytes(self._buffer[:most])
        del self._buffer[:most]
        self._left -= len(part)
        return part or None

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\r\n")
        if end == -1:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _number(self, text: str, base: int) -> int:
        try:
            return int(text.strip(), base)
        except ValueError:
            raise self._invalid(f"{text[:40]!r} is no length") from None

    def _invalid(self, reason: str) -> ChunksmithError:
        detail = f"What {self.url} answers is no HTTP that can be read, and no JSON: {reason}"
        return ChunksmithError(detail, code="invalid_answer")


def _unreachable(address: _Address, error: Exception) -> ChunksmithError:
    detail = f"{address.url} cannot be reached ({error}): is the service running there?"
    return ChunksmithError(detail, code="unreachable")


def _not_reached_in_time(address: _Address) -> ChunksmithError:
    return ChunksmithError(f"{address.url} could not be reached within the timeout", code="timeout")


def _closed() -> ChunksmithError:
    return ChunksmithError("The client was closed", code="closed")


def _forked() -> ChunksmithError:
    detail = "The process that made this request goes on with it, and this one was forked from it: make another here"
    return ChunksmithError(detail, code="closed")


# Connections that are kept for later requests.
_MOST_IDLE = 16


class _PoolOfProcess(ABC):
    """Connections of one process. A copy, or what is unpickled elsewhere, begins without any."""

    _all: ClassVar[weakref.WeakSet[_PoolOfProcess]] = weakref.WeakSet()

    def __init__(self, address: _Address) -> None:
        self.address = address
        # Last of all, since another thread may fork at any time.
        self._all.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.address,)

    @classmethod
    def leave_all(cls) -> None:
        for pool in [*cls._all]:
            pool.leave()

    @abstractmethod
    def leave(self) -> None:
        """Leaves all connections to the process that this one was forked from, and makes locks that it may hold anew."""


# Two processes that ask over the same connection read the answers of each other.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PoolOfProcess.leave_all)


class _Connection:
    """A connection on which is sent and received at the same time, in one thread."""

    def __init__(self, address: _Address, timeout: float | None) -> None:
        try:
            self._socket = socket.create_connection((address.host, address.port), timeout)
        except TimeoutError as error:
            raise _not_reached_in_time(address) from error
        except OSError as error:
            raise _unreachable(address, error) from error
        if address.is_secure:
            self._secure(address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._process = os.getpid()
        self.is_reusable = False
        self._socket.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)

    def _secure(self, address: _Address) -> None:
        plain = self._socket
        try:
            self._socket = _tls().wrap_socket(plain, server_hostname=address.host)
        except OSError as error:
            plain.close()
            if isinstance(error, TimeoutError):
                raise _not_reached_in_time(address) from error
            raise _unreachable(address, error) from error

    def talk(self, pieces: Iterator[bytes], answer: _Answer, patience: _Patience) -> Iterator[bytes]:
        """Sends the pieces while it reads, and yields the body of the answer as it comes."""
        self.is_reusable = False
        outbox = _Outbox(pieces)
        while not answer.is_over:
            received = self._receive(answer)
            if received is not None:
                if body := _fed(answer, received):
                    yield body
                patience.moved()
            if answer.status >= 400:
                outbox.stop()
            has_sent = self._send(outbox, patience)
            if received is None and not has_sent and not answer.is_over:
                self._wait(bool(outbox.piece), patience.left())
        self.is_reusable = answer.can_follow and outbox.is_over

    def is_stale(self) -> bool:
        """Whether the other side has closed it, or sent what nobody has asked for."""
        try:
            return self._socket.recv(1) is not None
        except _NOT_NOW:
            return False
        except OSError:
            return True

    def interrupt(self) -> None:
        """Ends what is going on, from another thread."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    @property
    def is_inherited(self) -> bool:
        """Whether it is that of the process that this one was forked from."""
        return self._process != os.getpid()

    def close(self) -> None:
        """Closes it in this process. One that is inherited stays open in the other."""
        for part in (self._selector, self._socket):
            # Not all kinds of selectors are inherited.
            with suppress(OSError):
                part.close()

    def _receive(self, answer: _Answer) -> bytes | None:
        """What has come, or None if nothing has. No bytes are the end."""
        try:
            return self._socket.recv(_PART)
        except _NOT_NOW:
            return None
        except OSError as error:
            raise answer.broken(error) from error

    def _send(self, outbox: _Outbox, patience: _Patience) -> bool:
        """Whether something was sent."""
        if not outbox.fill():
            return False
        # The source of a stream may have taken its time.
        patience.moved()
        try:
            outbox.sent(self._socket.send(outbox.piece))
        except _NOT_NOW:
            return False
        except OSError:
            # What the service has answered before may still be there to read.
            outbox.stop()
        return True

    def _wait(self, wants_to_send: bool, seconds: float | None) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if wants_to_send else 0)
        self._selector.modify(self._socket, events)
        self._selector.select(seconds)


_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class _Outbox:
    """What is still to be sent, one piece after the other."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self.piece = memoryview(b"")
        self.is_over = False
        self._is_stopped = False

    def fill(self) -> bool:
        """Takes the next piece if the last one is sent. Whether there is something to send."""
        while not self.piece and not self.is_over and not self._is_stopped:
            piece = next(self._pieces, None)
            self.is_over = piece is None
            self.piece = memoryview(piece or b"")
        return bool(self.piece)

    def sent(self, count: int) -> None:
        self.piece = self.piece[count:]

    def stop(self) -> None:
        """Nothing more is sent."""
        self._is_stopped = True
        self.piece = memoryview(b"")


def _fed(answer: _Answer, received: bytes) -> bytes:
    """What of the body there is in what was received. No bytes are the end of the connection."""
    if received:
        return answer.feed(received)
    answer.end()
    return b""


@functools.lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Pool(_PoolOfProcess):
    """The connections of a synchronous client."""

    def __init__(self, address: _Address) -> None:
        self._closed = threading.Event()
        self._begin()
        super().__init__(address)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._busy: set[_Connection] = set()

    def leave(self) -> None:
        for connection in [*self._idle, *self._busy]:
            connection.close()
        self._begin()
        was_closed, self._closed = self._closed.is_set(), threading.Event()
        if was_closed:
            self._closed.set()

    def __del__(self) -> None:
        # Who gets a client from another process may not know that there is something to close.
        for connection in self._idle:
            connection.close()

    @contextmanager
    def connection(self, call: _Call[Any], patience: _Patience) -> Iterator[_Connection]:
        """A connection for one request: a new one, which is surely open, for what is not safe to repeat."""
        connection = (self._take_idle() if call.is_safe else None) or _Connection(self.address, patience.left())
        with self._lock:
            self._busy.add(connection)
        try:
            if self._closed.is_set():
                raise _closed()
            yield connection
        except ChunksmithError as error:
            if connection.is_inherited:
                raise _forked() from error
            if self._closed.is_set():
                raise _closed() from error
            raise
        finally:
            self._give_back(connection)

    def sleep(self, seconds: float) -> None:
        """Waits. Raises `ChunksmithError` if the client is closed meanwhile."""
        if self._closed.wait(seconds):
            raise _closed()

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            idle, self._idle = self._idle, []
            for connection in self._busy:
                connection.interrupt()
        for connection in idle:
            connection.close()

    def _take_idle(self) -> _Connection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if not connection.is_stale():
                return connection
            connection.close()

    def _give_back(self, connection: _Connection) -> None:
        with self._lock:
            self._busy.discard(connection)
            is_usable = connection.is_reusable and not connection.is_inherited
            is_kept = is_usable and not self._closed.is_set() and len(self._idle) < _MOST_IDLE
            if is_kept:
                self._idle.append(connection)
        if not is_kept:
            connection.close()


class _AsyncConnection:
    """A connection of one event loop. A task sends while the answer is read."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.loop = asyncio.get_running_loop()
        self._alarm: asyncio.TimerHandle | None = None
        self._late: ChunksmithError | None = None
        self.is_reusable = False

    @classmethod
    async def open(cls, address: _Address, timeout: float | None) -> _AsyncConnection:
        context = _tls() if address.is_secure else None
        opening = asyncio.ensure_future(asyncio.open_connection(address.host, address.port, ssl=context))
        try:
            # Not `wait_for`, which before Python 3.12 may swallow a cancellation.
            await asyncio.wait([opening], timeout=timeout)
            if not opening.done():
                raise _not_reached_in_time(address)
            return cls(*opening.result())
        except OSError as error:
            raise _unreachable(address, error) from error
        finally:
            opening.cancel()

    async def talk(
        self, pieces: AsyncGenerator[bytes, None], answer: _Answer, patience: _Patience
    ) -> AsyncGenerator[bytes, None]:
        """As `_Connection.talk`."""
        self.is_reusable = False
        sender = asyncio.ensure_future(self._send(pieces, answer, patience))
        sender.add_done_callback(self._end_if_failed)
        try:
            while not answer.is_over:
                if body := _fed(answer, await self._receive(answer, patience)):
                    yield body
                patience.moved()
            self.is_reusable = answer.can_follow and sender.done() and sender.result()
        except ChunksmithError:
            # What the source of a stream raises comes first.
            if sender.done() and (error := sender.exception()) is not None:
                raise error from None
            raise
        finally:
            sender.cancel()
            await asyncio.wait([sender])

    def is_stale(self) -> bool:
        return self.loop.is_closed() or self._writer.is_closing() or self._reader.at_eof()

    def close(self) -> None:
        """Closes it, from another loop too, which may run in another thread."""
        # A loop that has ended says so, and there may be none here.
        with suppress(RuntimeError):
            if asyncio.get_running_loop() is self.loop:
                self._writer.transport.abort()
            else:
                self.loop.call_soon_threadsafe(self._writer.transport.abort)

    def leave(self) -> None:
        """Closes it in this process, which was forked from that of the loop.

        What ends a transport here, be it that it is collected, takes its descriptor out of the selector that both
        processes share, so that the loop over there waits for ever. So the descriptor becomes that of another file.
        """
        if self._writer.is_closing():
            return
        with suppress(OSError), open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), self._writer.get_extra_info("socket").fileno(), inheritable=False)

    async def _receive(self, answer: _Answer, patience: _Patience) -> bytes:
        """What has come. No bytes are the end."""
        self._set_alarm(patience)
        try:
            received = await self._reader.read(_PART)
        except OSError as error:
            raise self._late or answer.broken(error) from error
        finally:
            if self._alarm is not None:
                self._alarm.cancel()
        if self._late is not None:
            raise self._late
        return received

    def _set_alarm(self, patience: _Patience) -> None:
        """Closes the connection when there is no patience left."""
        try:
            seconds = patience.left()
        except ChunksmithError as late:
            self._late = late
            self.close()
        else:
            self._alarm = None if seconds is None else self.loop.call_later(seconds, self._set_alarm, patience)

    async def _send(self, pieces: AsyncGenerator[bytes, None], answer: _Answer, patience: _Patience) -> bool:
        """Whether all was sent."""
        async with aclosing(pieces):
            async for piece in pieces:
                if answer.status >= 400:
                    return False
                try:
                    self._writer.write(piece)
                    await self._writer.drain()
                except OSError:
                    # What the service has answered before may still be there to read.
                    return False
                patience.moved()
        return True

    def _end_if_failed(self, sender: asyncio.Task[bool]) -> None:
        if not sender.cancelled() and sender.exception() is not None:
            self.close()


async def _pieces_of(head: bytes, rest: bytes | AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    yield head
    if isinstance(rest, bytes):
        yield rest
        return
    async with aclosing(rest):
        async for piece in rest:
            yield piece


async def _stream_pieces(
    call: _Call[StreamLine], items: Iterable[Any] | AsyncIterable[Any], flow: _Flow
) -> AsyncGenerator[bytes, None]:
    """The body of a stream, as its source gives it."""
    yield call.body
    if isinstance(items, AsyncIterable):
        flow.is_waiting = True
        async for item in items:
            flow.is_waiting = False
            yield flow.line(item)
            flow.is_waiting = True
        flow.is_waiting = False
    else:
        for item in items:
            yield flow.line(item)
    yield _LAST_PIECE


class _AsyncPool(_PoolOfProcess):
    """The connections of an asynchronous client, of whichever event loops it is used in."""

    def __init__(self, address: _Address) -> None:
        self._idle: list[_AsyncConnection] = []
        self._busy: set[_AsyncConnection] = set()
        # Of the process that this one was forked from. They are kept, since streams that are collected warn.
        self._left: list[_AsyncConnection] = []
        self._is_closed = False
        super().__init__(address)

    def leave(self) -> None:
        for connection in (inherited := [*self._idle, *self._busy]):
            connection.leave()
        self._left += inherited
        self._idle, self._busy = [], set()

    @asynccontextmanager
    async def connection(self, call: _Call[Any], patience: _Patience) -> AsyncIterator[_AsyncConnection]:
        """As `_Pool.connection`."""
        idle = self._take_idle() if call.is_safe else None
        connection = idle or await _AsyncConnection.open(self.address, patience.left())
        self._busy.add(connection)
        try:
            if self._is_closed:
                raise _closed()
            yield connection
        except ChunksmithError as error:
            if self._is_closed:
                raise _closed() from error
            raise
        finally:
            self._give_back(connection)

    async def sleep(self, seconds: float) -> None:
        """Waits. Raises `ChunksmithError` if the client was closed meanwhile."""
        await asyncio.sleep(seconds)
        if self._is_closed:
            raise _closed()

    def close(self) -> None:
        self._is_closed = True
        for connection in [*self._idle, *self._busy]:
            connection.close()
        self._idle.clear()

    def _take_idle(self) -> _AsyncConnection | None:
        loop = asyncio.get_running_loop()
        for connection in [*reversed(self._idle)]:
            # Those of other loops are for these, which may run in other threads.
            if connection.loop is loop or connection.loop.is_closed():
                with suppress(ValueError):
                    self._idle.remove(connection)
                if not connection.is_stale():
                    return connection
                connection.close()
        return None

    def _give_back(self, connection: _AsyncConnection) -> None:
        self._busy.discard(connection)
        if connection.is_reusable and not self._is_closed and len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()
