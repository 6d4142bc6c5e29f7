import { refusedError } from '../../../core/kit.ts';
import { escapeBlockStarts, markdownHeading, markdownTable } from '../../toolkit/markdown/index.ts';
import { raised } from '../../toolkit/office/index.ts';
import { HIDDEN, type Mark } from './prepare.ts';

/** A node of mammoth's documents (`lib/documents.js`), with the members that are read. */
export interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
  /** For a paragraph, the index of its mark: `Preparation` stores the index as the alignment. */
  readonly alignment?: string | null;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isStrikethrough?: boolean;
  readonly verticalAlignment?: string;
  readonly highlight?: string | null;
  readonly href?: string;
  readonly checked?: boolean;
  readonly noteType?: string;
  readonly noteId?: string;
  readonly colSpan?: number;
  readonly rowSpan?: number;
  /** Only documents have notes. */
  readonly notes?: { resolve(reference: Node): { readonly body: readonly Node[] } | null };
}

interface Format {
  readonly emphasis: string;
  readonly href: string;
  readonly isRaised: boolean;
}

interface Stretch extends Format {
  text: string;
}

const PLAIN: Format = { emphasis: '', href: '', isRaised: false };

interface Block {
  readonly text: string;
  readonly isItem: boolean;
}

/** A spanning cell up to this length (UTF-16 units) is repeated, so that each row can be understood alone. */
const MAX_REPEATED = 100;
/** Maximum cells of all tables together, including repeated cells. */
const MAX_CELLS = 1_000_000;
const LINK = /^(?:https?:|mailto:)[^\s<>]+$/i;
const SPACE = /\s+/g;
/** The text of a place that a row does not have, unlike a blank cell. XML cannot contain it. */
const NO_CELL = '\0';

/** Writes mammoth's document as Markdown and counts its hidden runs. @param marks the marks of paragraphs */
export function writeMarkdown(
  document: Node,
  marks: readonly Mark[],
): { readonly text: string; readonly title: string | undefined; readonly hidden: number } {
  const writer = new Writer(document, marks);
  writer.addAll(document.children ?? []);
  return { text: writer.text(), title: writer.title, hidden: writer.hidden };
}

class Writer {
  readonly #document: Node;
  readonly #marks: readonly Mark[];
  readonly #blocks: Block[] = [];
  #indents: number[] = [];
  readonly #notes = new Map<string, number>();
  #pending: { readonly number: number; readonly reference: Node }[] = [];
  #cells = 0;
  title: string | undefined;
  hidden = 0;

  constructor(document: Node, marks: readonly Mark[]) {
    this.#document = document;
    this.#marks = marks;
  }

