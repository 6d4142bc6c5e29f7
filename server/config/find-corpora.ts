import { existsSync } from 'node:fs';
import { type Config, ConfigError, takesJobs } from './config.ts';
import { MODULE_ENDING } from './module-ending.ts';

/** Jobs, and the command `chunk`: the only part of the server that a build may lack. */
type Corpora = typeof import('../corpora/index.ts');
export type OpenCorpora = ReturnType<Corpora['openCorpora']>;

/** The only access to corpora from outside; undefined in a build without the folder. */
export async function findCorpora(): Promise<Corpora | undefined> {
  const face = new URL(`../corpora/index${MODULE_ENDING}`, import.meta.url);
  return existsSync(face) ? import('../corpora/index.ts') : undefined;
}

/** `findCorpora` for a server. @throws ConfigError if it is configured to run jobs but cannot */
export async function corporaFor(config: Config): Promise<Corpora | undefined> {
  const corpora = await findCorpora();
  if (corpora !== undefined || !takesJobs(config)) return corpora;
  throw new ConfigError('--bulk-root, --bulk-connections: jobs are not in this build; leave both out');
}
