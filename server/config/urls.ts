import { dirname } from 'node:path';
import type { Read } from './option.ts';

/** Parses an origin of web pages as browsers send it, or `*`. */
export function readOrigin(text: string): Read<string> {
  if (text === '*') return { value: text };
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url !== null && isWeb && url.href === `${url.origin}/`) return { value: url.origin };
  // Browser extensions have origins of their own schemes.
  if (!isWeb && /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+$/.test(text)) return { value: text };
  return { expected: 'origins such as https://app.example, without a path, or *' };
}

/** Parses the address of a service. */
export function readServiceUrl(text: string): Read<string> {
  const expected = 'a URL such as https://host or http://host:8080/path';
  const { protocol } = URL.parse(text) ?? {};
  return protocol === 'http:' || protocol === 'https:' ? { value: text } : { expected };
}

const POSTGRESQL = 'postgresql://user:password@host:5432/database';

/** Parses the URL of a PostgreSQL database; for that of an SQLite file it says what to do instead. */
export function readDatabaseUrl(text: string): Read<string> {
  const { protocol } = URL.parse(text) ?? {};
  if (protocol === 'postgresql:' || protocol === 'postgres:') return { value: text };
  if (/^sqlite\b/i.test(text)) return { expected: insteadOfSqlite(text) };
  if (/^postgres(ql)?\+\w+:/i.test(text)) {
    return { expected: `${POSTGRESQL}, without the driver in its scheme` };
  }
  return { expected: `a URL such as ${POSTGRESQL}` };
}

/** `sqlite+aiosqlite:///./data/x.db` is a file in `./data`; without a file it is in memory. */
function insteadOfSqlite(text: string): string {
  const path = text.replace(/^[^:]*:(\/\/\/?)?/, '').replace(/\?.*/, '');
  if (path === '' || path.includes(':memory:')) {
    return 'a URL of PostgreSQL; to keep pipelines in memory, leave it out and set STORE=memory';
  }
  const folder = path.includes('@') ? '<folder>' : dirname(path);
  return `a URL of PostgreSQL; SQLite is the file chunksmith.db in the data folder: leave it out and set DATA_DIR=${folder}`;
}
