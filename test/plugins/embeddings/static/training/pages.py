"""Writes the pages of translated documentation as plain paragraphs: pages.py CLONES PAGES.

Reads the repositories of `sources.tsv` at their commits, from CLONES/<owner>+<name>, a bare clone that it makes if there
is none. Writes PAGES/<language>/<owner>+<name>/<number>.txt: paragraphs, and headings after `# `.
"""

import html
import json
import os
import re
import subprocess
import sys

# Characters of a page, and letters of a paragraph, that say enough.
MIN_LENGTH, MIN_LETTERS = 150, 12
# Share of letters that are not Latin, in languages that have other letters.
OTHER_LETTERS = {"ar": 0.5, "hi": 0.5, "ja": 0.3, "ko": 0.3, "ru": 0.5, "zh": 0.3}
MAX = 3_000_000

LETTER = re.compile(r"[^\W\d_]")
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
WORD = re.compile(r"[^\W\d_]+")
ENGLISH = set("the of and to is that this with for you are it from be by when if your not can which will has have".split())


def git(clone, *arguments, **settings):
    return subprocess.run(["git", "-C", clone, *arguments], check=True, stdout=subprocess.PIPE, **settings).stdout


def open_clone(clones, repository, commit):
    clone = os.path.join(clones, repository.replace("/", "+"))
    if not os.path.exists(clone):
        os.makedirs(clone)
        git(clone, "init", "--quiet", "--bare")
        git(clone, "fetch", "--quiet", "--depth", "1", f"https://github.com/{repository}", commit)
    return clone


def read_files(clone, commit, pattern):
    listing = git(clone, "ls-tree", "-r", "-z", commit).decode("utf-8", "replace")
    entries = [entry.split("\t") for entry in listing.split("\0") if entry]
    wanted = sorted((path, head.split()[2]) for head, path in entries if re.search(pattern, path))
    out = git(clone, "cat-file", "--batch", input="".join(f"{blob}\n" for _, blob in wanted).encode())
    at = 0
    for path, _ in wanted:
        end = out.index(b"\n", at)
        head, at = out[at:end].split(), end + 1
        # A partial clone lacks large files.
        if head[-1] == b"missing":
            continue
        size = int(head[2])
        if size <= MAX:
            yield path, out[at : at + size].decode("utf-8", "replace")
        at += size + 1


def from_markdown(text):
    title = re.match(r"\A\s*---\n(?:.*\n)*?title: *[\"']?(.*?)[\"']? *\n", text)
    text = re.sub(r"\A\s*---\n.*?\n---\n", "", text, flags=re.S)
    if title:
        text = f"# {title[1]}\n\n{text}"
    text = re.sub(r"^[ \t>]*(```+|~~~+).*?^[ \t>]*\1[ \t]*$", "\n\n", text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^(import|export|:::|\|) .*$", "", text, flags=re.M)
    text = re.sub(r"\{[#%][^}\n]*\}|\{/\*.*?\*/\}|!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>\n]{1,300}>", "", text)
    text = re.sub(r"^#+[ \t]+(.*)$", r"\n\n# \1\n\n", text, flags=re.M)
    text = re.sub(r"^\s*(=+|[*+-]|\d+\.|>)\s+", "", text, flags=re.M)
    return html.unescape(re.sub(r"[*`_]{1,3}(?=\S)|(?<=\S)[*`_]{1,3}", "", text))


CODE = (
    "programlisting|screen|methodsynopsis|constructorsynopsis|synopsis|classsynopsis|info|literallayout"
    "|code|metadata|m:math|math|table|iframe"
)
BLOCKS = (
    "para|simpara|listitem|row|entry|refpurpose|refsect1|section|note|warning|example|term|refname|item|list|content|document"
)


def from_markup(text):
    """DocBook, and the CNXML of textbooks."""
    text = re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE.*?>", "", text, flags=re.S)
    text = re.sub(rf"<({CODE})\b[^>]*/>", " ", text)
    text = re.sub(rf"<({CODE})\b.*?</\1>", " ", text, flags=re.S)
    text = re.sub(r"[ \t]*\n[ \t]*(?!\n)", " ", text)
    text = re.sub(r"<title\b[^>]*>(.*?)</title>", r"\n\n# \1\n\n", text)
    text = re.sub(rf"</?({BLOCKS})\b[^>]*>", "\n\n", text)
    text = re.sub(r"<[^>]*>", "", text)
    return html.unescape(re.sub(r"&(?!(?:lt|gt|amp|quot|nbsp);)\w[.\w-]*;", " ", text))


def from_notebook(text):
    try:
        cells = json.loads(text).get("cells", [])
    except ValueError:
        return ""
    return "\n\n".join(from_markdown("".join(cell["source"])) for cell in cells if cell.get("cell_type") == "markdown")


def from_catalogue(text):
    """The translations of a gettext catalogue, in its order."""
    found = re.findall(r'^msgstr ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.sub(r"\A.*?\n\n(?=#|msgid)", "", text, flags=re.S), re.M)
    texts = ("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', one)) for one in found)
    return re.sub(r":[a-z:]+:`[!~]?([^`<]*)(?: <[^>]*>)?`|[`*]+|\\[\"n]", r"\1", "\n\n".join(texts))


READERS = {
    ".xml": from_markup,
    ".cnxml": from_markup,
    ".ipynb": from_notebook,
    ".po": from_catalogue,
}


def is_in(paragraph, language):
    """Whether the letters are those of the language. Pages that wait for translation are in English."""
    letters = len(LETTER.findall(paragraph))
    if letters < MIN_LETTERS:
        return paragraph.startswith("# ") and letters > 1
    latin = len(LATIN.findall(paragraph))
    if language in OTHER_LETTERS:
        return letters - latin >= OTHER_LETTERS[language] * letters
    words = WORD.findall(paragraph.lower())
    return latin > 0.9 * letters and sum(word in ENGLISH for word in words) <= 0.08 * len(words)


def paragraphs(text, language):
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = re.sub(r"\s+", " ", paragraph).strip()
        if is_in(paragraph, language):
            yield paragraph


def write_pages(clones, pages, repository, commit, language, pattern):
    clone = open_clone(clones, repository, commit)
    folder = os.path.join(pages, language, repository.replace("/", "+"))
    os.makedirs(folder, exist_ok=True)
    seen, count = set(), 0
    for path, text in read_files(clone, commit, pattern):
        read = READERS.get(os.path.splitext(path)[1], from_markdown)
        found = [one for one in paragraphs(read(text), language) if one not in seen]
        seen.update(one for one in found if not one.startswith("# "))
        page = "\n\n".join(found)
        if len(page) >= MIN_LENGTH:
            with open(os.path.join(folder, f"{count:05}.txt"), "w", encoding="utf-8") as file:
                file.write(f"{page}\n")
            count += 1
    print(repository, language, count, "pages", flush=True)


def main(clones, pages):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sources.tsv"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                repository, commit, _, languages, pattern = line.rstrip("\n").split("\t")
                for language in languages.split():
                    write_pages(clones, pages, repository, commit, language, pattern.replace("{}", language))


if __name__ == "__main__":
    main(*sys.argv[1:])
