/** The job settings of the configuration. */
interface JobSettings {
  readonly bulkRoot: string;
  readonly bulkConnections: string;
}

/** Whether a server accepts jobs at all: they need something that they may read. */
export function takesJobs({ bulkRoot, bulkConnections }: JobSettings): boolean {
  return bulkRoot !== '' || bulkConnections !== '';
}

interface RoleSettings extends JobSettings {
  readonly role: string;
  readonly store: string;
}

/** Why a process cannot have its role; undefined if it can. */
export function problemOfRole(config: RoleSettings): string | undefined {
  const { role, store } = config;
  if (role === 'all') return undefined;
  if (role === 'worker' && !takesJobs(config)) {
    return '--role worker: there are no jobs without --bulk-root or --bulk-connections; set one of them';
  }
  if (store === 'memory' && takesJobs(config)) {
    return `--role ${role}: with --store memory no other process sees the jobs; remove one of the two`;
  }
  return undefined;
}
