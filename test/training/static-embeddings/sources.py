"""The list of sources, and their files where `fetch.py` has put them."""
import os
from dataclasses import dataclass

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sources.tsv")


@dataclass(frozen=True)
class Source:
    repository: str
    commit: str
    format: str
    files: str

    @property
    def folder(self):
        return self.repository.replace("/", "+")

    @property
    def name(self):
        """What the manifest counts it under: all books are one source, as are both lists of intents."""
        if self.format in ("cnxml", "rst", "markdown"):
            return "openstax" if self.format == "cnxml" else self.folder
        return "intents" if self.format in ("clinc", "banking") else self.format


def read_sources():
    with open(LIST, encoding="utf-8") as lines:
        return [Source(*line.rstrip("\n").split("\t")) for line in lines if not line.startswith("#")]


def files_of(source, raw):
    """Gives (identifier, path) of the files of a source, in the order of their names."""
    top = os.path.join(raw, source.folder)
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, raw), path


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
