import { fence, heading, paragraph, table } from './blocks.ts';
import { Output } from './output.ts';
import { scanXhtml, type XhtmlHandler } from './xhtml.ts';

export interface Markdown {
  readonly text: string;
  /** Where pages, slides and sheets begin. Empty if there are none. */
  readonly pages: readonly number[];
}

/** Elements within a line: all others begin and end blocks. */
const INLINE = new Set(
  'a abbr b big cite code del em font i img ins kbd mark q s samp small span strike strong sub sup tt u var'.split(
    ' ',
  ),
);
const HEADING = /^h([1-6])$/;
/** What is not text. */
const SKIPPED = new Set(['head', 'script', 'style']);
/** What Tika calls a page in PDF, presentations and spreadsheets. */
const PAGE = /(?:^|\s)(?:page|slide|slide-content|sheet)(?:\s|$)/;
const LINK = /^(?:https?:|mailto:)[^\s()<>]+$/i;

/** Writes the XHTML of Tika as Markdown: its headings, paragraphs, lists, tables and code. */
export function writeMarkdown(xhtml: string): Markdown {
  const writer = new Writer();
  scanXhtml(xhtml, writer);
  return writer.end();
}

interface List {
  readonly isOrdered: boolean;
  count: number;
}

class Writer implements XhtmlHandler {
  readonly #output = new Output();
  readonly #lists: List[] = [];
  /** Rows of the table that is open; tables within it are text of its cells. */
  #rows: string[][] = [];
  #tables = 0;
  #skipped = 0;
  /** Elements `div` that are open, and how many of them were when the page began. */
  #divisions = 0;
  #page = 0;
  /** The text of the block that is open, or of the cell. */
  #pieces: string[] = [];
  #block = 'p';
  /** Whether the next block is the first of an item. */
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

  end(): Markdown {
    if (this.#tables > 0) this.#endTable();
    this.#endBlock();
    const text = this.#output.end();
    return { text, pages: this.#output.pages };
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
    this.#divisions++;
    if (this.#page > 0 || !PAGE.test(kind)) return;
    this.#page = this.#divisions;
    this.#output.addPage();
  }

  #closeBlock(name: string): void {
    this.#endBlock();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    else if (name === 'li') this.#beginsItem = false;
    else if (name === 'div' && this.#divisions-- === this.#page) this.#page = 0;
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
    const written = table(this.#rows);
    this.#rows = [];
    if (written !== undefined) this.#output.add(written);
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
    if (isCode) this.#output.add(fence(text));
    else if (level > 0) this.#output.add(heading(level, text));
    else if (this.#lists.length > 0) this.#addToList(text);
    else this.#output.add(paragraph(text));
  }

  #addToList(text: string): void {
    const list = this.#lists.at(-1);
    const outer = '  '.repeat(Math.min(this.#lists.length - 1, MOST_LEVELS));
    if (list === undefined || !this.#beginsItem) {
      const indent = `${outer}  `;
      this.#output.add(indent + paragraph(text, indent));
      return;
    }
    this.#beginsItem = false;
    list.count++;
    const mark = list.isOrdered ? `${list.count}. ` : '- ';
    const indent = outer + ' '.repeat(mark.length);
    this.#output.add(
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

/** Deeper items stand at this level: each line has its indentation. */
const MOST_LEVELS = 16;
