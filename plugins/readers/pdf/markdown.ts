import type { SourcePlace } from '../../../core/kit.ts';
import { escapeBlockStarts } from '../../toolkit/markdown/index.ts';
import { CJK, type Line } from './lines.ts';
import { BULLET, type Paragraph } from './paragraphs.ts';

/** Longer runs are not words, and could overflow the stack of the regular expression. */
const WORDS = /\p{L}{1,1000}(?:-\p{L}{1,1000}){0,100}/gu;
const LETTERS_AT_END = /(?<!\p{L})\p{L}{1,1000}$/u;
const HYPHEN = /[-\u2010\u00ad]$/;
/** Letters of a word that are compared. */
const MAX_WORD_LENGTH = 60;

/**
 * Writes paragraphs as Markdown, and where each line comes from. A page without lines has an empty place.
 *
 * @param pages how many the file has
 */
export function writeMarkdown(
  paragraphs: readonly Paragraph[],
  pages: number,
): { text: string; places: SourcePlace[] } {
  const writer = new Writer(wordsOf(paragraphs));
  for (const paragraph of paragraphs) writer.write(paragraph);
  return writer.end(pages);
}

function wordsOf(paragraphs: readonly Paragraph[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { lines } of paragraphs)
    for (const { text } of lines) for (const [word] of text.matchAll(WORDS)) words.add(word.toLowerCase());
  return words;
}

class Writer {
  readonly #words: ReadonlySet<string>;
  readonly #parts: string[] = [];
  readonly #places: SourcePlace[] = [];
  #length = 0;
  #page = 0;
  #figures = 0;

  constructor(words: ReadonlySet<string>) {
    this.#words = words;
  }

  write({ lines, level }: Paragraph): void {
    if (this.#length > 0) this.#put('\n\n');
    const keepsBreaks = lines.some(({ cells }) => cells > 1) || lines.every(({ isMono }) => isMono);
    for (const [index, line] of lines.entries()) {
      const next = lines[index + 1];
      const isFirst = index === 0 || (keepsBreaks && level === undefined);
      const text = isFirst ? this.#begin(line, level, index) : line.text;
      if (next === undefined) this.#place(line, text);
      else if (keepsBreaks) this.#place(line, text, level === undefined ? '\n' : ' ');
      else this.#join(line, text, next);
    }
  }

  end(pages: number): { text: string; places: SourcePlace[] } {
    this.#reach(pages + 1);
    return { text: this.#parts.join(''), places: this.#places };
  }

  /** Writes the mark of a block; returns the rest of its first line. */
  #begin({ text, isFigure }: Line, level: number | undefined, index: number): string {
    if (isFigure) return `![${text}]`;
    if (level !== undefined) {
      this.#put(`${'#'.repeat(level)} `);
      return text;
    }
    const bullet = index === 0 ? (BULLET.exec(text)?.[0] ?? '') : '';
    if (bullet === '') return escapeBlockStarts(text);
    this.#put('- ');
    return text.slice(bullet.length);
  }

  /** Joins a line to the next by a space, or without the hyphen that divides a word. */
  #join(line: Line, text: string, next: Line): void {
    const [last, first] = [text.slice(-1), next.text.slice(0, 1)];
    const before = LETTERS_AT_END.exec(text.slice(-MAX_WORD_LENGTH, -1))?.[0];
    const after = /^\p{Ll}+/u.exec(next.text.slice(0, MAX_WORD_LENGTH))?.[0];
    if (CJK.test(last) && CJK.test(first)) this.#place(line, text);
    else if (!HYPHEN.test(last) || !before || !after) this.#place(line, text, ' ');
    else this.#place(line, this.#keepsHyphen(before, after) ? text : text.slice(0, -1));
  }

  /** A word keeps its hyphen if the file has it with the hyphen elsewhere, and never without. */
  #keepsHyphen(before: string, after: string): boolean {
    const [divided, whole] = [`${before}-${after}`, `${before}${after}`].map((word) => word.toLowerCase());
    return this.#words.has(divided ?? '') && !this.#words.has(whole ?? '');
  }

  #place({ page, box, isFigure }: Line, text: string, gap = ''): void {
    this.#reach(page);
    this.#page = page;
    const start = this.#length;
    this.#put(text);
    if (isFigure) this.#figures++;
    const where = { page, ...(box && { box }), ...(isFigure && { image: this.#figures }) };
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
