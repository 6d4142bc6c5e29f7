import type { SinkChunk } from '../../core/contracts/sink.ts';
import { parseExactJson } from '../../plugins/toolkit/json/exact-json.ts';
import type { SinkStandIn } from '../../server/testing/contracts/sink/stand-in.ts';
import { freePort } from '../support/process.ts';
import type { Cleanup } from '../support/server.ts';
import { HOME, type RunningServer, serverFolder, startServerProgram } from './servers.ts';

type Metadata = Readonly<Record<string, unknown>>;

interface Records {
  readonly ids: readonly string[];
  readonly embeddings: readonly (readonly number[])[];
  readonly documents: readonly string[];
  readonly metadatas: readonly Metadata[];
}

/** Chroma's own server. */
export interface Chroma extends SinkStandIn {
  /** What runs now. */
  running(): RunningServer;
  /** Starts it again, with what it has stored. */
  start(): Promise<void>;
  /** The metadata that is stored of a collection's chunks, by their ids. */
  metadata(collection: string): Promise<ReadonlyMap<string, Metadata>>;
}

const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';
/** Fields of the chunks of tests that are lists and objects. */
const NESTED = ['metadata', 'headings'];

export async function startChroma(t: Cleanup): Promise<Chroma> {
  const { inside } = await serverFolder(t, HOME);
  const port = await freePort();
  const program = ['/usr/bin/node', '/srv/npm/node_modules/chromadb/dist/cli.mjs', 'run'];
  const command = [...program, '--path', inside, '--host', '127.0.0.1', '--port', String(port)];
  const start = () => startServerProgram(t, { command, ready: /server listening/ });
  let running = await start();
  const url = `http://127.0.0.1:${port}`;
  const records = async (name: string): Promise<Records | undefined> => {
    const found = await fetch(`${url}${COLLECTIONS}/${name}`);
    if (!found.ok) return undefined;
    const { id } = (await found.json()) as { readonly id: string };
    const body = JSON.stringify({ include: ['embeddings', 'documents', 'metadatas'] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}${COLLECTIONS}/${id}/get`, { method: 'POST', headers, body });
    return (await answer.json()) as Records;
  };
  return {
    env: { CHROMA_URL: url },
    options: (collection) => ({ collection }),
    chunks: async (name) => chunksOf(await records(name)),
    async metadata(name) {
      const { ids = [], metadatas = [] } = (await records(name)) ?? {};
      return new Map(ids.map((id, at) => [id, metadatas[at] ?? {}]));
    },
    stop: () => running.stop(),
    running: () => running,
    async start() {
      running = await start();
    },
  };
}

function chunksOf(records: Records | undefined): SinkChunk[] {
  return (records?.ids ?? []).map((id, at) => {
    const { document_id, ...flat } = records?.metadatas[at] ?? {};
    const fields = Object.entries(flat).map(([name, value]) => [
      name,
      NESTED.includes(name) ? parseExactJson(String(value)) : value,
    ]);
    return {
      id,
      document_id: String(document_id),
      text: records?.documents[at] ?? '',
      embedding: Float32Array.from(records?.embeddings[at] ?? []),
      fields: Object.fromEntries(fields),
    };
  });
}
