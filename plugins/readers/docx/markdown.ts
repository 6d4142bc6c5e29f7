import { FormattedText, MarkdownDocument, type SpanningCell } from '../../toolkit/markdown/index.ts';
import type { Block, Cell, Item, Notes, Paragraph, Table } from './content.ts';

const SPACE = /\s+/g;
/** The text of a place that a row skips, until the table is written. XML cannot contain it. */
const SKIPPED = '\0';

/** Writes a document as Markdown and counts its hidden runs. */
export function writeMarkdown(
  blocks: readonly Block[],
  notes: Notes,
): { readonly text: string; readonly title: string | undefined; readonly hidden: number } {
  const writer = new Writer(notes);
  writer.addAll(blocks);
  return { text: writer.text(), title: writer.title, hidden: writer.hidden };
}

class Writer {
  readonly #notes: Notes;
  readonly #written = new MarkdownDocument();
  readonly #numbers = new Map<string, number>();
  #pending: { readonly number: number; readonly note: string }[] = [];
  title: string | undefined;
  hidden = 0;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  text(): string {
    return this.#written.text().replaceAll(SKIPPED, '');
  }

  addAll(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if ('rows' in block) this.#addTable(block);
      else this.#addParagraph(block);
      this.#addNotes();
    }
  }

  #addParagraph(paragraph: Paragraph): void {
    const { items, mark } = paragraph;
    if (mark !== undefined && mark.heading > 0) this.#addHeading(paragraph);
    else if (mark?.list !== undefined)
      this.#written.item(this.#inline(items), mark.list.level, mark.list.label);
    else this.#written.paragraph(this.#inline(items));
  }

  #addHeading({ items, mark }: Paragraph): void {
    const text = this.#inline(items, false).replace(SPACE, ' ');
    if (text === '' || mark === undefined) return;
    if (mark.isTitle) this.title ??= text;
    const label = mark.list === undefined || mark.list.label === '' ? '' : `${mark.list.label} `;
    this.#written.heading(mark.heading, label + text);
  }

  /** Adds a table. A table with one cell is a frame: only the content of the cell is added. */
  #addTable({ rows }: Table): void {
    const [only] = rows[0] ?? [];
    if (rows.length === 1 && rows[0]?.length === 1) this.addAll(only?.blocks ?? []);
    else this.#written.table(rows.map((row) => this.#cellsOf(row)));
  }

  /** A place that a row skips is wider than a blank cell, which is how readers tell them apart. */
  #cellsOf(row: readonly Cell[]): SpanningCell[] {
    const cells = row.map(({ blocks, columns, rows }) => ({
      text: blocks.length === 0 ? SKIPPED : this.#line(blocks),
      columns: Math.max(columns, 1),
      rows,
    }));
    const isBlank = cells.every(({ text }) => text === '' || text === SKIPPED);
    return isBlank ? cells.map((cell) => ({ ...cell, text: '' })) : cells;
  }

  #addNotes(): void {
    const notes = this.#pending;
    this.#pending = [];
    for (const { number, note } of notes)
      this.#written.block(`[^${number}]: ${this.#line(this.#notes.get(note) ?? [])}`);
  }

  #line(blocks: readonly Block[]): string {
    const texts = blocks.map((block) => {
      if ('rows' in block) return block.rows.flatMap((row) => row.map((cell) => this.#line(cell.blocks)));
      const list = block.mark?.list;
      const text = this.#inline(block.items);
      return text === '' || list === undefined ? text : `${list.label || '-'} ${text}`;
    });
    return texts
      .flat()
      .filter((text) => text !== '')
      .join(' ')
      .replace(SPACE, ' ');
  }

  /** The text of a paragraph. @param isEmphasised whether to keep its emphasis */
  #inline(items: readonly Item[], isEmphasised = true): string {
    if (items.length === 0) return '';
    const text = new FormattedText();
    for (const item of items) {
      if (item.isHidden === true) this.hidden++;
      else text.add(item.note === undefined ? item.text : this.#refer(item.note), item.format);
    }
    return text.written(isEmphasised).replaceAll('\u00a0', ' ').replace(/ {2,}/g, ' ').trim();
  }

  #refer(note: string): string {
    const number = this.#numbers.get(note) ?? this.#numbers.size + 1;
    if (!this.#numbers.has(note)) this.#pending.push({ number, note });
    this.#numbers.set(note, number);
    return `[^${number}]`;
  }
}
