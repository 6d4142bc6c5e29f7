"""Batches of rows, as Ray, datasets, Spark and pyarrow have them: documents go in, chunks come out."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, overload

# It imports this module, so its names are there when they are used.
import chunksmith

from ._records import ChunksmithError, StreamLine

# Columns of chunks, with their types as Spark names them.
_COLUMNS = {
    **dict.fromkeys(("document_id", "id", "text"), "string"),
    **dict.fromkeys(("start_index", "end_index", "token_count"), "bigint"),
    "context": "string",
    "embedding": "array<float>",
    "error": "string",
}
# Members of documents that are taken from columns of the same names.
_MEMBERS = ("text", "id", "title", "filename", "metadata", "places")
# Seconds that a service may take to answer `/health`, and between two such requests.
_LONGEST_SILENCE = 5.0
# Longer than a service works on one document by default: it says itself which one takes too long.
_TIMEOUT = 330.0
# When services have failed, in this process. For so many seconds they are asked last.
_failed: dict[str, float] = {}
_ASKED_LAST = 60.0
_LONGEST_PAUSE = 60.0
_turns = itertools.count()


class ChunkBatches:
    """Chunks batches of documents: a function of columns, which gives a row for each chunk.

        to_chunks = ChunkBatches(["http://a:8000", "http://b:8000"], "recursive", chunk_size=512, keep=["lang"])
        ray.data.read_parquet("corpus").map_batches(to_chunks, batch_format="pyarrow").write_parquet("chunks")

    A `dict` of lists gives such a `dict`. Any other batch, of pyarrow, pandas, Ray or datasets, gives a table of pyarrow,
    whose columns always have the types of `schema`. Read are `text` and, if they are there, `id`, `title`, `filename`,
    `metadata` and `places`; `columns={"text": "body"}` names others, and with None one is not read. Columns in `keep` are
    repeated for each chunk. `client` has settings of `Chunksmith`, and `options` are those of the chunker.

    A document that fails is a row with `error`. Batches go to the services in turn. If one cannot be reached, is silent or
    busy, or breaks off, the documents without an answer go to the next one, all around up to `max_retries` times.
    Nothing is given out before the batch has all its answers, so that no row is lost or there twice.
    It is pickled without connections, but with the API key.
    """

    def __init__(
        self,
        base_url: str | Sequence[str],
        chunker: str | None = None,
        *,
        pipeline: str | None = None,
        preset: str | None = None,
        keep: Sequence[str] = (),
        columns: Mapping[str, str | None] | None = None,
        embeddings: bool = False,
        client: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        named = {"chunker": chunker, "pipeline": pipeline, "preset": preset}
        self._work = [(kind, name) for kind, name in named.items() if name is not None]
        if len(self._work) != 1:
            raise TypeError("Give a chunker, pipeline= or preset=, and one of these alone")
        self._types = {name: kind for name, kind in _COLUMNS.items() if embeddings or name != "embedding"}
        if both := self._types.keys() & {*keep}:
            raise ValueError(f"keep: chunks have such columns themselves: {', '.join(sorted(both))}")
        self._keep, self._columns, self._options = [*keep], {"text": "text", **(columns or {})}, options
        self._settings = {"timeout": _TIMEOUT, "max_retries": 4, **(client or {})}
        self._urls = [base_url] if isinstance(base_url, str) else [*base_url]
        # They are checked here, not in a worker.
        for url in self._urls:
            chunksmith.Chunksmith(url, **self._settings).close()

    @overload
    def __call__(self, batch: dict[str, list[Any]]) -> dict[str, list[Any]]: ...
    @overload
    def __call__(self, batch: Any) -> Any: ...
    def __call__(self, batch: Any) -> Any:
        """The chunks of a batch."""
        if isinstance(batch, dict) and all(isinstance(column, list) for column in batch.values()):
            rows, chunks = self._chunks({name: batch[column] for name, column in self._read(batch).items()})
            return {**chunks, **{name: [batch[name][row] for row in rows] for name in self._keep}}
        pyarrow = import_module("pyarrow")
        # Batches of datasets have a table.
        table = pyarrow.table(getattr(batch, "pa_table", batch))
        read = self._read(table.column_names)
        rows, chunks = self._chunks({name: table[column].to_pylist() for name, column in read.items()})
        places = pyarrow.array(rows, pyarrow.int64())
        kept = [table[name].take(places) for name in self._keep]
        return pyarrow.table([*chunks.values(), *kept], schema=self.schema(table.schema))

    def schema(self, given: Any = None) -> Any:
        """The columns as a schema of pyarrow; those in `keep` have their types in `given`, the schema of the batches."""
        pyarrow = import_module("pyarrow")
        kinds = {"string": pyarrow.string(), "bigint": pyarrow.int64()}
        own = [(name, kinds.get(kind, pyarrow.list_(pyarrow.float32()))) for name, kind in self._types.items()]
        return pyarrow.schema([*own, *(given.field(name) for name in self._kept(given))])

    def spark_schema(self, given: Any = None) -> str:
        """The same for `mapInArrow` of Spark; `given` is the schema of the data frame."""
        kept = [(name, given[name].dataType.simpleString()) for name in self._kept(given)]
        return ", ".join(f"`{name}` {kind}" for name, kind in [*self._types.items(), *kept])

    def _kept(self, given: Any) -> list[str]:
        if given is None and self._keep:
            raise TypeError(f"Give the schema of the batches too, for the types of {', '.join(self._keep)}")
        return self._keep

    def _read(self, names: Any) -> dict[str, str]:
        """The members of documents, and the columns that they are taken from."""
        columns = {**{name: name for name in _MEMBERS if name in names}, **self._columns}
        read = {name: column for name, column in columns.items() if column is not None}
        if missing := [column for column in (*read.values(), *self._keep) if column not in names]:
            raise ValueError(f"The batch has no column {', '.join(missing)}: it has {', '.join(names)}")
        return read

    def _chunks(self, members: Mapping[str, Sequence[Any]]) -> tuple[list[int], dict[str, list[Any]]]:
        """The columns of chunks, and for each chunk its row in the batch."""
        documents = [_without_nulls(dict(zip(members, row))) for row in zip(*members.values(), strict=True)]
        for document in documents:
            if "id" in document:
                document["id"] = str(document["id"])
        rows: list[int] = []
        columns: dict[str, list[Any]] = {name: [] for name in self._types}
        for row, line in enumerate(self._answers(documents)):
            for values in [{"error": line.error.detail}] if line.error else map(vars, line.chunks):
                rows.append(row)
                for name, column in columns.items():
                    column.append(documents[row].get("id") if name == "document_id" else values.get(name))
        return rows, columns

    def _answers(self, documents: Sequence[Mapping[str, Any]]) -> list[StreamLine]:
        """An answer for each document, from whichever services have them."""
        answers: list[StreamLine] = []
        failures, sent_again = 0, -1
        urls = itertools.cycle(self._in_turn())
        while (begin := len(answers)) < len(documents):
            url = next(urls)
            try:
                for line in self._lines(url, documents[begin:]):
                    answers.append(line)
            except ChunksmithError as error:
                _failed[url] = time.monotonic()
                failures = 1 if len(answers) > begin else failures + 1
                self._pause_after(error, failures)
            last = answers[-1].error if len(answers) > begin else None
            if last is not None and last.status == 503 and sent_again != len(answers):
                # A service that is stopping says so in a last line, which looks like a document that took too long.
                sent_again = len(answers)
                answers.pop()
        return answers

    def _in_turn(self) -> list[str]:
        """The services, beginning with another one in each process and each time; last those that have failed lately."""
        begin, lately = (os.getpid() + next(_turns)) % len(self._urls), time.monotonic() - _ASKED_LAST
        return sorted(self._urls[begin:] + self._urls[:begin], key=lambda url: _failed.get(url, lately) > lately)

    def _pause_after(self, error: ChunksmithError, failures: int) -> None:
        """Waits if all services have failed. Raises the error if no other one can help, or all have failed too often."""
        may_pass = error.code in ("unreachable", "cut_off", "timeout") or error.status in (429, 502, 503, 504)
        rounds, others = divmod(failures, len(self._urls))
        if not may_pass or rounds > self._settings["max_retries"]:
            raise error
        if others == 0:
            time.sleep(min(max(0.25 * 2**rounds, error.retry_after or 0.0), _LONGEST_PAUSE))

    def _lines(self, url: str, documents: Sequence[Mapping[str, Any]]) -> Iterator[StreamLine]:
        [(kind, name)] = self._work
        with _watched(chunksmith.Chunksmith(url, **{**self._settings, "max_retries": 0})) as client:
            workers: dict[str, Any] = {"chunker": client, "pipeline": client.pipelines, "preset": client.presets}
            yield from workers[kind].stream(name, documents, **self._options)


@contextmanager
def _watched(client: chunksmith.Chunksmith) -> Iterator[chunksmith.Chunksmith]:
    """A client that is closed as soon as its service is silent, and in the end."""
    asking = client.with_options(timeout=_LONGEST_SILENCE)
    is_over, failures = threading.Event(), list[ChunksmithError]()

    def watch() -> None:
        while not failures and not is_over.wait(_LONGEST_SILENCE):
            try:
                _check(asking)
            except ChunksmithError as error:
                failures.append(error)
                client.close()

    with client:
        _check(asking)
        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield client
        except ChunksmithError as error:
            raise failures[0] if failures else error
        finally:
            is_over.set()
            client.close()
            thread.join()


def _check(client: chunksmith.Chunksmith) -> None:
    """Raises `ChunksmithError` if a service is silent. One that works answers at once, whatever it works on."""
    try:
        client.health()
    except ChunksmithError as error:
        if error.status is None:
            raise ChunksmithError(f"The service is silent: {error.detail}", code="unreachable") from error


def _without_nulls(value: Any) -> Any:
    """A value without what it has only since all rows of a column have the same members."""
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None and one == one}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value
