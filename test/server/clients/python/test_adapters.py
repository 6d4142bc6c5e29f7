"""The adapters do what the interfaces of LangChain and LlamaIndex promise."""

from __future__ import annotations

import asyncio
import copy
import pickle
import unittest

from cases import SERVER

from chunksmith import Chunksmith, ChunksmithError

# The same sentence three times: searching would find the first one again and again.
TEXT = "Boil water 👍🏽. " * 3

try:
    import langchain_text_splitters  # noqa: F401
except ImportError as error:
    NO_LANGCHAIN = f"langchain-text-splitters cannot be imported: {error}"
else:
    NO_LANGCHAIN = ""

try:
    import llama_index.core  # noqa: F401
except ImportError:
    import llama_index_stand_in

    llama_index_stand_in.install()


@unittest.skipIf(NO_LANGCHAIN, NO_LANGCHAIN)
class LangChain(unittest.TestCase):
    def setUp(self) -> None:
        from chunksmith_langchain import ChunksmithSplitter

        client = Chunksmith(SERVER)
        self.addCleanup(client.close)
        self.make = lambda **options: ChunksmithSplitter(client, "token", **{"chunk_size": 14, **options})

    def test_texts_are_split(self) -> None:
        from langchain_text_splitters import TextSplitter

        self.assertIsInstance(self.make(), TextSplitter)
        self.assertEqual("".join(self.make().split_text(TEXT)), TEXT)
        self.assertEqual(self.make(chunk_overlap=2).split_text("x" * 20)[1], "x" * 8)

    def test_documents_have_metadata_and_exact_places(self) -> None:
        given = [{"from": {"a": 1}}, {"from": {"b": 1}}]
        made = self.make(add_start_index=True, chunk_fields=["token_count", "none"]).create_documents(
            [TEXT, "x"], given
        )
        starts = [one.metadata["start_index"] for one in made]
        self.assertEqual(starts, sorted(set(starts[:-1])) + [0])
        for one in made[:-1]:
            start = one.metadata["start_index"]
            self.assertEqual(TEXT[start : start + len(one.page_content)], one.page_content)
            self.assertEqual(one.metadata["from"], {"a": 1})
            self.assertLessEqual(one.metadata["token_count"], 14)
        self.assertEqual(made[-1].metadata, {"from": {"b": 1}, "start_index": 0, "token_count": 1})
        made[0].metadata["from"]["a"] = 2
        self.assertEqual((made[1].metadata["from"], given[0]), ({"a": 1}, {"from": {"a": 1}}))

    def test_white_space_is_stripped_if_asked_for(self) -> None:
        made = self.make(chunk_size=4, strip_whitespace=True, add_start_index=True).create_documents(["  ab    cd  "])
        self.assertEqual([(one.page_content, one.metadata["start_index"]) for one in made], [("ab", 2), ("cd", 8)])

    def test_documents_are_split_and_transformed(self) -> None:
        from langchain_core.documents import Document

        documents = [Document(page_content=TEXT, metadata={"n": n}) for n in range(300)]
        splitter = self.make(add_start_index=True)
        split = splitter.split_documents(documents)
        self.assertEqual("".join(one.page_content for one in split), TEXT * 300)
        self.assertEqual([one.metadata["n"] for one in split], sorted(one.metadata["n"] for one in split))
        self.assertEqual(splitter.transform_documents(documents), split)
        self.assertEqual(asyncio.run(splitter.atransform_documents(documents)), split)

    def test_it_travels_to_other_processes(self) -> None:
        splitter = self.make(add_start_index=True)
        for other in (pickle.loads(pickle.dumps(splitter)), copy.deepcopy(splitter)):
            self.assertEqual(other.create_documents([TEXT]), splitter.create_documents([TEXT]))

    def test_what_is_wrong_is_said(self) -> None:
        with self.assertRaisesRegex(TypeError, "tokenizer="):
            self.make(length_function=len)
        with self.assertRaisesRegex(ChunksmithError, "did you mean"):
            self.make(chunk_sise=1).create_documents(["a"])


class LlamaIndex(unittest.TestCase):
    def setUp(self) -> None:
        from llama_index.core.schema import Document

        from chunksmith_llamaindex import ChunksmithNodeParser

        client = Chunksmith(SERVER)
        self.addCleanup(client.close)
        self.make = lambda **options: ChunksmithNodeParser("token", client=client, **{"chunk_size": 14, **options})
        self.documents = [Document(text=TEXT, metadata={"a": 1}), Document(text="x", metadata={"b": 1})]

    def test_nodes_have_places_metadata_and_relationships(self) -> None:
        from llama_index.core.schema import NodeRelationship

        nodes = self.make(chunk_fields=["token_count"]).get_nodes_from_documents(self.documents)
        self.assertEqual("".join(one.text for one in nodes[:-1]), TEXT)
        for one, before in zip(nodes[:-1], [None, *nodes]):
            self.assertEqual(TEXT[one.start_char_idx : one.end_char_idx], one.text)
            self.assertEqual(one.start_char_idx, 0 if before is None else before.end_char_idx)
            self.assertEqual(one.metadata["a"], 1)
            self.assertLessEqual(one.metadata["token_count"], 14)
            self.assertEqual(one.ref_doc_id, self.documents[0].id_)
            previous = one.relationships.get(NodeRelationship.PREVIOUS)
            self.assertEqual(previous and previous.node_id, before and before.id_)
        self.assertEqual(nodes[-1].metadata, {"b": 1, "token_count": 1})
        self.assertNotIn(NodeRelationship.NEXT, nodes[-2].relationships)

    def test_nodes_of_nodes_have_the_first_source(self) -> None:
        parser = self.make()
        nodes = parser.get_nodes_from_documents(self.documents)
        again = self.make(chunk_size=5).get_nodes_from_documents(nodes)
        self.assertEqual({one.ref_doc_id for one in again}, {one.id_ for one in self.documents})

    def test_it_can_be_awaited_and_takes_options(self) -> None:
        parser = self.make(chunk_overlap=2, include_prev_next_rel=False, id_func=lambda i, doc: f"{doc.id_}-{i}")
        nodes = asyncio.run(parser.aget_nodes_from_documents(self.documents))
        self.assertEqual([one.start_char_idx for one in nodes[:2]], [0, 12])
        self.assertEqual(nodes[0].id_, f"{self.documents[0].id_}-0")
        with self.assertRaisesRegex(ChunksmithError, "did you mean"):
            self.make(chunk_sise=1).get_nodes_from_documents(self.documents)

    def test_it_travels_with_the_client_that_it_was_given(self) -> None:
        parser = self.make(chunk_overlap=2)
        for other in (pickle.loads(pickle.dumps(parser)), copy.deepcopy(parser)):
            self.assertEqual(other._client._sender.pool.url, parser._client._sender.pool.url)
            nodes, again = (one.get_nodes_from_documents(self.documents) for one in (parser, other))
            self.assertEqual([one.text for one in again], [one.text for one in nodes])
