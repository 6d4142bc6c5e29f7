import { countUpTo, isLineBreak } from '../../../core/kit.ts';
import { LineEnds } from '../../toolkit/lines.ts';

const MAX_READ = 1000;
const TAB = 9;
const SPACE = 32;
const TAB_WIDTH = 8;
const MARK = 0xfeff;

export class Lines {
  readonly text: string;
  readonly starts: number[] = [];
  /** The offset of the first visible character of each line; -1 for a blank line. */
  readonly inks: number[] = [];

  constructor(text: string) {
    this.text = text;
    const ends = new LineEnds(text);
    for (let at = 0; at < text.length; ) {
      const next = ends.next(at);
      this.starts.push(at);
      this.inks.push(firstInk(text, at, next));
      at = next;
    }
    this.starts.push(text.length);
  }

  get count(): number {
    return this.inks.length;
  }

  start(line: number): number {
    return this.starts[line] as number;
  }

  next(line: number): number {
    return this.starts[line + 1] as number;
  }

  isBlank(line: number): boolean {
    return line >= this.count || this.inks[line] === -1;
  }

  lineAt(offset: number): number {
    return countUpTo(this.starts, offset) - 1;
  }

  /** Whether a line is indented; false for a blank line. */
  isIndented(line: number): boolean {
    return !this.isBlank(line) && this.indent(line) > 0;
  }

  /** Columns before the first visible character. The line must not be blank. */
  indent(line: number): number {
    const ink = this.inks[line] as number;
    let column = 0;
    for (let at = this.start(line); at < ink; at++) {
      const unit = this.text.charCodeAt(at);
      if (unit === TAB) column += TAB_WIDTH - (column % TAB_WIDTH);
      else if (unit !== MARK) column++;
    }
    return column;
  }

  /** The beginning of a line, without byte order mark and trailing white space; '' for a line after the last one. */
  content(line: number): string {
    if (this.isBlank(line)) return '';
    const start = this.start(line);
    const from = start === 0 && this.text.charCodeAt(0) === MARK ? 1 : start;
    return this.text.slice(from, Math.min(this.next(line), from + MAX_READ)).trimEnd();
  }

  /** The first line from `line` on that is not blank; the number of lines if all are blank. */
  firstInked(line: number): number {
    let at = line;
    while (at < this.count && this.inks[at] === -1) at++;
    return at;
  }

  firstFlush(line: number): number {
    let at = line;
    while (at < this.count && (this.inks[at] === -1 || this.indent(at) > 0)) at++;
    return at;
  }

  firstBlank(line: number): number {
    let at = line;
    while (at < this.count && this.inks[at] !== -1) at++;
    return at;
  }
}

function firstInk(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== SPACE && unit !== TAB && unit !== MARK && !isLineBreak(unit) && unit !== 12) return at;
  }
  return -1;
}
