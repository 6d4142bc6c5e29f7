import type { Config } from './config.ts';

/** Whether a server takes jobs at all: there must be something that they may read. */
export function takesJobs({ bulkRoot, bulkConnections }: Pick<Config, 'bulkRoot' | 'bulkConnections'>): boolean {
  return bulkRoot !== '' || bulkConnections !== '';
}

type RoleSettings = Pick<Config, 'bulkRoot' | 'bulkConnections' | 'role' | 'store'>;

/** Why a process cannot have its role; undefined if it can. */
export function problemOfRole(config: RoleSettings): string | undefined {
  const { role, store } = config;
  if (role === 'all') return undefined;
  if (role === 'worker' && !takesJobs(config)) {
    return '--role worker: there are no jobs without --bulk-root or --bulk-connections; set one of them';
  }
  if (store === 'memory' && takesJobs(config)) {
    return `--role ${role}: with --store memory no other process sees the jobs; take one of the two away`;
  }
  return undefined;
}
