import type { Environment } from '../config/config.ts';
import type { Read } from '../config/option.ts';
import type { BucketConnection } from './s3/connection.ts';
import { isSound } from './s3/keys.ts';

/** The fields of a connection as they are written in a file. Where keys could stand, no value is shown. */

type Fields = ReadonlyMap<string, unknown>;

/** The connection, or what is wrong with each of its fields. */
export function readConnection(
  name: string,
  written: Fields,
  env: Environment,
): { readonly value: BucketConnection } | { readonly problems: readonly string[] } {
  const fields = readFields(written, env);
  const known = Object.keys(fields).join(', ');
  const unknown = [...written.keys()]
    .filter((field) => !Object.hasOwn(fields, field))
    .map((field) => `${field}: unknown, known are ${known}`);
  if (!areRead(fields) || unknown.length > 0) return { problems: [...unknown, ...problemsOf(fields)] };
  const { endpoint, bucket, region, prefix, style, profile, ...keys } = fields;
  const [accessKeyId, secretAccessKey, sessionToken] = [
    keys.access_key_id.value,
    keys.secret_access_key.value,
    keys.session_token.value,
  ];
  return {
    value: {
      name,
      bucket: bucket.value,
      prefix: prefix.value,
      style: style.value,
      ...(endpoint.value !== undefined && { endpoint: endpoint.value }),
      ...(region.value !== undefined && { region: region.value }),
      ...(profile.value !== undefined && { profile: profile.value }),
      ...(accessKeyId !== undefined &&
        secretAccessKey !== undefined && {
          credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
        }),
    },
  };
}

function readFields(written: Fields, env: Environment) {
  const isOwn = written.has('endpoint');
  const hasKeys = KEYS.some((field) => written.has(field));
  const key = (field: string, isNeeded: boolean) =>
    isNeeded || written.has(field) ? readKey(written.get(field), env) : { value: undefined };
  return {
    endpoint: isOwn ? readEndpoint(written.get('endpoint')) : { value: undefined },
    bucket: readBucket(written.get('bucket')),
    region: readRegion(written.get('region') ?? (isOwn ? 'us-east-1' : undefined)),
    prefix: readPrefix(written.get('prefix') ?? ''),
    style: readStyle(written.get('style') ?? (isOwn ? 'path' : 'host')),
    access_key_id: key(KEYS[0], hasKeys),
    secret_access_key: key(KEYS[1], hasKeys),
    session_token: key(KEYS[2], false),
    profile: readProfile(written.get('profile'), hasKeys),
  };
}

const KEYS = ['access_key_id', 'secret_access_key', 'session_token'] as const;

type AllRead<T> = { readonly [K in keyof T]: Extract<T[K], { readonly value: unknown }> };

const areRead = <T extends Readonly<Record<string, Read<unknown>>>>(fields: T): fields is T & AllRead<T> =>
  problemsOf(fields).length === 0;

const problemsOf = (fields: Readonly<Record<string, Read<unknown>>>): string[] =>
  Object.entries(fields).flatMap(([name, read]) =>
    'expected' in read ? [`${name}: expected ${read.expected}`] : [],
  );

function readEndpoint(value: unknown): Read<URL> {
  const expected = 'a URL such as https://s3.eu-central-1.amazonaws.com, without user, query and fragment';
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return { expected };
  return url.href === url.origin + url.pathname ? { value: url } : { expected };
}

function readBucket(value: unknown): Read<string> {
  const isName = typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(value);
  return isName ? { value } : { expected: 'the name of a bucket' };
}

function readRegion(value: unknown): Read<string | undefined> {
  if (value === undefined) return { value };
  const isName = typeof value === 'string' && /^[a-z0-9-]{1,64}$/.test(value);
  return isName ? { value } : { expected: 'a region such as eu-central-1' };
}

function readPrefix(value: unknown): Read<string> {
  const prefix = typeof value === 'string' ? value.replace(/\/$/, '') : undefined;
  if (prefix !== undefined && (prefix === '' || isSound(prefix))) return { value: prefix };
  return { expected: 'a folder of the bucket such as kb/, without empty parts, "." and ".."' };
}

function readStyle(value: unknown): Read<BucketConnection['style']> {
  return value === 'path' || value === 'host' ? { value } : { expected: '"path" or "host"' };
}

function readProfile(value: unknown, hasKeys: boolean): Read<string | undefined> {
  if (value === undefined) return { value };
  if (typeof value !== 'string' || value === '') return { expected: 'the name of a profile of AWS' };
  return hasKeys ? { expected: 'either a profile or keys' } : { value };
}

function readKey(value: unknown, env: Environment): Read<string> {
  const variable = variableOf(value);
  const key = variable === undefined ? value : (env[variable] ?? '');
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return { value: key };
  if (variable !== undefined && key === '') return { expected: `the variable ${variable}, which is not set` };
  const form = 'ASCII letters, digits and signs, or {"env": "<NAME>"} for the variable that has them';
  return {
    expected: variable === undefined ? form : `the variable ${variable} to be of ASCII letters and signs`,
  };
}

/** The name in `{"env": "<NAME>"}`. */
function variableOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [[name, variable] = [], ...more] = Object.entries(value);
  return name === 'env' && typeof variable === 'string' && more.length === 0 ? variable : undefined;
}
