"""What a node parser meets of llama_index.core, for machines without it. `install` puts it where it is imported from.

Written after the documented interface, with the same names, and the same steps in `get_nodes_from_documents`.
"""

from __future__ import annotations

import enum
import sys
import types
import uuid
from dataclasses import dataclass, field
from typing import Any

try:
    from pydantic import BaseModel, Field, PrivateAttr
except ImportError:

    class BaseModel:  # type: ignore[no-redef]
        """Attributes with defaults, of which some may be given."""

        model_fields: dict[str, Any] = {}

        def __init_subclass__(cls) -> None:
            own = {name: value for name, value in vars(cls).items() if getattr(value, "is_default", False)}
            cls.model_fields = {**cls.model_fields, **own}

        def __init__(self, **data: Any) -> None:
            assert data.keys() <= self.model_fields.keys(), f"unknown: {data}"
            for name, make in self.model_fields.items():
                setattr(self, name, data[name] if name in data else make())

    def Field(default: Any = None, *, default_factory: Any = None, **_: Any) -> Any:
        def make() -> Any:
            return default if default_factory is None else default_factory()

        make.is_default = True  # type: ignore[attr-defined]
        return make

    def PrivateAttr() -> Any:
        return None


class NodeRelationship(str, enum.Enum):
    SOURCE = "1"
    PREVIOUS = "2"
    NEXT = "3"


class MetadataMode(str, enum.Enum):
    NONE = "none"


@dataclass
class RelatedNodeInfo:
    node_id: str
    metadata: dict[str, Any]


@dataclass
class BaseNode:
    text: str
    id_: str = field(default_factory=lambda: str(uuid.uuid4()))
    metadata: dict[str, Any] = field(default_factory=dict)
    relationships: dict[NodeRelationship, RelatedNodeInfo] = field(default_factory=dict)
    start_char_idx: int | None = None
    end_char_idx: int | None = None

    @property
    def source_node(self) -> RelatedNodeInfo | None:
        return self.relationships.get(NodeRelationship.SOURCE)

    @property
    def ref_doc_id(self) -> str | None:
        return None if self.source_node is None else self.source_node.node_id

    def get_content(self, metadata_mode: MetadataMode) -> str:
        return self.text

    def as_related_node_info(self) -> RelatedNodeInfo:
        return RelatedNodeInfo(self.id_, self.metadata)


class Document(BaseNode):
    pass


def default_id_func(i: int, doc: BaseNode) -> str:
    return str(uuid.uuid4())


def build_nodes_from_splits(splits: list[str], document: BaseNode, id_func: Any) -> list[BaseNode]:
    source = {NodeRelationship.SOURCE: document.as_related_node_info()}
    return [BaseNode(text, id_func(place, document), relationships={**source}) for place, text in enumerate(splits)]


class BaseComponent(BaseModel):
    def __getstate__(self) -> dict[str, Any]:
        return {"__dict__": {name: getattr(self, name) for name in type(self).model_fields}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["__dict__"])  # type: ignore[misc]


class NodeParser(BaseComponent):
    include_metadata: bool = Field(default=True)
    include_prev_next_rel: bool = Field(default=True)
    id_func: Any = Field(default_factory=lambda: default_id_func)

    async def _aparse_nodes(self, nodes: list[BaseNode], show_progress: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> Any:
        for place, node in enumerate(nodes):
            parent = parent_doc_map.get(node.ref_doc_id or "")
            source = node.source_node
            assert source is not None
            if parent is not None:
                node.start_char_idx = parent.text.find(node.text)
                node.end_char_idx = node.start_char_idx + len(node.text)
            if self.include_metadata:
                node.metadata = {**source.metadata, **node.metadata}
            beside = {NodeRelationship.PREVIOUS: place - 1, NodeRelationship.NEXT: place + 1}
            for relationship, other in beside.items():
                if 0 <= other < len(nodes) and nodes[other].ref_doc_id == node.ref_doc_id:
                    node.relationships[relationship] = nodes[other].as_related_node_info()
        return nodes

    def get_nodes_from_documents(self, documents: list[Document], show_progress: bool = False) -> Any:
        nodes = self._parse_nodes(documents, show_progress)
        return self._postprocess_parsed_nodes(nodes, {one.id_: one for one in documents})

    async def aget_nodes_from_documents(self, documents: list[Document], show_progress: bool = False) -> Any:
        nodes = await self._aparse_nodes(documents, show_progress)
        return self._postprocess_parsed_nodes(nodes, {one.id_: one for one in documents})


def install() -> None:
    """Makes `llama_index.core` importable."""
    own = sys.modules[__name__]
    modules = ["", ".bridge", ".bridge.pydantic", ".node_parser", ".node_parser.node_utils", ".schema", ".utils"]
    for name in ["llama_index", *(f"llama_index.core{module}" for module in modules)]:
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update({key: value for key, value in vars(own).items() if not key.startswith("__")})
    vars(sys.modules["llama_index.core.utils"])["get_tqdm_iterable"] = lambda items, show, text: items
