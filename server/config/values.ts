import { isIP } from 'node:net';
import { dirname } from 'node:path';
import type { Option, OptionType, Read, ValueOf } from './option.ts';

export type Parsed = Read<ValueOf[OptionType]>;

export function parseValue(option: Option, text: string): Parsed {
  return PARSERS[option.type](option, text);
}

const PARSERS: Readonly<Record<OptionType, (option: Option, text: string) => Parsed>> = {
  text: parseText,
  integer: parseInteger,
  size: parseSize,
  boolean: (_, text) => parseSwitch(text),
  list: parseList,
  pairs: (_, text) => parsePairs(text),
  proxies: (_, text) => parseProxies(text),
};

function parseText({ choices, synonyms, pattern, expected = '', read }: Option, text: string): Parsed {
  if (pattern?.test(text) === false) return { expected };
  if (choices === undefined) return read?.(text) ?? { value: text };
  const word = text.toLowerCase();
  const choice = synonyms?.[word] ?? word;
  return choices.includes(choice) ? { value: choice } : { expected: `one of ${choices.join(', ')}` };
}

function parseInteger({ minimum = 1, maximum = Number.MAX_SAFE_INTEGER }: Option, text: string): Parsed {
  const value = Number(text);
  const isFit = /^\d+$/.test(text) && value >= minimum && value <= maximum;
  return isFit ? { value } : { expected: `an integer from ${minimum} to ${maximum}` };
}

function parseSize({ minimum = 1 }: Option, text: string): Parsed {
  const value = readSize(text);
  if (value !== undefined && value >= minimum) return { value };
  return { expected: `a size of at least ${minimum} in bytes, such as 1048576, 10MB or 512KiB` };
}

function parseSwitch(text: string): Parsed {
  const word = text.toLowerCase();
  if (['true', '1'].includes(word)) return { value: true };
  return ['false', '0'].includes(word) ? { value: false } : { expected: 'true or false' };
}

/** Parses `alias=name` pairs. An alias has only one name, and that name must not be an alias. */
function parsePairs(text: string): Parsed {
  const pairs = splitList(text).map((item) => item.split('=').map((name) => name.trim()));
  const names = new Set(pairs.map(([name]) => name));
  const areWhole = pairs.every((pair) => pair.length === 2 && !pair.includes(''));
  if (!areWhole) return { expected: 'name=name, several of them separated by commas' };
  if (names.size < pairs.length) return { expected: 'each name once on the left' };
  if (pairs.some(([, target]) => names.has(target))) {
    return {
      expected: 'no name both on the left and on the right: an alias names a model, not another alias',
    };
  }
  return { value: Object.fromEntries(pairs) };
}

const NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);
const MAX_HOPS = 100;
const PROXIES = {
  expected: `true for one proxy, false, a number of proxies from 0 to ${MAX_HOPS}, or their addresses and networks, such as 10.0.0.0/8,::1`,
};

function parseProxies(text: string): Parsed {
  const word = text.toLowerCase();
  if (word === 'true') return { value: 1 };
  if (word === 'false') return { value: 0 };
  if (/^\d{1,3}$/.test(text)) return Number(text) <= MAX_HOPS ? { value: Number(text) } : PROXIES;
  const value = splitList(word);
  return value.length > 0 && value.every(isNetwork) ? { value } : PROXIES;
}

function isNetwork(text: string): boolean {
  if (NETWORKS.has(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (bits === 0 || address.includes('%') || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
}

function parseList({ read }: Option, text: string): Parsed {
  const items = splitList(text);
  if (read === undefined) return { value: items };
  const values: string[] = [];
  for (const item of items) {
    const one = read(item);
    if ('expected' in one) return one;
    values.push(one.value);
  }
  return { value: values };
}

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** First letters of the units. A letter's index is the power of 1000 or 1024. */
const POWERS = ['', 'k', 'm', 'g', 't'];
const SIZE = /^(\d{1,16}(?:\.\d{1,3})?) ?(?:([kmgt])(i?))?b?$/i;

/**
 * Parses a size to bytes: `1048576`, `10MB`, `1.5GB`, `512KiB`. `kB` is 1000 bytes, `KiB` is 1024 bytes, and
 * `B` may be omitted. `undefined` if the text is not a size.
 */
function readSize(text: string): number | undefined {
  const [, count, letter = '', binary = ''] = SIZE.exec(text) ?? [];
  if (count === undefined || (letter === '' && count.includes('.'))) return undefined;
  const bytes = Number(count) * (binary === '' ? 1000 : 1024) ** POWERS.indexOf(letter.toLowerCase());
  return bytes <= Number.MAX_SAFE_INTEGER ? Math.floor(bytes) : undefined;
}

/** Writes bytes in the largest binary unit that gives a whole number: `100MiB`. */
export function writeSize(bytes: number): string {
  let value = bytes;
  let power = 0;
  while (value >= 1024 && value % 1024 === 0 && power < POWERS.length - 1) {
    value /= 1024;
    power++;
  }
  return power === 0 ? `${value}` : `${value}${(POWERS[power] as string).toUpperCase()}iB`;
}

export function readOrigin(text: string): Read<string> {
  if (text === '*') return { value: text };
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url !== null && isWeb && url.href === `${url.origin}/`) return { value: url.origin };
  // Accepts origins of browser extensions, such as `chrome-extension://id`.
  if (!isWeb && /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+$/.test(text)) return { value: text };
  return { expected: 'origins such as https://app.example, without a path, or *' };
}

export function readServiceUrl(text: string): Read<string> {
  const expected = 'a URL such as https://host or http://host:8080/path';
  const { protocol } = URL.parse(text) ?? {};
  return protocol === 'http:' || protocol === 'https:' ? { value: text } : { expected };
}

const POSTGRESQL = 'postgresql://user:password@host:5432/database';

/** Parses the URL of a PostgreSQL database. The message about an SQLite URL says what to use instead. */
export function readDatabaseUrl(text: string): Read<string> {
  const { protocol } = URL.parse(text) ?? {};
  if (protocol === 'postgresql:' || protocol === 'postgres:') return { value: text };
  if (/^sqlite\b/i.test(text)) return { expected: insteadOfSqlite(text) };
  if (/^postgres(ql)?\+\w+:/i.test(text)) {
    return { expected: `${POSTGRESQL}, without the driver in its scheme` };
  }
  return { expected: `a URL such as ${POSTGRESQL}` };
}

/** `sqlite+aiosqlite:///./data/x.db` is a file in `./data`; without a file, the database is in memory. */
function insteadOfSqlite(text: string): string {
  const path = text.replace(/^[^:]*:(\/\/\/?)?/, '').replace(/\?.*/, '');
  if (path === '' || path.includes(':memory:')) {
    return 'a URL of PostgreSQL; to keep pipelines in memory, leave it out and set STORE=memory';
  }
  const folder = path.includes('@') ? '<folder>' : dirname(path);
  return `a URL of PostgreSQL; SQLite is the file chunksmith.db in the data folder: leave it out and set DATA_DIR=${folder}`;
}
