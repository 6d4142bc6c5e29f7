import { resolve } from 'node:path';
import { type Config, ConfigError, type Environment } from '../../config/config.ts';
import { checkFolder } from '../../config/folders.ts';
import { readConnections } from './read-connections.ts';
import type { BucketConnection } from './s3/connection.ts';

/** What jobs may read and write. */
export interface CorporaSettings {
  /** The folder that contains the files, as an absolute path; undefined if jobs may use none. */
  readonly root: string | undefined;
  readonly connections: ReadonlyMap<string, BucketConnection>;
}

type CorporaConfig = Pick<
  Config,
  'bulkRoot' | 'bulkConnections' | 'bulkCallbackPrivate' | 'bulkCallbackSecret'
>;

/**
 * Reads at the start what jobs may use.
 *
 * @param env variables that keys of connections may be taken from
 * @throws ConfigError with a line for every problem; none shows a key
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

/** What jobs may use, one sentence each and without keys, for `--check`. @throws ConfigError */
export function describeCorpora(config: CorporaConfig, env: Environment): string[] {
  const { root, connections } = readCorporaSettings(config, env);
  const buckets = [...connections.values()].map(
    ({ name, bucket, prefix, endpoint }) =>
      `${name} (${[bucket, prefix].filter(Boolean).join('/')} at ${endpoint?.href ?? 'AWS'})`,
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
