import type { LeftOutText, RecognizedLine, RecognizedPage, SourcePlace } from '../../../core/kit.ts';
import { escapeBlockStarts } from '../../toolkit/markdown/index.ts';

interface Shown {
  readonly width: number;
  readonly height: number;
}

/** Scripts without spaces between words. */
export const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
const BULLET = /^\u2022\s+/;
const DIVIDED = /\p{L}[-\u2010\u00ad]$/u;
const DECIMALS = 10_000;

/** Writes the recognized pages as Markdown, with the place of each line. */
export class Writer {
  readonly #parts: string[] = [];
  readonly places: SourcePlace[] = [];
  readonly leftOutTexts: LeftOutText[] = [];
  #length = 0;

  get text(): string {
    return this.#parts.join('');
  }

  /** @param shown the size of the picture in which the page was recognized */
  write(page: number, recognized: RecognizedPage, shown: Shown): void {
    let last: RecognizedLine | undefined;
    for (const line of recognized.lines) {
      const where = { page, box: boxOf(line, recognized, shown), ocr_confidence: rounded(line.confidence) };
      if (line.legibility === 'unreadable') {
        const at = { start: this.#length, end: this.#length };
        this.leftOutTexts.push({ kind: 'unreadable_line', text: line.text, ...at, ...where });
        continue;
      }
      const text = this.#joined(last, line);
      const start = this.#length;
      this.#put(text);
      this.places.push({ start, end: this.#length, ...where });
      last = line;
    }
    if (last === undefined) this.places.push({ start: this.#length, end: this.#length, page });
  }

  /** Writes what is between two lines. @returns the text of the second */
  #joined(last: RecognizedLine | undefined, { text, paragraph, x0, base, size }: RecognizedLine): string {
    if (last === undefined || last.paragraph !== paragraph) {
      if (this.#length > 0) this.#put('\n\n');
      return this.#begun(text);
    }
    if (BULLET.test(text)) {
      this.#put('\n');
      return this.#begun(text);
    }
    const isBeside = x0 > last.x1 && Math.abs(base - last.base) < size / 2;
    if (isBeside) this.#put('\t');
    else if (DIVIDED.test(last.text) && /^\p{Ll}/u.test(text)) this.#cutHyphen();
    else if (!(CJK.test(last.text.slice(-1)) && CJK.test(text.slice(0, 1)))) this.#put(' ');
    return text;
  }

  /** Writes the mark of a point. @returns the text after it */
  #begun(text: string): string {
    if (!BULLET.test(text)) return escapeBlockStarts(text);
    this.#put('- ');
    return text.replace(BULLET, '');
  }

  #cutHyphen(): void {
    const last = this.#parts.pop() ?? '';
    this.#parts.push(last.slice(0, -1));
    this.#length--;
    const place = this.places.pop();
    if (place !== undefined) this.places.push({ ...place, end: this.#length });
  }

  #put(piece: string): void {
    this.#parts.push(piece);
    this.#length += piece.length;
  }
}

export const rounded = (confidence: number): number => Math.round(confidence * 100) / 100;

/** A box in the picture as it is shown, in fractions of its sides. */
function boxOf(line: RecognizedLine, { turns, skew }: RecognizedPage, { width, height }: Shown) {
  const [across, down] = turns % 2 === 0 ? [width, height] : [height, width];
  const [sine, cosine] = [Math.sin(skew), Math.cos(skew)];
  const corners = [line.x0, line.x1].flatMap((x) =>
    [line.y0, line.y1].map((y): [number, number] => {
      const [right, low] = [x - across / 2, y - down / 2];
      const slanted = [
        across / 2 + right * cosine + low * sine,
        down / 2 - right * sine + low * cosine,
      ] as const;
      return turnedBack(...slanted, turns, { width, height });
    }),
  );
  const fraction = (length: number, whole: number) =>
    Math.round((Math.min(Math.max(length, 0), whole) / whole) * DECIMALS) / DECIMALS;
  const xs = corners.map(([x]) => fraction(x, width));
  const ys = corners.map(([, y]) => fraction(y, height));
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const;
}

/** A point of the upright picture in the picture that was given. */
function turnedBack(x: number, y: number, turns: number, { width, height }: Shown): [number, number] {
  if (turns === 1) return [width - y, x];
  if (turns === 2) return [width - x, height - y];
  return turns === 3 ? [y, height - x] : [x, y];
}
