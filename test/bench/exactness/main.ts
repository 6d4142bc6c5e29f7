import { get_encoding } from 'tiktoken';
import { printTable, printTitle } from '../race/report.ts';
import { COUNTERS, ENCODINGS } from '../tokenizers/counters.ts';
import { countTokens, openSplitters, type Piece, SIZE, type Splitter } from './peers.ts';
import { readExactnessTexts } from './texts.ts';

const HEADER = [
  '',
  'chunks',
  'wrong offsets',
  'texts changed',
  'more than spaces',
  `over ${SIZE} tokens`,
  'wrong counts',
  'errors',
];

/** What is wrong with the chunks of texts. */
interface Tally {
  chunks: number;
  offsets: number;
  changed: number;
  lost: number;
  over: number;
  counts: number;
  errors: number;
  hasOffsets: boolean;
  hasCounts: boolean;
}

console.warn = () => {};
const kinds = readExactnessTexts();
const texts = Object.values(kinds).flat();
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
const parts = Object.entries(kinds).map(([kind, { length }]) => `${length} ${kind}`);
printTitle(`Exactness: chunks of ${SIZE} tokens of cl100k_base, no overlap, counted again with tiktoken`);
const rows: string[][] = [];
for (const splitter of await openSplitters(texts)) rows.push(rowOf(splitter, await tallyOf(splitter)));
printTable(`${texts.length} texts (${parts.join(', ')}), ${(bytes / 1e6).toFixed(1)} MB`, HEADER, rows);

await printCounters();

/** Whose counts differ from those of tiktoken, which is the first one to be right. */
async function printCounters(): Promise<void> {
  const found: string[][] = [];
  const judges = new Map(ENCODINGS.map((encoding) => [encoding, get_encoding(encoding)]));
  for (const [name, create] of Object.entries(COUNTERS)) {
    if (name.startsWith('tiktoken')) continue;
    const cells: string[] = [];
    for (const [encoding, judge] of judges) {
      const count = await create(encoding);
      const isWrong = (text: string) => count?.(text) !== judge.encode_ordinary(text).length;
      cells.push(count === undefined ? 'not offered' : String(texts.filter(isWrong).length));
    }
    found.push([name, ...cells]);
  }
  printTable(`Texts counted otherwise than by tiktoken, of ${texts.length}`, ['', ...ENCODINGS], found);
}

async function tallyOf({ split }: Splitter): Promise<Tally> {
  const errors = { hasOffsets: false, hasCounts: false };
  const tally: Tally = {
    chunks: 0,
    offsets: 0,
    changed: 0,
    lost: 0,
    over: 0,
    counts: 0,
    errors: 0,
    ...errors,
  };
  for (const text of texts) {
    try {
      add(tally, text, await split(text));
    } catch {
      tally.errors++;
    }
  }
  return tally;
}

function add(tally: Tally, text: string, pieces: readonly Piece[]): void {
  tally.chunks += pieces.length;
  const joined = pieces.map((piece) => piece.text).join('');
  if (joined !== text) tally.changed++;
  if (withoutSpaces(joined) !== withoutSpaces(text)) tally.lost++;
  let before = 0;
  for (const piece of pieces) {
    const { start, end, count } = piece;
    const tokens = countTokens(piece.text);
    if (tokens > SIZE) tally.over++;
    if (count !== undefined) {
      tally.hasCounts = true;
      if (count !== tokens) tally.counts++;
    }
    if (start === undefined) continue;
    tally.hasOffsets = true;
    // A chunk is after the ones before: the first of equal passages is not where the second one is.
    if (!(start >= before) || text.slice(start, end) !== piece.text) tally.offsets++;
    else before = end ?? start;
  }
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/gu, '');
}

function rowOf({ name, isUnlimited }: Splitter, tally: Tally): string[] {
  const given = (isGiven: boolean, value: number) => (isGiven ? String(value) : 'not given');
  return [
    name,
    String(tally.chunks),
    given(tally.hasOffsets, tally.offsets),
    String(tally.changed),
    String(tally.lost),
    isUnlimited ? 'takes none' : String(tally.over),
    given(tally.hasCounts, tally.counts),
    String(tally.errors),
  ];
}
