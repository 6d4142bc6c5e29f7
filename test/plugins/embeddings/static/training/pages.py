"""Writes the pages of translated documentation as plain paragraphs: pages.py CLONES PAGES.

Reads the repositories of `sources.tsv` at their commits, from CLONES/<owner>+<name>, a bare clone that it makes if there
is none. Writes PAGES/<language>/<owner>+<name>/<number>.txt.
"""

import html
import json
import os
import re
import subprocess
import sys

# Characters of a page, and letters of a paragraph, that say enough.
MIN_LENGTH, MIN_LETTERS = 150, 12
# Share of letters that are not Latin: Chinese, Japanese and Korean have more to a letter.
OTHER_LETTERS = {"ja": 0.3, "ko": 0.3, "zh": 0.3}
MAX = 3_000_000

LETTER = re.compile(r"[^\W\d_]")
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


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
    text = re.sub(r"\A\s*---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^[ \t>]*(```+|~~~+).*?^[ \t>]*\1[ \t]*$", "\n\n", text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^(import|export|:::|\|) .*$", "", text, flags=re.M)
    text = re.sub(r"\{[#%][^}\n]*\}|!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>\n]{1,300}>", "", text)
    text = re.sub(r"^\s*(#+|=+|[*+-]|\d+\.|>)\s+", "", text, flags=re.M)
    return html.unescape(re.sub(r"[*`_]{1,3}(?=\S)|(?<=\S)[*`_]{1,3}", "", text))


CODE = "programlisting|screen|methodsynopsis|constructorsynopsis|synopsis|classsynopsis|info|literallayout"
BLOCKS = "para|simpara|title|listitem|row|entry|refpurpose|refsect1|section|note|warning|example|term|refname"


def from_docbook(text):
    text = re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE.*?>", "", text, flags=re.S)
    text = re.sub(rf"<({CODE})\b.*?</\1>", "\n\n", text, flags=re.S)
    text = re.sub(r"[ \t]*\n[ \t]*(?!\n)", " ", text)
    text = re.sub(rf"</?({BLOCKS})\b[^>]*>", "\n\n", text)
    text = re.sub(r"<[^>]*>", "", text)
    return html.unescape(re.sub(r"&(?!(?:lt|gt|amp|quot|nbsp);)\w[.\w-]*;", " ", text))


def from_notebook(text):
    try:
        cells = json.loads(text).get("cells", [])
    except ValueError:
        return ""
    return "\n\n".join(from_markdown("".join(cell["source"])) for cell in cells if cell.get("cell_type") == "markdown")


READERS = {".xml": from_docbook, ".ipynb": from_notebook}


def paragraphs(text, language):
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = re.sub(r"\s+", " ", paragraph).strip()
        letters = len(LETTER.findall(paragraph))
        other = letters - len(LATIN.findall(paragraph))
        if letters >= MIN_LETTERS and other >= OTHER_LETTERS.get(language, 0.5) * letters:
            yield paragraph


def write_pages(clones, pages, repository, commit, language, pattern):
    clone = open_clone(clones, repository, commit)
    folder = os.path.join(pages, language, repository.replace("/", "+"))
    os.makedirs(folder, exist_ok=True)
    seen, count = set(), 0
    for path, text in read_files(clone, commit, pattern):
        read = READERS.get(os.path.splitext(path)[1], from_markdown)
        found = [one for one in dict.fromkeys(paragraphs(read(text), language)) if one not in seen]
        seen.update(found)
        page = "\n\n".join(found)
        if len(page) >= MIN_LENGTH:
            with open(os.path.join(folder, f"{count:05}.txt"), "w", encoding="utf-8") as file:
                file.write(f"{page}\n")
            count += 1
    print(repository, language, count, "pages", flush=True)


def main(clones, pages):
    with open(os.path.join(os.path.dirname(__file__), "sources.tsv"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                repository, commit, _, language, pattern = line.rstrip("\n").split("\t")
                write_pages(clones, pages, repository, commit, language, pattern)


if __name__ == "__main__":
    main(*sys.argv[1:])
