"""Batches of columns, in whatever maps them. What needs pyarrow or an engine is skipped without it."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import pathlib
import pickle
import re
import signal
import tempfile
import threading
import time
import unittest
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any
from unittest import mock

from cases import PROXY, SERVER

import chunksmith
from chunksmith import ChunkBatches, Chunksmith, ChunksmithError, StreamLine, _batches

NOBODY = "http://127.0.0.1:1"
COLUMNS = ["document_id", "id", "text", "start_index", "end_index", "token_count", "context", "error"]
TEXTS = ["abcdefgh", None, "", "é👍🏽" * 5]
BATCH = {"id": [1, 2, 3, 4], "text": TEXTS, "lang": ["en", "de", None, "fr"]}
OF_ARROW = unittest.skipUnless(find_spec("pyarrow"), "pyarrow is not installed")
Batches = dict[str, list[Any]]


def batch_of(count: int, size: int = 20) -> Batches:
    """Documents, of which some fail."""
    texts = [None if place % 50 == 7 else f"{place} " * size for place in range(count)]
    return {"id": [f"document {place}" for place in range(count)], "text": texts, "n": [*range(count)]}


def plainly(batch: Mapping[str, list[Any]], chunk_size: int) -> list[tuple[Any, ...]]:
    """The same chunks by the client alone, with the column `n`."""
    pairs = zip(batch["id"], batch["text"])
    documents = [{"id": id, **({} if text is None else {"text": text})} for id, text in pairs]
    rows: list[tuple[Any, ...]] = []
    with Chunksmith(SERVER) as client:
        for line in client.stream("token", documents, chunk_size=chunk_size):
            n = batch["n"][line.index]
            if line.error:
                rows.append((line.id, *[None] * 6, line.error.detail, n))
            for one in line.chunks:
                rows.append((line.id, one.id, one.text, one.start_index, one.end_index, one.token_count, None, None, n))
    return rows


def rows_of(chunks: Any) -> list[tuple[Any, ...]]:
    columns = chunks if isinstance(chunks, dict) else chunks.to_pydict()
    return [*zip(*columns.values(), strict=True)]


class Proxy:
    """Requests that pass one before the server, which does to them what `behaviours` say."""

    def __init__(self, name: str, behaviours: str) -> None:
        self.url = f"{PROXY}/{name.replace(' ', '-')}/{behaviours}"

    def seen(self) -> int:
        with urllib.request.urlopen(f"{self.url}/requests-seen") as answer:
            return int(answer.read())


class ColumnsOfLists(unittest.TestCase):
    def test_a_row_for_each_chunk_with_what_is_kept(self) -> None:
        chunks = ChunkBatches(SERVER, "token", chunk_size=5, keep=["lang"])(BATCH)
        self.assertEqual([*chunks], [*COLUMNS, "lang"])
        self.assertEqual(chunks["document_id"], ["1", "1", "2", "4", "4", "4"])
        self.assertEqual(chunks["lang"], ["en", "en", "de", "fr", "fr", "fr"])
        self.assertEqual("".join(text for text in chunks["text"] if text), "".join(text for text in TEXTS if text))
        self.assertEqual([*map(bool, chunks["error"])], [False, False, True, False, False, False])
        self.assertRegex(chunks["error"][2], "^text: missing")

    def test_they_are_those_of_the_plain_client(self) -> None:
        batch = batch_of(300)
        self.assertEqual(rows_of(ChunkBatches(SERVER, "token", chunk_size=9, keep=["n"])(batch)), plainly(batch, 9))

    def test_columns_may_have_other_names(self) -> None:
        batch = {"body": ["abc"], "title": [7], "text": ["no"], "metadata": [{"of": None, "a": float("nan")}]}
        columns = {"text": "body", "title": None}
        self.assertEqual(ChunkBatches(SERVER, "token", columns=columns)(batch)["text"], ["abc"])
        self.assertRegex(ChunkBatches(SERVER, "token", columns={"text": "body"})(batch)["error"][0], "^title: ")

    def test_no_rows_need_no_service(self) -> None:
        self.assertEqual(ChunkBatches(NOBODY, "token")({"text": []}), {name: [] for name in COLUMNS})

    def test_a_pipeline_has_a_name(self) -> None:
        steps = [{"type": "chunk", "chunker": "token", "config": {"chunk_size": 2}}]
        with Chunksmith(SERVER) as client:
            client.pipelines.put("batches", steps)
        self.assertEqual(ChunkBatches(SERVER, pipeline="batches")({"text": ["abcd"]})["text"], ["ab", "cd"])

    def test_a_preset_has_a_name(self) -> None:
        with Chunksmith(SERVER) as client:
            [prose] = [one for one in client.presets.list() if one.name == "prose"]
        if prose.extra.get("missing"):
            self.skipTest("its plugins are not here")
        to_chunks = ChunkBatches(SERVER, preset="prose", override={"embeddings": None})
        self.assertEqual(to_chunks({"text": ["Only a little."]})["text"], ["Only a little."])

    def test_what_is_wrong_is_said_at_once(self) -> None:
        for chunker, preset in [(None, None), ("token", "docs")]:
            with self.assertRaisesRegex(TypeError, "one of these alone"):
                ChunkBatches(SERVER, chunker, preset=preset)
        with self.assertRaisesRegex(ValueError, "^keep: .*: id, text$"):
            ChunkBatches(SERVER, "token", keep=["text", "lang", "id"])
        with self.assertRaisesRegex(ValueError, "^base_url"):
            ChunkBatches([SERVER, "localhost"], "token")
        with self.assertRaisesRegex(TypeError, "time_out"):
            ChunkBatches(SERVER, "token", client={"time_out": 1})
        for to_chunks in (
            ChunkBatches(NOBODY, "token", keep=["body"]),
            ChunkBatches(NOBODY, "token", columns={"text": "body"}),
        ):
            with self.assertRaisesRegex(ValueError, "^The batch has no column body: it has id, text, lang$"):
                to_chunks(BATCH)
        proxy = Proxy("a misspelt option", "pass")
        with self.assertRaisesRegex(ChunksmithError, "chunk_sise"):
            ChunkBatches([proxy.url, SERVER], "token", chunk_sise=1)(BATCH)
        self.assertLessEqual(proxy.seen(), 2)

    def test_it_is_pickled_as_it_was_made(self) -> None:
        to_chunks = ChunkBatches([SERVER], "token", chunk_size=5, client={"api_key": "k"})
        before = pickle.dumps(to_chunks)
        chunks = to_chunks(BATCH)
        # What is cached by what it was made of, as datasets do, is found again.
        self.assertEqual(pickle.dumps(to_chunks), before)
        self.assertEqual(pickle.loads(before)(BATCH), chunks)
        with ThreadPoolExecutor(8) as pool:
            self.assertEqual([*pool.map(to_chunks, [BATCH] * 20)], [chunks] * 20)

    def test_nothing_runs_on_afterwards(self) -> None:
        before = threading.active_count()
        ChunkBatches(SERVER, "token")(BATCH)
        with self.assertRaises(ChunksmithError):
            ChunkBatches(SERVER, "token", chunk_sise=1)(BATCH)
        self.assertEqual(threading.active_count(), before)


@contextlib.contextmanager
def quickly(silence: float = 0.3) -> Iterator[list[float]]:
    """No pauses, which are noted instead, and nobody who has failed before."""
    pauses: list[float] = []
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=pauses.append)
    with mock.patch.multiple(_batches, _LONGEST_SILENCE=silence, _failed={}, time=clock):
        yield pauses


class Replicas(unittest.TestCase):
    batch = batch_of(120)

    def check(self, *urls: str) -> None:
        to_chunks = ChunkBatches(urls, "token", chunk_size=9, keep=["n"])
        # Each is the first once.
        for _ in urls:
            self.assertEqual(rows_of(to_chunks(self.batch)), plainly(self.batch, 9))

    def test_whichever_way_one_fails_no_row_is_lost_or_comes_twice(self) -> None:
        # The first request asks for its health.
        for behaviours in ("close", "pass,close", "pass,cut", "pass,503-9", "pass,429-9", "pass,gateway-502,pass,cut"):
            with self.subTest(behaviours), quickly() as pauses:
                self.check(Proxy(f"fails {behaviours}", behaviours).url, SERVER)
                self.assertEqual(pauses, [])
        with quickly():
            self.check(NOBODY, SERVER)

    def test_batches_go_to_them_in_turn(self) -> None:
        proxies = [Proxy(f"in turn {place}", "pass") for place in range(3)]
        to_chunks = ChunkBatches([one.url for one in proxies], "token")
        for _ in range(6):
            to_chunks({"text": ["a"]})
        # The health of each, and a stream, twice.
        self.assertEqual([one.seen() for one in proxies], [4, 4, 4])

    def test_it_goes_on_where_the_answers_ended(self) -> None:
        proxy = Proxy("goes on", "pass,pass,cut,pass,pass,cut")
        with quickly():
            self.check(proxy.url, SERVER)

    def test_one_alone_is_asked_again_after_a_pause(self) -> None:
        with quickly() as pauses:
            self.check(Proxy("alone", "pass,503-2,pass,cut,close").url)
            # The answer that was cut off had begun, so that it counts anew.
            self.assertEqual(pauses, [2.0, 0.5, 1.0])

    def test_if_all_fail_for_too_long_it_is_an_error(self) -> None:
        with quickly() as pauses, self.assertRaises(ChunksmithError) as caught:
            ChunkBatches([NOBODY, "http://127.0.0.1:2"], "token", client={"max_retries": 3})(self.batch)
        self.assertEqual((caught.exception.code, pauses), ("unreachable", [0.5, 1.0, 2.0]))
        self.assertRegex(str(caught.exception), r"^The service is silent: http://127.0.0.1:\d cannot be reached")

    def test_one_that_is_silent_costs_little_and_is_asked_last_from_then_on(self) -> None:
        hanging = ",".join(["hang"] * 20)
        for behaviours in (hanging, f"pass,{hanging}"):
            proxy = Proxy(f"silent {behaviours[:4]}", behaviours)
            to_chunks = ChunkBatches([proxy.url, SERVER], "token", chunk_size=9, keep=["n"])
            with self.subTest(behaviours[:4]), quickly():
                began = time.monotonic()
                for _ in range(6):
                    self.assertEqual(rows_of(to_chunks(self.batch)), plainly(self.batch, 9))
                # Far less than the timeout, which is 330 s.
                self.assertLess(time.monotonic() - began, 30)
                # Its health, the stream, and its health while it waits; none of them in a later batch.
                self.assertLessEqual(proxy.seen(), 3)

    def test_one_that_takes_long_is_not_silent(self) -> None:
        with stub({"index": 0, "chunks": []}, seconds=1.0) as url, quickly():
            self.assertEqual(ChunkBatches(url, "token", client={"max_retries": 0})({"text": ["a"]})["text"], [])

    def test_a_document_that_a_stopping_service_names_goes_to_the_next_one(self) -> None:
        stopping = {"index": 0, "error": {"status": 503, "detail": "The server is stopping: send it again."}}
        with stub(stopping) as url, quickly():
            chunks = ChunkBatches([url, SERVER], "token")
            self.assertEqual([chunks({"text": ["a"]})["text"] for _ in range(2)], [["a"], ["a"]])
        # And one that takes too long is a row.
        with stub(stopping) as url, quickly():
            self.assertRegex(ChunkBatches(url, "token")({"text": ["a"]})["error"][0], "stopping")

    @unittest.skipUnless("CHUNKSMITH_REPLICA" in os.environ, "there is no server to be killed")
    def test_one_that_is_killed_midway(self) -> None:
        url, pid = os.environ["CHUNKSMITH_REPLICA"].split()
        batch, lines_of = batch_of(600, 2000), ChunkBatches._lines
        killed: list[int] = []

        def lines(own: ChunkBatches, asked: str, documents: Any) -> Iterator[StreamLine]:
            for line in lines_of(own, asked, documents):
                yield line
                if asked == url and line.index == 25 and not killed:
                    os.kill(int(pid), signal.SIGKILL)
                    killed.append(line.index)

        with mock.patch.object(ChunkBatches, "_lines", lines):
            to_chunks = ChunkBatches([url, SERVER], "token", chunk_size=500, keep=["n"])
            expected = plainly(batch, 500)
            for _ in range(3):
                self.assertEqual(rows_of(to_chunks(batch)), expected)
        self.assertEqual(killed, [25])
        self.assertIn(url, _batches._failed)


@contextlib.contextmanager
def stub(line: object, seconds: float = 0.0) -> Iterator[str]:
    """A service that answers each stream with one line, after some time."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def answer(self, body: object) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode() + b"\n")

        def do_GET(self) -> None:
            self.answer({"status": "ok"})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            time.sleep(seconds)
            self.answer(line)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@OF_ARROW
