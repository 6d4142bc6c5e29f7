import type { SourcePlace } from '../../../core/kit.ts';
import { delimiterRow, escapeBlockStarts, tableRow } from '../../toolkit/markdown/index.ts';
import { CJK, type Line } from './lines.ts';
import type { PdfOptions } from './manifest.ts';
import type { TableRow } from './page.ts';
import { BULLET, type Heading, isCertain, type Paragraph } from './paragraphs.ts';

/** Longer runs are not words, and could overflow the stack of the regular expression. */
const WORDS = /\p{L}{1,1000}(?:-\p{L}{1,1000}){0,100}/gu;
const LETTERS_AT_END = /(?<!\p{L})\p{L}{1,1000}$/u;
const HYPHEN = /[-\u2010\u00ad]$/;
/** Letters of a word that are compared. */
const MAX_WORD_LENGTH = 60;

interface Written {
  readonly text: string;
  readonly places: SourcePlace[];
  /** Header rows that later pages repeat, which are left out. */
  readonly repeatedHeads: readonly Line[];
}

/**
 * Writes paragraphs as Markdown, and where each line comes from. A page without lines has an empty place.
 *
 * @param pages how many the file has
 */
export function writeMarkdown(
  paragraphs: readonly Paragraph[],
  pages: number,
  { tables, keep_furniture: keepsHeads }: Pick<PdfOptions, 'tables' | 'keep_furniture'>,
): Written {
  const writer = new Writer(paragraphs);
  for (const paragraph of paragraphs) {
    const isTable = paragraph.lines[0]?.row !== undefined && paragraph.lines.length > 1;
    if (isTable && (tables === 'markdown' || !isSimple(paragraph))) writer.writeTable(paragraph, keepsHeads);
    else writer.write(paragraph);
  }
  return writer.end(pages);
}

function wordsOf(paragraphs: readonly Paragraph[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { lines } of paragraphs)
    for (const { text } of lines) for (const [word] of text.matchAll(WORDS)) words.add(word.toLowerCase());
  return words;
}

