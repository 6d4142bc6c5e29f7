import { readFileSync } from 'node:fs';
import { ConfigError, type Environment } from '../config/config.ts';
import { readConnection } from './connection-fields.ts';
import type { BucketConnection } from './s3/connection.ts';

/**
 * Reads the file of connections; none if there is no file.
 *
 * @param env variables that keys may be taken from
 * @throws ConfigError with a line for every problem; none shows a key
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

/** The connections by their names, as they are written. */
function readFile(file: string, place: string): ReadonlyMap<string, unknown> {
  const members = membersOf(readJson(file, place));
  if (members === undefined)
    throw new ConfigError(`${place}expected an object with a connection under each name`);
  return members;
}

function readJson(file: string, place: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new ConfigError(`${place}the file cannot be read (${code})`);
    // The whole message shows what stands there, which may be a key.
    const [where = ''] = / \(line \d+ column \d+\)/.exec(String(error)) ?? [];
    throw new ConfigError(`${place}the file is not valid JSON${where}`);
  }
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? new Map(Object.entries(value)) : undefined;
}
