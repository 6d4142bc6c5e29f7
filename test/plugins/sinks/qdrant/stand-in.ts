import type { SinkStandIn } from 'chunksmith/testing';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { type Api, type ApiCall, Refusal, startApi, unknownNames } from '../../../support/api-stand-in.ts';

/** The part of Qdrant 1.x that stores: collections, indexes of payloads, and points. */

interface Point {
  readonly id: string;
  readonly vector: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Collection {
  readonly vectors: { readonly size?: number; readonly [name: string]: unknown };
  readonly indexes: Set<string>;
  readonly points: Map<string, Point>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const refuse = (status: number, error: string): never => {
  throw new Refusal(status, { status: { error }, time: 0 });
};
const ok = (result: unknown) => ({ result, status: 'ok', time: 0.001 });

function only(body: object, ...known: string[]): void {
  const [name] = unknownNames(body, known);
  if (name !== undefined) refuse(400, `Format error in JSON body: unknown field \`${name}\``);
}

export class Qdrant {
  readonly collections = new Map<string, Collection>();
  /** The key that is asked for; empty for none. */
  key = '';

  answer({ method, path, query, body, headers, text }: ApiCall): object {
    if (this.key !== '' && headers['api-key'] !== this.key) refuse(401, 'Invalid API key');
    if (text.length > 32 * 2 ** 20)
      refuse(413, 'JSON payload is larger than allowed (limit: 33554432 bytes).');
    const [, name = '', action = ''] = /^\/collections\/([^/]+)(.*)$/.exec(path) ?? [];
    if (method === 'PUT' && action === '') return this.#create(name, body);
    const collection = this.collections.get(name);
    if (collection === undefined) return refuse(404, `Not found: Collection \`${name}\` doesn't exist!`);
    const isWaiting = query.get('wait') === 'true';
    switch (`${method} ${action}`) {
      case 'GET ':
        return ok({ status: 'green', config: { params: { vectors: collection.vectors } } });
      case 'PUT /index':
        only(body, 'field_name', 'field_schema');
        collection.indexes.add(`${body.field_name} ${body.field_schema}`);
        return operation(isWaiting);
      case 'PUT /points':
        return this.#upsert(collection, body, isWaiting);
      case 'POST /points/scroll':
        return this.#scroll(collection, body);
      case 'POST /points/delete':
        only(body, 'points');
        for (const id of body.points as string[]) collection.points.delete(id);
        return operation(isWaiting);
      default:
        return refuse(404, `no ${method} ${path}`);
    }
  }

  #create(name: string, body: object): object {
    only(body, 'vectors');
    const { vectors } = body as Pick<Collection, 'vectors'>;
    if (this.collections.has(name)) refuse(409, `Wrong input: Collection \`${name}\` already exists!`);
    if (Object.keys(vectors).length > 0 && (vectors.size ?? 0) < 1)
      refuse(422, 'value 0 invalid, must be 1 or larger');
    this.collections.set(name, { vectors, indexes: new Set(), points: new Map() });
    return ok(true);
  }

  #upsert({ points, vectors }: Collection, body: object, isWaiting: boolean): object {
    only(body, 'points');
    const given = (body as { points: Point[] }).points;
    for (const point of given) {
      only(point, 'id', 'vector', 'payload');
      if (!UUID.test(point.id)) refuse(400, `value ${point.id} is not a valid point ID`);
      const has = Array.isArray(point.vector) ? point.vector.length : undefined;
      if (has !== vectors.size)
        refuse(400, `Wrong input: Vector dimension error: expected dim: ${vectors.size}, got ${has}`);
    }
    for (const point of given) points.set(point.id, point);
    return operation(isWaiting);
  }

  #scroll({ points, indexes }: Collection, body: object): object {
    only(body, 'filter', 'limit', 'offset', 'with_payload', 'with_vector');
    const {
      filter,
      limit,
      offset = '',
    } = body as {
      filter: { must: [{ key: string; match: { value: string } }] };
      limit: number;
      offset?: string;
    };
    const [{ key, match }] = filter.must;
    // Qdrant Cloud refuses filters by what has no index.
    if (!indexes.has(`${key} keyword`)) refuse(400, `Index required but not found for "${key}"`);
    const found = [...points.values()].filter(({ payload }) => payload[key] === match.value);
    const sorted = found
      .map(({ id }) => id)
      .filter((id) => id >= offset)
      .sort();
    const page = sorted.slice(0, limit).map((id) => ({ id }));
    return ok({ points: page, next_page_offset: sorted[limit] ?? null });
  }
}

/** Whoever does not wait cannot rely on finding it. */
const operation = (isWaiting: boolean) =>
  ok({ operation_id: 1, status: isWaiting ? 'completed' : 'acknowledged' });

/** What is stored as a point, as the chunk that it was. */
function chunkOf({ id, vector, payload }: Point): SinkChunk {
  const { document_id, text, ...fields } = payload;
  const embedding = Array.isArray(vector) ? vector : null;
  return { id, document_id: String(document_id), text: String(text), embedding, fields };
}

/** A stand-in, and what it is made of. */
export default async function startQdrant(): Promise<
  SinkStandIn & { readonly api: Api; readonly qdrant: Qdrant }
> {
  const qdrant = new Qdrant();
  const api = await startApi((call) => qdrant.answer(call));
  return {
    api,
    qdrant,
    env: { QDRANT_URL: `${api.url}/` },
    options: (collection) => ({ collection }),
    chunks: async (name) => [...(qdrant.collections.get(name)?.points.values() ?? [])].map(chunkOf),
    refuse: api.refuse,
    stop: api.stop,
  };
}
