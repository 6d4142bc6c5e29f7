import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Manifest } from '../../../core/contracts/manifest.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import type { Reader, ReadFile } from '../../../core/contracts/reader.ts';
import { problemOfPlaces } from '../../../server/engine/read/places.ts';
import { between, createRandom } from '../../support/random.ts';
import { readWith } from './reading.ts';
import { lackedWords, wordsOf } from './words.ts';

type Create = Parameters<typeof readWith>[0];

const FOLDER = process.env.OFFICE_SAMPLES ?? join(import.meta.dirname, '../../fixtures/office');

/** Real files, each with the Markdown that docling makes of it. */
export function samplesOf(kind: 'pptx' | 'xlsx'): { name: string; bytes: Buffer; expected: string }[] {
  const folder = join(FOLDER, kind);
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.map((name) => ({
    name: name.replace(/\.md$/, ''),
    bytes: readFileSync(join(folder, name.replace(/\.md$/, ''))),
    expected: readFileSync(join(folder, name), 'utf8'),
  }));
}

/** The share of the words of a text that another one has. */
export function shareOfWords(expected: string, found: string): number {
  const words = wordsOf(expected.replace(/<!--.*?-->/g, ''));
  const lacked = lackedWords(words, wordsOf(found));
  return words.length === 0 ? 1 : 1 - lacked.length / words.length;
}

/** The texts of the cells of the tables in Markdown. */
export function cellsIn(markdown: string): Set<string> {
  const rows = markdown.split('\n').filter((line) => line.startsWith('|') && !/^[|\s-]+$/.test(line));
  const cells = rows.flatMap((row) => row.slice(1, -1).split('|'));
  return new Set(cells.map((cell) => cell.trim().replaceAll('  ', ' ')).filter((cell) => cell !== ''));
}

/** Reads files with bytes changed, cut out or put in: they are read, or refused. */
export async function checkMutated(t: Test, create: Create, bytes: Buffer, count: number): Promise<void> {
  const random = createRandom(7);
  let read = 0;
  for (let at = 0; at < count; at++) {
    const changed = Buffer.from(bytes);
    for (let edits = between(random, 1, 4); edits > 0; edits--)
      changed[between(random, 0, changed.length - 1)] = between(random, 0, 255);
    const cut = at % 5 === 0 ? changed.subarray(0, between(random, 0, changed.length)) : changed;
    await readWith(create, cut).then(
      ({ text, places = [] }) => {
        read++;
        t.equal(problemOfPlaces(places, text), undefined);
      },
      (error: Error & { statusCode?: number }) => {
        if (error.statusCode !== 400) t.fail(`file ${at}: ${error.stack}`);
      },
    );
  }
  t.ok(read > 0 && read < count, `${read} of ${count} were read`);
}

/** Reads a file, with what it reports. */
export async function readAndReports(
  create: Factory<Manifest>,
  bytes: Buffer,
): Promise<{ file: ReadFile; reports: Record<string, string> }> {
  const reports: Record<string, string> = {};
  const reader = (await create({} as never)) as Reader;
  const report = (name: string, value: string): void => {
    reports[name] = value;
  };
  const source = { bytes, name: undefined, mediaType: undefined, charset: undefined };
  return {
    file: await reader.read(source, { report, signal: new AbortController().signal, options: {} }),
    reports,
  };
}
