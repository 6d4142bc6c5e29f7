import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobAnswer } from '../../server/corpora/jobs/answers.ts';
import { chunker } from './plugins.ts';
import { type Answer, type Cleanup, type Client, startServer, temporaryFolder } from './server.ts';
import { linesIn } from './streams.ts';
import { until } from './until.ts';

/** What tests of jobs share. */

export const JOBS = '/v1/jobs';
/** Of a chunker that every checkout has. */
export const STEPS = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 4 } }];

const options = {
  type: 'object',
  properties: { gate: { type: 'string', default: '', description: 'A file.' } },
};

/** The files of a chunker that waits for a file to be there, its option `gate`. */
export const GATED = chunker(
  'gated',
  `const { existsSync } = await import('node:fs');
  while (!existsSync(options.gate) && !context.signal?.aborted) await new Promise((done) => setTimeout(done, 10));
  return [{ start: 0, end: text.length }];`,
  { options },
);

/** A server with a folder for its jobs. */
export type JobServer = Client & { readonly root: string };

/** Starts a server whose root has the given files. */
export async function startJobServer(
  t: Cleanup,
  files: Record<string, string> = {},
  config: Parameters<typeof startServer>[1] = {},
): Promise<JobServer> {
  const root = await temporaryFolder(t, files);
  return { ...(await startServer(t, { bulkRoot: root, ...config })), root };
}

/** Makes a job and throws where that is refused. */
export async function createJob(client: Client, request: object): Promise<JobAnswer> {
  const answer = await client.post(JOBS, { steps: STEPS, ...request });
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.bytes}`);
  return answer.json();
}

export async function jobOf(client: Client, id: string): Promise<JobAnswer> {
  return (await client.get(`${JOBS}/${id}`)).json();
}

/** Makes a job of `GATED` that waits, once it runs, for a file below the root to be there. */
export async function createGated(server: JobServer, name: string, request: object) {
  const gate = join(server.root, name);
  const steps = [{ type: 'chunk', chunker: 'gated', config: { gate } }];
  const { id } = await createJob(server, { ...request, steps });
  return { id, open: () => writeFile(gate, '') };
}

/** Waits until a job is in a state; throws if it ends in another one. */
export function untilState(
  client: Client,
  id: string,
  state: JobAnswer['state'],
  milliseconds?: number,
): Promise<JobAnswer> {
  return until(async () => {
    const job = await jobOf(client, id);
    if (job.state === state) return job;
    if (job.finished_at !== null) throw new Error(JSON.stringify(job));
    return undefined;
  }, milliseconds);
}

/** Makes a job and waits until it is done. */
export async function runJob(
  client: Client,
  request: object,
  state: JobAnswer['state'] = 'done',
): Promise<JobAnswer> {
  const { id } = await createJob(client, request);
  return untilState(client, id, state);
}

/** A line of the output: a chunk, or what came of a document. */
export type OutputLine = Readonly<Record<string, unknown>>;

/** The lines of the result of a job, or of its errors. */
export async function outputOf(client: Client, id: string, what = 'result'): Promise<OutputLine[]> {
  const answer: Answer = await client.send(`${JOBS}/${id}/${what}`, {
    headers: { accept: 'application/x-ndjson' },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes}`);
  return linesIn<OutputLine>(answer.bytes);
}
