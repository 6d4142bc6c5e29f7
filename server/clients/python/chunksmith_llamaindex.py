"""Chunksmith behind the interface of LlamaIndex's node parsers.

parser = ChunksmithNodeParser(chunk_size=400)
nodes = parser.get_nodes_from_documents(documents)
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import aclosing, closing
from typing import Any, Dict, List, Optional, Tuple

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import build_nodes_from_splits
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship
from llama_index.core.utils import get_tqdm_iterable

from chunksmith import Chunksmith, StreamLine

__all__ = ["ChunksmithNodeParser"]


class ChunksmithNodeParser(NodeParser):
    """Parses documents with a chunker of a service, which is given by `base_url` or as a `client`.

    `start_char_idx` and `end_char_idx` are as the service says, and not found by searching. `chunk_fields` are fields
    of chunks to put into the metadata, such as `token_count`. All other options are those of the chunker.
    """

    base_url: str = Field(default="http://localhost:8000", description="Where the service is.")
    chunker: str = Field(default="recursive", description="The chunker of the service.")
    chunk_size: int = Field(default=1024, description="Maximum tokens per chunk.")
    chunk_overlap: int = Field(default=0, description="Tokens that chunks repeat, for chunkers that can.")
    chunk_fields: Tuple[str, ...] = Field(default=(), description="Fields of chunks to put into the metadata.")
    options: Dict[str, Any] = Field(default_factory=dict, description="Options of the chunker.")
    _client: Chunksmith = PrivateAttr()

    def __init__(
        self, chunker: str = "recursive", *, client: Optional[Chunksmith] = None, options: Any = None, **rest: Any
    ) -> None:
        known = {name: rest.pop(name) for name in [*rest] if name in type(self).model_fields}
        super().__init__(chunker=chunker, options={**(options or {}), **rest}, **known)
        self._client = Chunksmith(self.base_url) if client is None else client

    @classmethod
    def class_name(cls) -> str:
        """The name under which it is stored."""
        return "ChunksmithNodeParser"

    def __getstate__(self) -> Dict[str, Any]:
        return {**super().__getstate__(), "client": self._client}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        # The base class makes it again of its fields, of which the client is none.
        super().__setstate__({name: value for name, value in state.items() if name != "client"})
        self._client = state["client"]

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> List[BaseNode]:
        texts = _texts(get_tqdm_iterable(nodes, show_progress, "Parsing nodes"))
        with closing(self._client.stream(self.chunker, texts, **self._asked())) as lines:
            return [node for line in lines for node in self._nodes_of(line, nodes[line.index])]

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> List[BaseNode]:
        texts = _texts(get_tqdm_iterable(nodes, show_progress, "Parsing nodes"))
        async with self._client.asynchronous() as client:
            async with aclosing(client.stream(self.chunker, texts, **self._asked())) as lines:
                return [node async for line in lines for node in self._nodes_of(line, nodes[line.index])]

    def _asked(self) -> Dict[str, Any]:
        overlap = {"chunk_overlap": self.chunk_overlap} if self.chunk_overlap > 0 else {}
        return {"chunk_size": self.chunk_size, "include": [], **overlap, **self.options}

    def _nodes_of(self, line: StreamLine, parent: BaseNode) -> List[BaseNode]:
        """The chunks of one document as nodes that know their places."""
        chunks = line.chunks_or_raise()
        nodes = build_nodes_from_splits([chunk.text for chunk in chunks], parent, id_func=self.id_func)
        for node, chunk in zip(nodes, chunks):
            node.start_char_idx, node.end_char_idx = chunk.start_index, chunk.end_index
            told = chunk.to_dict() if self.chunk_fields else {}
            node.metadata.update({name: told[name] for name in self.chunk_fields if name in told})
        return list(nodes)

    def _postprocess_parsed_nodes(self, nodes: List[BaseNode], parent_doc_map: Dict[str, Document]) -> List[BaseNode]:
        # Without the documents, the base class does not search them for the places of the nodes, which are known.
        # Metadata it takes from the relationship to the source.
        nodes = super()._postprocess_parsed_nodes(nodes, {})
        for node in nodes:
            parent = parent_doc_map.get(node.ref_doc_id or "")
            if parent is not None and parent.source_node is not None:
                node.relationships[NodeRelationship.SOURCE] = parent.source_node
        return nodes


def _texts(nodes: Any) -> Generator[Dict[str, str], None, None]:
    return ({"text": node.get_content(metadata_mode=MetadataMode.NONE)} for node in nodes)
