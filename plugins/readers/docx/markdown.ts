import {
  FormattedText,
  MarkdownDocument,
  PLAIN_TEXT,
  type SpanningCell,
  type TextFormat,
} from '../../toolkit/markdown/index.ts';
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

const SPACE = /\s+/g;
/** The text of a place that a row skips, until the table is written. XML cannot contain it. */
const SKIPPED = '\0';

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
  readonly #written = new MarkdownDocument();
  readonly #notes = new Map<string, number>();
  #pending: { readonly number: number; readonly reference: Node }[] = [];
  title: string | undefined;
  hidden = 0;

  constructor(document: Node, marks: readonly Mark[]) {
    this.#document = document;
    this.#marks = marks;
  }

  text(): string {
    return this.#written.text().replaceAll(SKIPPED, '');
  }

  addAll(nodes: readonly Node[]): void {
    for (const node of blocksOf(nodes)) {
      if (node.type === 'table') this.#addTable(node);
      else this.#addParagraph(node);
      this.#addNotes();
    }
  }

  #addParagraph(node: Node): void {
    const mark = this.#marks[Number(node.alignment ?? Number.NaN)];
    if (mark !== undefined && mark.heading > 0) this.#addHeading(node, mark);
    else if (mark?.list !== undefined)
      this.#written.item(this.#inline(node), mark.list.level, mark.list.label);
    else this.#written.paragraph(this.#inline(node));
  }

  #addHeading(node: Node, { heading, isTitle, list }: Mark): void {
    const text = this.#inline(node, false).replace(SPACE, ' ');
    if (text === '') return;
    if (isTitle) this.title ??= text;
    const label = list === undefined || list.label === '' ? '' : `${list.label} `;
    this.#written.heading(heading, label + text);
  }

  /** Adds a table. A table with one cell is a frame: only the content of the cell is added. */
  #addTable(table: Node): void {
    const rows = (table.children ?? []).map((row) => row.children ?? []);
    const [only] = rows[0] ?? [];
    if (rows.length === 1 && rows[0]?.length === 1) this.addAll(only?.children ?? []);
    else this.#written.table(rows.map((row) => this.#cellsOf(row)));
  }

  /** A place that a row skips is wider than a blank cell, which is how readers tell them apart. */
  #cellsOf(row: readonly Node[]): SpanningCell[] {
    const cells = row.map(({ children = [], colSpan = 1, rowSpan = 1 }) => ({
      text: children.length === 0 ? SKIPPED : this.#line(children),
      columns: Math.max(colSpan, 1),
      rows: rowSpan,
    }));
    const isBlank = cells.every(({ text }) => text === '' || text === SKIPPED);
    return isBlank ? cells.map((cell) => ({ ...cell, text: '' })) : cells;
  }

  #addNotes(): void {
    const notes = this.#pending;
    this.#pending = [];
    for (const { number, reference } of notes) {
      const body = this.#document.notes?.resolve(reference)?.body ?? [];
      this.#written.block(`[^${number}]: ${this.#line(body)}`);
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
    const text = new FormattedText();
    this.#collect(node, PLAIN_TEXT, text);
    return text.written(isEmphasised).replaceAll('\u00a0', ' ').replace(/ {2,}/g, ' ').trim();
  }

  #collect(node: Node, format: TextFormat, text: FormattedText): void {
    if (node.highlight === HIDDEN) {
      this.hidden++;
      return;
    }
    const own = { ...format, ...formatOf(node) };
    text.add(this.#textOf(node), own);
    for (const child of node.children ?? []) this.#collect(child, own, text);
  }

  #textOf(node: Node): string {
    if (node.type === 'text') return node.value ?? '';
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
}: Node): Partial<TextFormat> {
  if (type === 'hyperlink') return { href: href ?? '' };
  if (type !== 'run') return {};
  const emphasis = `${isStrikethrough ? '~~' : ''}${isBold ? '**' : ''}${isItalic ? '*' : ''}`;
  return { emphasis, isRaised: verticalAlignment === 'superscript' };
}