  text(): string {
    const parts = this.#blocks.flatMap(({ text, isItem }, index) => {
      const before = this.#blocks[index - 1];
      return before === undefined ? [text] : [before.isItem && isItem ? '\n' : '\n\n', text];
    });
    // Lone surrogates cannot be encoded in UTF-8.
    return parts.join('').toWellFormed();
  }

  addAll(nodes: readonly Node[]): void {
    for (const node of blocksOf(nodes)) {
      if (node.type === 'table') this.#addTable(node);
      else this.#addParagraph(node);
      this.#addNotes();
    }
  }

  #add(text: string, isItem = false): void {
    if (text !== '') this.#blocks.push({ text, isItem });
  }

  #addParagraph(node: Node): void {
    const mark = this.#marks[Number(node.alignment ?? Number.NaN)];
    if (mark !== undefined && mark.heading > 0) this.#addHeading(node, mark);
    else if (mark?.list !== undefined) this.#addItem(this.#inline(node), mark.list);
    else {
      const text = this.#inline(node);
      if (text === '') return;
      this.#indents = [];
      this.#add(escapeBlockStarts(text));
    }
  }

  #addHeading(node: Node, { heading, isTitle, list }: Mark): void {
    const text = this.#inline(node, false).replace(SPACE, ' ');
    if (text === '') return;
    if (isTitle) this.title ??= text;
    this.#indents = [];
    const label = list === undefined || list.label === '' ? '' : `${list.label} `;
    this.#add(markdownHeading(heading, label + text));
  }

  #addItem(text: string, { level, label }: NonNullable<Mark['list']>): void {
    if (text === '') return;
    const isNumber = /^\d{1,9}[.)]$/.test(label);
    const mark = isNumber ? `${label} ` : '- ';
    const own = isNumber || label === '' ? text : `${label} ${text}`;
    this.#indents = this.#indents.slice(0, level);
    const indent = this.#indents.reduce((sum, width) => sum + (width ?? 0), 0);
    this.#indents[level] = mark.length;
    const inner = escapeBlockStarts(own).replaceAll('\n', `\n${' '.repeat(indent + mark.length)}`);
    this.#add(' '.repeat(indent) + mark + inner, true);
  }

  /** Adds a table. A table with one cell is a frame: only the content of the cell is added. */
  #addTable(table: Node): void {
    this.#indents = [];
    const rows = (table.children ?? []).map((row) => row.children ?? []);
    const [only] = rows[0] ?? [];
    if (rows.length === 1 && rows[0]?.length === 1) this.addAll(only?.children ?? []);
    else {
      this.#cells += rows.flat().reduce((sum, cell) => sum + widthOf(cell) * (cell.rowSpan ?? 1), 0);
      if (this.#cells > MAX_CELLS)
        throw refusedError(`The document cannot be read: its tables have more than ${MAX_CELLS} cells.`);
      const grid = gridOf(rows, ({ children = [] }) =>
        children.length === 0 ? NO_CELL : this.#line(children),
      );
      const filled = grid.filter((row) => row.some((text) => text !== '' && text !== NO_CELL));
      this.#add(markdownTable(filled).replaceAll(NO_CELL, ''));
    }
  }

  #addNotes(): void {
    const notes = this.#pending;
    this.#pending = [];
    for (const { number, reference } of notes) {
      const body = this.#document.notes?.resolve(reference)?.body ?? [];
      this.#add(`[^${number}]: ${this.#line(body)}`);
    }
  }

  #line(nodes: readonly Node[]): string {
    const texts = blocksOf(nodes).map((node) => {
      if (node.type === 'table')
        return (node.children ?? []).flatMap(({ children = [] }) =>
          children.map((cell) => this.#line(cell.children ?? [])),
        );
      const list = this.#marks[Number(node.alignment ?? Number.NaN)]?.list;
      const text = this.#inline(node);
      return text === '' || list === undefined ? text : `${list.label || '-'} ${text}`;
    });
    return texts
      .flat()
      .filter((text) => text !== '')
      .join(' ')
      .replace(SPACE, ' ');
  }

  /** The text of a paragraph. @param isEmphasised whether to keep its emphasis */
  #inline(node: Node, isEmphasised = true): string {
    const stretches: Stretch[] = [];
    this.#collect(node, PLAIN, stretches);
    const texts = stretches.map((one) => writeStretch(isEmphasised ? one : { ...one, emphasis: '' }));
    return texts.join('').replaceAll('\u00ad', '').replaceAll('\u00a0', ' ').replace(/ {2,}/g, ' ').trim();
  }

  #collect(node: Node, format: Format, stretches: Stretch[]): void {
    if (node.highlight === HIDDEN) {
      this.hidden++;
      return;
    }
    const own = { ...format, ...formatOf(node) };
    const text = this.#textOf(node, own);
    const last = stretches.at(-1);
    if (last?.emphasis === own.emphasis && last.href === own.href) last.text += text;
    else if (text !== '') stretches.push({ ...own, text });
    for (const child of node.children ?? []) this.#collect(child, own, stretches);
  }

  #textOf(node: Node, { isRaised }: Format): string {
    if (node.type === 'text') return isRaised ? raised(node.value ?? '') : (node.value ?? '');
    if (node.type === 'tab') return '\t';
    if (node.type === 'break') return '\n';
    if (node.type === 'checkbox') return node.checked ? '[x] ' : '[ ] ';
    return node.type === 'noteReference' ? this.#refer(node) : '';
  }

  #refer(reference: Node): string {
    const key = `${reference.noteType} ${reference.noteId}`;
    const number = this.#notes.get(key) ?? this.#notes.size + 1;
    if (!this.#notes.has(key)) this.#pending.push({ number, reference });
    this.#notes.set(key, number);
    return `[^${number}]`;
  }
}

function blocksOf(nodes: readonly Node[]): Node[] {
  const blocks: Node[] = [];
  let loose: Node[] = [];
  for (const node of nodes) {
    if (node.type !== 'paragraph' && node.type !== 'table') {
      if (loose.length === 0) blocks.push({ type: 'paragraph', children: loose });
      loose.push(node);
    } else {
      loose = [];
      blocks.push(node);
    }
  }
  return blocks;
}

function formatOf({
  type,
  href,
  isBold,
  isItalic,
  isStrikethrough,
  verticalAlignment,
}: Node): Partial<Format> {
  if (type === 'hyperlink') return { href: href ?? '' };
  if (type !== 'run') return {};
  const emphasis = `${isStrikethrough ? '~~' : ''}${isBold ? '**' : ''}${isItalic ? '*' : ''}`;
  return { emphasis, isRaised: verticalAlignment === 'superscript' };
}

/** Keeps white space outside the emphasis, as Markdown requires. */
function writeStretch({ text, emphasis, href }: Stretch): string {
  const core = text.trim();
  const start = text.indexOf(core);
  const hasEmphasis = emphasis !== '' && /[\p{L}\p{N}]/u.test(core);
  const isLink = LINK.test(href) && core !== '' && core !== href && !/[[\]\n]/.test(core);
  const closing = [...emphasis].reverse().join('');
  const marked = hasEmphasis ? emphasis + core + closing : core;
  const target = href.replaceAll('(', '%28').replaceAll(')', '%29');
  const linked = isLink ? `[${marked}](${target})` : marked;
  return text.slice(0, start) + linked + text.slice(start + core.length);
}

/** The cells of each row. A spanning cell is repeated in each place that it covers. */
function gridOf(rows: readonly (readonly Node[])[], write: (cell: Node) => string): string[][] {
  const grid = rows.map((): string[] => []);
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const cell of row) {
      while (grid[y]?.[x] !== undefined) x++;
      const text = write(cell);
      for (const line of grid.slice(y, y + (cell.rowSpan ?? 1)))
        for (let column = x; column < x + widthOf(cell); column++)
          line[column] = text.length > MAX_REPEATED && (line !== grid[y] || column > x) ? '' : text;
    }
  }
  return grid;
}

const widthOf = ({ colSpan = 1 }: Node): number => (colSpan > 0 ? colSpan : 1);
