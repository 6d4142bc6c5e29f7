import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { extractPages, loadPdfJs, readDocument } from '../../../../../plugins/readers/pdf/index.ts';
import { linesOf } from '../../../../../plugins/readers/pdf/lines.ts';
import type { Box, Page } from '../../../../../plugins/readers/pdf/page.ts';
import { never } from '../../../../support/hosted-host.ts';
import { inOrder, wordsOf } from './sequences.ts';
import { taggedBlocks } from './tagged.ts';

/** Shares of what was looked for: found, of how many. */
type Share = readonly [found: number, all: number];
type Measures = Readonly<Record<string, Share>>;

const HELD_OUT = 'held out';
/** Files that are named for each measure. */
const WORST = Number(process.env.WORST ?? 3);
const context = { report() {}, signal: never, options: {} };

/**
 * Reads the PDFs in folders: how fast, how many of poppler's words are found and are in the box of a line that has
 * them, and how well order and headings are found in tagged files, with and without their tags. A third of the files,
 * by their names, is reported alone: thresholds are chosen without it.
 */
export async function evaluatePdfs(folders: readonly string[]): Promise<void> {
  const open = await loadPdfJs();
  const files = folders.flatMap((folder) =>
    globSync('**/*.{pdf,PDF}', { cwd: folder }).map((name) => join(folder, name)),
  );
  const groups = Map.groupBy(files.sort(), (file) => (isHeldOut(file) ? HELD_OUT : 'others'));
  for (const [group, members] of groups) {
    const errors = new Map<string, number>();
    const measured = new Map<string, Measures>();
    for (const file of members) {
      const task = open(new Uint8Array(readFileSync(file)));
      try {
        measured.set(basename(file), await measure(await task.promise, file));
      } catch (error) {
        const kind = (error as Error).message.replace(/\d+/g, '#').slice(0, 80);
        errors.set(kind, (errors.get(kind) ?? 0) + 1);
      } finally {
        await task.destroy();
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

/** Per measure: the share of all files together, the mean of the files, and the worst files. */
function report(measured: ReadonlyMap<string, Measures>): void {
  const names = new Set([...measured.values()].flatMap((one) => Object.keys(one)));
  for (const name of names) {
    const shares = [...measured].flatMap(([file, { [name]: share }]) => {
      const [found, all] = share ?? [0, 0];
      return all > 0 ? [{ file, found, all, share: found / all }] : [];
    });
    const sum = (key: 'found' | 'all' | 'share') => shares.reduce((total, one) => total + one[key], 0);
    const worst = shares.sort((a, b) => a.share - b.share).slice(0, WORST);
    const means = `all ${(sum('found') / sum('all')).toFixed(3)}  mean ${(sum('share') / shares.length).toFixed(3)}`;
    const listed = worst.map(({ file, share, all }) => `${file} ${share.toFixed(2)} of ${Math.round(all)}`);
    console.log(`  ${name.padEnd(36)} ${means}  of ${shares.length} files; worst: ${listed.join(', ')}`);
  }
}

async function measure(document: PDFDocumentProxy, file: string): Promise<Measures> {
  const start = performance.now();
  const read = await readDocument(document, context);
  const seconds = (performance.now() - start) / 1000;
  const witnessed = await againstPoppler(document, file);
  const tagged = await againstTags(document, read.text);
  return { 'pages per second': [document.numPages, seconds], ...witnessed, ...tagged };
}

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
  const options: ExecFileSyncOptions = { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] };
  const xml = execFileSync('pdftotext', ['-bbox', '-cropbox', file, '-'], options).toString();
  return Array.from(xml.matchAll(PAGE), ([, words = '']) =>
    Array.from(words.matchAll(WORD), ([, x0, y0, x1, y1, text = '']) => ({
      text: plain(text.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? '')),
      x: (Number(x0) + Number(x1)) / 2,
      y: (Number(y0) + Number(y1)) / 2,
    })).filter(({ text }) => text !== ''),
  );
}

/** Headers and footers are compared, too. */
async function againstPoppler(document: PDFDocumentProxy, file: string): Promise<Measures> {
  let words: Word[][];
  try {
    words = popplerWords(file);
  } catch {
    return {};
  }
  const pages = await extractPages(document, never);
  let [all, found, inBox] = [0, 0, 0];
  for (const [index, page] of pages.entries()) {
    const lines = linesOf(page).map(({ text, box }) => ({ text: plain(text), box }));
    for (const word of words[index] ?? []) {
      all++;
      const having = lines.filter(({ text }) => text.includes(word.text));
      if (having.length === 0) continue;
      found++;
      if (having.some(({ box }) => box !== undefined && isIn(word, box, page))) inBox++;
    }
  }
  return { "poppler's words found": [found, all], 'of these, in the box of their line': [inBox, found] };
}

function isIn({ x, y }: Word, [left, top, right, bottom]: Box, { width, height }: Page): boolean {
  const isAcross = x / width >= left - TOLERANCE && x / width <= right + TOLERANCE;
  return isAcross && y / height >= top - TOLERANCE && y / height <= bottom + TOLERANCE;
}

const HEADING_LINE = /^#{1,6} (.*)$/gm;
/** Fewer words are not worth a measure of order. */
const MIN_WORDS = 50;

async function againstTags(document: PDFDocumentProxy, text: string): Promise<Measures> {
  const blocks = await taggedBlocks(document);
  const truth = blocks.flatMap((block) => wordsOf(block.text));
  if (truth.length < MIN_WORDS) return {};
  const hidden = new Proxy(document, { get: (target, name) => withoutTags(target, name) });
  const untagged = (await readDocument(hidden, context)).text;
  const headings = blocks.filter(({ role }) => /^(?:H\d?|Title)$/.test(role));
  return {
    'order, tags hidden': [inOrder(truth, wordsOf(untagged)), truth.length],
    'order, with tags': [inOrder(truth, wordsOf(text)), truth.length],
    ...headingShares('tags hidden', untagged, headings),
    ...headingShares('with tags', text, headings),
  };
}

function withoutTags(document: PDFDocumentProxy, name: string | symbol): unknown {
  if (name === 'getMarkInfo') return async () => null;
  const value = Reflect.get(document, name, document);
  return typeof value === 'function' ? value.bind(document) : value;
}

/** A file that tags no heading says nothing of them: most of those have some. */
function headingShares(how: string, text: string, headings: readonly { text: string }[]): Measures {
  const keysOf = (texts: readonly string[]) => new Set(texts.map(plain).filter((key) => key !== ''));
  const mine = keysOf(Array.from(text.matchAll(HEADING_LINE), ([, heading = '']) => heading));
  const theirs = keysOf(headings.map((heading) => heading.text));
  if (theirs.size === 0) return {};
  const shared = mine.intersection(theirs).size;
  return { [`headings P, ${how}`]: [shared, mine.size], [`headings R, ${how}`]: [shared, theirs.size] };
}
