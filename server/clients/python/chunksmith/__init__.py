"""Client of Chunksmith, a service that splits text into chunks.

    with Chunksmith("http://localhost:8000") as client:
        for chunk in client.chunk("sentence", text, chunk_size=200):
            assert text[chunk.start_index : chunk.end_index] == chunk.text

Offsets count code points, as Python does, unless a request says otherwise. Options have the names of the service.
`AsyncChunksmith` has the same methods to await.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar, Concatenate, Generic, List, ParamSpec, TypeVar, overload

import httpx

from . import _calls as calls
from ._batches import ChunkBatches
from ._calls import AnyChunk, AnyChunks, AnyIterable, Call, ChunkLists, Document, File, JobLine, Steps, Texts
from ._connections import AsyncPool, SyncPool
from ._records import (
    Chunk,
    ChunksmithError,
    DocumentChunks,
    EmbeddingModel,
    Embeddings,
    ErrorDetail,
    EvaluatedCandidate,
    EvaluatedQuestion,
    Evaluation,
    FoundChunk,
    Health,
    Job,
    JobCounts,
    JobError,
    JobManifest,
    Pipeline,
    PipelineConfig,
    PipelineStep,
    Plugin,
    Preset,
    Record,
    ServiceInfo,
    Shard,
    StreamLine,
    TokenizedTexts,
    Tokenizer,
    Tokens,
)
from ._sending import OnHeaders, Reading, Sender, Settings, iterate, run
from ._streams import Watch, stream

__version__ = "1.0.0"
__all__ = [
    "AsyncChunksmith",
    "AsyncJobs",
    "AsyncPipelines",
    "AsyncPresets",
    "Chunk",
    "ChunkBatches",
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
    "Preset",
    "Presets",
    "Record",
    "ServiceInfo",
    "Shard",
    "StreamLine",
    "Tokenizer",
    "TokenizedTexts",
    "Tokens",
]

P = ParamSpec("P")
T = TypeVar("T")
Now = TypeVar("Now")
Later = TypeVar("Later")
S = TypeVar("S", bound="_Service")
Lines = AsyncGenerator[T, None]
SyncLines = Generator[T, None, None]


class _Sync:
    """Its methods return what those of `_Async` are awaited for."""


class _Async:
    """Its methods are coroutines and asynchronous generators."""


class _Method(Generic[P, Now, Later]):
    """A method that is written once, as it is called in a synchronous and in an asynchronous client."""

    def __init__(self, now: Callable[Concatenate[Any, P], Now], later: Callable[Concatenate[Any, P], Later]) -> None:
        self._now: Any = now
        self._later: Any = later

    @overload
    def __get__(self, part: None, kind: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, part: _Sync, kind: type) -> Callable[P, Now]: ...
    @overload
    def __get__(self, part: _Async, kind: type) -> Callable[P, Later]: ...
    def __get__(self, part: object, kind: type) -> Any:
        method = self._now if issubclass(kind, _Sync) else self._later
        return method.__get__(part, kind)


def _answered(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> _Method[P, T, Coroutine[Any, Any, T]]:
    """A coroutine, which the synchronous client runs to its end."""

    @functools.wraps(method)
    def now(part: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run(method(part, *args, **kwargs))

    return _Method(now, method)


def _yielding(
    method: Callable[Concatenate[Any, P], Lines[T]],
) -> _Method[P, SyncLines[T], Lines[T]]:
    """An asynchronous generator, which is a generator in the synchronous client."""

    @functools.wraps(method)
    def now(part: Any, /, *args: P.args, **kwargs: P.kwargs) -> SyncLines[T]:
        return iterate(method(part, *args, **kwargs))

    return _Method(now, method)


class _Service:
    """What both clients do."""

    _pool: ClassVar[type[SyncPool] | type[AsyncPool]]

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 4,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        own = {"user-agent": f"chunksmith-python/{__version__}", "accept": "*/*"}
        if api_key is not None:
            own["authorization"] = f"Bearer {api_key}"
        settings = Settings(timeout, max_retries, {**own, **_lower(headers)})
        self._sender = Sender(self._pool(_url(base_url)), settings)

    def with_options(
        self: S,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
        on_headers: OnHeaders | None = None,
    ) -> S:
        """The same service with other settings, over the same connections.

        `on_headers` is called with the headers of each answer; their names are in lower case.
        """
        own = self._sender.settings
        other = copy.copy(self)
        settings = Settings(
            own.timeout if timeout is None else timeout,
            own.max_retries if max_retries is None else max_retries,
            {**own.headers, **_lower(headers)},
            on_headers or own.on_headers,
        )
        other._sender = Sender(self._sender.pool, settings)
        return other

    @_answered
    async def close(self) -> None:
        """Ends all connections, from any thread. Requests in flight fail with the code `closed`."""
        await self._sender.pool.close()

    @_answered
    async def chunk_file(
        self, /, chunker: str, file: File, *, name: str | None = None, media_type: str | None = None, **options: Any
    ) -> list[Chunk]:
        """Chunks a file: its path, its bytes, or an open binary file. Offsets are those of the text that is read in it.

        Name and media type say how it is read, and by `auto` how it is cut; the name of the file is the default.
        """
        return await self._sender.ask(calls.post_file(calls.route("chunk", chunker), file, name, media_type, options))

    @_answered
    async def embed(self, /, text: str | Texts, **options: Any) -> Embeddings:
        """Vectors of a text or of several."""
        call = calls.post("/v1/embed", Embeddings.from_dict, {"text": text, **options})
        return await self._sender.ask(call)

    @_answered
    async def tokenize(self, /, text: str | Texts, **options: Any) -> TokenizedTexts:
        """How many tokens a text has, or several, and with `include` where they are."""
        call = calls.post("/v1/tokenize", TokenizedTexts.from_dict, {"text": text, **options})
        return await self._sender.ask(call)

    @_answered
    async def evaluate(self, /, **request: Any) -> Evaluation:
        """Compares `candidates` by the chunks of `documents` that `questions` find."""
        return await self._sender.ask(calls.post("/v1/evaluate", Evaluation.from_dict, request))

    @_yielding
    def evaluate_stream(self, /, **request: Any) -> Lines[EvaluatedCandidate]:
        """The same, with each candidate as soon as it is there."""
        return self._sender.lines(Reading(calls.evaluate_stream(request)))

    @_answered
    async def plugins(self) -> list[Plugin]:
        """Every plugin, and what it lacks if it cannot run."""
        return await self._sender.ask(calls.get_list("/v1/plugins", Plugin))

    @_answered
    async def models(self) -> list[EmbeddingModel]:
        """The embedding models that are ready."""
        return await self._sender.ask(calls.get_list("/v1/models", EmbeddingModel))

    @_answered
    async def tokenizers(self) -> list[Tokenizer]:
        """The tokenizers that requests may name."""
        return await self._sender.ask(calls.get_list("/v1/tokenizers", Tokenizer))

    @_answered
    async def info(self) -> ServiceInfo:
        """Name, version and endpoints of the service."""
        return await self._sender.ask(calls.get("/", ServiceInfo))

    @_answered
    async def health(self) -> Health:
        """Answers if the service is alive."""
        return await self._sender.ask(calls.get("/health", Health))

    @_answered
    async def ready(self) -> Health:
        """Fails with status 503 if no work can be sent to the service now."""
        return await self._sender.ask(calls.get("/ready", Health))

    @_answered
    async def metrics(self) -> str:
        """Counters, in the text format of Prometheus."""
        return await self._sender.ask(Call("GET", "/metrics", str, is_json=False))


def _url(base_url: str) -> str:
    """The URL without a slash at its end. Raises `ValueError` if it is none of a service."""
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise ValueError(f"base_url: expected a URL such as http://localhost:8000, got {base_url!r}")
    if url.userinfo:
        raise ValueError("base_url: expected a URL without user and password; give api_key or headers instead")
    return base_url.rstrip("/")


def _lower(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {name.lower(): value for name, value in (headers or {}).items()}


class Chunksmith(_Service, _Sync):
    """A service. Its methods may be called from several threads at once, and in processes that are forked.

    `timeout` is how many seconds one try of a request may take, and for streams the longest silence; 0 means no limit.
    Requests that are refused because the service is busy, and those that are safe to repeat if the connection fails,
    are sent again up to `max_retries` times. Connections are kept open: use it in a `with` statement, or call `close`.
    Each process has its own: a client that is pickled travels as its settings, of which `api_key` is one.
    """

    _pool = SyncPool

    def asynchronous(self) -> AsyncChunksmith:
        """An asynchronous client with the same address and settings, and connections of its own."""
        other = AsyncChunksmith.__new__(AsyncChunksmith)
        other._sender = Sender(AsyncPool(self._sender.pool.url), self._sender.settings)
        return other

    def __enter__(self) -> Chunksmith:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def presets(self) -> Presets:
        """The presets."""
        return Presets(self)

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
        return run(self._sender.ask(calls.chunk(calls.route("chunk", chunker), text, options)))

    @overload
    def refine(self, refinery: str, chunks: Sequence[AnyChunk], **options: Any) -> list[Chunk]: ...
    @overload
    def refine(self, refinery: str, chunks: Sequence[Sequence[AnyChunk]], **options: Any) -> ChunkLists: ...
    def refine(self, refinery: str, chunks: Any, **options: Any) -> Any:
        """Enriches a list of chunks, or a list of lists."""
        return run(self._sender.ask(calls.refine(calls.route("refine", refinery), chunks, options)))

    def stream(self, chunker: str, documents: Iterable[Document], **options: Any) -> SyncLines[StreamLine]:
        """Chunks any number of documents: an answer for each, in their order. One may fail alone.

        Documents are taken in this thread, while the loop over the answers asks for more, and are sent in batches. A
        batch that is lost is sent again, from the first document without an answer. Leaving the loop ends the request.
        """
        return iterate(stream(self._sender, calls.stream(calls.route("chunk", chunker), options), iter(documents)))

    def refine_stream(self, refinery: str, lists: Iterable[AnyChunks], **options: Any) -> SyncLines[StreamLine]:
        """Refines any number of lists of chunks, as `stream` chunks documents; its answers are such lists too."""
        return iterate(stream(self._sender, calls.stream(calls.route("refine", refinery), options), iter(lists)))


class AsyncChunksmith(_Service, _Async):
    """A service, with the methods of `Chunksmith` to await. A task that is cancelled ends its request.

    Use it in an `async with` statement, or await `close`. Streams take asynchronous iterables too.
    """

    _pool = AsyncPool

    async def __aenter__(self) -> AsyncChunksmith:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def presets(self) -> AsyncPresets:
        """The presets."""
        return AsyncPresets(self)

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
        return await self._sender.ask(calls.chunk(calls.route("chunk", chunker), text, options))

    @overload
    async def refine(self, refinery: str, chunks: Sequence[AnyChunk], **options: Any) -> list[Chunk]: ...
    @overload
    async def refine(self, refinery: str, chunks: Sequence[Sequence[AnyChunk]], **options: Any) -> ChunkLists: ...
    async def refine(self, refinery: str, chunks: Any, **options: Any) -> Any:
        """As `Chunksmith.refine`."""
        return await self._sender.ask(calls.refine(calls.route("refine", refinery), chunks, options))

    def stream(self, chunker: str, documents: AnyIterable[Document], **options: Any) -> Lines[StreamLine]:
        """As `Chunksmith.stream`. A task takes from an asynchronous iterable while the loop waits for answers."""
        return stream(self._sender, calls.stream(calls.route("chunk", chunker), options), documents)

    def refine_stream(self, refinery: str, lists: AnyIterable[AnyChunks], **options: Any) -> Lines[StreamLine]:
        """As `Chunksmith.refine_stream`."""
        return stream(self._sender, calls.stream(calls.route("refine", refinery), options), lists)


class _Resource:
    """What a service has, with methods of its own."""

    def __init__(self, client: _Service) -> None:
        self._sender = client._sender


class _Execution(_Resource):
    """Steps that run by the name they have in a service: pipelines, and presets."""

    @_answered
    async def execute_file(
        self, /, id_or_name: str, file: File, *, name: str | None = None, media_type: str | None = None, **options: Any
    ) -> List[Chunk]:
        """Runs the steps on a file, as `Chunksmith.chunk_file`."""
        return await self._sender.ask(calls.post_file(await self._path(id_or_name), file, name, media_type, options))

    async def _execute(self, id_or_name: str, text: Any, options: Mapping[str, Any]) -> Any:
        return await self._sender.ask(calls.chunk(await self._path(id_or_name), text, options))

    async def _stream(
        self, id_or_name: str, documents: AnyIterable[Any], options: Mapping[str, Any]
    ) -> Lines[StreamLine]:
        call = calls.stream(await self._path(id_or_name), options)
        async with aclosing(stream(self._sender, call, documents)) as lines:
            async for line in lines:
                yield line

    async def _path(self, id_or_name: str) -> str:
        raise NotImplementedError


class _SyncExecution(_Execution, _Sync):
    @overload
    def execute(self, id_or_name: str, text: str, **options: Any) -> List[Chunk]: ...
    @overload
    def execute(self, id_or_name: str, text: Texts, **options: Any) -> ChunkLists: ...
    @overload
    def execute(self, id_or_name: str, *, documents: Iterable[Document], **options: Any) -> ChunkLists: ...
    def execute(self, id_or_name: str, text: Any = None, **options: Any) -> Any:
        """Runs the steps on a text, on several, or on `documents`, as `Chunksmith.chunk`."""
        return run(self._execute(id_or_name, text, options))

    def stream(self, id_or_name: str, documents: Iterable[Document], **options: Any) -> SyncLines[StreamLine]:
        """Runs the steps on any number of documents, as `Chunksmith.stream`."""
        return iterate(self._stream(id_or_name, iter(documents), options))


class _AsyncExecution(_Execution, _Async):
    @overload
    async def execute(self, id_or_name: str, text: str, **options: Any) -> List[Chunk]: ...
    @overload
    async def execute(self, id_or_name: str, text: Texts, **options: Any) -> ChunkLists: ...
    @overload
    async def execute(self, id_or_name: str, *, documents: Iterable[Document], **options: Any) -> ChunkLists: ...
    async def execute(self, id_or_name: str, text: Any = None, **options: Any) -> Any:
        """As `Pipelines.execute`."""
        return await self._execute(id_or_name, text, options)

    def stream(self, id_or_name: str, documents: AnyIterable[Document], **options: Any) -> Lines[StreamLine]:
        """As `Pipelines.stream`."""
        return self._stream(id_or_name, documents, options)


class _Pipelines(_Execution):
    @_answered
    async def create(self, /, name: str, steps: Steps | None = None, **options: Any) -> Pipeline:
        """Makes a pipeline of steps, or of a `preset`, with a `description` if you like: 409 if the name is taken."""
        body = {"name": name, **calls.with_steps(steps, options)}
        return await self._sender.ask(calls.post("/v1/pipelines", Pipeline.from_dict, body, is_idempotent=False))

    @_answered
    async def put(
        self, /, name: str, steps: Steps | None = None, *, if_match: str | None = None, **options: Any
    ) -> Pipeline:
        """Makes the pipeline of this name, or replaces it."""
        path = calls.with_query("/v1/pipelines", name=name)
        return await self._sender.ask(calls.put_pipeline(path, calls.with_steps(steps, options), if_match))

    @_answered
    async def list(
        self, *, name: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> List[Pipeline]:
        """The pipelines, the newest first; all of them without a limit. The cursor is the header `x-next-cursor`."""
        pipelines: List[Pipeline] = []
        while True:
            page: List[str] = []
            call = calls.get_list("/v1/pipelines", Pipeline, name=name, limit=limit, cursor=cursor)
            pipelines += await self._sender.ask(call, lambda headers: page.append(headers.get("x-next-cursor", "")))
            cursor = page[-1]
            if limit is not None or not cursor:
                return pipelines

    @_answered
    async def get(self, id: str) -> Pipeline:
        """The pipeline of this id."""
        return await self._sender.ask(calls.get(calls.route("pipelines", id), Pipeline))

    @_answered
    async def update(self, /, id: str, *, if_match: str | None = None, **changes: Any) -> Pipeline:
        """Changes `name`, `description` or `steps`; what is not given stays.

        `if_match` is the header `etag` of the pipeline as it was read: one that has changed since is refused with 412.
        """
        return await self._sender.ask(calls.put_pipeline(calls.route("pipelines", id), changes, if_match))

    @_answered
    async def delete(self, id: str, *, if_match: str | None = None) -> None:
        """Deletes the pipeline of this id."""
        await self._sender.ask(calls.delete(calls.route("pipelines", id), if_match))

    async def _path(self, id_or_name: str) -> str:
        id = id_or_name
        if not calls.ID.fullmatch(id_or_name):
            found = await self._sender.ask(calls.get_list("/v1/pipelines", Pipeline, name=id_or_name))
            # The service itself says that there is no such one.
            id = found[0].id if found else id_or_name
        return calls.route("pipelines", id, "execute")


class Pipelines(_Pipelines, _SyncExecution):
    """Stored pipelines. Where a name is taken as well as an id, an id saves a request."""


class AsyncPipelines(_Pipelines, _AsyncExecution):
    """As `Pipelines`."""


class _Presets(_Execution):
    @_answered
    async def list(self) -> List[Preset]:
        """The presets, with their steps and what they lack."""
        return await self._sender.ask(calls.get_list("/v1/presets", Preset))

    async def _path(self, id_or_name: str) -> str:
        return calls.route("presets", id_or_name, "execute")


class Presets(_Presets, _SyncExecution):
    """The pipelines that come with the service, by their names. An `override` changes steps."""


class AsyncPresets(_Presets, _AsyncExecution):
    """As `Presets`."""


class _Jobs(_Resource):
    @_answered
    async def create(self, /, source: Mapping[str, Any], *, idempotency_key: str | None = None, **options: Any) -> Job:
        """Makes a job. The same key with the same request is the same job.

        Without a key, it is not sent again if the connection fails.
        """
        headers, is_idempotent = {"idempotency-key": idempotency_key}, idempotency_key is not None
        body = {"source": source, **options}
        return await self._sender.ask(calls.post("/v1/jobs", Job.from_dict, body, is_idempotent=is_idempotent, headers=headers))

    @_answered
    async def list(self, *, state: str | None = None, limit: int | None = None, cursor: str | None = None) -> List[Job]:
        """A page of jobs, the newest first. The cursor of the next one is the header `x-next-cursor`."""
        return await self._sender.ask(calls.get_list("/v1/jobs", Job, state=state, limit=limit, cursor=cursor))

    @_answered
    async def get(self, id: str) -> Job:
        """The job as it is now."""
        return await self._sender.ask(calls.get(calls.route("jobs", id), Job))

    @_answered
    async def delete(self, id: str) -> None:
        """Deletes a job with its output: 409 if it is not over."""
        await self._sender.ask(calls.delete(calls.route("jobs", id)))

    @_answered
    async def cancel(self, id: str) -> Job:
        """Ends a job; one that is over stays as it is."""
        return await self._sender.ask(Call("POST", calls.route("jobs", id, "cancel"), Job.from_dict))

    @_answered
    async def retry(self, id: str) -> Job:
        """Does again what failed."""
        return await self._sender.ask(Call("POST", calls.route("jobs", id, "retry"), Job.from_dict, is_idempotent=False))

    @_answered
    async def shards(
        self, id: str, *, state: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> List[Shard]:
        """A page of the shards of a job, in the order of the source."""
        call = calls.get_list(calls.route("jobs", id, "shards"), Shard, state=state, limit=limit, cursor=cursor)
        return await self._sender.ask(call)

    @_yielding
    def events(self, id: str) -> Lines[Job]:
        """The job now and whenever it has changed, until it is over."""
        return self._sender.lines(Reading(calls.get_lines(calls.route("jobs", id, "events"), Job.from_dict)))

    @_yielding
    def result(self, id: str) -> Lines[JobLine]:
        """What the job has made: chunks, or documents with their chunks if its `group` is `document`.

        409 if it is not done.
        """
        return self._sender.lines(Reading(calls.get_lines(calls.route("jobs", id, "result"), calls.job_line)))

    @_answered
    async def manifest(self, id: str) -> JobManifest:
        """What files the job has written, with their sizes and hashes. 409 if it is not done."""
        return await self._sender.ask(calls.get(calls.route("jobs", id, "result"), JobManifest))

    @_yielding
    def errors(self, id: str) -> Lines[JobError]:
        """The documents that failed, and those that were skipped."""
        return self._sender.lines(Reading(calls.get_lines(calls.route("jobs", id, "errors"), JobError.from_dict)))

    @_answered
    async def wait(self, id: str, on_progress: Callable[[Job], object] | None = None) -> Job:
        """Waits until a job is over, whatever its `state` then is. Connections that are lost are made again."""
        watch = Watch(calls.get_lines(calls.route("jobs", id, "events"), Job.from_dict))
        last: Job | None = None
        async with aclosing(self._sender.lines(watch)) as jobs:
            async for job in jobs:
                if on_progress is not None and job != last:
                    on_progress(job)
                last = job
        assert last is not None
        return last


class Jobs(_Jobs, _Sync):
    """Jobs, which chunk whole corpora in the background."""


class AsyncJobs(_Jobs, _Async):
    """As `Jobs`."""
