import {
  escapeBlockStarts,
  fencedCode,
  markdownHeading,
  markdownTable,
} from '../../toolkit/markdown/index.ts';
import { type Piece, type PlacedMarkdown, writePieces } from '../../toolkit/placed-markdown.ts';

/** Inline elements. All other elements begin and end blocks. */
const INLINE = new Set(
  'a abbr b big cite code del em font i img ins kbd mark q s samp small span strike strong sub sup tt u var'.split(
    ' ',
  ),
);
const HEADING = /^h([1-6])$/;
const SKIPPED = new Set(['head', 'script', 'style']);
const PAGE = /(?:^|\s)(?:page|slide|slide-content|sheet)(?:\s|$)/;
const LINK = /^(?:https?:|mailto:)[^\s()<>]+$/i;

/**
 * Writes Tika's XHTML as Markdown, with the places of pages, slides and sheets. Tika's XHTML is well-formed,
 * and writes `>` in attributes as `&gt;`.
 */
export function writeMarkdown(xhtml: string): PlacedMarkdown {
  const writer = new Writer();
  scanXhtml(xhtml, writer);
  return writer.end();
}

interface List {
  readonly isOrdered: boolean;
  count: number;
}

class Writer {
  readonly #written: Piece[] = [];
  #hasBlock = false;
  #newPages = 0;
  readonly #lists: List[] = [];
  #rows: string[][] = [];
  #tables = 0;
  #skipped = 0;
  #openDivisions = 0;
  /** The number of open divisions when the page was opened; 0 outside a page. */
  #page = 0;
  #pieces: string[] = [];
  #block = 'p';
  #beginsItem = false;
  #link: { readonly href: string; readonly start: number } | undefined;

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (SKIPPED.has(name)) this.#skipped++;
    else if (name === 'br') this.#pieces.push(this.#tables > 0 ? ' ' : '\n');
    else if (name === 'a') this.#link = { href: attribute('href') ?? '', start: this.#pieces.length };
    else if (name === 'img') this.#addPicture(attribute('src') ?? '', attribute('alt') ?? '');
    else if (this.#tables > 0) this.#openInTable(name);
    else if (!INLINE.has(name)) this.#openBlock(name, attribute);
  }

