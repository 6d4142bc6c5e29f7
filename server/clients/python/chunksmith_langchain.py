"""Chunksmith behind the interface of LangChain's text splitters.

splitter = ChunksmithSplitter(chunk_size=400, add_start_index=True)
documents = splitter.split_documents(documents)
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Iterable, Sequence
from contextlib import aclosing, closing
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from chunksmith import Chunk, Chunksmith, StreamLine

__all__ = ["ChunksmithSplitter"]


class ChunksmithSplitter(TextSplitter):
    """Splits texts with a chunker of a service, which is given as a client or by its URL.

    `add_start_index` puts `start_index` into the metadata, as the service says it and not as found by searching.
    `chunk_fields` are further fields of chunks to put there, such as `token_count`. White space is kept unless
    `strip_whitespace` is set, and only some chunkers take a `chunk_overlap`. Other options are those of the chunker:
    `tokenizer` takes the place of a length function.
    """

    def __init__(
        self,
        client: Chunksmith | str = "http://localhost:8000",
        chunker: str = "recursive",
        *,
        chunk_size: int = 4000,
        chunk_overlap: int = 0,
        add_start_index: bool = False,
        strip_whitespace: bool = False,
        chunk_fields: Sequence[str] = (),
        **options: Any,
    ) -> None:
        if "length_function" in options:
            raise TypeError(
                "length_function: the service counts; give tokenizer= instead, such as tokenizer='cl100k_base'"
            )
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            add_start_index=add_start_index,
            strip_whitespace=strip_whitespace,
        )
        overlap = {"chunk_overlap": chunk_overlap} if chunk_overlap > 0 else {}
        self._client = Chunksmith(client) if isinstance(client, str) else client
        self._chunker = chunker
        self._chunk_fields = tuple(chunk_fields)
        self._options = {"chunk_size": chunk_size, "include": [], **overlap, **options}

    def split_text(self, text: str) -> list[str]:
        """The texts of the chunks."""
        chunks = self._client.chunk(self._chunker, text, **self._options)
        return [content for content, _ in map(self._content, chunks) if content]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Splits texts, each with its metadata, into documents. They go through one stream, however many there are."""
        given = [{} for _ in texts] if metadatas is None else metadatas
        with closing(self._client.stream(self._chunker, _texts(texts), **self._options)) as lines:
            return [one for line in lines for one in self._documents(line, given[line.index])]

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """Splits documents without blocking the event loop."""
        texts = _texts(document.page_content for document in documents)
        async with self._client.asynchronous() as client:
            async with aclosing(client.stream(self._chunker, texts, **self._options)) as lines:
                return [one async for line in lines for one in self._documents(line, documents[line.index].metadata)]

    def _documents(self, line: StreamLine, metadata: dict[Any, Any]) -> list[Document]:
        """The chunks of one text as documents."""
        documents = []
        for chunk in line.chunks_or_raise():
            content, start = self._content(chunk)
            if content:
                places = {"start_index": start} if self._add_start_index else {}
                told = chunk.to_dict() if self._chunk_fields else {}
                more = {name: told[name] for name in self._chunk_fields if name in told}
                documents.append(Document(page_content=content, metadata={**copy.deepcopy(metadata), **places, **more}))
        return documents

    def _content(self, chunk: Chunk) -> tuple[str, int]:
        """The text of a chunk and where it begins."""
        if not self._strip_whitespace:
            return chunk.text, chunk.start_index
        begun = chunk.text.lstrip()
        return begun.rstrip(), chunk.start_index + len(chunk.text) - len(begun)


def _texts(texts: Iterable[str]) -> Generator[dict[str, str], None, None]:
    return ({"text": text} for text in texts)
