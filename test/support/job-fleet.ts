import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobAnswer } from '../../server/jobs/job-answer.ts';
import { createRandom } from '../soak/texts.ts';
import { createJob, jobOf } from './jobs.ts';
import { type ServerProcess, startProcess } from './process.ts';
import { type Cleanup, type Client, startServer, temporaryFolder } from './server.ts';
import type { Database } from './stores.ts';

/** A server that takes jobs, and workers in processes of their own. */
export interface Fleet {
  readonly api: Client;
  /** The folder below which jobs read and write. */
  readonly root: string;
  /** Starts a worker. */
  worker(args?: readonly string[], env?: Readonly<Record<string, string>>): ServerProcess;
}

export interface FleetOptions {
  readonly queue?: 'lease' | 'pg-boss';
  /** Seconds. */
  readonly lease?: number;
  readonly shardBytes?: number;
  readonly root?: string;
  /** Folders of further plugins. */
  readonly plugins?: readonly string[];
}

/** What all tests of jobs chunk with; small chunks, so that there is something to do. */
export const STEPS = [
  { type: 'chunk', chunker: 'token', config: { tokenizer: 'character', chunk_size: 60, chunk_overlap: 5 } },
];

export async function startFleet(t: Cleanup, place: Database, options: FleetOptions = {}): Promise<Fleet> {
  const { queue = 'lease', lease = 1, shardBytes = 400_000, plugins = [] } = options;
  const root = options.root ?? (await temporaryFolder(t));
  const pluginsDir = [...plugins];
  const settings = { bulkRoot: root, bulkQueue: place.databaseUrl === '' ? 'auto' : queue, bulkLease: lease };
  const api = await startServer(t, { ...place, ...settings, pluginsDir, role: 'api' });
  const flags = {
    host: '127.0.0.1',
    port: 0,
    role: 'worker',
    workers: 1,
    'data-dir': place.dataDir,
    'bulk-root': root,
    'bulk-queue': settings.bulkQueue,
    'bulk-lease': lease,
    'bulk-shard-bytes': shardBytes,
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const folders = plugins.flatMap((folder) => ['--plugins-dir', folder]);
  const env = place.databaseUrl === '' ? {} : { DATABASE_URL: place.databaseUrl };
  return {
    api,
    root,
    worker: (more = [], variables = {}) =>
      startProcess(t, [...args, ...folders, ...more], { env: { ...env, ...variables } }),
  };
}

const WORDS = ['chunk', 'größe', '文書', '🧵', 'a', 'the', 'of', 'lines\n', 'paragraph.\n\n', '"quoted"'];

/** Writes documents as JSON Lines, the same for the same seed; each hundredth is none. Returns how many bytes. */
export async function writeCorpus(
  file: string,
  { documents, words, seed = 1 }: { documents: number; words: number; seed?: number },
): Promise<number> {
  const random = createRandom(seed);
  const lines = Array.from({ length: documents }, (_, index) => {
    if (index % 100 === 99) return '{"text": 1}';
    const length = Math.ceil(words * (0.5 + random()));
    const text = Array.from({ length }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
    return JSON.stringify({ id: `document-${index}`, text });
  });
  const corpus = Buffer.from(`${lines.join('\n')}\n`);
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
export async function chunkInto(
  { api }: Fleet,
  path: string,
  target: string,
  more: object = {},
): Promise<string> {
  const { id } = await createJob(api, { source: { path }, steps: STEPS, target: { path: target }, ...more });
  return id;
}

/** Waits until a job is over, or throws after so many seconds. */
export async function untilOver({ api }: Pick<Fleet, 'api'>, id: string, seconds = 60): Promise<JobAnswer> {
  for (const end = performance.now() + seconds * 1000; ; await sleep(50)) {
    const job = await jobOf(api, id);
    if (job.finished_at !== null) return job;
    if (performance.now() > end) throw new Error(`not over after ${seconds} s: ${JSON.stringify(job)}`);
  }
}

/** What a folder has, by name; but for the file that names the job, which differs. */
export async function digestsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).filter((name) => name !== 'job.json').sort();
  const digests = names.map(async (name) => {
    const bytes = await readFile(join(folder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

/** Says how what was found differs from what was expected, member by member. */
export function differences(what: string, found: object, expected: object): string[] {
  const wanted = new Map(Object.entries(expected));
  const wrong = Object.entries(found).filter(
    ([name, value]) => JSON.stringify(wanted.get(name)) !== JSON.stringify(value),
  );
  const missing = [...wanted.keys()].filter((name) => !(name in found));
  return [
    ...wrong.map(([name, value]) => `${what}: ${name} is ${JSON.stringify(value)}`),
    ...missing.map((name) => `${what}: ${name} is missing`),
  ];
}
