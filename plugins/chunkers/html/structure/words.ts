import { MarkupReader } from '../../../../core/kit.ts';

const MOST_READ = 2000;
const MOST_LETTERS = 200;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  para: '¶',
  sect: '§',
  times: '×',
  middot: '·',
  bull: '•',
  rarr: '→',
  larr: '←',
  shy: '',
};

/**
 * The text of a stretch of HTML, at most 200 characters: without tags and comments, with the commonest entities
 * decoded, and with single spaces.
 */
export function wordsOf(text: string, start: number, end: number): string {
  const whole = textOf(text.slice(start, Math.min(end, start + MOST_READ)))
    .replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]\w{1,7}));?/g, decode)
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
  return whole.length <= MOST_LETTERS ? whole : Array.from(whole).slice(0, MOST_LETTERS).join('').trimEnd();
}

/** The text between the tags. */
function textOf(text: string): string {
  const reader = new MarkupReader(text);
  let words = '';
  let behind = 0;
  while (reader.read()) {
    words += text.slice(behind, reader.start);
    behind = reader.end;
  }
  return words + text.slice(behind);
}

function decode(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name] ?? whole;
  const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
}
