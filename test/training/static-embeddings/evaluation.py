"""What models are measured with, and must not be trained on."""
import os
import re

from sources import read


def plain(text):
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def grams(text):
    words = plain(text).split()
    return (" ".join(words[start : start + 8]) for start in range(len(words) - 7))


class Evaluation:
    """The texts of a folder, none if there is no folder."""

    def __init__(self, folder):
        paths = (os.path.join(top, name) for top, _, names in os.walk(folder) for name in names) if folder else ()
        texts = [read(path) for path in paths]
        self.lines = {plain(part) for text in texts for line in text.split("\n") for part in line.split("\t")} - {""}
        self.grams = {gram for text in texts for gram in grams(text)}

    def has_line(self, text):
        return plain(text) in self.lines

    def has_paragraph(self, text):
        return bool(self.grams) and sum(gram in self.grams for gram in grams(text)) >= 3
