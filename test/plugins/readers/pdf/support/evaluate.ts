import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { extractPages, readDocument } from '../../../../../plugins/readers/pdf/document.ts';
import { linesOf } from '../../../../../plugins/readers/pdf/lines.ts';
import type { Box, Page } from '../../../../../plugins/readers/pdf/page.ts';
import { PdfFile } from '../../../../../plugins/readers/pdf/pdf-file.ts';
import { loadPdfium, type Pdfium } from '../../../../../plugins/readers/pdf/pdfium.ts';
import { never } from '../../../../support/hosted-host.ts';
import { inOrder, lackedWords, wordsOf as wordsAsWritten } from '../../words.ts';
import { taggedBlocks } from './tagged.ts';

/** Shares of what was looked for: found, of how many. */
type Share = readonly [found: number, all: number];
type Measures = Readonly<Record<string, Share>>;

const HELD_OUT = 'held out';
/** Files that are named for each measure. */
const WORST = Number(process.env.WORST ?? 3);
const context = { report() {}, signal: never, options: {} };

/**
 * Reads the PDFs in folders: how fast, how many of poppler's words are found, in which order, and whether they are in the box
 * of a line that has them. In tagged files it compares order and headings with the tags, also with the tags hidden. A third
 * of the files, by their names, is reported alone: thresholds are chosen without it.
 */
export async function evaluatePdfs(folders: readonly string[]): Promise<void> {
  const files = folders.flatMap((folder) =>
    globSync('**/*.{pdf,PDF}', { cwd: folder }).map((name) => join(folder, name)),
  );
  const groups = Map.groupBy(files.sort(), (file) => (isHeldOut(file) ? HELD_OUT : 'others'));
  let pdfium = await loadPdfium();
  for (const [group, members] of groups) {
    const errors = new Map<string, number>();
    const measured = new Map<string, Measures>();
    for (const file of members) {
      try {
        measured.set(basename(file), await measureFile(pdfium, file));
      } catch (error) {
        pdfium = await loadPdfium();
        const kind = (error as Error).message.replace(/\d+/g, '#').slice(0, 80);
        errors.set(kind, (errors.get(kind) ?? 0) + 1);
      }
    }
    console.log(`\n${group}: ${members.length} files, ${measured.size} read`);
    report(measured);
    for (const [kind, count] of errors) console.log(`  ${count} x ${kind}`);
  }
}

function isHeldOut(file: string): boolean {
  const [first = 0] = createHash('sha256').update(basename(file)).digest();
  return first % 3 === 0;
}

/** Per measure: the share of all files together, the mean and the median of the files, and the worst files. */
function report(measured: ReadonlyMap<string, Measures>): void {
  const names = new Set([...measured.values()].flatMap((one) => Object.keys(one)));
  for (const name of names) {
    const shares = [...measured].flatMap(([file, { [name]: share }]) => {
      const [found, all] = share ?? [0, 0];
      return all > 0 ? [{ file, found, all, share: found / all }] : [];
    });
    const sum = (key: 'found' | 'all' | 'share') => shares.reduce((total, one) => total + one[key], 0);
    const worst = shares.sort((a, b) => a.share - b.share).slice(0, WORST);
    const median = shares[shares.length >> 1]?.share ?? Number.NaN;
    const means = `all ${(sum('found') / sum('all')).toFixed(3)}  mean ${(sum('share') / shares.length).toFixed(3)}  median ${median.toFixed(4)}`;
    const listed = worst.map(({ file, share, all }) => `${file} ${share.toFixed(2)} of ${Math.round(all)}`);
    console.log(`  ${name.padEnd(36)} ${means}  of ${shares.length} files; worst: ${listed.join(', ')}`);
  }
}

async function measureFile(pdfium: Pdfium, path: string): Promise<Measures> {
  const file = new PdfFile(pdfium, readFileSync(path));
  try {
    const start = process.cpuUsage();
    const { text } = await readDocument(file, context);
    const { user, system } = process.cpuUsage(start);
    const speed: Share = [file.pages, (user + system) / 1e6];
    const boxes = await againstBoxes(file, path);
    const tags = await againstTags(file, text);
    return { 'pages per second of processor time': speed, ...againstText(path, text), ...boxes, ...tags };
  } finally {
    file.close();
  }
}

function poppler(file: string, ...options: readonly string[]): string {
  const how: ExecFileSyncOptions = { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] };
  try {
    return execFileSync('pdftotext', [...options, file, '-'], how).toString();
  } catch {
    return '';
  }
}

const wordsOf = (text: string): string[] => wordsAsWritten(text.toLowerCase());

const MODES: readonly (readonly string[])[] = [[], ['-layout']];

