"""Writes English texts, code among them, and texts in small languages of Latin letters: familiar_pages.py CLONES PAGES.

Adds PAGES/<language>/<owner>+<name>/all.txt to what pages.py wrote.
"""

import json
import os
import re
import sys

from pages import open_clone, read_files

SOURCES = [
    ("tldr-pages/tldr", "08e345f42639f67d99282813247ac670dc6e87cb", r"^pages(?:\.(bs|ca|cs|da|fi|hu|ms|nb|no|ro|sr|sv|uz))?/.*\.md$"),
    ("github/opensource.guide", "ebc9678e39b55ff5e5c8801d1960904692188e90", r"^_articles/(?:(hu|ms|ro|sw)/)?[^/]+\.md$"),
    ("electron/i18n", "b5831481c16a6e46c903c3dae849440f030171ef", r"^content/en-US/docs/.*\.md$"),
    ("withastro/docs", "741c1b89ba13cf9b4ac4087ef09dc269e113fa77", r"^src/content/docs/en/.*\.mdx$"),
    ("eslint/eslint", "c27bc926e496985eb7911c09eb60914b2e4b5d0f", r"^(lib|docs/src)/.*\.(js|md)$"),
    ("globalwordnet/english-wordnet", "d94538ad0df3d7a4c77837bde6af69d7a6592c32", r"^src/yaml/(noun|verb|adj|adv)\..*\.yaml$"),
    ("clinc/oos-eval", "828f8093932c8fe6ca7936c3d2e52903b1c523de", r"^data/data_full\.json$"),
    ("abachaa/MedQuAD", "577bd37b96c02d1833b2c9eed2de9f96964e96cb", r"^[1-9]_.*\.xml$"),
    ("factbook/factbook.json", "8662a8b17a784841ab4528631b04090eb2f183eb", r"^[a-z-]+/[a-z]{2}\.json$"),
    (
        "standardebooks/arthur-conan-doyle_the-adventures-of-sherlock-holmes",
        "23b2b6e0aa1350aaccaac91e1d0fe3bb6ed4c81f",
        r"^src/epub/text/.*\.xhtml$",
    ),
]


def strings_of(value):
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from strings_of(one)


def plain(path, text, is_translated):
    if path.endswith(".json"):
        text = "\n".join(strings_of(json.loads(text)))
    if path.endswith(".yaml"):
        text = "\n".join(re.findall(r"^ +- [\"']?(.+)$", "\n".join(text.split("\n")), flags=re.M))
    if path.endswith(("xml", "xhtml", ".json")):
        text = re.sub(r"<[^>]*>", " ", text)
    if is_translated:
        text = "\n".join(line.lstrip("> -") for line in text.split("\n") if not re.match(r"[#`]|.*https?:", line))
        text = re.sub(r"`[^`]*`", " ", text)
    return text


def main(clones, pages):
    for repository, commit, pattern in SOURCES:
        texts = {}
        for path, text in read_files(open_clone(clones, repository, commit), commit, pattern):
            groups = re.match(pattern, path).groups()
            language = groups[0] if groups and len(groups[0] or "") == 2 else "en"
            texts.setdefault(language, []).append(plain(path, text, language != "en"))
        for language, all_texts in texts.items():
            folder = os.path.join(pages, language, repository.replace("/", "+"))
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "all.txt"), "w", encoding="utf-8") as file:
                file.write("\n".join(all_texts))
            print(repository, language, sum(map(len, all_texts)), flush=True)


main(*sys.argv[1:])
