import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobAnswer } from '../../server/corpora/jobs/answers.ts';
import { createJob, jobOf } from '../support/jobs.ts';
import { createRandom, pick } from '../support/random.ts';
import type { Client } from '../support/server.ts';
import { until } from '../support/until.ts';

/** What tests of jobs chunk, and what came of it. */

/** Small chunks, so that there is something to do. */
export const STEPS = [
  { type: 'chunk', chunker: 'token', config: { tokenizer: 'character', chunk_size: 60, chunk_overlap: 5 } },
];

const WORDS = ['chunk', 'größe', '文書', '🧵', 'a', 'the', 'of', 'lines\n', 'paragraph.\n\n', '"quoted"'];

interface Corpus {
  readonly documents: number;
  readonly words: number;
  readonly seed?: number;
}

/** Documents as JSON Lines, the same for the same seed; each hundredth is none. */
export function corpusOf({ documents, words, seed = 1 }: Corpus): Buffer {
  const random = createRandom(seed);
  const lines = Array.from({ length: documents }, (_, index) => {
    if (index % 100 === 99) return '{"text": 1}';
    const length = Math.ceil(words * (0.5 + random()));
    const text = Array.from({ length }, () => pick(random, WORDS)).join(' ');
    return JSON.stringify({ id: `document-${index}`, text });
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Writes such documents. Returns how many bytes. */
export async function writeCorpus(file: string, given: Corpus): Promise<number> {
  const corpus = corpusOf(given);
  await writeFile(file, corpus);
  return corpus.length;
}

/** Short documents as JSON Lines of the same length, whose texts are as given. */
export function linesOf(count: number, textOf: (index: number) => string = () => 'some words'): string {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ id: `d${String(index).padStart(6, '0')}`, text: textOf(index) }),
  );
  return `${lines.join('\n')}\n`;
}

/** Creates a job that chunks a source of the root into a folder of the root; its id. */
export async function chunkInto(api: Client, path: string, target: string, more: object = {}) {
  const { id } = await createJob(api, { source: { path }, steps: STEPS, target: { path: target }, ...more });
  return id;
}

/** Waits until a job is over, or throws after so many seconds. */
export const untilOver = (api: Client, id: string, seconds = 180): Promise<JobAnswer> =>
  until(async () => {
    const job = await jobOf(api, id);
    return job.finished_at !== null && job;
  }, seconds * 1000);

/** Something by name, such as the digests of the files of a folder. */
export type Digests = Readonly<Record<string, string>>;

export const digestOf = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** What a folder has, by name; but for the file that names the job, which differs. */
export async function digestsOf(folder: string): Promise<Digests> {
  const names = (await readdir(folder)).filter((name) => name !== 'job.json').sort();
  const digests = names.map(async (name) => [name, digestOf(await readFile(join(folder, name)))] as const);
  return Object.fromEntries(await Promise.all(digests));
}
