"""The chunks of Python's LangChain: python.py <tables of tiktoken> <chunk size>, with a list of texts as JSON on standard input.

Prints the version and, for each splitter, the chunks of each text with their starts in UTF-16 units, as JSON.
"""

import base64
import importlib.metadata
import json
import sys

import tiktoken
from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter

file, size = sys.argv[1], int(sys.argv[2])
with open(file, encoding="utf-8") as opened:
    tables = json.load(opened)
ranks = {}
for line in tables["bpe_ranks"].splitlines():
    _, first, *tokens = line.split(" ")
    ranks.update((base64.b64decode(token), int(first) + at) for at, token in enumerate(tokens))
encoding = tiktoken.Encoding("cl100k_base", pat_str=tables["pat_str"], mergeable_ranks=ranks, special_tokens={})


def chunks_of(splitter, text):
    documents = splitter.create_documents([text])
    starts = [document.metadata["start_index"] for document in documents]
    units = [len(text[: max(start, 0)].encode("utf-16-le")) // 2 if start >= 0 else -1 for start in starts]
    return [[document.page_content, start] for document, start in zip(documents, units)]


options = {
    "chunk_size": size,
    "chunk_overlap": 0,
    "add_start_index": True,
    "length_function": lambda text: len(encoding.encode_ordinary(text)),
}
texts = json.load(sys.stdin)
splitters = {"RecursiveCharacter": RecursiveCharacterTextSplitter, "Markdown": MarkdownTextSplitter}
made = {name: [chunks_of(make(**options), text) for text in texts] for name, make in splitters.items()}
version = importlib.metadata.version("langchain-text-splitters")
print(json.dumps({"version": version, "splitters": made}))