  close(name: string): void {
    if (SKIPPED.has(name)) this.#skipped = Math.max(this.#skipped - 1, 0);
    else if (name === 'a') this.#closeLink();
    else if (this.#tables > 0) this.#closeInTable(name);
    else if (!INLINE.has(name) && name !== 'br') this.#closeBlock(name);
  }

  text(text: string): void {
    if (this.#skipped === 0) this.#pieces.push(text);
  }

  end(): PlacedMarkdown {
    if (this.#tables > 0) this.#endTable();
    this.#endBlock();
    this.#startPages();
    return writePieces(this.#written);
  }

  #add(block: string, gap = '\n\n'): void {
    if (this.#hasBlock) this.#written.push(gap);
    this.#startPages();
    this.#written.push(block);
    this.#hasBlock = true;
  }

  #startPages(): void {
    for (; this.#newPages > 0; this.#newPages--) this.#written.push({ startsPage: true });
  }

  #openBlock(name: string, attribute: (name: string) => string | undefined): void {
    this.#endBlock();
    this.#block = name;
    if (name === 'ul' || name === 'ol') this.#lists.push({ isOrdered: name === 'ol', count: 0 });
    else if (name === 'li') this.#beginsItem = true;
    else if (name === 'table') this.#tables = 1;
    else if (name === 'div') this.#openDivision(attribute('class') ?? '');
  }

  #openDivision(kind: string): void {
    this.#openDivisions++;
    if (this.#page > 0 || !PAGE.test(kind)) return;
    this.#page = this.#openDivisions;
    this.#newPages++;
  }

  #closeBlock(name: string): void {
    this.#endBlock();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    else if (name === 'li') this.#beginsItem = false;
    else if (name === 'div' && this.#openDivisions-- === this.#page) this.#page = 0;
  }

  #openInTable(name: string): void {
    if (name === 'table') this.#tables++;
    if (this.#tables === 1 && name === 'tr') this.#rows.push([]);
    if (!INLINE.has(name)) this.#pieces.push(' ');
  }

  #closeInTable(name: string): void {
    if (this.#tables === 1 && (name === 'td' || name === 'th')) {
      if (this.#rows.length === 0) this.#rows.push([]);
      this.#rows.at(-1)?.push(this.#takeText());
    } else if (name === 'table' && --this.#tables === 0) this.#endTable();
    else if (!INLINE.has(name)) this.#pieces.push(' ');
  }

  #endTable(): void {
    this.#tables = 0;
    const written = markdownTable(this.#rows);
    this.#rows = [];
    if (written !== '') this.#add(written);
  }

  #takeText(): string {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#link = undefined;
    return text;
  }

  #endBlock(): void {
    const text = this.#takeText();
    const level = Number(HEADING.exec(this.#block)?.[1] ?? 0);
    const isCode = this.#block === 'pre';
    this.#block = 'p';
    if (text.trim() === '') return;
    if (isCode) this.#add(fencedCode(text.replace(/^\n|\n$/g, '')));
    else if (level > 0) this.#add(markdownHeading(level, text));
    else if (this.#lists.length > 0) this.#addToList(text);
    else this.#add(paragraph(text));
  }

  #addToList(text: string): void {
    const list = this.#lists.at(-1);
    const outer = '  '.repeat(Math.min(this.#lists.length - 1, MAX_LEVELS));
    if (list === undefined || !this.#beginsItem) {
      const indent = `${outer}  `;
      this.#add(indent + paragraph(text, indent));
      return;
    }
    this.#beginsItem = false;
    list.count++;
    const mark = list.isOrdered ? `${list.count}. ` : '- ';
    const indent = outer + ' '.repeat(mark.length);
    this.#add(
      outer + mark + paragraph(text, indent),
      list.count === 1 && this.#lists.length === 1 ? '\n\n' : '\n',
    );
  }

  #addPicture(source: string, description: string): void {
    if (!source.endsWith(description)) this.#pieces.push(description);
  }

  #closeLink(): void {
    if (this.#link === undefined) return;
    const { href, start } = this.#link;
    this.#link = undefined;
    const text = this.#pieces.splice(start).join('');
    const isLink = LINK.test(href) && text.trim() !== '' && !text.includes(href) && !/[\][\n]/.test(text);
    this.#pieces.push(isLink ? `[${text}](${href})` : text);
  }
}

/** Deeper list items are indented like items of this level. */
const MAX_LEVELS = 16;

/** Writes the lines of a paragraph. @param indent precedes every line except the first */
function paragraph(text: string, indent = ''): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  return escapeBlockStarts(lines.join('\n')).replaceAll('\n', `\n${indent}`);
}

const NAME = /^<\/?([\w:.-]+)/;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function scanXhtml(source: string, writer: Writer): void {
  let at = 0;
  while (at < source.length) {
    const tag = source.indexOf('<', at);
    const end = tag === -1 ? -1 : source.indexOf('>', tag);
    if (end === -1) break;
    if (tag > at) writer.text(decode(source.slice(at, tag)));
    scanTag(source.slice(tag, end), writer);
    at = end + 1;
  }
  if (at < source.length) writer.text(decode(source.slice(at)));
}

/** @param tag from `<` up to, but not including, `>` */
function scanTag(tag: string, writer: Writer): void {
  const name = NAME.exec(tag)?.[1]?.toLowerCase();
  if (name === undefined) return;
  const isEnd = tag.startsWith('</');
  if (!isEnd) writer.open(name, (attribute) => attributeOf(tag, attribute));
  if (isEnd || tag.endsWith('/')) writer.close(name);
}

function attributeOf(tag: string, name: string): string | undefined {
  const before = tag.indexOf(` ${name}="`);
  const start = before + name.length + 3;
  const end = before === -1 ? -1 : tag.indexOf('"', start);
  return end === -1 ? undefined : decode(tag.slice(start, end));
}

function decode(text: string): string {
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, name = '') => {
    if (name !== '') return NAMED[name.toLowerCase()] ?? whole;
    const code = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16);
    return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? whole : String.fromCodePoint(code);
  });
}
