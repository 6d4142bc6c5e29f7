"""Requests: what is sent, and how the answer is read. Both clients share them."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import urllib.parse
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Generic, TypeVar, Union

import httpx

from ._records import (
    Chunk,
    ChunksmithError,
    DocumentChunks,
    ErrorDetail,
    EvaluatedCandidate,
    Pipeline,
    R,
    Record,
    StreamLine,
)

T = TypeVar("T")

# What requests take. Documents have `text` and, if you like, `id`, `title`, `filename`, `media_type`, `metadata`, and
# `pages` or `places`.
Document = Mapping[str, Any]
AnyChunk = Union[Chunk, Mapping[str, Any]]
AnyChunks = Union[StreamLine, Sequence[AnyChunk], Mapping[str, Any]]
Texts = Union[list[str], tuple[str, ...]]
AnyIterable = Union[Iterable[T], AsyncIterable[T]]
Steps = Sequence[Mapping[str, Any]]
ChunkLists = list[list[Chunk]]
File = Union[str, "os.PathLike[str]", bytes, BinaryIO]
JobLine = Union[Chunk, DocumentChunks]

_LINES = "application/x-ndjson"
# What ids of pipelines look like.
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and how the JSON of its answer, or each line of it, is read."""

    method: str
    path: str
    read: Callable[[Any], T]
    body: bytes = b""
    # Those without a value are not sent.
    headers: Mapping[str, str | None] = field(default_factory=dict)
    # Whether it may be sent again if nobody knows what became of it.
    is_idempotent: bool = True
    # Whether the answer is JSON; else it is a text.
    is_json: bool = True
    # Seconds without an answer that a stream of answers may have, if the timeout is shorter.
    idle_timeout: float = 0.0


def route(*names: str) -> str:
    """A path of the service. A name leads to no other one, not even `..`, which would be resolved."""
    return "/v1/" + "/".join(urllib.parse.quote(name, safe="").replace(".", "%2E") for name in names)


def with_query(path: str, **query: str | int | None) -> str:
    given = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
    return f"{path}?{given}" if given else path


def get(path: str, kind: type[R]) -> Call[R]:
    return Call("GET", path, kind.from_dict)


def get_list(path: str, kind: type[R], **query: str | int | None) -> Call[list[R]]:
    return Call("GET", with_query(path, **query), lambda answer: [kind.from_dict(one) for one in answer])


def get_lines(path: str, read: Callable[[Any], T]) -> Call[T]:
    # While nothing changes, the service says so every 15 s.
    return Call("GET", path, read, headers={"accept": _LINES}, idle_timeout=45.0)


def post(
    path: str,
    read: Callable[[Any], T],
    body: Mapping[str, Any],
    *,
    method: str = "POST",
    is_idempotent: bool = True,
    headers: Mapping[str, str | None] | None = None,
) -> Call[T]:
    return Call(method, path, read, to_json(body), {"content-type": "application/json", **(headers or {})}, is_idempotent)


def with_steps(steps: Steps | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a pipeline does: its steps, or the `preset` of the options."""
    return dict(options) if steps is None else {"steps": steps, **options}


def put_pipeline(path: str, body: Mapping[str, Any], if_match: str | None) -> Call[Pipeline]:
    # With If-Match, a change that is repeated after it was made would be refused.
    is_idempotent = if_match is None
    return post(path, Pipeline.from_dict, body, method="PUT", is_idempotent=is_idempotent, headers={"if-match": if_match})


def delete(path: str, if_match: str | None = None) -> Call[None]:
    # One that is repeated after it was carried out would be answered with 404.
    return Call("DELETE", path, lambda _: None, headers={"if-match": if_match}, is_idempotent=False, is_json=False)


def chunk(path: str, text: Any, options: Mapping[str, Any]) -> Call[Any]:
    """A request with a text, a list of texts, or `documents`."""
    if (text is None) == ("documents" not in options):
        raise TypeError("Give a text, a list of texts, or documents=, and one of these alone")
    return post(path, chunks_in, options if text is None else {"text": text, **options})


def refine(path: str, chunks: Any, options: Mapping[str, Any]) -> Call[Any]:
    """A request with chunks, or lists of them."""
    return post(path, chunks_in, {"chunks": chunks, **options})


def chunks_in(answer: Any) -> list[Any]:
    """Chunks, or lists of them."""
    return [chunks_in(one) if isinstance(one, list) else Chunk.from_dict(one) for one in answer]


def stream(path: str, options: Mapping[str, Any]) -> Call[StreamLine]:
    """A stream of which only the first line is there, which has the options."""
    headers = {"content-type": _LINES, "accept": _LINES}
    return Call("POST", path, StreamLine.from_dict, to_json(options) + b"\n", headers)


def evaluate_stream(request: Mapping[str, Any]) -> Call[EvaluatedCandidate | None]:
    def candidate(line: Mapping[str, Any]) -> EvaluatedCandidate | None:
        # The last line, which is not a candidate.
        if "verdict" in line:
            return None
        if "name" not in line and "error" in line:
            raise refused(ErrorDetail.from_dict(line["error"]))
        return EvaluatedCandidate.from_dict(line)

    return post("/v1/evaluate", candidate, request, headers={"accept": _LINES})


def refused(error: ErrorDetail) -> ChunksmithError:
    """What a line says of the whole request."""
    return ChunksmithError(error.detail, code="refused", status=error.status)


def job_line(line: Mapping[str, Any]) -> JobLine:
    return DocumentChunks.from_dict(line) if "chunks" in line else Chunk.from_dict(line)


def post_file(
    path: str, file: File, name: str | None, media_type: str | None, options: Mapping[str, Any]
) -> Call[list[Chunk]]:
    """A form with the options and the file."""
    own_name, content = _read_file(file)
    kind = media_type or "application/octet-stream"
    if "\n" in kind or "\r" in kind:
        raise ValueError("The media type has a line break, and cannot be sent")
    # The name is a field, since httpx takes a file without one for a text.
    fields = {"filename": name or own_name, **options}
    data = {key: value if isinstance(value, str) else to_json(value).decode() for key, value in fields.items()}
    form = httpx.Request("POST", "/", data=data, files={"file": ("file", content, kind)})
    return Call("POST", f"{path}/file", chunks_in, form.read(), {"content-type": form.headers["content-type"]})


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


def to_json(value: Any, place: str = "") -> bytes:
    """JSON in UTF-8. Halves of surrogate pairs are escaped. `ValueError` names the place of NaN, which JSON has not."""
    write = functools.partial(json.dumps, allow_nan=False, separators=(",", ":"), default=_plain_of)
    try:
        return write(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return write(value).encode()
    except ValueError:
        # What refers to itself is refused too.
        with suppress(RecursionError):
            for found_at, one in _leaves(value, place):
                if isinstance(one, float) and not math.isfinite(one):
                    raise ValueError(f"{found_at}: JSON has no {one}; give a finite number, or None") from None
        raise


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """The values in objects and lists, with their places."""
    if isinstance(value, (Mapping, Record)):
        for name, one in _plain_of(value).items():
            yield from _leaves(one, f"{place}.{name}")
    elif isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            yield from _leaves(one, f"{place}[{at}]")
    else:
        yield place.removeprefix("."), value


def _plain_of(value: Any) -> Any:
    """What `json` does not know: records, and whatever stands for an object or a list."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON can say")
