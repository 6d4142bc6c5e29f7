/** How the lines of a text make paragraphs. */
export interface Layout {
  /** Whether paragraphs have blank lines between them. */
  readonly isSpaced: boolean;
  /** Columns that lines are filled to, as far as they are wrapped. */
  readonly width: number;
}

/** If one line in so many is blank, in the beginning of a text, its headings come after blank lines. */
const SPACED = 8;
const SAMPLE = 100_000;
/** Columns above which a line is a whole paragraph. */
const WIDEST = 150;
/** Lines are filled to different columns if letters have different widths. */
const FILLED = 0.85;

export function layoutOf(text: string): Layout {
  const lines = text.slice(0, SAMPLE).split('\n');
  const widths = lines.flatMap((line) => (/\S/.test(line) ? [columnsOf(line.trim())] : []));
  const width = widths.sort((a, b) => a - b)[Math.floor(widths.length * 0.95)] ?? 0;
  return { isSpaced: (lines.length - widths.length) * SPACED >= lines.length - 1, width };
}

/** Whether a paragraph ends between two lines without a blank one between them. */
export function endsParagraph(line: string, next: string, { isSpaced, width }: Layout): boolean {
  if (isSpaced) return false;
  if (width > WIDEST) return true;
  // The next word would have had room.
  const word = /^(?:[\u3000-\uffef]|\S{1,40})/.exec(next)?.[0] ?? '';
  return columnsOf(line) + 1 + columnsOf(word) <= width * FILLED;
}

/** Chinese and Japanese characters are as wide as two others. */
function columnsOf(line: string): number {
  return line.length + (line.match(/[\u3000-\uffef]/g)?.length ?? 0);
}
