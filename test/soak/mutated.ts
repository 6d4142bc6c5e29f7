import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { unzip } from '../../plugins/toolkit/office/zip.ts';
import { zipOf } from '../plugins/toolkit/office/zip-files.ts';
import { postForm } from '../support/files.ts';
import { isHere } from '../support/here.ts';
import { between, createRandom, pick, type Random } from '../support/random.ts';
import type { Cleanup } from '../support/server.ts';
import { attempt, check, checkNone, joinReports, type Mode, megabytes, type Report } from './mode.ts';
import { residentBytes } from './resources.ts';
import { startSoakServer } from './server.ts';

/** Files to damage: those of a folder, or those among the tests. */
const FOLDER = process.env.FILES ?? join(import.meta.dirname, '../fixtures');
/** Extensions, with the reader of each. */
const KINDS = {
  pdf: 'pdf',
  docx: 'docx',
  pptx: 'pptx',
  xlsx: 'xlsx',
  html: 'html',
  vtt: 'subtitles',
  srt: 'subtitles',
  ipynb: 'notebook',
} as const;
type Kind = keyof typeof KINDS;

const MAX_FILE_BYTES = 2_000_000;
const MAX_UNPACKED = 100_000_000;
const MAX_CHANGES = 8;
/** The stretch that a change takes out or repeats is shorter. */
const MAX_STRETCH_LENGTH = 60;
const SECONDS = 20;
/** Bytes by which the server may grow from the second quarter of the files to the last. */
const MAX_GROWTH = 100_000_000;

/** A service is sent files that are damaged at random, and goes on. */
export const mutated: Mode = {
  title:
    'mutated: damaged files of each kind, over HTTP (FILES=folder for other files than those of the tests)',
  defaults: { seconds: 0, count: 500 },
  async run(t, { count, seed, only = '' }) {
    const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => isHere(`reader/${KINDS[kind]}`));
    const chosen = kinds.filter((kind) => kind.includes(only));
    const reports: Report[] = [];
    for (const kind of chosen) reports.push(await attempt(kind, () => sendDamaged(t, kind, count, seed)));
    return joinReports(reports);
  },
};

/** Sends damaged files of a kind to a server of its own. */
async function sendDamaged(t: Cleanup, kind: Kind, count: number, seed: number): Promise<Report> {
  const own = ['--workers', '1', '--store', 'memory', '--request-timeout', String(SECONDS)];
  const server = await startSoakServer(t, own);
  const random = createRandom(seed);
  const files = filesOf(kind);
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  const memory = [residentBytes(server.pid)];
  for (let sent = 0; sent < count; sent++) {
    const bytes = damaged(pick(random, files), random);
    const { status, bytes: answer } = await postForm(
      server.client,
      '/v1/chunk/token/file',
      { bytes, name: `a.${kind}` },
      [['include', 'places']],
    );
    memory.push(residentBytes(server.pid));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 200 && status !== 400) wrong.push(`${status} ${answer.toString().slice(0, 200)}`);
  }
  await server.stop();
  // The least of many files: a large one lets the memory grow for a moment.
  const leastFrom = (quarter: number): number =>
    Math.min(...memory.slice((quarter * count) / 4, ((quarter + 1) * count) / 4 + 1));
  const [early, late] = [leastFrom(1), leastFrom(3)];
  const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${times} x ${status}`);
  return {
    figures: [
      [`${kind}: answers to ${count} files made of ${files.length}`, answers.join(', ')],
      [
        `${kind}: memory before, after, and the most`,
        [memory[0] ?? 0, memory.at(-1) ?? 0, Math.max(...memory)].map(megabytes).join(', '),
      ],
    ],
    checks: [
      checkNone(`${kind}: answers other than 200 and 400`, wrong, files.length > 0),
      check(`${kind}: grows less than 100 MB`, megabytes(late - early), late - early < MAX_GROWTH),
    ],
  };
}

function filesOf(kind: Kind): Buffer[] {
  const found = globSync(`**/*.${kind}`, { cwd: FOLDER }).sort();
  // There are none with this extension among the tests.
  const named = kind === 'srt' && found.length === 0 ? globSync('**/*.vtt', { cwd: FOLDER }).sort() : found;
  const files = named.map((name) => {
    const bytes = readFileSync(join(FOLDER, name));
    return extname(name) === `.${kind}` ? bytes : Buffer.from(asSrt(bytes.toString()));
  });
  return files.filter(({ length }) => length > 0 && length < MAX_FILE_BYTES);
}

const asSrt = (vtt: string): string =>
  vtt.replace(/^WEBVTT.*$/m, '').replace(/\d\d\.\d{3}/g, (time) => time.replace('.', ','));

/** A zip is damaged itself, or one of the files in it. */
function damaged(bytes: Buffer, random: Random): Buffer {
  const isZip = bytes.toString('latin1', 0, 2) === 'PK';
  if (!isZip || random() < 0.25) return changed(bytes, random);
  const parts = [...unzip(bytes, () => true, MAX_UNPACKED)];
  const [chosen] = pick(random, parts);
  return zipOf(
    parts.map(([name, data]) => ({
      name,
      data: name === chosen ? changed(Buffer.from(data), random) : data,
    })),
  );
}

/** Some bytes are replaced, left out or repeated, or the rest is cut off. */
function changed(bytes: Buffer, random: Random): Buffer {
  let result = Buffer.from(bytes);
  for (let left = between(random, 1, MAX_CHANGES); left > 0 && result.length > 0; left--) {
    const at = between(random, 0, result.length - 1);
    const [before, length, way] = [result.subarray(0, at), between(random, 1, MAX_STRETCH_LENGTH), random()];
    if (way < 0.5) result[at] = between(random, 0, 255);
    else if (way < 0.7) result = Buffer.concat([before, result.subarray(at + length)]);
    else if (way < 0.95) {
      const from = between(random, 0, result.length - 1);
      result = Buffer.concat([before, result.subarray(from, from + length), result.subarray(at)]);
    } else result = Buffer.from(before);
  }
  return result;
}
