import { setTimeout as sleep } from 'node:timers/promises';
import type { SinkChunk } from '../../../core/contracts/sink.ts';
import type { Kit } from '../../../core/kit.ts';
import type { Client } from './client.ts';

interface Item {
  readonly _id: string;
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason?: string };
}

interface Writing {
  /** `/<index>`. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly kit: Kit;
}

const TRIES = 5;
const FIRST_DELAY = 250;
const LONGEST_REASON = 200;

/**
 * Writes chunks, and waits until they can be found. An answer of 200 may hold errors: single chunks for which a server is
 * too busy are written again.
 *
 * @throws Error for callers with the reason of the first chunk that is refused
 */
export async function writeChunks(
  client: Client,
  chunks: readonly SinkChunk[],
  writing: Writing,
): Promise<void> {
  let left = chunks;
  for (let tries = 1; left.length > 0; tries++) {
    const failed = (await writeOnce(client, left, writing)).filter(({ error }) => error !== undefined);
    const refused = failed.find(({ status }) => status !== 429) ?? (tries === TRIES ? failed[0] : undefined);
    if (refused !== undefined) throw writing.kit.exposedError(describe(refused));
    if (failed.length === 0) return;
    const ids = new Set(failed.map(({ _id }) => _id));
    left = left.filter(({ id }) => ids.has(id));
    await pause(FIRST_DELAY * 2 ** (tries - 1), writing.signal);
  }
}

function writeOnce(
  client: Client,
  chunks: readonly SinkChunk[],
  { path, signal }: Writing,
): Promise<readonly Item[]> {
  const lines = chunks.map(
    (chunk) => `{"index":{"_id":${JSON.stringify(chunk.id)}}}\n${documentOf(chunk)}\n`,
  );
  return client.demand({
    path: `${path}/_bulk?refresh=wait_for`,
    body: new TextEncoder().encode(lines.join('')),
    headers: { 'content-type': 'application/x-ndjson' },
    expected: 'an item for each chunk',
    read: (answer) => itemsIn(answer, chunks.length),
    signal,
  });
}

function documentOf({ id, document_id, text, embedding, fields }: SinkChunk): string {
  return JSON.stringify({ ...fields, id, document_id, text, embedding: embedding ?? undefined });
}

function itemsIn(answer: unknown, count: number): readonly Item[] {
  const { items } = answer as { readonly items: readonly { readonly index: Item }[] };
  if (items.length !== count) throw new Error(`${items.length} items for ${count} chunks`);
  return items.map(({ index }) => index);
}

function describe({ _id, status, error }: Item): string {
  const said = `${error?.type}: ${error?.reason ?? ''}`.slice(0, LONGEST_REASON);
  return `Elasticsearch refused the chunk ${_id} with ${status}, ${said}`;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
