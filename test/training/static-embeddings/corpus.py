"""Makes documents and pairs of the sources: corpus.py WORK [EVALUATION].

Writes WORK/text.txt (source, paragraph), WORK/pairs.tsv (source, kind, one, other) and
WORK/counts.json. A document in 25 is held out, into WORK/heldout.jsonl. What occurs in the text
files of the folder EVALUATION is left out.
"""
import collections
import hashlib
import json
import os
import random
import re
import sys

import pair_sources
from evaluation import Evaluation, plain
from markup import clean, read_cnxml, read_markdown, read_rst
from sources import files_of, read, read_sources

READERS = {"markdown": read_markdown, "rst": read_rst, "cnxml": read_cnxml}
UNWANTED_NAMES = ("LICENSE", "CHANGELOG", "CODE_OF")
SENTENCE_END = re.compile(r'(?<=[.!?])\s+(?=[A-Z"(])')
PAIR_TEXT_SOURCES = ("medquad", "wordnet", "intents")


def is_free(source, text):
    """Whether a file of a source in which that differs says that it is in the public domain."""
    if source.repository == "ethereum/EIPs":
        return re.search(r"CC0|waived via", text)
    if source.repository == "python/peps":
        return re.search(r"public[\s-]+domain|CC0", text, re.I) and "open publication license" not in text.lower()
    return True


class Corpus:
    def __init__(self, raw):
        self.raw = raw
        self.random = random.Random(7)
        self.documents = []
        self.pairs = []

    def add_document(self, source, identifier, document):
        if document and sum(len(p) for _, paragraphs in document["sections"] for p in paragraphs) > 200:
            self.documents.append(dict(document, source=source, id=identifier))

    def add_pair(self, source, kind, one, other):
        one, other = clean(one), clean(other)
        if len(one) >= 3 and len(other) >= 3 and one.lower() != other.lower():
            self.pairs.append((source, kind, one[:1500], other[:1500]))

    def add_pairs(self, source, pairs):
        for pair in pairs:
            self.add_pair(source, *pair)

    def read_documents(self, source):
        for identifier, path in files_of(source, self.raw):
            if os.path.basename(path).startswith(UNWANTED_NAMES):
                continue
            text = read(path)
            if not is_free(source, text):
                continue
            document = READERS[source.format](text)
            self.add_document(source.name, identifier, document)
            self.add_pairs(source.name, [("gloss", *entry) for entry in (document or {}).get("glossary", ())])

    def read_sources(self, sources):
        for source in sources:
            if source.format in READERS:
                self.read_documents(source)
        paths = {}
        for source in sources:
            files = list(files_of(source, self.raw))
            if source.format in ("clinc", "banking"):
                paths[source.format] = files[0][1]
            elif source.format == "speeches":
                for identifier, document in pair_sources.speeches(files):
                    self.add_document(source.name, identifier, document)
            elif source.format == "factbook":
                for document, pairs in pair_sources.factbook(files, self.random):
                    self.add_document(source.name, f"factbook/{document['title']}", document)
                    self.add_pairs(source.name, pairs)
            elif source.format == "wordnet":
                self.add_pairs(source.name, pair_sources.wordnet(files, self.random))
            elif source.format in ("medquad", "tldr"):
                self.add_pairs(source.name, getattr(pair_sources, source.format)(files))
        if len(paths) == 2:
            self.add_pairs("intents", pair_sources.intents(paths["clinc"], paths["banking"], self.random))


def is_held_out(document):
    return int(hashlib.md5(document["id"].encode()).hexdigest(), 16) % 25 == 0


def without_repeats(documents, evaluation):
    """Drops paragraphs that were there before or are evaluated with, and then empty documents."""
    seen = set()
    for document in documents:
        sections = []
        for heading, paragraphs in document["sections"]:
            kept = []
            for paragraph in paragraphs:
                key = paragraph[:200].lower()
                if key not in seen and not evaluation.has_paragraph(paragraph):
                    kept.append(paragraph)
                seen.add(key)
            if kept:
                sections.append((heading, kept))
        if sections:
            yield dict(document, sections=sections)


def pair_up(corpus, document):
    """Makes pairs of what belongs together in a document."""
    source, title, description = document["source"], document["title"], document["description"]
    if len(description) > 30:
        corpus.add_pair(source, "head", title, description)
        corpus.add_pair(source, "summ", f"{title}. {description}", document["sections"][0][1][0])
    for heading, paragraphs in document["sections"]:
        full = f"{title}: {heading}" if heading and title else heading or title
        for index, paragraph in enumerate(paragraphs):
            if index < 4 and len(paragraph) > 100:
                corpus.add_pair(source, "head", full if index % 2 == 0 or len(heading) < 12 else heading, paragraph)
            sentences = SENTENCE_END.split(paragraph)
            if len(sentences) >= 4:
                middle = len(sentences) // 2
                corpus.add_pair(source, "half", " ".join(sentences[:middle]), " ".join(sentences[middle:]))
            if len(sentences) >= 3 and corpus.random.random() < 0.5:
                at = corpus.random.randrange(len(sentences))
                corpus.add_pair(source, "ict", sentences[at], " ".join(sentences[:at] + sentences[at + 1 :]))
            following = paragraphs[index + 1 : index + 2]
            if following and len(paragraph) > 120 and len(following[0]) > 120:
                corpus.add_pair(source, "adj", paragraph, following[0])


def sift(pairs, evaluation):
    """Drops pairs that repeat, that are evaluated with, or that are not mostly letters."""
    seen = set()
    for source, kind, one, other in pairs:
        key = (plain(one), plain(other))
        if not all(key) or key[0] == key[1] or any(evaluation.has_line(part) for part in (one, other)):
            continue
        if any(len(re.findall("[A-Za-z]", part)) < 0.5 * len(part) for part in (one, other)):
            continue
        if key in seen or key[::-1] in seen:
            continue
        seen.add(key)
        yield source, kind, one, other


def main(work, evaluation_folder=None):
    evaluation = Evaluation(evaluation_folder)
    corpus = Corpus(os.path.join(work, "raw"))
    corpus.read_sources(read_sources())
    documents = list(without_repeats(corpus.documents, evaluation))
    training = [document for document in documents if not is_held_out(document)]
    for document in training:
        pair_up(corpus, document)
    corpus.random.shuffle(corpus.pairs)
    pairs = list(sift(corpus.pairs, evaluation))
    write(work, documents, training, pairs)


def write(work, documents, training, pairs):
    characters = collections.Counter()
    with open(os.path.join(work, "pairs.tsv"), "w", encoding="utf-8") as file:
        file.writelines("\t".join(pair) + "\n" for pair in pairs)
    with open(os.path.join(work, "heldout.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents if is_held_out(document))
    texts = [(d["source"], p) for d in training for _, paragraphs in d["sections"] for p in paragraphs]
    texts += [(source, f"{one} {other}") for source, _, one, other in pairs if source in PAIR_TEXT_SOURCES]
    with open(os.path.join(work, "text.txt"), "w", encoding="utf-8") as file:
        for source, text in texts:
            file.write(f"{source}\t{text}\n")
            characters[source] += len(text)
    counts = {
        "documents": collections.Counter(document["source"] for document in training),
        "text_chars": characters,
        "pairs": collections.Counter(f"{source}|{kind}" for source, kind, _, _ in pairs),
    }
    with open(os.path.join(work, "counts.json"), "w", encoding="utf-8") as file:
        json.dump(counts, file, indent=1, sort_keys=True)
    print(len(training), "documents", len(pairs), "pairs", sum(characters.values()), "characters")


if __name__ == "__main__":
    main(*sys.argv[1:])