class Tables(unittest.TestCase):
    def setUp(self) -> None:
        self.pyarrow: Any = import_module("pyarrow")
        self.schema = self.pyarrow.schema(
            {
                "id": self.pyarrow.int32(),
                "text": self.pyarrow.large_string(),
                "at": self.pyarrow.timestamp("ns", "UTC"),
                "tags": self.pyarrow.list_(self.pyarrow.dictionary(self.pyarrow.int8(), self.pyarrow.string())),
                "places": self.pyarrow.list_(
                    self.pyarrow.struct({name: self.pyarrow.int64() for name in ("start", "end", "page")})
                ),
            }
        )
        self.to_chunks = ChunkBatches(SERVER, "token", chunk_size=5, keep=["at", "tags"])

    def table(self, *rows: Mapping[str, Any]) -> Any:
        return self.pyarrow.Table.from_pylist([*rows], schema=self.schema)

    def test_types_are_the_same_whatever_a_batch_has(self) -> None:
        at = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
        # In a column, all places have all members.
        places = [{"start": 0, "end": 2, "page": 1}, {"start": 2, "end": 4}]
        whole = {"id": 1, "text": "abcdefgh", "at": at, "tags": ["a", None], "places": places}
        batches = [self.table(), self.table({}), self.table(whole), self.table(whole, {}, whole).slice(1, 2)]
        for table in batches:
            chunks = self.to_chunks(table)
            chunks.validate(full=True)
            self.assertEqual(chunks.schema, self.to_chunks.schema(self.schema))
        # The last one.
        self.assertEqual(chunks["text"].to_pylist(), [None, "abcde", "fgh"])
        self.assertEqual(chunks["tags"].to_pylist(), [None, ["a", None], ["a", None]])
        self.assertEqual(chunks["document_id"].to_pylist(), [None, "1", "1"])
        self.assertEqual(chunks.schema.names, [*COLUMNS, "at", "tags"])

    def test_they_are_the_rows_of_lists(self) -> None:
        to_chunks = ChunkBatches(SERVER, "token", chunk_size=5, keep=["lang"])
        table = self.pyarrow.table(BATCH)
        expected = rows_of(to_chunks(BATCH))
        datasets_batch = SimpleNamespace(pa_table=table)
        batches: list[Any] = [table, table.to_batches()[0], datasets_batch]
        if find_spec("pandas"):
            batches.append(table.to_pandas())
        if find_spec("numpy"):
            numpy = import_module("numpy")
            batches.append({name: numpy.array(column, dtype=object) for name, column in BATCH.items()})
        for batch in batches:
            self.assertEqual(rows_of(to_chunks(batch)), expected, type(batch))

    def test_embeddings_are_numbers(self) -> None:
        with Chunksmith(SERVER) as client:
            if not client.models():
                self.skipTest("there is no embedding model")
            chunk = {"type": "chunk", "chunker": "token", "config": {}}
            client.pipelines.put("embedded batches", [chunk, {"type": "refine", "refinery": "embeddings"}])
            vector = client.embed("tea").vectors[0]
        to_chunks = ChunkBatches(SERVER, pipeline="embedded batches", embeddings=True)
        chunks = to_chunks(self.pyarrow.table({"text": ["tea", None]}))
        self.assertEqual(chunks.schema, to_chunks.schema())
        self.assertEqual(chunks.schema.names, [*COLUMNS[:-1], "embedding", "error"])
        self.assertEqual(chunks["embedding"].to_pylist()[1], None)
        for one, other in zip(chunks["embedding"].to_pylist()[0], vector, strict=True):
            self.assertAlmostEqual(one, other, places=6)

    def test_types_of_what_is_kept_must_be_known(self) -> None:
        for schema in (self.to_chunks.schema, self.to_chunks.spark_schema):
            with self.assertRaisesRegex(TypeError, "for the types of at, tags$"):
                schema()


