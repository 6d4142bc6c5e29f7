import { existsSync } from 'node:fs';
import { type Config, ConfigError, takesJobs } from './config.ts';
import { MODULE_ENDING } from './module-ending.ts';

/** The module `server/corpora`, for jobs and the command `chunk`. A build may leave out this folder. */
type Corpora = typeof import('../corpora/index.ts');
export type OpenCorpora = ReturnType<Corpora['openCorpora']>;

/** Imports `server/corpora`; undefined in a build without it. Only `find-range-work.ts` may import that folder too. */
export async function findCorpora(): Promise<Corpora | undefined> {
  const face = new URL(`../corpora/index${MODULE_ENDING}`, import.meta.url);
  return existsSync(face) ? import('../corpora/index.ts') : undefined;
}

/** `findCorpora` for a server. @throws ConfigError if jobs are configured but this build cannot run them */
export async function corporaFor(config: Config): Promise<Corpora | undefined> {
  const corpora = await findCorpora();
  if (corpora !== undefined || !takesJobs(config)) return corpora;
  throw new ConfigError('--bulk-root, --bulk-connections: jobs are not in this build; leave both out');
}