/** Words of pdftotext, as often as it has them, and three in a row, by the better of its modes. */
function againstText(file: string, text: string): Measures {
  const own = wordsOf(text);
  const [usual = [], ...others] = MODES.map((mode) => wordsOf(poppler(file, ...mode)));
  const found = usual.length - lackedWords(usual, own).length;
  const mine = triplesOf(own);
  const shares = [usual, ...others].map((words): Share => {
    const theirs = triplesOf(words);
    return [theirs.intersection(mine).size, theirs.size];
  });
  const [best = [0, 0]] = shares.sort(([a, all], [b, whole]) => b / (whole || 1) - a / (all || 1));
  return { "pdftotext's words": [found, usual.length], 'three words in its order': best };
}

const triplesOf = (words: readonly string[]): Set<string> =>
  new Set(words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`));

interface Word {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

// Widths and heights of pages that are turned are exchanged there.
const PAGE = /<page [^>]*>(.*?)<\/page>/gs;
const WORD = /<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)<\/word>/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const plain = (text: string): string => wordsOf(text).join('');
/** Beyond a box, as a fraction of the page. */
const TOLERANCE = 0.004;

/** The words of each page as poppler finds them, with the middle of each in points. */
function popplerWords(file: string): Word[][] {
  return Array.from(poppler(file, '-bbox', '-cropbox').matchAll(PAGE), ([, words = '']) =>
    Array.from(words.matchAll(WORD), ([, x0, y0, x1, y1, text = '']) => ({
      text: plain(text.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? '')),
      x: (Number(x0) + Number(x1)) / 2,
      y: (Number(y0) + Number(y1)) / 2,
    })).filter(({ text }) => text !== ''),
  );
}

/** Words in headers and footers are compared, too. */
async function againstBoxes(file: PdfFile, path: string): Promise<Measures> {
  const words = popplerWords(path);
  let [found, inBox] = [0, 0];
  for (const [index, page] of (await extractPages(file, never)).entries()) {
    const lines = linesOf(page).map(({ text, box }) => ({ text: plain(text), box }));
    for (const word of words[index] ?? []) {
      const having = lines.filter(({ text }) => text.includes(word.text));
      if (having.length === 0) continue;
      found++;
      if (having.some(({ box }) => box !== undefined && isIn(word, box, page))) inBox++;
    }
  }
  return { 'words in the box of their line': [inBox, found] };
}

function isIn({ x, y }: Word, [left, top, right, bottom]: Box, { width, height }: Page): boolean {
  const isAcross = x / width >= left - TOLERANCE && x / width <= right + TOLERANCE;
  return isAcross && y / height >= top - TOLERANCE && y / height <= bottom + TOLERANCE;
}

/** Fewer words are not worth a measure of order. */
const MIN_WORDS = 50;

async function againstTags(file: PdfFile, text: string): Promise<Measures> {
  const blocks = taggedBlocks(file);
  const truth = blocks.flatMap((block) => wordsOf(block.text));
  if (truth.length < MIN_WORDS) return {};
  Object.defineProperty(file, 'isTagged', { value: false });
  const untagged = (await readDocument(file, context)).text;
  const headings = blocks.filter(({ role }) => /^(?:H\d?|Title)$/.test(role));
  return {
    'order, tags hidden': [inOrder(truth, wordsOf(untagged)), truth.length],
    'order, with tags': [inOrder(truth, wordsOf(text)), truth.length],
    ...headingShares('tags hidden', untagged, headings),
    ...headingShares('with tags', text, headings),
  };
}

/** A file that tags no heading says nothing of them: most of those have some. */
function headingShares(how: string, text: string, headings: readonly { text: string }[]): Measures {
  const theirs = new Set(headings.map((heading) => plain(heading.text)).filter((key) => key !== ''));
  if (theirs.size === 0) return {};
  const mine = new Set<string>();
  let path: { readonly level: number; readonly isFalse: boolean }[] = [];
  let [paragraphs, belowFalse] = [0, 0];
  for (const block of text.split('\n\n')) {
    const [, marks, heading = ''] = /^(#{1,6}) (.*)/.exec(block) ?? [];
    if (marks === undefined) {
      paragraphs++;
      if (path.some(({ isFalse }) => isFalse)) belowFalse++;
      continue;
    }
    const key = plain(heading);
    mine.add(key);
    path = path.filter(({ level }) => level < marks.length);
    path.push({ level: marks.length, isFalse: !theirs.has(key) });
  }
  const shared = mine.intersection(theirs).size;
  return {
    [`headings P, ${how}`]: [shared, mine.size],
    [`headings R, ${how}`]: [shared, theirs.size],
    [`paragraphs below a false heading, ${how}`]: [belowFalse, paragraphs],
  };
}