class Engines(unittest.TestCase):
    """What the page says of each, run over small files by one service and one that is not there."""

    def setUp(self) -> None:
        page = pathlib.Path(chunksmith.__file__).parents[1] / "README.md"
        blocks = re.findall(r"^```python\n# (\w+)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
        self.recipes = dict(blocks)
        self.assertEqual([*self.recipes], ["Ray", "datasets", "pyarrow", "Spark"])
        self.batch = batch_of(2500)
        self.names: dict[str, Any] = {"to_chunks": ChunkBatches([NOBODY, SERVER], "token", chunk_size=9, keep=["n"])}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def use(self, name: str) -> Any:
        if not find_spec(name):
            self.skipTest(f"{name} is not installed")
        return import_module(name)

    def run_recipe(self, name: str) -> None:
        exec(self.recipes[name].replace("/data/", f"{self.folder}/"), self.names)

    def check(self, table: Any) -> None:
        self.assertEqual(sorted(rows_of(table), key=str), sorted(plainly(self.batch, 9), key=str))

    def write(self) -> Any:
        pyarrow = self.use("pyarrow")
        import_module("pyarrow.parquet").write_table(pyarrow.table(self.batch), self.folder / "documents.parquet")
        return pyarrow

    def test_pyarrow(self) -> None:
        self.names["pyarrow"] = self.write()
        self.run_recipe("pyarrow")
        self.check(import_module("pyarrow.parquet").read_table(self.folder / "chunks.parquet"))

    def test_ray(self) -> None:
        ray = self.use("ray")
        self.write()
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        self.addCleanup(ray.shutdown)
        self.names["ray"] = import_module("ray.data") and ray
        ray.data.DataContext.get_current().enable_progress_bars = False
        self.run_recipe("Ray")
        self.check(import_module("pyarrow.parquet").read_table(self.folder / "chunks"))

    def test_datasets(self) -> None:
        datasets = self.use("datasets")
        datasets.disable_progress_bars()
        self.names["dataset"] = datasets.Dataset.from_dict(self.batch)
        self.run_recipe("datasets")
        self.check(self.names["chunks"].with_format("arrow")[:])

    def test_spark(self) -> None:
        spark = self.use("pyspark.sql") if find_spec("pyspark") else self.skipTest("pyspark is not installed")
        session = spark.SparkSession.builder.master("local[2]").getOrCreate()
        self.addCleanup(session.stop)
        rows = [*zip(*self.batch.values())]
        self.names["documents"] = session.createDataFrame(rows, "id string, text string, n long")
        self.run_recipe("Spark")
        chunks = [tuple(row) for row in self.names["chunks"].collect()]
        self.assertEqual(sorted(chunks, key=str), sorted(plainly(self.batch, 9), key=str))

    def test_what_spark_is_given(self) -> None:
        """Without Spark: the schema in its words, and batches of pyarrow in and out."""
        pyarrow = self.use("pyarrow")
        table = pyarrow.table(self.batch)
        field = SimpleNamespace(dataType=SimpleNamespace(simpleString=lambda: "bigint"))

        def map_in_arrow(run: Any, schema: str) -> Any:
            kinds = [one.split() for one in schema.split(", ")]
            types = {"string": pyarrow.string(), "bigint": pyarrow.int64()}
            own = pyarrow.schema([(name.strip("`"), types[kind]) for name, kind in kinds])
            return pyarrow.Table.from_batches(run(iter(table.to_batches(1000))), own)

        self.names["documents"] = SimpleNamespace(schema={"n": field}, mapInArrow=map_in_arrow)
        self.run_recipe("Spark")
        self.check(self.names["chunks"])
