import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ServiceError } from '../../../core/errors.ts';
import { type Config, ConfigError, type Environment } from '../../config/config.ts';
import { checkFolder } from '../../config/folders.ts';
import type { Read } from '../../config/option.ts';

/** Plain data, which can be sent to another thread. */
export interface CorporaSettings {
  /** Absolute path of the root folder of all local files; undefined if jobs may use no local files. */
  readonly root: string | undefined;
  readonly connections: ReadonlyMap<string, BucketConnection>;
}

type CorporaConfig = Pick<
  Config,
  'bulkRoot' | 'bulkConnections' | 'bulkCallbackPrivate' | 'bulkCallbackSecret'
>;

/**
 * Reads the settings for storages of jobs, when the server starts.
 *
 * @param env variables with the keys of connections
 * @throws ConfigError with a line for every problem; the lines never contain keys
 */
export function readCorporaSettings(config: CorporaConfig, env: Environment): CorporaSettings {
  const problems: string[] = [];
  const take = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const root = take(() => readRoot(config.bulkRoot));
  const connections = take(() => readConnections(config.bulkConnections, env));
  if (connections !== undefined && problems.length === 0) return { root, connections };
  throw new ConfigError(problems.join('\n'));
}

function readRoot(folder: string): string | undefined {
  if (folder === '') return undefined;
  checkFolder('--bulk-root', folder);
  return resolve(folder);
}

/** Describes the storages of jobs for `--check`, one sentence each, without keys. @throws ConfigError */
export function describeCorpora(config: CorporaConfig, env: Environment): string[] {
  const { root, connections } = readCorporaSettings(config, env);
  const buckets = [...connections.values()].map(
    ({ name, bucket, prefix, endpoint }) =>
      `${name} (${[bucket, prefix].filter(Boolean).join('/')} at ${endpoint ?? 'AWS'})`,
  );
  const { bulkCallbackSecret, bulkCallbackPrivate } = config;
  return [
    `Folder of jobs: ${root ?? 'none'}`,
    `Buckets of jobs: ${buckets.join(', ') || 'none'}`,
    bulkCallbackSecret === ''
      ? 'Callbacks of jobs: off, because BULK_CALLBACK_SECRET is not set'
      : `Callbacks of jobs: signed, to ${bulkCallbackPrivate ? 'any address' : 'public addresses only'}`,
  ];
}

/**
 * Reads the file of connections; empty if no file is set.
 *
 * @param env variables with the keys of connections
 * @throws ConfigError with a line for every problem; the lines never contain keys
 */
export function readConnections(file: string, env: Environment): ReadonlyMap<string, BucketConnection> {
  const connections = new Map<string, BucketConnection>();
  if (file === '') return connections;
  const place = `--bulk-connections ${file}: `;
  const problems: string[] = [];
  for (const [name, written] of readFile(file, place)) {
    const read = readNamed(name, written, env);
    if ('value' in read) connections.set(name, read.value);
    else problems.push(...read.problems.map((problem) => place + problem));
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return connections;
}

function readNamed(name: string, written: unknown, env: Environment): ReturnType<typeof readConnection> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    const shown = JSON.stringify(name.slice(0, 64));
    return { problems: [`${shown}: expected a name of at most 64 letters, digits, ".", "_" and "-"`] };
  }
  const members = membersOf(written);
  if (members === undefined) return { problems: [`${name}: expected an object`] };
  const read = readConnection(name, members, env);
  return 'value' in read ? read : { problems: read.problems.map((problem) => `${name}.${problem}`) };
}

function readFile(file: string, place: string): ReadonlyMap<string, unknown> {
  const members = membersOf(readJson(file, place));
  if (members === undefined) throw new ConfigError(`${place}expected an object of connections by name`);
  return members;
}

function readJson(file: string, place: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new ConfigError(`${place}the file cannot be read (${code})`);
    // The message of `JSON.parse` quotes the file, which may contain a key. So only the position is reported.
    const [where = ''] = / \(line \d+ column \d+\)/.exec(String(error)) ?? [];
    throw new ConfigError(`${place}the file is not valid JSON${where}`);
  }
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? new Map(Object.entries(value)) : undefined;
}

type Fields = ReadonlyMap<string, unknown>;

const KEYS = ['access_key_id', 'secret_access_key', 'session_token'] as const;
const FIELDS = ['endpoint', 'bucket', 'region', 'prefix', 'style', ...KEYS, 'profile'];

