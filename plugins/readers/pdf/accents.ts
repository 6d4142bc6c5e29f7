import type { Growing, Style } from './growing-run.ts';

/** Accents as characters of their own, and as marks of a letter. */
export const COMBINING: ReadonlyMap<number, string> = new Map([
  [0x60, '\u0300'],
  [0xa8, '\u0308'],
  [0xaf, '\u0304'],
  [0xb4, '\u0301'],
  [0xb8, '\u0327'],
  [0x2c6, '\u0302'],
  [0x2c7, '\u030c'],
  [0x2d8, '\u0306'],
  [0x2d9, '\u0307'],
  [0x2da, '\u030a'],
  [0x2db, '\u0328'],
  [0x2dc, '\u0303'],
  [0x2dd, '\u030b'],
]);
export const FIRST_ACCENT = 0x60;
/** A page with more accents apart from their letters keeps the others as they are. */
export const MAX_ACCENTS = 2000;
const LETTER = /\p{L}/u;
const DOTLESS: Readonly<Record<string, string>> = { '\u0131': 'i', '\u0237': 'j' };

/** An accent that is drawn as a character of its own, and where it is in a text. */
export interface Accent {
  readonly unicode: number;
  readonly run: Growing;
  readonly isAlone: boolean;
  readonly place: number;
  readonly x0: number;
  readonly x1: number;
  readonly base: number;
  readonly style: Style;
}

export const withMark = (letter: string, accent: number): string =>
  `${DOTLESS[letter] ?? letter}${COMBINING.get(accent)}`.normalize('NFC');

/** Points of a row of runs that are compared. */
export const ROW_HEIGHT = 8;
export const rowKey = (turns: number, base: number): number => Math.round(base / ROW_HEIGHT) * 4 + turns;

/** Where the characters of a page begin, and their places in the texts of their runs; -1 for others. */
export interface Origins {
  readonly xs: Float64Array;
  readonly places: Int32Array;
}

/** The letter of which an accent is over the middle. */
export function letterUnder(
  { x0, x1, base, style }: Accent,
  rows: ReadonlyMap<number, readonly Growing[]>,
  { xs, places }: Origins,
): { readonly run: Growing; readonly place: number } | undefined {
  const middle = (x0 + x1) / 2;
  let best: { run: Growing; place: number } | undefined;
  let least = style.size;
  for (const row of [-1, 0, 1])
    for (const run of rows.get(rowKey(style.turns, base + row * ROW_HEIGHT)) ?? []) {
      const distance = Math.abs(run.base - base);
      if (middle <= run.x0 || middle >= run.x1 || distance >= least || run.text === '') continue;
      let place = 0;
      let end = run.x1;
      for (let index = run.last; index >= run.first; index--) {
        if ((places[index] as number) < 0) continue;
        place = places[index] as number;
        if ((xs[index] as number) < middle) break;
        end = xs[index] as number;
      }
      if (middle >= end || !LETTER.test(run.text[place] ?? '')) continue;
      least = distance;
      best = { run, place };
    }
  return best;
}