const ADDRESS = /(?:\b[a-z]{3,8}:\/\/|\bwww\.)\S*$/i;
const PART_OF_ADDRESS = /^[^\s,;]*[/.?=&_%#~-][^\s]*|^[a-z0-9]+(?:\s|$)/i;
/** Characters of a line's end in which an address is found. */
const MAX_ADDRESS_LENGTH = 300;

/** Whether a line ends within an address that continues on the next one. */
function isInAddress(text: string, next: string): boolean {
  const address = ADDRESS.exec(text.slice(-MAX_ADDRESS_LENGTH))?.[0];
  if (address === undefined || !/[/\-_.=&?%#~+]$/.test(address))
    return /^[/?&=#%_]/.test(next) && address !== undefined;
  return !address.endsWith('.') && PART_OF_ADDRESS.test(next.slice(0, MAX_ADDRESS_LENGTH));
}

/** Whether each row of a table is one line, without blank cells and rules. */
const isSimple = ({ lines }: Paragraph): boolean =>
  lines.every(({ row }) => row?.table.isRuled === false && row.cells.every(({ length }) => length === 1));

const sameCells = (a: TableRow, b: TableRow): boolean =>
  a.cells.every((cell, at) => cell.join(' ') === b.cells[at]?.join(' '));

class Writer {
  readonly #paragraphs: readonly Paragraph[];
  #words: ReadonlySet<string> | undefined;
  readonly #parts: string[] = [];
  readonly #places: SourcePlace[] = [];
  #length = 0;
  #page = 0;
  #figures = 0;

  constructor(paragraphs: readonly Paragraph[]) {
    this.#paragraphs = paragraphs;
  }

  #heading: Heading | undefined;

  write({ lines, heading }: Paragraph): void {
    this.#heading = heading;
    const level = heading?.level;
    if (this.#length > 0) this.#put('\n\n');
    const keepsBreaks = lines.some(({ cells }) => cells > 1) || lines.every(({ isMono }) => isMono);
    for (const [index, line] of lines.entries()) {
      const next = lines[index + 1];
      const isFirst = index === 0 || (keepsBreaks && level === undefined);
      const text = isFirst ? this.#begin(line, index) : this.#inline(line.text);
      if (next === undefined) this.#place(line, text);
      else if (keepsBreaks) this.#place(line, text, level === undefined ? '\n' : ' ');
      else this.#join(line, text, next);
    }
    if (heading !== undefined && !isCertain(heading)) this.#put('**');
    this.#heading = undefined;
  }

  readonly #repeatedHeads: Line[] = [];

  /** Writes a table, whose first row is the header. @param keepsHeads whether later pages repeat the header */
  writeTable({ lines }: Paragraph, keepsHeads: boolean): void {
    if (this.#length > 0) this.#put('\n\n');
    const header = lines[0]?.row;
    let last = header;
    for (const [index, line] of lines.entries()) {
      const { row = last } = line;
      if (row === undefined || header === undefined) continue;
      const isRepeated = !keepsHeads && row.table !== last?.table && sameCells(row, header);
      last = row;
      if (isRepeated) {
        this.#repeatedHeads.push(line);
        continue;
      }
      if (index > 0) this.#put('\n');
      this.#place(
        line,
        tableRow(row.cells.map((cell) => cell.reduce((text, next) => this.#joined(text, next), ''))),
      );
      if (index === 0) this.#put(`\n${delimiterRow(row.cells.length)}`);
    }
  }

  /** Joins the lines of a cell. */
  #joined(text: string, next: string): string {
    if (text === '' || (CJK.test(text.slice(-1)) && CJK.test(next.slice(0, 1)))) return text + next;
    const before = HYPHEN.test(text) ? LETTERS_AT_END.exec(text.slice(-MAX_WORD_LENGTH, -1))?.[0] : undefined;
    const after = /^\p{Ll}+/u.exec(next.slice(0, MAX_WORD_LENGTH))?.[0];
    if (before === undefined || after === undefined) return `${text} ${next}`;
    return `${this.#keepsHyphen(before, after) ? text : text.slice(0, -1)}${next}`;
  }

  end(pages: number): Written {
    this.#reach(pages + 1);
    return { text: this.#parts.join(''), places: this.#places, repeatedHeads: this.#repeatedHeads };
  }

  /** Writes the mark of a block; returns the rest of its first line. */
  #begin({ text, isFigure }: Line, index: number): string {
    if (isFigure) return `![${text}]`;
    if (this.#heading !== undefined) {
      this.#put(isCertain(this.#heading) ? `${'#'.repeat(this.#heading.level)} ` : '**');
      return this.#inline(text);
    }
    const bullet = index === 0 ? (BULLET.exec(text)?.[0] ?? '') : '';
    if (bullet === '') return escapeBlockStarts(text);
    this.#put('- ');
    return text.slice(bullet.length);
  }

  /** A heading has no tabs, and no stars that would end bold text. */
  #inline(text: string): string {
    if (this.#heading === undefined) return text;
    return isCertain(this.#heading)
      ? text.replaceAll('\t', ' ')
      : text.replaceAll('\t', ' ').replaceAll('*', '\\*');
  }

  /** Joins a line to the next by a space, or without the hyphen that divides a word. */
  #join(line: Line, text: string, next: Line): void {
    const [last, first] = [text.slice(-1), next.text.slice(0, 1)];
    if ((CJK.test(last) && CJK.test(first)) || isInAddress(text, next.text)) this.#place(line, text);
    else if (HYPHEN.test(last)) this.#joinAtHyphen(line, text, next);
    else this.#place(line, text, ' ');
  }

  #joinAtHyphen(line: Line, text: string, next: Line): void {
    const before = LETTERS_AT_END.exec(text.slice(-MAX_WORD_LENGTH, -1))?.[0];
    const after = /^\p{Ll}+/u.exec(next.text.slice(0, MAX_WORD_LENGTH))?.[0];
    const isDivided = before !== undefined && after !== undefined && !this.#keepsHyphen(before, after);
    // A dash has a space before it; a hyphen joins the parts of a name or a range.
    const isJoined = /[\p{L}\p{N}]$/u.test(text.slice(0, -1)) && /^[\p{L}\p{N}]/u.test(next.text);
    if (isDivided) this.#place(line, text.slice(0, -1));
    else this.#place(line, text, isJoined ? '' : ' ');
  }

  /** A word keeps its hyphen if the file has it with the hyphen elsewhere, and never without. */
  #keepsHyphen(before: string, after: string): boolean {
    const [divided, whole] = [`${before}-${after}`, `${before}${after}`].map((word) => word.toLowerCase());
    this.#words ??= wordsOf(this.#paragraphs);
    return this.#words.has(divided ?? '') && !this.#words.has(whole ?? '');
  }

  #place({ page, box, isFigure, confidence }: Line, text: string, gap = ''): void {
    this.#reach(page);
    this.#page = page;
    const start = this.#length;
    this.#put(text);
    if (isFigure) this.#figures++;
    const heading = this.#heading;
    const where = {
      page,
      ...(box && { box }),
      ...(isFigure && { image: this.#figures }),
      ...(confidence !== undefined && { ocr_confidence: confidence }),
      ...(heading && { heading_source: heading.source, heading_confidence: heading.confidence }),
    };
    // A bullet alone has no text of its own.
    if (text !== '') this.#places.push({ start, end: this.#length, ...where });
    this.#put(gap);
  }

  /** Adds empty places for the pages without text before `page`. */
  #reach(page: number): void {
    for (this.#page++; this.#page < page; this.#page++)
      this.#places.push({ start: this.#length, end: this.#length, page: this.#page });
    this.#page--;
  }

  #put(piece: string): void {
    this.#parts.push(piece);
    this.#length += piece.length;
  }
}
