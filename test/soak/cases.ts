import type { PluginId } from '../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import type { Task } from '../../server/engine/tasks.ts';
import { isHere } from '../support/here.ts';
import type { Client } from '../support/server.ts';
import { composeQuietly, runTask } from '../support/service.ts';
import { codeOf, proseOf } from './texts.ts';

/** A request, and the only right answer to it. */
export interface Case {
  readonly name: string;
  readonly path: string;
  readonly body: Buffer;
  readonly expected: Buffer;
}

interface Draft {
  readonly name: string;
  readonly path: string;
  readonly task: Task;
  readonly request: object;
  /** What the chunks of the answer have to make up. */
  readonly text?: string;
}

const CUT: PipelineStep = { type: 'chunk', chunker: 'token', refinery: null, config: { chunk_size: 300 } };
const WIDEN: PipelineStep = {
  type: 'refine',
  chunker: null,
  refinery: 'overlap',
  config: { context_size: 0.1 },
};
const STEPS: readonly PipelineStep[] = isHere('refinery/overlap') ? [CUT, WIDEN] : [CUT];

const CHUNKERS: readonly {
  readonly name: string;
  readonly options: object;
  readonly most?: number;
  readonly uses?: PluginId;
}[] = [
  { name: 'token', options: {} },
  {
    name: 'token',
    options: { tokenizer: 'cl100k_base', chunk_size: 128, chunk_overlap: 16 },
    uses: 'tokenizer/tiktoken',
  },
  { name: 'recursive', options: { chunk_size: 400 } },
  { name: 'sentence', options: { chunk_size: 300, offset_unit: 'byte' } },
  { name: 'code', options: { language: 'python', chunk_size: 500 }, most: 100_000 },
  { name: 'semantic', options: {}, most: 50_000, uses: 'embedding/static' },
];

/**
 * Requests of every kind for each size, with the answers that the service gives in this process.
 *
 * @param client of a server that stores the pipeline which is executed
 * @param sizes of the texts in UTF-16 code units
 */
export async function makeCases(client: Client, sizes: readonly number[], seed: number): Promise<Case[]> {
  const { service } = await composeQuietly();
  const answer = async (task: Task, body: Buffer) => Buffer.from((await runTask(service, task, body)).bytes);
  const execute = await executePath(client);
  const drafts = await Promise.all(
    sizes.map(async (size, index) => [
      ...chunkDrafts(size, seed + index),
      ...(isHere('refinery/overlap') ? [await overlapDraft(size, seed + index, answer)] : []),
      executeDraft(size, seed + index, execute),
    ]),
  );
  const cases: Case[] = [];
  for (const { name, path, task, request, text } of drafts.flat()) {
    const body = Buffer.from(JSON.stringify(request));
    const expected = await answer(task, body);
    if (text !== undefined && !isMadeUpOf(text, expected)) throw new Error(`${name}: the text is not kept`);
    cases.push({ name, path, body, expected });
  }
  return cases;
}

async function executePath(client: Client): Promise<string> {
  const answer = await client.post('/v1/pipelines', { name: 'soak', steps: STEPS });
  if (answer.status !== 201) throw new Error(`no pipeline: ${answer.bytes}`);
  return `/v1/pipelines/${answer.json<{ id: string }>().id}/execute`;
}

function chunkDrafts(size: number, seed: number): Draft[] {
  const fitting = CHUNKERS.filter(
    ({ name, most = Number.POSITIVE_INFINITY, uses }) =>
      size <= most && isHere(`chunker/${name}`) && (uses === undefined || isHere(uses)),
  );
  return fitting.map(({ name, options }) => {
    const text = name === 'code' ? codeOf(size, seed) : proseOf(size, seed);
    const isLossless = !('chunk_overlap' in options);
    const draft: Draft = {
      name,
      path: `/v1/chunk/${name}`,
      task: { run: 'chunk', name },
      request: { text, ...options },
    };
    return isLossless ? { ...draft, text } : draft;
  });
}

async function overlapDraft(
  size: number,
  seed: number,
  answer: (task: Task, body: Buffer) => Promise<Buffer>,
): Promise<Draft> {
  const body = Buffer.from(JSON.stringify({ text: proseOf(size, seed), chunk_size: 300 }));
  const chunks = JSON.parse((await answer({ run: 'chunk', name: 'token' }, body)).toString());
  const task = { run: 'refine', name: 'overlap' } as const;
  return { name: 'overlap', path: '/v1/refine/overlap', task, request: { chunks, method: 'justified' } };
}

function executeDraft(size: number, seed: number, path: string): Draft {
  return {
    name: 'execute',
    path,
    task: { run: 'execute', steps: STEPS },
    request: { text: proseOf(size, seed) },
  };
}

function isMadeUpOf(text: string, answer: Buffer): boolean {
  const chunks = JSON.parse(answer.toString()) as { text: string }[];
  return chunks.map((chunk) => chunk.text).join('') === text;
}
