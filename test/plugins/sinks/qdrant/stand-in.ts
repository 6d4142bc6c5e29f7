import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { type ApiCall, Refusal, startApi } from '../api-stand-in.ts';

/**
 * The part of Qdrant 1.x that stores: collections, indexes of payloads, and points. That requests are those of Qdrant's own
 * client is tested in `processes/`.
 */

interface Point {
  readonly id: string;
  readonly vector: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Collection {
  readonly vectors: { readonly size?: number; readonly [name: string]: unknown };
  /** How fields of payloads are indexed. */
  readonly indexes: Map<string, unknown>;
  readonly points: Map<string, Point>;
}

interface Filter {
  readonly must: readonly [{ key: string; match: { value?: unknown; any?: readonly unknown[] } }];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const refuse = (status: number, error: string): never => {
  throw new Refusal(status, { status: { error }, time: 0 });
};
const ok = (result: unknown) => ({ result, status: 'ok', time: 0.001 });

/** What is done with the points of a collection. */
const ROUTES: Readonly<Record<string, (collection: Collection, call: ApiCall) => object>> = {
  'GET ': ({ vectors, indexes }) =>
    ok({
      status: 'green',
      config: { params: { vectors } },
      payload_schema: Object.fromEntries([...indexes].map(([name, params]) => [name, { params }])),
    }),
  'PUT /index'({ indexes }, { query, body }) {
    indexes.set(String(body.field_name), body.field_schema);
    return operation(query);
  },
  'POST /points/query': ({ points }) => ok({ points: [...points.values()] }),
  'PUT /points'({ points, vectors }, { query, body }) {
    const given = body.points as readonly Point[];
    for (const { id, vector } of given) {
      if (!UUID.test(id)) refuse(400, `value ${id} is not a valid point ID`);
      const has = Array.isArray(vector) ? vector.length : undefined;
      if (has !== vectors.size)
        refuse(400, `Wrong input: Vector dimension error: expected dim: ${vectors.size}, got ${has}`);
    }
    for (const point of given) points.set(point.id, point);
    return operation(query);
  },
  'POST /points/scroll'(collection, { body }) {
    const { filter, limit, offset = '' } = body as { filter: unknown; limit: number; offset?: string };
    const ids = found(collection, filter).filter((id) => id >= offset);
    const points = ids.sort().slice(0, limit);
    return ok({ points: points.map((id) => ({ id })), next_page_offset: ids[limit] ?? null });
  },
  'POST /points/delete'(collection, { query, body }) {
    const ids = (body.points as string[]) ?? found(collection, body.filter);
    for (const id of ids) collection.points.delete(id);
    return operation(query);
  },
};

class Qdrant {
  readonly collections = new Map<string, Collection>();
  /** The key that is asked for; empty for none. */
  key = '';
  version = '1.20.0';

  answer(call: ApiCall): object {
    const { method, path, body, headers, text } = call;
    if (this.key !== '' && headers['api-key'] !== this.key) refuse(401, 'Invalid API key');
    if (text.length > 32 * 2 ** 20)
      refuse(413, 'JSON payload is larger than allowed (limit: 33554432 bytes).');
    if (method === 'GET' && path === '/')
      return { title: 'qdrant - vector search engine', version: this.version };
    const [, name = '', action = ''] = /^\/collections\/([^/]+)(.*)$/.exec(path) ?? [];
    const collection = this.collections.get(name);
    if (method === 'PUT' && action === '') {
      const { vectors } = body as object as Collection;
      if (collection !== undefined) refuse(409, `Wrong input: Collection \`${name}\` already exists!`);
      if (Object.keys(vectors).length > 0 && (vectors.size ?? 0) < 1)
        refuse(422, 'value 0 invalid, must be 1 or larger');
      this.collections.set(name, { vectors, indexes: new Map(), points: new Map() });
      return ok(true);
    }
    if (collection === undefined) return refuse(404, `Not found: Collection \`${name}\` doesn't exist!`);
    return ROUTES[`${method} ${action}`]?.(collection, call) ?? refuse(404, `no ${method} ${path}`);
  }
}

function found({ points, indexes }: Collection, filter: unknown): string[] {
  const { key, match } = (filter as Filter).must[0];
  // Qdrant Cloud refuses filters by what has no index.
  if (indexes.get(key) !== 'keyword') refuse(400, `Index required but not found for "${key}"`);
  const wanted = match.any ?? [match.value];
  return [...points.values()].filter(({ payload }) => wanted.includes(payload[key])).map(({ id }) => id);
}

/** Whoever does not wait cannot rely on finding it. */
const operation = (query: URLSearchParams) =>
  ok({ operation_id: 1, status: query.get('wait') === 'true' ? 'completed' : 'acknowledged' });

/** What is stored as a point, as the chunk that it was. */
function chunkOf({ id, vector, payload }: Point): SinkChunk {
  const { document_id, text, search_text: _, ...fields } = payload;
  const embedding = Array.isArray(vector) ? Float32Array.from(vector) : null;
  return { id, document_id: String(document_id), text: String(text), embedding, fields };
}

/** A stand-in for `SinkStandIn`, and what it is made of. */
export default async function startQdrant() {
  const qdrant = new Qdrant();
  const api = await startApi((call) => qdrant.answer(call));
  return {
    api,
    qdrant,
    env: { QDRANT_URL: `${api.url}/` },
    options: (collection: string) => ({ collection }),
    chunks: async (name: string) => [...(qdrant.collections.get(name)?.points.values() ?? [])].map(chunkOf),
    refuse: api.refuse,
    stop: api.stop,
  };
}
