import { invalid, ServiceError } from '../../../core/errors.ts';
import type { BucketConnection } from './s3/connection.ts';
import type { Storage } from './storage.ts';

/** What paths may refer to. */
export interface Storages {
  /** The folder inside which files are read and written, if there is one. */
  readonly root?: Storage | undefined;
  /** Buckets by the names of their connections. */
  readonly connections: ReadonlyMap<string, Storage>;
}

/** What a path refers to. */
export interface OpenedPath {
  readonly storage: Storage;
  /** The path in the storage; `''` is the whole storage. */
  readonly name: string;
}

/** Opens buckets; nothing is sent before one is used. */
export async function openConnections(
  connections: ReadonlyMap<string, BucketConnection>,
): Promise<ReadonlyMap<string, Storage>> {
  if (connections.size === 0) return new Map();
  const { createBucket } = await import('./s3/bucket.ts');
  return new Map([...connections].map(([name, connection]) => [name, createBucket(connection)]));
}

/**
 * Resolves a path: `folder/file` inside the root, or `s3://<connection>/folder/file`. The storage itself refuses
 * paths that lead outside.
 *
 * @throws ServiceError `unknown_connection`, or `invalid_parameters` for other schemes and if there is no root
 */
export function openStorage(path: string, { root, connections }: Storages): OpenedPath {
  const [, scheme, rest = path] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(path) ?? [];
  if (scheme === undefined) {
    if (root !== undefined) return { storage: root, name: withoutSlash(path) };
    throw refused(path, `no folder is configured for jobs: ${advice(connections)}`);
  }
  const [, connection, name = ''] = /^\/\/([^/]*)(?:\/(.*))?$/s.exec(rest) ?? [];
  if (scheme.toLowerCase() !== 's3' || connection === undefined) {
    const below = root === undefined ? '' : 'a path inside --bulk-root, or ';
    throw refused(path, `expected ${below}s3://<connection>/<path>`);
  }
  const storage = connections.get(connection);
  if (storage !== undefined) return { storage, name: withoutSlash(name) };
  throw new ServiceError('unknown_connection', { name: connection, known: knownOf(connections) });
}

const withoutSlash = (path: string): string => path.replace(/(?<=[^/])\/$/, '');

const refused = (path: string, problem: string): ServiceError => invalid(`${path.slice(0, 200)}: ${problem}`);

function advice(connections: Storages['connections']): string {
  const start = 'start the server with --bulk-root <folder>';
  return connections.size === 0 ? start : `${start}, or use s3://<connection>/<path>`;
}

const knownOf = (connections: Storages['connections']): string =>
  [...connections.keys()].join(', ') || 'none: start the server with --bulk-connections <file>';
