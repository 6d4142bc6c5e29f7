"""Sources that are lists of pairs rather than documents. Each gives (kind, one, other)."""
import collections
import csv
import html
import json
import os
import re
import zipfile

from markup import clean, document, without_marks
from sources import read

SYNSET = re.compile(r"^(\d{8}-[a-z]):")


def medquad(files):
    for _, path in files:
        pattern = r"<Question[^>]*>(.*?)</Question>\s*<Answer>(.*?)</Answer>"
        for question, answer in re.findall(pattern, read(path), re.S):
            answer = clean(html.unescape(answer))
            if len(answer) > 40:
                yield "qa", html.unescape(question), answer
            if len(answer) > 900:
                yield "adj", answer[: len(answer) // 2], answer[len(answer) // 2 :]


def wordnet(files, random):
    synsets = read_synsets(path for _, path in files)
    for synset in synsets.values():
        members = [member.replace("_", " ") for member in synset["members"]]
        gloss = synset["definition"][0] if synset["definition"] else ""
        if not gloss or not members:
            continue
        yield "gloss", ", ".join(members[:4]), gloss
        if len(members) > 1:
            yield "syn", members[0], members[1]
        for example in synset["example"][:1]:
            if not example.startswith("source:"):
                yield "example", example, f"{members[0]}: {gloss}"
        for name in synset["hypernym"][:1]:
            above = synsets.get(name)
            if above and above["members"] and random.random() < 0.5:
                broader = f"{above['members'][0]}: {(above['definition'] or [''])[0]}"
                yield "hyper", f"{members[0]}: {gloss}", broader


def read_synsets(paths):
    """Reads the YAML line by line, which its regular form allows."""
    synsets = {}
    for path in paths:
        if os.path.basename(path).startswith("entries"):
            continue
        synset, key = None, None
        for line in read(path).split("\n"):
            if match := SYNSET.match(line):
                synset, key = synsets.setdefault(match.group(1), collections.defaultdict(list)), None
            elif match := re.match(r"^  (\w+):", line):
                key = match.group(1)
            elif synset is not None and (match := re.match(r"^  - (.*)$", line)):
                synset[key].append(match.group(1).strip().strip("'\""))
            elif synset is not None and line.startswith("    ") and synset.get(key):
                synset[key][-1] += " " + line.strip().strip("'\"")
    return synsets


def factbook(files, random):
    """Gives (document, pairs) of each country."""
    for _, path in files:
        try:
            country = json.loads(read(path))
            name = country["Government"]["Country name"]["conventional short form"]["text"]
        except (ValueError, KeyError, TypeError):
            continue
        sections, pairs = [], []
        for section in country.values():
            for heading, content in section.items() if isinstance(section, dict) else ():
                encoded = json.dumps(content, ensure_ascii=False)
                text = " ".join(re.findall(r'"text": "((?:[^"\\]|\\.)*)"', encoded)).replace('\\"', '"')
                text = without_marks(text)
                if len(text) > 80:
                    title = f"{name}: {heading}" if random.random() < 0.7 else f"{heading} of {name}"
                    pairs.append(("head", title, text))
                    sections.append((heading, [text]))
        yield document(name, sections), pairs


def intents(clinc_path, banking_path, random):
    """Pairs up what users say for the same purpose."""
    groups = collections.defaultdict(list)
    data = json.loads(read(clinc_path))
    for text, intent in data["train"] + data["val"]:
        groups["clinc " + intent].append(text)
    with open(banking_path, encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            groups["banking " + row["category"]].append(row["text"])
    for texts in groups.values():
        random.shuffle(texts)
        for one, other in zip(texts, texts[1:] + texts[:1]):
            yield "intent", one, other


def tldr(files):
    for _, path in files:
        text = read(path)
        title = re.search(r"^# (.+)$", text, re.M)
        said = [s for s in re.findall(r"^> (.+)$", text, re.M) if not re.search("More information|See also", s)]
        examples = re.findall(r"^- (.+):$", text, re.M)
        if title and said:
            yield "head", f"{title.group(1)}: {without_marks(' '.join(said))}", without_marks(". ".join(examples))


def speeches(files):
    """Gives (identifier, document) of each speech in the archives."""
    for _, path in files:
        archive_name = os.path.basename(path)[:-4].replace("_", " ")
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if not name.endswith(".txt") or "README" in name:
                    continue
                paragraphs = [clean(p) for p in re.split(r"\n\s*\n", archive.read(name).decode("latin1"))]
                title = f"{archive_name} {os.path.basename(name)[:-4].replace('-', ' ')}"
                yield name, document(title, [("", [p for p in paragraphs if len(p) > 60])])
