"""What the service answers, and the error if it does not."""

from __future__ import annotations

import base64
import functools
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

R = TypeVar("R", bound="Record")


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


@dataclass(frozen=True, kw_only=True, repr=False)
class Record:
    """Something that the service has answered. `to_dict` is all that it said, also what has no field here."""

    # Members of the answer that have no field, and fields that are null.
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls: type[R], data: Mapping[str, Any]) -> R:
        """Reads an answer. Raises `TypeError` or `AttributeError` if it is no such one."""
        names, parts = cls._shape()
        own = {name: value for name, value in data.items() if name in names and value is not None}
        for name in parts.keys() & own.keys():
            own[name] = _part(parts[name], own[name])
        return cls(**own, extra={name: value for name, value in data.items() if name not in own})

    def to_dict(self) -> dict[str, Any]:
        """Members as in the JSON of the service."""
        own = {name: getattr(self, name) for name in self._shape()[0]}
        return {**self.extra, **{name: _plain(value) for name, value in own.items() if value is not None}}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"

    @classmethod
    @functools.lru_cache(maxsize=None)
    def _shape(cls) -> tuple[Sequence[str], Mapping[str, type[Record]]]:
        """The names of its fields, and which records some of them are, or have lists of."""
        hints = get_type_hints(cls)
        names = tuple(one.name for one in fields(cls) if one.name != "extra")
        return names, {name: kind for name in names for kind in _records_in(hints[name])}


def _records_in(hint: Any) -> Iterator[type[Record]]:
    if get_origin(hint) is None and isinstance(hint, type) and issubclass(hint, Record):
        yield hint
    for part in get_args(hint):
        yield from _records_in(part)


def _part(kind: type[Record], value: Any) -> Any:
    return [kind.from_dict(one) for one in value] if isinstance(value, list) else kind.from_dict(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    # A list has records or none: vectors are not walked through.
    has_records = isinstance(value, list) and value and isinstance(value[0], Record)
    return [one.to_dict() for one in value] if has_records else value


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
    places: list[Mapping[str, Any]] | None = None
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
    if sys.byteorder == "big":
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
    retriever: str | None = None
    interval: Mapping[str, list[float]] | None = None
    questions: list[EvaluatedQuestion] | None = None
    error: ErrorDetail | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation(Record):
    """Candidates in the order of the request, and what their recall decides."""

    # Without a model if only words were searched; `k`, or a `budget` of tokens.
    candidates: list[EvaluatedCandidate]
    embedding_model: str | None = None
    k: int | None = None
    budget: int | None = None
    tokenizer: str | None = None
    verdict: Mapping[str, Any] | None = None


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


@dataclass(frozen=True, kw_only=True, repr=False)
class Pipeline(Record):
    """A stored pipeline. Times are UTC."""

    id: str
    name: str
    description: str | None = None
    config: PipelineConfig
    created_at: str
    updated_at: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Preset(Record):
    """A pipeline that comes with the service, and what it lacks if it cannot run; `version` changes with its steps."""

    name: str
    version: int
    summary: str
    steps: list[PipelineStep]
    missing: list[str]


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
    # Texts in languages unknown to the model, whose vectors are lexical.
    embedding_fallback: int = 0
    # Texts that are longer than the window of the model.
    embedding_cut: int = 0
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
    # Tokens of a text that it reads; None if it reads any text to its end, or if that is not known.
    window: int | None = None


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


@dataclass(frozen=True, kw_only=True, repr=False)
class Health(Record):
    """`ok` or `ready`."""

    status: str
