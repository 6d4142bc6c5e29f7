import { randomUUID } from 'node:crypto';
import type { Client } from '../../support/server.ts';

/** What tests of stored pipelines share. */

export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly config: { readonly steps: readonly object[] };
  readonly created_at: string;
  readonly updated_at: string;
}

export const PATH = '/v1/pipelines';
/** Of the fixtures. */
export const STEPS = [
  { type: 'chunk', chunker: 'token', config: { chunk_size: 4 } },
  { type: 'refine', refinery: 'shout', config: {} },
];

/** Creates a pipeline of `STEPS`. */
export async function create(client: Client, name: string = randomUUID()): Promise<Pipeline> {
  const answer = await client.post(PATH, { name, steps: STEPS });
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.bytes}`);
  return answer.json();
}