function readConnection(
  name: string,
  written: Fields,
  env: Environment,
): { readonly value: BucketConnection } | { readonly problems: readonly string[] } {
  const problems = [...written.keys()]
    .filter((field) => !FIELDS.includes(field))
    .map((field) => `${field}: unknown, valid names: ${FIELDS.join(', ')}`);
  /** Returns the value. If there is a problem, notes it and returns undefined despite the type. */
  const take = <T>(field: string, read: Read<T>): T => {
    if ('value' in read) return read.value;
    problems.push(`${field}: expected ${read.expected}`);
    return undefined as T;
  };
  const isOwn = written.has('endpoint');
  const hasKeys = KEYS.some((field) => written.has(field));
  const key = (field: string, isNeeded: boolean) =>
    isNeeded || written.has(field) ? take(field, readKey(written.get(field), env)) : undefined;
  const endpoint = isOwn ? take('endpoint', readEndpoint(written.get('endpoint'))) : undefined;
  const bucket = take('bucket', readBucket(written.get('bucket')));
  const givenRegion = written.get('region') ?? (isOwn ? 'us-east-1' : undefined);
  const region = givenRegion === undefined ? undefined : take('region', readRegion(givenRegion));
  const prefix = take('prefix', readPrefix(written.get('prefix') ?? ''));
  const style = take('style', readStyle(written.get('style') ?? (isOwn ? 'path' : 'host')));
  const accessKeyId = key(KEYS[0], hasKeys);
  const secretAccessKey = key(KEYS[1], hasKeys);
  const sessionToken = key(KEYS[2], false);
  const profile = written.has('profile') ? take('profile', readProfile(written.get('profile'))) : undefined;
  if (profile !== undefined && hasKeys) problems.push('profile: expected either a profile or keys');
  if (problems.length > 0) return { problems };
  const credentials = accessKeyId !== undefined &&
    secretAccessKey !== undefined && {
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    };
  const rest = Object.fromEntries(
    Object.entries({ endpoint, region, profile }).filter(([, value]) => value !== undefined),
  );
  return { value: { name, bucket, prefix, style, ...rest, ...credentials } };
}

function readEndpoint(value: unknown): Read<string> {
  const expected = 'a URL such as https://s3.eu-central-1.amazonaws.com, without user, query or fragment';
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return { expected };
  return url.href === url.origin + url.pathname ? { value: url.href } : { expected };
}

const readText =
  (pattern: RegExp, expected: string) =>
  (value: unknown): Read<string> =>
    typeof value === 'string' && pattern.test(value) ? { value } : { expected };

const readBucket = readText(/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/, 'the name of a bucket');
const readRegion = readText(/^[a-z0-9-]{1,64}$/, 'a region such as eu-central-1');
const readStyle = readText(/^(path|host)$/, '"path" or "host"') as (value: unknown) => Read<'path' | 'host'>;
const readProfile = readText(/./s, 'the name of an AWS profile');

function readPrefix(value: unknown): Read<string> {
  const prefix = typeof value === 'string' ? value.replace(/\/$/, '') : undefined;
  if (prefix !== undefined && (prefix === '' || isSound(prefix))) return { value: prefix };
  return { expected: 'a folder of the bucket such as kb/, without empty parts, "." or ".."' };
}

function readKey(value: unknown, env: Environment): Read<string> {
  const variable = variableOf(value);
  const key = variable === undefined ? value : (env[variable] ?? '');
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return { value: key };
  if (variable !== undefined && key === '') return { expected: `the variable ${variable}, which is not set` };
  const form =
    'ASCII letters, digits and punctuation, or {"env": "<NAME>"} for the variable that contains them';
  return {
    expected:
      variable === undefined
        ? form
        : `the variable ${variable} to consist of ASCII letters, digits and punctuation`,
  };
}

function variableOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [[name, variable] = [], ...more] = Object.entries(value);
  return name === 'env' && typeof variable === 'string' && more.length === 0 ? variable : undefined;
}

/** Plain data. */
export interface BucketConnection {
  /** The name in `s3://<name>/…` and in messages. */
  readonly name: string;
  /** URL of the service without user, query and fragment; may have a path. Default: AWS in `region`. */
  readonly endpoint?: string;
  readonly bucket: string;
  /** Default: the region in the environment or in the AWS profile. */
  readonly region?: string;
  /** Folder of the bucket that the connection is limited to, without outer `/`; `''` is the whole bucket. */
  readonly prefix: string;
  /** Whether URLs contain the bucket in their path or in their host name. */
  readonly style: 'path' | 'host';
  /** Default: the AWS default chain: variables, a profile, a role of the machine or pod, or SSO. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** Profile of the AWS configuration files to use. Default: the default profile. */
  readonly profile?: string;
}

export type Keys = ReturnType<typeof createKeys>;

/** Converts names in a storage to keys of a bucket and back. Keys begin with the prefix of the connection. */
export function createKeys({ prefix }: Pick<BucketConnection, 'prefix'>, label: string) {
  const base = prefix === '' ? '' : `${prefix}/`;
  /** @throws ServiceError `path_outside` if the name has `..`, `path_unusable` for other invalid names */
  const keyOf = (name: string) => {
    if (name.split('/').includes('..'))
      throw new ServiceError('path_outside', { path: name, storage: label });
    if (!isSound(name))
      throw new ServiceError('path_unusable', { path: `${label}/${name}`, reason: NOT_SENT });
    return base + name;
  };
  return {
    keyOf,
    prefixOf: (folder: string) => (folder === '' ? base : `${keyOf(folder)}/`),
    nameOf: (key: string) => key.slice(base.length),
  };
}

const NOT_SENT =
  'a key with an empty part, a single dot, or half of a surrogate pair cannot be sent in a URL';

/** Whether a name stays unchanged in a URL, where `.` and `..` would be resolved. */
export function isSound(name: string): boolean {
  return name.isWellFormed() && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
