import { join, resolve } from 'node:path';
import type { DatabaseSettings } from './contract.ts';

export type Database =
  | { readonly kind: 'memory' }
  /** `path` is absolute. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'postgresql'; readonly url: string };

export function databaseOf({ store, dataDir, databaseUrl }: DatabaseSettings): Database {
  if (store === 'memory') return { kind: 'memory' };
  if (databaseUrl !== '') return { kind: 'postgresql', url: databaseUrl };
  return { kind: 'file', path: join(resolve(dataDir), 'chunksmith.db') };
}

export function nameOf(database: Database): string {
  if (database.kind === 'memory') return 'memory';
  if (database.kind === 'file') return database.path;
  const { host, pathname } = new URL(database.url);
  return `PostgreSQL at ${host}${pathname}`;
}
