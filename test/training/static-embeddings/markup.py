"""Reads documents: {title, description, sections: [(heading, [paragraph])], glossary: [(term, meaning)]}."""
import html
import re
import unicodedata
import xml.etree.ElementTree as ElementTree

FRONT_MATTER = re.compile(r"\s*(?:---|\+\+\+)\s*\n(.*?)\n(?:---|\+\+\+)\s*\n", re.S)
FIELD = re.compile(r"^(title|description|summary|deck|excerpt|shortTitle)\s*[:=]\s*(.+)$", re.M)
LIST_ITEM = re.compile(r"^\s*([-*+]|\d+\.)\s+")
UNDERLINE = re.compile(r"^([=\-~^\"'#*+])\1{2,}\s*$")
CNXML = "{http://cnx.rice.edu/cnxml}"
CNXML_ASIDES = {CNXML + name for name in ("note", "footnote", "figure", "table", "media", "equation")}


def clean(text):
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()


def without_marks(text):
    """Takes the inline marks out of Markdown: images, links, tags, emphasis, addresses."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\[[^\]]*\]", r"\1", text)
    text = re.sub(r"<[^>]{1,300}>", " ", text)
    text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", text)
    text = re.sub(r"[*_`]{1,3}", "", text)
    text = re.sub(r"https?://\S+", " ", text)
    return clean(html.unescape(text))


class Outline:
    """Gathers lines into paragraphs, and paragraphs into sections."""

    def __init__(self, read_paragraph):
        self.read_paragraph = read_paragraph
        self.sections = []
        self.heading = ""
        self.paragraphs = []
        self.lines = []

    def end_paragraph(self):
        text = self.read_paragraph(" ".join(self.lines))
        self.lines.clear()
        if len(text) > 40:
            self.paragraphs.append(text)

    def end_section(self):
        self.end_paragraph()
        if self.paragraphs:
            self.sections.append((self.heading, self.paragraphs))
            self.paragraphs = []


def read_markdown(text):
    fields = {}
    front = FRONT_MATTER.match(text)
    if front:
        fields = {key: without_marks(value.strip(" \"'>|")) for key, value in FIELD.findall(front.group(1))}
        text = text[front.end() :]
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", text, flags=re.S | re.M)
    title, path, outline = fields.get("title", ""), [], Outline(without_marks)
    for line in text.split("\n"):
        heading = re.match(r"^(#{1,6})\s+(.+?)\s*#*$", line) or re.match(r"^(={2,5})\s+(.+)$", line)
        if heading:
            outline.end_section()
            level, name = len(heading.group(1)), without_marks(re.sub(r"\{#.*?\}", "", heading.group(2)))
            if level == 1 and not title:
                title = name
            path = (path + [""] * 6)[: level - 1] + [name if level > 1 or name != title else ""]
            outline.heading = " - ".join([part for part in path if part][-2:])
        elif not line.strip():
            outline.end_paragraph()
        elif not is_noise(line, outline.lines):
            if LIST_ITEM.match(line) and sum(map(len, outline.lines)) > 400:
                outline.end_paragraph()
            outline.lines.append(re.sub(r"^\s*([-*+>]|\d+\.)\s+", "", line))
    outline.end_section()
    descriptions = (fields.get(key) for key in ("description", "summary", "deck", "excerpt"))
    return document(title, outline.sections, next(filter(None, descriptions), ""))


def is_noise(line, lines_before):
    """Whether a line is code, a row of a table, an import or a rule."""
    if re.match(r"^(    |\t)\S", line) and not lines_before:
        return True
    return bool(line.lstrip().startswith("|") or line.startswith("import ") or re.match(r"^\s*[-=]{3,}\s*$", line))


def read_rst(text):
    title = re.search(r"^Title:\s*(.+)$", text, re.M)
    outline = Outline(lambda part: clean(re.sub(r"[`*|]+|:\w+:|_\b", "", re.sub(r"<[^>]*>", "", part))))
    lines = text.split("\n")
    skip = False
    for line, following in zip(lines, lines[1:] + [""]):
        if skip:
            skip = False
        elif line.strip() and UNDERLINE.match(following) and len(following.strip()) >= len(line.strip()) - 2:
            outline.end_section()
            outline.heading, skip = clean(line), True
        elif not line.strip():
            outline.end_paragraph()
        elif not line.startswith("..") and (outline.lines or not line.startswith((" ", "\t"))):
            outline.lines.append(line.strip())
    outline.end_section()
    sections = [part for part in outline.sections if part[0].lower() not in ("copyright", "references", "")]
    return document(clean(title.group(1)) if title else "", sections)


def read_cnxml(text):
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None
    sections = []
    content = root.find(CNXML + "content")
    if content is not None:
        gather_cnxml(content, "", sections)
    definitions = [(d.find(CNXML + "term"), d.find(CNXML + "meaning")) for d in root.iter(CNXML + "definition")]
    glossary = [(clean(text_of(t)), clean(text_of(m))) for t, m in definitions if t is not None and m is not None]
    return document(title_of(root, ""), sections, glossary=glossary)


def gather_cnxml(element, heading, sections):
    paragraphs = []
    for child in element:
        if child.tag == CNXML + "para":
            text, least = clean(text_of(child)), 60
        elif child.tag == CNXML + "list":
            text, least = clean(" ".join(text_of(item) for item in child.iter(CNXML + "item"))), 80
        else:
            continue
        if len(text) > least:
            paragraphs.append(text)
    if paragraphs:
        sections.append((heading, paragraphs))
    for child in element:
        if child.tag in (CNXML + "section", CNXML + "note", CNXML + "example", CNXML + "glossary"):
            gather_cnxml(child, title_of(child, heading), sections)


def title_of(element, otherwise):
    title = element.find(CNXML + "title")
    return otherwise if title is None else clean(text_of(title))


def text_of(element):
    if element.tag.endswith("}math") or element.tag in CNXML_ASIDES:
        return " "
    return (element.text or "") + "".join(text_of(child) + (child.tail or "") for child in element)


def document(title, sections, description="", glossary=()):
    return {"title": title, "description": description, "sections": sections, "glossary": list(glossary)}
